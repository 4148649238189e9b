"""Options of the Rummikub commands: the rules, and their description."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

if TYPE_CHECKING:
    from meldlab.rummikub import Rules

OFFICIAL = "official"
FLAGS = {
    "joker_rule": "--jokers",
    "joker_value": "--joker-value",
    "colours": "--colours",
    "numbers": "--numbers",
    "copies": "--copies",
    "jokers": "--joker-tiles",
    "smallest": "--smallest",
    "opening": "--opening-points",
    "after_opening": "--after-opening",
}
JokersOption = Annotated[Literal["free", "modern", "strict"] | None, typer.Option("--jokers", help="Rule for a joker on the table.")]


def read_rules(rules: str, **changes: Any) -> "Rules":
    """Return the rules of a preset or a file, with the fields changed that are not None."""
    from dataclasses import replace

    from meldlab.rummikub import Rules

    return replace(Rules.named(rules), **{name: value for name, value in changes.items() if value is not None})


def describe_rules(rules: "Rules") -> str:
    """Return rules as text: the preset, the differences from it, and the joker rule.

    >>> from meldlab.rummikub import Rules
    >>> describe_rules(Rules(joker_rule="strict"))
    'rules: official, joker_rule = strict; jokers on the table are strict'
    """
    preset, *changes = (value if name == "preset" else f"{name} = {value}" for name, value in _record(rules).items())
    return f"rules: {', '.join((preset, *changes))}; jokers on the table are {rules.joker_rule}"


def as_flags(rules: "Rules") -> str:
    """Return the options of ``solve`` for these rules, as far as they matter to one turn.

    >>> from meldlab.rummikub import PRESETS, Rules
    >>> as_flags(PRESETS["official"]), as_flags(Rules(numbers=15))
    ('', ' --rules paper --numbers 15')
    """
    record = _record(rules)
    preset = record.pop("preset")
    flags = [f"{flag} {record[name]}" for name, flag in FLAGS.items() if name in record]
    flags += ["--round-the-corner"] * rules.round_the_corner
    return "".join(f" {flag}" for flag in ([] if preset == OFFICIAL else [f"--rules {preset}"]) + flags)


def _record(rules: "Rules") -> dict[str, Any]:
    from meldlab.play.rules import rules_table
    from meldlab.rummikub import PRESETS

    # Of two equally close presets, the default of these commands.
    return rules_table(rules, dict(sorted(PRESETS.items(), key=lambda preset: preset[0] != OFFICIAL)))
