"""Memory that is lent by DLPack: the same bytes on both sides, held as long as somebody looks at them."""

import gc
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from meldlab.errors import NotLegalHere
from meldlab.gin.sharing import LENT, Lent
from meldlab.gin.vector import GinVector


def test_all_that_a_step_tells_can_be_lent() -> None:
    env = GinVector(3)
    # numpy's own arrays of one byte per truth are lent like numbers.
    told: list[NDArray[Any]] = [*env.observe(), *env._stepped]
    views = [np.from_dlpack(Lent(array)) for array in told]
    env.step(env.random_actions())
    for view, array in zip(views, told, strict=True):
        assert view.dtype == array.dtype
        assert np.array_equal(view, array)
        assert view.__array_interface__["data"][0] == array.__array_interface__["data"][0]


def test_memory_is_held_until_it_is_given_back() -> None:
    before = len(LENT)
    view: Any = np.from_dlpack(Lent(np.arange(5)))
    untaken = Lent(np.arange(5)).__dlpack__()
    assert len(LENT) == before + 2
    assert view.tolist() == [0, 1, 2, 3, 4]
    del view, untaken
    gc.collect()
    assert len(LENT) == before


def test_gaps_are_refused() -> None:
    with pytest.raises(NotLegalHere, match="without gaps"):
        Lent(np.zeros((4, 4))[:, ::2])
