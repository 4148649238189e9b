"""The workbench: variants of one game play the same deals, a heat at a time, and what they played is kept in the store."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from meldlab.analysis.playing import COUNTER, LineUp, limits_of
from meldlab.analysis.sample import Sample
from meldlab.analysis.study import Effort, Subject
from meldlab.errors import MeldlabError
from meldlab.parallel import Progress, no_progress
from meldlab.recycle.game import Described
from meldlab.recycle.machine import kernel_layout as k
from meldlab.runs.store import Run
from meldlab.runs.tasks import Task, run_tasks
from meldlab.variants.measures import COUNTED, Gathered

__all__ = ["Heat", "Variant", "Workbench", "trouble"]

PIECE = 5  # games of searching players that are written together
RANDOM = "random"
SEARCHED = ("skilled", "single")


@dataclass(frozen=True)
class Variant:
    """The game with other numbers; the settings are those of every number that may vary."""

    game: Described
    settings: Mapping[str, int]

    @cached_property
    def subject(self) -> Subject:
        """Return what is analysed."""
        return Subject.of(self.game, self.settings)

    @property
    def name(self) -> str:
        """Return what was set, as it is written."""
        return ", ".join(f"{name}={value}" for name, value in self.settings.items())

    def problem(self) -> str:
        """Return why it cannot even begin, or nothing."""
        try:
            self.subject.machine.begin(0)
        except MeldlabError as mistake:
            return f"does not run: {getattr(mistake, 'problem', mistake)}"
        return ""


@dataclass(frozen=True)
class Heat:
    """The deals ``first`` and following of a seed."""

    seed: int
    first: int
    games: int


@dataclass
class Workbench:
    """Where variants are played: who plays, which run keeps it, on what cores."""

    effort: Effort
    run: Run
    jobs: int = 0
    cluster: str | None = None
    progress: Callable[[int], None] = lambda games: None
    """Hears how many games of searching players are over, by being played, found in the store, or spared."""
    over: int = 0

    @property
    def searches(self) -> bool:
        """Tell whether anybody looks ahead."""
        return self.effort.searcher.kind != RANDOM

    def line_ups(self, variant: Variant) -> dict[str, LineUp]:
        """Return who plays a variant; a lone player has nobody to be better than."""
        seats = variant.subject.machine.players
        known = self.effort.line_ups(seats)
        return {name: known[name] for name in ("random", *SEARCHED[: 1 if seats == 1 else 2]) if name == RANDOM or self.searches}

    def begin(self, variants: Sequence[Variant], heat: Heat) -> list[Gathered | str]:
        """Let random players play a heat of each variant, which costs next to nothing; return their games, or why there are none."""
        problems = [variant.problem() for variant in variants]
        able = [variant for variant, problem in zip(variants, problems, strict=True) if not problem]
        # Only how games end, at first: those of a game without an end would fill the store.
        ends = self._play([self._count(each, heat) for each in able])
        troubles = {each.name: trouble({RANDOM: ends[self._count(each, heat).key]}) for each in able}
        able = [each for each in able if not troubles[each.name]]
        many = replace(heat, first=COUNTED * heat.first, games=COUNTED * heat.games)
        found = self._play([shard for each in able for shard in (self._shard(each, RANDOM, heat), self._count(each, many))])
        answers: list[Gathered | str] = []
        for variant, problem in zip(variants, problems, strict=True):
            if problem := problem or troubles[variant.name]:
                answers.append(problem)
                continue
            random, counted = found[self._shard(variant, RANDOM, heat).key], found[self._count(variant, many).key]
            teams = variant.subject.machine.begin(heat.seed).teams
            answers.append(Gathered(random, counted, None if self.searches else random, None, teams))
        return answers

    def go_on(self, variants: Sequence[Variant], begun: Sequence[Gathered], heat: Heat) -> list[Gathered]:
        """Let players that search play a heat, of which the random games are there."""
        names = [[name for name in self.line_ups(each) if name != RANDOM] for each in variants]
        shards = [{name: self._shard(each, name, heat).split(PIECE) for name in some} for each, some in zip(variants, names, strict=True)]
        found = self._play([piece for some in shards for pieces in some.values() for piece in pieces], self._show())
        answers = []
        for one, some in zip(begun, shards, strict=True):
            samples: dict[str, Any] = {name: Sample.joined([found[piece.key] for piece in pieces]) for name, pieces in some.items()}
            answers.append(replace(one, **samples))
        return answers

    def spare(self, games: int) -> None:
        """Say that so many games of searching players need not be played."""
        self.over += games
        self.progress(self.over)

    def _shard(self, variant: Variant, line_up: str, heat: Heat) -> Task:
        subject = variant.subject
        arguments: dict[str, Any] = {"dialect": subject.described.dialect, "limits": limits_of(subject.described.limits)}
        shard = self.line_ups(variant)[line_up].shard(subject.name, subject.described.text, heat.seed, heat.games, arguments)
        return replace(shard, first=heat.first, label=variant.name)

    def _count(self, variant: Variant, heat: Heat) -> Task:
        return replace(self._shard(variant, RANDOM, heat), function=COUNTER)

    def _show(self) -> Progress:
        before = self.over

        def show(done: float, total: float, message: str) -> None:
            self.over = before + round(done)
            self.progress(self.over)

        return show

    def _play(self, shards: Sequence[Task], show: Progress = no_progress) -> dict[str, Sample]:
        counts = run_tasks(shards, self.run, jobs=self.jobs, cluster=self.cluster, progress=show)
        return {key: Sample.from_json(each["sample"]) for key, each in counts.items()}


def trouble(samples: Mapping[str, Sample]) -> str:
    """Return why games of a variant are no games: one failed, or most had to be stopped; nothing where all is well."""
    for name, sample in samples.items():
        of = f"of {sample.games} games of {'random' if name == RANDOM else 'searching'} players"
        if sample.failed:
            why = next(why for why in sample.reasons if why != k.REASONS[k.CAPPED])
            return f"fails: {why} ({sample.failed} {of})"
        if 2 * sample.capped > sample.games:
            return f"does not end: {sample.capped} {of} took more decisions than allowed"
    return ""
