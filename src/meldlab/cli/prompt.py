"""Lines of input: edited, remembered and completed on a terminal, plainly read elsewhere."""

import sys
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from rich.console import Console


class Prompt:
    """A reader of lines; Ctrl-C and the end of the input mean "quit"."""

    def __init__(self, console: Console) -> None:
        self.console = console

    def ask(self, prompt: str, words: Sequence[str] = ()) -> str:
        """Return a line of input, completed by ``words``; "quit" at the end of the input."""
        try:
            if self._session is None:
                return self.console.input(prompt, markup=False).strip()
            return str(self._session.prompt(prompt, completer=word_completer(words))).strip()
        except EOFError:
            return "quit"
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


def word_completer(words: Sequence[str]) -> Any:
    """Return a completer by ``words``: of the whole line, else of its last word."""
    from prompt_toolkit.completion import WordCompleter, merge_completers

    lines = WordCompleter(list(words), ignore_case=True, sentence=True)
    return merge_completers([lines, WordCompleter(list(words), ignore_case=True, WORD=True)], deduplicate=True)
