"""The pages of the helper: all of a position in the address, every tap a request that ends at the address of what came of it."""

from collections.abc import Awaitable
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from meldlab.errors import MeldlabError
from meldlab.rummikub import PRESETS, Board, Rules
from meldlab.web.errors import HttpError
from meldlab.web.rendering import page
from meldlab.web.routes.rummikub import FIRST_DAY, LAST_DAY, Ask, TileText, seed_of
from meldlab.web.rummikub_calls import ask_worker
from meldlab.web.services import Services, ServicesDep
from meldlab.web.taps import ACTION, HELD, PLACE, house, tap, tile_at, tile_name
from meldlab.web.visitors import Visitor, VisitorDep
from meldlab.web.work import rummikub as work

pages = APIRouter(prefix="/rummikub", include_in_schema=False)
EXAMPLE = "/rummikub?" + urlencode({"rack": "R5 B6 B7 K9 R13 J", "table": "R3-5 | K5 B5 O5 | K6-8 | R9 B9 O9 | O10-13"})
# What a person must know of each joker family.
JOKERS = {
    "free": "a joker on the table may go anywhere",
    "modern": "a joker on the table stands for its tile until another takes its place; then it joins a set with a tile from your rack",
    "strict": "a set with a joker may grow but not be broken; only the very tile frees the joker, which then joins a tile from your rack",
}
Held = Annotated[str, Field(pattern=rf"^({HELD})?$")]
Do = Annotated[str, Field(pattern=rf"{ACTION[:-1]}|^$")]


class HelperView(Ask):
    """Everything that the helper's page shows."""

    model_config = ConfigDict(extra="ignore")
    held: Held = ""
    to: str = Field("rack", pattern=f"^{PLACE}$")
    do: Do = ""
    step: int | None = Field(None, ge=0, le=500)
    move: int = Field(1, ge=1, le=30)
    why: TileText | None = None
    others: bool = False
    longer: bool = False


class PuzzleView(BaseModel):
    """Everything that the puzzle's page shows."""

    model_config = ConfigDict(extra="ignore")
    day: date | None = Field(None, ge=FIRST_DAY, le=LAST_DAY)
    hard: bool = False
    table: str | None = Field(None, max_length=2000)
    held: Held = ""
    do: Do = ""
    check: bool = False
    solution: bool = False
    step: int | None = Field(None, ge=0, le=500)


class Address:
    """Where a view can be found: what differs from a bare page, in one order."""

    def __init__(self, path: str, bare: dict[str, Any], **shown: Any) -> None:
        self.path, self.bare, self.shown = path, bare, shown

    def __call__(self, **changed: Any) -> str:
        """Return the address of this view, with some things changed."""
        query = urlencode(self._query(self.shown | changed))
        return f"{self.path}?{query}" if query else self.path

    def is_that_of(self, request: Request) -> bool:
        """Tell whether a request came to just this address, in whatever order."""
        return sorted(self._query(self.shown).items()) == sorted(request.query_params.multi_items())

    def _query(self, shown: dict[str, Any]) -> dict[str, str]:
        response = {name: value for name, value in shown.items() if value not in (None, "", self.bare.get(name)) and value is not False}
        return {name: "1" if value is True else str(value) for name, value in response.items()}


@pages.get("")
async def helper(request: Request, services: ServicesDep, visitor: VisitorDep, view: Annotated[HelperView, Query()]) -> Response:
    """Show a position and its best move."""
    rules = house(view.rules, view.jokers)
    board, mistakes = _read(view.rack, view.table, rules)
    note, held, to = "", view.held, view.to
    if view.do and not mistakes:
        try:
            board, held, to = _tapped(board, view.do, view.held, view.to)
        except MeldlabError as error:
            note = str(error)
    if to.isdecimal() and int(to) > len(board.piles):
        to = "new"
    jokers = "" if view.jokers == PRESETS[view.rules].joker_rule else view.jokers
    lines = {"rack": view.rack, "table": view.table} if mistakes else {"rack": board.rack_text, "table": board.table_text}
    shown = view.model_dump(include={"objective", "keep", "opening", "rules", "step", "move", "why", "others"}) | {"jokers": jokers}
    if view.do:
        shown |= {"step": None, "move": 1, "why": None, "others": False}
    address = Address("/rummikub", {"objective": "count", "keep": "sets", "rules": "official", "to": "rack", "move": 1}, **lines, **shown)
    address.shown |= {"held": held if _there(board, held) else "", "to": to}
    if view.longer and not mistakes:
        await _answer(services, visitor, view, longer=True)
    if not (note or mistakes or address.is_that_of(request)):
        return RedirectResponse(address(), 303)
    response: dict[str, Any] = {"answer": None, "others": None, "why": None, "blocked": "", "later": False, "retry": False}
    if not mistakes:
        response |= await _answer(services, visitor, view, later="x-answer-later" in request.headers)
    summary = _summary(response["answer"])
    says = _says(board, address.shown["held"], response["answer"], view.step) or note or summary or response["blocked"].partition("\n")[0]
    return page(
        request, "rummikub/helper.html.jinja", title="Rummikub helper", view=view, board=board, rules=rules, mistakes=mistakes, note=note,
        held=address.shown["held"], to=to, address=address, lines=lines, tile_name=tile_name, example=EXAMPLE,
        left={str(tile): count for tile, count in board.left_in_box().items()},
        jokers=JOKERS[rules.joker_rule], summary=summary, says=says, **response,
    )  # fmt: skip


@pages.get("/puzzle")
async def puzzle(request: Request, services: ServicesDep, visitor: VisitorDep, view: Annotated[PuzzleView, Query()]) -> Response:
    """Show the puzzle of a day, and judge an answer."""
    day = view.day or datetime.now(UTC).date()
    try:
        made = await ask_worker(services, visitor, work.puzzle, seed=seed_of(day), hard=view.hard)
    except HttpError as error:
        return page(
            request, "rummikub/wait.html.jinja", title="Puzzle of the day", says=error.why,
            address=f"/rummikub/puzzle?{request.url.query}",
        )  # fmt: skip
    rules = house("official", made["jokers"])
    whole = Board.parse(made["rack"], made["table"], rules)
    typed = whole.table_text if view.table is None else view.table
    board, mistakes = _read("", typed, rules)
    board = board.with_rack_from(whole)
    held = view.held
    if view.do and not mistakes and not view.do.startswith(("add", "to", "sort")):
        try:
            board, held, _ = _tapped(board, view.do, view.held, "rack")
        except MeldlabError as error:
            mistakes = {"table": str(error)}
    table = typed if mistakes else board.table_text
    address = Address("/rummikub/puzzle", {"table": whole.table_text}, day=day.isoformat(), hard=view.hard, table=table)
    address.shown |= {"held": held if _there(board, held) else "", "check": view.check and not view.do, "solution": view.solution}
    address.shown |= {"step": view.step if view.solution else None}
    if not (mistakes or address.is_that_of(request)):
        return RedirectResponse(address(), 303)
    judged = None
    if view.check and not mistakes:
        try:
            judged = await ask_worker(services, visitor, work.judge, seed=seed_of(day), hard=view.hard, table=board.table_text)
        except (MeldlabError, HttpError) as error:
            judged = {"faults": [str(error).partition("\n")[0]], "count": 0, "right": False}
    return page(
        request, "rummikub/puzzle.html.jinja", title="Puzzle of the day", view=view, day=day, made=made, board=board, mistakes=mistakes,
        held=address.shown["held"], address=address, table=table, judged=judged, tile_name=tile_name, jokers=JOKERS[rules.joker_rule],
        before=day - timedelta(1) if day > FIRST_DAY else None, after=day + timedelta(1) if day < LAST_DAY else None,
    )  # fmt: skip


def _read(rack: str, table: str, rules: Rules) -> tuple[Board, dict[str, str]]:
    """Return as much of a board as can be read, and what is wrong with which line."""
    mistakes, result = dict[str, str](), {"rack": rack, "table": table}
    for line, text in list(result.items()):
        try:
            Board.parse(**{"rack": "", "table": "", line: text}, rules=rules)
        except MeldlabError as error:
            mistakes[line], result[line] = str(error), ""
    try:
        return Board.parse(result["rack"], result["table"], rules), mistakes
    except MeldlabError as error:
        return Board.parse(result["rack"], "", rules), {"table": str(error)}


def _tapped(board: Board, do: str, held: str, to: str) -> tuple[Board, str, str]:
    """Return the board after a tap, what is held then, and where tiles from the box go."""
    word, _, rest = do.partition(" ")
    if word == "hold":
        return board, "" if rest == held else rest, to
    if word == "to":
        return board, held, rest
    after = tap(board, do, held=held, to=to)
    return after, "", str(len(after.piles)) if word == "add" and to == "new" else to


def _there(board: Board, held: str) -> bool:
    """Tell whether there is a tile where one is said to be held."""
    try:
        return bool(held) and bool(tile_at(board, held))
    except MeldlabError:
        return False


def _summary(answer: dict[str, Any] | None) -> str:
    """Return an answer in one line."""
    if answer is None:
        return ""
    opening = answer["opening"]
    points = f" ({opening['points']} of {opening['needed']} points to open)" if opening else ""
    if not answer["played"]:
        return f"Nothing {'can be' if answer['proven'] else 'was found in time that can be'} played{points}"
    return f"Play {' '.join(answer['played'])}: {answer['count']} tile{'s' * (answer['count'] != 1)}, {answer['value']} points{points}"


def _says(board: Board, held: str, answer: dict[str, Any] | None, step: int | None) -> str:
    """Return what is read out of a tile in the hand, or of a step."""
    if held:
        return f"{tile_name(str(tile_at(board, held)))} in your hand: choose where it goes"
    if answer and step and step <= len(answer["steps"]):
        return f"Step {step}: {answer['steps'][step - 1]}"
    return ""


async def _answer(services: Services, visitor: Visitor, view: HelperView, *, later: bool = False, longer: bool = False) -> dict[str, Any]:
    """Return what is known of the best move, or why nothing is."""
    try:
        key = view.key()
        if later:
            return {"later": True}
        response = {"answer": await ask_worker(services, visitor, work.best, ask=key, move=view.move, longer=longer)}
    except MeldlabError as error:
        return {"blocked": str(error)}
    except HttpError as error:
        return {"blocked": error.why, "retry": True}
    if view.why:
        response["why"] = await _or_problem(ask_worker(services, visitor, work.without, ask=key, tile=view.why.upper()))
    if view.others:
        response["others"] = await _or_problem(ask_worker(services, visitor, work.others, ask=key))
    return response


async def _or_problem(asked: Awaitable[dict[str, Any]]) -> dict[str, Any]:
    """Return an answer, or why there is none; the page shows the rest all the same."""
    try:
        return await asked
    except (MeldlabError, HttpError) as error:
        return {"problem": str(error)}
