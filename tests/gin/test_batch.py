"""Batches: parameters are checked before a kernel gets them, and neither the order of the players nor the cut of a batch matters."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from meldlab.errors import NotLegalHere
from meldlab.gin import Rules, players
from meldlab.gin.batch import PlayerParameters, batch_rules, kernel_parameters, play_batch, plays_in_kernel
from meldlab.gin.computing import playing
from meldlab.gin.kernel_state import (
    EnsembleParameters,
    MarjjParameters,
    NetworkParameters,
    PolicyParameters,
    SimpleParameters,
    ValueTable,
)
from meldlab.gin.players import ComputedPlayer, LightPlayer, PolicyPlayer, SimplePlayer
from meldlab.gin.vector import GinVector
from meldlab.gpu import Device
from tests.gin.test_value_tables import small_table

NAMES = {
    SimpleParameters: "knock:10,0,6",
    EnsembleParameters: "ensemble:best",
    MarjjParameters: "marjj",
    NetworkParameters: "network:light",
    PolicyParameters: "champion",
}
KINDS = [*NAMES, ValueTable]
FORGED_NUMBERS: list[Any] = [3, np.float64(3), True, None, "3", float("nan"), float("inf"), -float("inf"), 1e12, (1.0, 2.0)]
FORGED_SHARES: list[Any] = [0.5, (0.5,), (), [0.5, 0.5, 0.5]]


def parameters_of(kind: type) -> Any:
    """Valid parameters of a kind."""
    return small_table(np.uint8) if kind is ValueTable else kernel_parameters(players.parse(NAMES[kind]))


def forged_arrays(array: np.ndarray) -> Iterator[np.ndarray]:
    """The array with another shape, another type, and a number that is not finite."""
    yield array[:-1]
    yield array[None]
    yield np.zeros(0, array.dtype)
    yield array.astype(np.int16)
    if array.dtype.kind == "f":
        yield array.astype(np.float32 if array.dtype == np.float64 else np.float64)
        spoilt = array.copy()
        spoilt.flat[-1] = np.nan
        yield spoilt


def forgeries(parameters: Any) -> Iterator[Any]:
    """Structures of the same kind, each with one field that a kernel cannot read or compute with."""
    for name, value in parameters._asdict().items():
        if isinstance(value, float):
            wrong: Any = FORGED_NUMBERS
        elif isinstance(value, np.ndarray):
            wrong = [] if name == "codes" else forged_arrays(value)
        elif type(value) is tuple:
            wrong = [*FORGED_SHARES, (*value, 0.5), value[:-1], *((one, *value[1:]) for one in FORGED_NUMBERS)]
        else:
            wrong = forgeries(value)
        yield from (parameters._replace(**{name: each}) for each in wrong)


def refuses(parameters: PlayerParameters) -> bool:
    try:
        kernel_parameters(parameters)
    except NotLegalHere:
        return True
    return False


@pytest.mark.parametrize("kind", KINDS)
def test_kernel_parameters_rejects_every_forged_field(kind: type) -> None:
    valid = parameters_of(kind)
    assert type(valid) is kind
    assert kernel_parameters(valid) is valid
    forged = list(forgeries(valid))
    assert len(forged) >= 12
    assert [each for each in forged if not refuses(each)] == []


@pytest.mark.parametrize(
    "codes",
    [np.zeros(8, np.uint8), np.zeros((2, 1), np.uint8), np.zeros((2, 8)), np.zeros((2, 8), np.int64), np.zeros((1, 8), np.uint8)],
    ids=["one row", "one class", "floats", "64 bits", "a slot too few"],
)
def test_kernel_parameters_rejects_forged_codes(codes: np.ndarray) -> None:
    with pytest.raises(NotLegalHere, match="not a value table"):
        kernel_parameters(small_table(np.uint8)._replace(codes=codes))


@pytest.mark.parametrize("name", ["network:light", "champion"])
def test_kernel_parameters_rejects_weights_in_another_order_of_memory(name: str) -> None:
    parameters: Any = kernel_parameters(players.parse(name))
    weights = parameters.weights._replace(first=np.asfortranarray(parameters.weights.first))
    with pytest.raises(NotLegalHere, match="for first"):
        kernel_parameters(parameters._replace(weights=weights))


@pytest.mark.parametrize(
    ("forged", "why"),
    [
        (SimpleParameters((10.0, 10.0, 0)), "expected a float up to 1,000,000 for knock, got 0"),
        (SimpleParameters((float("nan"), 10.0, 0.0)), "expected a float up to 1,000,000 for knock, got nan"),
        (parameters_of(EnsembleParameters)._replace(weights=(1.0,)), "expected 6 numbers for weights, got 1"),
        (parameters_of(NetworkParameters)._replace(noise=1e12), "for noise, got"),
        (ValueTable(*[np.zeros((1, 1), np.uint8)] * len(ValueTable._fields)), "not a value table"),
    ],
)
def test_forged_parameters_enter_no_kernel(forged: PlayerParameters, why: str) -> None:
    for enter in (lambda: play_batch(forged, SimplePlayer(), Rules(), 1, 0, 1), lambda: GinVector(1, opponent=forged)):
        with pytest.raises(NotLegalHere, match=why):
            enter()


@pytest.mark.parametrize(
    ("player", "parameters", "why"),
    [
        (LightPlayer, parameters_of(NetworkParameters).weights._replace(rows=np.zeros((1, 1), np.float32)), "not a network: .* for rows"),
        (PolicyPlayer, parameters_of(PolicyParameters).weights._replace(rows=np.zeros((1, 1), np.float32)), "not a policy: .* for rows"),
        (ComputedPlayer, small_table(np.uint8)._replace(odds=np.zeros((1, 1))), "not a value table: .* for odds"),
    ],
)
def test_players_reject_forged_weights_when_they_are_made(player: Any, parameters: Any, why: str) -> None:
    with pytest.raises(NotLegalHere, match=why):
        player(parameters)


def test_subclass_of_a_kernel_player_decides_for_itself() -> None:
    class Mine(SimplePlayer):
        pass

    assert plays_in_kernel(SimplePlayer())
    assert not plays_in_kernel(Mine())
    with pytest.raises(NotLegalHere, match="does not play in the batch kernel"):
        kernel_parameters(Mine())


PAIRS = [("simple", "ensemble"), ("ensemble:best", "network:light"), ("marjj", "simple"), ("champion", "simple")]


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_play_batch_of_a_pair_does_not_depend_on_its_cut(first: str, second: str) -> None:
    pair = players.parse(first), players.parse(second)
    for one, other in (pair, pair[::-1]):
        together = play_batch(one, other, Rules(), 3, 0, 20)
        assert np.array_equal(together, play_batch(one, other, Rules(), 3, 0, 20, threads=1))
        assert np.array_equal(together, np.concatenate([play_batch(one, other, Rules(), 3, start, 5) for start in range(0, 20, 5)]))


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_mirrored_wins_counts_both_orders_of_a_pair(first: str, second: str) -> None:
    pair = kernel_parameters(players.parse(first)), kernel_parameters(players.parse(second))
    first_winners, second_winners = (play_batch(one, other, Rules(), 3, 0, 20)["winner"] for one, other in (pair, pair[::-1]))
    wins = playing.mirrored_wins(Device("cpu"), pair, batch_rules(Rules()), 3, 20)
    assert wins.tolist() == np.stack([first_winners == 0, second_winners == 1], 1).astype(int).tolist()
