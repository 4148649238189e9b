"""A view as the state of kernels, as features, as a mask of actions, and as text.

>>> from meldlab.gin import Gin
>>> from meldlab.play import Deal
>>> view = Gin().start(2, Deal(seed=7)).view(0)
>>> int(features_of(view)[PLANES["own"]].sum()), int(mask_of(view).sum())
(10, 2)
>>> print(text_of(view))
round 1, you are p1, p1 starts, score 0 : 0, knock limit 10
hand AC 2H 2S 3H 4S 7C 7D 8S JD KC
upcard 4D, stock 31
p1 is to take the upcard or pass
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from meldlab.cards import CARDS, Hand
from meldlab.errors import NotLegalHere
from meldlab.gin import kernel_vector
from meldlab.gin.kernel_state import BIG_GIN, DISCARD, DRAW, KNOCK, NUM_ACTIONS, PASS, SEAT_SHIFT, STATE, TAKE
from meldlab.gin.kernel_vector import NUM_FEATURES, NUM_PLANES
from meldlab.gin.move import DRAW as DRAW_MOVE
from meldlab.gin.move import DROPS, TAKES, Move, Verb
from meldlab.gin.move import PASS as PASS_MOVE
from meldlab.gin.rules import kernel_rules
from meldlab.gin.view import Phase, View, best_melds, pick_melds
from meldlab.play import Chance

_PLANES = ("own", "known", "dropped", "declined", "own_dropped", "pile", "upcard", "order")
PLANES = {name: slice(52 * index, 52 * index + 52) for index, name in enumerate(_PLANES)}
"""Slice of each plane in a row of features; the index of a card within a plane is its bit number."""
_SCALARS = (
    *("phase", "turn", "other_turn", "stock", "upcard_draws", "own_score", "other_score"),
    *("knock_limit", "match_points", "round", "is_starter", "taken", "deadwood"),
)
SCALARS = {name: 52 * NUM_PLANES + index for index, name in enumerate(_SCALARS)}
"""Index of each number in a row of features; numbers above 255 are 255."""
NO_CHANCE = Chance(0, 0, 0)
EMPTY_STATE = dict(zip(STATE.fields or (), np.zeros(1, STATE)[0].item(), strict=True))
WITHOUT_CARD = {Verb.PASS: PASS, Verb.DRAW: DRAW, Verb.TAKE: TAKE, Verb.BIG_GIN: BIG_GIN}
WITH_CARD = {Verb.DROP: DISCARD, Verb.KNOCK: KNOCK}
TO_DO = {
    Phase.OFFER: "take the upcard or pass",
    Phase.FORCED: "draw from stock",
    Phase.DRAW: "draw from stock or take the upcard",
    Phase.DROP: "drop or knock",
    Phase.WALL: "knock with the upcard or pass",
    Phase.LAST: "knock",
    Phase.SHOW: "show melds",
}


def state_of(view: View, chance: Chance = NO_CHANCE) -> NDArray[Any]:
    """Return [1] STATE, a round as a seat knows it; the hand of the other and the deck stay empty.

    ``chance``: the draws of the decision, for a player that chooses by it.
    """
    pile, (first, second) = view.pile_indices, view.seen
    cards, pile_mask = np.zeros(52, np.uint8), sum(1 << card for card in pile)
    for index, card in enumerate(pile):
        cards[index] = card | ((first.latest >> card & 1) + 2 * (second.latest >> card & 1)) << SEAT_SHIFT
    fields = {
        **EMPTY_STATE,
        "hand": (view.mask, 0) if view.seat == 0 else (0, view.mask),
        "known": (second.known & ~pile_mask, first.known & ~pile_mask),  # the discard of a knock is in the pile
        "discarded": (first.discarded, second.discarded),
        "declined": (first.declined, second.declined),
        "turns": (first.turns, second.turns),
        "scores": view.scores,
        "stock": view.stock,
        "pile_mask": pile_mask,
        "pile_size": len(pile),
        "pile": cards,
        "upcard_draws": view.upcards,
        "draws": first.turns + second.turns,
        "step": chance.step,
        "root": chance.root,
        "knock_limit": view.limit,
        "phase": view.phase,
        "seat": view.acting,
        "starter": view.starter,
        "round_index": view.number,
        "drawn": view.card_indices[-1],
        "taken": view.taken_index,
    }
    # Setting the fields one by one takes five times as long.
    return np.array([tuple(fields.values())], STATE)


def features_of(view: View) -> NDArray[np.uint8]:
    """Return [NUM_FEATURES] uint8, see PLANES and SCALARS; also for a seat that is not to move."""
    row = np.zeros(NUM_FEATURES, np.uint8)
    kernel_vector.write_features(state_of(view)[0], view.seat, kernel_rules(view.rules), row)
    return row


def mask_of(view: View) -> NDArray[np.int8]:
    """Return [NUM_ACTIONS] int8, 1 for a legal action; zeros where hands are shown, and off turn."""
    mask = np.zeros(NUM_ACTIONS, np.int8)
    if view.phase is not Phase.SHOW:
        mask[[action_of(move) for move in view.legal_actions()]] = 1
    return mask


def events_of(view: View) -> NDArray[np.int64]:
    """Return [events, 3] int64, the open events of a round: a seat, an action, and the upcard taken or left."""
    events, pile = [], view.first_pile
    for seat, move in view.history:
        if move.verb in (Verb.KNOCK, Verb.BIG_GIN, Verb.SHOW):
            break
        # The pile is empty only while its taker chooses a discard, or if the position is from outside.
        upcard = move.index if move.verb is Verb.TAKE else pile[-1] if pile else 0
        events.append((seat, action_of(move), upcard))
        if move.verb is Verb.DROP:
            pile.append(move.index)
        elif move.verb is Verb.TAKE and pile:
            pile.pop()
    return np.array(events, np.int64).reshape(-1, 3)


def text_of(view: View) -> str:
    """Return the view as lines of text; equal texts are equal views."""
    drawn = iter(view.drawn_indices)

    def event(seat: int, verb: Verb, words: str) -> str:
        card = f" {Hand.from_mask(1 << next(drawn))}" if verb is Verb.DRAW and seat == view.seat else ""
        return f"p{seat + 1} {words}{card}"

    me, other = view.scores[view.seat], view.scores[1 - view.seat]
    lines = [
        f"round {view.number + 1}, you are p{view.seat + 1}, p{view.starter + 1} starts, score {me} : {other}, knock limit {view.limit}",
        f"hand {view.hand}",
        f"upcard {view.upcard or 'none'}, stock {view.stock}",
    ]
    if len(view.pile) > 1:
        lines.append(f"pile {' '.join(map(str, view.pile))}")
    if view.known_mask:
        lines.append(f"p{2 - view.seat} holds {view.known}")
    if view.history:
        lines.append("; ".join(event(seat, move.verb, str(move)) for seat, move in view.history))
    if view.knocker_mask:
        lines.append(f"the knocker holds {Hand.from_mask(view.knocker_mask)}")
    lines.append("the round is over" if view.phase is Phase.OVER else f"p{view.acting + 1} is to {TO_DO[view.phase]}")
    return "\n".join(lines)


def action_text(action: int) -> str:
    """Return an action as text.

    >>> [action_text(action) for action in (PASS, DRAW, TAKE, DISCARD, KNOCK + 51, BIG_GIN)]
    ['pass', 'draw stock', 'take', 'drop AC', 'knock KS', 'big gin']
    """
    for verb, number in WITHOUT_CARD.items():
        if action == number:
            return str(verb)
    verb, card = (Verb.DROP, action - DISCARD) if action < KNOCK else (Verb.KNOCK, action - KNOCK)
    return f"{verb} {CARDS[card]}"


def action_of(move: Move) -> int:
    """Return the number of a move; for a knock the discard alone determines it; showing has none.

    >>> action_of(Move.parse("knock 2C | 5H 6H 7H"))
    56
    """
    if move.verb is Verb.SHOW:
        raise NotLegalHere("showing melds is not an action of the vector environment: it shows by itself")
    return WITH_CARD[move.verb] + move.index if move.verb in WITH_CARD else WITHOUT_CARD[move.verb]


def move_of(view: View, action: int, chance: Chance | None = None) -> Move:
    """Return the move of an action; ``chance`` draws the melds that a knock shows, as the built-in players do.

    Without it a knock shows the first of the arrangements with the least deadwood.

    >>> from meldlab.gin import Gin
    >>> from meldlab.play import Deal
    >>> move_of(Gin().start(2, Deal(seed=7)).view(0), TAKE)
    Move.parse('take 4D')
    """
    if action in (PASS, DRAW):
        return PASS_MOVE if action == PASS else DRAW_MOVE
    if action == TAKE and view.pile_indices:
        return TAKES[view.pile_indices[-1]]
    if DISCARD <= action < KNOCK:
        return DROPS[action - DISCARD]
    if not KNOCK <= action <= BIG_GIN:
        raise NotLegalHere(f"expected an action from 0 to {NUM_ACTIONS - 1}, got {action}")
    verb, card = (Verb.BIG_GIN, -1) if action == BIG_GIN else (Verb.KNOCK, action - KNOCK)
    rest = view.mask if verb is Verb.BIG_GIN else view.mask & ~(1 << card)
    return Move(verb, card, best_melds(rest)[0] if chance is None else pick_melds(rest, chance))
