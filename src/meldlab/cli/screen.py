"""A game on a terminal: the words that every game understands, and the base class of the games' screens."""

import re
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, ClassVar

from rich.console import Console
from rich.text import Text

from meldlab.cli.prompt import Prompt
from meldlab.play import Deal, Game, Result, Step

COMMON_WORDS = ("help", "rules", "hint", "undo", "sort", "save", "quit")
SHORT = {"h": "help", "?": "hint", "u": "undo", "q": "quit", "exit": "quit"}
COMMON_HELP = """  hint or ?    advice: the best move, and why
  undo         take your last action back, until you learn something new
  sort         sort your hand another way
  rules        the rules of this game
  save FILE    save the record in a file from now on
  quit         stop here (also help: h, undo: u, quit: q)"""

HEAD = re.compile(r" *(?:\S+(?: \S+)*? {2,})?")  # spaces, and a word or a few with two spaces after them


def hanging(text: Text, console: Console) -> Text:
    """Return a text whose lines are broken between words to fit a terminal, with the rest of a line indented below its explanation.

    >>> print(hanging(Text("  drop KD   discard a card of your hand"), Console(width=30)).plain)
      drop KD   discard a card of
                your hand
    """
    lines, width = [], console.width
    for line in text.split("\n", allow_blank=True):
        head = HEAD.match(line.plain)
        indent = head.end() if head and head.end() <= width * 2 // 3 else 0
        if line.cell_len <= width or not line.plain.strip():
            lines.append(line)
            continue
        for index, part in enumerate(line[indent:].wrap(console, width - indent)):
            part.rstrip()
            lines.append((Text(" " * indent) if index else line[:indent]).append_text(part))
    return Text("\n").join(lines)


def split_common_word(text: str) -> tuple[str, str]:
    """Return the common word that a text starts with, or "", and the rest.

    >>> split_common_word("Save my game.toml"), split_common_word("?"), split_common_word("drop KD")
    (('save', 'my game.toml'), ('hint', ''), ('', 'drop KD'))
    """
    first, _, rest = text.strip().partition(" ")
    word = SHORT.get(first.lower(), first.lower())
    if word not in COMMON_WORDS or (rest and word != "save"):
        return "", text.strip()
    return word, rest.strip()


class Screen:
    """One game as the user in ``seat`` sees it."""

    help = "  type an action"
    sorts: ClassVar[tuple[str, ...]] = ()
    """The orders of the hand; the first is used at the start."""

    def __init__(self, console: Console, seat: int, names: Sequence[str]) -> None:
        self.console, self.seat, self.names, self.sorting = console, seat, names, 0
        self.prompt = Prompt(console)

    def begin(self, game: Game[Any], deal: Deal, state: Any) -> None:
        """Print the game and who starts, before the first action."""

    def rules(self, view: Any) -> None:
        """Print the rules."""
        self.say("the rules of this game are not available here")

    def show(self, view: Any) -> None:
        """Print what the user sees when it is the user's turn."""
        self.say(str(view))

    def words(self, view: Any) -> list[str]:
        """Return the words for completion."""
        return list(map(str, view.legal_actions()))

    def read(self, view: Any, text: str) -> Any:
        """Return the action of a text, or None if more lines are needed."""
        return view.parse(text)

    def hint(self, view: Any) -> None:
        """Print advice."""
        self.say("there is no advice for this game")

    def undo(self) -> bool:
        """Undo the last line of an unfinished action; return whether there was one."""
        return False

    def sort(self, view: Any) -> None:
        """Sort the hand in the next order and show it."""
        if not self.sorts:
            self.say("there is nothing to sort")
            return
        self.sorting = (self.sorting + 1) % len(self.sorts)
        self.show(view)
        self.say(f"(sorted {self.sorts[self.sorting]})")

    def only(self, view: Any) -> Any:
        """Return the action that is taken without asking, or None."""
        return None

    def learned(self, step: Step[Any]) -> bool:
        """Return whether a step gave the user information: a card was seen, or another seat made a choice."""
        return step.informs(self.seat)

    def tell(self, step: Step[Any]) -> None:
        """Print an action as the user observes it; of the user's own only one that gave information."""
        if step.forfeit:
            self.say(step.forfeit)
        elif step.seat != self.seat or self.learned(step):
            self.say(f"{self.name(step.seat)}: {step.describe(self.seat).partition(' ')[2]}")

    def end(self, result: Result) -> None:
        """Print the winners and the scores."""
        others = ", ".join(f"{self.name(seat)} {score}" for seat, score in enumerate(result.scores) if seat != self.seat)
        winners = " and ".join(self.name(seat) for seat in result.winners if seat != self.seat)
        won = "You win" if result.winners == (self.seat,) else f"You and {winners} win" if self.seat in result.winners else ""
        self.say(f"{won or (f'{winners} won' if winners else 'No winner')} ({result.reason}): you {result.scores[self.seat]}, {others}.")

    def name(self, seat: int) -> str:
        """Return the name of a seat."""
        return "you" if seat == self.seat else f"p{seat + 1}"

    def drawn(self, text: str) -> Text:
        """Return a text with its cards as this screen draws them."""
        return Text(text)

    def say(self, text: str | Text) -> None:
        """Print a text with its cards drawn; on a terminal lines are broken between words."""
        shown = self.drawn(text) if isinstance(text, str) else text
        self.console.print(hanging(shown, self.console) if self.console.is_terminal else shown, soft_wrap=True)

    def waiting(self, words: str) -> AbstractContextManager[Any]:
        """Show a spinner, if this is a terminal."""
        return self.console.status(words) if self.console.is_terminal else nullcontext()

    def ask(self, prompt: str, words: Sequence[str] = ()) -> str:
        """Return a line of input."""
        return self.prompt.ask(prompt, words)

    def sure(self, question: str) -> bool:
        """Return whether the user confirms."""
        return self.ask(f"{question} (yes or no) ", ("yes", "no")).lower() in ("y", "yes")
