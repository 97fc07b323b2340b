"""DAVI and BWAS (DeepCubeA; Tardon 2022). Read network, agent, learner in that order."""
