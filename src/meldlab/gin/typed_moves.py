"""Typed moves: short forms such as ``d``, ``t`` and ``KD``, the notation of records, and reasons why a move is not possible.

>>> from meldlab.gin.advice import position_view
>>> view = position_view("2C 3C 4C 9D 9H 9S KC KD KH KS 5H")
>>> read_move(view, "5h"), read_move(view, "k 5H")
(Move.parse('drop 5H'), Move.parse('knock 5H | 9D 9H 9S | KC KD KH KS | 2C 3C 4C'))
>>> read_move(view, "d")
Traceback (most recent call last):
    ...
meldlab.errors.NotLegalHere: you have drawn already; you may drop or knock
"""

from meldlab.cards import Card
from meldlab.errors import MeldlabError, NotLegalHere
from meldlab.gin.move import Move, Verb
from meldlab.gin.view import Phase, View
from meldlab.melds import discards

VERBS = {
    **dict.fromkeys(("draw", "stock", "d"), Verb.DRAW),
    **dict.fromkeys(("take", "t"), Verb.TAKE),
    **dict.fromkeys(("pass", "p"), Verb.PASS),
    **dict.fromkeys(("drop", "discard", "throw"), Verb.DROP),
    **dict.fromkeys(("knock", "k", "gin"), Verb.KNOCK),
    **dict.fromkeys(("show", "s"), Verb.SHOW),
    "big": Verb.BIG_GIN,
}
WITHOUT_CARD = (Verb.DRAW, Verb.PASS, Verb.BIG_GIN)
TOO_EARLY = {Phase.OFFER: "take the upcard or pass first", Phase.DRAW: "draw or take a card first", Phase.FORCED: "draw a card first"}


def read_move(view: View, text: str) -> Move:
    """Return the move of a text; short forms are completed, and the move must be possible now."""
    legal = view.legal_actions()
    for move in legal:
        if str(move) == text.strip():
            return move
    head, bar, melds = text.partition("|")
    word, _, rest = head.strip().partition(" ")
    verb = VERBS.get(word.lower())
    if verb is None:
        verb, rest = _by_card(view, head), head
    if verb is Verb.DRAW and view.phase is Phase.DROP and word.lower() == "d" and rest.strip():
        verb = Verb.DROP
    legal = [move for move in legal if move.verb is verb]
    if not legal:
        raise NotLegalHere(f"{_why_not(view, verb)}; you may {possible_now(view)}")
    if verb in WITHOUT_CARD and rest.strip().lower() not in ("", "stock", "gin"):
        return view.parse(text.strip())  # the notation of a record, or an error
    if verb is Verb.SHOW and (rest or bar):
        return view.parse(f"show {rest}{bar}{melds}")
    if verb in (Verb.DROP, Verb.KNOCK) and rest.strip():
        card = Card.parse(rest)
        if bar:
            return view.parse(f"{verb} {card} | {melds}")
        fitting = [move for move in legal if move.index == card.index]
        if not fitting and verb is Verb.KNOCK and card in view.hand and card != view.taken:
            raise NotLegalHere(f"{_too_much(discards(view.hand)[card], view.limit)}; you may {possible_now(view)}")
        return fitting[0] if fitting else Move(verb, card.index)
    if verb is Verb.DROP:
        raise NotLegalHere("which card? (drop KD)")
    if verb is Verb.TAKE and rest.strip():
        return view.parse(f"take {rest}")
    if verb is Verb.KNOCK:
        left = discards(view.hand)
        return min(legal, key=lambda move: left[Card.from_index(move.index)])
    return legal[-1] if verb is Verb.SHOW else legal[0]


def possible_now(view: View) -> str:
    """Return the possible moves, in short."""
    moves = [f"{move}" if not move.melds and move.verb is not Verb.DROP else str(move.verb) for move in view.legal_actions()]
    return " or ".join(dict.fromkeys(move.removesuffix(" stock") for move in moves))


def _by_card(view: View, text: str) -> Verb:
    """Return the verb for a card that is typed alone: to discard it, or to take it."""
    try:
        Card.parse(text)
    except MeldlabError:
        raise NotLegalHere(f"no move {text.strip()!r}; you may {possible_now(view)}") from None
    return Verb.DROP if view.phase in (Phase.DROP, Phase.LAST) else Verb.TAKE


def _why_not(view: View, verb: Verb) -> str:
    """Return the reason why a verb is not possible now."""
    dropping = view.phase in (Phase.DROP, Phase.LAST)
    if view.phase is Phase.SHOW:
        return "the other has knocked"
    if verb in (Verb.DRAW, Verb.TAKE, Verb.PASS) and dropping:
        return "you have drawn already" if verb is not Verb.PASS else "a turn ends with a discard"
    if verb is Verb.KNOCK and dropping:
        return _too_much(min(discards(view.hand).values()), view.limit)
    if verb is Verb.BIG_GIN and dropping:
        return "these rules have no big gin" if not view.rules.big_gin_bonus else "big gin is eleven melded cards"
    if verb is Verb.SHOW:
        return "no player has knocked"
    if verb is Verb.PASS:
        return "only the first upcard can be passed"
    if verb is Verb.TAKE:
        return "the upcard cannot be taken now"
    if verb is Verb.DRAW:
        return "the upcard is offered first" if view.phase is Phase.OFFER else "nothing can be drawn now"
    return TOO_EARLY.get(view.phase, f"{verb} is not possible now")


def _too_much(left: int, limit: int) -> str:
    return f"{left} is more than the {limit} you may knock with" if limit else f"{left} is left, and you may knock with gin only"
