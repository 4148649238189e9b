"""Lines that a person types: edited, remembered and completed on a terminal, plainly read where there is none."""

import sys
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from rich.console import Console

__all__ = ["Lines", "completions"]


class Lines:
    """Asks for one line after the other; Ctrl-C and the end of the input are the wish to leave."""

    def __init__(self, console: Console) -> None:
        self.console = console

    def ask(self, prompt: str, words: Sequence[str] = (), at_end: str = "quit") -> str:
        """Return a line that is typed, with ``words`` to complete it by; ``at_end`` where none is to come."""
        try:
            if self._session is None:
                return self.console.input(prompt, markup=False).strip()
            return str(self._session.prompt(prompt, completer=_completer(words))).strip()
        except EOFError:
            return at_end
        except KeyboardInterrupt:
            self.console.print()
            return "quit"

    @cached_property
    def _session(self) -> Any:
        typed = sys.__stdin__
        if typed is None or sys.stdin is not typed or not (typed.isatty() and sys.stdout.isatty()):
            return None
        try:
            from prompt_toolkit import PromptSession
        except ImportError:
            return None
        return PromptSession(complete_while_typing=False)


def completions(text: str, words: Sequence[str]) -> list[tuple[str, int]]:
    """Return what a text can become, each with how many of its last letters that replaces: whole lines first, else its last word.

    >>> completions("dr", ["drop KD", "draw", "KD"])
    [('drop KD', 2), ('draw', 2)]
    >>> completions("new r1 k", ["new", "K5", "R1"])
    [('K5', 1)]
    """
    last = text.rpartition(" ")[2]
    for start in dict.fromkeys((text, last)):
        found = [(word, len(start)) for word in words if word.lower().startswith(start.lower())]
        if found:
            return found
    return []


def _completer(words: Sequence[str]) -> Any:
    from prompt_toolkit.completion import Completer, Completion

    class Words(Completer):
        def get_completions(self, document: Any, complete_event: Any) -> Iterator[Completion]:
            for word, replaced in completions(document.text_before_cursor, words):
                yield Completion(word, -replaced)

    return Words()
