"""What the Rummikub verbs share: the rules."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from meldlab.errors import NoSuchThing

if TYPE_CHECKING:
    from meldlab.rummikub import Rules

__all__ = ["JokersOption", "PresetOption", "read_rules"]

PresetOption = Annotated[str, typer.Option("--rules", help="paper (free jokers) or official (modern jokers).")]
JokersOption = Annotated[str | None, typer.Option("--jokers", help="free, modern or strict; by default what the rules say.")]


def read_rules(preset: str, **changes: Any) -> "Rules":
    """Return a preset with the given fields changed."""
    from dataclasses import replace

    from meldlab.rummikub import PRESETS

    if preset not in PRESETS:
        raise NoSuchThing("rules", preset, PRESETS)
    return replace(PRESETS[preset], **{name: value for name, value in changes.items() if value is not None})
