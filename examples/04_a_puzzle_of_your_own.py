"""Lights Out as a new puzzle: define how a batch of states moves, register it, and it has all that others have.

A press changes a lamp and its neighbours; all lamps have to go out. A press is its own inverse.
"""

import gymnasium as gym
import numpy as np

import rubiks_gym
from rubiks_gym.exact import ExactTable
from rubiks_gym.puzzles import Puzzle, check_puzzle


class LightsOut(Puzzle):
    def __init__(self, side: int = 3) -> None:
        self.side = side
        rows, columns = np.indices((side, side)).reshape(2, -1)
        near = np.abs(rows[:, None] - rows) + np.abs(columns[:, None] - columns) <= 1
        self.presses = near.astype(np.uint8)  # [A, S]: which lamps each press changes
        super().__init__(
            name=f"lights-out-{side}",
            goal=[0] * side**2,
            n_values=2,
            action_names=[f"{r}{c}" for r, c in zip(rows, columns, strict=True)],
            inverse_action=range(side**2),
            n_states=2**side**2 if side in (2, 3, 6, 7) else 0,  # on 4 and 5 some pictures cannot be reached: not known
        )

    def apply(self, states, actions):
        states, actions = self.as_states(states), self.as_actions(actions, len(states))
        if ((actions < 0) | (actions >= self.n_actions)).any():
            self.refuse_actions(actions)
        return states ^ self.presses[actions]

    def ansi(self, state):
        return "\n".join(" ".join("·#"[lamp] for lamp in row) for row in state.reshape(self.side, -1))

    # Optional: a numbering of the states lets the table learner keep a value for each.
    def index(self, states):
        return self.as_states(states).astype(np.int64) @ (1 << np.arange(self.state_size))

    def from_index(self, index):
        return (self.as_index(index)[:, None] >> np.arange(self.state_size) & 1).astype(np.uint8)


rubiks_gym.register_puzzle("LightsOut-v0", LightsOut, max_episode_steps=30)

if __name__ == "__main__":
    check_puzzle(LightsOut())
    envs = gym.make_vec("LightsOut-v0", num_envs=1000, scramble="uniform", k_max=8)
    envs.reset(seed=0)
    rewards = sum(envs.step(envs.action_space.sample())[1].sum() for _ in range(100))
    print(f"a thousand random players put all lamps out {rewards:.0f} times in 100 steps each")

    env = gym.make("LightsOut-v0", render_mode="ansi")
    env.reset(seed=1)
    print(env.render())
    puzzle, state = env.unwrapped.puzzle, env.unwrapped.get_state()["state"]
    print("fewest presses:", puzzle.format(ExactTable(puzzle).solve(state[None])[0]))
