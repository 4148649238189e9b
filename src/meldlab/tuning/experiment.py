"""An experiment: a search over players with its settings, as a run of the store."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from meldlab.arena.evaluation import RunEvaluator, warm_up
from meldlab.runs.store import Run, Store


@dataclass(frozen=True)
class Experiment:
    """A search over many players; the same settings are the same run."""

    name: str
    settings: Mapping[str, Any]
    planned: int
    """Games of the whole experiment, at most."""
    search: Callable[[RunEvaluator], dict[str, Any]]
    """Returns the result as plain JSON."""

    def run(
        self,
        store: Store,
        threads: int = 0,
        cluster: str | None = None,
        watching: Callable[[RunEvaluator], AbstractContextManager[None]] = lambda evaluator: nullcontext(),
    ) -> tuple[Run, Mapping[str, Any]]:
        """Return the run as it was before, and its result: that of the store if the run is finished, else that of the search."""
        with store.start_run(self.name, self.settings) as run:
            evaluator = RunEvaluator(run, self.planned, threads, cluster)
            if run.result is None:
                warm_up()
            with watching(evaluator):
                result: Mapping[str, Any] = self.search(evaluator) if run.result is None else run.result
            if run.result is None:
                run.finish(result)
        return run, result
