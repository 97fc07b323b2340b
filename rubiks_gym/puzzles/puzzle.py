"""What every puzzle offers: a goal and a few functions on batches of states. A new puzzle defines `apply`, the rest follows.

A state is a uint8 vector, a batch is [B, S]; an action is an int, a batch of them [B]. Nothing here changes its arguments.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rubiks_gym.checks import array, flag, number, whole
from rubiks_gym.puzzles import kernels
from rubiks_gym.puzzles.streams import GOLDEN, choose, mix, seeds_from
from rubiks_gym.puzzles.threads import over_rows

# A single environment makes small arrays at every step, where a dtype object is noticeably faster than a type.
UINT8, INT64, BOOL = np.dtype(np.uint8), np.dtype(np.int64), np.dtype(bool)

LONGEST = 100_000  # moves of a walk: a longer one would keep a compiled loop busy for minutes
AT_A_TIME = 10**8  # moves of walks that a compiled loop makes before Ctrl-C is listened to: about a second


class Sequences(NamedTuple):
    """The move sequences that a walk draws from, as a machine of N nodes; and the same for compiled code.

    There a step is one number, so that a single look-up leads from one to the next: an action in its lowest 16 bits, how many
    steps may follow it in the next 16, and above them where these begin among all steps.
    """

    form: np.ndarray  # [N, A] int16: the next node, -1 where an action is ruled out
    start: np.uint64  # the step before the first, without an action
    steps: np.ndarray  # [N * A] uint64: of each node in turn those that it allows, in the order of actions, then the others

    @classmethod
    def of(cls, form: np.ndarray, moves: np.ndarray | None = None) -> Sequences:
        """The sequences of a machine [N, A]; where it allows nothing, a new sequence begins.

        If an action is another move of a puzzle's table at each node, moves [N, A] says which.
        """
        form = np.where((form < 0).all(axis=1, keepdims=True), form[0], form)
        allowed_first = np.argsort(form < 0, axis=1, kind="stable")
        follow = np.arange(len(form)) * form.shape[1] << 32 | (form >= 0).sum(axis=1) << 16  # [N] what follows a node
        named = allowed_first if moves is None else np.take_along_axis(moves, allowed_first, axis=1)
        steps = follow[np.take_along_axis(form, allowed_first, axis=1)] | named
        return cls(form, np.uint64(follow[0]), steps.ravel().astype(np.uint64))


class Puzzle:
    """A puzzle without kernels of its own: give the constructor its data and define `apply` (and `legal`, if moves can fail).

    Args:
        name: identifies the puzzle with all its settings, for example "rubik3x3-qtm".
        goal: the solved state [S].
        n_values: entries of a state are below this.
        action_names: one name per action.
        inverse_action: the action that undoes each action [A].
        first: lowest value of each entry [S], subtracted in the one-hot form (default 0).
        k_max: how long a scramble is by default.
        n_states: how many states can be reached from the goal (0: not known).
    """

    observations: tuple[str, ...] = ("one-hot", "one-hot-uint8", "state")
    faces: tuple[str, ...] | None = None  # what each action turns, on cubes
    start: np.ndarray | None = None  # the opening position [S], for puzzles that have one

    def __init__(
        self,
        name: str,
        goal: ArrayLike,
        n_values: int,
        action_names: Sequence[str],
        inverse_action: ArrayLike,
        first: ArrayLike | None = None,
        k_max: int = 20,
        n_states: int | None = 0,
    ) -> None:
        self.name = name
        self.goal = _frozen(goal, np.uint8)
        self.n_values = n_values
        self.action_names = tuple(action_names)
        self.inverse_action = _frozen(inverse_action, np.int64)
        self.first = _frozen(np.zeros(len(self.goal)) if first is None else first, np.int64)
        self.k_max = k_max
        self._n_states = n_states
        self._one_all_legal = np.ones((1, len(self.action_names)), bool)
        self.state_size = len(self.goal)
        self.n_actions = len(self.action_names)
        self.one_hot_width = n_values - int(self.first.max())

    # The rules ------------------------------------------------------------------------------------------------------

    def apply(self, states: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """The states [B, S] after one action each; an illegal action changes nothing."""
        raise NotImplementedError(f"{type(self).__name__} must define apply(states, actions)")

    def legal(self, states: np.ndarray) -> np.ndarray:
        """Which actions are allowed, [B, A] bool."""
        try:
            if len(states) == 1:
                return self._one_all_legal.copy()  # what a single environment asks for at every step
        except TypeError:  # no array at all
            pass
        return np.ones((len(self.as_states(states)), self.n_actions), bool)

    def is_solved(self, states: np.ndarray) -> np.ndarray:
        """Which states are the goal, [B] bool."""
        return self._each(states, kernels.is_solved, (self.goal,), (), BOOL)

    def step(self, states: np.ndarray, actions: ArrayLike, out: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """The states [B, S] after one action each, and which of them are solved [B].

        The states may be written into out, an array that is not needed any more.
        """
        states = self.as_states(states)
        return self.step_unchecked(states, self.as_actions(actions, len(states)), room_for(states.shape, out))

    def step_unchecked(
        self, states: np.ndarray, actions: np.ndarray, out: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """The same for contiguous arrays of the right types and shapes, of which compiled moves trust every one.

        What environments call at every step.
        """
        next_states = self.apply(states, actions)
        return next_states, self.is_solved(next_states)

    def expand(self, states: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """All children [B, A, S], written into out if it is given; the child of an illegal action is the state itself.

        Large results want fresh memory at every call, which costs as much as making them: a loop does better with out.
        """
        states = self.as_states(states)
        out = self.room_for_children(states, out)
        every = np.tile(np.arange(self.n_actions), len(states))
        out[:] = self.apply(np.repeat(states, self.n_actions, axis=0), every).reshape(out.shape)
        return out

    def room_for_children(self, states: np.ndarray, out: np.ndarray | None) -> np.ndarray:
        """An array [B, A, S] for the children of states: out, if it is one."""
        return room_for((len(states), self.n_actions, self.state_size), out)

    # Walks and random states ----------------------------------------------------------------------------------------

    def walks(self, seeds: np.ndarray, depth: int, allow_undo: bool = False, allow_same_face: bool = True) -> np.ndarray:
        """Every state [B, depth, S] of random walks from the goal, one walk per seed [B] uint64.

        A move may undo the one before if `allow_undo`; on cubes it may not turn the same face at all unless `allow_same_face`.
        """
        return self._path(seeds, depth, self._sequences_that(allow_undo, allow_same_face))

    def walk(self, seeds: np.ndarray, depths: np.ndarray, allow_undo: bool = False, allow_same_face: bool = True) -> np.ndarray:
        """The states [B, S] after depths [B] moves of the same walks: walk(s, k) is walks(s, K)[:, k - 1]."""
        seeds, sequences = self.as_seeds(seeds), self._sequences_that(allow_undo, allow_same_face)
        return self._walk(seeds, self.as_depths(depths, len(seeds)), sequences, path=None)

    def _sequences_that(self, allow_undo: bool, allow_same_face: bool) -> Sequences:
        if type(allow_undo) is not bool or type(allow_same_face) is not bool:
            flag(allow_undo=allow_undo, allow_same_face=allow_same_face)
        if allow_same_face:
            return self._sequences["any" if allow_undo else "no undo"]
        if allow_undo:
            raise ValueError("to undo a move is to turn its face again: allow_undo=True needs allow_same_face=True")
        if self.faces is None:
            raise ValueError(f"{self.name} has no faces: allow_same_face=False is for cubes")
        return self._sequences["other face"]

    def canonical_walks(self, seeds: np.ndarray, depth: int) -> np.ndarray:
        """Every state [B, depth, S] of random walks from the goal along canonical move sequences only."""
        return self._path(seeds, depth, self._sequences["canonical"])

    def origins(self, seeds: np.ndarray) -> np.ndarray:
        """Where walks begin [B, S]: at the goal."""
        return np.tile(self.goal, (len(seeds), 1))

    def _path(self, seeds: np.ndarray, depth: int, sequences: Sequences) -> np.ndarray:
        seeds = self.as_seeds(seeds)
        whole(0, LONGEST, depth=depth)
        path = np.empty((len(seeds), depth, self.state_size), np.uint8)
        return self._walk(seeds, np.full(len(seeds), depth), sequences, path)

    def _walk(self, seeds: np.ndarray, depths: np.ndarray, sequences: Sequences, path: np.ndarray | None) -> np.ndarray:
        """The ends [B, S] of walks; or every state, written into path [B, K, S], where all depths are K."""
        states = self.origins(seeds)
        node = np.zeros(len(seeds), np.int64)
        for t in range(int(depths.max(initial=0))):
            going = np.flatnonzero(depths > t)
            legal = self.legal(states[going])
            wanted = legal & (sequences.form[node[going]] >= 0)
            # In a dead end any legal move will do, and a new sequence begins with it.
            stuck = np.logical_not(wanted.any(axis=1, keepdims=True))
            actions = choose(seeds[going], t, np.where(stuck, legal, wanted))
            node[going] = sequences.form[np.where(stuck[:, 0], 0, node[going]), actions]
            states[going] = self.apply(states[going], actions)
            if path is not None:
                path[:, t] = states
        return states if path is None else path

    @cached_property
    def canonical_form(self) -> np.ndarray:
        """Which move sequences are canonical, as a machine [N, A] int16; here all that never undo the move before.

        From node 0 on, entry [node, action] is the next node, or -1 where the action is ruled out. Every state must have a
        shortest sequence of this form.
        """
        return without_undo(self.inverse_action)

    @cached_property
    def _sequences(self) -> dict[str, Sequences]:
        one_node, no_undo = np.zeros((1, self.n_actions), np.int16), without_undo(self.inverse_action)
        forms = {"any": one_node, "no undo": no_undo, "canonical": self.canonical_form}
        if self.faces is not None:
            forms["other face"] = without_same_face(self.faces)
        return {name: Sequences.of(form) for name, form in forms.items()}

    def random_states(self, seeds: np.ndarray) -> np.ndarray:
        """States [B, S] uniform over all that can be reached, one per seed [B] uint64."""
        if not self.enumerable:
            raise NotImplementedError(f"{self.name} cannot draw uniformly random states; scramble it with walks instead")
        return self.from_index((mix(self.as_seeds(seeds)) % np.uint64(self.n_states)).astype(np.int64))

    # Encodings ------------------------------------------------------------------------------------------------------

    def one_hot(self, states: np.ndarray, dtype: np.dtype = UINT8) -> np.ndarray:
        """One-hot form [B, S * width] of a dtype."""
        tables, shape = self._one_hot_form
        return self._each(states, kernels.one_hot, tables, shape, dtype)

    @cached_property
    def _one_hot_form(self) -> tuple[tuple[np.ndarray, int], tuple[int]]:
        """The tables of the kernel (writeable, since numba tells their types faster), and the shape of one state's form."""
        return (self.first.copy(), self.one_hot_width), (self.state_size * self.one_hot_width,)

    def categories(self, observation: str) -> np.ndarray:
        """How many values each entry of an observation other than one-hot can take."""
        return np.full(self.state_size, self.n_values)

    def pack(self, states: np.ndarray) -> np.ndarray:
        """Pack states into as few words as it takes, [B, W] uint64; `unpack` is the inverse."""
        bits, words = self._packing
        return self._each(states, kernels.pack, (bits,), (words,), np.dtype(np.uint64))

    def unpack(self, words: np.ndarray) -> np.ndarray:
        """The states [B, S] of packed words [B, W]."""
        bits, n_words = self._packing
        if not isinstance(words, np.ndarray) or words.dtype != np.uint64 or words.shape[1:] != (n_words,):
            given = f"{words.dtype} {words.shape}" if isinstance(words, np.ndarray) else type(words).__name__
            raise ValueError(f"packed states of {self.name} come from pack(), uint64 of shape (B, {n_words}), got {given}")
        words = np.ascontiguousarray(words, np.uint64)
        out = np.empty((len(words), self.state_size), np.uint8)
        over_rows(kernels.unpack, (bits,), (words, out))
        return out

    @cached_property
    def _packing(self) -> tuple[int, int]:
        """How many bits a value takes, and how many words a state."""
        bits = (self.n_values - 1).bit_length() or 1
        return bits, -(-self.state_size // (64 // bits))

    def hash(self, states: np.ndarray) -> np.ndarray:
        """A 64-bit hash [B] uint64 of each state; one to one where a state fits a single word."""
        words = self.pack(states)
        hashed = mix(words[:, 0])
        for w in range(1, words.shape[1]):
            hashed = mix(words[:, w] + hashed * GOLDEN)
        return hashed

    @property
    def n_states(self) -> int:
        """How many states can be reached from the goal; 0 if that is not known."""
        return self._n_states or 0

    @property
    def enumerable(self) -> bool:
        """Whether states have a perfect index."""
        return 0 < self.n_states < 2**63 and type(self).index is not Puzzle.index

    def index(self, states: np.ndarray) -> np.ndarray:
        """Perfect index [B] int64 of each state, 0..n_states - 1."""
        raise NotImplementedError(f"{self.name} has no perfect index; use hash or pack")

    def from_index(self, index: ArrayLike) -> np.ndarray:
        """The states [B, S] of perfect indices [B]."""
        raise NotImplementedError(f"{self.name} has no perfect index")

    def fingerprint(self) -> str:
        """Differs where the rules do: by the goal, the actions and all children of some states near and far."""
        states = self.walks(np.arange(64, dtype=np.uint64), 24).reshape(-1, self.state_size)
        rules = [self.goal, self.inverse_action, self.expand(np.concatenate([self.goal[None], states]))]
        return hash_of(" ".join(self.action_names), *rules)

    # Reading --------------------------------------------------------------------------------------------------------

    def as_states(self, states: np.ndarray) -> np.ndarray:
        """The argument itself if it is a batch of this puzzle's shape and type, else an error that says what it should be."""
        if type(states) is np.ndarray and states.dtype is UINT8 and states.ndim == 2 and states.shape[1] == self.state_size:
            return states if states.flags.c_contiguous else np.ascontiguousarray(states)
        if isinstance(states, np.ndarray) and states.dtype == UINT8 and states.shape[1:] == self.goal.shape:
            return np.ascontiguousarray(states)  # a subclass, or a dtype with metadata
        given = f"{states.dtype} {states.shape}" if isinstance(states, np.ndarray) else type(states).__name__
        raise ValueError(f"states of {self.name} must be a uint8 array of shape (B, {self.state_size}), got {given}")

    def as_actions(self, actions: ArrayLike, n: int) -> np.ndarray:
        """Actions as an int64 array [n]."""
        actions = np.asarray(actions)
        if actions.dtype != INT64:
            if not np.issubdtype(actions.dtype, np.integer):
                raise ValueError(f"actions must be integers, got {actions.dtype}")
            actions = actions.astype(np.int64)
        if actions.shape != (n,):
            raise ValueError(f"actions must have shape ({n},), one per state, got {actions.shape}")
        return actions

    def as_seeds(self, seeds: ArrayLike) -> np.ndarray:
        """Seeds as a uint64 array [B]."""
        seeds = np.asarray(seeds)
        if seeds.ndim != 1 or seeds.dtype.kind not in "iu":
            raise ValueError(f"seeds must be whole numbers of shape (B,), one per walk, got {seeds.dtype} {seeds.shape}")
        return np.ascontiguousarray(seeds, np.uint64)

    def as_depths(self, depths: ArrayLike, n: int) -> np.ndarray:
        """Numbers of moves as an int64 array [n]; one number stands for n of them."""
        depths = np.asarray(depths)
        whole = depths.shape in ((), (n,)) and depths.dtype.kind in "iu"
        if not whole or np.count_nonzero(depths.astype(np.uint64) > LONGEST):  # a negative one becomes very large
            raise ValueError(f"depths must be whole numbers from 0 to {LONGEST}, one or {n} of them, got {depths!r}")
        return np.ascontiguousarray(depths if depths.ndim else np.full(n, depths), np.int64)

    def as_costs(self, costs: ArrayLike | None) -> np.ndarray:
        """What each action costs [A] float32: 1 if nothing is said."""
        (read,) = array("finite numbers", (self.n_actions,), costs=np.ones(self.n_actions) if costs is None else costs)
        number(above=0, costs=float(read.min()))
        return read.astype(np.float32)

    def as_index(self, index: ArrayLike) -> np.ndarray:
        """Perfect indices as an int64 array [B]."""
        self._needs_index()
        index = np.asarray(index)
        if index.ndim != 1 or index.dtype.kind not in "iu":
            raise ValueError(f"an index must be whole numbers of shape (B,), got {index.dtype} {index.shape}")
        if ((index < 0) | (index >= self.n_states)).any():
            raise ValueError(f"an index of {self.name} is between 0 and {self.n_states - 1}")
        return np.ascontiguousarray(index, np.int64)

    def _needs_index(self) -> None:
        if not self.enumerable:
            why = f"has {self.n_states} states, too many for a" if self.n_states >= 2**63 else "does not number its states by a"
            raise ValueError(f"{self.name} {why} perfect index of 64 bits; use hash or pack")

    def _each(self, states: np.ndarray, kernel: Callable, tables: tuple, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """What a kernel makes of every one of states [B, S], [B, *shape]; `check` names the state that it refuses."""
        states = self.as_states(states)
        out = np.empty((len(states), *shape), dtype)
        if not over_rows(kernel, tables, (states, out)):
            self.check(states)
        return out

    def refuse_actions(self, actions: np.ndarray) -> None:
        """Raise for the first action that does not exist."""
        bad = actions[(actions < 0) | (actions >= self.n_actions)][0]
        raise ValueError(
            f"action {bad} does not exist: {self.name} has actions 0..{self.n_actions - 1} ({' '.join(self.action_names)})"
        )

    def check(self, states: ArrayLike) -> np.ndarray:
        """The states as a batch, or a ValueError naming what makes the first impossible one impossible."""
        states = np.asarray(states)
        if states.ndim == 1:
            states = states[None]
        if states.size and (not np.issubdtype(states.dtype, np.integer) or states.min() < 0 or states.max() > 255):
            given = f"{states.dtype} {states.ravel()[:8].tolist()}"
            raise ValueError(f"a state of {self.name} must be whole numbers 0..{self.n_values - 1}, got {given}")
        states = self.as_states(states.astype(np.uint8))
        outside = ((states < self.first) | (states >= self.n_values)).any(axis=1)
        if outside.any():
            row = states[outside.argmax()].tolist()
            raise ValueError(f"a state of {self.name} has values below {self.n_values}, got {row}")
        return states

    def parse(self, text: str) -> list[int]:
        """Actions from their names, separated by spaces."""
        if not isinstance(text, str):
            raise ValueError(f"moves must be a string of action names, got {type(text).__name__}")
        numbers = {name: a for a, name in enumerate(self.action_names)}
        unknown = [word for word in text.split() if word not in numbers]
        if unknown:
            raise ValueError(f"unknown move {unknown[0]!r}: {self.name} has {' '.join(self.action_names)}")
        return [numbers[word] for word in text.split()]

    def format(self, actions: ArrayLike) -> str:
        """The names of actions, separated by spaces; `parse` reads them back."""
        actions = self._as_sequence(actions)
        if ((actions < 0) | (actions >= self.n_actions)).any():
            self.refuse_actions(actions)
        return " ".join(self.action_names[a] for a in actions)

    def after(self, moves: str | Sequence[int], state: np.ndarray | None = None) -> np.ndarray:
        """The state [S] after a sequence of moves (text or actions) from a state (default: the goal)."""
        states = self.goal[None] if state is None else self.check(state)
        for action in self.parse(moves) if isinstance(moves, str) else self._as_sequence(moves):
            states = self.apply(states, np.array([action]))
        return states[0].copy()

    def _as_sequence(self, actions: ArrayLike) -> np.ndarray:
        """Actions one after another as an int64 array [n]; an empty list is one too, whatever numpy takes it for."""
        return self.as_actions(np.asarray(actions, np.int64) if np.size(actions) == 0 else actions, np.size(actions))

    # Pictures -------------------------------------------------------------------------------------------------------

    def ansi(self, state: np.ndarray) -> str:
        """The state [S] as text for a terminal."""
        return " ".join(map(str, state.tolist()))

    def image(self, state: np.ndarray) -> np.ndarray:
        """The state [S] as a picture [H, W, 3] uint8."""
        from rubiks_gym.rendering.image import text_image

        return text_image(self.ansi(state))

    def __repr__(self) -> str:
        return f"<{self.name}>"


def are_solutions(puzzle: Puzzle, states: np.ndarray, moves: Sequence[Sequence[int]]) -> np.ndarray:
    """Which of the move sequences really lead from their start state [B, S] to the goal, [B] bool."""
    ends = [puzzle.after(sequence, state) for state, sequence in zip(states, moves, strict=True)]
    return puzzle.is_solved(np.stack(ends)) if ends else np.zeros(0, bool)


def sample_seeds(rng: np.random.Generator, n: int) -> np.ndarray:
    """One seed per walk, [n] uint64: what `walks`, `walk` and `random_states` take."""
    if not isinstance(rng, np.random.Generator):
        raise ValueError(f"rng must be a numpy Generator (np.random.default_rng(seed)), got {type(rng).__name__}")
    return seeds_from(rng, n)


def room_for(shape: tuple[int, ...], out: np.ndarray | None) -> np.ndarray:
    """A uint8 array of a shape to write into: out, if it is one."""
    if out is None:
        return np.empty(shape, UINT8)
    if not (isinstance(out, np.ndarray) and out.dtype == UINT8 and out.shape == shape and out.flags.carray):
        given = f"{out.dtype} {out.shape}" if isinstance(out, np.ndarray) else type(out).__name__
        raise ValueError(f"out must be a contiguous uint8 array of shape {shape} that can be written to, got {given}")
    return out


def without_undo(inverse_action: np.ndarray) -> np.ndarray:
    """The machine [1 + A, A] of all sequences that never undo the move before: at node 1 + a, a was the last move."""
    n = len(inverse_action)
    form = np.tile(np.arange(1, n + 1, dtype=np.int16), (n + 1, 1))
    form[np.arange(1, n + 1), inverse_action] = -1
    return form


def without_same_face(faces: Sequence[str]) -> np.ndarray:
    """The machine [1 + A, A] of all sequences that never turn the face of the move before."""
    n, face = len(faces), np.array(faces)
    form = np.tile(np.arange(1, n + 1, dtype=np.int16), (n + 1, 1))
    form[1:][face[:, None] == face] = -1
    return form


def hash_of(text: str, *arrays: np.ndarray) -> str:
    """A hash of a text and of arrays, their shapes included."""
    digest = hashlib.sha256(text.encode())
    for each in arrays:
        digest.update(f"{each.dtype}{each.shape}".encode() + each.tobytes())
    return digest.hexdigest()


def _frozen(values: ArrayLike, dtype: type) -> np.ndarray:
    array: np.ndarray = np.array(values, dtype=dtype)
    array.flags.writeable = False
    return array
