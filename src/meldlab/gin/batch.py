"""Players and rules as the kernels take them, and batches as they come back.

``seat`` is the one door through which a player becomes arrays: numba checks no index, so what passes here is all it is protected by.

>>> from meldlab.gin.players import parse
>>> seat(parse("simple")).name, plays_in_kernel(parse("mc:8"))
('simple', False)
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from meldlab.chance import verified
from meldlab.errors import NotLegalHere, NotPossible, whole_number
from meldlab.gin import kernel_layout, kernel_round
from meldlab.gin.book import NO_BOOK, NO_VALUES
from meldlab.gin.kernel_layout import ENSEMBLE, KIND, PARAMETERS, SIMPLE, Book, Pair
from meldlab.gin.rules import ONLY_SIMPLE, Rules
from meldlab.pieces import on_cores
from meldlab.play.batch import Batch

__all__ = [
    "Seated",
    "batch_of",
    "every_rule",
    "pair_of",
    "play_batch",
    "plays_here",
    "plays_in_kernel",
    "rule_vector",
    "seat",
    "trace",
]

CHUNK = 16  # games of the first piece that a core plays; an ensemble needs some five milliseconds for them
NEXT = {"alternates": kernel_layout.ALTERNATES, "winner": kernel_layout.WINNER, "loser": kernel_layout.LOSER}
MOST_NUMBER = 1e6  # of a bare vector; larger than any parameter that means something


class Seated(NamedTuple):
    """A player as the kernels know it: its numbers, and the book or network it computes with."""

    name: str
    vector: NDArray[np.float64]
    book: Book = NO_BOOK


def plays_in_kernel(player: object) -> bool:
    """Tell whether the kernels play exactly this player; a subclass of a built-in one decides for itself, at the table."""
    from meldlab.gin.players.computed import ComputedPlayer
    from meldlab.gin.players.ensemble import EnsemblePlayer
    from meldlab.gin.players.light import LightPlayer
    from meldlab.gin.players.marjj import MarjjPlayer
    from meldlab.gin.players.policy import PolicyPlayer
    from meldlab.gin.players.simple import SimplePlayer

    return type(player) in (SimplePlayer, EnsemblePlayer, LightPlayer, ComputedPlayer, MarjjPlayer, PolicyPlayer)


def plays_here(rules: Rules, players: Sequence[object]) -> bool:
    """Tell whether the kernels play these players under these rules: small games are for simple players, who know nothing of the deck."""
    if rules.wall_knock or not all(map(plays_in_kernel, players)):
        return False
    return not rules.small or all(seat(player).vector[KIND] == SIMPLE for player in players)


def seat(player: Any) -> Seated:
    """Return a player as arrays: a built-in one, the parameters of an ensemble, or the bare numbers of a simple player or an ensemble."""
    from meldlab.gin.players.ensemble import Ensemble

    if isinstance(player, Seated):
        return player
    if plays_in_kernel(player):
        return Seated(player.name, player.vector(), getattr(player, "book", NO_BOOK))
    if type(player) is Ensemble:
        return Seated("ensemble", player.vector())
    if isinstance(player, Sequence | np.ndarray) and not isinstance(player, str):
        return Seated("numbers", _checked(player))
    raise NotLegalHere(f"{getattr(player, 'name', player)} does not play in the batch kernel")


def _checked(numbers: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a bare vector, or say what is wrong with it."""
    vector = np.array(numbers, np.float64)
    if vector.shape != (PARAMETERS,):
        raise NotLegalHere(f"a player has {PARAMETERS} parameters, not {vector.size}")
    if vector[KIND] not in (SIMPLE, ENSEMBLE):
        raise NotLegalHere(f"numbers alone are a simple player ({SIMPLE}) or an ensemble ({ENSEMBLE}), not of kind {vector[KIND]:g}")
    for at, number in enumerate(vector.tolist()):
        if not abs(number) <= MOST_NUMBER:
            raise NotLegalHere(f"parameter {at} of a player is a number up to {MOST_NUMBER:,.0f}, not {number:g}")
    return vector


def pair_of(first: Any, second: Any) -> Pair:
    """Return two players as a kernel takes them, values with codes of one type: it takes no mixture."""
    both = [seat(first), seat(second)]
    kinds = {one.book.values.codes.dtype for one in both if one.book.values.codes.size > 1}
    if len(kinds) > 1:
        raise NotLegalHere("a computed player of 8 bits and one of 16 cannot meet in the batch kernel")
    none = NO_VALUES._replace(codes=np.zeros((1, 1), kinds.pop() if kinds else np.uint8))
    one, other = (book if book.values.codes.size > 1 else book._replace(values=none) for book in (each.book for each in both))
    return Pair(np.array([each.vector for each in both]), (one, other))


def _dealt(first: Any, second: Any, rules: Rules) -> Pair:
    """Return two players who know the deck of the rules."""
    pair = pair_of(first, second)
    if rules.small and any(pair.vectors[:, KIND] != SIMPLE):
        raise NotLegalHere(ONLY_SIMPLE)
    return pair


def rule_vector(rules: Rules) -> NDArray[np.int64]:
    """Return [RULES] int64, or name the rule that players of a batch do not play."""
    if rules.wall_knock:
        raise NotLegalHere("the kernels do not play wall_knock, a last knock at the wall")
    return every_rule(rules)


def every_rule(rules: Rules) -> NDArray[np.int64]:
    """Return [RULES] int64 with all that decides a game.

    ``lay_off`` is not in it, as players in the kernels lay off greedily where they choose; nor are the bonuses of a match.
    """
    vector = np.zeros(kernel_layout.RULES, np.int64)
    values = {
        kernel_layout.LIMIT: rules.knock_limit,
        kernel_layout.OKLAHOMA: rules.oklahoma,
        kernel_layout.GIN: rules.gin_bonus,
        kernel_layout.BIG_GIN: rules.big_gin_bonus,
        kernel_layout.UNDERCUT: rules.undercut_bonus,
        kernel_layout.EQUAL: rules.equal_deadwood == "nothing",
        kernel_layout.OFFER: rules.offer_upcard,
        kernel_layout.FLOOR: rules.stock_floor,
        kernel_layout.MOST_UPCARDS: rules.most_upcard_draws,
        kernel_layout.MOST_DRAWS: rules.most_draws,
        kernel_layout.RANDOM_START: rules.first_starter == "random",
        kernel_layout.NEXT: NEXT[rules.next_starter],
        kernel_layout.POINTS_WANTED: rules.match_points,
        kernel_layout.CARDS_EACH: rules.cards,
        kernel_layout.RANKS: rules.ranks,
        kernel_layout.SUITS: rules.suits,
        kernel_layout.WALL_KNOCK: rules.wall_knock,
        kernel_layout.RETURN_UPCARD: rules.return_upcard,
        kernel_layout.RETURNED_TWICE: rules.void_if_returned_twice,
    }
    for at, value in values.items():
        vector[at] = value
    return vector


def play_batch(first: Any, second: Any, rules: Rules, seed: int, start: int, games: int, *, threads: int = 0) -> NDArray[np.int32]:
    """Return [games, COUNTS] int32, what happened in games ``start`` and following with these players in these seats."""
    deals, number = verified(seed), whole_number(start, "number of the first game")
    counts, log = (
        np.zeros((whole_number(games, "number of games"), kernel_layout.COUNTS), np.int32),
        np.empty((0, kernel_layout.LOG_WIDTH), np.int64),
    )
    pair, vector = _dealt(first, second, rules), rule_vector(rules)

    def play(at: int, many: int) -> None:
        kernel_round.play_some(pair, vector, deals, number + at, many, log, counts[at : at + many])

    if threads > (most := numba.config.NUMBA_NUM_THREADS):
        raise NotPossible(f"{threads} threads asked for, this machine has {most}")
    on_cores(play, games, threads=threads, size=CHUNK)
    return counts


def batch_of(counts: NDArray[np.int32], rules: Rules) -> Batch:
    """Return [games, COUNTS] as the protocol has it, with the bonuses of the match in the scores."""
    numbers = counts.astype(np.int64)
    wins = (numbers[:, [kernel_layout.WINNER_SEAT]] == np.arange(2)).astype(np.float64)

    def both(place: int) -> NDArray[np.int64]:
        return numbers[:, place : place + 2]

    points, decided = both(kernel_layout.SCORE), (wins.sum(1) > 0)[:, None] & bool(rules.match_points)
    shutout = rules.shutout_bonus * (points[:, ::-1] == 0)
    bonuses = wins.astype(np.int64) * (rules.game_bonus + shutout) + rules.box_bonus * both(kernel_layout.WON)
    found = {
        "rounds": numbers[:, kernel_layout.ROUNDS],
        "turns": numbers[:, kernel_layout.DRAWN],
        "points": points,
        "gins": both(kernel_layout.GINS),
        "undercuts": both(kernel_layout.UNDERCUTS),
        "voids": numbers[:, kernel_layout.VOIDS],
    }
    return Batch(points + decided * bonuses, wins, found, {})


def trace(first: Any, second: Any, rules: Rules, seed: int, game: int) -> NDArray[np.int64]:
    """Return [steps, 7] int64, every step of one game: seat, verb, card, four melds as hands."""
    log, counts = np.zeros((20_000, kernel_layout.LOG_WIDTH), np.int64), np.zeros((1, kernel_layout.COUNTS), np.int32)
    number = whole_number(game, "number of the game")
    kernel_round.play_some(_dealt(first, second, rules), rule_vector(rules), verified(seed), number, 1, log, counts)
    return log[: counts[0, kernel_layout.STEPS]]
