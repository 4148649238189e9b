"""Who looks back: values every candidate of a decision anew, on worlds dealt from what the seat knew.

>>> from meldlab.gin.advice import imagined_view
>>> gin = imagined_view("2C 3C 4C 9D 9H 9S KC KD KH KS 5H")
>>> decision = Reviewer.named("simple", worlds=50).weigh(gin, Move.parse("drop KS"))
>>> decision.best.move, decision.kind, decision.is_mistake()
(Move.parse('knock 5H | 9D 9H 9S | KC KD KH KS | 2C 3C 4C'), <Kind.LATE: 'knocked too late'>, True)
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray

from meldlab.chance import Purpose, verified
from meldlab.errors import NotLegalHere, whole_number
from meldlab.gin import players
from meldlab.gin.batch import Seated, pair_of, plays_in_kernel, seat
from meldlab.gin.match import Gin, Match
from meldlab.gin.move import Move
from meldlab.gin.players.policy import PolicyPlayer
from meldlab.gin.review.candidates import candidates_of, same
from meldlab.gin.review.decision import LEAST, SURE, Candidate, Decision, Judgement
from meldlab.gin.review.equity import Equity
from meldlab.gin.round import Round
from meldlab.gin.rules import Rules
from meldlab.gin.view import HAND_CARDS, Phase, View
from meldlab.gin.worlds import NO_ODDS, played_out, points_of
from meldlab.play import Deal, Record, Step, replay

__all__ = ["PLAYER", "WORLDS", "Reviewer", "steps_of"]

PLAYER, WORLDS = "champion", 200
MOST_WORLDS = 1_000_000
AGAIN = 4  # so many times the worlds, fresh ones, for what looks like a mistake
Worth = tuple[NDArray[np.float64], NDArray[np.float64]]


def steps_of(record: Record) -> list[Step[Match]]:
    """Return every step of a gin record, finished or not; one that is of another game, or broken, is refused."""
    if record.game != "gin":
        raise NotLegalHere(f"this is a record of {record.game}; only gin can be reviewed")
    return list(replay(Gin.read(record.rules), record))


@dataclass(frozen=True, eq=False)
class Reviewer:
    """A player who plays both seats of every world to the end of the round, on so many worlds.

    The opponent is taken to play as the reviewer does, and its hand to be one that has been played with for as many turns as the real one.
    A policy says where it believes the cards to be; its worlds are played out by the light network inside it, which is fast enough.
    """

    seated: Seated = field(repr=False)
    worlds: int = WORLDS
    seed: int = 0
    threads: int = 1
    least: float = LEAST
    """What a decision must seem to lose to be looked at again; below it nothing is called a mistake."""
    _equities: dict[Rules, Equity] = field(default_factory=dict, repr=False)
    policy: PolicyPlayer | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        whole_number(self.worlds, "number of worlds", 2, MOST_WORLDS)
        verified(self.seed)
        if not 0 <= self.least <= 1:
            raise NotLegalHere(f"the least loss of a mistake is a chance from 0 to 1, not {self.least:g}")

    @classmethod
    def named(cls, player: str = PLAYER, worlds: int = WORLDS, seed: int = 0, threads: int = 1, least: float = LEAST) -> "Reviewer":
        """Return a reviewer by the name of its player, one that the kernels play."""
        seated, equities, policy = _seated(player)
        return cls(seated, worlds, seed, threads, least, equities, policy)

    @property
    def player(self) -> str:
        """Return the name of the player."""
        return self.seated.name

    def equity(self, rules: Rules) -> Equity:
        """Return the chance to win by scores under these rules; what a machine has not measured yet takes a second or two."""
        if rules not in self._equities:
            self._equities[rules] = Equity.measured(self.seated, rules, self.threads)
        return self._equities[rules]

    def decisions(self, steps: Iterable[Step[Match]], seats: Iterable[int] = (0, 1), since: int = 0) -> Iterator[Decision]:
        """Give the decisions of some seats one by one, in the order of the game, from action ``since`` on; forced ones are left out."""
        looked_at = tuple(seats)
        for step in steps:
            if step.number >= since and step.seat in looked_at and not step.forfeit:
                decision = self.look(step)
                if decision is not None:
                    yield decision

    def look(self, step: Step[Match]) -> Decision | None:
        """Return the decision of one step, or nothing where there was no choice."""
        decision = self.weigh(step.before.view(step.seat), step.action, step.number)
        # Ways to show that all come to the same are no choice.
        return decision if decision is not None and (decision.worlds or decision.candidates[-1].cost > 0) else None

    def weigh(self, view: View, done: Move, number: int = 0) -> Decision | None:
        """Value every candidate of a view in which ``done`` was done, as action ``number``; nothing if it is the only one."""
        view.verify(done)
        moves = candidates_of(view, done)
        if len(moves) == 1:
            return None
        at = next(i for i, move in enumerate(moves) if same(move, done))
        worth = self._worth(view, moves, number, range(self.worlds))
        decision = _decided(number, view, moves[at], moves, worth, sure=view.phase is Phase.SHOW)
        if not decision.worlds or not decision.own.clear or decision.own.cost < self.least:
            return decision
        # Its numbers were looked at because they were large, which luck helps; fresh worlds do not know of that.
        again = self._worth(view, moves, number, range(self.worlds, (1 + AGAIN) * self.worlds))
        return _decided(number, view, moves[at], moves, again, sure=_is_sure(again[0], at))

    def judge(self, decision: Decision, move: Move) -> Judgement:
        """Say whether another move is good, also one that was not among the candidates."""
        decision.view.verify(move)
        if not any(same(move, one.move) for one in decision.candidates):
            again = self.weigh(decision.view, move, decision.number)
            assert again is not None
            decision = again
        return decision.judge(move)

    def _worth(self, view: View, moves: list[Move], number: int, worlds: range) -> Worth:
        """Return [worlds, moves] chances to win and points; a single row where nothing is hidden."""
        outcomes = _shown(view, moves) if view.phase is Phase.SHOW else self._played(view, moves, number, worlds)
        scores = view.scores[view.seat], view.scores[1 - view.seat]
        chances = self.equity(view.rules).after(scores, int(view.starter != view.seat), outcomes)
        return chances, points_of(outcomes)

    def _played(self, view: View, moves: list[Move], number: int, worlds: range) -> NDArray[np.int64]:
        # The worlds hang from a seed of the review's own: from that of the game the hidden cards could be told.
        hidden = 52 - HAND_CARDS - (view.mask | sum(1 << card for card in view.pile_indices)).bit_count()
        if hidden != view.stock:
            raise NotLegalHere(f"{hidden} cards would be in stock in this position, not {view.stock}")
        key = Deal(self.seed).chance(number, view.seat).key(Purpose.REVIEW)
        odds = NO_ODDS if self.policy is None else self.policy.odds(view)
        return played_out(view, moves, key, worlds, pair_of(self.seated, self.seated), odds=odds, threads=self.threads)


@cache
def _seated(player: str) -> tuple[Seated, dict[Rules, Equity], PolicyPlayer | None]:
    """Return who plays worlds out for a player, what points were found to be worth to it, and whose belief it is; reviewers share that."""
    found = players.parse(player)
    if not plays_in_kernel(found):
        raise NotLegalHere(f"{player} cannot review: simple, knock:A,B,T, ensemble, marjj, champion and computed ones play worlds out")
    if isinstance(found, PolicyPlayer):
        return seat(found.adviser)._replace(name=player), {}, found
    return seat(found), {}, None


def _shown(view: View, moves: list[Move]) -> NDArray[np.int64]:
    """Return [1, moves], the outcome of each way to show: all cards lie open, so the rules say it."""
    masks = (view.mask, view.knocker_mask) if view.seat == 0 else (view.knocker_mask, view.mask)
    hands = (view.card_indices, ()) if view.seat == 0 else ((), view.card_indices)
    places = view.starter, (), view.stock, view.pile_indices, hands, masks, view.history
    round, found = Round(view.rules, view.limit, view.phase, view.seat, *places, knock=view.knock), []
    for move in moves:
        outcome = round.apply(move).outcome
        assert outcome is not None
        found.append(0 if outcome.winner is None else outcome.points + 1 if outcome.winner == view.seat else -outcome.points - 1)
    return np.array([found], np.int64)


def _decided(number: int, view: View, done: Move, moves: list[Move], worth: Worth, *, sure: bool) -> Decision:
    chances, points = worth
    worlds, means = len(chances), chances.mean(axis=0)
    best = int(means.argmax())
    losses = chances[:, [best]] - chances
    errors = losses.std(axis=0, ddof=1) / np.sqrt(worlds) if worlds > 1 else np.zeros(len(moves))
    found = [
        Candidate(move, float(mean), float(won), float(means[best] - mean), float(error))
        for move, mean, won, error in zip(moves, means, points.mean(axis=0), errors, strict=True)
    ]
    # The move that was made comes first among equals.
    found.sort(key=lambda one: (one.cost, one.move is not done))
    return Decision(number, view, done, tuple(found), worlds if view.phase is not Phase.SHOW else 0, sure)


def _is_sure(chances: NDArray[np.float64], at: int) -> bool:
    """Tell whether move ``at`` loses against the best on worlds that had no part in choosing the best.

    The best of many numbers is too good by luck: so for each part of the worlds it is chosen by the other parts.
    """
    parts = np.split(chances, AGAIN)
    total = chances.sum(axis=0)
    losses = np.concatenate([part[:, (total - part.sum(axis=0)).argmax()] - part[:, at] for part in parts])
    return bool(losses.mean() > SURE * losses.std(ddof=1) / np.sqrt(len(losses)))
