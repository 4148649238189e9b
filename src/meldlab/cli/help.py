"""How help reads: flags without a value, arguments as words, and one column where the terminal is narrow."""

import shutil
import textwrap
from typing import Any

import typer.core

__all__ = ["Command", "Door"]

NARROW = 60  # columns below which three columns in a frame cut the words of options


class _Plain:
    """What verbs and doors have in common: how they show their parameters."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, each showing only what is typed for it."""
        parameters: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for each in parameters:
            if each.param_type_name == "argument":
                each.metavar = each.metavar or each.name.upper().replace("_", "-")
                each.get_usage_pieces = lambda ctx, each=each: [_word(each)]
                each.display_type_rich = lambda ctx: None  # CARDS says more than list[str]
            elif each.is_flag:
                each.metavar = ""
        return parameters

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help, in frames where there is room for them."""
        columns = shutil.get_terminal_size().columns
        if columns >= NARROW:
            super().format_help(ctx, formatter)  # type: ignore[misc]
            return
        names = [(name, command) for name in _verbs(self, ctx) if (command := self.get_command(ctx, name))]  # type: ignore[attr-defined]
        rows = [("", self.get_usage(ctx)), ("", self.help or "")]  # type: ignore[attr-defined]
        rows += [record for each in self.get_params(ctx) if (record := each.get_help_record(ctx))]
        rows += [(name, command.get_short_help_str(1000)) for name, command in names]
        rows += [("", self.epilog)] if self.epilog else []  # type: ignore[attr-defined]
        # Printed and not written to the formatter, as frames are: what is written becomes the line about a verb that is missing.
        print("\n\n".join(_wrapped(name, words, columns - 1) for name, words in rows))


class Command(_Plain, typer.core.TyperCommand):
    """One verb."""


class Door(_Plain, typer.core.TyperGroup):
    """A group of verbs, or of doors."""


def _word(argument: Any) -> str:
    name = f"{argument.metavar}{'...' if argument.nargs != 1 else ''}"
    return name if argument.required else f"[{name}]"


def _verbs(command: Any, ctx: Any) -> list[str]:
    names: list[str] = command.list_commands(ctx) if isinstance(command, Door) else []
    return names


def _wrapped(name: str, words: str, columns: int) -> str:
    """Return the words in lines of their own under the name, paragraph by paragraph.

    >>> print(_wrapped("--json", "Print one JSON object.", 20))
    --json
      Print one JSON
      object.
    """
    paragraphs = [textwrap.fill(" ".join(part.split()), columns - 2 * bool(name)) for part in words.split("\n\n")]
    body = "\n\n".join(paragraphs)
    return f"{name.strip()}\n{textwrap.indent(body, '  ')}" if name else body
