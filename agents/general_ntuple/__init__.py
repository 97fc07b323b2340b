"""An n-tuple network for any puzzle, its tables chosen from the puzzle, learnt from walks and its own beams; see README.md."""
