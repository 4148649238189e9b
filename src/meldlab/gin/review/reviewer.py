"""The reviewer: evaluates every candidate of a decision on deals sampled from the seat's view.

>>> from meldlab.gin.advice import position_view
>>> gin = position_view("2C 3C 4C 9D 9H 9S KC KD KH KS 5H")
>>> decision = Reviewer.from_name("simple", samples=50).evaluate(gin, Move.parse("drop KS"))
>>> decision.best.move, decision.kind, decision.is_mistake()
(Move.parse('knock 5H | 9D 9H 9S | KC KD KH KS | 2C 3C 4C'), <Kind.LATE: 'knocked too late'>, True)
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray

from meldlab.chance import Purpose, check_seed
from meldlab.errors import NotLegalHere, whole_number
from meldlab.gin import players
from meldlab.gin.batch import PlayerParameters, kernel_parameters, plays_in_kernel
from meldlab.gin.equity import MatchEquity
from meldlab.gin.kernel_sampling import encode_outcome
from meldlab.gin.kernel_state import NO_SEAT
from meldlab.gin.match import Gin, Match
from meldlab.gin.move import Move
from meldlab.gin.players.policy import PolicyPlayer
from meldlab.gin.review.candidates import candidates_of, same
from meldlab.gin.review.decision import MIN_LOSS, SURE_ERRORS, Candidate, Decision, Judgement
from meldlab.gin.round import NUM_SHARED, Round
from meldlab.gin.rules import Rules
from meldlab.gin.sampling import NO_ODDS, points_of, rollouts
from meldlab.gin.view import HAND_CARDS, Phase, View
from meldlab.play import Deal, Record, Step, replay

PLAYER, SAMPLES = "champion", 200
MAX_SAMPLES = 1_000_000
SECOND_LOOK = 4  # times the sampled deals, fresh ones, for an apparent mistake; not tuned
Values = tuple[NDArray[np.float64], NDArray[np.float64]]


def steps_of(record: Record) -> list[Step[Match]]:
    """Return every step of a gin record, finished or not; raises if the record is of another game or broken."""
    if record.game != "gin":
        raise NotLegalHere(f"this is a record of {record.game}; only gin can be reviewed")
    return list(replay(Gin.read(record.rules), record))


@dataclass(frozen=True, eq=False)
class Reviewer:
    """An evaluation of moves by rollouts: a player plays both seats of ``samples`` sampled deals to the end of the round.

    The opponent is assumed to play as the reviewer does; its sampled hand has been played for as many turns as the real one. A policy
    samples hands by its belief, and the light network inside it plays the rollouts, because it is faster.
    """

    player: str
    """Name of the player."""
    parameters: PlayerParameters = field(repr=False)
    """Player of the rollouts."""
    samples: int = SAMPLES
    seed: int = 0
    threads: int = 1
    least: float = MIN_LOSS
    """Minimum loss at which a decision is evaluated a second time; below it nothing is called a mistake."""
    _equities: dict[Rules, MatchEquity] = field(default_factory=dict, repr=False)
    policy: PolicyPlayer | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        whole_number(self.samples, "number of sampled deals", 2, MAX_SAMPLES)
        check_seed(self.seed)
        if not 0 <= self.least <= 1:
            raise NotLegalHere(f"the least loss of a mistake is a probability from 0 to 1, not {self.least:g}")

    @classmethod
    def from_name(
        cls, player: str = PLAYER, samples: int = SAMPLES, seed: int = 0, threads: int = 1, least: float = MIN_LOSS
    ) -> "Reviewer":
        """Return the reviewer of a kernel player's name."""
        parameters, equities, policy = _shared_parts(player)
        return cls(player, parameters, samples, seed, threads, least, equities, policy)

    def equity(self, rules: Rules) -> MatchEquity:
        """Return the match equity under these rules; the first time on a machine it is measured in a second or two."""
        if rules not in self._equities:
            self._equities[rules] = MatchEquity.from_self_play(self.parameters, rules, self.threads)
        return self._equities[rules]

    def decisions(self, steps: Iterable[Step[Match]], seats: Iterable[int] = (0, 1), since: int = 0) -> Iterator[Decision]:
        """Yield the decisions of the seats in the order of the game, from action ``since`` on, without forced moves."""
        reviewed = tuple(seats)
        for step in steps:
            if step.number >= since and step.seat in reviewed and not step.forfeit:
                decision = self.review_step(step)
                if decision is not None:
                    yield decision

    def review_step(self, step: Step[Match]) -> Decision | None:
        """Return the decision of one step, or None if there was no choice."""
        decision = self.evaluate(step.before.view(step.seat), step.action, step.number)
        # Ways to show that all have the same value leave no choice.
        return decision if decision is not None and (decision.samples or decision.candidates[-1].cost > 0) else None

    def evaluate(self, view: View, done: Move, number: int = 0) -> Decision | None:
        """Return the decision for ``done``, action ``number``, in a view, with every candidate; None if it is the only one."""
        decision = self._first_look(view, done, number)
        if decision is None or not decision.samples or not decision.own.clear or decision.own.cost < self.least:
            return decision
        moves, index = _moves_and_index(view, done)
        # Losses selected for their size are biased upwards; fresh deals give unbiased ones.
        again = self._values(view, moves, number, range(self.samples, (1 + SECOND_LOOK) * self.samples))
        return _decision_from(number, view, moves[index], moves, again, sure=_is_sure(again[0], index))

    def candidates(self, view: View) -> tuple[Candidate, ...]:
        """Return every move of the seat to act, the best first, on common sampled deals; none if there is no choice.

        The values are those of a review, so a hint never recommends what a review of the match calls a mistake.

        >>> from meldlab.gin.advice import position_view
        >>> best, *others = Reviewer.from_name("simple").candidates(position_view("2C 2D 2H 2S 4D 4H 4S 8D 8H 8S AC"))
        >>> str(best.move)[:8], best.points > 25, 0.5 < best.win_probability < 1
        ('knock AC', True, True)
        """
        moves = view.legal_actions() if view.acting == view.seat else []
        decision = self._first_look(view, moves[0], len(view.history)) if len(moves) > 1 else None
        return decision.candidates if decision else ()

    def judge(self, decision: Decision, move: Move) -> Judgement:
        """Return whether another move is good, also one that was not among the candidates."""
        decision.view.verify(move)
        if not any(same(move, candidate.move) for candidate in decision.candidates):
            again = self.evaluate(decision.view, move, decision.number)
            assert again is not None
            decision = again
        return decision.judge(move)

    def _first_look(self, view: View, done: Move, number: int) -> Decision | None:
        """Return the decision on the first sampled deals, or None if there is no other move."""
        view.verify(done)
        moves, index = _moves_and_index(view, done)
        if len(moves) == 1:
            return None
        values = self._values(view, moves, number, range(self.samples))
        return _decision_from(number, view, moves[index], moves, values, sure=view.phase is Phase.SHOW)

    def _values(self, view: View, moves: list[Move], number: int, samples: range) -> Values:
        """Return the win probabilities and the points, both [samples, moves]; a single row where no card is hidden."""
        outcomes = _shown(view, moves) if view.phase is Phase.SHOW else self._played(view, moves, number, samples)
        return self.equity(view.rules).after_rollouts(view, outcomes), points_of(outcomes)

    def _played(self, view: View, moves: list[Move], number: int, samples: range) -> NDArray[np.int64]:
        # The deals are sampled with the review's own seed: that of the game would determine the hidden cards.
        hidden = 52 - HAND_CARDS - (view.mask | sum(1 << card for card in view.pile_indices)).bit_count()
        if hidden != view.stock:
            raise NotLegalHere(f"{hidden} cards would be in stock in this position, not {view.stock}")
        key = Deal(self.seed).chance(number, view.seat).key(Purpose.REVIEW)
        odds = NO_ODDS if self.policy is None else self.policy.odds(view)
        results = rollouts(view, moves, key, samples, (self.parameters, self.parameters), odds=odds, threads=self.threads)
        return results.outcomes  # type: ignore[no-any-return]


def _moves_and_index(view: View, done: Move) -> tuple[list[Move], int]:
    """Return the moves to compare, and the index of the one that was made."""
    moves = candidates_of(view, done)
    return moves, next(i for i, move in enumerate(moves) if same(move, done))


@cache
def _shared_parts(player: str) -> tuple[PlayerParameters, dict[Rules, MatchEquity], PolicyPlayer | None]:
    """Return a player's rollout player, its cache of equities and its policy, None if it has none; its reviewers share them."""
    parsed = players.parse(player)
    if not plays_in_kernel(parsed):
        raise NotLegalHere(f"{player} cannot review: simple, knock:A,B,T, ensemble, marjj, champion and computed ones play rollouts")
    if isinstance(parsed, PolicyPlayer):
        return parsed.prior.parameters(), {}, parsed
    return kernel_parameters(parsed), {}, None


def _shown(view: View, moves: list[Move]) -> NDArray[np.int64]:
    """Return [1, moves], the outcome of each way to show; all cards are open, so it follows from the rules."""
    masks = (view.mask, view.knocker_mask) if view.seat == 0 else (view.knocker_mask, view.mask)
    hands = (view.card_indices, ()) if view.seat == 0 else ((), view.card_indices)
    round, outcomes = Round(*view[:NUM_SHARED], hands=hands, masks=masks), []  # type: ignore[arg-type, misc]
    for move in moves:
        outcome = round.apply(move).outcome
        assert outcome is not None
        outcomes.append(encode_outcome(NO_SEAT if outcome.winner is None else outcome.winner ^ view.seat, outcome.points))
    return np.array([outcomes], np.int64)


def _decision_from(number: int, view: View, done: Move, moves: list[Move], values: Values, *, sure: bool) -> Decision:
    probabilities, points = values
    samples, means = len(probabilities), probabilities.mean(axis=0)
    best = int(means.argmax())
    losses = probabilities[:, [best]] - probabilities
    errors = losses.std(axis=0, ddof=1) / np.sqrt(samples) if samples > 1 else np.zeros(len(moves))
    candidates = [
        Candidate(move, float(mean), float(won), float(means[best] - mean), float(error))
        for move, mean, won, error in zip(moves, means, points.mean(axis=0), errors, strict=True)
    ]
    # Among equals the move that was made comes first.
    candidates.sort(key=lambda candidate: (candidate.cost, candidate.move is not done))
    return Decision(number, view, done, tuple(candidates), samples if view.phase is not Phase.SHOW else 0, sure)


def _is_sure(probabilities: NDArray[np.float64], index: int) -> bool:
    """Return whether move ``index`` loses against the best on deals that had no part in choosing the best.

    The maximum of several estimates is biased upwards: so for each part of the deals the best is chosen by the other parts.
    """
    parts = np.split(probabilities, SECOND_LOOK)
    total = probabilities.sum(axis=0)
    losses = np.concatenate([part[:, (total - part.sum(axis=0)).argmax()] - part[:, index] for part in parts])
    return bool(losses.mean() > SURE_ERRORS * losses.std(ddof=1) / np.sqrt(len(losses)))
