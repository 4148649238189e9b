"""The player that searches: PIMC, MCTS on determinizations, or ISMCTS.

>>> SearchPlayer.parse("mcts:200:taken").memory
'taken'
>>> str(SearchPlayer("ismcts", reward="rank"))
'ismcts:1000:rank'
>>> from meldlab.play import Deal, RandomPlayer, Table
>>> from meldlab.recycle.game import RecycleGame
>>> Table(RecycleGame.load("kuhn_poker"), [SearchPlayer("pimc", 50), RandomPlayer()]).play(Deal(seed=1)).record.players
('pimc:50', 'random')
"""

from dataclasses import dataclass
from typing import Any

from meldlab.chance import Purpose
from meldlab.errors import BadText, NoSuchThing, NotLegalHere
from meldlab.play import Chance

ALGORITHMS = ("pimc", "mcts", "ismcts")
MEMORIES = ("private", "taken")
REWARDS = ("score", "rank")
DETERMINIZATIONS = 10
FINAL_POLICIES = ("mean", "visits", "pooled")
FIELD_OF = dict.fromkeys(MEMORIES, "memory") | dict.fromkeys(REWARDS, "reward") | dict.fromkeys(FINAL_POLICIES, "final_policy")
POLICIES_OF = {"pimc": ("mean",), "mcts": FINAL_POLICIES, "ismcts": ("visits", "mean")}  # the default first


@dataclass(frozen=True)
class SearchPlayer:
    """A player that simulates games from what its seat knows.

    >>> SearchPlayer.parse("pimc") == SearchPlayer("pimc", simulations=1000)
    True
    """

    algorithm: str
    simulations: int = 1000
    """Simulations for each option of a decision."""
    determinizations: int = DETERMINIZATIONS
    """Deals of the unseen cards; ISMCTS deals anew for every simulation."""
    memory: str = "private"
    """``taken``: the player remembers cards that it saw go to where it does not see them."""
    reward: str = "score"
    exploration: float = 0.7
    rollout_limit: int = 500
    """Decisions of one simulation, which is then scored as it is."""
    final_policy: str = ""
    """How an option is chosen after the last simulation; empty: the default of the algorithm."""

    def __post_init__(self) -> None:
        policies = POLICIES_OF.get(self.algorithm, ("",))
        object.__setattr__(self, "final_policy", self.final_policy or policies[0])
        for what, value, known in (
            ("player", self.algorithm, ALGORITHMS),
            ("level", self.memory, MEMORIES),
            ("reward", self.reward, REWARDS),
            (f"final policy of {self.algorithm}", self.final_policy, policies),
        ):
            if value not in known:
                raise NoSuchThing(what, value, list(known))
        if not all(0 < number < 2**31 for number in (self.simulations, self.determinizations, self.rollout_limit)):
            raise NotLegalHere("a search needs at least one simulation, one deal and one decision, and fewer than 2^31")
        if not 0 <= self.exploration < 2**20:
            raise NotLegalHere(f"exploration {self.exploration} is not a weight from 0 up")

    @classmethod
    def parse(cls, text: str, simulations: int = 1000, memory: str = "private", name: str = "") -> "SearchPlayer":
        """Read an algorithm and, after colons and in any order: simulations per option, ``deals=N``, memory, reward and final policy.

        ``name`` replaces the algorithm of the text.

        >>> SearchPlayer.parse("mcts:1000:deals=100").determinizations
        100
        """
        algorithm, *rest = (part.strip() for part in text.split(":"))
        fields: dict[str, Any] = {"simulations": simulations, "memory": memory}
        for part in rest:
            if part.isdecimal() and len(part) <= 12:
                fields["simulations"] = int(part)
            elif part.startswith("deals=") and part[6:].isdecimal() and len(part) <= 18:
                fields["determinizations"] = int(part[6:])
            elif part in FIELD_OF:
                fields[FIELD_OF[part]] = part
            else:
                message = "after a player come simulations, deals=N, private or taken, score or rank, mean, visits or pooled"
                raise BadText(message, text, text.index(part))
        return cls(name or algorithm, **fields)

    def __str__(self) -> str:
        defaults = ("private", "score", POLICIES_OF[self.algorithm][0])
        changed = [part for part in (self.memory, self.reward, self.final_policy) if part not in defaults]
        deals = [f"deals={self.determinizations}"] if self.determinizations != DETERMINIZATIONS else []
        return ":".join([self.algorithm, str(self.simulations), *deals, *changed])

    @property
    def name(self) -> str:
        """Return the name in records and on the command line."""
        return str(self)

    def choose(self, view: Any, chance: Chance) -> Any:
        """Return the option of a ``recycle.state.View`` that does best in simulated games."""
        from meldlab.recycle.players.search import SearchWorkspace

        workspace = SearchWorkspace.of(view.position.machine)
        return view.legal_actions()[workspace.decide(self, view.position, view.remembered, chance.key(Purpose.SEARCH))]
