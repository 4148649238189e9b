"""The store in a browser: what was searched and how far it is, who leads with which interval, curves while they grow, downloads."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Request
from fastapi.responses import PlainTextResponse, RedirectResponse, Response
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from meldlab.runs.queue import OPEN
from meldlab.web.charts import dots, intervals
from meldlab.web.forms import form
from meldlab.web.rendering import page
from meldlab.web.routes.runs import RunResponse, StoredRun, cancel_run, run_response, whole_run
from meldlab.web.services import Services, ServicesDep
from meldlab.web.shapes import Pair
from meldlab.web.visitors import Visitor, VisitorDep
from meldlab.web.work import experiments as work

api = APIRouter(prefix="/api/v1/experiments", tags=["experiments"])
pages = APIRouter(include_in_schema=False)
Number = Annotated[int, Path(ge=1, le=2**31 - 1, description="The number of a run.")]
Player = Literal[
    "random", "simple", "ensemble:paper", "ensemble:best", "marjj", "computed:light", "computed:light-ensemble", "specialist", "champion"
]
PLAYERS: tuple[str, ...] = Player.__args__  # type: ignore[attr-defined]


class RunSummaryResponse(BaseModel):
    """A run of the store."""

    run: int
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


class RunDetailResponse(RunSummaryResponse):
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


@api.get("", summary="List the runs of the store")
async def runs(services: ServicesDep, visitor: VisitorDep) -> list[RunSummaryResponse]:
    """Return the runs of the store, newest first."""
    rows = await services.run(visitor, work.all_runs, *services.store_address)
    return [RunSummaryResponse(**row) for row in rows]


@api.get("/{number}", summary="Look at a run of the store")
async def run(services: ServicesDep, visitor: VisitorDep, number: Number) -> RunDetailResponse:
    """Return a run with its leaders and its curve."""
    return RunDetailResponse(**await services.run(visitor, work.run_detail, *services.store_address, number))


@api.get("/{number}/rows.csv", response_class=PlainTextResponse, summary="Download the evaluations of a run")
async def rows(services: ServicesDep, visitor: VisitorDep, number: Number) -> str:
    """Return every evaluation of a run as CSV."""
    return await services.run_long(visitor, work.rows_csv, *services.store_address, number)


@api.post("/contests", status_code=201, summary="Play a contest")
async def compete(services: ServicesDep, visitor: VisitorDep, body: Compete) -> RunResponse:
    """Begin a contest of gin between two players, as a background run."""
    services.need("gin")
    settings = {"players": list(body.players), "games": body.games, "seed": body.seed, "threads": 1}
    return run_response(await services.background.submit(visitor.id, "contest", settings))


@pages.get("/experiments")
async def overview(request: Request, services: ServicesDep, visitor: VisitorDep) -> Response:
    """Show the runs of the store and the contests of the visitor."""
    return await _overview(request, services, visitor)


async def _overview(request: Request, services: Services, visitor: Visitor, problem: str = "") -> Response:
    contests = [await whole_run(services, run) for run in await services.sql(services.runs.runs, visitor.id, ("contest",), count=20)]
    busy = any(run.state in OPEN for run in contests)
    return page(
        request, "experiments/overview.html.jinja", title="Experiments", runs=await runs(services, visitor), jobs=contests, busy=busy,
        players=PLAYERS, problem=problem, status=422 if problem else 200,
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
        return await _overview(request, services, visitor, f"{first['loc'][-1]}: {first['msg']}")
    await compete(services, visitor, body)
    return RedirectResponse("/experiments", 303)


@pages.post("/experiments/{id}/cancel")
async def stop(services: ServicesDep, visitor: VisitorDep, run: StoredRun) -> Response:
    """Cancel a contest."""
    await cancel_run(services, visitor, run)
    return RedirectResponse("/experiments", 303)


@pages.get("/experiments/{number}")
async def one_run(request: Request, services: ServicesDep, visitor: VisitorDep, number: Number) -> Response:
    """Show one run."""
    response = await run(services, visitor, number)
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
