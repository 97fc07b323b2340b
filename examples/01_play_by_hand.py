"""Play by hand in the terminal: type moves such as R U' F2, `undo`, `hint`, `new` or `quit`.

python examples/01_play_by_hand.py                     a 2x2x2 that is four moves from solved
python examples/01_play_by_hand.py Rubik3x3-v0 6       a 3x3x3, six moves
python examples/01_play_by_hand.py Hanoi-v0            the towers
"""

import sys

import gymnasium as gym

import rubiks_gym  # noqa: F401  (registers the environments)
from rubiks_gym.exact import ExactTable

env_id = sys.argv[1] if len(sys.argv) > 1 else "Rubik2x2-v0"
options = {} if env_id == "Hanoi-v0" else {"depth": int(sys.argv[2]) if len(sys.argv) > 2 else 4}
exact = env_id != "Rubik3x3-v0"  # the 3x3x3 is too large for a table of true distances

env = gym.make(env_id, render_mode="ansi", max_episode_steps=100_000)
puzzle = env.unwrapped.puzzle
table = ExactTable(puzzle) if exact else None
env.reset(options=options)
saved = []  # states before each move, for undo
print(f"moves: {' '.join(puzzle.action_names)}")

while True:
    print("\n" + env.render())
    here = env.unwrapped.get_state()
    left = f"{table.distance(here['state'][None])[0]} moves left" if table else ""
    try:
        text = input(f"{left} > ").strip()
    except EOFError:
        break
    if text == "quit":
        break
    if text == "new":
        env.reset(options=options)
        saved.clear()
    elif text == "undo":
        if saved:
            env.unwrapped.set_state(saved.pop())
    elif text == "hint":
        print("try " + puzzle.format(table.solve(here["state"][None])[0][:1]) if table else "no table, no hint")
    else:
        try:
            actions = puzzle.parse(text)
        except ValueError as error:
            print(error)
            continue
        for action in actions:
            saved.append(env.unwrapped.get_state())
            _, _, solved, _, _ = env.step(action)
            if solved:
                print("\n" + env.render() + "\nsolved!")
                sys.exit()
