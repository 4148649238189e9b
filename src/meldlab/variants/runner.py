"""Runner of variants: all play the same deals, a rung at a time, and the store has their games."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from meldlab.analysis.playing import COUNT_TASK, LineUp
from meldlab.analysis.sample import Sample
from meldlab.analysis.study import StudyConfig
from meldlab.analysis.variant import Variant
from meldlab.recycle.machine import kernel_layout as k
from meldlab.runs.store import Counts
from meldlab.runs.tasks import Task, TaskRunner, run_tasks
from meldlab.variants.measures import SCORES_PER_GAME, VariantGames

TASK_GAMES = 5  # games of searching players in a task
RANDOM = "random"
SEARCHED = ("skilled", "single")


@dataclass(frozen=True)
class Rung:
    """The deals ``first`` and following of a seed."""

    seed: int
    first: int
    games: int


@dataclass(frozen=True)
class VariantRunner:
    """The players of all variants, and the run in the store in which they play."""

    config: StudyConfig
    tasks: TaskRunner
    """Its progress counts the games of searching players: played, read from the store, or skipped."""

    @property
    def searches(self) -> bool:
        """Return whether a player searches."""
        return self.config.algorithm != RANDOM

    def line_ups(self, variant: Variant) -> dict[str, LineUp]:
        """Return the line-ups of a variant; with one seat there is no line-up of one searching player among random ones."""
        seats = variant.machine.players
        line_ups = self.config.line_ups(seats)
        return {name: line_ups[name] for name in ("random", *SEARCHED[: 1 if seats == 1 else 2]) if name == RANDOM or self.searches}

    def play_random(self, variants: Sequence[Variant], rung: Rung) -> list[VariantGames | str]:
        """Play a rung of each variant with random players; return their games, or the reason why there are none."""
        problems = {variant.settings_text: variant.problem() for variant in variants}
        able = [variant for variant in variants if not problems[variant.settings_text]]
        # Scores only, at first: the decisions of games without an end would fill the store.
        results = self._play([self._score_task(variant, rung) for variant in able])
        for variant in able:
            problems[variant.settings_text] = failure_text({RANDOM: results[self._score_task(variant, rung).key]})
        able = [variant for variant in able if not problems[variant.settings_text]]
        more = replace(rung, first=SCORES_PER_GAME * rung.first, games=SCORES_PER_GAME * rung.games)
        tasks = [task for variant in able for task in (self._task(variant, RANDOM, rung), self._score_task(variant, more))]
        samples = self._play(tasks)
        answers: list[VariantGames | str] = []
        for variant in variants:
            if problem := problems[variant.settings_text]:
                answers.append(problem)
                continue
            random = samples[self._task(variant, RANDOM, rung).key]
            scores = samples[self._score_task(variant, more).key]
            teams = variant.machine.start(rung.seed).teams
            answers.append(VariantGames(random, scores, None if self.searches else random, None, teams))
        return answers

    def play_search(self, variants: Sequence[Variant], random: Sequence[VariantGames], rung: Rung) -> list[VariantGames]:
        """Play a rung with searching players; return the games together with the ``random`` ones of the rung."""
        tasks = [
            {name: self._task(variant, name, rung).split(TASK_GAMES) for name in self.line_ups(variant) if name != RANDOM}
            for variant in variants
        ]
        all_tasks = [task for by_name in tasks for parts in by_name.values() for task in parts]
        samples = _samples(dict(zip([task.key for task in all_tasks], self.tasks.counts(all_tasks), strict=True)))
        answers = []
        for games, by_name in zip(random, tasks, strict=True):
            searched: dict[str, Any] = {name: Sample.joined([samples[task.key] for task in parts]) for name, parts in by_name.items()}
            answers.append(replace(games, **searched))
        return answers

    def skip(self, games: int) -> None:
        """Count games of searching players that need not be played."""
        self.tasks.done += games
        self.tasks.progress(min(self.tasks.done, self.tasks.planned), self.tasks.planned, "")

    def _task(self, variant: Variant, line_up: str, rung: Rung) -> Task:
        task = self.line_ups(variant)[line_up].task(variant, variant.name, rung.seed, rung.games)
        return replace(task, first=rung.first, label=variant.settings_text)

    def _score_task(self, variant: Variant, rung: Rung) -> Task:
        return replace(self._task(variant, RANDOM, rung), function=COUNT_TASK)

    def _play(self, tasks: Sequence[Task]) -> dict[str, Sample]:
        return _samples(run_tasks(tasks, self.tasks.run, jobs=self.tasks.jobs, cluster=self.tasks.cluster))


def _samples(counts: Mapping[str, Counts]) -> dict[str, Sample]:
    return {key: Sample.from_json(result["sample"]) for key, result in counts.items()}


def failure_text(samples: Mapping[str, Sample]) -> str:
    """Return the reason why a variant cannot be used: a game failed, or most were stopped; empty if it can."""
    for name, sample in samples.items():
        of = f"of {sample.games} games of {'random' if name == RANDOM else 'searching'} players"
        if sample.failed:
            reason = next(reason for reason in sample.reasons if reason != k.REASONS[k.CAPPED])
            return f"fails: {reason} ({sample.failed} {of})"
        if 2 * sample.capped > sample.games:
            return f"does not end: {sample.capped} {of} took more decisions than allowed"
    return ""
