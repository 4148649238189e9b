"""What every table in the terminal understands, and how a game is shown; a game says what is different."""

import re
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, ClassVar

from rich.console import Console
from rich.text import Text

from meldlab.cli.lines import Lines
from meldlab.play import Deal, Game, Result, Step

__all__ = ["COMMON", "COMMON_HELP", "Screen", "common_word", "hanging"]

COMMON = ("help", "rules", "hint", "undo", "sort", "save", "quit")
SHORT = {"h": "help", "?": "hint", "u": "undo", "q": "quit", "exit": "quit"}
COMMON_HELP = """  hint or ?    advice: the best move, and why
  undo         take your last action back, while you have learned nothing by it
  sort         sort your hand another way
  rules        the rules of this game
  save FILE    keep the record in a file from now on
  quit         stop here (also help: h, undo: u, quit: q)"""

HEAD = re.compile(r" *(?:\S+(?: \S+)*? {2,})?")  # spaces, and a word or a few with two spaces after them


def hanging(text: Text, console: Console) -> Text:
    """Return a text whose lines are broken between words to fit a terminal, and go on below what they began with.

    >>> print(hanging(Text("  drop KD   discard a card of your hand"), Console(width=30)).plain)
      drop KD   discard a card of
                your hand
    """
    lines, width = [], console.width
    for line in text.split("\n", allow_blank=True):
        found = HEAD.match(line.plain)
        indent = found.end() if found and found.end() <= width * 2 // 3 else 0
        if line.cell_len <= width or not line.plain.strip():
            lines.append(line)
            continue
        for nth, part in enumerate(line[indent:].wrap(console, width - indent)):
            part.rstrip()
            lines.append((Text(" " * indent) if nth else line[:indent]).append_text(part))
    return Text("\n").join(lines)


def common_word(text: str) -> tuple[str, str]:
    """Return which word of every table a text begins with, if it does, and the rest.

    >>> common_word("Save my game.toml"), common_word("?"), common_word("drop KD")
    (('save', 'my game.toml'), ('hint', ''), ('', 'drop KD'))
    """
    first, _, rest = text.strip().partition(" ")
    word = SHORT.get(first.lower(), first.lower())
    if word not in COMMON or (rest and word != "save"):
        return "", text.strip()
    return word, rest.strip()


class Screen:
    """How one game is shown to the person in ``seat``."""

    help = "  type an action"
    sorts: ClassVar[tuple[str, ...]] = ()
    """The ways in which a hand can be sorted, the first one to begin with."""

    def __init__(self, console: Console, seat: int, names: Sequence[str]) -> None:
        self.console, self.seat, self.names, self.sorting = console, seat, names, 0
        self.lines = Lines(console)

    def begin(self, game: Game[Any], deal: Deal, state: Any) -> None:
        """Say what is played and who begins, before the first action."""

    def rules(self, view: Any) -> None:
        """Tell the rules."""
        self.say("the rules are not told here")

    def show(self, view: Any) -> None:
        """Show what the person sees when an action is wanted."""
        self.say(str(view))

    def words(self, view: Any) -> list[str]:
        """Return what may be typed, for completion."""
        return list(map(str, view.legal_actions()))

    def read(self, view: Any, text: str) -> Any:
        """Return the action that a text means, or None if there is more to come."""
        return view.parse(text)

    def hint(self, view: Any) -> None:
        """Give advice."""
        self.say("nobody gives advice here")

    def undo(self) -> bool:
        """Take back what was begun of an action; False if nothing was."""
        return False

    def sort(self, view: Any) -> None:
        """Sort the hand in the next way and show it."""
        if not self.sorts:
            self.say("there is nothing to sort")
            return
        self.sorting = (self.sorting + 1) % len(self.sorts)
        self.show(view)
        self.say(f"(sorted {self.sorts[self.sorting]})")

    def only(self, view: Any) -> Any:
        """Return the action that is taken without asking, if there is one."""
        return None

    def learned(self, step: Step[Any]) -> bool:
        """Tell whether the person knows more after a step: a card was seen, or somebody else has made a choice."""
        return step.informs(self.seat)

    def tell(self, step: Step[Any]) -> None:
        """Say what somebody has done, as the person notices it."""
        if step.seat != self.seat:
            who, _, heard = step.describe(self.seat).partition(" ")
            self.say(f"{who}: {heard}")

    def end(self, result: Result) -> None:
        """Say who won and by what."""
        others = ", ".join(f"{self.name(seat)} {score}" for seat, score in enumerate(result.scores) if seat != self.seat)
        winners = " and ".join(self.name(seat) for seat in result.winners if seat != self.seat)
        won = "You win" if result.winners == (self.seat,) else f"You and {winners} win" if self.seat in result.winners else ""
        self.say(f"{won or (f'{winners} won' if winners else 'Nobody won')} ({result.reason}): you {result.scores[self.seat]}, {others}.")

    def name(self, seat: int) -> str:
        """Return how a seat is called."""
        return "you" if seat == self.seat else f"p{seat + 1}"

    def drawn(self, text: str) -> Text:
        """Return a text with its cards as this screen draws them."""
        return Text(text)

    def say(self, text: str | Text) -> None:
        """Print a text with its cards drawn; on a terminal lines are broken between words."""
        shown = self.drawn(text) if isinstance(text, str) else text
        self.console.print(hanging(shown, self.console) if self.console.is_terminal else shown, soft_wrap=True)

    def waiting(self, words: str) -> AbstractContextManager[Any]:
        """Show on a terminal that something takes a moment."""
        return self.console.status(words) if self.console.is_terminal else nullcontext()

    def ask(self, prompt: str, words: Sequence[str] = ()) -> str:
        """Return a line that is typed."""
        return self.lines.ask(prompt, words)

    def sure(self, question: str) -> bool:
        """Tell whether the person means it."""
        return self.ask(f"{question} (yes or no) ", ("yes", "no")).lower() in ("y", "yes")
