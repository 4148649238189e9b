"""A described game as a person sees it in the terminal: the places, the storage, and the options by number."""

from typing import Any

from meldlab.cli.table import Screen

__all__ = ["DescribedScreen"]


class DescribedScreen(Screen):
    """What lies where, as far as the seat may see it, and what it may do."""

    help = "type the number of an option, or its words; 'undo' takes back your last choice, 'quit' stops here"

    def show(self, view: Any) -> None:
        """Print the places and the options."""
        self.say("")
        for name, cards in view.places:
            together = len(set(cards)) == 1 and cards[0].startswith("??")
            self.say(f"  {name:24} {f'{len(cards)} x {cards[0]}' if together else ' '.join(cards)}")
        if view.cells:
            self.say("  " + ", ".join(f"{name} {value}" for name, value in view.cells))
        for option in view.legal_actions():
            self.say(f"  {option.number:3}  {option}")
