"""The rules of gin rummy as data: a field for each rule that differs between tables or programs.

>>> Rules.preset("pagat").game_bonus, Rules.preset("eaai").game_bonus
(100, 0)
>>> Rules.read({"preset": "eaai", "knock_limit": 5}).as_record()
{'preset': 'eaai', 'knock_limit': 5}
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache, cached_property
from typing import Any, ClassVar, Literal, get_args, get_origin

from meldlab.cards import Card
from meldlab.errors import NoSuchThing, NotLegalHere, whole_number
from meldlab.gin.kernel_state import ALTERNATES, LOSER, WINNER, RuleNumbers
from meldlab.melds import GIN_POINTS
from meldlab.play.rules import PresetRules

MAX_DEADWOOD = 98  # of ten cards: two each of ten, jack, queen and king, and two nines
ONLY_SIMPLE = "small decks are for random, simple, gin-only, knock:A,B,T and your own: other players know ten cards of 52 only"
NEVER = 0  # the value of a limit or bonus that does not exist
MAX_POINTS = 10_000  # of a limit, a bonus or a match: the kernels count points in 32 bits


@dataclass(frozen=True)
class Rules(PresetRules):
    """Rules of gin rummy; the defaults are those of the EAAI-2021 challenge."""

    renamed: ClassVar[Mapping[str, str]] = {"most_upcard_draws": "max_upcard_draws", "most_draws": "max_draws"}

    knock_limit: int = 10
    oklahoma: bool = False
    """The first upcard sets the knock limit: its points, an ace meaning gin only."""
    gin_bonus: int = 25
    big_gin_bonus: int = NEVER
    """Bonus for eleven melded cards without a discard."""
    undercut_bonus: int = 25
    equal_deadwood: Literal["undercut", "nothing"] = "undercut"
    lay_off: Literal["greedy", "choice"] = "greedy"
    """Lay-offs: greedily by the table once the defender's melds are fixed, or by choice of the defender; never against gin."""
    return_upcard: bool = False
    """True if the upcard just taken may be discarded."""
    offer_upcard: bool = True
    """The first upcard is offered to the starter, then to the other; if both pass, the starter draws from stock."""
    stock_floor: int = 2
    """A discard without a knock that leaves this many stock cards makes the round void."""
    wall_knock: bool = False
    """At the floor, the next seat may still take the upcard to knock with it."""
    void_if_returned_twice: bool = False
    """The round is void when both players in turn take the upcard and put it back."""
    max_upcard_draws: int = NEVER
    """The round is void as soon as this number of upcards has been taken, the first one not counted."""
    max_draws: int = 1000
    """The round is void after this number of draws: two players could swap upcards without end."""
    first_starter: Literal["random", "first"] = "random"
    next_starter: Literal["alternates", "winner", "loser"] = "alternates"
    """Starter after a scored round; after a void one it is the same starter again."""
    match_points: int = 100
    """The match ends when a player has this many; 0 is a match of one round."""
    game_bonus: int = NEVER
    shutout_bonus: int = NEVER
    box_bonus: int = NEVER
    """Bonuses of the match: for the winner, more if the loser has no points, and for each round won."""
    cards: int = 10
    ranks: int = 13
    suits: int = 4
    """Cards in a hand, ranks and suits in the deck: fewer make a small game, for exact computations."""

    def __post_init__(self) -> None:
        for field in fields(self):
            _check(field.name, field.type, getattr(self, field.name))
        if self.void_if_returned_twice and not self.return_upcard:
            raise NotLegalHere("void_if_returned_twice needs return_upcard: without it no upcard is put back")
        if not 1 <= self.max_draws <= 10_000:
            raise NotLegalHere(f"expected max_draws from 1 to 10000, got {self.max_draws}")
        for name, least, most in (("cards", 3, 10), ("ranks", 1, 13), ("suits", 1, 4)):
            whole_number(getattr(self, name), name, least, most)
        if (stock := len(self.pack) - 2 * self.cards - 1) < 1:
            raise NotLegalHere(f"{len(self.pack)} cards are too few to deal {self.cards} to each player and to draw from")
        if self.stock_floor >= stock:
            raise NotLegalHere(f"expected stock_floor from 0 to {stock - 1}, got {self.stock_floor}")

    @cached_property
    def pack(self) -> tuple[int, ...]:
        """Return the cards of the deck, as bit numbers.

        >>> len(Rules().pack), len(Rules(cards=3, ranks=3, suits=3, stock_floor=0).pack)
        (52, 9)
        """
        return tuple(13 * suit + rank for suit in range(self.suits) for rank in range(self.ranks))

    @cached_property
    def pack_mask(self) -> int:
        """Return the cards of the deck, as a mask."""
        return sum(1 << card for card in self.pack)

    @property
    def small(self) -> bool:
        """Return whether this is a small game: not ten cards of fifty-two."""
        return (self.cards, len(self.pack)) != (10, 52)

    @property
    def max_round_points(self) -> int:
        """Return the maximum points of one round.

        >>> Rules().max_round_points
        123
        """
        by_knocking = MAX_DEADWOOD + max(self.gin_bonus, self.big_gin_bonus)
        return max(by_knocking, min(MAX_DEADWOOD, max(10, self.knock_limit)) + self.undercut_bonus)

    def limit(self, upcard: int) -> int:
        """Return the most deadwood to knock with when the first upcard is card ``upcard``."""
        if not self.oklahoma:
            return self.knock_limit
        points = GIN_POINTS[Card.from_index(upcard).rank]
        return 0 if points == 1 else points


@cache
def kernel_rules(rules: Rules) -> RuleNumbers:
    """Return the rules as integers for kernels.

    Without ``lay_off``, since players in kernels lay off greedily where they choose, and without the bonuses of a match.
    """
    translated = {
        "equal_is_undercut": rules.equal_deadwood == "undercut",
        "random_starter": rules.first_starter == "random",
        "next_starter": {"alternates": ALTERNATES, "winner": WINNER, "loser": LOSER}[rules.next_starter],
        "random_scores": 0,
    }
    return RuleNumbers(*(int(translated[name] if name in translated else getattr(rules, name)) for name in RuleNumbers._fields))


def _check(name: str, kind: Any, value: Any) -> None:
    if get_origin(kind) is Literal:
        if value not in get_args(kind):
            raise NoSuchThing(name, str(value), get_args(kind))
    elif type(value) is not kind:
        raise NotLegalHere(f"{name} is {'true or false' if kind is bool else 'a whole number'}, not {value!r}")
    elif kind is int:
        whole_number(value, name, maximum=MAX_POINTS)


PRESETS = {
    "eaai": Rules(),
    "pagat": Rules(lay_off="choice", next_starter="winner", game_bonus=100, shutout_bonus=100, box_bonus=20),
    "oklahoma": Rules(
        oklahoma=True, big_gin_bonus=31, lay_off="choice", next_starter="winner", game_bonus=100, shutout_bonus=100, box_bonus=20
    ),
    "openspiel": Rules(
        equal_deadwood="nothing",
        lay_off="choice",
        return_upcard=True,
        wall_knock=True,
        void_if_returned_twice=True,
        max_upcard_draws=50,
        first_starter="first",
        match_points=0,
    ),
}
Rules.presets = PRESETS

# Eight cards, three in a hand, two draws: runs, knocks, lay-offs, gins and undercuts, in a tree that is walked in seconds.
MINI = Rules(
    knock_limit=5,
    gin_bonus=4,
    undercut_bonus=4,
    stock_floor=0,
    max_draws=2,
    first_starter="first",
    match_points=0,
    cards=3,
    ranks=4,
    suits=2,
)
