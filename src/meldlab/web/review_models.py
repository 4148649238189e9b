"""A review as the API tells it, and what can be asked about it."""

from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from meldlab.web.settings import Settings

if TYPE_CHECKING:
    from meldlab.gin import View
    from meldlab.gin.review import Review
    from meldlab.play import Record

KINDS_OF_MISTAKE = ("draw", "discard", "knocked too early", "knocked too late", "lay-off", "melds shown")
Reviewers = Literal["champion", "computed:light-ensemble", "computed:light", "ensemble:best", "simple"]


class Start(BaseModel):
    """A match to look back at."""

    model_config = ConfigDict(extra="forbid")
    match: str = Field(pattern="^[A-Za-z0-9_-]{16}$")
    seat: Literal[1, 2] | None = None
    """Whose decisions; the person's if one played, else those of both."""
    player: Reviewers = "champion"
    """Who plays every world to its end, in both seats."""
    worlds: int = Field(200, ge=2, le=2000)
    """For each decision; four times as many fresh ones for what looks like a mistake."""


class Given(BaseModel):
    """A record from elsewhere."""

    model_config = ConfigDict(extra="forbid")
    text: str = Field(min_length=1, max_length=Settings.body)


class Kept(BaseModel):
    """A stored record: the match to review."""

    match: str
    players: list[str]
    actions: int


class Judge(BaseModel):
    """A move that is tried in place of the one made, as one would type it."""

    model_config = ConfigDict(extra="forbid")
    move: Annotated[str, Field(min_length=1, max_length=500)]


class CandidateResponse(BaseModel):
    """A move and what it was worth on the worlds that all candidates of a decision share."""

    move: str
    chance: float
    """To win the match."""
    cost: float
    """What it loses against the best, in chance to win."""
    error: float
    """The standard error of that loss."""
    points: float
    """Points of the round, on average."""


class Judged(CandidateResponse):
    """Whether a try is good: it loses less than 1.75 points of chance against the best, or no more than two standard errors."""

    good: bool
    best: str | None
    """The best move, once the try was good."""


class Position(BaseModel):
    """What the seat saw."""

    phase: str
    hand: list[str]
    melds: list[list[str]]
    deadwood: int
    leaves: dict[str, int]
    upcard: str | None
    pile: list[str]
    stock: int
    known: list[str]
    """Cards that the other took from the pile and still holds."""
    drawn: str | None
    taken: str | None
    limit: int
    scores: list[int]
    target: int
    round: int
    starter: int
    knock: str | None
    laid_open: list[list[str]]
    knocker: list[str]
    """All cards of the other after a knock."""
    lays_off: bool = False
    """Whether one chooses oneself what is laid off; else the table does it."""

    @classmethod
    def from_view(cls, view: "View") -> Self:
        """Return what the seat of a view sees; after a knock all cards of the knocker."""
        from meldlab.cards import Hand
        from meldlab.melds import arrange, discards

        best = arrange(view.hand)
        left = discards(view.hand) if len(view.hand) > view.rules.cards and view.acting == view.seat else {}
        new = view.drawn[-1] if view.drawn and len(view.hand) > view.rules.cards and not view.taken else None
        return cls(
            phase=view.phase.name.lower(),
            hand=[str(card) for card in view.cards],
            melds=[[str(card) for card in meld.hand] for meld in best.melds],
            deadwood=min(left.values()) if left else best.deadwood,
            leaves={str(card): points for card, points in left.items()},
            upcard=str(view.upcard) if view.upcard else None,
            pile=[str(card) for card in view.pile],
            stock=view.stock,
            known=[str(card) for card in view.known],
            drawn=str(new) if new else None,
            taken=str(view.taken) if view.taken else None,
            limit=view.limit,
            scores=list(view.scores),
            target=view.rules.match_points,
            round=view.number + 1,
            starter=view.starter,
            knock=str(view.knock) if view.knock else None,
            laid_open=[[str(card) for card in meld.hand] for meld in view.knock.melds] if view.knock else [],
            knocker=[str(card) for card in Hand.from_mask(view.knocker_mask)],
            lays_off=view.rules.lay_off != "greedy",
        )


class Decided(BaseModel):
    """One decision with every candidate, the best first; seats, rounds and actions are counted from 1."""

    action: int
    round: int
    seat: int
    phase: str
    done: str
    best: str
    chance: float
    cost: float
    error: float
    kind: str | None
    mistake: bool
    """Whether it costs at least 2.5 points of chance and more than two standard errors, also on worlds that did not choose the best."""
    worlds: int
    sure: bool
    candidates: list[CandidateResponse]
    position: Position


class Seat(BaseModel):
    """A seat that was looked at, and its chance to win over the match."""

    seat: int
    name: str
    decisions: int
    mistakes: int
    cost: float
    curve: list[tuple[int, float]]


class Reviewed(BaseModel):
    """A match looked back at."""

    match: str
    players: list[str]
    player: str
    worlds: int
    seed: int = 0
    least: float = 0.025
    """Minimum loss of a mistake, in match-win probability."""
    actions: int
    result: dict[str, list[int]] | None
    rounds: list[int]
    """How many actions had been done when each round started, and at the end."""
    seats: list[Seat]
    kinds: dict[str, int]
    decisions: list[Decided]

    @classmethod
    def from_review(cls, review: "Review", record: "Record", match: str = "", least: float = 0.025) -> Self:
        """Return a review of a record with what the seats saw; ``match``: its id in the web app."""
        values = review.as_json(least)
        for item, decision in zip(values["decisions"], review.decisions, strict=True):
            item["position"] = Position.from_view(decision.view)
        result = None if record.result is None else {"scores": list(record.result.scores), "winners": list(record.result.winners)}
        return cls.model_validate(values | {"match": match, "actions": len(record.actions), "result": result})


class ReviewResponse(BaseModel):
    """A review as far as it is."""

    id: str
    match: str
    state: str
    version: int
    done: float
    total: float
    message: str
    review: Reviewed | None


class Mistake(BaseModel):
    """A mistake of some review, to be tried again."""

    review: str
    match: str
    players: list[str]
    action: int
    round: int
    cost: float
    solved: bool
    tries: int


class Practice(BaseModel):
    """All mistakes of who asks, those not solved first."""

    solved: int
    mistakes: list[Mistake]
