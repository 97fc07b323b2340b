"""PPO with ChaseNet reward (Lin and Liang 2024)."""
