"""Gin rummy as the Table plays it: rounds until a player has the points.

>>> from meldlab.play import RandomPlayer, Table
>>> played = Table(Gin(), [RandomPlayer(), RandomPlayer()]).play(Deal(seed=3))
>>> max(played.result.scores) >= 100
True
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from meldlab.cards import CARDS
from meldlab.chance import Purpose
from meldlab.gin.kernel_state import MAX_ROUNDS
from meldlab.gin.move import Move, Verb
from meldlab.gin.outcome import Outcome
from meldlab.gin.round import Round, make
from meldlab.gin.rules import Rules
from meldlab.gin.view import Phase, View
from meldlab.play import Batch, Chance, Count, Deal, FinishedGame, Player, Result

OVER = Phase.OVER


class Match(NamedTuple):
    """State of a match."""

    rules: Rules
    deal: Deal
    round: Round
    number: int = 0
    scores: tuple[int, int] = (0, 0)
    seat: int | None = None
    """Seat to act; None when the match is over."""
    outcomes: tuple[Outcome, ...] = ()
    """Outcomes of the finished rounds."""

    @property
    def result(self) -> Result | None:
        """Return the final scores, with the bonuses of the match."""
        if self.round.phase is not OVER:
            return None
        rules, scores = self.rules, list(self.scores)
        winner = self.outcomes[-1].winner
        if max(scores) < rules.match_points:
            winner = None  # too many rounds without an end
        if rules.match_points and winner is not None:
            scores[winner] += rules.game_bonus + (rules.shutout_bonus if scores[1 - winner] == 0 else 0)
            for seat in range(2):
                scores[seat] += rules.box_bonus * sum(outcome.winner == seat for outcome in self.outcomes)
        num_rounds = len(self.outcomes)
        text = f"{self.outcomes[-1]}" if num_rounds == 1 else f"{num_rounds} rounds"
        return Result(tuple(scores), () if winner is None else (winner,), text)

    def apply(self, action: Move) -> "Match":
        """Return the match after a move; when a round ends, the next is dealt."""
        rules, deal, round, number, scores, _, outcomes = self
        after = round.apply(action)
        if after.outcome is None:
            match: Match = make(Match, (rules, deal, after, number, scores, after.seat, outcomes))
            return match
        return self._next_round(after, after.outcome)

    def _next_round(self, over: Round, outcome: Outcome) -> "Match":
        rules, winner, scores, starter = self.rules, outcome.winner, self.scores, over.starter
        if winner is not None:
            scores = (scores[0] + outcome.points, scores[1]) if winner == 0 else (scores[0], scores[1] + outcome.points)
            starter = {"alternates": 1 - starter, "winner": winner, "loser": 1 - winner}[rules.next_starter]
        outcomes = (*self.outcomes, outcome)
        if not rules.match_points or max(scores) >= rules.match_points or len(outcomes) == MAX_ROUNDS:
            return Match(rules, self.deal, over, self.number, scores, None, outcomes)
        number = self.number + 1
        return Match(rules, self.deal, Round.deal(rules, self.deal.deck(number, rules.pack), starter), number, scores, starter, outcomes)

    def describe(self, action: Move, seat: int | None = None) -> str:
        """Return the move as in a record, or as ``seat`` sees it: a card drawn from stock is hidden from the other seat."""
        if action.verb is Verb.DRAW and seat in (None, self.seat):
            return f"{action} {CARDS[self.round.deck[-self.round.stock]]}"
        return str(action)

    def view(self, seat: int) -> View:
        """Return the view of ``seat``."""
        _, _, round, number, scores, _, outcomes = self
        return round.view(seat, scores, number, outcomes)

    def forfeit(self, seat: int, why: str) -> Result:
        """Return the result when ``seat`` forfeits: 0 points, and for the other the most that it could still have reached."""
        rules, other = self.rules, 1 - seat
        most = rules.max_round_points
        if rules.match_points:
            # A won round scores a point at least, so the number of rounds is bounded.
            boxes = sum(outcome.winner == other for outcome in self.outcomes) + rules.match_points - self.scores[other]
            most += rules.match_points - 1 + rules.game_bonus + rules.shutout_bonus + rules.box_bonus * boxes
        return Result((most, 0) if other == 0 else (0, most), (other,), why)

    def redeal(self, seat: int, chance: Chance) -> "Match":
        """Permute the cards that ``seat`` cannot see."""
        return self._replace(round=self.round.redeal(seat, chance))


@dataclass(frozen=True)
class Gin:
    """The game, under some rules."""

    rule: Rules = Rules()  # noqa: RUF009  # frozen, so sharing it is harmless
    name: str = "gin"
    seats: range = range(2, 3)
    lowest_wins: ClassVar[bool] = False
    counts: ClassVar[Mapping[str, Count]] = {
        "rounds": Count(),
        "turns": Count("rounds"),
        "points": Count("rounds", by_seat=True),
        "gins": Count("rounds", rate=True, by_seat=True),
        "undercuts": Count("rounds", rate=True, by_seat=True),
        "voids": Count("rounds", rate=True),
    }

    def rules(self) -> Mapping[str, Any]:
        """Return the preset and the fields that differ from it."""
        return self.rule.as_record()

    @classmethod
    def read(cls, rules: Mapping[str, Any]) -> "Gin":
        """Return the game under the rules of a record."""
        return cls(Rules.read(rules))

    def start(self, seats: int, deal: Deal) -> Match:
        """Deal the first round."""
        starter = deal.below(2, 0, Purpose.STARTER) if self.rule.first_starter == "random" else 0
        return Match(self.rule, deal, Round.deal(self.rule, deal.deck(0, self.rule.pack), starter), seat=starter)

    def counted(self, played: FinishedGame[Match]) -> dict[str, Any]:
        """Return the counts of a match, by the names in ``counts``."""
        outcomes = played.last.outcomes
        kinds = {"gins": ("gin", "big gin"), "undercuts": ("undercut",)}

        def by_seat(value: Callable[[Outcome], int]) -> tuple[int, ...]:
            return tuple(sum(value(outcome) for outcome in outcomes if outcome.winner == seat) for seat in range(2))

        return {
            "rounds": len(outcomes),
            "turns": sum(outcome.draws for outcome in outcomes),
            "points": by_seat(lambda outcome: outcome.points),
            **{name: by_seat(lambda outcome, names=names: outcome.kind in names) for name, names in kinds.items()},  # type: ignore[misc]
            "voids": sum(outcome.kind == "void" for outcome in outcomes),
        }

    def can_batch(self, players: Sequence[object]) -> bool:
        """Return whether the batch kernel plays these players under these rules."""
        from meldlab.gin.batch import can_batch

        return can_batch(self.rule, players)

    def batch(self, players: Sequence[Player[View, Move]], seed: int, first: int, games: int, threads: int) -> Batch:
        """Play games in the batch kernel."""
        from meldlab.gin.batch import batch_from_matches, play_batch

        return batch_from_matches(play_batch(players[0], players[1], self.rule, seed, first, games, threads=threads), self.rule)
