"""Lines of input: edited, remembered and completed on a terminal, plainly read elsewhere."""

import sys
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from rich.console import Console


class Prompt:
    """A reader of lines; Ctrl-C and the end of the input mean "quit"."""

    def __init__(self, console: Console) -> None:
        self.console = console

    def ask(self, prompt: str, words: Sequence[str] = (), at_end: str = "quit") -> str:
        """Return a line of input, completed by ``words``; ``at_end`` at the end of the input."""
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
        stdin = sys.__stdin__
        if stdin is None or sys.stdin is not stdin or not (stdin.isatty() and sys.stdout.isatty()):
            return None
        try:
            from prompt_toolkit import PromptSession
        except ImportError:
            return None
        return PromptSession(complete_while_typing=False)


def completions(text: str, words: Sequence[str]) -> list[tuple[str, int]]:
    """Return the completions of a text, each with the number of last letters that it replaces: whole lines first, else the last word.

    >>> completions("dr", ["drop KD", "draw", "KD"])
    [('drop KD', 2), ('draw', 2)]
    >>> completions("new r1 k", ["new", "K5", "R1"])
    [('K5', 1)]
    """
    last = text.rpartition(" ")[2]
    for start in dict.fromkeys((text, last)):
        matches = [(word, len(start)) for word in words if word.lower().startswith(start.lower())]
        if matches:
            return matches
    return []


def _completer(words: Sequence[str]) -> Any:
    from prompt_toolkit.completion import Completer, Completion

    class WordCompleter(Completer):
        def get_completions(self, document: Any, complete_event: Any) -> Iterator[Completion]:
            for word, replaced in completions(document.text_before_cursor, words):
                yield Completion(word, -replaced)

    return WordCompleter()
