"""Environments of PettingZoo in which the seats act in turn (AEC); importing this package enters them into PettingZoo's registry.

>>> import pettingzoo
>>> env = pettingzoo.make("aec", "meldlab/gin_rummy-v0", rules="pagat")
>>> env.reset(seed=7)
>>> observation, reward, terminated, truncated, info = env.last()
>>> env.agent_selection, observation["observation"].shape, info["action_mask"].nonzero()[0].tolist()
('player_0', (432,), [0, 2])

Also by module: ``from meldlab.adapters.pettingzoo import gin_rummy_v0; env = gin_rummy_v0.env()``.
"""

from meldlab.errors import NotPossible

try:
    from pettingzoo import register
except ImportError:
    raise NotPossible("pettingzoo 1.27 or newer is not installed: pip install 'meldlab[environments]'") from None

__all__: list[str] = []

for name in ("gin_rummy", "rummikub", "recycle"):
    register("aec", f"meldlab/{name}-v0", entry_point=f"meldlab.adapters.pettingzoo.{name}_v0:env")
    register("parallel", f"meldlab/{name}-v0", entry_point=f"meldlab.adapters.pettingzoo.{name}_v0:parallel_env")
