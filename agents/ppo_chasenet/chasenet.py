"""ChaseNet (Lin and Liang 2024, section 2.6): C_rho(s, t), how many moves lead from state s to state t.

Two forms are the paper's, two are ours:

- *fc*: two linear heads read s and t, each on its own; what they find is joined and goes through further layers.
- *attention*: every sticker of s and of t is a token: an embedding of the sticker, one of its place and one that tells s and t
  apart, added up; a transformer lets each of them look at all others.
- *pairs*: every piece has an embedding, chosen by (its place in s, its place in t), and they are summed. The network is given
  both states, and sees at once how each piece has moved. The moves between two cubes do not depend on which cubie is which, so
  all cubies share their embeddings; disks of a tower, which differ, have their own.
- *relative* (cubes): only where the moves from s to t would lead from the goal, since the cost depends on nothing else; if
  *symmetric*, the canonical representative of that state's symmetry class.

The paper's state is the list of stickers, place by place. Here every sticker has its own number (`tokens`), since nothing else
lets one tell which sticker of s is which of t.

Differs from the paper in: the embedding of a sticker, the linear heads and the linear layer behind are one embedding, which
is summed (the same function, fewer products; no rectifier comes in between: it would hide from the first layer that sees both
states how they lie to each other); numbers of layers and neurons, which the paper does not give; what both forms look at before
they have learnt anything, see `alike` and `match`; the three stickers of the corner that a 2x2x2 is held by are left out, they
never move; the output begins in the middle of the labels.

Letters: B batch, S state, N stickers, V numbers a sticker can have.
"""

from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from agents.networks.embedding import MOST_LAYERS, EmbeddingMLP, check_layers, feature_indices, make_features, mlp
from agents.networks.hardware import CPU, Hardware
from agents.networks.inference import CHUNK, answers
from agents.networks.weights import seeded
from rubiks_gym.checks import choice, whole
from rubiks_gym.puzzles import Cube, Puzzle

FORMS = ("fc", "attention", "pairs", "relative")
MATCH = 5.0  # by how much the logit of a token with one's sticker, or one's place, is higher than of other tokens at first
CHUNK_OF_TOKENS = 128  # states evaluated at a time by attention, which hands on a vector for every sticker


class Architecture(NamedTuple):
    """What a ChaseNet looks like."""

    form: str  # one of FORMS
    hidden: tuple[int, ...]  # neurons of its layers; attention: those behind the transformer
    width: int = 48  # attention: dimension of a token
    heads: int = 1  # attention: heads of a layer
    layers: int = 1  # attention: layers of the transformer
    relative_input: str = "pieces"  # relative: what a feature stands for, one of INPUTS in agents/networks/embedding.py
    symmetric: bool = False  # relative: whether the canonical representative is read


def check_architecture(architecture: Architecture) -> None:
    """Raise for the first setting that no ChaseNet can have: bounds, before anything is made."""
    choice(FORMS, form=architecture.form)
    check_layers(hidden=architecture.hidden, width=(architecture.width,))
    whole(1, MOST_LAYERS, heads=architecture.heads, layers=architecture.layers)
    if architecture.width % architecture.heads:
        raise ValueError(f"heads must divide the {architecture.width} numbers of a token, got {architecture.heads}")


class Attention(nn.Module):
    """Costs [B, 1] of tokens [B, 2 N]."""

    def __init__(self, n_values: int, n_places: int, architecture: Architecture) -> None:
        super().__init__()
        width, heads = architecture.width, architecture.heads
        # as far from each other as so many directions can be, and of such a length that a token's numbers have variance 1
        directions = nn.init.orthogonal_(torch.empty(n_values + n_places + 1, width))
        directions *= (width / 3) ** 0.5 / directions.norm(dim=1, keepdim=True)
        sticker, place, which = directions.split((n_values, n_places, 1))
        self.sticker, self.place = nn.Embedding.from_pretrained(sticker.clone(), freeze=False), nn.Parameter(place.clone())
        self.which = nn.Parameter(torch.cat([which, -which]))
        layer = nn.TransformerEncoderLayer(width, heads, 2 * width, dropout=0.0, batch_first=True, norm_first=True)
        self.transformer = nn.TransformerEncoder(layer, architecture.layers, enable_nested_tensor=False)
        match(self.transformer.layers[0].self_attn, which[0])
        self.rest = mlp((width, *architecture.hidden), 1)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Tokens look at each other; their sum, of variance 1 at first, goes through the rest."""
        place = torch.cat([self.place + which for which in self.which])
        return self.rest(self.transformer(self.sticker(tokens) + place).sum(dim=1) / len(place) ** 0.5)


@torch.no_grad()
def match(attention: nn.MultiheadAttention, which: torch.Tensor) -> None:
    """Let queries and keys begin equal, but for the sign of `which` [width]: what tells s and t apart.

    Then a token looks first at those of the other state that have its sticker or its place. That these belong together it would
    else have to find out by chance, for which hundreds of gradient steps are not enough.
    """
    width, direction = attention.embed_dim, which / which.norm()
    keys = nn.init.orthogonal_(torch.empty(width, width))
    keys *= (MATCH * attention.num_heads * attention.head_dim**0.5 * 3 / width) ** 0.5
    queries = keys - 2 * torch.outer(keys @ direction, direction)
    attention.in_proj_weight[: 2 * width] = torch.cat([queries, keys])


@torch.no_grad()
def alike(network: EmbeddingMLP, n_values: int) -> None:
    """Let a fully connected ChaseNet begin alike for all stickers: a neuron looks at one of them, the next layer at all alike.

    A neuron of the first layer then tells from the first step where a sticker is in s and in t; one that begins with a sum over
    all stickers would first have to get rid of the others. All weights are free to change.
    """
    embedding, behind = network.first.embedding.weight, network.rest[0]
    assert isinstance(behind, nn.Linear)
    neurons = torch.arange(embedding.shape[1])
    sticker, kind = neurons % n_values, neurons // n_values
    kinds = -(-len(neurons) // n_values)
    embedding.zero_()
    by_sticker = embedding.view(-1, n_values, len(neurons))  # [2 N, V, neurons]
    by_sticker[:, sticker, neurons] = torch.randn(len(by_sticker), kinds)[:, kind]
    behind.weight.copy_(len(neurons) ** -0.5 * torch.randn(behind.out_features, kinds)[:, kind])


class ChaseNet:
    """C_rho on pairs of states of a puzzle.

    Args:
        puzzle: any puzzle; the relative form is for cubes.
        architecture: of the network.
        middle: what an untrained network says.
        seed: of its weights.
    """

    def __init__(self, puzzle: Puzzle, architecture: Architecture, middle: float = 0.0, seed: int = 0) -> None:
        form, hidden = architecture.form, architecture.hidden
        check_architecture(architecture)
        if form == "relative" and not isinstance(puzzle, Cube):
            raise ValueError(f"the relative form is for cubes: {puzzle.name} has no relative states, take pairs")
        self.puzzle, self.architecture = puzzle, architecture
        self.shared = isinstance(puzzle, Cube)  # whether all pieces share the embeddings of the form pairs
        n, v = tokens(puzzle, puzzle.goal[None]).shape[1], puzzle.n_values
        with seeded(seed):
            if form == "fc":
                self.network: Attention | EmbeddingMLP = EmbeddingMLP(2 * n * v, hidden, 1)
                spread = 2 * n
            elif form == "attention":
                self.network = Attention(v, n, architecture)
                spread = 0
            else:
                relative = (architecture.relative_input, architecture.symmetric) if form == "relative" else ("pieces", False)
                self.features = make_features(puzzle, *relative)
                pairs = v * v * (1 if self.shared else puzzle.state_size)
                self.network = EmbeddingMLP(pairs if form == "pairs" else self.features.total, hidden, 1)
                spread = len(self.features.offset)
            for layer in self.network.modules():
                if isinstance(layer, nn.EmbeddingBag):
                    nn.init.normal_(layer.weight, std=spread**-0.5)  # so that a sum of as many has variance 1
            if form == "fc" and isinstance(self.network, EmbeddingMLP):
                alike(self.network, v)
        output = self.network.rest[-1]
        assert isinstance(output, nn.Linear)
        nn.init.constant_(output.bias, middle)
        self.hardware = CPU
        self.fitted: Any = self.network  # what gradients are taken through; a learner may compile it, or share it with others

    def place(self, hardware: Hardware) -> "ChaseNet":
        """Let it compute on other hardware; returns it."""
        self.hardware = hardware
        self.network.to(hardware.device)
        return self

    def read(self, s: np.ndarray, t: np.ndarray) -> np.ndarray:
        """What the network is given of states s and t [B, S]: feature indices or tokens [B, T] int64."""
        form, v = self.architecture.form, self.puzzle.n_values
        if form == "relative" and isinstance(self.puzzle, Cube):
            return feature_indices(self.puzzle, self.features, self.puzzle.relative(s, t))
        if form == "pairs":
            indices = s.astype(np.int64) * v + t
            return indices if self.shared else indices + v * v * np.arange(self.puzzle.state_size)
        both = np.concatenate([tokens(self.puzzle, s), tokens(self.puzzle, t)], axis=1)
        if form == "attention":
            return both
        return both + v * np.arange(both.shape[1])

    def cost(self, s: np.ndarray, t: np.ndarray) -> np.ndarray:
        """C_rho(s, t) [B] float32 of states [B, S]."""
        chunk = CHUNK_OF_TOKENS if self.architecture.form == "attention" else CHUNK
        found = answers(self.network, lambda part: (self.read(s[part], t[part]),), len(s), (1,), self.hardware, chunk)
        return found[:, 0]

    def cost_to_goal(self, states: np.ndarray) -> np.ndarray:
        """C_rho(s, s_g) [B] float32 of states [B, S]."""
        return self.cost(states, np.broadcast_to(self.puzzle.goal, states.shape))


def tokens(puzzle: Puzzle, states: np.ndarray) -> np.ndarray:
    """Which sticker is at each place, [B, N] int64; on a puzzle without stickers the states themselves."""
    if not isinstance(puzzle, Cube):
        return puzzle.as_states(states).astype(np.int64)
    at = puzzle.inverse(states)  # which sticker is at the first place of each position
    shifts, c = puzzle.geometry.shifts, puzzle.corners
    corners = shifts[:, at[:, :c]].transpose(1, 2, 0).reshape(len(at), -1)
    edges = shifts[:2, at[:, c:]].transpose(1, 2, 0).reshape(len(at), -1)
    return np.concatenate([corners, edges], axis=1)
