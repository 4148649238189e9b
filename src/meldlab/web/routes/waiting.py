"""The room of waiting times: a hand picked card by card, in the address."""

from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response
from markupsafe import Markup
from pydantic import BaseModel, Field

from meldlab.cards import Hand
from meldlab.errors import MeldlabError
from meldlab.runs.queue import OPEN
from meldlab.schemas.waiting import HandAnswer
from meldlab.web.charts import bars, curve
from meldlab.web.errors import HttpError
from meldlab.web.forms import read_form
from meldlab.web.rendering import page
from meldlab.web.routes.runs import RunResponse, run_response
from meldlab.web.services import ServicesDep
from meldlab.web.visitors import VisitorDep
from meldlab.web.work import waiting as work

api = APIRouter(prefix="/api/v1/waiting", tags=["waiting"])
pages = APIRouter(include_in_schema=False)
GOAL = "^(gin|knock:[0-9]{1,3})$"
MAX_SOLVED = 7  # cards; eight take gigabytes
Cards = Annotated[int, Query(ge=3, le=10, description="Cards in a hand.")]
Aces = Literal["low", "both", "round"]
GoalText = Annotated[str, Query(pattern=GOAL, description="gin, or knock:K for deadwood of at most K.")]
HandText = Annotated[str, Query(max_length=60, description="Cards, such as AC QH KD.")]


class WholeHand(HandAnswer):
    """A whole hand; ``sd``, ``quantiles`` and ``chances`` are None from seven cards on, as they take long."""

    curve: list[float]
    """Expected turns of all classes of hands in ascending order, at 200 points."""
    quantile: float
    """Share of the classes of hands with fewer expected turns."""
    chances: list[float] | None
    """Probability of exactly 0, 1, 2, ... turns, up to the 99th percentile."""


class HandResponse(BaseModel):
    """A hand, and what is known about it."""

    hand: list[str]
    solved: list[int]
    """Sizes of hands that can be looked up here at once."""
    found: WholeHand | None
    """Nothing while cards are missing."""


@api.get("/hand")
async def look(
    services: ServicesDep, visitor: VisitorDep, hand: HandText = "", cards: Cards = 3, aces: Aces = "low", goal: GoalText = "gin"
) -> HandResponse:
    """Return how long a hand takes, exactly, and the best answer to every card that may come."""
    services.need("waiting")
    held = Hand.parse(hand)
    if len(held) > cards:
        raise HttpError(422, f"{len(held)} cards where a hand has {cards}")
    return HandResponse(**await services.run(visitor, work.look, hand=str(held), cards=cards, aces=aces, goal=goal))


class Solve(BaseModel):
    """A size of hands to solve."""

    cards: int = Field(ge=3, le=MAX_SOLVED)
    aces: Aces = "low"
    goal: str = Field(default="gin", pattern=GOAL)


@api.post("/solve", status_code=201)
async def solve(
    services: ServicesDep,
    visitor: VisitorDep,
    cards: Annotated[int, Query(ge=3, le=MAX_SOLVED)],
    aces: Aces = "low",
    goal: GoalText = "gin",
) -> RunResponse:
    """Solve all hands of a size on this machine, as long work."""
    return run_response(await services.background.submit(visitor.id, "waiting", {"cards": cards, "aces": aces, "goal": goal}))


@pages.get("/waiting")
async def explorer(
    request: Request, services: ServicesDep, visitor: VisitorDep, hand: HandText = "", cards: Cards = 3, aces: Aces = "low",
    goal: GoalText = "gin", toggle: Annotated[str, Query(max_length=3)] = "",
) -> Response:  # fmt: skip
    """Show the picker, and what is known about the hand."""
    problem, response, held = "", None, Hand()
    try:
        held = Hand.parse(hand)
        if toggle:
            return RedirectResponse(_address(_toggled(held, toggle, cards), cards, aces, goal), 303)
        response = await look(services, visitor, hand, cards, aces, goal) if "waiting" in services.warming.ready else None
    except (MeldlabError, HttpError) as error:
        problem = str(error)
    result = response.found if response else None
    title = f"{held} – waiting times" if result else "Waiting times"
    return page(
        request, "waiting/explorer.html.jinja", title=title, status=422 if problem else 200, problem=problem, hand=hand,
        held={str(card) for card in held},
        cards=cards, aces=aces, goal=goal, response=response, found=result, warming=services.warming, most=MAX_SOLVED,
        board={draw.draw: draw for draw in result.draws} if result else {},
        most_gain=max(result.expected - draw.expected for draw in result.draws) if result else 0.0,
        spread=_turns(result.chances) if result and result.chances else "",
        all_hands=curve(result.curve, result.quantile, result.expected, "share of all kinds of hands", "turns") if result else "",
        jobs=await services.sql(services.runs.runs, kinds=("waiting",), states=OPEN),
    )  # fmt: skip


@pages.post("/waiting")
async def begin_solving(request: Request, services: ServicesDep, visitor: VisitorDep) -> Response:
    """Begin to solve a size, and come back."""
    body = await read_form(request, Solve)
    await solve(services, visitor, body.cards, body.aces, body.goal)
    return RedirectResponse(_address(Hand(), body.cards, body.aces, body.goal), 303)


def _turns(chances: list[float]) -> Markup:
    return bars(range(len(chances)), chances, below="turns", says="probability of exactly this number of turns")


def _toggled(held: Hand, card: str, most: int) -> Hand:
    """Return a hand with a card more, or without it; a whole hand takes no more."""
    change = Hand.parse(card)
    if change.mask & held.mask:
        return Hand.from_mask(held.mask & ~change.mask)
    return Hand.from_mask(held.mask | change.mask) if len(held) < most else held


def _address(held: Hand, cards: int, aces: str, goal: str) -> str:
    return "/waiting?" + urlencode({"hand": str(held), "cards": cards, "aces": aces, "goal": goal})
