"""The studio's pages: the library, the editor with what comes of its text, a match, an analysis."""

import asyncio
import re
from collections.abc import Awaitable
from typing import Annotated, Any, Literal, NamedTuple, TypeVar
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import Field

from meldlab.errors import MeldlabError, NotLegalHere
from meldlab.play import Record
from meldlab.recycle import library
from meldlab.recycle.card_names import abbreviate
from meldlab.recycle.language.lexer import KEYWORDS
from meldlab.recycle.language.settings import parse_settings
from meldlab.runs.queue import OPEN
from meldlab.tables import Table
from meldlab.web.descriptions import LONGEST, Description, read_text
from meldlab.web.errors import HttpError
from meldlab.web.forms import read_form
from meldlab.web.rendering import page, static_digest
from meldlab.web.repository import StoredMatch
from meldlab.web.routes import studio as api
from meldlab.web.routes.matches import MatchId, NewMatch, start
from meldlab.web.routes.runs import StoredRun, cancel_run, whole_run
from meldlab.web.routes.studio import TextId, texts_of
from meldlab.web.routes.tables import GamePage
from meldlab.web.services import Services, ServicesDep
from meldlab.web.studio_models import (
    MAX_AT,
    MAX_GAMES,
    PLAYERS,
    Analysing,
    Checked,
    Comparing,
    Drawing,
    Graph,
    PlayerName,
    Ran,
    Running,
    Seed,
    Stepping,
    Steps,
    Strict,
    Subject,
    Text,
)
from meldlab.web.visitors import Visitor, VisitorDep

router = APIRouter(prefix="/studio", include_in_schema=False)
T = TypeVar("T")
# What each package of the editor is called by the others.
CODEMIRROR = {
    **{f"@codemirror/{name}": name for name in ("state", "view", "language", "streamparser", "commands", "search", "autocomplete", "lint")},
    **{f"@lezer/{name}": f"lezer-{name}" for name in ("common", "highlight")},
    "@marijn/find-cluster-break": "find-cluster-break",
    **{name: name for name in ("style-mod", "w3c-keyname", "crelt")},
}
IMPORTS = {"imports": {name: f"/static/{static_digest()}/vendor/codemirror/{folder}/index.js" for name, folder in CODEMIRROR.items()}}
Opponent = Annotated[str, Query(pattern=f"^({'|'.join(PLAYERS)})$")]


class Form(Strict):
    """The form of the editor: the text, and what is to be done with it."""

    text: str = Field(default="", max_length=2 * LONGEST)
    do: Literal["keep", "run", "steps", "play", "analyse", "compare"] = "keep"
    players: PlayerName = "random"
    games: int = Field(default=1000, ge=1, le=MAX_GAMES)
    seed: Seed = 0
    seat: int = Field(default=1, ge=1, le=8)
    study_player: Literal["random", "pimc", "mcts", "ismcts"] = "mcts"
    study_games: int = Field(default=30, ge=1, le=100)
    simulations: int = Field(default=20, ge=1, le=1000)
    settings: str = Field(default="", max_length=200)
    against: str = Field(default="", pattern="^[a-z0-9_]{0,40}$")


class Asked(NamedTuple):
    """An answer, or why there is none."""

    answer: Any = None
    problem: str = ""


async def _outcome(asked: Awaitable[T]) -> Asked:
    try:
        return Asked(await asked)
    except MeldlabError as error:
        return Asked(problem=str(error))
    except HttpError as error:
        return Asked(problem=error.why)


@router.get("")
async def start_page(request: Request, services: ServicesDep, visitor: VisitorDep) -> Response:
    """Show the library to start from, and what this user has started."""
    matches = [(_name_of(item), item) for item in await services.sql(services.repository.matches_of, visitor.id, game="recycle", most=10)]
    work = await services.sql(services.runs.runs, visitor.id, ("analyse", "compare"), count=10)
    games = [library.entry(name) for name in library.names()]
    return page(request, "studio/start.html.jinja", title="RECYCLE studio", games=games, matches=matches, work=work)


def _name_of(match: StoredMatch) -> str:
    """Return what the game of a match is called."""
    name = Record.parse(match.record).game
    return library.entry(name).title if name in library.names() else "a game of your own"


@router.get("/{id}")
async def editor(
    request: Request,
    services: ServicesDep,
    visitor: VisitorDep,
    id: TextId,
    show: Literal["", "run", "steps"] = "",
    players: Opponent = "random",
    games: Annotated[int, Query(ge=1, le=MAX_GAMES)] = 1000,
    seed: Annotated[int, Query(ge=0, le=2**63 - 1)] = 0,
    at: Annotated[int, Query(ge=0, le=MAX_AT)] = 0,
) -> Response:
    """Show a text in the editor, what is to be said about it, which way its cards go, and what was asked for."""
    result = await services.sql(texts_of(services).find, id)
    form = Form(text=result.text, do=show or "keep", players=players, games=games, seed=seed)
    return await _editor(request, services, visitor, result, form, at)


@router.post("")
async def work_on(request: Request, services: ServicesDep, visitor: VisitorDep) -> Response:
    """Do something with a text: keep it, and go to where it can be seen."""
    form = await read_form(request, Form)
    text = read_text(form.text)
    if len(text) > LONGEST:
        raise HttpError(413, f"a text may have {LONGEST:,} characters, not {len(text):,}")
    result = await services.sql(texts_of(services).keep, text)
    try:
        return RedirectResponse(await _address(services, visitor, result, form), 303)
    except (MeldlabError, HttpError) as error:
        says = error.why if isinstance(error, HttpError) else str(error)
        return await _editor(request, services, visitor, result, form, problem=says, status=422)


async def _address(services: Services, visitor: Visitor, found: Description, form: Form) -> str:
    """Return where to look after what was asked for has been started."""
    here = f"/studio/{found.id}"
    effort: dict[str, Any] = {"games": form.study_games, "player": form.study_player, "simulations": form.simulations, "seed": form.seed}
    own = Subject(text=found.text)
    match form.do:
        case "run" | "steps":
            more = {"games": form.games} if form.do == "run" else {}
            return f"{here}?{urlencode({'show': form.do, 'players': form.players, 'seed': form.seed, **more})}"
        case "play":
            players = (await api.check(services, visitor, Text(text=found.text))).players
            if form.seat > max(1, players):
                raise NotLegalHere(f"the game has seats 1 to {players}, not {form.seat}")
            rules: dict[str, Any] = {"name": found.id, "description": found.text}
            opponents = [form.players] * (players - 1)
            if len(opponents) > 7:
                raise NotLegalHere(f"at this table 8 can play, not {players}")
            response = await start(services, visitor, NewMatch(game="recycle", rules=rules, opponents=opponents, seat=form.seat - 1))
            return f"/play/{response.id}"
        case "analyse":
            own.settings = _settings(form)
            return f"/studio/work/{(await api.analyse(services, visitor, Analysing(subject=own, **effort))).id}"
        case "compare":
            others = [Subject(text=found.text, settings=_settings(form))] if form.settings else []
            others += [Subject(text=(await services.sql(texts_of(services).find, form.against)).text)] if form.against else []
            if not others:
                raise NotLegalHere("a comparison needs another game, or a number that is set otherwise")
            return f"/studio/work/{(await api.compare(services, visitor, Comparing(subjects=[own, *others], **effort))).id}"
    return here


def _settings(form: Form) -> dict[str, int]:
    return parse_settings(form.settings) if form.settings else {}


async def _editor(
    request: Request,
    services: Services,
    visitor: Visitor,
    found: Description,
    form: Form,
    at: int = 0,
    problem: str = "",
    status: int = 200,
) -> Response:
    ready = "recycle" in services.warming.ready
    asked: list[Awaitable[Any]] = [api.check(services, visitor, Text(text=found.text))]
    if ready:
        asked.append(api.draw(services, visitor, Drawing(text=found.text)))
        if not problem and form.do == "run":
            asked.append(api.run(services, visitor, Running(text=found.text, players=[form.players], games=form.games, seed=form.seed)))
        if not problem and form.do == "steps":
            asked.append(api.step(services, visitor, Stepping(text=found.text, players=[form.players], seed=form.seed, at=at)))
    checked, graph, *more = [*await asyncio.gather(*map(_outcome, asked)), *([] if ready else [Asked()])]
    checked_answer: Checked | None = checked.answer
    drawn: Graph | None = graph.answer
    outcome = more[0] if more else Asked(problem=problem)
    return page(
        request,
        "studio/editor.html.jinja",
        status=status,
        title=f"{found.title} – studio",
        found=found,
        form=form,
        at=at,
        ready=ready,
        left=services.warming.seconds_left("recycle"),
        checked=checked_answer,
        unchecked=checked.problem,
        graph=drawn,
        undrawn="" if checked_answer and not checked_answer.ok else graph.problem,
        ran=outcome.answer if isinstance(outcome.answer, Ran) else None,
        steps=outcome.answer if isinstance(outcome.answer, Steps) else None,
        table={"pieces": "cards"},
        problem=outcome.problem,
        known_players=PLAYERS,
        library=[library.entry(name) for name in library.names()],
        imports=IMPORTS,
        words=sorted(KEYWORDS),
        short=abbreviate if isinstance(outcome.answer, Steps) and outcome.answer.standard_cards else str,
    )


# --- a match


@router.get("/play/{id}")
async def old_table(id: MatchId) -> Response:
    """Redirect to the table of a match."""
    return RedirectResponse(f"/play/{id}", 308)


async def _values(request: Request, services: Services, visitor: Visitor, match: StoredMatch, table: Table) -> dict[str, Any]:
    """Return the link to the description, if an address has it."""
    return {"links": [(f"/studio/{table.game}", "The rules")] if re.fullmatch("[a-z0-9_]{2,40}", table.game) else []}


PAGE = GamePage(_values)


# --- long work


@router.get("/work/{id}")
async def work(request: Request, services: ServicesDep, run: StoredRun) -> Response:
    """Show how far an analysis or a comparison is, and its figures when it is done."""
    response = await whole_run(services, run)
    if response.kind not in ("analyse", "compare"):
        raise HttpError(404, "that is no work of the studio")
    kind = "Analysis" if response.kind == "analyse" else "Comparison"
    name = " and ".join(argument["title"] for argument in response.settings["subjects"])
    return page(
        request,
        "studio/work.html.jinja",
        title=f"{kind}: {name}",
        kind=kind,
        name=name,
        response=response,
        ended=response.state not in OPEN,
    )


@router.post("/work/{id}/cancel")
async def cancel(services: ServicesDep, visitor: VisitorDep, run: StoredRun) -> Response:
    """Cancel an analysis; its games stay in the store."""
    await cancel_run(services, visitor, run)
    return RedirectResponse(f"/studio/work/{run.id}", 303)
