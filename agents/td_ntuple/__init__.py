"""TD learning with n-tuple networks (Konen 2023). Read boards, tuples, network, learner in that order."""
