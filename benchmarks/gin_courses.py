"""Courses that docs/training.md quotes: best responses to every player with one budget, and the champion's course with one part changed.

    python benchmarks/gin_courses.py responses --save responses.jsonl --steps 30000000 --games 65536 --device cuda
    python benchmarks/gin_courses.py ablations --save ablations.jsonl --steps 36000000 --games 65536 --device cuda
    python benchmarks/gin_courses.py champion --save best.jsonl --steps 220000000 --games 200000 --device cuda

One line of JSON for each, written when it is measured; those in the file are not taught again. On a CPU:
--steps 1000000 --tables 1024 --batch 4096 --games 4000.
"""

import argparse
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from torch import Tensor

from meldlab.chance import Purpose, derive_seed
from meldlab.gin import players
from meldlab.training.learner import Course, Learner
from meldlab.training.network import READ, PolicyNetwork
from meldlab.training.training import shared, strength

EVERYBODY = (
    *("champion", "computed:light-pool", "computed:light-ensemble", "computed:light", "marjj"),
    *("ensemble:best", "ensemble:paper", "simple"),
)
POOL = (
    *("simple", "computed:light-ensemble", "computed:light", "marjj"),
    *("computed:light-ensemble", "simple", "ensemble:best", "computed:light"),
)
ADVISER, JUDGE = "computed:light-pool", "computed:light-ensemble"
Taught = tuple[Learner, str]


class Blind(Learner):
    """Its critic sees what a seat sees."""

    def _judge(self, features: Tensor, mask: Tensor, advice: Tensor, hidden: Tensor) -> Tensor:
        return super()._judge(features, mask, advice, hidden * 0)


class Forgetful(PolicyNetwork):
    """Does not see which cards the other declined, nor in which order cards were dropped."""

    def forward(self, cards: Tensor, numbers: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        seen = cards.clone()
        for plane in (READ.index("declined"), len(READ) + 1):
            seen[:, :, 13 * plane : 13 * plane + 13] = 0
        return super().forward(seen, numbers)


def responses(steps: int, tables: int, batch: int, device: str) -> Iterator[tuple[str, Callable[[], Taught]]]:
    """Yield a course against each player: a network that begins as the adviser."""
    for name in EVERYBODY:
        course = Course((0, 0, tables), (name,), ADVISER, steps, batch=batch)
        yield name, lambda name=name, course=course: (Learner(course, device), name)


def champion(steps: int, tables: int, batch: int, device: str) -> Iterator[tuple[str, Callable[[], Taught]]]:
    """Yield the course against the champion of a network that begins as the champion."""

    def begin() -> Taught:
        start = PolicyNetwork.load(players.parse("champion").policy._asdict())
        return Learner(Course((0, 0, tables), ("champion",), "", steps, batch=batch), device, start), "champion"

    yield "champion, from champion", begin


def ablations(steps: int, tables: int, batch: int, device: str) -> Iterator[tuple[str, Callable[[], Taught]]]:
    """Yield the champion's course as it is, and with one part changed."""
    as_it_is = Course(shared(tables, "3,1,3"), POOL, ADVISER, steps, 1, rate=1e-3, last_rate=5e-5, batch=batch)
    own, past, visiting = as_it_is.tables
    adviser = players.parse(ADVISER).network
    changed = {
        "as it is": {},
        "128 units": {"wide": 128},
        "512 units": {"wide": 512},
        "no past selves": {"tables": (own + past, 0, visiting)},
        "as many past selves as visitors": {"tables": (past, own, visiting)},
        "no belief": {"belief": 0.0},
        "mixing 0.05": {"mixing": 0.05, "last_mixing": 0.005},
        "no mixing": {"mixing": 1e-9, "last_mixing": 1e-9},
    }
    for name, change in changed.items():
        yield name, lambda change=change: (Learner(replace(as_it_is, **change), device), JUDGE)
    yield "critic sees no more than a seat", lambda: (Blind(as_it_is, device), JUDGE)

    def forgetful() -> Taught:
        return Learner(as_it_is, device, Forgetful(as_it_is.wide, as_it_is.deep, adviser=adviser)), JUDGE

    def fixed() -> Taught:
        learner = Learner(as_it_is, device)
        learner.measure_equity = lambda counts: None
        return learner, JUDGE

    yield "neither declined cards nor order", forgetful
    yield "worth of points not refreshed", fixed
    yield "as it is, another seed", lambda: (Learner(replace(as_it_is, seed=2), device), JUDGE)


def main() -> None:
    """Teach and measure, one after another."""
    kinds = {"responses": responses, "ablations": ablations, "champion": champion}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=kinds)
    parser.add_argument("--save", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=500_000)
    parser.add_argument("--tables", type=int, default=57_344)
    parser.add_argument("--batch", type=int, default=16_384)
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=1e9, help="no course begins that would not end in this time")
    parser.add_argument("--device", default="cpu")
    asked = parser.parse_args()
    known = {json.loads(line)["course"] for line in asked.save.read_text().splitlines()} if asked.save.exists() else set()
    began, quickest = time.perf_counter(), 0.0
    for name, begin in kinds[asked.what](asked.steps, asked.tables, asked.batch, asked.device):
        start = time.perf_counter()
        if name in known or start - began + quickest > asked.seconds:
            continue
        learner, judge = begin()
        laps = list(learner.learn())
        middle = time.perf_counter()
        fresh = derive_seed(learner.course.seed, Purpose.FRESH)
        found = strength(learner, judge, asked.games, fresh)
        line = {
            "course": name, "steps": learner.steps,
            "seconds": round(middle - start, 1), "measured in": round(time.perf_counter() - middle, 1),
            "against": judge, "games": found.games, "wins": found.wins, "swept": found.swept, "mixed": round(laps[-1].mixed, 3),
            "explained": round(laps[-1].explained, 3), "believed": round(laps[-1].believed, 4),
        }  # fmt: skip
        with asked.save.open("a") as file:
            file.write(json.dumps(line) + "\n")
        print(f"{name}: {found}; {line['seconds']} s and {line['measured in']} s", flush=True)
        took = time.perf_counter() - start
        quickest = min(took, quickest or took)  # the first one compiles


if __name__ == "__main__":
    main()
