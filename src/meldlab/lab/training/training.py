"""A course from beginning to end: laps, checkpoints that survive a kill, the curve, and the file that plays.

Beside ``FILE.npz``, which plays, lie ``FILE.state``, with which the course goes on, and ``FILE.jsonl``, the curve.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from meldlab import __version__
from meldlab.cache import replace_file
from meldlab.chance import Purpose, derived
from meldlab.errors import BadText, NotLegalHere, NotPossible
from meldlab.gin.players.policy import read_policy
from meldlab.lab.training.learner import Course, Learner, Taught
from meldlab.lab.training.lessons import Device
from meldlab.lab.training.measuring import Strength, measure
from meldlab.lab.training.network import PolicyNetwork

__all__ = ["Trained", "read_visitors", "train"]

SAVED_EVERY = 60.0  # seconds between two checkpoints


@dataclass(frozen=True)
class Trained:
    """What came of a course."""

    path: Path
    steps: int
    laps: int
    seconds: float
    measured: tuple[Strength, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the answer of the command line."""
        rates = {one.against: {"games": one.games, "wins": one.wins, "ci95": [one.rate.low, one.rate.high]} for one in self.measured}
        return {"saved": str(self.path), "steps": self.steps, "laps": self.laps, "seconds": self.seconds, "measured": rates}


def read_visitors(text: str) -> tuple[str, ...]:
    """Read who visits, in which order: names with commas between them, some more than once.

    >>> read_visitors("simple, ensemble:best,simple")
    ('simple', 'ensemble:best', 'simple')
    """
    names, at = [], 0
    for word in text.split(",") if text.strip() else ():
        if not word.strip():
            raise BadText("visitors are names of players with commas between them", text, at)
        names.append(word.strip())
        at += len(word) + 1
    return tuple(names)


def train(
    course: Course,
    save: Path,
    *,
    device: Device = "cpu",
    start: Path | None = None,
    resume: bool = False,
    against: Sequence[str] = (),
    games: int = 2000,
    report: Callable[[Taught, Learner], None] = lambda lap, learner: None,
) -> Trained:
    """Teach a network and write it to ``save``; afterwards it plays ``games`` games against each of some opponents."""
    if save.suffix != ".npz":
        raise NotLegalHere(f"a network is saved as FILE.npz, not {save.name}")
    state, curve = save.with_suffix(".state"), save.with_suffix(".jsonl")
    parent, notes = (None, {}) if start is None else read_policy(start, str(start))
    learner = Learner(course, device, None if parent is None else PolicyNetwork.load(parent._asdict()))
    if resume:
        if not state.exists():
            raise NotPossible(f"nothing to resume: there is no {state}")
        learner.resume(state)
    elif state.exists():
        raise NotPossible(f"{state} is there already: --resume goes on with it, another --save begins anew")
    begun = saved = perf_counter()
    lineage = [*notes.get("lineage", []), {**_told(course), "start": start and start.name, "version": __version__}]
    with curve.open("a") as lines:
        for lap in learner.learn():
            lines.write(json.dumps(lap.as_json()) + "\n")
            lines.flush()
            report(lap, learner)
            if perf_counter() - saved > SAVED_EVERY:
                _write(learner, save, lineage)
                saved = perf_counter()
    _write(learner, save, lineage)
    fresh = derived(course.seed, Purpose.FRESH)
    measured = tuple(measure(learner.mean, name, games, fresh, device=device, rules=course.rules) for name in against)
    return Trained(save, learner.steps, learner.laps, perf_counter() - begun, measured)


def _write(learner: Learner, save: Path, lineage: list[dict[str, Any]]) -> None:
    learner.save(save.with_suffix(".state"))
    done = {**lineage[-1], "steps": learner.steps}
    with replace_file(save) as file:
        learner.mean.save(file, {"lineage": [*lineage[:-1], done]})


def _told(course: Course) -> dict[str, Any]:
    """Return a course as it is kept with the network that it taught."""
    from dataclasses import asdict

    return {**asdict(course), "rules": course.rules.as_record()}
