"""What workers do for the gin table: advice, and what the other may hold."""

from dataclasses import replace
from typing import Any

from meldlab.cards import CARDS, Hand
from meldlab.errors import NotLegalHere
from meldlab.games import load_game, parse_opponent
from meldlab.gin.advice import advise
from meldlab.gin.players import EnsemblePlayer
from meldlab.gin.review import SAMPLES
from meldlab.gin.turn_estimate import turns_after, turns_text
from meldlab.gin.view import View
from meldlab.play import USER, Record, Table
from meldlab.schemas.gin import GinAdvice
from meldlab.waiting.storage import table_turns
from meldlab.web.work.play import MatchReference, open_session


def hint(reference: MatchReference, level: int) -> dict[str, Any]:
    """Return the best move and the reason; of the second level also the value of every move, by the deals of the review."""
    view = _view(reference)
    advice = advise(view)
    if level == 1:
        advice = replace(advice, candidates=())
    turns = turns_after(view, advice.move, table_turns)
    answer = GinAdvice.model_validate(GinAdvice.fields_from(advice, turns)).model_dump()
    return answer | {"determinizations": SAMPLES if advice.candidates else 0, "turns": turns_text(turns)}


def beliefs(reference: MatchReference, round: int | None = None) -> dict[str, Any]:
    """Return, card by card, the chance that the other holds it; of a round that is over, with what it did hold."""
    steps, seat = open_session(reference).steps, reference.seat
    truth: list[str] = []
    if round is None:
        view = _view(reference)
    else:
        own = [step for step in steps if step.before.number == round - 1 and step.seat == seat]
        if not own:
            raise NotLegalHere(f"nothing was decided from this seat in round {round}")
        last = own[-1]
        view = last.before.view(seat)
        ended = next((step for step in steps if len(step.after.outcomes) == round), None)
        if ended is not None and ended.after.outcomes[-1].deadwood:
            truth = [str(card) for card in Hand.from_mask(last.before.round.masks[1 - view.seat])]
    return {"cards": held(view), "truth": truth}


def held(view: View) -> dict[str, float]:
    """Return the chance that the other holds each card, by the ensemble: 0 for what is seen, 1 for what it took."""
    stock = EnsemblePlayer().belief(view).in_stock
    chances = {str(card): 0.0 for card in CARDS}
    chances |= {str(card): 1.0 - chance for card, chance in stock.items()}
    return chances | {str(card): 1.0 for card in view.known}


def watch(record: str, player: str) -> str:
    """Return the record of the same deal with a player of the house in the person's seat."""
    read = Record.parse(record)
    game = load_game(read)
    line_up = [parse_opponent(game, player if name == USER else name) for name in read.players]
    return str(Table(game, line_up).play(read.deal).record)


def _view(reference: MatchReference) -> View:
    view: View = open_session(reference).state.view(reference.seat)
    return view
