"""One module per algorithm: which runs are asked what, and what is made of the answers."""
