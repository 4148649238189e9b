"""What the studio's API takes and gives."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from meldlab.games import GAMES
from meldlab.tables.model import Fact, Zone
from meldlab.web.descriptions import LONGEST

PLAYERS = GAMES["recycle"].opponents
PlayerName = Annotated[str, Field(pattern=f"^({'|'.join(PLAYERS)})$")]
Seed = Annotated[int, Field(ge=0, le=2**63 - 1)]
Number = Annotated[int, Field(gt=-(2**31), lt=2**31)]
Settings = Annotated[dict[Annotated[str, Field(pattern="^[A-Z]{1,40}$")], Number], Field(max_length=20)]
MAX_GAMES = 10_000
MAX_AT = 100_000


class Strict(BaseModel):
    """A body with no other fields than these."""

    model_config = ConfigDict(extra="forbid")


class Text(Strict):
    """A description in RECYCLE."""

    text: str = Field(max_length=LONGEST)


class TextResponse(BaseModel):
    """A description that an address can name."""

    id: str
    title: str
    text: str


class LibraryGame(BaseModel):
    """A game of the library."""

    id: str
    title: str
    players: int
    rules: str


class Diagnostic(BaseModel):
    """An error, which stops a program, or a warning; line and column count from 1, ``at`` is the character from 0."""

    line: int
    column: int
    at: int
    code: str
    severity: Literal["error", "warning"]
    title: str
    message: str


class Checked(BaseModel):
    """What is to be said about a description."""

    ok: bool
    title: str
    players: int
    """How many play; 0 if the text cannot be read."""
    numbers: dict[str, int]
    """The numbers that it declares, which a variant can set."""
    diagnostics: list[Diagnostic]


class Drawing(Text):
    """A description whose movement is to be drawn."""

    seed: Seed = 0


class Way(BaseModel):
    """Cards went from one place to another."""

    source: str
    target: str
    meaning: str
    colour: str


class Graph(BaseModel):
    """Which way the cards go in one random game: as a picture, for Graphviz, and one by one."""

    svg: str
    dot: str
    edges: list[Way]


class Running(Text):
    """Games to be played by kernel, one name of a player for each seat or one for all."""

    players: list[PlayerName] = Field(default=["random"], min_length=1, max_length=64)
    games: int = Field(default=1000, ge=1, le=MAX_GAMES)
    seed: Seed = 0


class Bar(BaseModel):
    """How many numbers were from ``first`` to ``last``."""

    first: int
    last: int
    many: int


class Estimate(BaseModel):
    """A mean with its 95 % interval, where one can be given."""

    value: float
    ci95: list[float] | None


class PlayerRan(BaseModel):
    """How one seat did."""

    player: str
    wins: float
    win_rate: float
    ci95: list[float] | None
    score: float
    score_ci95: list[float] | None


class Failure(BaseModel):
    """Games that did not end by their rules."""

    games: int
    first_game: int
    why: str


class Ran(BaseModel):
    """What games came to; where there was no time for all, ``games`` are fewer than ``requested``."""

    games: int
    requested: int
    seconds: float
    lowest_wins: bool
    finished: int
    capped: int
    failed: int
    drawn: int
    players: list[PlayerRan]
    decisions: Estimate
    options: Estimate | None
    lengths: list[Bar]
    """Decisions of a game."""
    scores: list[Bar]
    """Scores of all seats."""
    failures: list[Failure]


class Stepping(Text):
    """A game to be response, and the moment of it: after how many decisions, and how many around it."""

    players: list[PlayerName] = Field(default=["random"], min_length=1, max_length=64)
    seed: Seed = 0
    at: int = Field(default=0, ge=0, le=MAX_AT)
    around: int = Field(default=8, ge=0, le=100)


class Move(BaseModel):
    """A decision as text, and what followed without a decision."""

    number: int
    seat: int
    option: int
    options: int
    did: str
    then: str


class Steps(BaseModel):
    """A game at one moment, with open cards, and the decisions around it."""

    at: int
    decisions: int
    over: bool
    """Whether it came to its end; some games have more decisions than there is time for."""
    begins: str
    moves: list[Move]
    zones: list[Zone]
    facts: list[Fact]
    standard_cards: bool
    """Whether every card of the game is a standard card, so that short names can be shown."""
    result: dict[str, Any] | None


class Effort(Strict):
    """How much is played for an analysis: games of each line-up, who searches, and simulations for each option."""

    games: int = Field(default=30, ge=1, le=100)
    player: Literal["random", "pimc", "mcts", "ismcts"] = "mcts"
    simulations: int = Field(default=20, ge=1, le=1000)
    seed: Seed = 0


class Subject(Strict):
    """A description, and other values for numbers that it declares."""

    text: str = Field(max_length=LONGEST)
    settings: Settings = Field(default_factory=dict)


class Analysing(Effort):
    """A game to be analysed."""

    subject: Subject


class Comparing(Effort):
    """Games to be put side by side, or a game and its variants; all are measured against the first."""

    subjects: list[Subject] = Field(min_length=2, max_length=4)
