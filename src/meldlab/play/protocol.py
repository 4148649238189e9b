"""The protocol of games and players: a game starts a state, a state has views, a player answers a view with an action.

Games are frozen values with these methods; no base class is needed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self, TypeVar

from meldlab.play.chance import Chance, Deal

A = TypeVar("A")  # an action: a frozen value that prints as the text that a user types
A_co = TypeVar("A_co", covariant=True)
A_contra = TypeVar("A_contra", contravariant=True)
V = TypeVar("V", bound="View[Any]")
V_co = TypeVar("V_co", bound="View[Any]", covariant=True)
V_contra = TypeVar("V_contra", bound="View[Any]", contravariant=True)
S_co = TypeVar("S_co", bound="State[Any, Any]", covariant=True)


@dataclass(frozen=True)
class Result:
    """The end of a game: a score for each seat, the seats that won (none in a draw), and the reason as text."""

    scores: tuple[int, ...]
    winners: tuple[int, ...]
    reason: str


class View(Protocol[A]):
    """The information of one seat; a frozen value, equal for states that the seat cannot distinguish.

    It suffices to list, parse and verify the seat's actions, without the state.
    """

    @property
    def seat(self) -> int:
        """The seat of the view."""

    def legal_actions(self) -> Sequence[A]:
        """Return the legal actions in a fixed order; none when another seat acts or the game is over.

        A game with too many actions to list returns some of them, at least one; ``verify`` accepts the others, too.
        """

    def parse(self, text: str) -> A:
        """Return the action of a text, legal or not: ``parse(str(action)) == action``; the line of a record is read, too."""

    def verify(self, action: A) -> None:
        """Raise NotLegalHere with the rule that ``action`` breaks, or if it is not an action; any type is accepted."""


class State(Protocol[A_contra, V_co]):
    """The full state of a game; a frozen value, equal when every card is in the same place."""

    @property
    def seat(self) -> int | None:
        """The seat that acts; None when the game is over."""

    @property
    def result(self) -> Result | None:
        """The result; None before the end."""

    def view(self, seat: int) -> V_co:
        """Return the view of ``seat``, also when the game is over."""

    def apply(self, action: A_contra) -> Self:
        """Verify the action as the view of the acting seat does, and return the state after it."""

    def describe(self, action: A_contra, seat: int | None = None) -> str:
        """Return the action as the record has it, with the cards it reveals: ``draw stock`` becomes ``draw stock 7H``.

        With ``seat``: the same line without the cards hidden from that seat.
        """

    def forfeit(self, seat: int, why: str) -> Result:
        """Return the result when ``seat`` forfeits here: the others win, and it loses as much as by the worst loss."""

    def redeal(self, seat: int, chance: Chance) -> Self:
        """Return a state with the hidden cards of ``seat`` permuted at random and the same view; for leak tests."""


class Game(Protocol[S_co]):
    """The rules of a game as a frozen value."""

    @property
    def name(self) -> str:
        """The name in records and on the command line."""

    @property
    def seats(self) -> range:
        """The possible numbers of players."""

    @property
    def lowest_wins(self) -> bool:
        """Whether the lowest score wins."""

    def rules(self) -> Mapping[str, Any]:
        """Return the rules for a record: values that TOML can hold."""

    @classmethod
    def read(cls, rules: Mapping[str, Any]) -> Self:
        """Return the game of a record: ``read(game.rules())`` plays as ``game`` does."""

    def start(self, seats: int, deal: Deal) -> S_co:
        """Return the state before the first action."""


class Player(Protocol[V_contra, A_co]):
    """A player: answers a view with an action, the same for the same view and chance."""

    @property
    def name(self) -> str:
        """The name in records and on the command line."""

    def choose(self, view: V_contra, chance: Chance) -> A_co:
        """Return a legal action; ``chance`` is the only source of randomness."""


@dataclass(frozen=True)
class RandomPlayer:
    """A player of uniformly random listed actions."""

    name: str = "random"

    def choose(self, view: View[A], chance: Chance) -> A:
        """Return a random legal action."""
        return chance.pick(view.legal_actions())
