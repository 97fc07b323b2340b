"""Learning rates that fall from iteration to iteration."""


def geometric(first: float, last: float, iteration: int, iterations: int) -> float:
    """From `first` in iteration 0 to `last` in iteration `iterations` - 1, by the same factor each time."""
    return first * (last / first) ** (iteration / max(1, iterations - 1))


def constant_then_linear(first: float, last: float, iteration: int, iterations: int) -> float:
    """`first` for half of the iterations, then in a straight line towards `last`, which iteration `iterations` would have."""
    return first + (last - first) * max(0.0, 2 * iteration / max(1, iterations) - 1)
