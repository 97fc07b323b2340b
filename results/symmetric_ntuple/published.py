"""What others report for fully scrambled 3x3x3 cubes in quarter turns. Each entry names its source."""

# On DeepCubeA's test set of 1,000 cubes (optimal mean 20.64): mean length, share optimal, seconds per cube on its own machine,
# with GPUs (None: not stated), and what it took to train.
PUBLISHED: dict[str, tuple[float | None, float, float | None, str]] = {
    # Agostinelli et al. 2019, Nature Machine Intelligence, table 1
    "DeepCubeA": (21.50, 0.603, 24.22, "10 billion states, 36 h, GPUs"),
    # Takano 2023, TMLR, beam widths 2^10 and 2^18
    "EfficientCube, beam 2^10": (23.3, 0.15, None, "50 billion states, days of GPU"),
    "EfficientCube, beam 2^18": (21.26, 0.696, 484.0, "50 billion states, days of GPU"),
    # Chervov et al. 2025, CayleyPy, several networks
    "CayleyPy": (20.65, 0.98, None, "8 billion states per network, GPUs"),
}
