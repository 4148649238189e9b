"""The highly parameterised ensemble of Nagai, Shrivastava, Ta, Bogaerts and Byers (2021).

>>> Ensemble.preset("paper").weights
(0.2, 0.5, 0.1, 0.0, 0.1, 0.1)
>>> Ensemble.parse(str(Ensemble.preset("shipped"))) == Ensemble.preset("shipped")
True
"""

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from meldlab.cards import CARDS, Card
from meldlab.errors import BadText, NoSuchThing, NotLegalHere, NotPossible
from meldlab.gin import kernel_layout
from meldlab.gin.kernel_round import new_sheet
from meldlab.gin.move import Verb
from meldlab.gin.players import kernel_ensemble
from meldlab.gin.players.player import Drop, GinPlayer, Valued, valued_drops
from meldlab.gin.players.sight import sight_of
from meldlab.gin.view import View
from meldlab.play import Chance
from meldlab.play.record import toml

__all__ = ["Ensemble", "EnsemblePlayer", "Outlook"]

Three = tuple[float, float, float]
MOST_POWER = 10  # of a turn or a number of cards
# What each number may be, finite and within reason: all presets, the whole space of the search, and far beyond. Numbers without bounds
# would turn into "not a number" inside the kernels, where every comparison is then false.
BOUNDS: Mapping[str, tuple[float, float]] = {
    "knock": (0, 1000),
    "draw_turn": (0, 1000),
    **dict.fromkeys(("draws", "declines", "discards", "meldability", "adjacency", "weights"), (0, 1)),
    "turn_penalty": (0, 1000),
    "known_penalty": (0, 1000),
    "meldability_most": (0.001, 1e6),
    "adjacency_most": (0.001, 1e6),
    "turn_lag": (0, 1000),
    "draw_reduction": (-1000, 1000),
    "draw_need": (-1000, 1000),
    "draw_promise": (-1000, 1000),
    "draw_to_knock": (-1, 1000),
    "melded": (-1e5, 1e5),
    "feed": (-1000, 1000),
    "knock_weights": (-1000, 1000),
    "deadwood_power": (0.001, 100),
}
VERBS = {Verb.PASS: kernel_layout.PASS, Verb.TAKE: kernel_layout.TAKE, Verb.DRAW: kernel_layout.DRAW, Verb.DROP: kernel_layout.DROP}


@dataclass(frozen=True)
class Ensemble:
    """Every parameter of the player; the defaults are those of the paper after one iteration of tuning.

    Where the published text and the original program differ, the defaults follow the program: ``turn_lag``, ``own_discard`` and
    ``upcard_meld`` keep the reading of the text as the other choice, and the normalisers are numbers.
    """

    knock: tuple[int, int, int] = (10, 0, 6)
    """Most deadwood early, late, and the draw at which late begins (a_t0, a_t1, a_t2)."""
    draw_turn: int = 14
    """From so many own draws on, take an upcard that lowers deadwood (a_d0)."""
    draws: Three = (0.838, 0.062, 0.383)
    """How far p moves when the opponent draws a card: one rank away, two away, same rank (a_s1, a_s2, a_s0)."""
    declines: Three = (0.398, 0.108, 0.378)
    discards: Three = (0.271, 0.208, 0.479)
    meldability: tuple[float, float, float, float] = (0.1, 0.9, 0.4, 0.6)
    """Obtainability of a card the opponent took, of an unknown card; weight of sets, of runs (a_m0 .. a_m3)."""
    adjacency: Three = (0.5, 0.4, 0.1)
    """Weight of a card of the same rank, one away, two away (a_c0 .. a_c2)."""
    turn_penalty: tuple[float, float] = (0.0, 1.0)
    """Slope and power by which deadwood weighs more each turn (a_ts, a_te)."""
    known_penalty: tuple[float, float] = (0.0, 1.0)
    """The same by the number of cards the opponent took (a_os, a_oe)."""
    weights: tuple[float, float, float, float, float, float] = (0.2, 0.5, 0.1, 0.0, 0.1, 0.1)
    """Meldability, deadwood, deadwood by turn, deadwood by known cards, aces and twos, adjacency (a_w1 .. a_w6)."""
    meldability_most: float = 1000.0
    adjacency_most: float = 25.5
    turn_lag: int = 1
    """The turn penalty counts from t - 1 (program) or t (text, 0)."""
    own_discard: Literal["taken", "top"] = "taken"
    """The own discard on top of the pile is as hard to get as a card the opponent took (program), or as easy as any top card (text)."""
    upcard_meld: Literal["best", "any"] = "best"
    """An upcard is taken for a meld of the best arrangement (program), or for any meld (text)."""
    draw_reduction: float = 1.0
    """From ``draw_turn`` on, by how many points an upcard must lower deadwood to be taken. This and the rest goes beyond the paper."""
    draw_need: float = kernel_ensemble.NO_REDUCTION
    """At any time take an upcard when the points it saves, and ``draw_promise`` times its meldability, reach so much; 99: never."""
    draw_promise: float = 0.0
    draw_to_knock: int = -1
    """Take an upcard that brings deadwood down to so much; -1: never."""
    melded: float = 100.0
    """Meldability of a card in a meld."""
    feed: tuple[float, float] = (0.0, 0.0)
    """Points of deadwood that a discard costs which the opponent can meld, and how much more with every own draw."""
    knock_weights: tuple[float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0)
    """Knock within the thresholds when a sum is positive: constant, per draw, per point of deadwood, per card that would make gin,
    per card the opponent took. All 0: the thresholds alone decide."""
    deadwood_power: float = 1.0
    """Deadwood counts by this power of its share of 98 points; below 1 the last points weigh more."""

    def __post_init__(self) -> None:
        for field in fields(self):
            self._check_kind(field.name, getattr(self, field.name), getattr(type(self), field.name))
        for name in ("own_discard", "upcard_meld"):
            known = get_args({field.name: field.type for field in fields(self)}[name])
            if getattr(self, name) not in known:
                raise NoSuchThing(name, getattr(self, name), known)
        for name, (low, high) in BOUNDS.items():
            value = getattr(self, name)
            if not all(low <= each <= high for each in (value if isinstance(value, tuple) else (value,))):
                raise NotLegalHere(f"{name}: from {low:,g} to {high:,g}, not {_short(value)}")
        for name, (_, power) in (("turn_penalty", self.turn_penalty), ("known_penalty", self.known_penalty)):
            if power > MOST_POWER:
                raise NotLegalHere(f"{name}: a power is at most {MOST_POWER}, not {power:g}")
        for name in ("draws", "declines", "discards"):
            if getattr(self, name)[0] < getattr(self, name)[1]:
                raise NotLegalHere(f"{name}: a card one rank away cannot count less than one two away")
        for name, values in (
            ("adjacency", self.adjacency),
            ("weights", self.weights),
            ("meldability of sets and runs", self.meldability[2:]),
        ):
            if abs(sum(values) - 1) > 1e-6:
                raise NotLegalHere(f"{name} sum to 1, not {sum(values):.6g}")
        if self.adjacency[1] < self.adjacency[2]:
            raise NotLegalHere("adjacency: a card one rank away cannot count less than one two away")
        if sum(self.weights[1:4]) <= 0 and self.feed != (0, 0):
            raise NotLegalHere("feed is told in points of deadwood, which have no weight here")

    @staticmethod
    def _check_kind(name: str, value: Any, default: Any) -> None:
        if isinstance(default, tuple):
            kinds = int if isinstance(default[0], int) else (int, float)
            if not isinstance(value, tuple) or len(value) != len(default) or not all(_is_number(each, kinds) for each in value):
                raise NotLegalHere(f"{name} are {len(default)} {'whole ' if kinds is int else ''}numbers, not {value!r}")
        elif not isinstance(default, str) and not _is_number(value, int if isinstance(default, int) else (int, float)):
            raise NotLegalHere(f"{name} is a {'whole ' if isinstance(default, int) else ''}number, not {value!r}")

    @classmethod
    def preset(cls, name: str) -> "Ensemble":
        """Return parameters by name."""
        if name not in PRESETS:
            raise NoSuchThing("ensemble", name, [*PRESETS, "FILE.toml"])
        return PRESETS[name]

    @classmethod
    def parse(cls, text: str) -> "Ensemble":
        """Read parameters in TOML: ``preset`` to start from, and the fields that differ."""
        try:
            table = tomllib.loads(text)
        except ValueError as problem:  # bad TOML, or a number of more digits than Python reads
            raise BadText(f"not TOML: {problem}", text, 0) from None
        known = [field.name for field in fields(cls)]
        start = cls.preset(str(table.pop("preset", "paper")))
        for name in table:
            if name not in known:
                raise NoSuchThing("parameter", name, known)
        changes: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in table.items()}
        return replace(start, **changes)

    def __str__(self) -> str:
        return "\n".join(f"{name} = {toml(value)}" for name, value in asdict(self).items()) + "\n"

    def vector(self) -> NDArray[np.float64]:
        """Return the parameters as the kernels take them."""
        own_top = self.meldability[0] if self.own_discard == "taken" else kernel_ensemble.FROM_OPPONENT
        values = [kernel_layout.ENSEMBLE, *self.knock, self.draw_turn, *self.draws, *self.declines, *self.discards, *self.meldability]
        values += [*self.adjacency, *self.turn_penalty, *self.known_penalty, *self.weights, self.meldability_most, self.adjacency_most]
        values += [self.turn_lag, own_top, self.upcard_meld == "any"]
        values += [self.draw_reduction, self.draw_need, self.draw_promise, self.draw_to_knock, self.melded, *self.feed]
        values += [any(self.knock_weights), *self.knock_weights, self.deadwood_power]
        return np.array(values, np.float64)


def _short(value: Any) -> str:
    """Return numbers as people write them; one may have more digits than a line."""
    text = str(value)
    return text if len(text) <= 80 else f"{text[:70]} ..."


def _is_number(value: Any, kinds: type | tuple[type, ...]) -> bool:
    return isinstance(value, kinds) and not isinstance(value, bool)


PRESETS = {
    "paper": Ensemble(),
    "shipped": Ensemble(meldability=(0.35, 0.9, 0.4, 0.6), adjacency=(0.4, 0.4, 0.2), weights=(0.2, 0.1, 0.5, 0.1, 0.0, 0.1)),
    # The start of the paper's tuning is not published; this is a guess: even weights where the text gives no reason for others.
    "base": Ensemble(meldability=(0.25, 0.5, 0.5, 0.5), adjacency=(0.4, 0.4, 0.2), weights=(0.3, 0.3, 0.1, 0.1, 0.1, 0.1)),
    "text": Ensemble(turn_lag=0, own_discard="top", upcard_meld="any"),
    # Found by CMA-ES over all parameters at once (`meldlab tune best`) and measured on deals that the search had not seen.
    "best": Ensemble(
        knock=(10, 10, 0),
        draw_turn=15,
        draws=(0.28182, 0.03268, 0.43843),
        declines=(0.48474, 0.21771, 0.37835),
        discards=(0.35835, 0.21758, 0.49631),
        meldability=(0.24767, 0.68198, 0.43769, 0.56231),
        adjacency=(0.55586, 0.38412, 0.06002),
        turn_penalty=(0.00853, 0.57894),
        known_penalty=(0.01263, 1.0),
        weights=(0.849, 0.09613, 0.0, 0.0, 0.02261, 0.03226),
        draw_reduction=7.13723,
        draw_need=11.26155,
        draw_promise=2.73295,
        melded=6.68538,
        feed=(1.95706, 0.50621),
        knock_weights=(5.32001, -1.0, 0.26516, -1.66261, -1.91047),
        deadwood_power=1.05353,
    ),
}


@dataclass(frozen=True)
class Outlook:
    """What the ensemble believes in a position: by card, as values for people."""

    in_stock: dict[Card, float]
    """The probability that each unknown card lies in stock."""
    meldability: dict[Card, float]
    """How likely each own card is to end in a meld, on the paper's scale."""


@dataclass(frozen=True)
class EnsemblePlayer(GinPlayer):
    """Plays by a set of parameters."""

    parameters: Ensemble = PRESETS["paper"]
    name: str = "ensemble"

    @classmethod
    def parse(cls, text: str) -> "EnsemblePlayer":
        """Read ``ensemble``, ``ensemble:NAME`` or ``ensemble:FILE.toml``."""
        _, _, which = text.partition(":")
        if not which:
            return cls()
        if which.endswith(".toml"):
            path = Path(which)
            if not path.is_file():
                raise NotPossible(f"no file {which}")
            return cls(Ensemble.parse(path.read_text(encoding="utf-8")), text)
        return cls(Ensemble.preset(which), text)

    @cached_property
    def _vector(self) -> NDArray[np.float64]:
        return self.parameters.vector()

    def vector(self) -> NDArray[np.float64]:
        """Return the player as the batch kernel takes it."""
        return self._vector

    def takes(self, view: View, upcard: Card) -> bool:
        """Tell whether to take the upcard: for a meld, late also for less deadwood."""
        order = np.array([*view.card_indices, upcard.index], np.int64)
        return bool(kernel_ensemble.ensemble_takes(sight_of(view), upcard.index, order, self.belief(view), self._vector, new_sheet()))

    def drop(self, view: View, chance: Chance) -> Drop:
        """Return the card without which the hand is worth most.

        It knocks if the deadwood is within the threshold of the stage, and the weighed sum, if there is one, for it.
        """
        chosen, _ = self._weighed(view)
        early, late, turn = self.parameters.knock
        left = chosen % kernel_ensemble.HOLD >> 6
        return Drop(CARDS[chosen & 63], chosen < kernel_ensemble.HOLD and left <= (early if view.turn < turn else late))

    def belief(self, view: View) -> NDArray[np.float64]:
        """Return [54] float64, what the open events of the round say about every card."""
        belief = np.zeros(54)
        kernel_ensemble.recall(view.seat, events_of(view), self._vector, belief)
        return belief

    def think(self, view: View, chance: Chance) -> list[Valued]:
        """Return what the hand is worth after each discard."""
        return valued_drops(view, self._weighed(view)[1]) if len(view.card_indices) > view.rules.cards else []

    def outlook(self, view: View) -> Outlook:
        """Say where the player believes the cards to be."""
        belief, sight, ob = self.belief(view), sight_of(view), new_sheet().ob
        known, pile = sight.known, sight.pile
        kernel_ensemble.obtainabilities(view.mask, belief, known, pile, sight.top, sight.fed, self._vector, ob)
        melds = {card: kernel_ensemble.card_meldability(view.mask, card, self._vector, ob) for card in view.card_indices}
        unknown = [card for card in range(52) if not (view.mask | known | pile | view.knocker_mask) >> card & 1]
        return Outlook(
            {CARDS[card]: float(min(1.0, max(0.0, belief[card] + belief[kernel_ensemble.SHIFT]))) for card in unknown},
            {CARDS[card]: float(value) for card, value in melds.items()},
        )

    def _weighed(self, view: View) -> tuple[int, NDArray[np.float64]]:
        """Return the kernel's choice and what each discard leaves.

        A choice is a card and 64 times the deadwood it leaves, and HOLD more if it is not to be knocked with.
        """
        sight, belief, sheet = sight_of(view), self.belief(view), new_sheet()
        sheet.values[:] = np.nan
        chosen = kernel_ensemble.ensemble_discard(sight, np.array(view.card_indices, np.int64), belief, self._vector, sheet)
        return int(kernel_ensemble.weigh_knock(chosen, sight, belief, self._vector, sheet.left)), sheet.values


def events_of(view: View) -> NDArray[np.int64]:
    """Return [events, 3] int64, what both have done in the open as ``recall`` takes it."""
    events, pile = [], view.first_pile
    for seat, move in view.history:
        if move.verb not in VERBS:
            break
        # A draw from stock, or a pass, leaves the upcard lying; the pile is empty only while its taker chooses a discard.
        card = move.index if move.index >= 0 else pile[-1] if pile else 0
        events.append((seat, VERBS[move.verb], card))
        if move.verb is Verb.DROP:
            pile.append(card)
        elif move.verb is Verb.TAKE and pile:
            pile.pop()
    return np.array(events, np.int64).reshape(-1, 3)
