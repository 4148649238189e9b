"""The table of gin rummy: two hands in melds and deadwood, stock and discard pile, the score and the rounds so far."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from meldlab.cards import CARDS, Card, Hand
from meldlab.gin import Gin, Move, Phase, Verb, View
from meldlab.melds import Meld, arrange, discards
from meldlab.tables.model import MAX_EVENTS, CardView, Event, Fact, Group, MoveView, RoundResult, SeatView, Table, Visibility, Zone

__all__ = ["build"]

CARD_VIEWS = {str(card): CardView(key=str(card), face=str(card), name=card.long_name) for card in CARDS}
# "draw stock" and "big gin" have two words.
VERBS = tuple(str(verb) for verb in Verb)


def build(game: Gin, view: View, log: Sequence[str], players: Sequence[str]) -> Table:
    """Return the table as the seat of the view sees it."""
    left = discards(view.hand) if len(view.hand) > view.rules.cards and view.acting == view.seat else {}
    moves = [_move(move, left) for move in view.legal_actions()]
    other = 1 - view.seat
    unseen = len(view.rules.pack) - len(view.hand) - len(view.pile) - view.stock
    counts = {view.seat: len(view.hand), other: unseen}
    hands = {view.seat: _own_hand(view, moves), other: _other_hand(view, other, counts[other])}
    playing = view.phase is not Phase.OVER
    return Table(
        game="gin",
        title="Gin rummy",
        seat=view.seat,
        seats=[
            SeatView(name=name, score=view.scores[seat], cards=counts[seat], acting=playing and seat == view.acting)
            for seat, name in enumerate(players)
        ],
        zones=[hands[0], hands[1], *_piles(view, moves)],
        moves=moves,
        events=_events(log),
        facts=_facts(view, left),
        rounds=_rounds(view),
        choose_first=True,
    )


def _own_hand(view: View, moves: Sequence[MoveView]) -> Zone:
    zone = Zone(key=f"hand-{view.seat + 1}", role="hand", label="hand", owner=view.seat, visibility="private", count=len(view.hand))
    if view.knock is not None and view.seat == 1 - view.acting:
        return zone.model_copy(update={"visibility": "public", "groups": _opened(view.hand, view.knock.melds)})
    new = {str(view.drawn[-1]): "drawn"} if view.drawn and len(view.hand) > view.rules.cards and not view.taken else {}
    if view.taken:
        new = {str(view.taken): "taken"}
    naming: dict[str, list[int]] = {}
    for index, move in enumerate(moves):
        if move.verb in (Verb.DROP, Verb.KNOCK):
            naming.setdefault(move.cards[0], []).append(index)

    def cards(hand: Iterable[Card]) -> list[CardView]:
        faces = map(str, hand)
        return [
            CARD_VIEWS[face].model_copy(update={"tags": [new[face]] if face in new else [], "moves": naming.get(face, [])})
            for face in faces
        ]

    best = arrange(view.hand)
    groups = [Group(label="meld", cards=cards(meld.hand)) for meld in best.melds]
    groups += [Group(label="deadwood", cards=cards(best.deadwood_cards))] if best.deadwood_cards else []
    shows = [index for index, move in enumerate(moves) if move.verb in (Verb.SHOW, Verb.BIG_GIN)]
    return zone.model_copy(update={"groups": groups, "order": [str(card) for card in view.cards], "moves": shows})


def _other_hand(view: View, seat: int, count: int) -> Zone:
    """Return the hand of the other seat: its known cards, or all in melds once it has knocked."""
    opened = view.knock is not None and seat == 1 - view.acting
    groups = _opened(Hand.from_mask(view.knocker_mask), view.knock.melds) if opened and view.knock else []
    if not opened and view.known:
        groups = [Group(cards=[CARD_VIEWS[str(card)].model_copy(update={"tags": ["seen"]}) for card in view.known])]
    visibility: Visibility = "public" if opened else "private"
    return Zone(key=f"hand-{seat + 1}", role="hand", label="hand", owner=seat, visibility=visibility, count=count, groups=groups)


def _opened(hand: Hand, melds: Sequence[Meld]) -> list[Group]:
    """Return an open hand in the melds that were shown."""
    loose = Hand.from_mask(hand.mask & ~sum(meld.hand.mask for meld in melds))
    groups = [Group(label="meld", cards=[CARD_VIEWS[str(card)] for card in meld.hand]) for meld in melds]
    return [*groups, Group(label="deadwood", cards=[CARD_VIEWS[str(card)] for card in loose])] if loose else groups


def _piles(view: View, moves: Sequence[MoveView]) -> list[Zone]:
    draws = [index for index, move in enumerate(moves) if move.verb == Verb.DRAW]
    takes = [index for index, move in enumerate(moves) if move.verb == Verb.TAKE]
    faces = [str(card) for card in view.pile]
    cards = [CARD_VIEWS[face] for face in faces]
    if takes and cards:
        cards[-1] = cards[-1].model_copy(update={"moves": takes})
    groups = [Group(cards=cards)] if cards else []
    return [
        Zone(key="stock", role="stock", label="stock", visibility="hidden", count=view.stock, moves=draws),
        Zone(key="discard", role="discard", label="upcard", visibility="public", count=len(faces), groups=groups, moves=takes),
    ]


def _move(move: Move, left: dict[Card, int]) -> MoveView:
    cards = [str(move.card)] if move.card else [str(card) for card in move.laid]
    target = {Verb.DROP: "discard", Verb.KNOCK: "discard"}.get(move.verb)
    source = {Verb.DRAW: "stock", Verb.TAKE: "discard"}.get(move.verb)
    melds = [[str(card) for card in meld.hand] for meld in move.melds]
    leaves = left.get(move.card) if move.card and target else None
    return MoveView(text=str(move), verb=str(move.verb), cards=cards, melds=melds, source=source, target=target, leaves=leaves)


def _events(log: Sequence[str]) -> list[Event]:
    first = max(0, len(log) - MAX_EVENTS)
    return [_event(line).model_copy(update={"turn": first + i}) for i, line in enumerate(log[first:])]


@lru_cache(maxsize=4096)
def _event(line: str) -> Event:
    """Return the event of a line of the log, as action 0."""
    who, _, text = line.partition(" ")
    verb = next((verb for verb in VERBS if text.startswith(verb)), text.partition(" ")[0].rstrip(":"))
    rest = text.removeprefix(verb).partition(" | ")[0].strip() if verb in VERBS else ""
    if verb == Verb.SHOW:
        rest = text.partition("lay off")[2]
    drawn = verb == Verb.DRAW
    source = "stock" if drawn else "discard" if verb == Verb.TAKE else None
    target = "discard" if verb in (Verb.DROP, Verb.KNOCK) else None
    return Event(
        turn=0, seat=int(who[1:]) - 1, verb=verb, cards=rest.split(), source=source, target=target, text=text,
        public_text=verb if drawn else text,
    )  # fmt: skip


def _facts(view: View, left: dict[Card, int]) -> list[Fact]:
    deadwood = min(left.values()) if left else arrange(view.hand).deadwood
    return [
        Fact(key="phase", value=Phase(view.phase).name.lower()),
        Fact(key="round", value=view.number + 1),
        Fact(key="starter", value=view.starter),
        Fact(key="limit", value=view.limit),
        Fact(key="target", value=view.rules.match_points),
        Fact(key="deadwood", value=deadwood, private=True),
    ]


def _rounds(view: View) -> list[RoundResult]:
    rounds, after = [], 0
    for outcome in view.outcomes:
        after += outcome.actions
        hands = [[str(card) for card in Hand.from_mask(mask)] for mask in outcome.masks or ()]
        rounds.append(
            RoundResult(
                kind=outcome.kind,
                winner=outcome.winner,
                points=outcome.points,
                hands=hands,
                after=after,
                deadwood=list(outcome.deadwood) if outcome.deadwood else None,
            )
        )
    return rounds
