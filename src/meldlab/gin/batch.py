"""Matches between two players in kernels: the parameters of players, and the results of batches.

numba checks no index, so ``kernel_parameters`` checks every structure that enters a kernel.

>>> from meldlab.gin.players import parse
>>> kernel_parameters(parse("simple")), plays_in_kernel(parse("mc:8"))
(SimpleParameters(knock=(10.0, 10.0, 0.0)), False)
"""

from collections.abc import Sequence
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from meldlab.chance import check_seed
from meldlab.errors import NotLegalHere, NotPossible, whole_number
from meldlab.gin import kernel_match
from meldlab.gin.kernel_state import (
    MATCH,
    STATE,
    EnsembleParameters,
    MarjjParameters,
    NetworkParameters,
    PolicyParameters,
    PolicyWeights,
    RuleNumbers,
    SimpleParameters,
    ValueTable,
    ValueWeights,
)
from meldlab.gin.network_files import check_weights
from meldlab.gin.rules import ONLY_SIMPLE, Rules, kernel_rules
from meldlab.gin.value_tables import check_values
from meldlab.parallel import run_on_cores
from meldlab.play.batch import Batch

PlayerParameters = SimpleParameters | EnsembleParameters | ValueTable | MarjjParameters | NetworkParameters | PolicyParameters
KINDS: tuple[type, ...] = PlayerParameters.__args__
CHUNK = 16  # games of the first chunk that a core plays; an ensemble needs some five milliseconds for them
MAX_NUMBER = 1e6  # of a parameter; larger than any useful one
# Number of numbers in a field of parameters, if not one.
SIZES = {**dict.fromkeys(("knock", "draws", "declines", "discards", "adjacency"), 3), "meldability": 4, "weights": 6, "knock_weights": 5}
SIZES |= dict.fromkeys(("turn_penalty", "known_penalty", "feed"), 2)


def plays_in_kernel(player: object) -> bool:
    """Return whether the kernels play exactly this player; a subclass of a built-in one plays at the table."""
    return vars(type(player)).get("plays_in_kernel", False) is True


def can_batch(rules: Rules, players: Sequence[object]) -> bool:
    """Return whether the kernels play these players under these rules: small games are for simple players, which work with any deck."""
    if rules.wall_knock or not all(map(plays_in_kernel, players)):
        return False
    return not rules.small or all(isinstance(kernel_parameters(player), SimpleParameters) for player in players)


def kernel_parameters(player: Any) -> PlayerParameters:
    """Return the parameters of a built-in player, or checked parameters."""
    if isinstance(player, KINDS):
        _check_parameters(player)
        return player  # type: ignore[return-value]
    if plays_in_kernel(player):
        parameters: PlayerParameters = player.parameters()
        return parameters
    raise NotLegalHere(f"{getattr(player, 'name', player)} does not play in the batch kernel")


def _check_parameters(player: Any) -> None:
    """Raise unless numbers are finite floats within bounds, and arrays have their shapes."""
    if isinstance(player, ValueTable):
        check_values(player)
        return
    for name, value in player._asdict().items():
        if isinstance(value, ValueWeights | PolicyWeights):
            check_weights(value)
            continue
        size = SIZES.get(name, 1)
        numbers = value if isinstance(value, tuple) else (value,)
        if len(numbers) != size or isinstance(value, tuple) != (size > 1):
            raise NotLegalHere(f"expected {size} numbers for {name}, got {len(numbers)}")
        for number in numbers:
            if type(number) is not float or not abs(number) <= MAX_NUMBER:
                raise NotLegalHere(f"expected a float up to {MAX_NUMBER:,.0f} for {name}, got {number!r}")


def batch_rules(rules: Rules) -> RuleNumbers:
    """Return the rules as the kernels take them, or raise for a rule that players of a batch do not play."""
    if rules.wall_knock:
        raise NotLegalHere("the kernels do not play wall_knock, a last knock at the wall")
    return kernel_rules(rules)


def new_states(seed: int, game: int) -> NDArray[Any]:
    """Return [1] STATE, of the game that a kernel starts with."""
    states = np.zeros(1, STATE)
    states["seed"], states["game"] = seed, game
    return states


def play_batch(first: Any, second: Any, rules: Rules, seed: int, start: int, games: int, *, threads: int = 0) -> NDArray[Any]:
    """Return [games] MATCH, the results of games ``start`` and following with these players in these seats."""
    pair = kernel_parameters(first), kernel_parameters(second)
    if rules.small and not all(isinstance(player, SimpleParameters) for player in pair):
        raise NotLegalHere(ONLY_SIMPLE)
    return play_matches(*pair, batch_rules(rules), check_seed(seed), whole_number(start, "number of the first game"), games, threads)


def order_by_kind(own: PlayerParameters, other: PlayerParameters) -> tuple[PlayerParameters, PlayerParameters, int]:
    """Return the players in the order of their kinds and the seat of the first: a pair is compiled once for both orders of the seats."""
    swapped = KINDS.index(type(own)) > KINDS.index(type(other))
    return (other, own, 1) if swapped else (own, other, 0)


def play_matches(
    own: PlayerParameters, other: PlayerParameters, rules: RuleNumbers, seed: int, start: int, games: int, threads: int = 0
) -> NDArray[Any]:
    """Return [games] MATCH of checked players."""
    matches = np.zeros(whole_number(games, "number of games"), MATCH)
    first, second, swapped = order_by_kind(own, other)

    def play(index: int, count: int) -> None:
        kernel_match.play_matches(first, second, swapped, rules, new_states(seed, start + index), matches[index : index + count])

    if threads > (most := numba.config.NUMBA_NUM_THREADS):
        raise NotPossible(f"{threads} threads asked for, this machine has {most}")
    run_on_cores(play, games, threads=threads, size=CHUNK)
    return matches


def batch_from_matches(matches: NDArray[Any], rules: Rules) -> Batch:
    """Return [games] MATCH as the protocol has it, with the bonuses of the match in the scores."""
    wins = (matches["winner"][:, None] == np.arange(2)).astype(np.float64)
    columns = {name: matches[name].astype(np.int64) for name in ("rounds", "points", "gins", "undercuts", "voids", "rounds_won")}
    points, decided = columns["points"], (wins.sum(1) > 0)[:, None] & bool(rules.match_points)
    shutout = rules.shutout_bonus * (points[:, ::-1] == 0)
    bonuses = wins.astype(np.int64) * (rules.game_bonus + shutout) + rules.box_bonus * columns.pop("rounds_won")
    counts = {"rounds": columns.pop("rounds"), "turns": matches["draws"].astype(np.int64), **columns}
    return Batch(points + decided * bonuses, wins, counts, {})
