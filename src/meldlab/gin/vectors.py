"""Rules and players as the batch kernels take them, and batches as they come back."""

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from meldlab.errors import NotLegalHere
from meldlab.gin import kernel_batch as place
from meldlab.gin.book import NO_BOOK, Book
from meldlab.gin.rules import Rules

__all__ = ["Vectorial", "play_batch", "rule_vector", "trace"]

NEXT = {"alternates": place.ALTERNATES, "winner": place.WINNER, "loser": place.LOSER}


@runtime_checkable
class Vectorial(Protocol):
    """A player that the batch kernels know how to play."""

    def vector(self) -> NDArray[np.float64]:
        """Return [PARAMETERS] float64."""


def rule_vector(rules: Rules) -> NDArray[np.int64]:
    """Return [RULES] int64."""
    vector = np.zeros(place.RULES, np.int64)
    values = {
        place.LIMIT: rules.knock_limit,
        place.OKLAHOMA: rules.oklahoma,
        place.GIN: rules.gin_bonus,
        place.BIG_GIN: rules.big_gin_bonus,
        place.UNDERCUT: rules.undercut_bonus,
        place.EQUAL: rules.equal_deadwood == "nothing",
        place.OFFER: rules.offer_upcard,
        place.FLOOR: rules.stock_floor,
        place.MOST_UPCARDS: rules.most_upcard_draws,
        place.MOST_DRAWS: rules.most_draws,
        place.RANDOM_START: rules.first_starter == "random",
        place.NEXT: NEXT[rules.next_starter],
        place.POINTS_WANTED: rules.match_points,
        place.CARDS_EACH: 10,
        place.RANKS: 13,
    }
    for at, value in values.items():
        vector[at] = value
    return vector


def _players(first: Vectorial, second: Vectorial) -> tuple[NDArray[np.float64], tuple[Book, Book]]:
    books = (getattr(first, "book", NO_BOOK), getattr(second, "book", NO_BOOK))
    return np.array([first.vector(), second.vector()]), books


def play_batch(
    first: Vectorial, second: Vectorial, rules: Rules, seed: int, start: int, games: int, *, mirror: bool, parallel: bool = True
) -> NDArray[np.int32]:
    """Return [games, COUNTS] int32, what happened in games ``start`` and following."""
    if rules.wall_knock:
        raise NotLegalHere("the batch kernel does not play a last knock at the wall")
    counts = np.zeros((games, place.COUNTS), np.int32)
    if parallel:
        place.play_games(*_players(first, second), rule_vector(rules), seed, start, games, mirror, counts)
    else:
        log = np.empty((0, place.LOG_WIDTH), np.int64)
        place.play_some(*_players(first, second), rule_vector(rules), seed, start, games, mirror, log, counts)
    return counts


def trace(first: Vectorial, second: Vectorial, rules: Rules, seed: int, game: int, turned: int) -> NDArray[np.int64]:
    """Return [steps, 7] int64, every step of one game: seat, verb, card, four melds as hands."""
    log, counts = np.zeros((20_000, place.LOG_WIDTH), np.int64), np.zeros((1, place.COUNTS), np.int32)
    place.play_some(*_players(first, second), rule_vector(rules), seed, 2 * game + turned, 1, True, log, counts)
    return log[: counts[0, place.STEPS]]
