"""One view as the vector environment shows it, and in words: for adapters and trajectories, where tables are played one at a time.

>>> from meldlab.gin import Gin
>>> from meldlab.play import Deal
>>> view = Gin().start(2, Deal(seed=7)).view(0)
>>> int(features_of(view)[PLANES["own"]].sum()), int(mask_of(view).sum())
(10, 2)
>>> print(text_of(view))
round 1, you are p1, p1 began, score 0 : 0, knock limit 10
hand AC 2H 2S 3H 4S 7C 7D 8S JD KC
upcard 4D, stock 31
p1 is to take the upcard or pass
"""

import numpy as np
from numpy.typing import NDArray

from meldlab.cards import Hand
from meldlab.gin.move import Verb
from meldlab.gin.vector import ACTIONS, FEATURES, PLANES, SCALARS, action_of
from meldlab.gin.view import Phase, View
from meldlab.melds import deadwood

__all__ = ["features_of", "mask_of", "text_of"]


TO_DO = {
    Phase.OFFER: "take the upcard or pass",
    Phase.FORCED: "draw from stock",
    Phase.DRAW: "draw from stock or take the upcard",
    Phase.DROP: "drop or knock",
    Phase.WALL: "knock with the upcard or pass",
    Phase.LAST: "knock",
    Phase.SHOW: "show melds",
}


def features_of(view: View) -> NDArray[np.uint8]:
    """Return [FEATURES] uint8, see PLANES and SCALARS; of a seat that is not to move as well."""
    planes: dict[str, set[int]] = {name: set() for name in PLANES}
    planes["own"], planes["pile"], planes["upcard"] = set(view.card_indices), set(view.pile_indices), set(view.pile_indices[-1:])
    planes["declined"] = {card for card in range(52) if view.declined_mask(1 - view.seat) >> card & 1}
    turns, upcards, offered = [0, 0], 0, view.rules.offer_upcard
    for seat, move in view.history:
        other, verb = seat != view.seat, move.verb
        if verb in (Verb.DRAW, Verb.TAKE):
            turns[other] += 1
            # The first upcard, while it is on offer, does not count as one.
            upcards += verb is Verb.TAKE and not offered
            offered = False
        if verb is Verb.TAKE:
            planes["known"].update([move.index] if other else [])
        elif verb in (Verb.DROP, Verb.KNOCK):
            planes["dropped" if other else "own_dropped"].add(move.index)
            planes["known"].discard(move.index)
    numbers = {
        "phase": view.phase,
        "turn": turns[0],
        "other_turn": turns[1],
        "stock": view.stock,
        "upcard_draws": upcards - (view.phase is Phase.LAST),
        "own_score": view.scores[view.seat],
        "other_score": view.scores[1 - view.seat],
        "knock_limit": view.limit,
        "points_wanted": view.rules.match_points,
        "round": view.number,
        "is_starter": view.starter == view.seat,
        "taken": view.taken_index + 1 if view.acting == view.seat else 0,
        "deadwood": deadwood(view.hand),
    }
    row = np.zeros(FEATURES, np.uint8)
    for name, cards in planes.items():
        row[[PLANES[name].start + card for card in cards]] = 1
    row[[PLANES["order"].start + card for card in view.pile_indices]] = np.arange(1, len(view.pile_indices) + 1)
    for name, number in numbers.items():
        row[SCALARS[name]] = min(int(number), 255)
    return row


def mask_of(view: View) -> NDArray[np.int8]:
    """Return [ACTIONS] int8, 1 for an action that is legal; nothing where hands are shown, and off turn."""
    mask = np.zeros(ACTIONS, np.int8)
    if view.phase is not Phase.SHOW:
        mask[[action_of(move) for move in view.legal_actions()]] = 1
    return mask


def text_of(view: View) -> str:
    """Return all that a seat may know of the round, in lines; equal texts are equal views."""
    drawn = iter(view.drawn_indices)

    def told(seat: int, verb: Verb, words: str) -> str:
        card = f" {Hand.from_mask(1 << next(drawn))}" if verb is Verb.DRAW and seat == view.seat else ""
        return f"p{seat + 1} {words}{card}"

    me, other = view.scores[view.seat], view.scores[1 - view.seat]
    lines = [
        f"round {view.number + 1}, you are p{view.seat + 1}, p{view.starter + 1} began, score {me} : {other}, knock limit {view.limit}",
        f"hand {view.hand}",
        f"upcard {view.upcard or 'none'}, stock {view.stock}",
    ]
    if len(view.pile) > 1:
        lines.append(f"pile {' '.join(map(str, view.pile))}")
    if view.known_mask:
        lines.append(f"p{2 - view.seat} holds {view.known}")
    if view.history:
        lines.append("; ".join(told(seat, move.verb, str(move)) for seat, move in view.history))
    if view.knocker_mask:
        lines.append(f"the knocker holds {Hand.from_mask(view.knocker_mask)}")
    lines.append("the round is over" if view.phase is Phase.OVER else f"p{view.acting + 1} is to {TO_DO[view.phase]}")
    return "\n".join(lines)
