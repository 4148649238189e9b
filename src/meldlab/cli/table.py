"""A game in the terminal: a person at one seat, players at the others, and a record that is as far as the game.

The table asks a person like any player. What a game looks like, and what it understands beyond its actions, is said by its ``Screen``.
"""

import traceback
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console

from meldlab.cache import replace_file
from meldlab.cli.options import need_input
from meldlab.errors import MeldlabError, NotLegalHere
from meldlab.play import Chance, Clock, Deal, Game, Player, Record, Result, Step, Table, TimeLimit
from meldlab.play.clock import OutOfTime

__all__ = ["Person", "Screen", "play_in_terminal"]

QUIT = ("quit", "exit", "q")
PERSON = "you"


class Screen:
    """How one game is shown to the person in ``seat``; a game says what is different."""

    help = "type an action; 'undo' takes back your last one, 'quit' stops here"

    def __init__(self, console: Console, seat: int, names: Sequence[str]) -> None:
        self.console, self.seat, self.names = console, seat, names

    def show(self, view: Any) -> None:
        """Show what the person sees when an action is wanted."""
        self.say(str(view))

    def read(self, view: Any, text: str) -> Any:
        """Return the action that a text means, or None if it was a question that has been answered."""
        return view.parse(text)

    def hint(self, view: Any) -> None:
        """Give advice."""
        self.say("nobody gives advice here")

    def asks_again(self, step: Step[Any]) -> bool:
        """Tell whether the person, whose step it is, is asked once more before another acts."""
        return False

    def tell(self, step: Step[Any]) -> None:
        """Say what somebody has done, as the person notices it."""
        if step.seat != self.seat:
            who, _, heard = step.heard(self.seat).partition(" ")
            self.say(f"{who}: {heard}")

    def end(self, result: Result) -> None:
        """Say how the game ended."""
        self.say("scores " + ", ".join(f"p{seat} {score}" for seat, score in enumerate(result.scores, 1)))
        winners = ", ".join(f"p{winner + 1}" for winner in result.winners)
        self.say(f"won by {winners} ({result.reason})" if winners else result.reason)

    def say(self, text: str) -> None:
        """Print a text as it is, whatever brackets a name may have."""
        self.console.print(text, markup=False, soft_wrap=True)

    def ask(self, prompt: str, at_end: str = "quit") -> str:
        """Return a line that is typed, or ``at_end`` where none is to come; Ctrl-C is the wish to leave."""
        try:
            return self.console.input(prompt, markup=False).strip()
        except EOFError:
            return at_end
        except KeyboardInterrupt:
            self.console.print()
            return "quit"


class Leave(BaseException):
    """The person has had enough; no mistake, so that the table does not take it for a forfeit."""


class TakeBack(BaseException):
    """The person wants the last action back; as little a mistake."""


class Person:
    """A player that asks at the terminal until the answer is legal."""

    name = PERSON

    def __init__(self, screen: Screen) -> None:
        self.screen = screen

    def choose(self, view: Any, chance: Chance) -> Any:
        """Show the view and ask."""
        screen = self.screen
        screen.show(view)
        while True:
            text = screen.ask("> ")
            try:
                if text in QUIT:
                    raise Leave
                if text == "undo":
                    raise TakeBack
                if text in ("", "help", "h"):
                    screen.say(screen.help)
                elif text in ("?", "hint"):
                    screen.hint(view)
                elif (action := screen.read(view, text)) is not None:
                    view.verify(action)
                    return action
            except MeldlabError as problem:
                screen.say(f"error: {problem}")


def play_in_terminal(
    game: Game[Any],
    others: Sequence[Player[Any, Any]],
    screen_of: type[Screen],
    deal: Deal,
    seat: int = 0,
    save: Path | None = None,
    time: TimeLimit | None = None,
) -> None:
    """Let a person play at ``seat`` with the others around the table, show how it ended, and keep the record, ended or not."""
    need_input()
    names = [*(other.name for other in others[:seat]), PERSON, *(other.name for other in others[seat:])]
    screen = screen_of(Console(highlight=False), seat, names)
    table = Table(game, [*others[:seat], Person(screen), *others[seat:]], time or TimeLimit())
    kept = Kept(save, Record(game.name, game.rules(), tuple(names), deal))
    seated = ", ".join(f"p{place} is {name}" for place, name in enumerate(names, 1) if place != seat + 1)
    screen.say(f"You are p{seat + 1}, {seated}. 'help' lists what you can type.")
    result = _drive(table, deal, screen, kept)
    if result is None:
        screen.say("stopped")
    else:
        screen.end(result)
    if save is not None:
        kept.finish()
        screen.say(f"The record is in {save}.")


def _drive(table: Table[Any], deal: Deal, screen: Screen, kept: "Kept") -> Result | None:
    """Show each step of the table and write it down; return how the game ended, if it did."""
    steps: list[Step[Any]] = []
    clock = Clock(table.time, len(table.players), untimed=(screen.seat,)) if table.time else None
    while True:
        try:
            for step in table.steps(deal, steps[-1] if steps else None, clock):
                screen.tell(step)
                if step.mistake is not None and not isinstance(step.mistake, OutOfTime):
                    traceback.print_exception(step.mistake)
                if step.seat == screen.seat and screen.asks_again(step) and _unsure(screen, step):
                    break
                steps.append(step)
                kept.keep(step)
            else:
                return steps[-1].result if steps else None
        except TakeBack:
            # A card seen cannot be unseen: what the person has learned by an action makes it final.
            if steps and steps[-1].seat == screen.seat and steps[-1].heard(screen.seat).partition(" ")[2] == str(steps[-1].action):
                steps.pop()
                kept.back()
            else:
                screen.say("nothing to take back")
        except Leave:
            return None


def _unsure(screen: Screen, step: Step[Any]) -> bool:
    """Hold on before another acts, until the person goes on or takes the action back."""
    while True:
        text = screen.ask(f"  {step.action}. Enter goes on, 'undo' takes it back: ", at_end="").lower()
        if text in QUIT:
            raise Leave
        if text in ("", "undo"):
            return text == "undo"
        screen.say(f"{text!r} is none of Enter, undo and quit")


class Kept:
    """The record of a game in a file that is as far as the game, whatever may end it."""

    def __init__(self, path: Path | None, record: Record) -> None:
        if path is not None and (path.is_file() or path.is_dir()):
            raise NotLegalHere(f"{path} is there already; name a file that is not")
        # A pipe or a terminal gets the record once, when all is over.
        self.path, self.at_once, self.record = path, path is not None and not path.exists(), record
        self._write()

    def keep(self, step: Step[Any]) -> None:
        """Write a step down."""
        self.record = replace(self.record, actions=(*self.record.actions, step.line), result=step.result)
        self._write()

    def back(self) -> None:
        """Strike the last line out."""
        self.record = replace(self.record, actions=self.record.actions[:-1], result=None)
        self._write()

    def _write(self) -> None:
        if self.at_once:
            self.finish()

    def finish(self) -> None:
        """Write the record to where it belongs."""
        if self.path is not None:
            with replace_file(self.path) as file:
                file.write(str(self.record).encode())
