"""What the network learners share: inputs, fitting with a target network, checkpoints of weights, several processes."""
