"""A course in the store: its command, seed and settings, how it went, and what was measured in the end.

Where SQLAlchemy is missing, as it may be on a rented GPU, nothing is kept, and a course goes on without.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from meldlab.errors import NotPossible

if TYPE_CHECKING:
    from meldlab.runs.store import Run
    from meldlab.training.training import Trained

__all__ = ["KeptCourse", "can_keep", "kept_course"]

WORKER = "gin.train"  # who measured, in the rows of the store
RENEWED = 20.0  # seconds after which the store is told that the course goes on


def can_keep() -> bool:
    """Tell whether there is what a store needs."""
    return find_spec("sqlalchemy") is not None


class KeptCourse:
    """A run of the store while its course goes on; the games that are to be measured are claimed, so that it is seen to run."""

    def __init__(self, run: "Run", settings: Mapping[str, Any], against: Sequence[str], games: int) -> None:
        from meldlab.runs.store import claimant
        from meldlab.runs.tasks import Shard

        self.run, self._owner, self.steps, self._told = run, claimant(), 0, monotonic()
        name = Path(str(settings["save"])).stem
        self._pieces = {
            opponent: Shard(WORKER, name, opponent, seed=settings["seed"], games=games, arguments={"steps": settings["steps"]})
            for opponent in against
        }
        if self._pieces:
            run.plan(games * len(self._pieces))
            run.claim([piece.row() for piece in self._pieces.values()], self._owner)

    def lap(self, steps: int) -> None:
        """Say how far the course is."""
        self.steps = steps
        if monotonic() - self._told > RENEWED:
            # A locked database must not end a training run; the next renewal may succeed.
            with suppress(NotPossible):
                self.run.renew(self._owner)
            self._told = monotonic()

    def finish(self, found: "Trained") -> None:
        """Keep the curve and what was measured."""
        from meldlab.runs.store import Done, canonical

        done = []
        for one in found.measured:
            counts = {"games": one.games, "wins": one.wins, "swept": one.swept}
            done.append(Done(self._pieces[one.against].key, canonical(counts), found.seconds / len(found.measured)))
        self.run.write(done)
        curve = [json.loads(line) for line in found.path.with_suffix(".jsonl").read_text().splitlines()]
        self.run.finish({**found.as_json(), "curve": curve})

    def break_off(self) -> None:
        """Say where a course ended that did not come to its end; one that did not begin leaves nothing behind."""
        if self.steps:
            self.run.note(f"broken off after {self.steps:,} decisions; --resume goes on")
        else:
            self.run.release(self._owner)


@contextmanager
def kept_course(
    store: str | None, experiment: str, settings: Mapping[str, Any], against: Sequence[str], games: int
) -> Iterator[KeptCourse]:
    """Give the run of a course; ``against``: who is played afterwards, ``games`` games each."""
    from meldlab.runs.store import Store

    with Store.open(store).search(experiment, settings) as run:
        kept = KeptCourse(run, settings, against, games)
        try:
            yield kept
        except BaseException:
            kept.break_off()
            raise
