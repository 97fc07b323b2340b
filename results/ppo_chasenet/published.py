"""The published figures that ours are put beside.

Y. Lin, S. Liang, "Solving Rubik's Cube Without Tricky Sampling", 2024, section 3. The paper gives neither K nor the time that
training took, and does not say which true costs its correlations are with.
"""

SOLVED = 0.994  # of 50,000 scrambled 2x2x2, by the policy alone
CORRELATION = {"fc": 0.834, "attention": 0.901}  # Spearman's, on an independent test set
