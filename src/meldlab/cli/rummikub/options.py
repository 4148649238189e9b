"""What the Rummikub verbs share: the rules, by default those on the box, and how they are told."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from meldlab.cli.options import one_of, rules_option

if TYPE_CHECKING:
    from meldlab.rummikub import Rules

HOUSE = "House rules, by default those of --rules"
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
RulesOption = Annotated[Any, rules_option("paper", "official", room="rummikub")]
JokersOption = Annotated[
    str | None,
    typer.Option(
        "--jokers",
        **one_of("joker family", "free", "modern", "strict"),
        rich_help_panel=HOUSE,
        help="What may become of a joker on the table.",
    ),
]


def changed(rules: "Rules", **changes: Any) -> "Rules":
    """Return rules with those fields changed that are given."""
    from dataclasses import replace

    return replace(rules, **{name: value for name, value in changes.items() if value is not None})


def told(rules: "Rules") -> str:
    """Return rules in words: the preset, what differs from it, and what becomes of jokers.

    >>> from meldlab.rummikub import Rules
    >>> told(Rules(joker_rule="strict"))
    'rules: official, joker_rule = strict; jokers on the table are strict'
    """
    preset, *changes = (value if name == "preset" else f"{name} = {value}" for name, value in _record(rules).items())
    return f"rules: {', '.join((preset, *changes))}; jokers on the table are {rules.joker_rule}"


def as_flags(rules: "Rules") -> str:
    """Return the flags of ``solve`` that give these rules, as far as they matter to one turn.

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

    # Of two presets that are equally near, the one that is the default here.
    return rules_table(rules, dict(sorted(PRESETS.items(), key=lambda one: one[0] != OFFICIAL)))
