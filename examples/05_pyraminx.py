"""The Pyraminx without its tips, given by its generators: 933,120 states, none more than 11 turns from solved."""

import rubiks_gym
from rubiks_gym.puzzles import PermutationPuzzle, check_puzzle

CORNERS = "ULRB"
AROUND = {"U": "LBR", "L": "URB", "R": "UBL", "B": "ULR"}  # the other corners, clockwise for who looks at this one
EDGES = ["UL", "UR", "UB", "LR", "LB", "RB"]

# A sticker is a piece and the face that it is on, which is named after the corner opposite.
stickers = [(corner, face) for corner in CORNERS for face in AROUND[corner]]
stickers += [(edge, face) for edge in EDGES for face in CORNERS if face not in edge]


def turn(corner: str) -> list[int]:
    """Where every sticker goes when a corner, with the three edges beside it, turns clockwise."""
    to = dict(zip(AROUND[corner], AROUND[corner][1:] + AROUND[corner][:1], strict=True), **{corner: corner})
    turned = {(p, f): ("".join(sorted((to[c] for c in p), key=CORNERS.index)), to[f]) for p, f in stickers if corner in p}
    return [stickers.index(turned.get(sticker, sticker)) for sticker in stickers]


one_of_each_piece = [0, 3, 6, 9, *range(12, 24, 2)]
pyraminx = PermutationPuzzle("pyraminx", [turn(c) for c in CORNERS], names=CORNERS, pieces=one_of_each_piece, k_max=11)
rubiks_gym.register_puzzle("Pyraminx-v0", pyraminx, max_episode_steps=50)

if __name__ == "__main__":
    check_puzzle(pyraminx)
    print(f"{pyraminx.n_states:,} states, moves {' '.join(pyraminx.action_names)}")
