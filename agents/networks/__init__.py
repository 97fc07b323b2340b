"""What the network learners share: embedding of states, weights in checkpoints, several processes."""
