"""Rummikub as a person sees it in the terminal, and the short forms of turns."""

from meldlab.cli.rummikub.tiles import rack_text, table_text
from meldlab.cli.table import Screen
from meldlab.play import Step
from meldlab.rummikub import moves
from meldlab.rummikub.game import Fail, Play, State, Turn, View
from meldlab.rummikub.players import best_turn

__all__ = ["RummikubScreen"]


class RummikubScreen(Screen):
    """The table, the own rack, and how many tiles the others hold."""

    help = "play R5 R6 R7 | K9 B9 O9 (the whole new table), add R5 R6 R7 (a new set), draw, pass, fail, best or ? (advice), undo, quit"

    def show(self, view: View) -> None:
        """Print the table and the rack."""
        self.console.print("\ntable:", table_text(view.table), sep="\n")
        others = ", ".join(f"p{seat + 1} {size}" for seat, size in enumerate(view.sizes) if seat != view.seat)
        self.say(f"others hold {others}; pool {view.pool}{'' if view.opened[view.seat] else '; you have not opened'}")
        self.console.print("rack: ", rack_text(view.rack))

    def read(self, view: View, text: str) -> Turn | None:
        """Read a turn; a set that is added stands for the whole table with it."""
        if text == "best":
            self.hint(view)
            return None
        if text.startswith("add "):
            text = f"{Play(view.table)} | {text[4:]}" if view.table else f"play {text[4:]}"
        return view.parse(text)

    def hint(self, view: View) -> None:
        """Give the turn of most points, move by move."""
        answer = best_turn(view)
        for line in [*moves(answer), str(Play(answer.table) if answer.played else view.idle)]:
            self.say(f"  {line}")

    def tell(self, step: Step[State]) -> None:
        """Say in a word what others do; their tables can be seen."""
        if step.forfeit:
            self.say(step.forfeit)
        elif step.seat == self.seat and isinstance(step.action, Fail):
            self.say(f"the table is as before; you draw {step.before.rules.penalty} tiles")
        elif step.seat != self.seat:
            laid = len(step.before.racks[step.seat]) - len(step.after.racks[step.seat])
            self.say(f"p{step.seat + 1} ({self.names[step.seat]}) " + (f"plays {laid} tiles" if laid > 0 else f"{step.action}s"))
