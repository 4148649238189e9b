"""Games of searching players that took an hour: carried in the package as numbers of few bits, and an analysis made of them."""

import json
from collections.abc import Mapping
from dataclasses import fields
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import numpy as np

from meldlab.analysis.playing import LineUp, changed_limits, play_shard, random_scores
from meldlab.analysis.sample import Sample
from meldlab.analysis.study import Analysis, StudyConfig
from meldlab.analysis.variant import Variant
from meldlab.recycle.movement import Movement

__all__ = ["keep_games", "keeps", "kept_analysis"]

# Estimates are read off pictures: a float of half the usual size has three digits, which is more than these show.
SMALL = {"f": np.float32, "i": np.int16}
ROUGH = ("best", "worst", "value", "mean", "first_half", "second_half", "score_estimates", "rank_estimates")


def keep_games(path: Path, samples: Mapping[str, Sample], told: Mapping[str, Any]) -> None:
    """Write samples of one game, and what is to be told of them, to a file."""
    arrays: dict[str, Any] = {"told": np.array(json.dumps(dict(told)))}
    for name, sample in samples.items():
        for part in fields(sample):
            values = getattr(sample, part.name)
            if part.name != "goal":
                values = values.astype(np.float16 if part.name in ROUGH else SMALL[values.dtype.kind])
            arrays[f"{name}.{part.name}"] = np.asarray(values)
    np.savez_compressed(path, **arrays)


def keeps(name: str) -> bool:
    """Tell whether searched games of a game are carried."""
    return _place(name).is_file()


def kept_analysis(name: str, variant: Variant) -> tuple[Analysis, str, str]:
    """Return the analysis of a game whose searched games are carried, when they were played, and how they are fewer than published."""
    with as_file(_place(name)) as path, np.load(path) as arrays:
        told = json.loads(str(arrays["told"]))
        samples = {each: _sample(arrays, each) for each in ("skilled", "single")}
    config = StudyConfig(games=samples["skilled"].games, player=told["player"], simulations=told["simulations"], random=100)
    machine = variant.machine
    arguments = {"dialect": variant.game.dialect, "limits": changed_limits(variant.game.limits)}
    random = config.line_ups(machine.players)["random"]
    assert isinstance(random, LineUp)
    played = play_shard(random.shard(variant.game.name, variant.game.text, config.seed, 100, arguments))
    counted = random_scores(machine, config.seed, config.random_scores)
    analysis = Analysis(
        variant,
        config,
        Sample.from_json(played["sample"]),
        samples["skilled"],
        samples["single"],
        counted,
        Movement.of(machine, config.seed),
        told["seconds"],
    )
    many = " and ".join(str(each.games) for each in samples.values())
    stored = f"stored {told['date']}, {told['machine']}, version {told['version']}, {many} games"
    reduced = "" if min(each.games for each in samples.values()) >= 100 else "fewer than 100 games"
    return analysis, stored, reduced


def _place(name: str) -> Traversable:
    return files(__package__).joinpath("kept", f"{name}.npz")


def _sample(arrays: Mapping[str, Any], name: str) -> Sample:
    parts: dict[str, Any] = {}
    for part in fields(Sample):
        values = arrays[f"{name}.{part.name}"]
        parts[part.name] = str(values) if part.name == "goal" else values.astype(np.float64 if values.dtype.kind == "f" else np.int64)
    return Sample(**parts)
