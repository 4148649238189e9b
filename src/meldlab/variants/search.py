"""The search: Optuna suggests variants, they race on common deals, and what is left is measured again on fresh ones.

Variants are asked for and told in a fixed order, a batch at a time, and every chance comes from the seed; with games from a store a search
can be killed and started again, by several processes or on a cluster, and comes to the same answer.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Any

from meldlab.analysis.study import Effort
from meldlab.chance import Purpose, derive_seed
from meldlab.errors import NotPossible
from meldlab.recycle.game import Described
from meldlab.recycle.language.settings import declared_numbers
from meldlab.statistics import Interval
from meldlab.variants.measures import MEASURES, Gathered
from meldlab.variants.runner import Heat, Variant, Workbench, trouble
from meldlab.variants.spec import Wishes

__all__ = ["Attempt", "Discovery", "Sizes", "search"]

BATCH = 8  # variants that are suggested before any of them is known, whatever the number of cores
TRIES = 30  # suggestions in a row that were known already, after which there is nothing more to ask
LEAST = 8  # games of a first heat
SPARE_BITS = 63 - 32  # Optuna's chance takes seeds of 32 bits


@dataclass(frozen=True)
class Sizes:
    """How much is tried: variants at most, deals of each line-up for a variant that is never stopped, and fresh deals of the winner."""

    trials: int = 40
    games: int = 60
    fresh: int = 120

    @property
    def heats(self) -> list[int]:
        """Return the deals that a variant has played by the end of each heat.

        >>> Sizes(games=100).heats, Sizes(games=10).heats
        ([12, 25, 50, 100], [10])
        """
        heats = [self.games]
        while heats[0] // 2 >= max(LEAST, self.games // 8):
            heats.insert(0, heats[0] // 2)
        return heats


@dataclass(eq=False)
class Attempt:
    """One variant and what became of it."""

    number: int
    variant: Variant
    gathered: Gathered | None = None
    problem: str = ""
    """Why it is no game."""
    stopped: str = ""
    """Why it was not played to the end of the race."""
    trial: Any = field(default=None, repr=False)
    """Its trial in the study; the game as it is written has none where its numbers lie outside of what may vary."""

    @property
    def games(self) -> int:
        """Return the deals that players that search have played."""
        return self.gathered.games if self.gathered is not None and self.gathered.skilled is not None else 0

    @property
    def running(self) -> bool:
        """Tell whether it is still in the race, or has come to its end."""
        return not (self.problem or self.stopped)

    @cached_property
    def measures(self) -> dict[str, Interval | None]:
        """Return everything that it is judged by, once it is over."""
        return self.gathered.measures() if self.gathered is not None else dict.fromkeys(MEASURES)

    def as_json(self) -> dict[str, Any]:
        """Return what the command line answers."""
        measures = {name: None if found is None else {"value": found.value, "ci95": found.ends} for name, found in self.measures.items()}
        told = {"settings": dict(self.variant.settings), "games": self.games, "problem": self.problem, "stopped": self.stopped}
        return {"number": self.number, **told, "measures": measures if self.gathered is not None else None}


@dataclass(frozen=True, eq=False)
class Discovery:
    """How a search ended."""

    game: Described
    wishes: Wishes
    effort: Effort
    sizes: Sizes
    attempts: Sequence[Attempt]
    """The first is the game as it is written."""
    fresh: Mapping[int, Gathered]
    """The winner and the game as it is written on deals that no search has seen, by the number of the attempt."""
    played: int
    """Games of searching players, those on fresh deals left out."""
    whole: int
    """As many would have been played if nobody had been stopped."""
    seconds: float

    @property
    def written(self) -> Attempt:
        """Return the game as it is written."""
        return self.attempts[0]

    @cached_property
    def complete(self) -> list[Attempt]:
        """Return who came to the end of the race, the best first, those that keep every demand before those that do not."""
        wishes = self.wishes

        def merit(one: Attempt) -> tuple[bool, float]:
            found = one.measures[wishes.aim.measure]
            return wishes.kept_by(one.measures), wishes.aim.direction * found.value if found else float("-inf")

        return sorted((one for one in self.attempts if one.running), key=merit, reverse=True)

    @property
    def winner(self) -> Attempt | None:
        """Return the best variant that keeps every demand."""
        best = next(iter(self.complete), None)
        return best if best is not None and self.wishes.kept_by(best.measures) else None

    @cached_property
    def front(self) -> list[Attempt]:
        """Return those of the race's end that no other beats in the aim and in everything to be kept; the best first."""
        points = [point for one in self.complete if (point := self._point(one))]
        complete = [one for one in self.complete if self._point(one)]
        return [
            one
            for one, mine in zip(complete, points, strict=True)
            if not any(all(a >= b for a, b in zip(theirs, mine, strict=True)) and theirs != mine for theirs in points)
        ]

    @cached_property
    def equals(self) -> list[Attempt]:
        """Return who keeps every demand beside the front, and may be behind the winner by chance only."""

        def close(one: Attempt) -> bool:
            gap, side = self.behind(one), self.wishes.aim.direction
            return gap is not None and max(side * gap.low, side * gap.high) >= 0

        return [one for one in self.complete if one not in self.front and self.wishes.kept_by(one.measures) and close(one)]

    def _point(self, one: Attempt) -> tuple[float, ...] | None:
        aims = [(self.wishes.aim.measure, self.wishes.aim.direction), *((each.measure, each.direction) for each in self.wishes.demands)]
        found = [(one.measures[name], direction) for name, direction in aims]
        return tuple(direction * each.value for each, direction in found if each) if all(each for each, _ in found) else None

    def behind(self, one: Attempt) -> Interval | None:
        """Return by how much a variant's aim differs from the winner's on the same deals."""
        if self.winner is None or one.gathered is None or self.winner.gathered is None or one is self.winner:
            return None
        return one.gathered.compared(self.winner.gathered, self.wishes.aim.measure)

    @cached_property
    def gain(self) -> Interval | None:
        """Return by how much the winner's aim is larger than that of the game as it is written, on the same fresh deals."""
        if self.winner is None or self.winner is self.written or not {0, self.winner.number} <= self.fresh.keys():
            return None
        return self.fresh[self.winner.number].compared(self.fresh[0], self.wishes.aim.measure)

    @property
    def saved(self) -> float:
        """Return the share of the games that racing spared."""
        return 1 - self.played / self.whole if self.whole else 0.0

    def text_of(self, one: Attempt) -> str:
        """Return the program of a variant, with a comment that says what was changed."""
        declared = declared_numbers(self.game.text, self.game.dialect)
        changed = {name: value for name, value in one.variant.settings.items() if value != declared[name]}
        text = one.variant.subject.described.text
        if not changed:
            return text
        before = ", ".join(f"{name}={declared[name]}" for name in changed)
        now = ", ".join(f"{name}={value}" for name, value in changed.items())
        lines = text.splitlines(keepends=True)
        at = next((place for place, line in enumerate(lines) if line.startswith("(game")), 0)
        return "".join([*lines[:at], f";; A variant: {now} in place of {before}; what is said above holds but for that.\n\n", *lines[at:]])

    def as_json(self) -> dict[str, Any]:
        """Return what the command line answers."""
        from meldlab.variants.effects import effects

        winner = self.winner
        return {
            "game": self.game.name,
            **self.wishes.as_json(),
            "player": self.effort.searcher.name,
            "simulations": self.effort.simulations_per_option,
            "seed": self.effort.seed,
            "games": self.sizes.games,
            "winner": None if winner is None else {**winner.as_json(), "fresh": _told(self.fresh[winner.number])},
            "written": {**self.written.as_json(), "fresh": _told(self.fresh[0]) if 0 in self.fresh else None},
            "front": [one.number for one in self.front],
            "equals": [one.number for one in self.equals],
            "effects": [each.as_json() for each in effects(self)],
            "attempts": [one.as_json() for one in self.attempts],
            "searched_games": {"played": self.played, "without_racing": self.whole, "saved": self.saved},
            "seconds": self.seconds,
        }


def _told(gathered: Gathered) -> dict[str, Any]:
    return {name: None if found is None else {"value": found.value, "ci95": found.ends} for name, found in gathered.measures().items()}


def search(
    game: Described, wishes: Wishes, sizes: Sizes, bench: Workbench, tell: Callable[[Attempt], None] = lambda attempt: None
) -> Discovery:
    """Search for the variant that fulfils the wishes best; ``tell`` hears of every variant whose race is over."""
    start, race = time.perf_counter(), _Race(wishes, sizes, bench, tell)
    declared = declared_numbers(game.text, game.dialect)
    own = {span.name: declared[span.name] for span in wishes.spans}
    study = _Study(wishes, bench.effort.seed)
    for settings in study.batches(own, sizes.trials):
        batch = [Attempt(len(race.attempts) + place, Variant(game, each), trial=trial) for place, (each, trial) in enumerate(settings)]
        race.run(batch)
        for one in batch:
            study.learn(one)
    found = Discovery(game, wishes, bench.effort, sizes, race.attempts, {}, race.played, race.whole, 0.0)
    chosen = [] if found.written.problem else [found.written]
    chosen += [found.winner] if found.winner is not None and found.winner is not found.written else []
    heat = Heat(derive_seed(bench.effort.seed, Purpose.FRESH), 0, sizes.fresh)
    variants = [one.variant for one in chosen]
    begun = [each for each in bench.begin(variants, heat) if isinstance(each, Gathered)]
    # On so many more deals something may fail that never has: then there is nothing fresh to tell.
    fresh = dict(zip((one.number for one in chosen), bench.go_on(variants, begun, heat), strict=True)) if len(begun) == len(chosen) else {}
    return replace(found, fresh=fresh, seconds=time.perf_counter() - start)


@dataclass
class _Race:
    """All variants that were tried, and the race that each batch of them runs."""

    wishes: Wishes
    sizes: Sizes
    bench: Workbench
    tell: Callable[[Attempt], None]
    attempts: list[Attempt] = field(default_factory=list)
    played: int = 0
    whole: int = 0

    def run(self, batch: Sequence[Attempt]) -> None:
        """Let a batch play heat after heat, less and less of it."""
        before, seed = 0, self.bench.effort.seed
        looks = len(self.sizes.heats)
        for games in self.sizes.heats:
            heat, running = Heat(seed, before, games - before), [one for one in batch if one.running]
            fits = []
            for one, found in zip(running, self.bench.begin([one.variant for one in running], heat), strict=True):
                if isinstance(found, str):
                    one.problem = found
                    continue
                # What random players can tell is told before the others begin to think.
                so_far = replace(one.gathered, skilled=None, single=None) + found if one.gathered else found
                one.problem = self._undefined(so_far, "random")
                if broken := self._broken(so_far, looks):
                    one.stopped = broken
                if not one.running:
                    one.gathered = one.gathered or so_far
                    continue
                fits.append((one, found))
            heated = self.bench.go_on([one.variant for one, _ in fits], [found for _, found in fits], heat)
            for (one, _), found in zip(fits, heated, strict=True):
                one.gathered = one.gathered + found if one.gathered else found
                self.played += heat.games * self._line_ups(one)
                one.problem = trouble(found.played) or self._undefined(one.gathered, "random", "skilled", "single")
            if games < self.sizes.games:
                self._drop([one for one, _ in fits if one.running], looks)
            before = games
        self.attempts += batch
        for one in batch:
            searched = self._line_ups(one)
            self.whole += searched * (one.games if one.problem else self.sizes.games)
            self.bench.spare(searched * (self.sizes.games - one.games))
            self.tell(one)

    def _line_ups(self, one: Attempt) -> int:
        """Return in how many line-ups somebody searches."""
        if one.problem.startswith("does not run"):
            return 2 * self.bench.searches
        return len(self.bench.line_ups(one.variant)) - 1

    def _undefined(self, gathered: Gathered, *line_ups: str) -> str:
        """Return what is asked for and cannot be measured, of what these line-ups tell."""
        names = [self.wishes.aim.measure, *(demand.measure for demand in self.wishes.demands)]
        missing = [name for name in names if MEASURES[name].line_up in line_ups and gathered.measure(name) is None]
        return f"{missing[0]} is not defined for it" if missing else ""

    def _broken(self, gathered: Gathered, looks: int) -> str:
        """Return which demand is surely broken, as far as the games tell that were played."""
        for demand in self.wishes.demands:
            if getattr(gathered, MEASURES[demand.measure].line_up) is None:
                continue
            found = gathered.measure(demand.measure)
            if found is not None and demand.surely_broken_by(found.bonferroni(looks)):
                return f"breaks {demand}"
        return ""

    def _drop(self, running: Sequence[Attempt], looks: int) -> None:
        """Stop whoever surely breaks a demand, or is surely worse than the best on the same deals."""
        aim = self.wishes.aim
        for one in running:
            assert one.gathered is not None
            one.stopped = self._broken(one.gathered, looks)
        staying = [one for one in running if one.running]
        rivals = [*(one for one in self.attempts if one.running), *staying]

        def merit(one: Attempt) -> float:
            found = one.gathered.measure(aim.measure) if one.gathered is not None else None
            return aim.direction * found.value if found else float("-inf")

        def keeps(one: Attempt) -> bool:
            return all(each.kept_by(one.gathered.measure(each.measure)) for each in self.wishes.demands if one.gathered is not None)

        # Who is best is said by all games that there are: the luckiest of many on few deals would drive out its betters.
        best = max((one for one in rivals if keeps(one)), key=lambda one: (merit(one), -one.number), default=None)
        if best is None or best.gathered is None:
            return
        for one in staying:
            gap = one.gathered.compared(best.gathered, aim.measure) if one is not best and one.gathered is not None else None
            wide = gap.bonferroni(looks) if gap else None
            if wide and max(aim.direction * wide.low, aim.direction * wide.high) < 0:
                one.stopped = f"worse than {best.variant.name}"


class _Study:
    """Optuna's study, asked and told in one process and one order; what it learned is in the store as games."""

    def __init__(self, wishes: Wishes, seed: int) -> None:
        try:
            import optuna
        except ModuleNotFoundError:
            raise NotPossible("a search needs Optuna: pip install optuna") from None

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self.optuna, self.wishes = optuna, wishes
        self.space: dict[str, optuna.distributions.BaseDistribution] = {
            span.name: optuna.distributions.IntDistribution(span.low, span.high) for span in wishes.spans
        }
        sampler = optuna.samplers.TPESampler(
            seed=derive_seed(seed, Purpose.POPULATION) >> SPARE_BITS, multivariate=True, constant_liar=True
        )
        self.study = optuna.create_study(sampler=sampler, direction="maximize" if wishes.aim.direction > 0 else "minimize")

    def batches(self, own: Mapping[str, int], trials: int) -> Iterator[list[tuple[dict[str, int], Any]]]:
        """Yield settings with their trials, a batch at a time, first of all those of the game as it is written.

        Where there are no more variants than trials, all of them are tried.
        """
        inside, whole = all(own[span.name] in span.values for span in self.wishes.spans), self.wishes.size <= trials
        if inside:
            self.study.enqueue_trial(dict(own))
        if whole:
            for values in product(*(span.values for span in self.wishes.spans)):
                self.study.enqueue_trial(dict(zip(own, values, strict=True)), skip_if_exists=True)
        batch: list[tuple[dict[str, int], Any]] = [] if inside else [(dict(own), None)]
        known, left = [dict(own)] if batch else [], self.wishes.size if whole else trials
        while left:
            tried = 0
            while left and len(batch) < BATCH and tried < TRIES:
                trial = self.study.ask(self.space)
                settings = {name: int(trial.params[name]) for name in own}
                if settings in known:
                    # What is known already is not told twice.
                    self.study.tell(trial, state=self.optuna.trial.TrialState.FAIL)
                    tried += 1
                    continue
                known.append(settings)
                batch.append((settings, trial))
                left -= 1
            if not batch:
                return
            yield batch
            batch = []

    def learn(self, one: Attempt) -> None:
        """Tell the study what became of a variant."""
        state, trial, aim = self.optuna.trial.TrialState, one.trial, self.wishes.aim.measure
        if trial is None:
            return
        # What is no game breaks everything; what was stopped is known by what it had reached.
        trial.set_constraint("a game", 1.0 if one.problem else 0.0)
        for demand in self.wishes.demands:
            found = one.gathered.measure(demand.measure) if one.gathered is not None and not one.problem else None
            if found is not None:
                trial.set_constraint(str(demand), -demand.slack(found.value))
        found = one.gathered.measure(aim) if one.gathered is not None and not one.problem else None
        if found is not None:
            trial.report(found.value, one.games)
        if one.running and found is not None:
            self.study.tell(trial, found.value)
        else:
            self.study.tell(trial, state=state.PRUNED)
