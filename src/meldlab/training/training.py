"""A course from beginning to end: laps, checkpoints that survive a kill, the curve, and the file that plays.

Beside ``FILE.npz``, which plays, lie ``FILE.state``, with which the course goes on, and ``FILE.jsonl``, the curve.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from pickle import UnpicklingError
from time import perf_counter
from typing import Any

import numpy as np
import torch

from meldlab import __version__
from meldlab.cache import replace_file
from meldlab.chance import Purpose, derive_seed
from meldlab.errors import BadText, NotLegalHere, NotPossible
from meldlab.gin import players
from meldlab.gin.network_files import read_policy
from meldlab.gin.players.policy import PolicyPlayer
from meldlab.gin.players.value_network import LightPlayer
from meldlab.training.learner import Course, Learner, Taught
from meldlab.training.lessons import Device
from meldlab.training.measuring import Strength, measure
from meldlab.training.network import PolicyNetwork
from meldlab.training.value_learner import ValueCourse, ValueLap, ValueLearner
from meldlab.training.value_network import ValueNetwork

__all__ = ["Trained", "begin", "decisions_done", "read_visitors", "settings_of", "shared", "strength", "train"]

DAMAGES = (EOFError, KeyError, OSError, RuntimeError, UnpicklingError)  # what reading a state may end with
SAVED_EVERY = 30.0  # seconds between two checkpoints


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


def shared(tables: int, shares: str) -> tuple[int, int, int]:
    """Return how many of some tables are for playing oneself, past selves and visitors, an even number for each.

    >>> shared(70, "4,2,1")
    (40, 20, 10)
    """
    parts = shares.split(",")
    if len(parts) != 3 or not all(part.strip().isdecimal() for part in parts) or not any(map(int, parts)):
        raise BadText("shares are three whole numbers, such as 4,2,1", shares, 0)
    own, past, visiting = (tables * int(part) // sum(map(int, parts)) // 2 * 2 for part in parts)
    return own, past, visiting


def train(
    course: Course | ValueCourse,
    save: Path,
    *,
    device: Device = "cpu",
    start: str = "",
    resume: bool = False,
    against: Sequence[str] = (),
    games: int = 2000,
    report: Callable[[Taught | ValueLap, Learner | ValueLearner], None] = lambda lap, learner: None,
) -> Trained:
    """Teach a network and write it to ``save``; afterwards it plays ``games`` games against each of some opponents.

    ``start``: a player or a file whose network is taught further.
    """
    if save.suffix != ".npz":
        raise NotLegalHere(f"a network is saved as FILE.npz, not {save.name}")
    state, curve = save.with_suffix(".state"), save.with_suffix(".jsonl")
    if resume:
        _known(state)
    elif state.exists():
        raise NotPossible(f"{state} is there already: --resume goes on with it, another --save begins anew")
    learner, parents = begin(course, device, start)
    if resume:
        with _damage_told(state):
            learner.resume(state)
    begun = saved = perf_counter()
    settings = {**settings_of(course), "start": start, "version": __version__}
    lineage = [*(_before(save, settings) if resume and save.exists() else parents), settings]
    _cut(curve, learner.laps)
    with curve.open("a") as lines:
        for lap in learner.learn():
            lines.write(json.dumps(lap.as_json()) + "\n")
            lines.flush()
            report(lap, learner)
            if perf_counter() - saved > SAVED_EVERY:
                _write(learner, save, lineage)
                saved = perf_counter()
    _write(learner, save, lineage)
    fresh = derive_seed(course.seed, Purpose.FRESH)
    measured = tuple(strength(learner, name, games, fresh) for name in against)
    return Trained(save, learner.steps, learner.laps, perf_counter() - begun, measured)


def begin(course: Course | ValueCourse, device: Device, start: str) -> tuple[Learner | ValueLearner, list[dict[str, Any]]]:
    """Return a learner, and how the network that it begins with was taught."""
    kind, wanted = (LightPlayer, "values") if isinstance(course, ValueCourse) else (PolicyPlayer, "a policy")
    player = players.parse(f"computed:{start}" if start.endswith(".npz") and ":" not in start else start) if start else None
    if player is not None and not isinstance(player, kind):
        raise NotLegalHere(f"{start} is no network of {wanted}, so it cannot be taught so")
    if isinstance(course, ValueCourse):
        value = ValueNetwork.load(player.network) if isinstance(player, LightPlayer) else None
        return ValueLearner(course, device, value), _lineage(player.notes) if isinstance(player, LightPlayer) else []
    policy = PolicyNetwork.load(player.policy._asdict()) if isinstance(player, PolicyPlayer) else None
    file = start.removeprefix("computed:")
    return Learner(course, device, policy), _lineage(read_policy(file, file)[1]) if file.endswith(".npz") else []


def decisions_done(save: Path) -> int:
    """Return how many decisions a course that can go on has behind it."""
    state = save.with_suffix(".state")
    _known(state)
    with _damage_told(state):
        return int(torch.load(state, map_location="cpu", weights_only=True)["steps"])


def _known(state: Path) -> None:
    if not state.exists():
        raise NotPossible(f"nothing to resume: there is no {state}")


@contextmanager
def _damage_told(state: Path) -> Iterator[None]:
    try:
        yield
    except DAMAGES:
        raise NotPossible(f"{state} cannot be resumed: it is damaged, or of another course") from None


def _cut(curve: Path, laps: int) -> None:
    """Drop the laps after a checkpoint from the curve, and all of an earlier course: they are played again."""
    lines = curve.read_text().splitlines(keepends=True) if curve.exists() else []
    with replace_file(curve) as file:
        file.write("".join(line for line in lines[:laps] if line.endswith("\n")).encode())


def _lineage(notes: Any) -> list[dict[str, Any]]:
    return list(notes.get("lineage", []))


def _before(save: Path, settings: dict[str, Any]) -> list[dict[str, Any]]:
    """Return how a network that goes on was taught; a course that goes on by other settings is one more."""
    told = _lineage(json.loads(str(np.load(save)["notes"])))
    planned = {name: value for name, value in told[-1].items() if name != "learned"} if told else {}
    return told[:-1] if planned == json.loads(json.dumps(settings)) else told


def strength(learner: Learner | ValueLearner, name: str, games: int, seed: int) -> Strength:
    """Return what the file of a learner wins against an opponent, on mirrored deals of a seed."""
    if isinstance(learner, ValueLearner):
        return learner.measure(name, games, seed)
    found: Strength = measure(learner.mean.rounded(), name, games, seed, device=learner.device, rules=learner.course.rules)
    return found


def _write(learner: Learner | ValueLearner, save: Path, lineage: list[dict[str, Any]]) -> None:
    learner.save(save.with_suffix(".state"))
    done = {**lineage[-1], "learned": learner.steps}
    with replace_file(save) as file:
        learner.mean.save(file, {"against": _company(learner.course), "lineage": [*lineage[:-1], done]})


def _company(course: Course | ValueCourse) -> str:
    return ",".join(dict.fromkeys(course.against if isinstance(course, ValueCourse) else course.visitors))


def settings_of(course: Course | ValueCourse) -> dict[str, Any]:
    """Return a course as it is kept with the network that it taught."""
    return {"learn": "values" if isinstance(course, ValueCourse) else "policy", **asdict(course), "rules": course.rules.as_record()}
