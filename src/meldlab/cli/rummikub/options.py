"""What the Rummikub verbs share: the rules."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from meldlab.cli.options import one_of, rules_option

if TYPE_CHECKING:
    from meldlab.rummikub import Rules

HOUSE = "House rules, by default those of --rules"
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
