"""Players of any described game: at random, by samples, by trees, by one tree over what a seat knows.

>>> Searcher.parse("mcts:200:taken")
Searcher(kind='mcts', simulations=200, determinizations=10, level='taken', reward='score', exploration=0.7, cap=500, final_policy='mean')
>>> str(Searcher("ismcts", reward="rank"))
'ismcts:1000:rank'
>>> from meldlab.play import Deal, Table
>>> from meldlab.recycle.game import Described
>>> Table(Described.named("kuhn_poker"), [Searcher("pimc", 50), Searcher("random")]).play(Deal(seed=1)).record.players
('pimc:50', 'random')
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from meldlab.chance import Purpose
from meldlab.errors import BadText, NoSuchThing, NotLegalHere
from meldlab.play import Chance
from meldlab.recycle.machine.position import Masked

__all__ = ["KINDS", "LEVELS", "POLICIES", "REWARDS", "Searcher"]

KINDS = ("random", "pimc", "mcts", "ismcts")
LEVELS = ("private", "taken")
REWARDS = ("score", "rank")
DETERMINIZATIONS = 10
POLICIES = ("mean", "visits", "pooled")
POLICIES_OF = {"random": ("mean",), "pimc": ("mean",), "mcts": POLICIES, "ismcts": ("visits", "mean")}  # the default first


class Offer(Protocol):
    """What a search needs of a view."""

    @property
    def position(self) -> Masked:
        """The game as the seat knows it."""

    def legal_actions(self) -> Sequence[Any]:
        """Give the options."""


@dataclass(frozen=True)
class Searcher:
    """A player: how it looks ahead, how often for each option, what it remembers, what it seeks, and how it chooses in the end.

    >>> Searcher.parse("pimc") == Searcher("pimc", simulations=1000)
    True
    """

    kind: str
    simulations: int = 1000
    determinizations: int = DETERMINIZATIONS
    level: str = "private"
    reward: str = "score"
    exploration: float = 0.7
    cap: int = 500  # decisions of one simulation, which is then scored as it stands
    final_policy: str = ""  # which option is chosen; empty: the usual one of its kind

    def __post_init__(self) -> None:
        policies = POLICIES_OF.get(self.kind, ("",))
        object.__setattr__(self, "final_policy", self.final_policy or policies[0])
        for what, value, known in (
            ("player", self.kind, KINDS),
            ("level", self.level, LEVELS),
            ("reward", self.reward, REWARDS),
            (f"final policy of {self.kind}", self.final_policy, policies),
        ):
            if value not in known:
                raise NoSuchThing(what, value, list(known))
        if not all(0 < number < 2**31 for number in (self.simulations, self.determinizations, self.cap)):
            raise NotLegalHere("a search needs at least one simulation, one deal and one decision, and fewer than 2^31")
        if not 0 <= self.exploration < 2**20:
            raise NotLegalHere(f"exploration {self.exploration} is no weight from 0 up")

    @classmethod
    def parse(cls, text: str, simulations: int = 1000, level: str = "private") -> "Searcher":
        """Read a kind and, after colons and in any order: simulations per option, ``deals=N``, a level, a reward and a final policy.

        >>> Searcher.parse("mcts:1000:deals=100").determinizations
        100
        """
        kind, *rest = (part.strip() for part in text.split(":"))
        given: dict[str, Any] = {"simulations": simulations, "level": level}
        for part in rest:
            if part.isdecimal() and len(part) <= 12:
                given["simulations"] = int(part)
            elif part.startswith("deals=") and part[6:].isdecimal() and len(part) <= 18:
                given["determinizations"] = int(part[6:])
            elif part in LEVELS:
                given["level"] = part
            elif part in REWARDS:
                given["reward"] = part
            elif part in POLICIES:
                given["final_policy"] = part
            else:
                message = "after a player come simulations, deals=N, private or taken, score or rank, mean, visits or pooled"
                raise BadText(message, text, text.index(part))
        return cls(kind, **given)

    def __str__(self) -> str:
        if self.kind == "random":
            return self.kind
        usual = ("private", "score", POLICIES_OF[self.kind][0])
        changed = [part for part in (self.level, self.reward, self.final_policy) if part not in usual]
        deals = [f"deals={self.determinizations}"] if self.determinizations != DETERMINIZATIONS else []
        return ":".join([self.kind, str(self.simulations), *deals, *changed])

    @property
    def name(self) -> str:
        """Return the name in records and on the command line."""
        return str(self)

    def choose(self, view: Offer, chance: Chance) -> Any:
        """Imagine worlds that agree with the view, and return the option that does best in them; or any, at random."""
        if self.kind == "random":
            return chance.pick(view.legal_actions())
        from meldlab.recycle.players.searching import Searching

        advice = Searching.of(view.position.machine).advise(self, view.position, chance.key(Purpose.SEARCH))
        return view.legal_actions()[advice.option]
