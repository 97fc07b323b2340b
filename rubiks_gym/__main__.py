"""`python -m rubiks_gym` is the command `rubiks-gym`."""

from rubiks_gym.cli import main

main()
