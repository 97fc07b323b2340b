"""Macros put into a word of moves wherever they cost least, until it leads home.

A word leads from a start to a state with something misplaced. Behind its first t moves, for any t, a macro can be put in that
brings pieces to where the rest of the word takes them home from. Where its moves cancel with those beside it, it costs less
than its length: about five moves where ten are put in. A beam of words is grown so, one macro after another, by

    moves of the word + SHARE * sum of weights of places that are wrong at its end,

a weight being the moves that it takes to put right a place by macros (see `macros`). The idea is known from contests for the
fewest moves, where commutators are put into a solution that is nearly one.

Letters: N places, L moves of a word, C candidates.
"""

from collections.abc import Callable, Sequence

import numpy as np

from rubiks_gym.puzzles.compiled import inner, jit
from rubiks_gym.puzzles.relations import Relations, append
from rubiks_gym.search.macros import Macros

SHARE = 0.8  # of a macro's moves that are left when those that cancel are gone, roughly
_STEPS = 60  # macros at most
_PATIENCE = 4  # macros that may follow one another without less being wrong than ever
_KEPT = 300  # ways to lengthen a word that are looked at closely
_MOST = 400_000  # ways at all
_LOST = 5.0  # weight that a macro may put wrong where none puts more right than wrong: one piece (two corners are twisted)


def insert(
    macros: Macros,
    relations: Relations,
    comes_from: np.ndarray,
    goal: np.ndarray,
    start: np.ndarray,
    words: Sequence[np.ndarray],
    width: int,
    spent: Callable[[int], bool],
) -> np.ndarray | None:
    """The shortest word home that a beam of words finds, None if none leads home.

    Args:
        macros: of the puzzle.
        relations: of its moves.
        comes_from: where what gets to each place comes from, of each move [A, N] int64.
        goal: what is at each place when it is solved [N] int64.
        start: what is at each place at first [N] int64.
        words: to begin with, [L] int64 each.
        width: words kept.
        spent: is told how many words were made, and says whether to stop.
    """
    best: np.ndarray | None = None
    known: dict[bytes, int] = {}  # states that words end in, with the fewest moves of those words
    tables = relations.inverse, np.float32(SHARE)
    ways = np.empty(_MOST, np.int64), np.empty(_MOST, np.int64), np.empty(_MOST, np.float32), np.empty(_MOST, np.float32)
    layer, least, since = list(words), np.inf, 0
    for _ in range(_STEPS):
        made: list[tuple[float, int, np.ndarray, int, int]] = []  # score, a number, and what is put where
        for word in layer:
            states, goals = np.empty((2, len(word) + 1, len(goal)), np.int64)
            along(comes_from, goal, start, word, states, goals)
            misplaced = states[-1] != goal
            wrong = float(macros.weight[misplaced].sum())
            if wrong < least:
                least, since = wrong, 0
            if not misplaced.any():
                best = word if best is None or len(word) < len(best) else best
                continue
            if spent(0):
                return best
            n = helpful(macros, *tables, states, goals, word, False, *ways)
            n = n or helpful(macros, *tables, states, goals, word, True, *ways)
            some = np.argpartition(ways[2][:n], _KEPT)[:_KEPT] if n > _KEPT else np.arange(n)
            at, which, change = ways[0][some], ways[1][some], ways[3][some]
            lengths = np.empty(len(some), np.int64)
            joined_lengths(*relations, macros.words, word, at, which, lengths)
            spent(len(some))
            scores = lengths + SHARE * (wrong + change)
            for j in np.flatnonzero(scores < (np.inf if best is None else len(best))):
                made.append((scores[j], len(made), word, at[j], which[j]))
        layer = []
        for _, _, word, t, which_one in sorted(made, key=lambda way: way[:2]):
            new = joined(*relations, word, t, macros.words[which_one])
            end = start
            for action in new:
                end = end[comes_from[action]]
            if np.array_equal(end, goal):
                best = new if best is None or len(new) < len(best) else best
            elif len(new) < known.get(end.tobytes(), len(new) + 1):
                known[end.tobytes()] = len(new)
                layer.append(new)
            if len(layer) == width:
                break
        since += 1
        if not layer or since > _PATIENCE:
            break
    return best


# Compiled ---------------------------------------------------------------------------------------------------------------


@jit
def along(comes_from, goal, start, word, states, goals):
    """What is at each place [L + 1, N] along a word [L] from start [N], and what would be there if its end were the goal."""
    n, length = goal.shape[0], word.shape[0]
    for j in range(n):
        states[0, j] = start[j]
        goals[length, j] = goal[j]
    for t in range(length):
        for j in range(n):
            states[t + 1, j] = states[t, comes_from[word[t], j]]
    for t in range(length - 1, -1, -1):
        for j in range(n):
            goals[t, comes_from[word[t], j]] = goals[t + 1, j]
    return True


@jit
def helpful(macros, inverse, share, states, goals, word, stuck, at, which, about, change):
    """Ways to put more right than wrong by a macro: behind how many moves of a word [L], and which word of the macro, [C] each.

    Into change [C] goes how the weight of what is wrong changes, into about [C] that times share and the moves that are added.
    Each macro brings something that is wrong to where it belongs; if stuck, it is enough that it moves it, and it may lose a
    little. Returns C; where there is room for no more, those behind fewer moves.
    """
    n, n_places = 0, states.shape[1]
    for t in range(states.shape[0]):
        for i in range(n_places):
            if states[t, i] == goals[t, i]:
                continue
            for j in range(n_places):
                if not stuck and (states[t, j] != goals[t, i] or states[t, j] == goals[t, j]):
                    continue
                for b in range(macros.bring[n_places * i + j], macros.bring[n_places * i + j + 1]):
                    m = macros.by[b]
                    lost, again = np.float32(0), False
                    for k in range(macros.starts[m], macros.starts[m + 1]):
                        p = macros.place[k]
                        q = macros.source[m, p]
                        before, after = states[t, p] == goals[t, p], states[t, q] == goals[t, p]
                        if before and not after:
                            lost += macros.weight[p]
                        elif after and not before:
                            lost -= macros.weight[p]
                            again |= not stuck and p < i and states[t, q] != goals[t, q]  # it was met for that place
                        again |= stuck and p < i and not before
                    if again or lost >= (_LOST if stuck else 0.0):
                        continue
                    at[n], change[n], about[n] = t, lost, np.inf
                    for w in range(macros.first[m], macros.first[m + 1]):
                        cost = share * lost + _added(inverse, word, t, macros.words[w])
                        if cost < about[n]:
                            about[n], which[n] = cost, w
                    n += 1
                    if n == at.shape[0]:
                        return n
    return n


@inner
def _added(inverse, word, t, macro):
    """How many moves longer a word [L] is with a macro behind its first t moves, if nothing commutes."""
    size = 0
    while size < macro.shape[0] and macro[size] >= 0:
        size += 1
    left = right = 0
    while left < min(size, t) and word[t - 1 - left] == inverse[macro[left]]:
        left += 1
    while right < min(size - left, word.shape[0] - t) and word[t + right] == inverse[macro[size - 1 - right]]:
        right += 1
    return size - 2 * (left + right)


@inner
def _join(commute, inverse, order, word, t, macro, out):
    """A word [L] with a macro behind its first t moves, without moves that cancel, into out; returns how many they are."""
    for k in range(t):
        out[k] = word[k]
    n = t
    for a in macro:
        if a >= 0:
            n = append(commute, inverse, order, out, n, a)
    for k in range(t, word.shape[0]):
        n = append(commute, inverse, order, out, n, word[k])
    return n


@jit
def joined_lengths(commute, inverse, order, words, word, at, which, lengths):
    """The moves [C] of a word [L] with words[which[C]] behind its first at[C] moves."""
    out = np.empty(word.shape[0] + words.shape[1], np.int64)
    for c in range(at.shape[0]):
        lengths[c] = _join(commute, inverse, order, word, at[c], words[which[c]], out)
    return True


@jit
def joined(commute, inverse, order, word, t, macro):
    """A word with a macro behind its first t moves, without moves that cancel."""
    out = np.empty(word.shape[0] + macro.shape[0], np.int64)
    return out[: _join(commute, inverse, order, word, t, macro, out)]
