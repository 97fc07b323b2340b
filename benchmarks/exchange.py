"""What a beam exchanges that is shared out over processes by hash: python -m benchmarks.exchange

Moves and nodes must be those of `rubiks_gym.search.beam` in one process. The bytes of every layer are counted, and held against
what docs/scale.md reckons with: (S + 4) for each child whose owner is another process, 8 to every other process for each state
that is among the best W of its own.
"""

import sys
from dataclasses import dataclass

import tyro

import agents
from benchmarks import timing
from benchmarks.shared_beam import shared_beam
from benchmarks.timing import finish
from rubiks_gym.search import beam
from train.evaluation import start_states


@dataclass
class Args(timing.Args):
    """Measure what a beam over several processes exchanges."""

    agent: str = "symmetric_ntuple:rubik3x3-qtm"
    """Whose cost-to-go guides the beam."""
    width: int = 16_384
    """States kept per layer."""
    processes: tuple[int, ...] = (2, 3)
    """Numbers of processes."""
    cubes: int = 2
    """Uniformly random cubes."""


def main(args: Args) -> int:
    """A row for each number of processes, of all layers of all cubes."""
    agent = agents.load(args.agent)
    puzzle, rows = agent.puzzle, []
    starts = start_states(puzzle, 0, args.cubes, args.seed)
    expected = [beam(puzzle, start[None], agent.cost_to_go, width=args.width) for start in starts]
    for processes in args.processes:
        found = [shared_beam(args.agent, start, args.width, processes) for start in starts]
        same = [f.moves == e.moves[0] and f.nodes == e.nodes[0] for f, e in zip(found, expected, strict=True)]
        made, kept = (sum(int(getattr(f, name).sum()) for f in found) for name in ("made", "kept"))
        layers, sent = sum(len(f.sent) for f in found), sum(f.sent.sum(axis=0) for f in found)
        share = 1 - 1 / processes
        reckoned = share * made * (puzzle.state_size + 4), (processes - 1) * kept * 8
        rows.append(
            {
                "processes": processes,
                "width": args.width,
                "cubes": len(starts),
                "same moves and nodes": f"{sum(same)} of {len(same)}",
                "layers": layers,
                "children, MB per layer": sent[0] / layers / 1e6,
                "reckoned": reckoned[0] / layers / 1e6,
                "costs, MB per layer": sent[1] / layers / 1e6,
                "reckoned costs": reckoned[1] / layers / 1e6,
                "bytes per child": sent.sum() / made,
                "in the exchange": f"{100 * sum(f.waiting for f in found) / sum(f.seconds for f in found):.0f}%",
                "figure": sum(same) / len(same),
                "required": 1,
            }
        )
    note = f"{args.agent} on uniformly random cubes (seed {args.seed}); figure: share of cubes solved as by one process."
    return finish("exchange", rows, args, note=note)


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args, prog="python -m benchmarks.exchange", description=__doc__)))
