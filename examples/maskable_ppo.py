"""MaskablePPO of sb3-contrib learns a round of gin against the simple player, then plays rounds at many tables at once.

pip install 'meldlab[environments]' sb3-contrib
python examples/maskable_ppo.py 200000
"""

import sys
from typing import Any

import gymnasium
import numpy as np
from gymnasium.wrappers import TransformObservation
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_util import make_vec_env

from meldlab.gin import Rules
from meldlab.gin.vector import FEATURES, PLANES

GIN = "meldlab.adapters.gymnasium:meldlab/Gin-v0"
ONE_ROUND = Rules(match_points=0)
# Cards are there or not, but places in the pile and scalars are larger numbers.
SCALE = np.where(np.arange(FEATURES) < PLANES["order"].start, 1, 32).astype(np.float32)
SEEN = gymnasium.spaces.Box(0, 255, (FEATURES,), np.float32)


def one_table() -> Any:
    """Return one table against the simple player."""
    table = gymnasium.make(GIN, rules=ONE_ROUND, opponent="simple")
    return TransformObservation(table, lambda seen: seen / SCALE, SEEN)


def gained(model: MaskablePPO, opponent: str, rounds: int = 4000) -> float:
    """Return the points that the model wins by a round, on deals that it has not learned on."""
    tables = gymnasium.make_vec(GIN, 500, vectorization_mode="vector_entry_point", rules=ONE_ROUND, opponent=opponent)
    seen, infos = tables.reset(seed=1_000_000)
    points, played = 0.0, 0
    while played < rounds:
        actions, _ = model.predict(seen / SCALE, action_masks=infos["action_mask"])
        seen, rewards, done, _, infos = tables.step(actions)
        points, played = points + 100 * rewards.sum(), played + int(done.sum())
    return points / played


def main(steps: int = 200_000) -> None:
    """Learn, and say what has come of it."""
    tables = make_vec_env(one_table, n_envs=16, seed=1)
    network = {"net_arch": [256, 256]}
    model = MaskablePPO("MlpPolicy", tables, n_steps=128, batch_size=512, n_epochs=4, gamma=1.0, policy_kwargs=network, seed=1)
    before = gained(model, "simple")
    model.learn(steps)
    print(f"before {before:+.1f} points a round against simple")
    print(f"after {model.num_timesteps:,} steps {gained(model, 'simple'):+.1f} points a round against simple")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
