"""Our games registered with OpenSpiel, its gin rummy as our records, and our players at its table.

Importing this package registers ``python_meldlab_gin_rummy``, ``python_meldlab_mini_gin`` and ``python_meldlab_recycle``:

>>> import pyspiel
>>> import meldlab.adapters.openspiel
>>> game = pyspiel.load_game("python_meldlab_gin_rummy(rules=pagat,match_points=0)")
>>> game.num_distinct_actions(), game.observation_tensor_shape()
(172, [536])
"""

from meldlab.errors import NotPossible

try:
    import pyspiel  # noqa: F401  # imported here, so that a missing package is one line
except ModuleNotFoundError:
    raise NotPossible("OpenSpiel is not installed: pip install open_spiel") from None

from meldlab.adapters.openspiel.bots import PlayerBot
from meldlab.adapters.openspiel.gin import GIN_RUMMY, MINI_GIN
from meldlab.adapters.openspiel.histories import record_of
from meldlab.adapters.openspiel.recycle import RECYCLE

__all__ = ["GIN_RUMMY", "MINI_GIN", "RECYCLE", "PlayerBot", "record_of"]
