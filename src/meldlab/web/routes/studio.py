"""The studio's API: check, draw, run and tell a description, keep it, analyse it and compare it."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path
from fastapi.responses import PlainTextResponse, Response

from meldlab.recycle import library
from meldlab.web.descriptions import Description, Texts, read_text
from meldlab.web.errors import HttpError
from meldlab.web.routes.runs import RunResponse, StoredRun, run_response
from meldlab.web.services import Services, ServicesDep
from meldlab.web.studio_models import (
    Analysing,
    Checked,
    Comparing,
    Drawing,
    Effort,
    Graph,
    LibraryGame,
    Ran,
    Running,
    Stepping,
    Steps,
    Subject,
    Text,
    TextResponse,
)
from meldlab.web.visitors import Visitor, VisitorDep
from meldlab.web.work import studio as work

MIN_SECONDS = 1.0  # of a simulation, however many wait
router = APIRouter(prefix="/api/v1/recycle", tags=["RECYCLE studio"])
TextId = Annotated[str, Path(pattern="^[a-z0-9_]{2,40}$", description="The name of a library game, or the id of a stored text.")]


def texts_of(services: Services) -> Texts:
    """Return the texts of the server's store."""
    return Texts(services.repository.store)


@router.get("/library")
async def games() -> list[LibraryGame]:
    """Return the games of the library."""
    entries = [library.entry(name) for name in library.names()]
    return [LibraryGame(id=game.name, title=game.title, players=game.players, rules=game.rules) for game in entries]


@router.post("/texts", status_code=201)
async def keep(services: ServicesDep, body: Text) -> TextResponse:
    """Keep a description, so that an address can name it: ``/studio/ID``."""
    return _response(await services.sql(texts_of(services).keep, read_text(body.text)))


@router.get("/texts/{id}")
async def text(services: ServicesDep, id: TextId) -> TextResponse:
    """Return a description by its name."""
    return _response(await services.sql(texts_of(services).find, id))


def _response(found: Description) -> TextResponse:
    return TextResponse(id=found.id, title=found.title, text=found.text)


@router.post("/check")
async def check(services: ServicesDep, visitor: VisitorDep, body: Text) -> Checked:
    """Return errors and warnings of a description; it is not run."""
    return Checked(**await services.run(visitor, work.check, text=read_text(body.text)))


@router.post("/graph")
async def draw(services: ServicesDep, visitor: VisitorDep, body: Drawing) -> Graph:
    """Return which way the cards go in one random game."""
    services.need("recycle")
    return Graph(**await services.run_long(visitor, work.graph, text=read_text(body.text), seed=body.seed))


@router.post("/run")
async def run(services: ServicesDep, visitor: VisitorDep, body: Running) -> Ran:
    """Play games and count; what there is no time for is left out."""
    services.need("recycle")
    seconds = work.SECONDS / (1 + len(services.workers.long))  # less while others wait
    arguments = body.model_dump() | {"text": read_text(body.text), "seconds": max(MIN_SECONDS, seconds)}
    return Ran(**await services.run_long(visitor, work.run, **arguments))


@router.post("/steps")
async def step(services: ServicesDep, visitor: VisitorDep, body: Stepping) -> Steps:
    """Return one game at one of its moments, with open cards, and the decisions around it."""
    services.need("recycle")
    return Steps(**await services.run_long(visitor, work.steps, **body.model_dump() | {"text": read_text(body.text)}))


@router.post("/analyses", status_code=202)
async def analyse(services: ServicesDep, visitor: VisitorDep, body: Analysing) -> RunResponse:
    """Begin an analysis; games that were played for it before are not played again."""
    return await _begin(services, visitor, "analyse", [body.subject], body)


class CsvResponse(PlainTextResponse):
    """A table as CSV."""

    media_type = "text/csv"


@router.get("/analyses/{id}/{name}", response_class=CsvResponse)
async def table(services: ServicesDep, run: StoredRun, name: Literal["choice.csv", "results.csv", "lead.csv", "spread.csv"]) -> Response:
    """Return a table of an analysis that is done, with the published names of its columns, as CSV."""
    result = await services.sql(services.runs.result, run) if run.kind == "analyse" else None
    tables = (result or {}).get("tables", {})
    if name not in tables:
        raise HttpError(404, f"this work has no {name}")
    return CsvResponse(tables[name])


@router.post("/comparisons", status_code=202)
async def compare(services: ServicesDep, visitor: VisitorDep, body: Comparing) -> RunResponse:
    """Begin a comparison of games, or of a game and its variants."""
    return await _begin(services, visitor, "compare", body.subjects, body)


async def _begin(services: Services, visitor: Visitor, kind: str, subjects: list[Subject], body: Effort) -> RunResponse:
    services.need("recycle")
    arguments: dict[str, Any] = body.model_dump(include=set(Effort.model_fields))
    arguments["subjects"] = []
    for subject in subjects:
        text = read_text(subject.text)
        title = await services.run(visitor, work.subject, text=text, settings=subject.settings)
        stored = await services.sql(texts_of(services).keep, text)
        arguments["subjects"].append({"text": stored.id, "settings": subject.settings, "title": title})
    return run_response(await services.background.submit(visitor.id, kind, arguments))
