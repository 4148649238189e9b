"""The studio's API: check, draw, run and tell a description, keep it, analyse it and compare it."""

import json
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path
from fastapi.responses import PlainTextResponse, Response

from meldlab.recycle import library
from meldlab.web import jobs
from meldlab.web.errors import HttpError
from meldlab.web.laboratory import Lab, Laboratory, Person
from meldlab.web.long_work import JobId, JobResponse, job_response
from meldlab.web.studio.models import (
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
from meldlab.web.studio.texts import Description, Texts, read_text

__all__ = ["TextId", "analyse", "check", "compare", "draw", "router", "run", "step", "table", "texts_of"]

router = APIRouter(prefix="/api/recycle", tags=["RECYCLE studio"])
TextId = Annotated[str, Path(pattern="^[a-z0-9_]{2,40}$", description="The name of a library game, or the id of a stored text.")]
WORK = "meldlab.web.studio.work:"
jobs.KINDS |= {"analyse": "meldlab.web.studio.studies:analyse", "compare": "meldlab.web.studio.studies:compare"}


def texts_of(lab: Laboratory) -> Texts:
    """Return the texts of the server's store."""
    return Texts(lab.repository.store)


@router.get("/library")
async def games() -> list[LibraryGame]:
    """Return the games of the library."""
    entries = [library.entry(name) for name in library.names()]
    return [LibraryGame(id=game.name, title=game.title, players=game.players, rules=game.rules) for game in entries]


@router.post("/texts", status_code=201)
async def keep(lab: Lab, body: Text) -> TextResponse:
    """Keep a description, so that an address can name it: ``/studio/ID``."""
    return _response(texts_of(lab).keep(read_text(body.text)))


@router.get("/texts/{id}")
async def text(lab: Lab, id: TextId) -> TextResponse:
    """Return a description by its name."""
    return _response(texts_of(lab).find(id))


def _response(found: Description) -> TextResponse:
    return TextResponse(id=found.id, title=found.title, text=found.text)


@router.post("/check")
async def check(lab: Lab, body: Text) -> Checked:
    """Return errors and warnings of a description; it is not run."""
    return Checked(**await lab.ask(WORK + "check", text=read_text(body.text)))


@router.post("/graph")
async def draw(lab: Lab, body: Drawing) -> Graph:
    """Return which way the cards go in one random game."""
    lab.need("recycle")
    return Graph(**await lab.ask(WORK + "graph", text=read_text(body.text), seed=body.seed))


@router.post("/run")
async def run(lab: Lab, body: Running) -> Ran:
    """Play games and count; what there is no time for is left out."""
    lab.need("recycle")
    return Ran(**await lab.ask(WORK + "run", **body.model_dump() | {"text": read_text(body.text)}))


@router.post("/steps")
async def step(lab: Lab, body: Stepping) -> Steps:
    """Return one game at one of its moments, with open cards, and the decisions around it."""
    lab.need("recycle")
    return Steps(**await lab.ask(WORK + "steps", **body.model_dump() | {"text": read_text(body.text)}))


@router.post("/analyses", status_code=202)
async def analyse(lab: Lab, person: Person, body: Analysing) -> JobResponse:
    """Begin an analysis; games that were played for it before are not played again."""
    return await _begin(lab, person, "analyse", [body.subject], body)


class CsvResponse(PlainTextResponse):
    """A table as CSV."""

    media_type = "text/csv"


@router.get("/analyses/{id}/{name}", response_class=CsvResponse)
async def table(lab: Lab, id: JobId, name: Literal["choice.csv", "results.csv", "lead.csv", "spread.csv"]) -> Response:
    """Return a table of an analysis that is done, with the published names of its columns, as CSV."""
    job = lab.repository.job(id)
    tables = json.loads(job.result).get("tables", {}) if job.kind == "analyse" and job.result else {}
    if name not in tables:
        raise HttpError(404, f"this work has no {name}")
    return CsvResponse(tables[name])


@router.post("/comparisons", status_code=202)
async def compare(lab: Lab, person: Person, body: Comparing) -> JobResponse:
    """Begin a comparison of games, or of a game and its variants."""
    return await _begin(lab, person, "compare", body.subjects, body)


async def _begin(lab: Laboratory, person: str, kind: str, subjects: list[Subject], body: Effort) -> JobResponse:
    lab.need("recycle")
    arguments: dict[str, Any] = body.model_dump(include=set(Effort.model_fields))
    arguments["subjects"] = []
    for subject in subjects:
        text = read_text(subject.text)
        title = await lab.ask(WORK + "subject", text=text, settings=subject.settings)
        arguments["subjects"].append({"text": texts_of(lab).keep(text).id, "settings": subject.settings, "title": title})
    return job_response(lab.jobs.add(person, kind, arguments))
