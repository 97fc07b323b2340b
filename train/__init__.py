"""Training scripts, one per algorithm, evaluation, and the run folders they share."""
