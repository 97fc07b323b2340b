"""Algorithms 2 and 3 (Konen 2023, section 5.2): TD(0) along the greedy path, with temporal coherence learning. All compiled.

For each episode: scramble the goal by p ~ U{1..p_max} twists; then, until the goal or E_train moves,

    s_new = argmax_a V(s'),  V(s') = c + (R if s' is the goal, else j(s')),        lines 7 and 8 of algorithm 2
    delta = V(s_new) - j(s);  w_i += alpha / (T M) * alpha_i * delta                line 9, for every activated weight
    N_i += delta;  A_i += |delta|;  alpha_i = g(|N_i| / A_i)                         lines 6 to 8 of algorithm 3

with T tuples, M symmetric images, and g(x) = x or e^(beta (x - 1)). With traces, the states of the last moves learn from the
same delta, lam^k of it k moves back (Konen and Bagheri 2021, appendix A.3).

Episode e of a seed has its own random numbers, by counting (`puzzles.streams`), so a run is a function of its seed, and can be
cut anywhere between two episodes. Training is sequential (an update changes the next choice): it uses one core, and two cores
train two agents. `cost_to_go` of large batches, which evaluation and search live on, is spread over all cores.

Differs from the paper in: N_i, A_i and alpha_i change with every update, not once per episode (as in its program). A weight
that several images activate counts as often in V but is stepped once per update: stepped as often, states that look alike in
many mirrors, as all those near the goal do, would overshoot. An episode that starts solved is passed over.
"""

from typing import Any, NamedTuple

import numpy as np

from agents.td_ntuple.agent import TdNTuple, pack, unpack
from agents.td_ntuple.config import TdNTupleConfig
from agents.td_ntuple.network import Net, value, values
from rubiks_gym.puzzles import Puzzle
from rubiks_gym.puzzles.compiled import copy, jit
from rubiks_gym.puzzles.hanoi import Hanoi
from rubiks_gym.puzzles.permutation import PermutationPuzzle
from rubiks_gym.puzzles.prefetch import prefetch
from rubiks_gym.puzzles.streams import below, draw, mix
from rubiks_gym.scrambles import UniformK, episode_seeds


class Rules(NamedTuple):
    """A puzzle's moves for compiled code: tables of where pieces go, or Hanoi's pegs."""

    goal: np.ndarray  # [S] uint8
    inverse: np.ndarray  # [A] int64
    moves: np.ndarray  # [A, 256] uint8, where the piece at each place goes; not for Hanoi
    source: np.ndarray  # [A] int64, Hanoi only
    target: np.ndarray  # [A] int64, Hanoi only
    hanoi: bool


class Settings(NamedTuple):
    """What the learner needs of its configuration."""

    max_steps: int
    step_cost: float
    reward: float
    alpha: float
    epsilon: float
    allow_undo: bool
    tcl: int  # 0 off, 1 id, 2 exp
    tc_beta: float
    accumulate_steps: bool
    lam: float
    horizon: int  # states that a trace reaches back over, the present one included
    trace_reset: bool


def make_rules(puzzle: Puzzle) -> Rules:
    """The rules of a permutation puzzle whose pieces all differ, such as a cube, or of Hanoi."""
    none = np.zeros(puzzle.n_actions, np.int64)
    if isinstance(puzzle, PermutationPuzzle) and puzzle.distinct:
        return Rules(puzzle.goal, puzzle.inverse_action, puzzle.moves, none, none, False)
    if isinstance(puzzle, Hanoi):
        source, target = puzzle._pegs_of
        return Rules(puzzle.goal, puzzle.inverse_action, np.zeros((1, 256), np.uint8), source, target, True)
    raise ValueError(f"td_ntuple needs a permutation puzzle whose pieces all differ, or Hanoi; {puzzle.name} is neither")


def make_settings(config: TdNTupleConfig) -> Settings:
    """The compiled learner's view of a configuration."""
    horizon = 1
    while horizon < config.max_steps and config.lam > 0 and config.lam**horizon >= config.horizon_cut:
        horizon += 1
    return Settings(
        config.max_steps,
        config.step_cost,
        config.reward,
        config.alpha,
        config.epsilon,
        config.play_allow_undo,
        ("off", "id", "exp").index(config.tcl),
        config.tc_beta,
        config.tc_accumulate == "weight-change",
        config.lam,
        horizon,
        config.trace_reset,
    )


def make_coherence(config: TdNTupleConfig, net: Net) -> np.ndarray:
    """N_i and A_i of every weight, [W, 2] float32 (no rows without TCL)."""
    rows = 0 if config.tcl == "off" else len(net.weights)
    return np.full((rows, 2), config.tc_init, np.float32)


class Learner:
    """A network under training. A step is an episode; an iteration is the episodes up to the next line of metrics.jsonl."""

    rank = 0  # of one process: an update changes the next choice, so training is sequential

    def __init__(self, puzzle: Puzzle, config: TdNTupleConfig, seed: int) -> None:
        self.puzzle, self.config, self.seed = puzzle, config, seed
        self.done, self.total = 0, config.episodes
        self._agent = TdNTuple.from_config(puzzle, config, seed)
        self.coherence = make_coherence(config, self._agent.net)
        self._rules, self._settings = make_rules(puzzle), make_settings(config)

    def agent(self) -> TdNTuple:
        """The network as it is now; it goes on learning."""
        return self._agent

    def iterate(self) -> dict[str, float]:
        """The episodes up to the next multiple of log_every, wherever a run was cut; returns their metrics."""
        return self.learn(min(self.config.log_every - self.done % self.config.log_every, self.total - self.done))

    def learn(self, episodes: int) -> dict[str, float]:
        """The next so many episodes; returns the share solved, moves played, updates made and the mean |delta|."""
        streams = mix(np.full(episodes, self.seed, np.uint64))
        numbers = np.arange(self.done, self.done + episodes)
        c = self.config
        scramble = UniformK(c.p_max, c.scramble_allow_undo, c.scramble_allow_same_face)
        starts, _ = scramble.draw(self.puzzle, streams, numbers)
        seeds = episode_seeds(~streams, numbers)  # another stream than the scrambles'
        sums = np.zeros(4)
        train_episodes(self._agent.net, self.coherence, self._rules, self._settings, starts, seeds, sums)
        self.done += episodes
        solved, moves, updates, error = sums
        return {"train_solved": solved / episodes, "moves": moves, "updates": updates, "td_error": error / max(updates, 1)}

    # What a checkpoint holds besides the agent ------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """How far the learner has come, as JSON; random numbers follow from the seed and the episode."""
        return {"done": self.done}

    def arrays(self) -> dict[str, np.ndarray]:
        """N_i and A_i of the weights that have been updated."""
        return pack("coherence", self.coherence, self.coherence[:, 1] != np.float32(self.config.tc_init))

    def restore(self, state: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        unpack("weights", arrays, self._agent.net.weights)
        unpack("coherence", arrays, self.coherence)
        self.done = int(state["done"])


# Compiled ---------------------------------------------------------------------------------------------------------------


@jit
def move(rules, action, state, out):
    """The state [S] after an action into out [S]; returns whether the action is legal."""
    if not rules.hanoi:
        for i in range(state.shape[0]):
            out[i] = rules.moves[action, state[i]]
        return True
    for i in range(state.shape[0]):
        out[i] = state[i]
    for i in range(state.shape[0]):
        if state[i] == rules.target[action]:
            return False
        if state[i] == rules.source[action]:
            out[i] = rules.target[action]
            return True
    return False


@jit
def is_goal(rules, state):
    """Whether a state [S] is solved."""
    same = True
    for i in range(state.shape[0]):
        same &= state[i] == rules.goal[i]
    return same


@jit
def uniform(seed, t):
    """Draw t of a seed as a number in [0, 1)."""
    return (draw(seed, np.uint64(t)) >> np.uint64(11)) * 2.0**-53


@jit
def step_once(index, again):
    """Mark in again [M, T] the weights of index [M, T] that an earlier image of the same tuple activates too."""
    for m in range(index.shape[0]):
        for t in range(index.shape[1]):
            again[m, t] = False
        for earlier in range(m):
            for t in range(index.shape[1]):
                again[m, t] |= index[m, t] == index[earlier, t]


@jit
def update(net, coherence, settings, index, again, delta, gradient):
    """Line 9 of algorithm 2 with algorithm 3's rates, for the weights index [M, T] of one state.

    gradient is the derivative of sigma, times lam^k in a trace.
    """
    weights = net.weights
    step = np.float32(settings.alpha / index.size * delta * gradient)
    change = step if settings.accumulate_steps else np.float32(delta * gradient)
    size = abs(change)
    for m in range(index.shape[0]):
        for t in range(index.shape[1]):
            i = index[m, t]
            if again[m, t]:
                continue
            if settings.tcl == 0:
                weights[i] += step
                continue
            rate = abs(coherence[i, 0]) / coherence[i, 1]
            if settings.tcl == 2:
                rate = np.float32(np.exp(settings.tc_beta * (rate - 1.0)))
            weights[i] += step * rate
            coherence[i, 0] += change
            coherence[i, 1] += size


@jit
def train_episodes(net, coherence, rules, settings, starts, seeds, sums):
    """One episode from each of starts [B, S]; adds solved episodes, moves, updates and sum of |delta| to sums [4]."""
    S, A = starts.shape[1], rules.inverse.shape[0]
    M, T, H = net.source.shape[0], net.look_ups.offset.shape[0], settings.horizon
    state, seen = np.empty(S, np.uint8), np.empty(S, np.uint8)
    after, worth, by = np.empty((A, S), np.uint8), np.empty(A, np.float32), np.empty(A, np.int64)  # s', V(s'), its action
    index = np.empty((H, M, T), np.uint32)  # weights that the last H states activate, in turn
    again = np.zeros((H, M, T), np.bool_)
    slope = np.empty(H)
    for b in range(starts.shape[0]):
        seed, draws = seeds[b], 0
        copy(starts[b], state)
        if is_goal(rules, state):
            continue
        last, length = -1, 0  # the move before, and how many states the trace holds
        for _ in range(settings.max_steps):
            explore = False
            if settings.epsilon > 0:
                explore = uniform(seed, draws) < settings.epsilon
                draws += 1
            if explore and settings.trace_reset:
                length = 0
            # j(s) before the after-states, which gives its accumulators the time to be fetched
            now = length % H
            j = value(net, state, seen, index[now])
            if settings.tcl > 0:
                for m in range(M):
                    for t in range(T):
                        prefetch(coherence, index[now, m, t])
            # s_new <- argmax V(s'), drawn at random from equals
            undo = rules.inverse[last] if last >= 0 and not settings.allow_undo else -1
            n = 0
            for a in range(A):
                if a != undo and move(rules, a, state, after[n]):
                    by[n] = a
                    n += 1
            if n == 0:  # a dead end whose only move would be taken back
                break
            values(net, after[:n], worth)
            chosen, target, equals = -1, -np.inf, 0
            for k in range(n):
                v = settings.step_cost + (settings.reward if is_goal(rules, after[k]) else np.float64(worth[k]))
                better = v > target
                if explore or v == target:  # a random move is drawn as if all were equal
                    equals += 1
                    better = below(draw(seed, np.uint64(draws)), np.uint64(equals)) == 0
                    draws += 1
                elif better:
                    equals = 1
                if better:
                    chosen, target = k, v
            # V(s) <- V(s) + alpha (T - V(s))
            if not explore:
                if M > 1:
                    step_once(index[now], again[now])
                slope[now] = 1.0 - j * j if net.tanh else 1.0
                delta = target - j
                length += 1
                factor = 1.0
                for k in range(min(length, H)):
                    past = (length - 1 - k) % H
                    update(net, coherence, settings, index[past], again[past], delta, factor * slope[past])
                    factor *= settings.lam
                sums[2] += 1
                sums[3] += abs(delta)
            sums[1] += 1
            last = by[chosen]
            copy(after[chosen], state)
            if is_goal(rules, state):
                sums[0] += 1
                break
    return True
