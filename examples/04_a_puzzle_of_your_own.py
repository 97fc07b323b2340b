"""The Chinese rings as a new puzzle: define how a batch of states moves, register it, and it has all that others have.

Rings on a bar; the first can always be put on or taken off, another only if the one before it is on and no ring before that
is. All have to come off. To move a ring back is the same action again.
"""

import gymnasium as gym
import numpy as np

import rubiks_gym
from rubiks_gym.exact import ExactTable
from rubiks_gym.puzzles import Puzzle, check_puzzle


class ChineseRings(Puzzle):
    def __init__(self, rings: int = 5) -> None:
        super().__init__(
            name=f"chinese-rings-{rings}",
            goal=[0] * rings,
            n_values=2,
            action_names=[f"{ring + 1}" for ring in range(rings)],
            inverse_action=range(rings),
            k_max=2**rings,
            n_states=2**rings,
        )
        self.start = np.ones(rings, np.uint8)

    def legal(self, states):
        first_on = np.where(states.any(axis=1), states.argmax(axis=1), self.n_actions)
        rings = np.arange(self.n_actions)
        return (rings == 0) | (rings == first_on[:, None] + 1)

    def apply(self, states, actions):
        states, actions = self.as_states(states), self.as_actions(actions, len(states))
        if ((actions < 0) | (actions >= self.n_actions)).any():
            self.refuse_actions(actions)
        return states ^ ((np.arange(self.n_actions) == actions[:, None]) & self.legal(states))

    def ansi(self, state):
        return "".join("-O"[ring] for ring in state)

    # Optional: a numbering of the states lets the table learner keep a value for each.
    def index(self, states):
        return self.as_states(states).astype(np.int64) @ (1 << np.arange(self.state_size))

    def from_index(self, index):
        return (self.as_index(index)[:, None] >> np.arange(self.state_size) & 1).astype(np.uint8)


rubiks_gym.register_puzzle("ChineseRings-v0", ChineseRings, max_episode_steps=200)

if __name__ == "__main__":
    check_puzzle(ChineseRings())
    env = gym.make("ChineseRings-v0", render_mode="ansi")
    env.reset(seed=1)
    puzzle, state = env.unwrapped.puzzle, env.unwrapped.get_state()["state"]
    print(env.render(), "fewest moves:", puzzle.format(ExactTable(puzzle).solve(state[None])[0]))
