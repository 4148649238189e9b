"""How a page of the laboratory is drawn: Jinja templates upon the house's frame, everything escaped, a nonce for the one script inside."""

import hashlib
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from meldlab import __version__
from meldlab.cards import CARDS, Card, Suit
from meldlab.cards.picture import CROWN, PIPS
from meldlab.rummikub.picture import FACES

if TYPE_CHECKING:
    from fastapi import Request
    from fastapi.responses import HTMLResponse

STANDARD = {str(card) for card in CARDS}


STATIC = Path(__file__).parent / "static"


class PageLink(NamedTuple):
    """One room of the laboratory: where it is, what it is called, what one does there, and whose kernels it needs."""

    path: str
    short: str
    title: str
    does: str
    kernels: str | None


PAGES = (
    PageLink("/rummikub", "Rummikub", "Rummikub helper", "The best move with the least change, and a puzzle a day.", "rummikub"),
    PageLink("/gin", "Gin", "Gin table", "Play against players whose strength was measured; hints, undo, review.", "gin"),
    PageLink("/review", "Review", "Review", "Where a match was won and lost, and what would have been better.", "gin"),
    PageLink("/waiting", "Waiting", "Waiting times", "How long a hand takes to be complete, exactly, and what to throw away.", "waiting"),
    PageLink("/stopping", "Stopping", "Stopping game", "Black wins, red loses: when to stop, and what it is worth.", "stopping"),
    PageLink("/studio", "Studio", "RECYCLE studio", "Write the rules of a card game, play it, and see what it is like.", "recycle"),
    PageLink("/experiments", "Experiments", "Experiments", "Contests, searches and analyses in the store, while they run.", None),
)


@cache
def static_digest() -> str:
    """Return a digest of all static files; it is a part of their addresses, so that browsers may keep them."""
    digest = hashlib.sha256()
    for path in sorted(path for path in STATIC.rglob("*") if path.is_file()):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("meldlab.web"),
        autoescape=True,
        auto_reload=False,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals.update(
        version=__version__, rooms=PAGES, card_name=card_name, pips={str(suit): path for suit, path in PIPS.items()}, faces=FACES
    )
    made.filters["combine"] = lambda first, more: {**first, **more}
    made.globals["partial"] = False
    made.globals.update(static=f"/static/{static_digest()}")
    made.globals["picture"] = picture
    made.globals.update(crown=CROWN, symbol=lambda suit: Suit.parse(suit).symbol)
    return made


def page(request: "Request", template: str, *, status: int = 200, headers: dict[str, str] | None = None, **values: Any) -> "HTMLResponse":
    """Return a template as the answer to a request."""
    from fastapi.responses import HTMLResponse  # a page is rendered to a file without it

    values |= {"request": request, "path": request.url.path, "nonce": request.scope.get("nonce", "")}
    values["partial"] = "hx-request" in request.headers
    return HTMLResponse(render(template, **values), status, headers)


def render(template: str, **values: Any) -> str:
    """Return a template as text; every value in it is escaped."""
    return _environment().get_template(template).render(**values)


@lru_cache(maxsize=2048)
def picture(face: str, pieces: str) -> Markup:
    """Return the face of a card or tile; other cards by their names."""
    macros: Any = _environment().get_template("pieces.jinja").module
    if pieces == "tiles":
        return Markup(macros.tile(face))
    return Markup(macros.face(face) if face in STANDARD else macros.word_card(face))


def card_name(card: Card | str) -> str:
    """Return the full name of a card, as a reader of screens says it.

    >>> card_name("TD"), card_name("AS")
    ('ten of diamonds', 'ace of spades')
    """
    return (Card.parse(card) if isinstance(card, str) else card).long_name
