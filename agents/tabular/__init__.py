"""Value iteration with one number per state: the smallest learner here, and the pattern for the others."""
