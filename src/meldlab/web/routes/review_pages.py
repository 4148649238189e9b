"""The pages of the review; what is shown of it is in the address."""

from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import RedirectResponse, Response
from pydantic import BaseModel, Field, ValidationError

from meldlab.errors import MeldlabError, NotLegalHere
from meldlab.play import Record
from meldlab.web.errors import HttpError
from meldlab.web.forms import form
from meldlab.web.gin_hand import moves_with, sorted_hand
from meldlab.web.rendering import page
from meldlab.web.review_models import KINDS_OF_MISTAKE, Decided, Given, Judge, Judged, Mistake, Reviewed, Reviewers, Start
from meldlab.web.review_page import review_title, review_values
from meldlab.web.routes.review import Action, StoredReview, decided, give_record, judge, judged, practice, review, start
from meldlab.web.routes.runs import cancel_run
from meldlab.web.run_repository import BackgroundRun
from meldlab.web.services import Services, ServicesDep
from meldlab.web.visitors import Visitor, VisitorDep

pages = APIRouter(include_in_schema=False)
MAX_SHOWN = 50
MAX_MATCHES = 20
LEAST = 2.5
NO_MATCH = "-" * 16  # until a record is stored as one
Kind = Literal["", "draw", "discard", "knocked too early", "knocked too late", "lay-off", "melds shown"]


class Shown(BaseModel):
    """Which decisions are shown; all of it stands in the address."""

    least: float = Field(default=LEAST, ge=0, le=100)
    """In points of chance, that is, percent of a match."""
    kind: Kind = ""
    unsure: bool = False
    """Also losses within the noise of the determinizations."""
    practice: bool = False
    """One comes from the mistakes of all reviews, and continues there."""

    def query(self, **more: Any) -> str:
        """Return the address from the question mark on, without what is as always.

        >>> Shown(kind="draw").query(answer="true"), Shown().query()
        ('?kind=draw&answer=true', '')
        """
        changed = self.model_copy(update=more).model_dump(exclude_defaults=True)
        result = urlencode(changed | {name: value for name, value in more.items() if name not in Shown.model_fields})
        return f"?{result}" if result else ""

    def of(self, found: Reviewed, kind: str | None = None) -> list[Decided]:
        """Return the decisions that are shown, most costly first; with a ``kind``, as if that were chosen."""
        shown_kind = self.kind if kind is None else kind
        chosen = [
            decision
            for decision in found.decisions
            if 100 * decision.cost >= self.least and (self.unsure or decision.mistake) and (not shown_kind or decision.kind == shown_kind)
        ]
        return sorted(chosen, key=lambda one: (-one.cost, one.action))


def _shown(least: Annotated[float, Query(ge=0, le=100)] = LEAST, kind: Kind = "", unsure: bool = False, practice: bool = False) -> Shown:
    return Shown(least=least, kind=kind, unsure=unsure, practice=practice)


Choice = Annotated[Shown, Depends(_shown)]


@pages.get("/review")
async def home(
    request: Request, services: ServicesDep, visitor: VisitorDep, match: Annotated[str, Query(pattern="^([A-Za-z0-9_-]{16})?$")] = ""
) -> Response:
    """Show what can be reviewed; a match in the address starts at once."""
    if match and not (await services.sql(services.repository.match, match)).over:
        raise HttpError(409, "a match can be reviewed when it is over")
    return await _home(request, services, visitor, match=match)


async def _home(request: Request, services: Services, visitor: Visitor, *, match: str = "", problem: str = "", typed: str = "") -> Response:
    mine = []
    for item in await services.sql(services.repository.matches_of, visitor.id, "gin", over=True, most=MAX_MATCHES):
        read = Record.parse(item.record)
        mine.append({"id": item.id, "players": read.players, "result": read.result, "practice": item.practice, "turn": item.turn})
    todo = await practice(services, visitor)
    return page(
        request, "review/home.html.jinja", title="Review", status=422 if problem else 200, mine=mine, match=match, problem=problem,
        typed=typed, warming=services.warming, practice=todo, reviewers=Reviewers.__args__,  # type: ignore[attr-defined]
    )  # fmt: skip


@pages.post("/review")
async def begin(request: Request, services: ServicesDep, visitor: VisitorDep) -> Response:
    """Begin a review, of a stored match or of a record that was sent."""
    typed = await form(request)
    text = typed.get("text", "").strip() or typed.get("file", "").strip()
    settings: dict[str, Any] = {name: typed[name] for name in ("player", "worlds") if typed.get(name)}
    if typed.get("seat") in ("1", "2"):
        settings["seat"] = int(typed["seat"])
    try:
        body = Start(match=typed.get("match") or NO_MATCH, **settings)
        if body.match == NO_MATCH:
            body.match = (await give_record(services, visitor, Given(text=text))).match
        review = await start(services, visitor, body)
    except ValidationError as error:
        field, says = error.errors()[0]["loc"][-1], error.errors()[0]["msg"]
        why = "no record given: paste it, choose a file, or drop one here" if field == "text" else f"{field}: {says}"
        return await _home(request, services, visitor, problem=why, typed=text)
    except MeldlabError as error:
        return await _home(request, services, visitor, problem=str(error), typed=text)
    return RedirectResponse(f"/review/{review.id}", 303)


@pages.get("/review/practice")
async def practise(request: Request, services: ServicesDep, visitor: VisitorDep) -> Response:
    """Show all mistakes, solved or not, and the next one to practise."""
    todo = await practice(services, visitor)
    return page(request, "review/practice.html.jinja", title="Practice", practice=todo, shown=Shown(practice=True), most=MAX_SHOWN)


@pages.get("/review/{id}")
async def look(request: Request, services: ServicesDep, visitor: VisitorDep, run: StoredReview, shown: Choice) -> Response:
    """Show a review: how far it is, and when it is done, what it found."""
    response, id = await review(services, run), run.id
    values: dict[str, Any] = {"response": response, "shown": shown, "here": f"/review/{id}"}
    result = response.review
    if result is not None:
        chosen = shown.of(result)
        tries = await services.sql(services.repository.tries_of, visitor.id)
        values |= {
            **review_values(result, chosen[:MAX_SHOWN], lambda item: f"/review/{id}/{item.action}{shown.query()}"),
            "many": len(chosen),
            "kinds": {kind: len(shown.of(result, kind)) for kind in KINDS_OF_MISTAKE},
            "all": len(shown.of(result, "")),
            "solved": {action for (match, action), tried in tries.items() if match == response.match and tried.solved},
        }
    return page(request, "review/review.html.jinja", title=review_title(result), **values)


@pages.post("/review/{id}/cancel")
async def cancel(services: ServicesDep, visitor: VisitorDep, run: StoredReview) -> Response:
    """Cancel a review."""
    await cancel_run(services, visitor, run)
    return RedirectResponse(f"/review/{run.id}", 303)


@pages.get("/review/{id}/{action}")
async def decision(
    request: Request, services: ServicesDep, visitor: VisitorDep, run: StoredReview, action: Action, shown: Choice,
    card: Annotated[str, Query(max_length=3)] = "",
    down: Annotated[str, Query(max_length=40)] = "",
    tried: Annotated[str, Query(max_length=500)] = "",
    answer: bool = False,
) -> Response:  # fmt: skip
    """Show one decision without its answer, what came of a try, and the answer on request."""
    verdict = await judged(services, visitor, run, action, tried) if tried else None
    return await _decision(request, services, visitor, run, action, shown, card=card, down=down, verdict=verdict, answer=answer)


@pages.post("/review/{id}/{action}")
async def attempt(
    request: Request, services: ServicesDep, visitor: VisitorDep, run: StoredReview, action: Action, shown: Choice
) -> Response:
    """Try a decision again."""
    typed = await form(request)
    move, down = typed.get("move", "").strip(), typed.get("down", "")
    try:
        if "down" in typed:
            move = _laid_down(decided(await review(services, run), action), down)
        await judge(services, visitor, run, action, Judge(move=move))
    except (ValidationError, MeldlabError) as error:
        why = "no move given" if isinstance(error, ValidationError) else str(error)
        return await _decision(request, services, visitor, run, action, shown, down=down, problem=why, typed=move)
    return RedirectResponse(f"/review/{run.id}/{action}{shown.query(tried=move)}", 303)


async def _decision(
    request: Request, services: Services, visitor: Visitor, run: BackgroundRun, action: int, shown: Shown, *, card: str = "",
    down: str = "", verdict: Judged | None = None, answer: bool = False, problem: str = "", typed: str = "",
) -> Response:  # fmt: skip
    response, id = await review(services, run), run.id
    item, result = decided(response, action), response.review
    assert result is not None
    todo = (await practice(services, visitor)).mistakes if shown.practice else []
    here = f"/review/{id}/{action}"
    following = _following_mistake(todo, response.match, item) if shown.practice else _following(shown.of(result), item, id)
    chosen = card if card in item.position.hand else ""
    showing = item.phase == "show"  # nothing tells which cards are melds: that is the question
    moves = [] if showing else moves_with(sorted(candidate.move for candidate in item.candidates), chosen)
    return page(
        request, "review/decision.html.jinja", status=422 if problem else 200, title=f"Round {item.round}, action {item.action}",
        response=response,
        one=item, view=item.position, review=result, shown=shown, here=here, chosen=chosen, moves=moves,
        hand=sorted_hand(item.position.hand, "suit" if showing else "melds", item.position.melds), verdict=verdict, problem=problem,
        showing=showing, down=[card for card in item.position.hand if card in down.split()],
        answer=answer or (verdict is not None and verdict.good), typed=typed,
        following=f"{following}{shown.query()}" if following else "", left=sum(not item.solved for item in todo),
    )  # fmt: skip


def _laid_down(one: Decided, cards: str) -> str:
    """Return the best way to show that lays down exactly these cards, in melds or on those of the other; of ways that were weighed."""
    chosen = set(cards.split())
    for candidate in one.candidates:
        if chosen == {word for word in candidate.move.split() if word in one.position.hand}:
            return candidate.move
    raise NotLegalHere("not all of these fit together, or more cards would; a way to show that leaves cards out can be typed")


def _following(chosen: list[Decided], one: Decided, id: str) -> str:
    """Return where the next decision of the list is, behind this one."""
    after = [item for item in chosen if (-item.cost, item.action) > (-one.cost, one.action)]
    return f"/review/{id}/{after[0].action}" if after else ""


def _following_mistake(todo: list[Mistake], match: str, one: Decided) -> str:
    """Return where the next mistake is: one not solved behind this one, else the first not solved, else the one solved longest ago."""
    others = [item for item in todo if (item.match, item.action) != (match, one.action)]
    unsolved = [other for other in others if not other.solved]
    behind = [item for item in unsolved if (-item.cost, item.match, item.action) > (-one.cost, match, one.action)]
    for item in (*behind, *unsolved, *others):
        return f"/review/{item.review}/{item.action}"
    return ""
