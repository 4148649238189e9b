"""Rules and players as the batch kernels take them, and batches as they come back."""

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from meldlab.errors import NotLegalHere
from meldlab.gin import kernel_batch as place
from meldlab.gin.book import NO_BOOK, Book
from meldlab.gin.rules import Rules
from meldlab.pieces import on_cores

__all__ = ["Vectorial", "books_of", "play_batch", "rule_vector", "trace"]

CHUNK = 16  # games of the first piece that a core plays; an ensemble needs some five milliseconds for them
NEXT = {"alternates": place.ALTERNATES, "winner": place.WINNER, "loser": place.LOSER}


@runtime_checkable
class Vectorial(Protocol):
    """A player that the batch kernels know how to play."""

    def vector(self) -> NDArray[np.float64]:
        """Return [PARAMETERS] float64."""


def rule_vector(rules: Rules, cards: int = 10, ranks: int = 13) -> NDArray[np.int64]:
    """Return [RULES] int64; smaller games have fewer ``cards`` in a hand and fewer ``ranks`` in the deck."""
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
        place.CARDS_EACH: cards,
        place.RANKS: ranks,
    }
    for at, value in values.items():
        vector[at] = value
    return vector


def books_of(first: Vectorial, second: Vectorial) -> tuple[Book, Book]:
    """Return what both players compute with, codes of one type: a kernel that plays a pair takes no mixture."""
    books = [getattr(player, "book", NO_BOOK) for player in (first, second)]
    kinds = {book.codes.dtype for book in books if book.codes.size > 1}
    if len(kinds) > 1:
        raise NotLegalHere("a computed player of 8 bits and one of 16 cannot meet in the batch kernel")
    kind = kinds.pop() if kinds else NO_BOOK.codes.dtype
    one, other = (book if book.codes.size > 1 else book._replace(codes=np.zeros((1, 1), kind)) for book in books)
    return one, other


def _players(first: Vectorial, second: Vectorial) -> tuple[NDArray[np.float64], tuple[Book, Book]]:
    return np.array([first.vector(), second.vector()]), books_of(first, second)


def play_batch(
    first: Vectorial, second: Vectorial, rules: Rules, seed: int, start: int, games: int, *, mirror: bool, parallel: bool = True
) -> NDArray[np.int32]:
    """Return [games, COUNTS] int32, what happened in games ``start`` and following."""
    if rules.wall_knock:
        raise NotLegalHere("the batch kernel does not play a last knock at the wall")
    counts, log = np.zeros((games, place.COUNTS), np.int32), np.empty((0, place.LOG_WIDTH), np.int64)
    players, books = _players(first, second)
    vector = rule_vector(rules)

    def play(at: int, many: int) -> None:
        place.play_some(players, books, vector, seed, start + at, many, mirror, log, counts[at : at + many])

    on_cores(play, games, threads=0 if parallel else 1, size=CHUNK)
    return counts


def trace(first: Vectorial, second: Vectorial, rules: Rules, seed: int, game: int, turned: int) -> NDArray[np.int64]:
    """Return [steps, 7] int64, every step of one game: seat, verb, card, four melds as hands."""
    log, counts = np.zeros((20_000, place.LOG_WIDTH), np.int64), np.zeros((1, place.COUNTS), np.int32)
    place.play_some(*_players(first, second), rule_vector(rules), seed, 2 * game + turned, 1, True, log, counts)
    return log[: counts[0, place.STEPS]]
