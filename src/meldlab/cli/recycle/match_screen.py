"""A match of a RECYCLE game on the terminal: the screen of each deal, with the seats of the match, and the totals."""

from collections.abc import Callable
from typing import Any, ClassVar

from rich.console import Console
from rich.text import Text

from meldlab.cli.recycle.screen import Asking, RecycleScreen
from meldlab.cli.screen import Screen
from meldlab.play import Deal, Game, Step
from meldlab.play.match import MatchState, with_seats_of_match


class DealScreen(RecycleScreen):
    """The screen of a deal; its texts name the seats of the match."""

    number = 0  # of the deal

    def drawn(self, text: str) -> Text:
        """Return a text with its cards drawn."""
        return super().drawn(with_seats_of_match(text, self.number, len(self.names)))


class AskingDealScreen(DealScreen, Asking):
    """A screen that asks even if there is only one option."""


class MatchScreen(Screen):
    """The deal that is played, and the totals."""

    help = RecycleScreen.help
    make_screen: ClassVar[type[DealScreen]] = DealScreen

    def __init__(self, console: Console, seat: int, names: tuple[str, ...]) -> None:
        super().__init__(console, seat, names)
        self.screen = self.make_screen(console, seat, names)

    def _deal(self, number: int) -> DealScreen:
        """Return the screen of a deal."""
        self.screen.number, self.screen.seat = number, (self.seat - number) % len(self.names)
        return self.screen

    def begin(self, game: Game[Any], deal: Deal, state: Any) -> None:
        """Print the game, who starts, and the end of the match."""
        match = state.match
        self._deal(0).begin(match.game, deal, state.inner)
        end = f"until a total reaches {match.target}" if match.deals is None else f"of {match.deals} deals"
        self.say(f"This is a match {end}; the {'lowest' if match.lowest_wins else 'highest'} total wins.")

    def rules(self, view: Any) -> None:
        """Print the rules of the game."""
        self.screen.rules(view.inner)

    def show(self, view: Any) -> None:
        """Print the deal and the totals."""
        self._deal(view.number).show(view.inner)
        self.say(f"  deal {view.number + 1}, totals before it: {_scores_text(view.totals, self.name)}")

    def words(self, view: Any) -> list[str]:
        """Return the options as text."""
        return [with_seats_of_match(text, view.number, len(self.names)) for text in self._deal(view.number).words(view.inner)]

    def read(self, view: Any, text: str) -> Any:
        """Read an option."""
        return self._deal(view.number).read(view.inner, with_seats_of_match(text, -view.number, len(self.names)))

    def hint(self, view: Any) -> None:
        """Print the value of each option; a hint looks at the deal only."""
        self._deal(view.number).hint(view.inner)

    def sort(self, view: Any) -> None:
        """Sort the hand in the next order and show it."""
        self._deal(view.number).sort(view.inner)

    def only(self, view: Any) -> Any:
        """Return a single option."""
        return self.screen.only(view.inner)

    def learned(self, step: Step[Any]) -> bool:
        """Return whether a step gave the user information, as the next deal does."""
        if step.before.number != step.after.number:
            return True
        return self._deal(step.before.number).learned(_in_deal(step))

    def tell(self, step: Step[Any]) -> None:
        """Print an action; at the end of a deal its scores and the totals."""
        if step.forfeit:
            self.say(step.forfeit)
            return
        self._deal(step.before.number).tell(_in_deal(step))
        self.show_scores(step, self.name)

    def show_scores(self, step: Step[Any], name: Callable[[int], str]) -> None:
        """Print the scores of the deals that a step ends, and the totals; ``name`` gives the name of a seat."""
        before, after = step.before, step.after
        totals = before.totals
        for number, (state, _) in enumerate(after.ended[len(before.ended) :], len(before.ended)):
            scores = state.result.scores
            gained = tuple(scores[(seat - number) % len(scores)] for seat in range(len(scores)))
            totals = tuple(map(sum, zip(totals, gained, strict=True)))
            self.say(f"\nDeal {number + 1} is over: {_scores_text(gained, name)}. Totals: {_scores_text(totals, name)}.")

    def drawn(self, text: str) -> Text:
        """Return a text with its cards drawn."""
        return RecycleScreen.drawn(self.screen, text)


class AskingMatchScreen(MatchScreen):
    """A screen that asks even if there is only one option."""

    make_screen = AskingDealScreen


def _scores_text(scores: tuple[int, ...], name: Callable[[int], str]) -> str:
    return ", ".join(f"{name(seat)} {score}" for seat, score in enumerate(scores))


def _in_deal(step: Step[MatchState]) -> Step[Any]:
    """Return a step of a match as one of its deal."""
    seat = step.before.seat_in_deal(step.seat)
    inner = step.after.inner if step.after.number == step.before.number else step.after.ended[step.before.number][0]
    return step._replace(before=step.before.inner, seat=seat, after=inner)
