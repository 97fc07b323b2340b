"""The hot loops, compiled. Each has a plain reference of the same name in tests/reference.py, and a test holds the two equal.

Arguments come as tables first, then arrays with one row per state, the output last: `threads.over_rows` cuts the rows.
Every kernel returns whether it accepted all rows (an action or a state outside the tables is refused, never followed).
Letters: B batch, S state, A actions, K walk length. Tables over locations have 256 entries, so that no uint8 runs out.
"""

import numpy as np
from numba import types
from numba.extending import overload

from rubiks_gym.puzzles.compiled import INNER, copy, inner, jit
from rubiks_gym.puzzles.streams import GOLDEN, below, draw, mix

_LAST_16 = np.uint64(0xFFFF)


# Seeds and depths of walks -------------------------------------------------------------------------------------------


@jit
def seeds_and_depths(least, most, streams, episodes, seeds, depths):
    """The seed [B] uint64 of episodes [B] int64 of streams [B] uint64, and a depth [B] int64 in least..most drawn from it.

    Draw 2^32 is far from the draws of the walk's own moves.
    """
    for b in range(streams.shape[0]):
        seeds[b] = mix(mix(streams[b]) + np.uint64(episodes[b]) * GOLDEN)
        depths[b] = least + np.int64(below(draw(seeds[b], np.uint64(1 << 32)), np.uint64(most - least + 1)))
    return True


# Any puzzle ----------------------------------------------------------------------------------------------------------


@jit
def is_solved(goal, states, out):
    """Compare each state [B, S] with the goal [S] into out [B] bool."""
    for b in range(states.shape[0]):
        same = True
        for i in range(goal.shape[0]):
            if states[b, i] != goal[i]:
                same = False
                break
        out[b] = same
    return True


@jit
def one_hot(first, width, states, out):
    """Write 1 at i * width + states[b, i] - first[i] into out [B, S * width], 0 elsewhere."""
    ok = True
    for b in range(states.shape[0]):
        for j in range(out.shape[1]):
            out[b, j] = 0
        for i in range(states.shape[1]):
            value = np.int64(states[b, i]) - first[i]
            if 0 <= value < width:
                out[b, i * width + value] = 1
            else:
                ok = False
    return ok


@jit
def pack(bits, states, out):
    """Pack states [B, S] into words out [B, W] uint64, 64 // bits values to a word, the first value lowest."""
    per_word = 64 // bits
    for b in range(states.shape[0]):
        for w in range(out.shape[1]):
            word = np.uint64(0)
            for i in range(min((w + 1) * per_word, states.shape[1]) - 1, w * per_word - 1, -1):
                word = (word << np.uint64(bits)) | np.uint64(states[b, i])
            out[b, w] = word
    return True


@jit
def unpack(bits, words, out):
    """The inverse of pack: words [B, W] into states out [B, S]."""
    per_word = 64 // bits
    mask = np.uint64((1 << bits) - 1)
    for b in range(words.shape[0]):
        for i in range(out.shape[1]):
            shift = np.uint64(bits * (i % per_word))
            out[b, i] = (words[b, i // per_word] >> shift) & mask
    return True


# Puzzles whose moves are a table -------------------------------------------------------------------------------------
#
# It comes in three forms, which its type tells apart when a kernel is compiled:
# [A, 256] uint8, for states that say where each piece is: piece i goes from place p to place moves[a, p];
# [A, S] uint16, for states that say what is at each place: place j gets what was at place moves[a, j];
# [A, S] int8, for states of bits: entry i is changed by exclusive or with moves[a, i].


def _source(moves, a, i):
    """Which entry of a state becomes entry i by action a; compiled code only."""


def _value(moves, a, i, value):
    """What that entry's value becomes; compiled code only."""


def _room(moves, state):
    """Room [S] for a copy of a state, where `_unmoved` needs one; compiled code only."""


def _unmoved(moves, state, room):
    """A state [S] as it was, while it is changed entry by entry: itself, or a copy of it in room [S]; compiled code only."""


@overload(_source, jit_options=INNER)
def _source_of(moves, a, i):
    if moves.dtype == types.uint16:
        return lambda moves, a, i: moves[a, i]
    return lambda moves, a, i: i


@overload(_value, jit_options=INNER)
def _value_of(moves, a, i, value):
    if moves.dtype == types.uint8:
        return lambda moves, a, i, value: moves[a, value]
    if moves.dtype == types.uint16:
        return lambda moves, a, i, value: value
    return lambda moves, a, i, value: value ^ np.uint8(moves[a, i])


@overload(_room, jit_options=INNER)
def _room_of(moves, state):
    if moves.dtype == types.uint16:
        return lambda moves, state: np.empty(state.shape[0], np.uint8)
    return lambda moves, state: None


@overload(_unmoved, jit_options=INNER)
def _unmoved_of(moves, state, room):
    if moves.dtype != types.uint16:
        return lambda moves, state, room: state  # an entry depends on itself alone

    def copied(moves, state, room):
        for i in range(state.shape[0]):
            room[i] = state[i]
        return room

    return copied


@jit
def apply(moves, states, actions, out):
    """The states out [B, S] after one action [B] each."""
    ok = True
    for b in range(states.shape[0]):
        a = actions[b]
        if 0 <= a < moves.shape[0]:
            for i in range(states.shape[1]):
                out[b, i] = _value(moves, a, i, states[b, _source(moves, a, i)])
        else:
            ok = False
    return ok


@jit
def step(moves, goal, states, actions, out, solved):
    """apply and is_solved in one pass, which an environment makes at every step."""
    ok = True
    for b in range(states.shape[0]):
        a = actions[b]
        if not 0 <= a < moves.shape[0]:
            ok = False
            continue
        for i in range(states.shape[1]):
            out[b, i] = _value(moves, a, i, states[b, _source(moves, a, i)])
        solved[b] = True
        for i in range(goal.shape[0]):  # most states differ in their first piece already
            if out[b, i] != goal[i]:
                solved[b] = False
                break
    return ok


@jit
def expand(moves, states, out):
    """All children out [B, A, S] of states [B, S]."""
    for b in range(states.shape[0]):
        for a in range(moves.shape[0]):
            for i in range(states.shape[1]):
                out[b, a, i] = _value(moves, a, i, states[b, _source(moves, a, i)])
    return True


@inner
def _following(step, steps, bits):
    """One of the steps that may follow a packed step, chosen by random bits; see `Sequences`."""
    place, count = step >> np.uint64(32), step >> np.uint64(16) & _LAST_16
    return steps[place + below(bits, count)]


# Walks look up the step after next before they make the next one: the processor does both at once.


@jit
def walk(moves, start, steps, goal, seeds, depths, out):
    """The state out [B, S] after depths [B] moves from the goal, drawn from seeds [B] among those of `Sequences`."""
    room = _room(moves, goal)
    for b in range(seeds.shape[0]):
        for i in range(goal.shape[0]):
            out[b, i] = goal[i]
        step = _following(start, steps, draw(seeds[b], np.uint64(0)))
        for t in range(1, depths[b] + 1):
            a = step & _LAST_16
            step = _following(step, steps, draw(seeds[b], np.uint64(t)))
            before = _unmoved(moves, out[b], room)
            for i in range(goal.shape[0]):
                out[b, i] = _value(moves, a, i, before[_source(moves, a, i)])
    return True


@jit
def walks(moves, start, steps, goal, seeds, out):
    """Every state out [B, K, S] of the walks of seeds [B]: out[b, k] is after k + 1 moves."""
    for b in range(seeds.shape[0]):
        step = _following(start, steps, draw(seeds[b], np.uint64(0)))
        for k in range(out.shape[1]):
            a = step & _LAST_16
            step = _following(step, steps, draw(seeds[b], np.uint64(k + 1)))
            if k == 0:
                for i in range(goal.shape[0]):
                    out[b, k, i] = _value(moves, a, i, goal[_source(moves, a, i)])
            else:
                for i in range(goal.shape[0]):
                    out[b, k, i] = _value(moves, a, i, out[b, k - 1, _source(moves, a, i)])
    return True


# Stabiliser chains: an element of the group is one digit per level, the position of a point in the level's orbit --------


@jit
def images(orbits, representatives, points, digits, out):
    """Where the elements of digits [B, L] take points [P], into out [B, P].

    The representative of digit d takes its level's base point to orbits[level, d]; the deepest level's acts first.
    """
    for b in range(digits.shape[0]):
        for p in range(points.shape[0]):
            at = points[p]
            for level in range(digits.shape[1] - 1, -1, -1):
                at = representatives[level, orbits[level, digits[b, level]], at]
            out[b, p] = at
    return True


@jit
def digits(base, positions, inverses, points, states, out):
    """The digits out [B, L] int64 of the elements that take points [P] to states [B, P]; the first is -1 where none does.

    Each level reads its digit off its base point, whose column in a state is base[level], and takes that representative back.
    """
    ok = True
    rest = np.empty(points.shape[0], np.int64)
    for b in range(states.shape[0]):
        possible = True
        for p in range(points.shape[0]):
            rest[p] = states[b, p]
            possible &= rest[p] < positions.shape[1]
        for level in range(base.shape[0]):
            if not possible:
                break
            at = rest[base[level]]
            out[b, level] = positions[level, at]
            possible = positions[level, at] >= 0
            if possible:
                for p in range(points.shape[0]):
                    rest[p] = inverses[level, at, rest[p]]
        for p in range(points.shape[0]):
            possible &= rest[p] == points[p]
        if not possible:
            out[b, :] = -1
        ok &= possible
    return ok


# Cubes ---------------------------------------------------------------------------------------------------------------


@jit
def random_states(corners, edges, seeds, out):
    """A uniformly random reachable state out [B, S] per seed: shuffle, fix the parity, twist and flip."""
    place = np.empty(corners + edges, np.int64)
    for b in range(seeds.shape[0]):
        t = np.uint64(0)
        odd = False
        for start, n in ((0, corners), (corners, edges)):
            for i in range(n):
                place[start + i] = i
            for i in range(n - 1, 0, -1):
                j = np.int64(below(draw(seeds[b], t), np.uint64(i + 1)))
                t += np.uint64(1)
                odd ^= i != j
                place[start + i], place[start + j] = place[start + j], place[start + i]
        if odd and edges:  # corners and edges must have the same parity
            place[corners], place[corners + 1] = place[corners + 1], place[corners]
        twist = np.int64(0)
        for i in range(corners):
            o = np.int64(below(draw(seeds[b], t), np.uint64(3))) if i < corners - 1 else (-twist) % 3
            t += np.uint64(1)
            twist += o
            out[b, i] = 3 * place[i] + o
        flip = np.int64(0)
        for i in range(edges):
            o = np.int64(below(draw(seeds[b], t), np.uint64(2))) if i < edges - 1 else flip % 2
            t += np.uint64(1)
            flip += o
            out[b, corners + i] = 24 + 2 * place[corners + i] + o
    return True


@jit
def stickers(facelets_of, colours, template, states, out):
    """Colours out [B, F] of all facelets; template [F] holds the pieces that never move.

    colours [S, 3] are those of each piece, facelets_of [256, 3] where they show when its reference sticker is somewhere (an
    edge, which has two, shows its second one twice).
    """
    for b in range(states.shape[0]):
        copy(template, out[b])
        for i in range(states.shape[1]):
            for k in range(3):
                out[b, facelets_of[states[b, i], k]] = colours[i, k]
    return True


@jit
def cubies(states, out):
    """Position and orientation of each piece into out [B, 2 S]: positions first, then orientations."""
    n = states.shape[1]
    for b in range(states.shape[0]):
        for i in range(n):
            value = states[b, i]
            corner = value < 24
            out[b, i] = value // 3 if corner else (value - 24) // 2
            out[b, n + i] = value % 3 if corner else value % 2
    return True


@jit
def inverse_states(states, out):
    """The inverse permutation of each state: what solves it, applied to the goal."""
    n = states.shape[1]
    corners = min(n, 8)
    ok = True
    for b in range(states.shape[0]):
        for i in range(n):
            value = np.int64(states[b, i])
            home = value // 3 if i < corners else corners + (value - 24) // 2
            if not (0 <= home < n and (value < 24) == (i < corners)):
                ok = False
                continue
            if i < corners:
                out[b, home] = 3 * i + (3 - value % 3) % 3  # a clockwise twist is undone by an anticlockwise one
            else:
                out[b, home] = 24 + 2 * (i - corners) + value % 2
    return ok


@jit
def compose(states, then, out):
    """The permutation of each state, and after it that of another: a sticker goes where `then` takes the place it is at."""
    n = states.shape[1]
    corners = min(n, 8)
    ok = True
    for b in range(states.shape[0]):
        for i in range(n):
            value = np.int64(states[b, i])
            piece = value // 3 if i < corners else corners + (value - 24) // 2
            if not (0 <= piece < n and (value < 24) == (i < corners)):
                ok = False
                continue
            to = np.int64(then[b, piece])
            if i < corners:
                out[b, i] = to - to % 3 + (to + value) % 3  # twists add up
            else:
                out[b, i] = to ^ (value & 1)
    return ok


@jit
def symmetries(source, image, states, out):
    """Images out [B, M, S] of states under M symmetries.

    Seen in the mirror, piece c stands where the mirror shows piece source[m, c]: image[m, c][location of that piece].
    """
    for b in range(states.shape[0]):
        for m in range(source.shape[0]):
            for c in range(states.shape[1]):
                out[b, m, c] = image[m, c, states[b, source[m, c]]]
    return True


@jit
def turn_home(frame_of, rotations, states, out):
    """Turn whole cubes so that the last piece is at home; out [B, S - 1] is without it.

    frame_of [256] is the rotation that takes a location to the last piece's home, rotations are [24, 256].
    """
    last = states.shape[1] - 1
    for b in range(states.shape[0]):
        frame = frame_of[states[b, last]]
        for i in range(last):
            out[b, i] = rotations[frame, states[b, i]]
    return True


@jit
def lowest(images, out, which):
    """The first of the lowest in lexicographic order of images [B, M, S] into out [B, S], and its number into which [B]."""
    size = images.shape[2]
    for b in range(images.shape[0]):
        best = 0
        for m in range(1, images.shape[1]):
            i = 0
            while i < size - 1 and images[b, m, i] == images[b, best, i]:
                i += 1
            if images[b, m, i] < images[b, best, i]:
                best = m
        copy(images[b, best], out[b])
        which[b] = best
    return True


# The 2x2x2 has a perfect index: the rank of the permutation of its seven corners, then six twists in base 3 ------------

_POPCOUNT = np.array([bin(i).count("1") for i in range(128)])


@jit
def corner_rank(states, out):
    """Index 0..3674159 of each state [B, 7] into out [B] int64, -1 where a state is impossible."""
    ok = True
    for b in range(states.shape[0]):
        rank, twists, used, twist = 0, 0, 0, 0
        for i in range(7):
            place, o = states[b, i] // 3, states[b, i] % 3
            if place > 6 or used >> place & 1:
                twist = 1
                break
            rank = rank * (7 - i) + place - _POPCOUNT[used & ((1 << place) - 1)]
            used |= 1 << place
            twist += o
            if i < 6:
                twists = twists * 3 + o
        possible = used == 127 and twist % 3 == 0
        out[b] = rank * 729 + twists if possible else -1
        ok &= possible
    return ok


@jit
def corner_unrank(index, out):
    """The inverse of corner_rank: index [B] int64 into states out [B, 7]."""
    ok = True
    for b in range(index.shape[0]):
        if not 0 <= index[b] < 3674160:
            ok = False
            continue
        rank, twists = index[b] // 729, index[b] % 729
        weight, used, twist = 720, 0, 0
        for i in range(7):
            skip = rank // weight
            rank %= weight
            weight = weight // (6 - i) if i < 6 else 1
            place = 0
            while used >> place & 1 or skip > 0:
                skip -= 1 - (used >> place & 1)
                place += 1
            used |= 1 << place
            out[b, i] = 3 * place
        power = 243
        for i in range(6):
            o = twists // power % 3
            power //= 3
            twist += o
            out[b, i] += o
        out[b, 6] += (-twist) % 3
    return ok


# Hanoi: a state is the peg of each disk, smallest first --------------------------------------------------------------


@jit
def hanoi_step(source, target, goal, states, actions, out, solved):
    """Move the smallest disk of peg source[a] to target[a], and see whether that solves it; an illegal move changes nothing."""
    ok = True
    for b in range(states.shape[0]):
        copy(states[b], out[b])
        a = actions[b]
        if not 0 <= a < source.shape[0]:
            ok = False
            continue
        for i in range(states.shape[1]):  # the first disk met on either peg is the smaller of their two top disks
            if states[b, i] == target[a]:
                break
            if states[b, i] == source[a]:
                out[b, i] = target[a]
                break
        solved[b] = True
        for i in range(goal.shape[0]):
            if out[b, i] != goal[i]:
                solved[b] = False
                break
    return ok


@jit
def hanoi_legal(source, target, states, out):
    """Which moves are allowed: out [B, A] bool."""
    for b in range(states.shape[0]):
        for a in range(source.shape[0]):
            out[b, a] = False
            for i in range(states.shape[1]):
                if states[b, i] == target[a]:
                    break
                if states[b, i] == source[a]:
                    out[b, a] = True
                    break
    return True


# Sliding tiles: a state says which tile is at each place, 0 is the blank -------------------------------------------------


@inner
def _blank(state):
    """Where the blank of a state [S] is, S if there is none."""
    at = 0
    while at < state.shape[0] and state[at]:
        at += 1
    return at


@jit
def slide_step(comes_from, goal, states, actions, out, solved):
    """Slide the tile at place comes_from[blank, a] into the blank; where that is -1, nothing changes."""
    ok = True
    for b in range(states.shape[0]):
        copy(states[b], out[b])
        a, blank = actions[b], _blank(states[b])
        if not (0 <= a < comes_from.shape[1] and blank < states.shape[1]):
            ok = False
            continue
        place = comes_from[blank, a]
        if place >= 0:
            out[b, blank], out[b, place] = out[b, place], 0
        solved[b] = True
        for i in range(goal.shape[0]):
            if out[b, i] != goal[i]:
                solved[b] = False
                break
    return ok


@jit
def slide_legal(comes_from, states, out):
    """Which tiles can slide: out [B, A] bool."""
    ok = True
    for b in range(states.shape[0]):
        blank = _blank(states[b])
        for a in range(out.shape[1]):
            out[b, a] = blank < states.shape[1] and comes_from[blank, a] >= 0
        ok &= blank < states.shape[1]
    return ok


# Lights Out: some lamps determine the others, and are the bits of a perfect index -----------------------------------------


@jit
def lights_rank(pivots, patterns, states, out):
    """Index of each state [B, S] into out [B] int64, -1 where a state is impossible.

    It is possible if it is the sum, modulo 2, of the patterns [R] uint64 of those lamps pivots [R] that are on.
    """
    ok = True
    for b in range(states.shape[0]):
        state, made, rank = np.uint64(0), np.uint64(0), np.int64(0)
        for i in range(states.shape[1]):
            state |= np.uint64(states[b, i]) << np.uint64(i)
        for r in range(pivots.shape[0]):
            on = state >> pivots[r] & np.uint64(1)
            rank |= np.int64(on) << r
            made ^= patterns[r] * on
        out[b] = rank if made == state else -1
        ok &= made == state
    return ok
