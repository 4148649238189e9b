"""Random draws by address: each draw is a function of its seed, game, round and purpose.

>>> derive_seed(7, Purpose.FRESH) == derive_seed(7, Purpose.FRESH) != derive_seed(8, Purpose.FRESH)
True
"""

from meldlab.chance.kernel_purpose import Purpose
from meldlab.chance.seed import MAX_SEED, check_seed, derive_seed

__all__ = ["MAX_SEED", "Purpose", "check_seed", "derive_seed"]
