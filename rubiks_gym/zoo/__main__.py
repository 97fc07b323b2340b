"""The agents of the zoo, and whether they are on this machine: python -m rubiks_gym.zoo"""

import argparse

from rubiks_gym import zoo
from rubiks_gym.command_line import run


def main() -> None:
    """List them, or fetch one."""
    parser = argparse.ArgumentParser(prog="python -m rubiks_gym.zoo", description=__doc__.partition(":")[0])
    parser.add_argument("--fetch", metavar="NAME", help="find an agent, download it if it is not here, and print its file")
    parser.add_argument("--source", help="a folder, https://... or hf://OWNER/NAME (default: the variable RUBIKS_GYM_ZOO)")
    args = parser.parse_args()
    if args.fetch:
        print(zoo.fetch(args.fetch, args.source))
        return
    for name, entry in zoo.index().items():
        try:
            where = str(zoo.fetch(name, args.source))
        except ValueError as error:
            where = str(error)
        print(f"{name}  {entry.puzzle}  {entry.bytes / 1e6:.1f} MB  {where}")


if __name__ == "__main__":
    run(main)
