"""How good an agent is: what its searches solve, and how far its cost-to-go is from the truth.

`solved_by_depth` works for any puzzle and search; `heuristic_quality` looks at every state of an enumerable puzzle, or
at states of the 3x3x3 whose distances are proven.
"""

import json
import time
from collections.abc import Callable, Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from agents.protocol import Agent
from rubiks_gym.checks import whole
from rubiks_gym.exact import ExactTable, bench, has_table
from rubiks_gym.puzzles import Puzzle, Rubik3x3, are_solutions, sample_seeds
from rubiks_gym.search.heuristic import heuristic
from rubiks_gym.search.solutions import Solutions

Search = Callable[[np.ndarray], Solutions]
_BATCH = 1 << 16


def start_states(
    puzzle: Puzzle, depth: int, n: int, seed: int, allow_undo: bool = False, allow_same_face: bool = True, first: int = 0
) -> np.ndarray:
    """n scrambled states [n, S]: the ends of walks of `depth` moves, or, for depth 0, uniform over all states.

    They depend on the depth and the seed alone, so that every agent and search is asked the same questions. Those from number
    `first` on are the last n of the first + n that would be there without it.
    """
    seeds = sample_seeds(np.random.default_rng([seed, depth]), first + n)[first:]
    if not depth:
        return puzzle.random_states(seeds)
    return puzzle.walk(seeds, np.full(n, depth), allow_undo, allow_same_face)


def solved_by_depth(
    puzzle: Puzzle,
    search: Search,
    depths: Iterable[int],
    n: int,
    seed: int = 0,
    allow_undo: bool = False,
    allow_same_face: bool = True,
) -> list[dict[str, Any]]:
    """One row per depth: shares solved, optimal where the truth is known, and proven; lengths, nodes and seconds per state.

    A solution counts only if its moves really lead to the goal.
    """
    rows = []
    for depth in depths:
        states = start_states(puzzle, depth, n, seed, allow_undo, allow_same_face)
        rows.append({"depth": depth, **solved_from(puzzle, search, states, true_distances(puzzle, states))})
    return rows


def true_distances(puzzle: Puzzle, states: np.ndarray) -> np.ndarray | None:
    """Distances from the goal [B] where there is an exact table."""
    return ExactTable(puzzle).distance(states) if has_table(puzzle) else None


def solved_from(
    puzzle: Puzzle, search: Search, states: np.ndarray, truth: np.ndarray | None = None, keep_moves: bool = False
) -> dict[str, Any]:
    """The row of given states [B, S]; the solutions, and the nodes of each, too if asked for.

    Their distances from the goal [B] may be known, nan where not: shares and means that take the truth are over those known.
    """
    start, cpu_start = time.perf_counter(), time.process_time()
    found = search(states)
    seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu_start
    solved = found.solved & are_solutions(puzzle, states, found.moves)
    each = [len(moves) if done else None for moves, done in zip(found.moves, solved, strict=True)]
    lengths = np.array([length for length in each if length is not None], int)
    row: dict[str, Any] = {"starts": len(states), "solved": float(solved.mean())}
    row["mean_length"] = float(lengths.mean()) if len(lengths) else None
    row["median_length"] = float(np.median(lengths)) if len(lengths) else None
    if truth is not None and np.isfinite(truth).any():
        known = np.isfinite(truth)
        excess = np.array([np.nan if length is None else length for length in each], float) - truth
        row["optimal"] = float((excess == 0).sum() / known.sum())
        row["mean_distance"] = float(truth[known].mean())
        both = np.isfinite(excess)
        row["mean_excess"] = float(excess[both].mean()) if both.any() else None
        row["excess_by_distance"] = [
            [int(d), int((truth == d).sum()), float(excess[both & (truth == d)].mean())] for d in np.unique(truth[both])
        ]
    if found.lower.any():
        row["proven"] = float((solved & found.proven).mean())
    row["nodes"] = float(found.nodes.mean())
    row["seconds"] = seconds / len(states)
    row["cpu_seconds"] = cpu_seconds / len(states)  # of all cores together
    row["lengths"] = each  # None where unsolved
    row["distances"] = None if truth is None else [int(d) if np.isfinite(d) else None for d in truth]
    if keep_moves:
        row["moves"] = [list(moves) if done else None for moves, done in zip(found.moves, solved, strict=True)]
        row["nodes_each"] = found.nodes.tolist()
    return row


def read_cubes(puzzle: Puzzle, file: Path) -> tuple[np.ndarray, np.ndarray | None]:
    """States [B, S] from a JSON list of {"scramble": "R U F'", "optimal_qtm": 3}, and the optimal lengths [B] if all have one.

    The second entry is named after the metric (optimal_qtm, optimal_htm) and may be left out.
    """
    name = f"optimal_{getattr(puzzle, 'metric', 'moves')}"
    try:
        cubes = json.loads(file.read_text())
        states = np.stack([puzzle.after(cube["scramble"]) for cube in cubes])
        known = all(name in cube for cube in cubes)
        return states, np.array([int(cube[name]) for cube in cubes]) if known else None
    except FileNotFoundError:
        raise ValueError(f"there is no file {file}") from None
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise ValueError(f'{file} must be a JSON list of {{"scramble": "R U", "{name}": 2}}: {error}') from None


def bench_cubes(puzzle: Puzzle, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The first n cubes of the bench [n, 20] and their true distances [n], nan where they are not proven yet."""
    if not isinstance(puzzle, Rubik3x3):
        raise ValueError(f"the bench of proven lengths is for the 3x3x3, not for {puzzle.name}")
    whole(1, bench.CUBES, **{"--bench": n})
    known = bench.known(puzzle.metric)
    proven = [known[i]["upper"] if i in known and known[i]["proven"] else np.nan for i in range(n)]
    return bench.cubes()[:n], np.array(proven, float)


def heuristic_quality(agent: Agent, show: Callable[[int], None] = lambda done: None) -> dict[str, Any]:
    """The cost-to-go h against the true distance d of every state of an enumerable puzzle.

    Of the 3x3x3, of some states of each proven distance (`rubiks_gym.exact.bench.strata`), and without the greedy walks.

    Admissible: h <= d. Consistent: h(s) <= 1 + h(t) for every move s -> t, counted over moves. Greedy: from every state
    go on to the child of lowest h (the lowest action among equals) until the goal or a loop; in the second form the move
    before is never undone.
    """
    puzzle = agent.puzzle
    if isinstance(puzzle, Rubik3x3):
        states, truth = bench.strata(puzzle.metric)
        children_of = puzzle.expand(states).reshape(-1, puzzle.state_size)
        values = np.where(puzzle.is_solved(children_of), np.float32(0), heuristic(agent.cost_to_go, children_of))
        h = heuristic(agent.cost_to_go, states)
        return {"states": len(states), **_against_truth(h, values.reshape(len(states), -1), truth)}
    distances = ExactTable(puzzle).distances
    h, children = _everywhere(puzzle, lambda states: heuristic(agent.cost_to_go, states), show)
    goal = int(puzzle.index(puzzle.goal[None])[0])
    to_goal = np.where(distances == 0, np.float32(0), h)  # the terminal value is fixed at 0
    costs = np.where(children == np.arange(puzzle.n_states)[:, None], np.inf, to_goal[children])
    return {
        "states": puzzle.n_states,
        **_against_truth(h, costs, distances),
        "greedy_solved": _follow(costs.argmin(axis=1), children, goal),
        "greedy_without_undo_solved": _follow_without_undo(costs, children, puzzle.inverse_action, goal),
    }


def _against_truth(h: np.ndarray, costs: np.ndarray, distances: np.ndarray) -> dict[str, Any]:
    """h [n] and those of the children, costs [n, A] (inf where a move is illegal), beside the true distances [n]."""
    over, steps, far = h - distances, np.isfinite(costs), range(int(distances.max()) + 1)
    return {
        "mean_absolute_error": float(np.abs(over).mean()),
        "error_by_distance": [float(np.abs(over[distances == d]).mean()) for d in far],
        "mean_by_distance": [float(h[distances == d].mean()) for d in far],
        "admissible": float((over <= 1e-4).mean()),
        "mean_overestimate": float(np.maximum(over, 0).mean()),
        "consistent": float((h[:, None] <= 1 + costs + 1e-4)[steps].mean()),
        "spearman": float(spearmanr(h, distances).statistic) if h.min() < h.max() else 0.0,
    }


def thesis_quality(agent: Agent, states: np.ndarray) -> dict[str, Any]:
    """The cost-to-go h of states [B, S] by the measures of Tardón's thesis (section 5.6), where they differ from those above.

    Consistent are *states*: h(s) <= 1 + h(t) for every move s -> t. The overestimate is that of *inadmissible* states alone.
    """
    puzzle, truth = agent.puzzle, ExactTable(agent.puzzle).distance(states)
    h = np.where(puzzle.is_solved(states), np.float32(0), heuristic(agent.cost_to_go, states))
    over = (h - truth)[h - truth > 1e-4]
    return {
        "admissible": float((h - truth <= 1e-4).mean()),
        "overestimate_of_inadmissible": float(over.mean()) if len(over) else 0.0,
        **consistent_states(agent, states),
    }


def consistent_states(agent: Agent, states: np.ndarray) -> dict[str, Any]:
    """The share of states [B, S] with h(s) <= 1 + h(t) for every move s -> t, of puzzles whose distances are unknown too."""
    puzzle = agent.puzzle
    children = puzzle.expand(states).reshape(-1, puzzle.state_size)  # that of an illegal move is the state itself
    h, of_children = (
        np.where(puzzle.is_solved(each), np.float32(0), heuristic(agent.cost_to_go, each)) for each in (states, children)
    )
    best = of_children.reshape(len(states), -1).min(axis=1)
    return {"states": len(states), "consistent_states": float((h <= 1 + best + 1e-4).mean())}


def policy_quality(agent: Agent, show: Callable[[int], None] = lambda done: None) -> dict[str, Any]:
    """The most probable action (the lowest among equals) of every state of an enumerable puzzle.

    Optimal: it leads nearer to the goal, counted over all states but the goal. Greedy: as in `heuristic_quality`.
    """
    puzzle = agent.puzzle
    distances = ExactTable(puzzle).distances
    policy, children = _everywhere(puzzle, agent.policy, show)
    goal = int(puzzle.index(puzzle.goal[None])[0])
    costs = np.where(children == np.arange(puzzle.n_states)[:, None], np.inf, -policy)
    best = costs.argmin(axis=1)
    nearer = distances[children[np.arange(len(best)), best]] < distances
    return {
        "states": puzzle.n_states,
        "optimal": float(nearer[distances > 0].mean()),
        "optimal_by_distance": [float(nearer[distances == d].mean()) for d in range(1, int(distances.max()) + 1)],
        "greedy_solved": _follow(best, children, goal),
        "greedy_without_undo_solved": _follow_without_undo(costs, children, puzzle.inverse_action, goal),
    }


def has_kociemba() -> bool:
    """Whether the two-phase solver is installed."""
    return find_spec("kociemba") is not None


def kociemba_lengths(puzzle: Rubik3x3, states: np.ndarray) -> list[int]:
    """Lengths of the two-phase solver's solutions of 3x3x3 states, in the puzzle's metric: the usual yardstick."""
    import kociemba

    solved = puzzle.is_solved(states)
    texts = ["" if done else kociemba.solve(puzzle.facelets(state)) for done, state in zip(solved, states, strict=True)]
    return [len(puzzle.parse(text)) for text in texts]


def _everywhere(puzzle: Puzzle, function: Callable, show: Callable[[int], None]) -> tuple[np.ndarray, np.ndarray]:
    """What a function of states [B, S] says of all n states of a puzzle, and the children of each [n, A] int32, by index."""
    answers, children = [], np.zeros((puzzle.n_states, puzzle.n_actions), np.int32)
    for start in range(0, puzzle.n_states, _BATCH):
        show(start)
        index = np.arange(start, min(start + _BATCH, puzzle.n_states))
        states = puzzle.from_index(index)
        answers.append(function(states))
        children[index] = puzzle.index(puzzle.expand(states).reshape(-1, puzzle.state_size)).reshape(len(index), -1)
    return np.concatenate(answers), children


def _follow(best: np.ndarray, children: np.ndarray, goal: int) -> float:
    """Share of states from which following best [n] leads to the goal."""
    after = children[np.arange(len(best)), best]
    after[goal] = goal
    return float((_far_along(after) == goal).mean())


def _follow_without_undo(costs: np.ndarray, children: np.ndarray, inverse: np.ndarray, goal: int) -> float:
    """The same when the inverse of the move before is left out: places are (state, move before), the last "no move yet"."""
    n, n_actions = children.shape
    after = np.empty((n, n_actions + 1), np.int64)
    for last in range(n_actions + 1):
        allowed = costs.copy()
        if last < n_actions:
            allowed[:, inverse[last]] = np.inf
        best = allowed.argmin(axis=1)
        reached = children[np.arange(n), best].astype(np.int64)
        after[:, last] = np.where(np.isfinite(allowed.min(axis=1)), reached * (n_actions + 1) + best, -1)
    stuck = after < 0  # only illegal moves are left
    after[stuck] = np.arange(after.size).reshape(after.shape)[stuck]
    after[goal] = goal * (n_actions + 1)
    ends = _far_along(after.ravel()).reshape(n, n_actions + 1)[:, n_actions]
    return float((ends // (n_actions + 1) == goal).mean())


def _far_along(after: np.ndarray) -> np.ndarray:
    """Where one is after at least as many steps as there are places; each doubling follows the way twice as far."""
    for _ in range(int(np.ceil(np.log2(len(after)))) + 1):
        further = after[after]
        if (further == after).all():
            break
        after = further
    return after
