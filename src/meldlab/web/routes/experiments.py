"""The store in a browser: what was searched and how far it is, who leads with which interval, curves while they grow, downloads."""

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import PlainTextResponse, RedirectResponse, Response
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from meldlab.reports.rows import csv_text
from meldlab.runs.leaderboard import LeaderboardRow, RunProgress, leaderboard
from meldlab.runs.store import EVALUATIONS, Run
from meldlab.web.charts import dots, intervals
from meldlab.web.forms import form
from meldlab.web.jobs import KINDS
from meldlab.web.rendering import page
from meldlab.web.routes.long_work import JobId, JobResponse, cancel, job_response
from meldlab.web.services import ServicesDep
from meldlab.web.shapes import Pair
from meldlab.web.visitors import VisitorDep

api = APIRouter(prefix="/api/v1/experiments", tags=["experiments"])
pages = APIRouter(include_in_schema=False)
KINDS["contest"] = "meldlab.web.work.contest:compete"
Number = Annotated[int, Path(ge=1, le=2**31 - 1, description="The number of a run.")]
Player = Literal[
    "random", "simple", "ensemble:paper", "ensemble:best", "marjj", "computed:light", "computed:light-ensemble", "specialist", "champion"
]
PLAYERS: tuple[str, ...] = Player.__args__  # type: ignore[attr-defined]
TOP, POINTS = 20, 2000  # leaders that a page shows, points of its curve


class RunResponse(BaseModel):
    """A run of the store."""

    number: int
    experiment: str
    settings: dict[str, Any]
    version: str
    started: str
    state: str
    games: int
    planned: int
    games_per_second: float
    seconds_left: float | None


class Leader(BaseModel):
    """What a player has reached in a run."""

    label: str
    player: str
    opponent: str
    games: int
    win_rate: float | None
    ci95: Pair | None
    score: float | None


class RunWhole(RunResponse):
    """A run with its leaders, its curve, its notes and its answer."""

    leaders: list[Leader]
    curve: list[Pair]
    """Games done, and the rate or score of the piece that was done then."""
    notes: list[str]
    result: Any


class Compete(BaseModel):
    """A contest to play."""

    model_config = ConfigDict(extra="forbid")
    players: tuple[Player, Player]
    games: int = Field(default=10_000, ge=2, le=200_000)
    seed: int = Field(default=0, ge=0, le=2**63 - 1)


@api.get("")
async def runs(services: ServicesDep) -> list[RunResponse]:
    """Return the runs of the store, the newest first."""
    return [_response(run) for run in reversed(services.repository.store.runs())]


@api.get("/{number}")
async def run(services: ServicesDep, number: Number) -> RunWhole:
    """Return a run with who leads and how it went."""
    result = services.repository.store.find(number)
    response = _response(result)
    return RunWhole(
        **response.model_dump(), leaders=[_leader(item) for item in leaderboard(result, TOP)], curve=_curve(result),
        notes=result.notes.splitlines(),
        result=result.result,
    )  # fmt: skip


@api.get("/{number}/rows.csv", response_class=PlainTextResponse)
async def rows(services: ServicesDep, number: Number) -> str:
    """Return every evaluation of a run as CSV."""
    names = [column.name for column in EVALUATIONS.columns]
    return csv_text([names, *(tuple(row) for row in services.repository.store.find(number).evaluations())])


@api.post("/contests", status_code=201)
async def compete(services: ServicesDep, visitor: VisitorDep, body: Compete) -> JobResponse:
    """Begin a contest of gin between two players of the house, as long work."""
    services.need("gin")
    arguments = {"players": list(body.players), "games": body.games, "seed": body.seed}
    return job_response(services.jobs.add(visitor.id, "contest", arguments))


def _response(run: Run) -> RunResponse:
    progress = RunProgress.from_run(run)
    started = datetime.fromtimestamp(run.started, UTC).strftime("%Y-%m-%d %H:%M")
    return RunResponse(
        number=run.number, experiment=run.experiment, settings=dict(run.settings), version=run.version, started=started,
        state=progress.state,
        games=progress.games, planned=progress.planned, games_per_second=progress.games_per_second, seconds_left=progress.seconds_left,
    )  # fmt: skip


def _leader(one: LeaderboardRow) -> Leader:
    rate = one.win_rate
    return Leader(
        label=one.label, player=one.player, opponent=one.opponent, games=one.games, win_rate=rate.value if rate else None,
        ci95=[rate.low, rate.high] if rate else None, score=one.score,
    )  # fmt: skip


def _curve(run: Run) -> list[list[float]]:
    points, games = list[list[float]](), 0
    for row in run.evaluations():
        games += row.games
        value = row.score if row.score is not None else row.wins / row.games if row.wins is not None and row.games else None
        if value is not None:
            points.append([games, float(value)])
    return points[:: max(1, len(points) // POINTS)]


@pages.get("/experiments")
async def overview(
    request: Request, services: ServicesDep, visitor: VisitorDep, problem: Annotated[str, Query(max_length=300)] = ""
) -> Response:
    """Show the runs of the store and the contests of who asks."""
    mine = [job_response(job) for job in services.repository.jobs(owner=visitor.id) if job.kind == "contest"][:20]
    busy = any(job.state in ("waiting", "running") for job in mine)
    return page(
        request, "experiments/overview.html.jinja", title="Experiments", runs=await runs(services), jobs=mine, busy=busy, players=PLAYERS,
        problem=problem, status=422 if problem else 200,
    )  # fmt: skip


@pages.post("/experiments")
async def begin(request: Request, services: ServicesDep, visitor: VisitorDep) -> Response:
    """Begin a contest, and come back."""
    typed = await form(request)
    try:
        body = Compete.model_validate(
            {"players": (typed.get("first"), typed.get("second")), "games": typed.get("games"), "seed": typed.get("seed") or 0}
        )
    except ValidationError as error:
        first = error.errors()[0]
        return await overview(request, services, visitor, f"{first['loc'][-1]}: {first['msg']}")
    await compete(services, visitor, body)
    return RedirectResponse("/experiments", 303)


@pages.post("/experiments/{id}/cancel")
async def stop(services: ServicesDep, id: JobId) -> Response:
    """Cancel a contest."""
    await cancel(services, id)
    return RedirectResponse("/experiments", 303)


@pages.get("/experiments/{number}")
async def one_run(request: Request, services: ServicesDep, number: Number) -> Response:
    """Show one run."""
    response = await run(services, number)
    rates = [
        (leader.label[:40], leader.win_rate, leader.ci95[0], leader.ci95[1])
        for leader in response.leaders
        if leader.win_rate is not None and leader.ci95
    ]
    return page(
        request, "experiments/run.html.jinja", title=f"Run {number}: {response.experiment}", run=response,
        curve=dots(response.curve, "games", "rate or score"),
        rates=intervals(rates, "share of games won"),
    )  # fmt: skip
