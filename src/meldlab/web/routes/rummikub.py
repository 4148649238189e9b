"""The API of the helper: the best move, what is wrong with a table, why not a tile, every best move, the puzzle of a day."""

from datetime import date
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field

from meldlab.rummikub import Board, parse_rack
from meldlab.schemas.rummikub import AlternativesAnswer, SolutionAnswer, WhyNotAnswer
from meldlab.web.rummikub_calls import ask_worker
from meldlab.web.services import ServicesDep
from meldlab.web.taps import house
from meldlab.web.visitors import VisitorDep
from meldlab.web.work import rummikub as work

api = APIRouter(prefix="/api/v1/rummikub", tags=["rummikub"])
FIRST_DAY, LAST_DAY = date(2000, 1, 1), date(2100, 12, 31)
TileText = Annotated[str, Field(pattern=r"^([RKBOrkbo]\d{1,2}|[Jj])$", description="A tile of the rack, such as K9 or J.")]


class House(BaseModel):
    """The rules that a position is read by."""

    model_config = ConfigDict(extra="forbid")
    rules: Literal["official", "paper"] = "official"
    jokers: Literal["", "free", "modern", "strict"] = ""
    """What may happen to a joker on the table, if not as the rules say."""


class PositionLines(House):
    """A position as two lines of text."""

    rack: str = Field("", max_length=1000, description="Tiles on the rack, such as 'r5-7 k10 j'.", examples=["R8 J"])
    table: str = Field("", max_length=2000, description="Sets on the table, separated by bars.", examples=["R5-7 | K9 B9 O9"])


class Ask(PositionLines):
    """A position and the objective of a move."""

    objective: Literal["count", "value"] = "count"
    keep: Literal["sets", "tiles", "none"] = "sets"
    opening: bool = Field(False, description="Whether the player has not opened yet.")

    def key(self) -> tuple[Any, ...]:
        """Return the question in one form, whatever way it was typed; a mistake in it is raised here."""
        board = Board.parse(self.rack, self.table, house(self.rules, self.jokers))
        position = board.position(opened=not self.opening)
        rack = " ".join(map(str, sorted(position.rack)))
        return rack, board.table_text, self.objective, self.keep, not self.opening, self.rules, self.jokers


class AskWhy(Ask):
    """A position, the objective, and a tile that one would like to play."""

    tile: TileText


class Day(BaseModel):
    """A day and how hard its puzzle is."""

    model_config = ConfigDict(extra="forbid")
    day: date = Field(ge=FIRST_DAY, le=LAST_DAY)
    hard: bool = False


class AskPuzzle(Day):
    """A puzzle, with its solution or without."""

    solution: bool = False


class AskJudge(Day):
    """An answer to a puzzle: the whole table after the move."""

    table: str = Field(max_length=2000)


class PlacedTile(BaseModel):
    """A tile at some step: whether it stayed, came from the table or from the rack, and whether this step moved it."""

    tile: str
    origin: Literal["stay", "table", "rack"] = Field(alias="from")
    now: bool


class PlacedSet(BaseModel):
    """Tiles that form one set at some step; kept if no step touches them."""

    tiles: list[PlacedTile]
    kept: bool


class TableAtStep(BaseModel):
    """The table after a step; jokers that were freed and not yet laid are in the hand."""

    sets: list[PlacedSet]
    rack: list[str]
    hand: list[str]


class BestMove(SolutionAnswer):
    """The best move: what is played, the table then, and the way there."""

    left: list[str]
    frames: list[TableAtStep]
    """The table before the move, then after each step."""


class CheckedPile(BaseModel):
    """Tiles that lie together, and why they are no set; empty if they are one."""

    tiles: list[str]
    why: str


class CheckedTable(BaseModel):
    """A rack and a table as they were read."""

    rack: str
    table: str
    piles: list[CheckedPile]
    left: dict[str, int]
    """How many of each tile the box still holds."""


class PuzzleResponse(BaseModel):
    """A position with one best move, and how many tiles it plays."""

    day: date
    hard: bool
    table: str
    rack: str
    count: int
    simple: int
    """How many tiles can be played without moving any on the table."""
    jokers: str
    solution: BestMove | None


class PuzzleVerdict(BaseModel):
    """What is wrong with an answer, how many tiles it plays, and whether it is right."""

    faults: list[str]
    count: int
    right: bool


def seed_of(day: date) -> int:
    """Return the seed of a day's puzzle.

    >>> seed_of(date(2026, 11, 15))
    20261115
    """
    return day.year * 10_000 + day.month * 100 + day.day


@api.get("/solve", response_model=BestMove)
async def solve(services: ServicesDep, visitor: VisitorDep, ask: Annotated[Ask, Query()]) -> Any:
    """Return the best move, its steps, and the table after each of them."""
    return await ask_worker(services, visitor, work.best, ask=ask.key(), move=1)


@api.get("/why-not", response_model=WhyNotAnswer)
async def why_not(services: ServicesDep, visitor: VisitorDep, ask: Annotated[AskWhy, Query()]) -> Any:
    """Return what it would cost to play a certain tile."""
    (tile,) = parse_rack(ask.tile, house(ask.rules, ask.jokers))
    return await ask_worker(services, visitor, work.without, ask=ask.key(), tile=str(tile))


@api.get("/others", response_model=AlternativesAnswer)
async def others(services: ServicesDep, visitor: VisitorDep, ask: Annotated[Ask, Query()]) -> Any:
    """Return every move that is as good as the best, 21 at most."""
    return await ask_worker(services, visitor, work.others, ask=ask.key())


@api.get("/check")
async def check(lines: Annotated[PositionLines, Query()]) -> CheckedTable:
    """Return how two lines are read, why a pile is no set, and what is left in the box."""
    board = Board.parse(lines.rack, lines.table, house(lines.rules, lines.jokers))
    piles = [CheckedPile(tiles=[str(tile) for tile in pile.tiles], why=pile.problem) for pile in board.piles.values()]
    return CheckedTable(
        rack=board.rack_text, table=board.table_text, piles=piles, left={str(tile): count for tile, count in board.left_in_box().items()}
    )


@api.get("/puzzle", response_model=PuzzleResponse)
async def puzzle(services: ServicesDep, visitor: VisitorDep, ask: Annotated[AskPuzzle, Query()]) -> Any:
    """Return the puzzle of a day."""
    result = await ask_worker(services, visitor, work.puzzle, seed=seed_of(ask.day), hard=ask.hard)
    return result | {"day": ask.day, "hard": ask.hard} | ({} if ask.solution else {"solution": None})


@api.get("/judge", response_model=PuzzleVerdict)
async def judge(services: ServicesDep, visitor: VisitorDep, ask: Annotated[AskJudge, Query()]) -> Any:
    """Say whether a table is the answer to the puzzle of a day, and what is wrong with it if not."""
    return await ask_worker(services, visitor, work.judge, seed=seed_of(ask.day), hard=ask.hard, table=ask.table)
