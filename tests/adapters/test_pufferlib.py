"""The PufferLib environment: buffers are PufferLib's, masks travel in the observation, and nothing is illegal."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from meldlab.adapters.pufferlib import gin, split
from meldlab.errors import NotLegalHere, NotPossible
from meldlab.gin import Rules
from meldlab.gin.vector import GinVector

ONE_ROUND = Rules(match_points=0)


@pytest.fixture
def vector(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)  # where it is first imported, PufferLib leaves a link behind
    return pytest.importorskip("pufferlib.vector", reason="pufferlib is not installed")


def test_without_pufferlib_one_line_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    from meldlab.adapters import pufferlib

    monkeypatch.setitem(__import__("sys").modules, "pufferlib", None)
    pufferlib._kind.cache_clear()
    with pytest.raises(NotPossible, match=r"pufferlib is not installed: pip install pufferlib$"):
        gin(tables=2)


def test_it_steps_the_vector_environment_in_pufferlibs_buffers(vector: Any) -> None:
    kwargs = {"tables": 40, "rules": ONE_ROUND}
    env = vector.make(gin, env_kwargs=kwargs, backend=vector.Serial, num_envs=2, seed=3)
    beside = [GinVector(40, ONE_ROUND, seed, "simple") for seed in (3, 4)]
    seen, _ = env.reset(seed=3)
    games, chance = 0, np.random.default_rng(1)
    for _ in range(100):
        features, mask = split(seen)
        assert (features == np.concatenate([one.observe().features for one in beside])).all()
        assert (mask == np.concatenate([one.observe().mask for one in beside])).all()
        actions = np.array([chance.choice(np.flatnonzero(row)) for row in mask])
        seats = np.concatenate([one.observe().to_move for one in beside])
        stepped = [one.step(actions[40 * number : 40 * number + 40]) for number, one in enumerate(beside)]
        seen, rewards, terminals, truncations, infos = env.step(actions)
        assert (rewards == np.concatenate([one.rewards for one in stepped])[np.arange(80), seats]).all()
        assert (terminals == np.concatenate([one.done for one in stepped])).all()
        assert not truncations.any()
        games += sum(info["games"] for info in infos)
        assert all(0 <= info["won"] <= 1 for info in infos)
    assert games >= 80
    env.close()


def test_what_is_not_legal_is_replaced(vector: Any) -> None:
    env, other = gin(tables=8, seed=1), GinVector(8, seed=1, opponent="simple")
    env.reset(seed=1)
    for _ in range(30):
        env.step(np.full(8, 400))
        other.step(other.random_actions())
    assert (split(env.observations)[0] == other.observe().features).all()


def test_the_other_seat_is_not_left_empty() -> None:
    with pytest.raises(NotLegalHere, match="name the opponent"):
        gin(tables=3, opponent=None)
