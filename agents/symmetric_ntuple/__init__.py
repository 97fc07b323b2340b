"""A symmetric n-tuple network with raise-only backups, learnt from random walks and its own searches; see README.md."""
