"""Search: Optuna suggests variants, they play rungs of common deals, and the best is measured again on test deals.

Variants are suggested and reported in a fixed order, a batch at a time, and all randomness comes from the seed. With the games of a store,
a search can be killed and started again, by several processes or on a cluster, and has the same result.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Any

from meldlab.analysis.study import StudyConfig
from meldlab.analysis.variant import Variant
from meldlab.chance import Purpose, derive_seed
from meldlab.errors import NotPossible
from meldlab.recycle.game import RecycleGame
from meldlab.recycle.language.settings import declared_numbers
from meldlab.statistics import Interval
from meldlab.variants.measures import MEASURES, VariantGames
from meldlab.variants.runner import Rung, VariantRunner, failure_text
from meldlab.variants.spec import Constraint, Objective, SearchSpec

BATCH = 8  # variants that are suggested before the result of any of them, whatever the number of cores
MAX_REPEATS = 30  # suggestions in a row that were tried before, after which the search ends
MIN_GAMES = 8  # of a first rung
SPARE_BITS = 63 - 32  # Optuna takes seeds of 32 bits


@dataclass(frozen=True)
class SearchBudget:
    """Maximum of variants, deals of each line-up for a variant that is not stopped, and test deals of the winner."""

    trials: int = 40
    games: int = 60
    test_games: int = 120

    @property
    def rungs(self) -> list[int]:
        """Return the deals that a variant has played by the end of each rung.

        >>> SearchBudget(games=100).rungs, SearchBudget(games=10).rungs
        ([12, 25, 50, 100], [10])
        """
        rungs = [self.games]
        while rungs[0] // 2 >= max(MIN_GAMES, self.games // 8):
            rungs.insert(0, rungs[0] // 2)
        return rungs


@dataclass(eq=False)
class Trial:
    """One variant and its results."""

    number: int
    variant: Variant
    played: VariantGames | None = None
    problem: str = ""
    """The reason why it cannot be played or measured."""
    stopped: str = ""
    """The reason why it did not play all rungs."""
    suggestion: Any = field(default=None, repr=False)
    """The trial of Optuna; None for the baseline where its numbers are outside the ranges."""

    @property
    def games(self) -> int:
        """Return the number of deals of searching players."""
        return self.played.games if self.played is not None and self.played.skilled is not None else 0

    @property
    def running(self) -> bool:
        """Return whether it plays the next rung, or has played the last."""
        return not (self.problem or self.stopped)

    @cached_property
    def measures(self) -> dict[str, Interval | None]:
        """Return all measures; read only after its last rung."""
        return self.played.measures() if self.played is not None else dict.fromkeys(MEASURES)

    @property
    def determinizations_text(self) -> str:
        """Return the number of determinizations of an estimate as text, empty without searching players."""
        return self.played.skilled.determinizations_text if self.played is not None and self.played.skilled is not None else ""

    def as_json(self) -> dict[str, Any]:
        """Return the trial as JSON."""
        return {
            "number": self.number,
            "settings": dict(self.variant.settings),
            "games": self.games,
            "problem": self.problem,
            "stopped": self.stopped,
            "measures": _as_json(self.measures) if self.played is not None else None,
        }


@dataclass(frozen=True, eq=False)
class SearchResult:
    """The result of a search."""

    game: RecycleGame
    spec: SearchSpec
    config: StudyConfig
    budget: SearchBudget
    trials: Sequence[Trial]
    """The first is the game with its own numbers."""
    tested: Mapping[int, VariantGames]
    """The winner and the baseline on test deals, by the number of the trial."""
    games_played: int
    """Games of searching players without those on test deals."""
    max_games: int
    """The same without stopping early."""
    seconds: float

    @property
    def baseline(self) -> Trial:
        """Return the game with its own numbers."""
        return self.trials[0]

    @cached_property
    def complete(self) -> list[Trial]:
        """Return the trials that played all rungs: those that satisfy every constraint first, each part sorted by the objective."""

        def rank(trial: Trial) -> tuple[bool, float]:
            return self.spec.satisfied_by(trial.measures), self.spec.objective.score(trial.measures[self.spec.objective.measure])

        return sorted((trial for trial in self.trials if trial.running), key=rank, reverse=True)

    @property
    def winner(self) -> Trial | None:
        """Return the best variant that satisfies every constraint."""
        best = next(iter(self.complete), None)
        return best if best is not None and self.spec.satisfied_by(best.measures) else None

    @cached_property
    def pareto_front(self) -> list[Trial]:
        """Return the complete trials that no other dominates in the objective and the constrained measures, the best first."""
        points = [(trial, point) for trial in self.complete if (point := self._point(trial))]

        def is_dominated(point: tuple[float, ...]) -> bool:
            return any(other != point and all(a >= b for a, b in zip(other, point, strict=True)) for _, other in points)

        return [trial for trial, point in points if not is_dominated(point)]

    @cached_property
    def ties(self) -> list[Trial]:
        """Return the trials off the front that satisfy every constraint and are not significantly behind the winner."""

        def is_close(trial: Trial) -> bool:
            gap, direction = self.gap(trial), self.spec.objective.direction
            return gap is not None and max(direction * gap.low, direction * gap.high) >= 0

        others = [trial for trial in self.complete if trial not in self.pareto_front and self.spec.satisfied_by(trial.measures)]
        return [trial for trial in others if is_close(trial)]

    def _point(self, trial: Trial) -> tuple[float, ...] | None:
        """Return the objective and the constrained measures, larger is better; None if one is not defined."""
        goals: list[Objective | Constraint] = [self.spec.objective, *self.spec.constraints]
        values = [(goal.direction, trial.measures[goal.measure]) for goal in goals]
        return tuple(direction * value.value for direction, value in values if value) if all(value for _, value in values) else None

    def gap(self, trial: Trial) -> Interval | None:
        """Return the difference of a variant's objective from the winner's on the same deals."""
        if self.winner is None or trial.played is None or self.winner.played is None or trial is self.winner:
            return None
        return trial.played.difference(self.winner.played, self.spec.objective.measure)

    @cached_property
    def gain(self) -> Interval | None:
        """Return the difference of the winner's objective from the baseline's on the same test deals."""
        if self.winner is None or self.winner is self.baseline or not {0, self.winner.number} <= self.tested.keys():
            return None
        return self.tested[self.winner.number].difference(self.tested[0], self.spec.objective.measure)

    @property
    def share_saved(self) -> float:
        """Return the share of the games that stopping early saved."""
        return 1 - self.games_played / self.max_games if self.max_games else 0.0

    def program_text(self, trial: Trial) -> str:
        """Return the program of a variant, with a comment that lists the changes."""
        declared = declared_numbers(self.game.text, self.game.dialect)
        changed = {name: value for name, value in trial.variant.settings.items() if value != declared[name]}
        text = trial.variant.game.text
        if not changed:
            return text
        before = ", ".join(f"{name}={declared[name]}" for name in changed)
        now = ", ".join(f"{name}={value}" for name, value in changed.items())
        lines = text.splitlines(keepends=True)
        start = next((i for i, line in enumerate(lines) if line.startswith("(game")), 0)
        comment = f";; A variant: {now} in place of {before}; what is said above holds but for that.\n\n"
        return "".join([*lines[:start], comment, *lines[start:]])

    def as_json(self) -> dict[str, Any]:
        """Return the result as JSON."""
        from meldlab.variants.effects import effects

        winner = self.winner
        return {
            "game": self.game.name,
            **self.spec.as_json(),
            "player": self.config.searcher.name,
            "simulations": self.config.simulations_per_option,
            "seed": self.config.seed,
            "games": self.budget.games,
            "winner": None if winner is None else {**winner.as_json(), "fresh": _as_json(self.tested[winner.number].measures())},
            "written": {**self.baseline.as_json(), "fresh": _as_json(self.tested[0].measures()) if 0 in self.tested else None},
            "front": [trial.number for trial in self.pareto_front],
            "equals": [trial.number for trial in self.ties],
            "effects": [effect.as_json() for effect in effects(self)],
            "attempts": [trial.as_json() for trial in self.trials],
            "searched_games": {"played": self.games_played, "without_racing": self.max_games, "saved": self.share_saved},
            "seconds": self.seconds,
        }


def _as_json(measures: Mapping[str, Interval | None]) -> dict[str, Any]:
    return {name: value and value.as_json() for name, value in measures.items()}


def search(
    game: RecycleGame,
    spec: SearchSpec,
    budget: SearchBudget,
    runner: VariantRunner,
    report: Callable[[Trial], None] = lambda trial: None,
) -> SearchResult:
    """Search for the variant with the best objective under the constraints; ``report`` gets every variant after its last rung."""
    start, halving = time.perf_counter(), _Halving(spec, budget, runner, report)
    declared = declared_numbers(game.text, game.dialect)
    own = {span.name: declared[span.name] for span in spec.ranges}
    study = _Study(spec, runner.config.seed)
    for suggestions in study.batches(own, budget.trials):
        first = len(halving.trials)
        batch = [
            Trial(number, Variant(game, settings), suggestion=suggestion)
            for number, (settings, suggestion) in enumerate(suggestions, first)
        ]
        halving.run(batch)
        for trial in batch:
            study.report(trial)
    result = SearchResult(game, spec, runner.config, budget, halving.trials, {}, halving.games_played, halving.max_games, 0.0)
    chosen = [] if result.baseline.problem else [result.baseline]
    chosen += [result.winner] if result.winner is not None and result.winner is not result.baseline else []
    rung = Rung(derive_seed(runner.config.seed, Purpose.FRESH), 0, budget.test_games)
    variants = [trial.variant for trial in chosen]
    random = [games for games in runner.play_random(variants, rung) if isinstance(games, VariantGames)]
    tested = {}
    # On more deals a variant may fail that did not fail before: then test results are missing.
    if len(random) == len(chosen):
        tested = dict(zip((trial.number for trial in chosen), runner.play_search(variants, random, rung), strict=True))
    return replace(result, tested=tested, seconds=time.perf_counter() - start)


@dataclass
class _Halving:
    """All trials so far; each batch plays rungs of common deals, and poor variants are stopped after a rung."""

    spec: SearchSpec
    budget: SearchBudget
    runner: VariantRunner
    report: Callable[[Trial], None]
    trials: list[Trial] = field(default_factory=list)
    games_played: int = 0
    max_games: int = 0

    def run(self, batch: Sequence[Trial]) -> None:
        """Play all rungs of a batch."""
        before = 0
        for games in self.budget.rungs:
            rung = Rung(self.runner.config.seed, before, games - before)
            played = self._play_rung([trial for trial in batch if trial.running], rung)
            if games < self.budget.games:
                self._stop_poor([trial for trial in played if trial.running])
            before = games
        self.trials += batch
        for trial in batch:
            line_ups = self._searching_line_ups(trial)
            self.max_games += line_ups * (trial.games if trial.problem else self.budget.games)
            self.runner.skip(line_ups * (self.budget.games - trial.games))
            self.report(trial)

    def _play_rung(self, trials: Sequence[Trial], rung: Rung) -> list[Trial]:
        """Play a rung of some trials; return those whose searching players played it."""
        able = []
        for trial, random in zip(trials, self.runner.play_random([trial.variant for trial in trials], rung), strict=True):
            if isinstance(random, str):
                trial.problem = random
                continue
            # Constraints on measures of random players are checked before the others play.
            so_far = replace(trial.played, skilled=None, single=None) + random if trial.played else random
            trial.problem = self._undefined(so_far, "random")
            if violated := self._violated(so_far):
                trial.stopped = violated
            if trial.running:
                able.append((trial, random))
            else:
                trial.played = trial.played or so_far
        searched = self.runner.play_search([trial.variant for trial, _ in able], [random for _, random in able], rung)
        for (trial, _), games in zip(able, searched, strict=True):
            trial.played = trial.played + games if trial.played else games
            self.games_played += rung.games * self._searching_line_ups(trial)
            trial.problem = failure_text(games.samples) or self._undefined(trial.played, "random", "skilled", "single")
        return [trial for trial, _ in able]

    def _searching_line_ups(self, trial: Trial) -> int:
        """Return the number of line-ups with searching players."""
        if trial.problem.startswith("does not run"):
            return 2 * self.runner.searches
        return len(self.runner.line_ups(trial.variant)) - 1

    def _undefined(self, games: VariantGames, *line_ups: str) -> str:
        """Return a text if a measure of the spec is not defined, of those that these line-ups give."""
        missing = [name for name in self.spec.measures if MEASURES[name].line_up in line_ups and games.measure(name) is None]
        return f"{missing[0]} is not defined for it" if missing else ""

    def _violated(self, games: VariantGames) -> str:
        """Return a text if a constraint is significantly violated by the games so far."""
        for constraint in self.spec.constraints:
            if getattr(games, MEASURES[constraint.measure].line_up) is None:
                continue
            value = games.measure(constraint.measure)
            if value is not None and constraint.clearly_violated_by(value.bonferroni(len(self.budget.rungs))):
                return f"breaks {constraint}"
        return ""

    def _stop_poor(self, trials: Sequence[Trial]) -> None:
        """Stop the trials that significantly violate a constraint, or are significantly worse than the best on the same deals."""
        objective = self.spec.objective
        for trial in trials:
            assert trial.played is not None
            trial.stopped = self._violated(trial.played)
        staying = [trial for trial in trials if trial.running]

        def score(trial: Trial) -> float:
            return objective.score(trial.played.measure(objective.measure) if trial.played is not None else None)

        def satisfies(trial: Trial) -> bool:
            games = trial.played
            return games is None or all(constraint.satisfied_by(games.measure(constraint.measure)) for constraint in self.spec.constraints)

        # The best of all complete trials, too: the best of many on few deals is biased by selection and would stop better ones.
        candidates = [trial for trial in (*self.trials, *staying) if trial.running and satisfies(trial)]
        best = max(candidates, key=lambda trial: (score(trial), -trial.number), default=None)
        if best is None or best.played is None:
            return
        for trial in staying:
            gap = trial.played.difference(best.played, objective.measure) if trial is not best and trial.played is not None else None
            wide = gap.bonferroni(len(self.budget.rungs)) if gap else None
            if wide and max(objective.direction * wide.low, objective.direction * wide.high) < 0:
                trial.stopped = f"worse than {best.variant.settings_text}"


class _Study:
    """Optuna's study: suggestions and results in one process and one order; the store has its results as games."""

    def __init__(self, spec: SearchSpec, seed: int) -> None:
        try:
            import optuna
        except ModuleNotFoundError:
            raise NotPossible("a search needs Optuna: pip install optuna") from None

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self.optuna, self.spec = optuna, spec
        self.space: dict[str, optuna.distributions.BaseDistribution] = {
            span.name: optuna.distributions.IntDistribution(span.low, span.high) for span in spec.ranges
        }
        sampler = optuna.samplers.TPESampler(
            seed=derive_seed(seed, Purpose.POPULATION) >> SPARE_BITS, multivariate=True, constant_liar=True
        )
        self.study = optuna.create_study(sampler=sampler, direction="maximize" if spec.objective.direction > 0 else "minimize")

    def batches(self, own: Mapping[str, int], trials: int) -> Iterator[list[tuple[dict[str, int], Any]]]:
        """Yield settings with their trials of Optuna, a batch at a time; the game's own numbers come first.

        If there are at most as many variants as trials, all of them are tried.
        """
        inside, exhaustive = all(own[span.name] in span.values for span in self.spec.ranges), self.spec.size <= trials
        if inside:
            self.study.enqueue_trial(dict(own))
        if exhaustive:
            for values in product(*(span.values for span in self.spec.ranges)):
                self.study.enqueue_trial(dict(zip(own, values, strict=True)), skip_if_exists=True)
        batch: list[tuple[dict[str, int], Any]] = [] if inside else [(dict(own), None)]
        known, left = [dict(own)] if batch else [], self.spec.size if exhaustive else trials
        while left:
            repeats = 0
            while left and len(batch) < BATCH and repeats < MAX_REPEATS:
                trial = self.study.ask(self.space)
                settings = {name: int(trial.params[name]) for name in own}
                if settings in known:
                    self.study.tell(trial, state=self.optuna.trial.TrialState.FAIL)
                    repeats += 1
                    continue
                known.append(settings)
                batch.append((settings, trial))
                left -= 1
            if not batch:
                return
            yield batch
            batch = []

    def report(self, trial: Trial) -> None:
        """Report the result of a variant to Optuna."""
        state, suggestion, games = self.optuna.trial.TrialState, trial.suggestion, None if trial.problem else trial.played
        if suggestion is None:
            return
        # A variant that cannot be played violates every constraint; one that was stopped has the value it had reached.
        suggestion.set_constraint("a game", 1.0 if trial.problem else 0.0)
        for constraint in self.spec.constraints:
            if games is not None and (value := games.measure(constraint.measure)) is not None:
                suggestion.set_constraint(str(constraint), -constraint.slack(value.value))
        objective = games.measure(self.spec.objective.measure) if games is not None else None
        if objective is not None:
            suggestion.report(objective.value, trial.games)
        if trial.running and objective is not None:
            self.study.tell(suggestion, objective.value)
        else:
            self.study.tell(suggestion, state=state.PRUNED)
