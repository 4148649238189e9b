"""When to knock: the paper's section 5.2, its one-stage tournament, its 825 two-stage players, and Figure 2.

>>> len(two_stage_players()), two_stage_players()[0], name_of(10, 0, 6)
(825, (1, 0, 5), 'knock:10,0,6')
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeVar

from meldlab.arena.evaluation import RunEvaluator
from meldlab.chance import Purpose, derive_seed
from meldlab.reproduce.nagai.report import CheckedClaim, Report
from meldlab.reproduce.nagai.significance import LEVEL, Verdict, agreeing, better, of_all
from meldlab.statistics import Score

__all__ = ["FIGURE_2", "FULL", "QUICK", "KnockingSize", "Stages", "name_of", "search_knocks", "two_stage_players"]

T = TypeVar("T")
Stages = tuple[int, int, int]
"""Most deadwood early, late, and the draw at which late begins (a_t0, a_t1, a_t2)."""
LIMITS = range(11)
TURNS = tuple(range(5, 20))  # the draws at which late may begin
OPPONENTS = (2, 4, 6, 8)
PAPER_BEST: Stages = (10, 0, 6)
PAPER_GAMES = 2000
PAPER_RATE = 0.57

# Figure 2: rows a_t0 from 1 to 10, columns a_t1 from 0, for a_t2 = 6.
FIGURE_2 = (
    (0.48,),
    (0.50, 0.45),
    (0.51, 0.46, 0.43),
    (0.50, 0.45, 0.40, 0.40),
    (0.50, 0.47, 0.41, 0.40, 0.36),
    (0.52, 0.45, 0.43, 0.39, 0.37, 0.33),
    (0.51, 0.49, 0.44, 0.44, 0.40, 0.35, 0.33),
    (0.54, 0.50, 0.45, 0.43, 0.39, 0.34, 0.33, 0.32),
    (0.54, 0.53, 0.47, 0.45, 0.41, 0.37, 0.36, 0.34, 0.32),
    (0.57, 0.53, 0.50, 0.48, 0.43, 0.39, 0.38, 0.34, 0.33, 0.32),
)


def two_stage_players(turns: Sequence[int] = TURNS) -> tuple[Stages, ...]:
    """Return the players whose threshold falls at one of some draws."""
    return tuple((early, late, turn) for turn in turns for early in LIMITS for late in range(early))


@dataclass(frozen=True)
class KnockingSize:
    """Games of each pairing: one stage, two stages, against other opponents, and of the winner on fresh deals."""

    one_stage: int
    two_stages: int
    others: int
    fresh: int
    turns: tuple[int, ...] = TURNS

    def planned(self) -> int:
        """Return the games of the whole experiment."""
        players = len(two_stage_players(self.turns))
        return len(LIMITS) ** 2 * self.one_stage + players * (self.two_stages + len(OPPONENTS) * self.others) + 2 * self.fresh


QUICK = KnockingSize(600, 600, 200, 20_000)
FULL = KnockingSize(PAPER_GAMES, PAPER_GAMES, PAPER_GAMES, 100_000)


def name_of(early: int, late: int, turn: int) -> str:
    """Return the player of three numbers."""
    return f"knock:{early},{late},{turn}"


def search_knocks(work: RunEvaluator, size: KnockingSize, seed: int) -> Report:
    """Do the whole experiment."""
    pairs, every = list(product(LIMITS, LIMITS)), two_stage_players(size.turns)

    def against(opponent: str, seed: int, first: int, games: int) -> dict[Stages, Score]:
        found = work.scores_of_pairs([(name_of(*stages), opponent) for stages in every], seed=seed, first=first, games=games)
        return dict(zip(every, found, strict=True))

    found = work.scores_of_pairs([(name_of(a, a, 0), name_of(b, b, 0)) for a, b in pairs], seed=seed, games=size.one_stage)
    one_stage = dict(zip(pairs, found, strict=True))
    against_gin = against("gin-only", seed, size.one_stage, size.two_stages)
    best = _most_wins(against_gin)
    elsewhere = derive_seed(seed, Purpose.OTHER_OPPONENTS)
    others = {limit: against(name_of(limit, limit, 0), elsewhere, 0, size.others) for limit in OPPONENTS}
    winners = {limit: _most_wins(measured) for limit, measured in others.items()}
    again = [name_of(*best), name_of(*PAPER_BEST)]
    fresh = work.scores_of_pairs([(name, "gin-only") for name in again], seed=derive_seed(seed, Purpose.FRESH), games=size.fresh)
    findings = _findings(one_stage, against_gin, best, winners, others, fresh)
    results = {
        "one_stage": [{"first": a, "second": b, **one.as_json()} for (a, b), one in one_stage.items()],
        "two_stages": [{"knock": stages, **one.as_json()} for stages, one in against_gin.items()],
        "best": {"knock": best, **against_gin[best].as_json(), "fresh": fresh[0].as_json()},
        "inflation": against_gin[best].win_rate().value - fresh[0].win_rate().value,
        "best_against": {str(limit): list(stages) for limit, stages in winners.items()},
    }
    return Report("knock", findings, results, _notes(against_gin, best, fresh))


def _most_wins(measured: Mapping[Stages, Score]) -> Stages:
    return max(measured, key=lambda stages: measured[stages].wins)


def _findings(
    one_stage: dict[tuple[int, int], Score],
    two_stages: dict[Stages, Score],
    best: Stages,
    winners: dict[int, Stages],
    others: dict[int, dict[Stages, Score]],
    fresh: list[Score],
) -> tuple[CheckedClaim, ...]:
    from scipy.stats import binom

    columns = [{limit: one_stage[limit, other] for limit in LIMITS} for other in LIMITS]
    zero = [_among_the_best(column, [0], among=len(LIMITS) ** 2) for column in columns]
    cells = [
        agreeing(two_stages[early, late, PAPER_BEST[2]].win_rate(), rate, _paper_error(rate))
        for early, row in enumerate(FIGURE_2, 1)
        for late, rate in enumerate(row)
    ]
    close = {limit: _among_the_best(others[limit], [(10, 0, turn) for turn in (5, 6, 7)]) for limit in OPPONENTS}
    differing = cells.count(Verdict.DIFFERS)
    # One in twenty may differ by chance.
    too_many = float(binom.sf(differing - 1, len(cells), 0.05))
    figure_2 = Verdict.DIFFERS if too_many < LEVEL else Verdict.OPEN if Verdict.OPEN in cells else Verdict.AGREES
    return (
        CheckedClaim(
            "the best single threshold, against each of the eleven",
            "0 in all 11 columns",
            f"0 in {zero.count(Verdict.AGREES)} of 11, another one significantly better in {zero.count(Verdict.DIFFERS)}",
            of_all(zero),
            "one-stage",
        ),
        CheckedClaim(
            "the best of 825 two-stage players against gin-only",
            f"{PAPER_BEST}",
            f"{best}, {two_stages[best].win_rate()} when chosen; {PAPER_BEST} {two_stages[PAPER_BEST].win_rate()} on the same deals",
            _among_the_best(two_stages, [PAPER_BEST]),
            "two-stages",
        ),
        CheckedClaim(
            f"{PAPER_BEST} against gin-only, on fresh deals",
            f"{PAPER_RATE:.2f} as the best of 825",
            str(fresh[1].win_rate()),
            agreeing(fresh[1].win_rate(), PAPER_RATE, _paper_error(PAPER_RATE)),
            "knock-rate",
        ),
        CheckedClaim(
            "Figure 2, cells that differ by more than twice both errors",
            f"of {len(cells)} cells",
            f"{differing}; by chance so many or more with p = {too_many:.2g}",
            figure_2,
            "figure-2",
        ),
        *(
            CheckedClaim(
                f"against one threshold of {limit} the best is (10, 0, 6 +- 1)",
                "yes",
                f"{winners[limit]}; (10, 0, 5 to 7) {'not ' * (close[limit] != Verdict.DIFFERS)}significantly worse",
                close[limit],
                "other-opponents",
            )
            for limit in OPPONENTS
        ),
    )


def _among_the_best(measured: Mapping[T, Score], named: Sequence[T], among: int | None = None) -> Verdict:
    """Judge whether the best is one of those named: it is, or it is significantly better than all of them, or neither can be told."""
    most = max(one.wins for one in measured.values())
    # A tie with another is no agreement: in few games there are many.
    others = [one for one, found in measured.items() if found.wins == most and one not in named]
    if not others:
        return Verdict.AGREES
    beaten = all(better(measured[others[0]], measured[one], among or len(measured)) for one in named)
    return Verdict.DIFFERS if beaten else Verdict.OPEN


def _paper_error(rate: float) -> float:
    """Return the standard error of a rate that the paper measured."""
    return float((rate * (1 - rate) / PAPER_GAMES) ** 0.5)


def _notes(two_stages: dict[Stages, Score], best: Stages, fresh: list[Score]) -> tuple[str, ...]:
    chosen, again = two_stages[best].win_rate().value, fresh[0].win_rate()
    won = f"{name_of(*best)} won {chosen:.4f} when it was chosen among 825 and {again} on fresh deals"
    return (f"{won}: {chosen - again.value:+.4f} came from the choice",)
