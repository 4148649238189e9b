"""The stopping game: deck, seed and draws are in the address."""

import secrets
from fractions import Fraction
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response
from markupsafe import Markup
from pydantic import BaseModel

from meldlab.errors import MeldlabError
from meldlab.schemas.stopping import StoppingAdvice, WinningsAnswer
from meldlab.web.charts import bars, heat
from meldlab.web.rendering import page
from meldlab.web.services import ServicesDep
from meldlab.web.shapes import Counts
from meldlab.web.visitors import VisitorDep
from meldlab.web.work import stopping as work

api = APIRouter(prefix="/api/v1/stopping", tags=["stopping"])
pages = APIRouter(include_in_schema=False)
Deck = Annotated[str, Query(max_length=40, description="Black and red cards, with what they win and lose: 26,26 or 3,4 +1/2 -2.")]
Seed = Annotated[int, Query(ge=0, le=2**63 - 1)]
Drawn = Annotated[int, Query(ge=0, le=120, description="How many cards were drawn.")]
Games = Annotated[int, Query(ge=2, le=1_000_000)]


class RoundResponse(StoppingAdvice):
    """A sitting after some draws."""

    black: int
    red: int
    cards: list[str]
    path: list[Counts]
    """Black and red cards left, from the first draw on."""
    won: float
    over: bool
    best_stops_after: int | None
    best_wins: float | None


class Maps(BaseModel):
    """What every position is worth, by black and red cards left."""

    value: float
    exact: str
    values: list[list[float]]
    goes_on: list[list[bool]]


@api.get("/sitting")
async def sitting(
    services: ServicesDep, visitor: VisitorDep, deck: Deck = "26,26", seed: Seed = 0, drawn: Drawn = 0, stopped: bool = False
) -> RoundResponse:
    """Return what lies open after n draws, and what the best policy would do; of cards not drawn it says nothing."""
    services.need("stopping")
    return RoundResponse(**await services.run(visitor, work.look, deck=deck, seed=seed, drawn=drawn, stopped=stopped))


@api.get("/maps")
async def maps(services: ServicesDep, visitor: VisitorDep, deck: Deck = "26,26") -> Maps:
    """Return value and policy of every position."""
    services.need("stopping")
    return Maps(**await services.run(visitor, work.maps, deck=deck))


@api.get("/games")
async def games(services: ServicesDep, visitor: VisitorDep, deck: Deck = "26,26", games: Games = 10_000, seed: Seed = 0) -> WinningsAnswer:
    """Play many games by the best policy."""
    services.need("stopping")
    answer: WinningsAnswer = await services.run(visitor, work.automatic, deck=deck, games=games, seed=seed)
    return answer


@pages.get("/stopping")
async def table(
    request: Request, services: ServicesDep, visitor: VisitorDep, deck: Deck = "26,26",
    seed: Annotated[int | None, Query(ge=0, le=2**63 - 1)] = None, drawn: Drawn = 0,
    stopped: bool = False, hint: bool = False, many: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> Response:  # fmt: skip
    """Show the sitting, the maps with its path, and many automatic games."""
    if seed is None:
        return RedirectResponse("/stopping?" + urlencode({"deck": deck, "seed": secrets.randbits(40)}), 303)
    response, result, played, problem = None, None, None, ""
    if "stopping" in services.warming.ready:
        try:
            response = await sitting(services, visitor, deck, seed, drawn, stopped)
            result = await maps(services, visitor, deck)
            played = await games(services, visitor, deck, max(2, many), seed) if many else None
        except MeldlabError as error:
            problem = str(error)
    path = response.path if response else []
    return page(
        request, "stopping/table.html.jinja", title="Stopping game", status=422 if problem else 200, deck=deck, seed=seed, drawn=drawn,
        stopped=stopped or bool(response and response.over), hint=hint, many=many, response=response, found=result, played=played,
        problem=problem,
        warming=services.warming, here={"deck": deck, "seed": seed, "drawn": drawn},
        value_map=heat(result.values, path, "what it is worth in all") if result else "",
        policy_map=heat([[float(item) for item in row] for row in result.goes_on], path, "whether to draw") if result else "",
        distribution=_distribution(played) if played else "",
    )  # fmt: skip


def _distribution(played: WinningsAnswer) -> Markup:
    amounts = [float(Fraction(row.amount)) for row in played.winnings]
    chances, shares = [row.chance for row in played.winnings], [row.simulated for row in played.winnings]
    return bars(amounts, chances, shares, below="won", says="probability, share of games")
