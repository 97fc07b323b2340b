"""The kernels of `kernels.py` in plain numpy: the same names, arguments and results, written for reading.

The compiled loops are tested against them.
"""

import numpy as np

from rubiks_gym.puzzles.streams import GOLDEN, below, counter, draw, mix


def seeds_and_depths(least, most, streams, episodes, seeds, depths):
    seeds[:] = mix(mix(streams) + episodes.astype(np.uint64) * GOLDEN)
    depths[:] = least + below(draw(seeds, counter(2**32)), np.uint64(most - least + 1)).astype(np.int64)
    return True


def is_solved(goal, states, out):
    out[:] = (states == goal).all(axis=1)
    return True


def one_hot(first, width, states, out):
    values = states.astype(np.int64) - first
    out[:] = (values[:, :, None] == np.arange(width)).reshape(len(states), -1)
    return bool(((values >= 0) & (values < width)).all())


def pack(bits, states, out):
    per_word = 64 // bits
    out[:] = 0
    for i in range(states.shape[1]):
        out[:, i // per_word] |= states[:, i].astype(np.uint64) << np.uint64(bits * (i % per_word))
    return True


def unpack(bits, words, out):
    per_word = 64 // bits
    for i in range(out.shape[1]):
        out[:, i] = (words[:, i // per_word] >> np.uint64(bits * (i % per_word))) & np.uint64((1 << bits) - 1)
    return True


def _moved(moves, states, actions):
    """The states [B, S] after actions [B]; the type of the table tells the three forms apart."""
    if moves.dtype == np.uint8:
        return moves[actions[:, None], states]
    if moves.dtype == np.int8:
        return states ^ moves[actions].astype(np.uint8)
    return np.take_along_axis(states, moves[actions].astype(np.int64), axis=1)


def apply(moves, states, actions, out):
    ok = (actions >= 0) & (actions < len(moves))
    out[ok] = _moved(moves, states[ok], actions[ok])
    return bool(ok.all())


def step(moves, goal, states, actions, out, solved):
    ok = apply(moves, states, actions, out)
    is_solved(goal, out, solved)
    return ok


def expand(moves, states, out):
    for a in range(len(moves)):
        out[:, a] = _moved(moves, states, np.full(len(states), a))
    return True


def walk(moves, start, steps, goal, seeds, depths, out):
    path = np.empty((len(seeds), int(depths.max(initial=0)), len(goal)), np.uint8)
    walks(moves, start, steps, goal, seeds, path)
    out[:] = goal
    away = depths > 0
    out[away] = path[away, depths[away] - 1]
    return True


def walks(moves, start, steps, goal, seeds, out):
    states, step = np.repeat(goal[None], len(seeds), axis=0), np.full(len(seeds), int(start))
    for t in range(out.shape[1]):
        nth = below(draw(seeds, counter(t)), (step >> 16 & 0xFFFF).astype(np.uint64)).astype(np.int64)
        step = steps[(step >> 32) + nth].astype(np.int64)
        states = _moved(moves, states, step & 0xFFFF)
        out[:, t] = states
    return True


def images(orbits, representatives, points, digits, out):
    at = np.repeat(points[None], len(digits), axis=0)
    for level in reversed(range(digits.shape[1])):
        at = representatives[level, orbits[level, digits[:, level]][:, None], at]
    out[:] = at
    return True


def digits(base, positions, inverses, points, states, out):
    possible = (states < positions.shape[1]).all(axis=1)
    rest = np.where(possible[:, None], states, 0).astype(np.int64)
    for level in range(len(base)):
        at = rest[:, base[level]]
        out[:, level] = positions[level, at]
        possible &= positions[level, at] >= 0
        rest = inverses[level, at[:, None], rest].astype(np.int64)
    possible &= (rest == points).all(axis=1)
    out[~possible] = -1
    return bool(possible.all())


def random_states(corners, edges, seeds, out):
    rows, t, odd, places = np.arange(len(seeds)), 0, np.zeros(len(seeds), bool), []
    for n in (corners, edges):
        place = np.tile(np.arange(n), (len(seeds), 1))
        for i in range(n - 1, 0, -1):
            j = below(draw(seeds, counter(t)), np.uint64(i + 1)).astype(np.int64)
            place[rows, i], place[rows, j] = place[rows, j], place[rows, i].copy()
            odd ^= j != i
            t += 1
        places.append(place)
    if edges:
        places[1][odd, :2] = places[1][odd, 1::-1]
    for place, ways, first, column in zip(places, (3, 2), (0, 24), (0, corners), strict=True):
        n = place.shape[1]
        turned = [below(draw(seeds, counter(t + i)), np.uint64(ways)).astype(np.int64) for i in range(n)]
        if n:
            turned[-1] = -np.sum(turned[:-1], axis=0) % ways
            out[:, column : column + n] = first + ways * place + np.stack(turned, axis=1)
        t += n
    return True


def stickers(facelets_of, colours, template, states, out):
    out[:] = template
    out[np.arange(len(states))[:, None, None], facelets_of[states]] = colours[: states.shape[1]]
    return True


def cubies(states, out):
    n = states.shape[1]
    corner = states < 24
    edge_values = np.where(corner, 0, states.astype(np.int64) - 24)
    out[:, :n] = np.where(corner, states // 3, edge_values // 2)
    out[:, n:] = np.where(corner, states % 3, edge_values % 2)
    return True


def inverse_states(states, out):
    n = states.shape[1]
    values, corner, piece = states.astype(np.int64), np.arange(n) < 8, np.arange(n)
    home = np.where(corner, values // 3, 8 + (values - 24) // 2)
    ok = (home >= 0) & (home < n) & ((values < 24) == corner)
    inverse = np.where(corner, 3 * piece + -values % 3, 24 + 2 * (piece - 8) + values % 2)
    rows, columns = np.nonzero(ok)
    out[rows, home[ok]] = inverse[rows, columns]
    return bool(ok.all())


def compose(states, then, out):
    n = states.shape[1]
    values, corner = states.astype(np.int64), np.arange(n) < 8
    piece = np.where(corner, values // 3, 8 + (values - 24) // 2)
    ok = (piece >= 0) & (piece < n) & ((values < 24) == corner)
    to = np.take_along_axis(then.astype(np.int64), np.where(ok, piece, 0), axis=1)
    out[ok] = np.where(corner, to - to % 3 + (to + values) % 3, to ^ (values & 1))[ok]
    return bool(ok.all())


def symmetries(source, image, states, out):
    for m in range(len(source)):
        for c in range(states.shape[1]):
            out[:, m, c] = image[m, c][states[:, source[m, c]]]
    return True


def turn_home(frame_of, rotations, states, out):
    out[:] = rotations[frame_of[states[:, -1:]], states[:, :-1]]
    return True


def lowest(images, out, which):
    for b in range(len(images)):
        which[b] = np.lexsort(images[b].T[::-1])[0]
        out[b] = images[b][which[b]]
    return True


def corner_rank(states, out):
    place, twist = states.astype(np.int64) // 3, states.astype(np.int64) % 3
    possible = (np.sort(place, axis=1) == np.arange(7)).all(axis=1) & (twist.sum(axis=1) % 3 == 0)
    rank = np.zeros(len(states), np.int64)
    for i in range(7):
        rank = rank * (7 - i) + (place[:, i + 1 :] < place[:, i : i + 1]).sum(axis=1)
    out[:] = np.where(possible, rank * 729 + twist[:, :6] @ 3 ** np.arange(5, -1, -1), -1)
    return bool(possible.all())


def corner_unrank(index, out):
    ok = (index >= 0) & (index < 3674160)
    rank, twists = index[ok] // 729, index[ok] % 729
    free = np.tile(np.arange(7), (len(rank), 1))
    rows, states = np.arange(len(rank)), np.zeros((len(rank), 7), np.int64)
    for i, weight in enumerate((720, 120, 24, 6, 2, 1, 1)):
        nth = rank // weight % (7 - i)
        states[:, i] = 3 * free[rows, nth]
        free = np.where(np.arange(6 - i) < nth[:, None], free[:, :-1], free[:, 1:])
    twist = twists[:, None] // 3 ** np.arange(5, -1, -1) % 3
    states[:, :6] += twist
    states[:, 6] += -twist.sum(axis=1) % 3
    out[ok] = states
    return bool(ok.all())


def _smaller_top(source, target, states):
    """For every action the first disk that lies on its source or target peg (or the number of disks), [B, A]."""
    on_either = (states[:, None, :] == source[:, None]) | (states[:, None, :] == target[:, None])
    return np.where(on_either.any(axis=2), on_either.argmax(axis=2), states.shape[1])


def hanoi_legal(source, target, states, out):
    disk = _smaller_top(source, target, states)
    padded = np.pad(states.astype(np.int64), ((0, 0), (0, 1)), constant_values=-1)
    out[:] = np.take_along_axis(padded, disk, axis=1) == source
    return True


def hanoi_step(source, target, goal, states, actions, out, solved):
    ok = (actions >= 0) & (actions < len(source))
    legal = np.empty((len(states), len(source)), bool)
    hanoi_legal(source, target, states, legal)
    out[:] = states
    rows = np.flatnonzero(ok)
    rows = rows[legal[rows, actions[rows]]]
    out[rows, _smaller_top(source, target, states)[rows, actions[rows]]] = target[actions[rows]]
    solved[:] = ok & (out == goal).all(axis=1)
    return bool(ok.all())


def slide_legal(comes_from, states, out):
    blank = (states == 0).argmax(axis=1)
    there = (states == 0).any(axis=1)
    out[:] = (comes_from[blank] >= 0) & there[:, None]
    return bool(there.all())


def slide_step(comes_from, goal, states, actions, out, solved):
    ok = (actions >= 0) & (actions < comes_from.shape[1]) & (states == 0).any(axis=1)
    out[:] = states
    (rows,) = np.nonzero(ok)
    blank = (states[rows] == 0).argmax(axis=1)
    place = comes_from[blank, actions[rows]]
    rows, blank, place = rows[place >= 0], blank[place >= 0], place[place >= 0]
    out[rows, blank], out[rows, place] = states[rows, place], 0
    solved[:] = ok & (out == goal).all(axis=1)
    return bool(ok.all())


def lights_rank(pivots, patterns, states, out):
    pivots = pivots.astype(np.int64)
    basis = patterns[:, None] >> np.arange(states.shape[1], dtype=np.uint64) & np.uint64(1)
    on = states[:, pivots].astype(np.int64)
    possible = (on @ basis.astype(np.int64) % 2 == states).all(axis=1)
    out[:] = np.where(possible, on @ (1 << np.arange(len(pivots))), -1)
    return bool(possible.all())


def ntuple_sums(tuples, radix, images, weights, entries):
    """The sum of a table's weights over a puzzle's entries [B, E] and the images of every tuple, one look-up at a time."""
    totals, start = np.zeros(len(entries)), 0
    for each in tuples:
        seen = set()
        for source, image in zip(images.source, images.image, strict=True):
            looked_at = frozenset(source[list(each)].tolist())
            if looked_at in seen:
                continue
            seen.add(looked_at)
            for b, x in enumerate(entries):
                index, stride = start, 1
                for e in each:
                    index += int(image[e, x[source[e]]]) * stride
                    stride *= int(radix[e])
                totals[b] += weights[index]
        start += int(np.prod(radix[list(each)]))
    return totals


def word_lengths(commute, inverse, order, actions):
    """The length of each beginning of one word of actions, every move cancelled or turned round as soon as it can be."""
    word, lengths = [], []
    for a in actions:
        reach = []  # what the move can be brought next to, from the end of the word
        for i in reversed(range(len(word))):
            if not commute[a][word[i]]:
                break
            reach.append(i)
        undone = [i for i in reach if word[i] == inverse[a]]
        same = [i for i in reach if word[i] == a]
        if undone:
            del word[undone[0]]
        elif 2 * (len(same) + 1) > order[a]:
            kept = order[a] - len(same) - 1
            word = [inverse[a] if i in same else each for i, each in enumerate(word) if i not in same[: len(same) - kept]]
        else:
            word.append(a)
        lengths.append(len(word))
    return lengths
