"""A RECYCLE game on the terminal: the places, the storage, and the options by number."""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from rich.table import Table
from rich.text import Text

from meldlab.cards import Card
from meldlab.chance import Purpose
from meldlab.cli.pictures import cards_drawn
from meldlab.cli.screen import Screen
from meldlab.errors import BadText
from meldlab.play import Deal, Game, Step
from meldlab.recycle.card_names import abbreviate, read_move
from meldlab.recycle.describe import HIDDEN
from meldlab.recycle.players import SearchPlayer
from meldlab.recycle.players.search import SearchWorkspace

MOST = 8  # cards of a pile that are shown
OPTIONS = 40  # that are shown
HINT_PLAYER = SearchPlayer("mcts", 100)


class RecycleScreen(Screen):
    """The cards that the seat may see, and its options; a single option plays itself."""

    help = """  3            take option 3; its words do as well, or a card that only one option names: 6D
               (a single option plays itself, unless the game was started with --no-auto)"""
    sorts: ClassVar[tuple[str, ...]] = ("by suit", "by rank", "as it lies")
    text = ""
    """The program."""
    abbreviate: Callable[[str], str] = staticmethod(abbreviate)
    """Short names of cards, where every card of the game has one."""

    def begin(self, game: Game[Any], deal: Deal, state: Any) -> None:
        """Print the game, what wins and who starts."""
        self.text = game.rules()["description"]
        self.abbreviate = state.describer.abbreviate
        title = self._comments()[:1] or [game.name]
        best = "lowest" if state.position.machine.scoring == "min" else "highest"
        begins = "" if state.seat is None else f" {'You decide' if state.seat == self.seat else f'p{state.seat + 1} decides'} first."
        self.say(f"{title[0]}: the {best} score wins.{begins} 'rules' prints the author's description.")

    def rules(self, view: Any) -> None:
        """Print the comments at the start of the program, the first lines unchanged, the others paragraph by paragraph."""
        head, *paragraphs = "\n".join(self._comments()).strip().split("\n\n")
        self.say("\n".join([head, *(" ".join(paragraph.split()) for paragraph in paragraphs)]) or "the program starts without comments")

    def _comments(self) -> list[str]:
        lines = []
        for line in self.text.splitlines():
            if line.strip() and not line.startswith(";;"):
                break
            if not line.startswith(";;="):
                lines.append(line.removeprefix(";;").strip())
        return lines

    def show(self, view: Any) -> None:
        """Print the places and the options."""
        self.say("")
        for place, own, cards in view.places:
            self.say(f"  {place:20} {self._pile(own, cards)}")
        if view.facts:
            self.say("  " + ", ".join(f"{name} {value}" for name, value in view.facts))
        for number, index in enumerate(view.listing[:OPTIONS], 1):
            self.say(f"  {number:3}  {view.label(index)}")
        if len(view.listing) > OPTIONS:
            self.say(f"       and options {OPTIONS + 1} to {len(view.listing)}: a number or a card is enough")

    def _pile(self, own: bool, cards: tuple[str, ...]) -> str:
        """Return the cards of a place: the own ones sorted, of other piles the top ones, the top first."""
        if len(set(cards)) == 1 and cards[0].startswith(HIDDEN):
            return f"{len(cards)} x {cards[0]}"
        if own and self.sorting < 2:
            return " ".join(sorted(cards, key=self._place))
        shown, more = cards[::-1][:MOST], len(cards) - MOST
        return " ".join(shown) + (f" and {more} more below" if more > 0 else "")

    def _place(self, name: str) -> tuple[Any, ...]:
        try:
            card = Card.parse(self.abbreviate(name))
        except BadText:
            return (1, 0, 0, name)
        ordered = (card.suit, card.rank) if self.sorting == 0 else (card.rank, card.suit)
        return (0, *map(int, ordered), "")

    def words(self, view: Any) -> list[str]:
        """Return the options as text."""
        return [view.label(index) for index in view.listing[:OPTIONS]]

    def only(self, view: Any) -> Any:
        """Return a single option."""
        options = view.legal_actions()
        return options[0] if len(options) == 1 else None

    def read(self, view: Any, text: str) -> Any:
        """Read an option by number, by its words, or by what only one option names."""
        return read_move(view, text, view.listing)

    def hint(self, view: Any) -> None:
        """Search, and print the value of each option."""
        options = view.legal_actions()
        key = Deal(0).chance(0, self.seat).key(Purpose.SEARCH)
        result = SearchWorkspace.of(view.position.machine).result(HINT_PLAYER, view.position, view.remembered, key)
        best, own = result.index, result.scores[:, self.seat]
        self.say(f"best: {view.listing.index(best) + 1}, {view.label(best)}: your score is {own[best]:.1f} on average in rollouts")
        table = Table("option", box=None, padding=(0, 1))
        for head in ("place", "score", "games"):
            table.add_column(head, justify="right")
        for index in sorted(range(len(options)), key=lambda index: (index != best, -np.nan_to_num(result.rewards[index], nan=-1))):
            score = "" if np.isnan(own[index]) else f"{own[index]:.1f}"
            place = "" if np.isnan(own[index]) else f"{result.ranks[index, self.seat] + 1:.1f}"
            table.add_row(self.drawn(f"{view.listing.index(index) + 1}  {view.label(index)}"), place, score, f"{result.counts[index]:,}")
        self.console.print(table)
        self.say("place (1 is the first) and score: yours, on average over the rollouts")

    def learned(self, step: Step[Any]) -> bool:
        """Return whether a step gave the user information: a card became visible, or another seat made a choice."""
        if step.seat != self.seat:
            return super().learned(step)
        before, after = (state.position.visible_cards(self.seat) for state in (step.before, step.after))
        return not after <= before

    def tell(self, step: Step[Any]) -> None:
        """Print an action as the user observes it; also the user's own, as much may follow from it."""
        if step.forfeit:
            self.say(step.forfeit)
            return
        alone = " (the only option)" if step.seat == self.seat and self.only(step.before.view(self.seat)) is not None else ""
        self.say(f"{self.name(step.seat)}{alone}: {step.before.narrate(step.action, self.seat)}")

    def drawn(self, text: str) -> Text:
        """Return a text with its cards drawn."""
        return cards_drawn(self.abbreviate(text))


class Asking(RecycleScreen):
    """A screen that asks even if there is only one option."""

    def only(self, view: Any) -> Any:
        """Return None: the user decides."""
        return None
