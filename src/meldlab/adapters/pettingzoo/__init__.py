"""Environments of PettingZoo in which the seats act in turn (AEC); importing this package enters them into PettingZoo's registry.

>>> import pettingzoo
>>> env = pettingzoo.make("aec", "meldlab/rummikub-v0", seats=3)
>>> env.reset(seed=7)
>>> observation, reward, terminated, truncated, info = env.last()
>>> env.agent_selection, observation["observation"].shape
('player_1', (281,))

Also by module: ``from meldlab.adapters.pettingzoo import rummikub_v0; env = rummikub_v0.env()``.
"""

from meldlab.errors import NotPossible

try:
    from pettingzoo import register
except ImportError:
    raise NotPossible("pettingzoo 1.27 or newer is not installed: pip install 'meldlab[environments]'") from None

__all__: list[str] = []

for name in ("rummikub",):
    register("aec", f"meldlab/{name}-v0", entry_point=f"meldlab.adapters.pettingzoo.{name}_v0:env")
    register("parallel", f"meldlab/{name}-v0", entry_point=f"meldlab.adapters.pettingzoo.{name}_v0:parallel_env")
