"""The words of the protocol: a game starts a state, a state shows views, a player answers with actions.

Games are written as frozen values with these methods; nothing has to be inherited.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self, TypeVar

from meldlab.play.chance import Chance, Deal

__all__ = ["Game", "Player", "RandomPlayer", "Result", "State", "View"]


A = TypeVar("A")  # an action: a frozen value that prints as the text one would type
A_co = TypeVar("A_co", covariant=True)
A_contra = TypeVar("A_contra", contravariant=True)
V = TypeVar("V", bound="View[Any]")
V_co = TypeVar("V_co", bound="View[Any]", covariant=True)
V_contra = TypeVar("V_contra", bound="View[Any]", contravariant=True)
S_co = TypeVar("S_co", bound="State[Any, Any]", covariant=True)


@dataclass(frozen=True)
class Result:
    """How a game ended: a score for each seat, the seats that won (none in a draw), and why in words."""

    scores: tuple[int, ...]
    winners: tuple[int, ...]
    reason: str


class View(Protocol[A]):
    """What one seat may know, built by owner and place; a frozen value, equal when the seat cannot tell the difference.

    It is enough to list, read and judge the seat's own action: nobody needs the state for that.
    """

    @property
    def seat(self) -> int:
        """Whose view this is."""

    def legal_actions(self) -> Sequence[A]:
        """Return what the seat may do now, in a fixed order; nothing when another seat acts or the game is over.

        A game whose actions are too many to list gives some of them, at least one; ``verify`` is the judge.
        """

    def parse(self, text: str) -> A:
        """Read an action, legal or not: ``parse(str(action)) == action``, and so for the line that a record has of it."""

    def verify(self, action: A) -> None:
        """Raise NotLegalHere with the rule that ``action`` breaks, or if it is no action at all, whatever its type."""


class State(Protocol[A_contra, V_co]):
    """Everything about a game at one moment; a frozen value, equal when every card lies in the same place."""

    @property
    def seat(self) -> int | None:
        """Who acts; None when the game is over."""

    @property
    def result(self) -> Result | None:
        """How it ended; None while it goes on."""

    def view(self, seat: int) -> V_co:
        """Return what ``seat`` may know, also when the game is over."""

    def apply(self, action: A_contra) -> Self:
        """Verify the action as the view of the acting seat does, and return the state after it."""

    def tell(self, action: A_contra) -> str:
        """Return the action as it enters the record, with the cards it reveals: ``draw stock`` becomes ``draw stock 7H``."""

    def heard(self, action: A_contra, seat: int) -> str:
        """Return what ``seat`` notices of an action: the line of the record without the cards that it may not see."""

    def forfeit(self, seat: int, why: str) -> Result:
        """Return how the game ends when ``seat`` breaks it off here: the others win, and it loses as much as by the worst loss."""

    def redeal(self, seat: int, chance: Chance) -> Self:
        """Permute at random all that ``seat`` cannot see, so that the state looks the same to it; for leak tests."""


class Game(Protocol[S_co]):
    """The rules of a game as a frozen value."""

    @property
    def name(self) -> str:
        """The name in records and on the command line."""

    @property
    def seats(self) -> range:
        """How many can play."""

    def rules(self) -> Mapping[str, Any]:
        """Return what a record needs to make this game again: values that TOML can hold."""

    @classmethod
    def read(cls, rules: Mapping[str, Any]) -> Self:
        """Return the game that a record tells of: ``read(game.rules())`` plays as ``game`` does."""

    def start(self, seats: int, deal: Deal) -> S_co:
        """Return the state before the first action."""


class Player(Protocol[V_contra, A_co]):
    """Anything that answers a view with an action; the same view and chance must give the same answer."""

    @property
    def name(self) -> str:
        """The name in records and on the command line."""

    def choose(self, view: V_contra, chance: Chance) -> A_co:
        """Return one legal action; draw only from ``chance``."""


@dataclass(frozen=True)
class RandomPlayer:
    """Plays any listed action, each equally likely."""

    name: str = "random"

    def choose(self, view: View[A], chance: Chance) -> A:
        """Pick one."""
        return chance.pick(view.legal_actions())
