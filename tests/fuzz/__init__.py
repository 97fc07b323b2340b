"""Inputs of every kind, by the million: `python -m tests.fuzz`."""
