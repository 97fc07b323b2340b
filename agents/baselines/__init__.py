"""Agents that learn nothing; that of true distances is `rubiks_gym.exact.Exact`."""
