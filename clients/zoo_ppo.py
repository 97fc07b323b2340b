"""rl_zoo3: its training command with a file of settings, as `python -m rl_zoo3.train` takes them."""

import sys
import tempfile
from pathlib import Path

from rl_zoo3.train import train

env_id, mode = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    settings = Path(folder, "ppo.yml")
    n_envs = 1 if mode == "single" else 4
    settings.write_text(
        f"{env_id}:\n  {{n_envs: {n_envs}, n_timesteps: 1000, policy: MlpPolicy, n_steps: 32, normalize: true}}\n"
    )
    command = f"--algo ppo --env {env_id} --gym-packages rubiks_gym --conf-file {settings} --log-folder {folder}"
    sys.argv = ["train", *command.split()]
    train()
