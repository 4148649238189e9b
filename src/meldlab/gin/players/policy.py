"""The player by policy: a network that gives every legal action a chance, taught against many opponents and itself.

>>> player = PolicyPlayer(blank(wide=4, deep=1), "blank")
>>> from meldlab.gin import Gin, Rules
>>> from meldlab.play import Deal, Table
>>> Table(Gin(Rules(match_points=0)), [player, player]).play(Deal(seed=1)).result is not None
True
"""

from dataclasses import dataclass
from functools import cache
from importlib import resources
from math import exp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meldlab.cards import CARDS
from meldlab.chance import Purpose
from meldlab.errors import NoSuchThing, NotLegalHere
from meldlab.gin import kernel_layout
from meldlab.gin.book import NETWORK, NO_BOOK, check_network, read_layers
from meldlab.gin.kernel import knocks
from meldlab.gin.kernel_layout import ADVICE, PLANES, SCALARS, SHADES, Bench, Book, Known, Network, PolicyLayers
from meldlab.gin.kernel_round import new_sheet
from meldlab.gin.kernel_vector import DO_DRAW, DO_DROP, DO_KNOCK, DO_PASS, DO_TAKE
from meldlab.gin.move import DRAW, DROPS, PASS, TAKES, Move, Verb
from meldlab.gin.players.kernel_light import advise_to_draw, advise_to_drop
from meldlab.gin.players.kernel_policy import (
    BELIEF,
    KNOCKS_PLANE,
    PLACES,
    card_answer,
    heed,
    new_bench,
    policy_discard,
    policy_takes,
    policy_worth,
    thought,
)
from meldlab.gin.players.light import LightPlayer
from meldlab.gin.players.player import Drop, GinPlayer, Valued
from meldlab.gin.players.sight import sight_of
from meldlab.gin.view import Phase, View, best_melds
from meldlab.play import Chance

__all__ = ["PolicyPlayer", "blank", "check_policy", "read_policy"]

MOST_WIDE, MOST_DEEP = 2048, 8
MOST_LOGIT = 8.0
NO_KEY = np.uint64(0)
KNOCKS = 64  # what the kernel adds to a discard that it knocks with
SHIPPED = ("champion", "specialist")
DISCARD = int(Purpose.DISCARD)
# What is read of the features of the vector environment, and what its numbers are divided by.
READ = ("own", "known", "dropped", "declined", "own_dropped", "pile", "upcard")
SCALED = {"turn": 16, "other_turn": 16, "stock": 32, "own_score": 100, "other_score": 100, "knock_limit": 10, "deadwood": 50}


def shapes(wide: int, deep: int) -> PolicyLayers:
    """Return the shapes of a network."""
    cards, square = (13 * (PLANES + SHADES), wide), (deep, wide, wide)
    layers = cards, cards, (SCALARS + 1, wide), square, square, (deep, wide), (wide + 1, 39), (wide + 1, 5)
    rows, first, last = NETWORK.values()
    return PolicyLayers(rows, first, last, (3,), *layers)


def blank(wide: int, deep: int) -> PolicyLayers:
    """Return a network that finds all actions equal."""
    return PolicyLayers(*(np.zeros(shape, np.float32) for shape in shapes(wide, deep)))


def check_policy(policy: PolicyLayers) -> None:
    """Raise unless this is a network that the kernels can read."""
    if policy.own.ndim != 2 or policy.deep_bias.ndim != 2:
        raise NotLegalHere("no policy: its layers have no width")
    wide, deep = policy.own.shape[1], len(policy.deep_bias)
    if not (1 <= wide <= MOST_WIDE and 0 <= deep <= MOST_DEEP):
        raise NotLegalHere(f"no policy: {deep} layers of {wide}, where {MOST_DEEP} of {MOST_WIDE} are the most")
    check_network(adviser_of(policy))
    for name, array, shape in zip(PolicyLayers._fields, policy, shapes(wide, deep), strict=True):
        if array.shape != shape or array.dtype != np.float32 or not array.flags.c_contiguous:
            wanted = " x ".join(map(str, shape))
            raise NotLegalHere(f"no policy: {name} has {' x '.join(map(str, array.shape))} numbers, not {wanted} of 32 bits")
        if not np.isfinite(array).all():
            raise NotLegalHere(f"no policy: {name} holds a number that is not finite")


def read_policy(file: Any, name: str) -> tuple[PolicyLayers, dict[str, Any]]:
    """Return the network of an open file or a path, and the notes that are kept with it."""
    return read_layers(PolicyLayers, check_policy, file, name)


def adviser_of(policy: PolicyLayers) -> Network:
    """Return the light network that advises a policy."""
    return Network(policy.rows, policy.first, policy.last)


def known_of(view: View, adviser: Network) -> Known:
    """Return what a seat knows as the network reads it: planes of cards, and numbers."""
    from meldlab.gin import vector  # which seats players, and so asks for this room
    from meldlab.gin.features import features_of

    features = features_of(view)
    planes = [sum(1 << int(card) for card in np.flatnonzero(features[vector.PLANES[name]])) for name in READ]
    numbers = np.zeros(SCALARS, np.float32)
    if view.phase is not Phase.WALL:
        numbers[min(view.phase, Phase.DROP)] = 1
    numbers[4 : 4 + len(SCALED)] = [features[vector.SCALARS[name]] / scale for name, scale in SCALED.items()]
    # As every player of the kernels it does not put an upcard back, whatever the rules say.
    barred = 1 << view.taken_index if view.taken_index >= 0 else 0
    knockable = int(knocks(view.mask, view.limit)) & ~barred if view.phase in (Phase.DROP, Phase.LAST) else 0
    shades = np.zeros((SHADES, 52), np.float32)
    shades[0] = features[vector.PLANES["order"]] / PLACES
    known = Known(np.array([*planes, knockable], np.int64), shades, numbers, np.int64(view.mask & ~barred))
    heed(_advice(view, adviser), known)
    return known


def _advice(view: View, adviser: Network) -> Any:
    """Return [ADVICE], what a light network thinks; nothing of a small game, which it does not know."""
    advice = np.zeros(ADVICE, np.float32)
    if view.rules.small:
        return advice
    if view.phase in (Phase.DROP, Phase.LAST):
        advise_to_drop(sight_of(view), adviser, new_sheet(), advice)
    elif view.phase in (Phase.OFFER, Phase.DRAW):
        advise_to_draw(sight_of(view)._replace(barred=0), view.pile_indices[-1], adviser, new_sheet(), advice)
    return advice


@cache
def _shipped(name: str) -> PolicyLayers:
    with (resources.files("meldlab.gin.players") / "networks" / f"{name}.npz").open("rb") as file:
        return read_policy(file, f"{name}.npz")[0]


def move_of(view: View, action: int) -> Move:
    """Return an action of the vector environment as a move in a view; a knock shows melds that leave the least deadwood."""
    if action >= DO_KNOCK:
        card = action - DO_KNOCK
        return Move(Verb.KNOCK, card, best_melds(view.mask ^ 1 << card)[0])
    if action >= DO_DROP:
        return DROPS[action - DO_DROP]
    return {DO_PASS: PASS, DO_DRAW: DRAW, DO_TAKE: TAKES[view.pile_indices[-1]]}[action]


@dataclass(frozen=True, eq=False)
class PolicyPlayer(GinPlayer):
    """Plays by the chances that a network gives to its actions; as it is read from a file, the likeliest."""

    policy: PolicyLayers
    name: str = "policy"
    temperature: float = 0.0
    """At 0 the likeliest action is played, at 1 each as often as the network says, between them likely ones more often."""

    def __post_init__(self) -> None:
        check_policy(self.policy)

    @classmethod
    def parse(cls, text: str) -> "PolicyPlayer":
        """Read ``champion``, ``specialist`` or ``computed:FILE.npz``."""
        if text in SHIPPED:
            return cls(_shipped(text), text)
        kind, _, path = text.partition(":")
        if kind != "computed" or not path.endswith(".npz"):
            raise NoSuchThing("player", text, [*SHIPPED, "computed:FILE.npz"])
        return cls(read_policy(path, path)[0], text)

    @property
    def book(self) -> Book:
        """Return what the batch kernel computes with."""
        return NO_BOOK._replace(policy=self.policy)

    def vector(self) -> NDArray[np.float64]:
        """Return the player as the batch kernel takes it; it takes the book as well."""
        vector = np.zeros(kernel_layout.PARAMETERS)
        vector[kernel_layout.KIND], vector[kernel_layout.TEMPERATURE] = kernel_layout.POLICY, self.temperature
        return vector

    def choose(self, view: View, chance: Chance) -> Move:
        """Answer a view with a move."""
        if view.phase in (Phase.OFFER, Phase.DRAW):
            key = np.uint64(chance.key(DISCARD))
            if policy_takes(known_of(view, adviser_of(self.policy)), self.temperature, key, self.policy, self._bench()):
                return TAKES[view.pile_indices[-1]]
            return PASS if view.phase is Phase.OFFER else DRAW
        return super().choose(view, chance)

    def drop(self, view: View, chance: Chance) -> Drop:
        """Return a discard, and whether to knock with it."""
        key = np.uint64(chance.key(DISCARD))
        chosen = int(policy_discard(known_of(view, adviser_of(self.policy)), self.temperature, key, self.policy, self._bench()))
        return Drop(CARDS[chosen % KNOCKS], chosen >= KNOCKS)

    def think(self, view: View, chance: Chance) -> list[Valued]:
        """Return how likely the network is to make each move."""
        logits = self.logits(view) if view.phase in (Phase.OFFER, Phase.DRAW, Phase.DROP) else {}
        top = max(logits.values(), default=0.0)
        total = sum(exp(logit - top) for logit in logits.values())
        return [Valued(move_of(view, action), exp(logit - top) / total) for action, logit in logits.items()]

    @property
    def adviser(self) -> LightPlayer:
        """Return the light player inside, which is some twenty times as fast."""
        return LightPlayer(adviser_of(self.policy), f"the adviser of {self.name}")

    def logits(self, view: View) -> dict[int, float]:
        """Return how the network weighs the actions of the vector environment in a view that is to draw or to drop, big gin apart."""
        known, bench, offered = known_of(view, adviser_of(self.policy)), self._bench(), view.phase is Phase.OFFER
        if view.phase in (Phase.OFFER, Phase.DRAW):
            policy_takes(known, 0.0, NO_KEY, self.policy, bench)
            actions = [DO_PASS if offered else DO_DRAW, DO_TAKE]
        else:
            policy_discard(known, 0.0, NO_KEY, self.policy, bench)
            cards = [[card for card in range(52) if int(mask) >> card & 1] for mask in (known.allowed, known.planes[KNOCKS_PLANE])]
            actions = [*(DO_DROP + card for card in cards[0]), *(DO_KNOCK + card for card in cards[1])]
        return dict(zip(actions, bench.values.tolist(), strict=False))

    def odds(self, view: View) -> NDArray[np.float64]:
        """Return [52], the odds that the network gives each card to be in the other's hand; of cards that are seen they mean nothing."""
        known, bench = known_of(view, adviser_of(self.policy)), self._bench()
        at = thought(known, self.policy, bench.layers)
        logits = np.array([card_answer(bench.layers[at], card, BELIEF, self.policy) for card in range(52)])
        odds: NDArray[np.float64] = np.exp(logits.clip(-MOST_LOGIT, MOST_LOGIT))
        return odds

    def worth(self, view: View) -> float:
        """Return what the network expects of the round: twice the change of the chance to win the match."""
        return float(policy_worth(known_of(view, adviser_of(self.policy)), self.policy, self._bench()))

    def _bench(self) -> Bench:
        return new_bench(self.policy.own.shape[1])  # type: ignore[no-any-return]
