"""Matches: several deals of a game with running totals, until a total reaches a target or a number of deals is played.

Deal ``r`` of match ``g`` of a seed is game ``(r << 32) + g`` of the seed, and seat ``s`` plays seat ``(s - r) % seats`` of it, so that the
lead goes round. Actions, and the seats that their texts name, are those of the deal.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from meldlab.errors import NotLegalHere, whole_number
from meldlab.play.batch import Batch, Count
from meldlab.play.chance import Chance, Deal
from meldlab.play.protocol import Game, Result
from meldlab.play.table import FinishedGame

G = TypeVar("G", bound=Game[Any])
MAX_DEALS = 1000  # of a match to a target that is not reached
DEAL_BITS = 32  # of the number of a game, for the number of the match
SEAT = re.compile(r"\bp([1-9]\d?)\b")


def with_seats_of_match(text: str, number: int, seats: int) -> str:
    """Return a text of deal ``number`` with the seats of the match.

    >>> with_seats_of_match("p1 gives A♥ to p2", number=1, seats=2)
    'p2 gives A♥ to p1'
    """
    return SEAT.sub(lambda match: f"p{(int(match[1]) - 1 + number) % seats + 1}" if int(match[1]) <= seats else match[0], text)


@dataclass(frozen=True)
class MatchGame(Generic[G]):
    """A game of several deals: up to a total of ``target``, or this number of ``deals``."""

    game: G
    target: int | None = None
    deals: int | None = None
    game_class: ClassVar[type[Any] | None] = None
    """The game of records, in a subclass."""

    def __post_init__(self) -> None:
        if (self.target is None) == (self.deals is None):
            raise NotLegalHere("a match has a target or a number of deals")
        if self.target is not None:
            whole_number(self.target, "target", 1, 10**9)
        if self.deals is not None:
            whole_number(self.deals, "number of deals", 1, MAX_DEALS)

    @property
    def name(self) -> str:
        """Return the name of the game."""
        return self.game.name

    @property
    def seats(self) -> range:
        """Return the numbers of players of the game."""
        return self.game.seats

    @property
    def lowest_wins(self) -> bool:
        """Return whether the lowest total wins."""
        return self.game.lowest_wins

    @property
    def teams(self) -> tuple[int, ...]:
        """Return the team of each seat; teams must sit so that the rotation of seats keeps them."""
        return getattr(self.game, "teams", ())

    @property
    def counts(self) -> Mapping[str, Count]:
        """Return the counts of the game, per deal, and the number of deals."""
        counts: Mapping[str, Count] = getattr(self.game, "counts", {})
        of_deals = {name: count._replace(per="deals") if count.per == "games" else count for name, count in counts.items()}
        return {"deals": Count(), **of_deals}

    def game_of_deal(self, number: int) -> G:
        """Return the game of deal ``number``; a subclass may change it from deal to deal."""
        return self.game

    def rules(self) -> Mapping[str, Any]:
        """Return the rules of the game, and of the match."""
        match = {"target": self.target} if self.deals is None else {"deals": self.deals}
        return {**self.game.rules(), "match": match}

    @classmethod
    def read(cls, rules: Mapping[str, Any]) -> Self:
        """Return the match of a record; for a subclass with a ``game_class``."""
        if cls.game_class is None:
            raise NotLegalHere("the game of this match is not known")
        match = rules.get("match")
        if not isinstance(match, Mapping) or not match.keys() <= {"target", "deals"}:
            raise NotLegalHere("the rules of a match are target = NUMBER or deals = NUMBER")
        return cls(cls.game_class.read({name: value for name, value in rules.items() if name != "match"}), **match)

    def start(self, seats: int, deal: Deal) -> "MatchState":
        """Return the first state of the first deal."""
        if deal.given:
            raise NotLegalHere("the cards of a match cannot be given")
        return MatchState(self, deal, 0, (0,) * seats, self.game_of_deal(0).start(seats, deal))._continue()

    def is_over(self, number: int, totals: NDArray[np.int64]) -> Any:
        """Return whether a match ends with its totals [.., seats] after ``number`` deals."""
        if self.deals is not None:
            return np.full(totals.shape[:-1], number >= self.deals)
        return (totals.max(axis=-1) >= self.target) | (number >= MAX_DEALS)

    def result(self, number: int, totals: tuple[int, ...]) -> Result:
        """Return the result with these totals."""
        best = min(totals) if self.lowest_wins else max(totals)
        limit = "" if self.target is None or max(totals) >= self.target else f" (stopped: {self.target} is not reached)"
        how = f"the {'lowest' if self.lowest_wins else 'highest'} total of {number} deal{'s' * (number != 1)} wins{limit}"
        return Result(totals, tuple(seat for seat, total in enumerate(totals) if total == best), how)

    def counted(self, played: FinishedGame[Any]) -> dict[str, int]:
        """Return the sums of what is counted in the deals."""
        last: MatchState = played.last
        counts, first = {"deals": len(last.ended)}, 0
        for number, (state, num_actions) in enumerate(last.ended):
            game, actions = self.game_of_deal(number), played.actions[first : first + num_actions]
            first += num_actions
            deal = FinishedGame(game, played.players, last.deal_of(number), state, state, actions, state.result)
            of_deal: dict[str, int] = game.counted(deal) if hasattr(game, "counted") else {}
            counts |= {name: counts.get(name, 0) + value for name, value in of_deal.items()}
        return counts

    def can_batch(self, players: Sequence[Any]) -> bool:
        """Return whether the kernel of the game plays these players."""
        can_batch = getattr(self.game, "can_batch", None)
        return can_batch is not None and can_batch(players)

    def batch(self, players: Sequence[Any], seed: int, first: int, games: int, threads: int = 0) -> Batch:
        """Play matches ``first`` and following of a seed by kernel, as a table would play them: one batch per deal."""
        seats = len(players)
        totals, numbers, running = np.zeros((games, seats), np.int64), np.zeros(games, np.int64), np.arange(games)
        counts: dict[str, NDArray[np.int64]] = {}
        failures: dict[int, str] = {}
        number = 0
        while len(running):
            game: Any = self.game_of_deal(number)
            of_deal = [players[(seat + number) % seats] for seat in range(seats)]
            for rows in np.split(running, np.flatnonzero(np.diff(running) > 1) + 1):
                start = (number << DEAL_BITS) + first + int(rows[0])
                batch = game.batch(of_deal, seed, start, len(rows), threads)
                totals[rows] += np.roll(batch.scores, number, axis=1)
                for name, column in batch.counts.items():
                    column = np.roll(column, number, axis=1) if column.ndim == 2 else column
                    counts.setdefault(name, np.zeros((games, *column.shape[1:]), np.int64))[rows] += column
                for game_number, why in batch.abnormal_ends.items():
                    failures.setdefault(first + int(rows[0]) + game_number - start, f"deal {number + 1}: {why}")
            number += 1
            numbers[running] = number
            running = running[~self.is_over(number, totals[running])]
        best = totals == (totals.min(axis=1) if self.lowest_wins else totals.max(axis=1))[:, None]
        return Batch(totals, best / best.sum(axis=1)[:, None], {"deals": numbers, **counts}, failures)


@dataclass(frozen=True)
class MatchState:
    """A match at one moment: the number of the deal from 0, the totals of the ended deals by seat, and the state of the deal.

    ``num_actions``: actions of this deal. ``ended``: the last state and the number of actions of each ended deal.
    """

    match: MatchGame[Any] = field(compare=False)
    deal: Deal
    number: int
    totals: tuple[int, ...]
    inner: Any
    num_actions: int = 0
    ended: tuple[tuple[Any, int], ...] = field(default=(), repr=False)

    def seat_in_deal(self, seat: int) -> int:
        """Return the seat of the deal that a seat of the match plays."""
        return (seat - self.number) % len(self.totals)

    def deal_of(self, number: int) -> Deal:
        """Return the deal with this number in the match."""
        return Deal(self.deal.seed, (number << DEAL_BITS) + self.deal.number)

    @property
    def seat(self) -> int | None:
        """Return the seat of the match that acts; None at the end."""
        return None if self.inner.seat is None else (self.inner.seat + self.number) % len(self.totals)

    @property
    def result(self) -> Result | None:
        """Return the result; None before the end of the last deal."""
        return self.match.result(len(self.ended), self.totals) if len(self.ended) > self.number else None

    def chance(self) -> Chance:
        """Return the draws of the player to act: those that it would have in the deal alone."""
        return self.deal_of(self.number).chance(self.num_actions, self.inner.seat)

    def view(self, seat: int) -> "MatchView":
        """Return the view of a seat of the match."""
        return MatchView(seat, self.number, self.totals, self.inner.view(self.seat_in_deal(seat)))

    def apply(self, action: Any) -> "MatchState":
        """Apply an action to the deal; at its end add the scores and start the next one."""
        return replace(self, inner=self.inner.apply(action), num_actions=self.num_actions + 1)._continue()

    def _continue(self) -> "MatchState":
        state, seats = self, len(self.totals)
        while (result := state.inner.result) is not None:
            number = state.number + 1
            totals = tuple(state.totals[seat] + result.scores[state.seat_in_deal(seat)] for seat in range(seats))
            ended = (*state.ended, (state.inner, state.num_actions))
            if self.match.is_over(number, np.array(totals)):
                return replace(state, totals=totals, ended=ended)
            inner = self.match.game_of_deal(number).start(seats, self.deal_of(number))
            state = replace(state, number=number, totals=totals, inner=inner, num_actions=0, ended=ended)
        return state

    def describe(self, action: Any, seat: int | None = None) -> str:
        """Return the action as the record of the deal has it; for a seat, with the seats of the match."""
        if seat is None:
            return str(self.inner.describe(action))
        return with_seats_of_match(self.inner.describe(action, self.seat_in_deal(seat)), self.number, len(self.totals))

    def forfeit(self, seat: int, why: str) -> Result:
        """Return the result when ``seat`` forfeits the deal, and with it the match: its side has the worst total."""
        inner = self.inner.forfeit(self.seat_in_deal(seat), why)
        seats = range(len(self.totals))
        totals = [self.totals[other] + inner.scores[self.seat_in_deal(other)] for other in seats]
        winners = tuple(other for other in seats if self.seat_in_deal(other) in inner.winners)
        last = max(totals) + 1 if self.match.lowest_wins else min(totals) - 1
        return Result(tuple(total if other in winners else last for other, total in enumerate(totals)), winners, why)

    def redeal(self, seat: int, chance: Chance) -> "MatchState":
        """Return a state with the hidden cards of the deal permuted."""
        return replace(self, inner=self.inner.redeal(self.seat_in_deal(seat), chance))


@dataclass(frozen=True)
class MatchView:
    """A seat's view of a match: the number of the deal from 0, the totals before it, and the view of the deal.

    Other attributes are those of the view of the deal.
    """

    seat: int
    number: int
    totals: tuple[int, ...]
    inner: Any

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "inner":
            raise AttributeError(name)
        return getattr(self.inner, name)

    def legal_actions(self) -> Sequence[Any]:
        """Return the legal actions of the deal."""
        actions: Sequence[Any] = self.inner.legal_actions()
        return actions

    def parse(self, text: str) -> Any:
        """Return the action of a text."""
        return self.inner.parse(text)

    def verify(self, action: Any) -> None:
        """Raise NotLegalHere if the action is not legal."""
        self.inner.verify(action)
