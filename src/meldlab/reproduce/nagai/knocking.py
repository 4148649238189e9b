"""Knocking thresholds, the paper's section 5.2: its one-stage tournament, its 825 two-stage players, and Figure 2.

>>> len(two_stage_players()), two_stage_players()[0], player_name(10, 0, 6)
(825, (1, 0, 5), 'knock:10,0,6')
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any, TypeVar

from meldlab.arena.evaluation import RunEvaluator
from meldlab.chance import Purpose, derive_seed
from meldlab.reproduce.claims import Verdict
from meldlab.reproduce.nagai.significance import LEVEL, agreeing, better, combine, outcome
from meldlab.statistics import Score
from meldlab.tuning.experiment import Experiment

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
    """Games of each pairing: one stage, two stages, against other opponents, and of the winner on held-out deals."""

    one_stage: int
    two_stages: int
    others: int
    test_games: int
    turns: tuple[int, ...] = TURNS

    def planned(self) -> int:
        """Return the games of the whole experiment."""
        players = len(two_stage_players(self.turns))
        return len(LIMITS) ** 2 * self.one_stage + players * (self.two_stages + len(OPPONENTS) * self.others) + 2 * self.test_games


SIZES = {
    "full": KnockingSize(PAPER_GAMES, PAPER_GAMES, PAPER_GAMES, 100_000),
    "quick": KnockingSize(one_stage=600, two_stages=600, others=200, test_games=20_000),
    "short": KnockingSize(one_stage=300, two_stages=200, others=40, test_games=20_000),
    "tiny": KnockingSize(one_stage=2, two_stages=2, others=2, test_games=20, turns=(5, 6, 7)),
}


def player_name(early: int, late: int, turn: int) -> str:
    """Return the name of the player of three numbers."""
    return f"knock:{early},{late},{turn}"


def knock_experiment(size: KnockingSize, seed: int) -> Experiment:
    """Return the experiment of section 5.2."""
    return Experiment("knock", {**asdict(size), "seed": seed}, size.planned(), lambda work: search_knocks(work, size, seed))


def search_knocks(work: RunEvaluator, size: KnockingSize, seed: int) -> dict[str, Any]:
    """Run the whole experiment; return its result as plain JSON."""
    pairs, players = list(product(LIMITS, LIMITS)), two_stage_players(size.turns)

    def against(opponent: str, seed: int, first: int, games: int) -> dict[Stages, Score]:
        scores = work.scores_of_pairs([(player_name(*stages), opponent) for stages in players], seed=seed, first=first, games=games)
        return dict(zip(players, scores, strict=True))

    scores = work.scores_of_pairs([(player_name(a, a, 0), player_name(b, b, 0)) for a, b in pairs], seed=seed, games=size.one_stage)
    one_stage = dict(zip(pairs, scores, strict=True))
    against_gin = against("gin-only", seed, size.one_stage, size.two_stages)
    best = _most_wins(against_gin)
    elsewhere = derive_seed(seed, Purpose.OTHER_OPPONENTS)
    others = {limit: against(player_name(limit, limit, 0), elsewhere, 0, size.others) for limit in OPPONENTS}
    winners = {limit: _most_wins(measured) for limit, measured in others.items()}
    again = [player_name(*best), player_name(*PAPER_BEST)]
    test_scores = work.scores_of_pairs([(name, "gin-only") for name in again], seed=derive_seed(seed, Purpose.FRESH), games=size.test_games)
    return {
        "experiment": "knock",
        "outcomes": knocking_outcomes(one_stage, against_gin, best, winners, others, test_scores),
        "one_stage": [{"first": a, "second": b, **score.as_json()} for (a, b), score in one_stage.items()],
        "two_stages": [{"knock": stages, **score.as_json()} for stages, score in against_gin.items()],
        "best": {"knock": best, **against_gin[best].as_json(), "fresh": test_scores[0].as_json()},
        "inflation": against_gin[best].win_rate().value - test_scores[0].win_rate().value,
        "best_against": {str(limit): list(stages) for limit, stages in winners.items()},
        "notes": _notes(against_gin, best, test_scores),
    }


def _most_wins(measured: Mapping[Stages, Score]) -> Stages:
    return max(measured, key=lambda stages: measured[stages].wins)


def knocking_outcomes(
    one_stage: dict[tuple[int, int], Score],
    two_stages: dict[Stages, Score],
    best: Stages,
    winners: dict[int, Stages],
    others: dict[int, dict[Stages, Score]],
    test_scores: list[Score],
) -> dict[str, dict[str, Any]]:
    """Return the outcomes by claim id."""
    from scipy.stats import binom

    columns = [{limit: one_stage[limit, other] for limit in LIMITS} for other in LIMITS]
    zero = [_among_the_best(column, [0], among=len(LIMITS) ** 2) for column in columns]
    cells = [
        agreeing(two_stages[early, late, PAPER_BEST[2]].win_rate(), rate, _paper_error(rate))
        for early, row in enumerate(FIGURE_2, 1)
        for late, rate in enumerate(row)
    ]
    close = {limit: _among_the_best(others[limit], [(10, 0, turn) for turn in (5, 6, 7)]) for limit in OPPONENTS}
    differing = cells.count(Verdict.REFUTED)
    # One in twenty differs by chance.
    too_many = float(binom.sf(differing - 1, len(cells), 0.05))
    figure_2 = Verdict.REFUTED if too_many < LEVEL else Verdict.OPEN if Verdict.OPEN in cells else Verdict.WITHIN
    paper_best = test_scores[1].win_rate()
    columns_text = f"0 in {zero.count(Verdict.WITHIN)} of 11, another one significantly better in {zero.count(Verdict.REFUTED)}"
    best_text = f"{best}, {two_stages[best].win_rate()} when chosen; {PAPER_BEST} {two_stages[PAPER_BEST].win_rate()} on the same deals"
    cells_text = (
        f"{differing} of {len(cells)} cells differ by more than twice both errors; by chance as many or more with p = {too_many:.2g}"
    )

    def against(limit: int) -> str:
        return f"{winners[limit]}; (10, 0, 5 to 7) {'not ' * (close[limit] != Verdict.REFUTED)}significantly worse"

    return {
        "one-stage": outcome(("", columns_text, combine(zero))),
        "two-stages": outcome(("", best_text, _among_the_best(two_stages, [PAPER_BEST]))),
        "knock-rate": outcome(("", str(paper_best), agreeing(paper_best, PAPER_RATE, _paper_error(PAPER_RATE)))),
        "figure-2": outcome(("", cells_text, figure_2)),
        "other-opponents": outcome(*((f"against a threshold of {limit}", against(limit), close[limit]) for limit in OPPONENTS)),
    }


def _among_the_best(measured: Mapping[T, Score], named: Sequence[T], among: int | None = None) -> Verdict:
    """Judge whether the best is one of ``named``: refuted if another is significantly better than all of them."""
    highest = max(score.wins for score in measured.values())
    # A tie with another does not agree: in few games there are many ties.
    others = [player for player, score in measured.items() if score.wins == highest and player not in named]
    if not others:
        return Verdict.WITHIN
    beaten = all(better(measured[others[0]], measured[player], among or len(measured)) for player in named)
    return Verdict.REFUTED if beaten else Verdict.OPEN


def _paper_error(rate: float) -> float:
    """Return the standard error of a rate that the paper measured."""
    return float((rate * (1 - rate) / PAPER_GAMES) ** 0.5)


def _notes(two_stages: dict[Stages, Score], best: Stages, test_scores: list[Score]) -> list[str]:
    chosen, again = two_stages[best].win_rate().value, test_scores[0].win_rate()
    won = f"{player_name(*best)} won {chosen:.4f} when it was chosen among 825 and {again} on fresh deals"
    return [f"{won}: {chosen - again.value:+.4f} came from the choice"]
