"""Small runs of each kind of long work; as a program it plays one slowly, until it is killed: kinds KIND STORE."""

import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

from meldlab.analysis.study import StudyConfig, analyse
from meldlab.analysis.variant import Variant
from meldlab.arena.evaluation import RunEvaluator
from meldlab.recycle.game import RecycleGame
from meldlab.reproduce.nagai.knocking import KnockingSize, knock_experiment
from meldlab.reproduce.nagai.tracking import TrackingSize, track_experiment
from meldlab.runs import tasks
from meldlab.runs.queue import execute_here
from meldlab.runs.store import Run, Store, TaskResult, canonical
from meldlab.tuning.cma_es import CMAConfig, tune

SEED = 5


def play_best(store: Store) -> Any:
    config = CMAConfig(population=4, games=20, seed=SEED)
    with store.start_run("best", {"seed": SEED}) as run:
        return tune(RunEvaluator(run, 0, jobs=1).scores, config, 2, 40).as_json()


def play_analyse(store: Store) -> Any:
    config = StudyConfig(games=6, random_scores=100, simulations=5, seed=SEED)
    analysis = analyse(Variant(RecycleGame.load("kuhn_poker")), config, store, jobs=1)
    return [analysis.skilled.scores.tolist(), *(str(heuristic.interval) for heuristic in analysis.heuristics)]


KINDS: dict[str, Callable[[Store], Any]] = {
    "contest": lambda store: execute_here(store, "contest", {"players": ["simple", "gin-only"], "games": 4000, "seed": SEED, "threads": 1}),
    "analyse": play_analyse,
    "best": play_best,
    "track": lambda store: track_experiment(TrackingSize(10, 2, 10, 40), SEED).run(store, 1)[1],
    "knock": lambda store: knock_experiment(KnockingSize(2, 2, 2, 20, turns=(5, 6, 7)), SEED).run(store, 1)[1],
}


def play(kind: str, store: str) -> str:
    """Play a run to its end and return its answer as text."""
    return canonical(KINDS[kind](Store.open(store)))


def write_slowly(self: Run, results: Iterable[TaskResult]) -> None:
    """Write results as ever, then wait, so that a process can be killed between two of them."""
    write(self, results)
    time.sleep(0.2)


if __name__ == "__main__":
    write = Run.write
    Run.write = write_slowly  # type: ignore[method-assign]
    tasks.POLL_SECONDS = 0.0
    play(*sys.argv[1:])
