"""Answers about the runs of the store."""

from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import BeforeValidator, Field

from meldlab.formatting import utc_text
from meldlab.schemas import Answer, Pair

if TYPE_CHECKING:
    from meldlab.runs.leaderboard import RunProgress
    from meldlab.runs.store import Run

PROGRESS = ("state", "games", "planned", "workers", "games_per_second", "seconds_left")
Time = Annotated[str, BeforeValidator(lambda value: utc_text(value) if isinstance(value, float) else value)]


class RunAnswer(Answer):
    """A run and its progress."""

    run: int
    experiment: str
    settings: dict[str, Any]
    version: str
    started: Time
    finished: Time | None
    state: str
    """``finished``, ``running`` or ``stopped``."""
    games: int
    planned: int
    workers: int
    games_per_second: float
    seconds_left: float | None

    @classmethod
    def from_run(cls, run: "Run", progress: "RunProgress", **more: Any) -> Self:
        """Return a run with its progress; ``more``: further fields of the answer."""
        of_run = {name: getattr(run, name) for name in ("experiment", "settings", "version", "started", "finished")}
        of_progress = {name: getattr(progress, name) for name in PROGRESS}
        return cls(run=run.number, **of_run, **of_progress, **more)


class LeaderboardAnswer(Answer):
    """The results of a player against one opponent."""

    label: str
    player: str
    opponent: str
    rules: str
    games: int
    wins: int | None
    win_rate: Annotated[float | None, BeforeValidator(lambda rate: rate and rate.value)]
    ci95: Annotated[Pair | None, BeforeValidator(lambda rate: rate and (rate.low, rate.high))] = Field(validation_alias="win_rate")
    score: float | None


class RunDetail(RunAnswer):
    """A run with its notes, its best players and its result."""

    notes: list[str]
    players: list[LeaderboardAnswer]
    result: Any
