"""The pages of the review; what is shown of it is in the address."""

from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import RedirectResponse, Response
from pydantic import BaseModel, Field, ValidationError

from meldlab.errors import MeldlabError, NotLegalHere
from meldlab.play import Record
from meldlab.web.charts import chances
from meldlab.web.forms import form
from meldlab.web.gin.routes import moves_with, sorted_hand
from meldlab.web.laboratory import Lab, Laboratory, Person
from meldlab.web.long_work import JobId
from meldlab.web.pages import page
from meldlab.web.problems import HttpRefusal
from meldlab.web.review.routes import Action, decided, give_record, judge, judged, practice, review, start
from meldlab.web.review.told import KINDS_OF_MISTAKE, Decided, Given, Judge, Judged, Mistake, Reviewed, Reviewers, Start

__all__ = ["pages"]

pages = APIRouter(include_in_schema=False)
MOST_SHOWN = 50
MOST_MATCHES = 20
LEAST = 2.5
NO_MATCH = "-" * 16  # until a record is kept as one
Kind = Literal["", "draw", "discard", "knocked too early", "knocked too late", "lay-off", "melds shown"]


class Shown(BaseModel):
    """Which decisions are shown; all of it stands in the address."""

    least: float = Field(default=LEAST, ge=0, le=100)
    """In points of chance, that is, percent of a match."""
    kind: Kind = ""
    unsure: bool = False
    """Also what may be luck with the worlds."""
    practice: bool = False
    """One comes from the mistakes of all reviews, and goes on there."""

    def query(self, **more: Any) -> str:
        """Return the address from the question mark on, without what is as always.

        >>> Shown(kind="draw").query(answer="true"), Shown().query()
        ('?kind=draw&answer=true', '')
        """
        changed = self.model_copy(update=more).model_dump(exclude_defaults=True)
        found = urlencode(changed | {name: value for name, value in more.items() if name not in Shown.model_fields})
        return f"?{found}" if found else ""

    def of(self, found: Reviewed, kind: str | None = None) -> list[Decided]:
        """Return the decisions that are shown, the dearest first; with a ``kind``, as if that were chosen."""
        wanted = self.kind if kind is None else kind
        chosen = [
            one
            for one in found.decisions
            if 100 * one.cost >= self.least and (self.unsure or one.mistake) and (not wanted or one.kind == wanted)
        ]
        return sorted(chosen, key=lambda one: (-one.cost, one.action))


def _shown(least: Annotated[float, Query(ge=0, le=100)] = LEAST, kind: Kind = "", unsure: bool = False, practice: bool = False) -> Shown:
    return Shown(least=least, kind=kind, unsure=unsure, practice=practice)


Choice = Annotated[Shown, Depends(_shown)]


@pages.get("/review")
async def home(request: Request, lab: Lab, person: Person, match: Annotated[str, Query(pattern="^([A-Za-z0-9_-]{16})?$")] = "") -> Response:
    """Show what can be reviewed; a match in the address is begun at once."""
    if match and not lab.kept.match(match).over:
        raise HttpRefusal(409, "a match can be reviewed when it is over")
    return await _home(request, lab, person, match=match)


async def _home(request: Request, lab: Laboratory, person: str, *, match: str = "", problem: str = "", typed: str = "") -> Response:
    mine = []
    for one in lab.kept.matches_of(person, "gin", over=True, most=MOST_MATCHES):
        read = Record.parse(one.record)
        mine.append({"id": one.id, "players": read.players, "result": read.result, "practice": one.practice, "turn": one.turn})
    todo = await practice(lab, person)
    return page(
        request, "review/home.html.jinja", title="Review", status=422 if problem else 200, mine=mine, match=match, problem=problem,
        typed=typed, warming=lab.warming, practice=todo, reviewers=Reviewers.__args__,  # type: ignore[attr-defined]
    )  # fmt: skip


@pages.post("/review")
async def begin(request: Request, lab: Lab, person: Person) -> Response:
    """Begin a review, of a match that is kept or of a record that was sent."""
    typed = await form(request)
    text = typed.get("text", "").strip() or typed.get("file", "").strip()
    settings: dict[str, Any] = {name: typed[name] for name in ("player", "worlds") if typed.get(name)}
    if typed.get("seat") in ("1", "2"):
        settings["seat"] = int(typed["seat"])
    try:
        wanted = Start(match=typed.get("match") or NO_MATCH, **settings)
        if wanted.match == NO_MATCH:
            wanted.match = (await give_record(lab, person, Given(text=text))).match
        begun = await start(lab, person, wanted)
    except ValidationError as problem:
        field, says = problem.errors()[0]["loc"][-1], problem.errors()[0]["msg"]
        why = "a record is wanted: paste it, choose a file, or drop one here" if field == "text" else f"{field}: {says}"
        return await _home(request, lab, person, problem=why, typed=text)
    except MeldlabError as problem:
        return await _home(request, lab, person, problem=str(problem), typed=text)
    return RedirectResponse(f"/review/{begun.id}", 303)


@pages.get("/review/practice")
async def practise(request: Request, lab: Lab, person: Person) -> Response:
    """Show all mistakes, solved or not, and where to go on."""
    todo = await practice(lab, person)
    return page(request, "review/practice.html.jinja", title="Practice", practice=todo, shown=Shown(practice=True), most=MOST_SHOWN)


@pages.get("/review/{id}")
async def look(request: Request, lab: Lab, person: Person, id: JobId, shown: Choice) -> Response:
    """Show a review: how far it is, and when it is done, what it found."""
    told = await review(lab, id)
    values: dict[str, Any] = {"told": told, "shown": shown, "here": f"/review/{id}"}
    found = told.review
    if found is not None:
        chosen = shown.of(found)
        tries = lab.kept.tries_of(person)
        values |= {
            "review": found,
            "sorted_hand": sorted_hand,
            "chosen": chosen[:MOST_SHOWN],
            "many": len(chosen),
            "kinds": {kind: len(shown.of(found, kind)) for kind in KINDS_OF_MISTAKE},
            "all": len(shown.of(found, "")),
            "curve": _curve(found, chosen, f"/review/{id}", shown),
            "solved": {action for (match, action), tried in tries.items() if match == told.match and tried.solved},
        }
    return page(request, "review/review.html.jinja", title=_title(found), **values)


@pages.post("/review/{id}/cancel")
async def cancel(lab: Lab, id: JobId) -> Response:
    """Cancel a review."""
    await review(lab, id)
    lab.jobs.cancel(id)
    return RedirectResponse(f"/review/{id}", 303)


@pages.get("/review/{id}/{action}")
async def decision(
    request: Request, lab: Lab, person: Person, id: JobId, action: Action, shown: Choice,
    card: Annotated[str, Query(max_length=3)] = "",
    down: Annotated[str, Query(max_length=40)] = "",
    tried: Annotated[str, Query(max_length=500)] = "",
    answer: bool = False,
) -> Response:  # fmt: skip
    """Show one decision without its answer, what came of a try, and the answer if it is wanted."""
    verdict = await judged(lab, id, action, tried) if tried else None
    return await _decision(request, lab, person, id, action, shown, card=card, down=down, verdict=verdict, answer=answer)


@pages.post("/review/{id}/{action}")
async def attempt(request: Request, lab: Lab, person: Person, id: JobId, action: Action, shown: Choice) -> Response:
    """Try a decision again."""
    typed = await form(request)
    move, down = typed.get("move", "").strip(), typed.get("down", "")
    try:
        if "down" in typed:
            move = _laid_down(decided(await review(lab, id), action), down)
        await judge(lab, person, id, action, Judge(move=move))
    except (ValidationError, MeldlabError) as problem:
        why = "a move is wanted" if isinstance(problem, ValidationError) else str(problem)
        return await _decision(request, lab, person, id, action, shown, down=down, problem=why, typed=move)
    return RedirectResponse(f"/review/{id}/{action}{shown.query(tried=move)}", 303)


async def _decision(
    request: Request, lab: Laboratory, person: str, id: str, action: int, shown: Shown, *, card: str = "", down: str = "",
    verdict: Judged | None = None, answer: bool = False, problem: str = "", typed: str = "",
) -> Response:  # fmt: skip
    told = await review(lab, id)
    one, found = decided(told, action), told.review
    assert found is not None
    todo = (await practice(lab, person)).mistakes if shown.practice else []
    here = f"/review/{id}/{action}"
    following = _following_mistake(todo, told.match, one) if shown.practice else _following(shown.of(found), one, id)
    chosen = card if card in one.position.hand else ""
    showing = one.phase == "show"  # nothing tells which cards are melds: that is the question
    moves = [] if showing else moves_with(sorted(each.move for each in one.candidates), chosen)
    return page(
        request, "review/decision.html.jinja", status=422 if problem else 200, title=f"Round {one.round}, action {one.action}", told=told,
        one=one, view=one.position, review=found, shown=shown, here=here, chosen=chosen, moves=moves,
        hand=sorted_hand(one.position.hand, "suit" if showing else "melds", one.position.melds), verdict=verdict, problem=problem,
        showing=showing, down=[card for card in one.position.hand if card in down.split()],
        answer=answer or (verdict is not None and verdict.good), typed=typed,
        following=f"{following}{shown.query()}" if following else "", left=sum(not each.solved for each in todo),
    )  # fmt: skip


def _laid_down(one: Decided, cards: str) -> str:
    """Return the best way to show that lays down exactly these cards, in melds or on those of the other; of ways that were weighed."""
    wanted = set(cards.split())
    for each in one.candidates:
        if wanted == {word for word in each.move.split() if word in one.position.hand}:
            return each.move
    raise NotLegalHere("not all of these fit together, or more cards would; a way to show that leaves cards out can be typed")


def _following(chosen: list[Decided], one: Decided, id: str) -> str:
    """Return where the next decision of the list is, behind this one."""
    after = [each for each in chosen if (-each.cost, each.action) > (-one.cost, one.action)]
    return f"/review/{id}/{after[0].action}" if after else ""


def _following_mistake(todo: list[Mistake], match: str, one: Decided) -> str:
    """Return where the next mistake is: one not solved behind this one, else the first not solved, else the one solved longest ago."""
    others = [each for each in todo if (each.match, each.action) != (match, one.action)]
    unsolved = [each for each in others if not each.solved]
    behind = [each for each in unsolved if (-each.cost, each.match, each.action) > (-one.cost, match, one.action)]
    for each in (*behind, *unsolved, *others):
        return f"/review/{each.review}/{each.action}"
    return ""


def _curve(found: Reviewed, chosen: list[Decided], here: str, shown: Shown) -> Any:
    marks = []
    for one in chosen[:MOST_SHOWN]:
        title = f"Action {one.action}, {one.kind}: {100 * one.cost:.1f} points lost"
        marks.append((float(one.action), one.chance, f"{here}/{one.action}{shown.query()}", title))
    names = " and ".join(seat.name for seat in found.seats)
    return chances([seat.curve for seat in found.seats], found.rounds, marks, f"The chance of {names} to win, over {found.actions} actions")


def _title(found: Reviewed | None) -> str:
    return "Review" if found is None else f"Review: {' against '.join(found.players)}"
