"""ADI and DeepCube's solver (McAleer 2018; BetaCube). Read network, learner, agent in that order."""
