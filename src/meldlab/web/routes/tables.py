"""The page of a match, for every game: one form that posts to the page's own address and is answered by the new table."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple, Protocol

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from meldlab.cards import CARDS
from meldlab.errors import MeldlabError
from meldlab.play import USER, Record
from meldlab.recycle.card_names import abbreviate
from meldlab.tables.model import CardView, Group, MoveView, Table, Zone
from meldlab.web.forms import read_form
from meldlab.web.rendering import page
from meldlab.web.repository import StoredMatch
from meldlab.web.routes.matches import (
    AnyMatch,
    MatchResponse,
    MoveIndex,
    NewMatch,
    Outdated,
    OwnMatch,
    TypedAction,
    UndoRequest,
    act,
    look,
    start,
    take_back,
)
from meldlab.web.services import Services, ServicesDep
from meldlab.web.visitors import Visitor, VisitorDep

__all__ = ["GamePage", "pages"]

pages = APIRouter(prefix="/play", include_in_schema=False)
Order = Literal["melds", "suit", "rank", "came"]
STANDARD = {str(card): card for card in CARDS}
MAX_OPTIONS = 60  # buttons of a list


class Values(Protocol):
    """What a game adds to its page."""

    def __call__(
        self, request: Request, services: Services, visitor: Visitor, match: StoredMatch, table: Table
    ) -> Awaitable[dict[str, Any]]:
        """Return values for the template of the game; ``links`` are shown by every template."""


@dataclass(frozen=True)
class GamePage:
    """What is special about the page of one game."""

    values: Values
    template: str = "table.html.jinja"
    label: Callable[[MoveView], str] = lambda move: move.text or "pass"
    keys: Mapping[str, str] = field(default_factory=dict)
    """Keys of the keyboard by the verb of a move."""


class Shown(NamedTuple):
    """How a table is shown."""

    sort: Order = "melds"
    card: str = ""
    """The key of the chosen card."""
    problem: str = ""
    typed: str = ""


class TableForm(BaseModel):
    """The form of a table: a move by its index, or as text, or undo."""

    model_config = ConfigDict(extra="forbid")
    after: int = Field(ge=0, le=1_000_000)
    move: int | None = Field(default=None, ge=0, le=1_000_000)
    action: str = Field(default="", max_length=2000)
    undo: bool = False


@pages.get("/{id}")
async def show(
    request: Request, services: ServicesDep, visitor: VisitorDep, match: AnyMatch, sort: Order = "melds",
    card: Annotated[str, Query(max_length=40)] = "",
) -> Response:  # fmt: skip
    """Show a match."""
    return await _table(request, services, visitor, (match, await look(services, visitor, match)), Shown(sort, card))


@pages.post("/{id}")
async def play(request: Request, services: ServicesDep, visitor: VisitorDep, match: OwnMatch, sort: Order = "melds") -> Response:
    """Act or undo; the answer is the new table, or the table as it is if it has changed since."""
    form = await read_form(request, TableForm)
    problem = ""
    try:
        if form.undo:
            response = await take_back(services, visitor, match, UndoRequest(after=form.after))
        elif form.move is not None:
            response = await act(services, visitor, match, MoveIndex(after=form.after, move=form.move))
        else:
            response = await act(services, visitor, match, TypedAction(after=form.after, action=form.action))
    except (MeldlabError, Outdated) as error:
        problem = "" if isinstance(error, Outdated) else str(error)
        match = await services.sql(services.repository.match, match.id)
        response = await look(services, visitor, match)
    if problem or "hx-request" in request.headers:
        return await _table(request, services, visitor, (match, response), Shown(sort, "", problem, form.action if problem else ""))
    return RedirectResponse(_address(match.id, sort), 303)


@pages.post("/{id}/again")
async def again(services: ServicesDep, visitor: VisitorDep, match: OwnMatch) -> Response:
    """Start a match with the same rules and players and another deal."""
    record = Record.parse(match.record)
    rules: dict[str, Any] = dict(record.rules)
    opponents = [name for seat, name in enumerate(record.players) if seat != match.seat]
    response = await start(services, visitor, NewMatch(game=match.game, rules=rules, opponents=opponents, seat=match.seat))
    return RedirectResponse(_address(response.id), 303)


async def _table(
    request: Request, services: Services, visitor: Visitor, current: tuple[StoredMatch, MatchResponse], shown: Shown
) -> Response:
    match, response = current
    table = response.table
    game: GamePage = request.app.state.game_pages[match.game]
    short = abbreviate if table.standard_cards else str
    names = _names(table)
    own = [zone for zone in table.zones if zone.owner == table.seat and zone.role == "hand"] if table.seat is not None else []
    orders = _orders(own, shown.sort)
    values = {
        "match": response,
        "table": table,
        "game": game,
        "here": f"/play/{match.id}",
        "names": names,
        "own": table.seat,
        "over": table.result is not None,
        "outcome": _outcome(table, names),
        "said": short(_said(table, names)),
        "short": short,
        "label": lambda move: move.label or short(game.label(move)),
        "hands": [(zone, _arranged(zone, orders[0] if orders else "melds")) for zone in own],
        "choices": _choices(table, own),
        "most_options": MAX_OPTIONS,
        "orders": orders,
        "links": [],
        "chosen": shown.card,
        **shown._asdict(),
    }
    values |= await game.values(request, services, visitor, match, table)
    title = f"{table.title}: {' and '.join(names)}"
    return page(request, game.template, title=title, status=422 if shown.problem else 200, **values)


def _address(id: str, sort: Order = "melds") -> str:
    return f"/play/{id}" + (f"?sort={sort}" if sort != "melds" else "")


def _names(table: Table) -> list[str]:
    """Return the names of the seats on the page, with the number of the seat where there are more than two."""
    numbered = len(table.seats) > 2
    return [
        "You" if place == table.seat else ("The player" if seat.name == USER else seat.name) + (f" (p{place + 1})" if numbered else "")
        for place, seat in enumerate(table.seats)
    ]


def _outcome(table: Table, names: list[str]) -> str:
    if table.result is None:
        return ""
    winners = [names[seat] for seat in table.result.winners]
    if not winners:
        return "A draw"
    return f"{' and '.join(winners)} {'win' if len(winners) > 1 or winners == ['You'] else 'wins'}"


def _said(table: Table, names: list[str]) -> str:
    """Return what happened since the last own action, with the card that it drew."""
    lines = []
    for event in reversed(table.events):
        own = event.seat == table.seat
        if not own or event.text != event.public_text:
            lines.append(f"{names[event.seat]}: {event.text.partition(chr(10))[0].partition(' | ')[0]}.")
        if own or len(lines) > len(names):
            break
    return " ".join(reversed(lines))


def _choices(table: Table, own: list[Zone]) -> list[tuple[int, MoveView, str]]:
    """Return the moves that no pile stands for, with their index and the key of the card that must be chosen first, if any."""
    cards = {index: card.key for zone in own for card in zone.cards for index in card.moves} if table.choose_first else {}
    piles = {index for zone in table.zones if zone.role in ("stock", "discard") for index in zone.moves}
    return [(index, move, cards.get(index, "")) for index, move in enumerate(table.moves) if index not in piles]


def _orders(own: list[Zone], chosen: Order) -> list[Order]:
    """Return the orders in which hands can be sorted, from the chosen one on."""
    if not any(zone.count > 1 for zone in own):
        return []
    melds: list[Order] = ["melds"] if any(group.label for zone in own for group in zone.groups) else []
    orders: list[Order] = [*melds, "suit", "rank", "came"]
    first = orders.index(chosen) if chosen in orders else 0
    return orders[first:] + orders[:first]


def _arranged(zone: Zone, order: Order) -> list[Group]:
    """Return the cards of a hand in an order."""
    if order == "melds":
        return zone.groups
    if order == "came":
        cards = {card.key: card for card in zone.cards}
        return [Group(cards=[cards[key] for key in zone.order] if zone.order else zone.cards)]
    return [Group(cards=sorted(zone.cards, key=lambda card: _place(card, by_rank=order == "rank")))]


def _place(card: CardView, *, by_rank: bool) -> tuple[int, int, int, str]:
    standard = STANDARD.get(card.face)
    if standard is None:
        return 1, 0, 0, card.name
    suit, rank = int(standard.suit), int(standard.rank)
    return (0, rank, suit, "") if by_rank else (0, suit, rank, "")
