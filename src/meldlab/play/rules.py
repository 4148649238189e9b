"""Rules as data: a preset and the fields that differ from it, in a record or in a file.

>>> from dataclasses import dataclass
>>> @dataclass(frozen=True)
... class Rules:
...     players: int = 2
...     open: bool = False
>>> presets = {"usual": Rules(), "open": Rules(open=True)}
>>> rules_from({"preset": "open", "players": 3}, presets)
Rules(players=3, open=True)
>>> rules_table(Rules(3), presets)
{'preset': 'usual', 'players': 3}
>>> rules_from({"playres": 3}, presets)
Traceback (most recent call last):
    ...
meldlab.errors.NoSuchThing: no rule 'playres' (use players, open); did you mean players?
"""

import re
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, TypeVar

from meldlab.errors import BadText, MeldlabError, NoSuchThing, NotPossible
from meldlab.play.record import read_toml

R = TypeVar("R")


def get_preset(name: Any, presets: Mapping[str, R]) -> R:
    """Return the rules of a preset by name."""
    if name not in list(presets):
        raise NoSuchThing("rules", name, presets)
    return presets[name]


def rules_from(table: Mapping[str, Any], presets: Mapping[str, R]) -> R:
    """Return the rules of a record: a preset, by default the first, with the fields that differ from it.

    A class of rules may name fields by an earlier name in ``renamed``.
    """
    start: Any = get_preset(table.get("preset", next(iter(presets))), presets)
    renamed = getattr(start, "renamed", {})
    changes = {renamed.get(name, name): value for name, value in table.items() if name != "preset"}
    known = [field.name for field in fields(start)]
    for name in changes:
        if name not in known:
            raise NoSuchThing("rule", name, known)
    return replace(start, **changes)  # type: ignore[no-any-return]  # the rules of these presets


def rules_table(rules: Any, presets: Mapping[str, Any]) -> dict[str, Any]:
    """Return the preset that differs in the fewest fields, and those fields."""
    own = {field.name: getattr(rules, field.name) for field in fields(rules)}
    differences = [
        {"preset": name, **{field: value for field, value in own.items() if value != getattr(preset, field)}}
        for name, preset in presets.items()
    ]
    return min(differences, key=len)


def read_rules(name: str, presets: Mapping[str, R]) -> R:
    """Return a preset by name, or the rules of a TOML file; an error in the file is shown at its position."""
    path = Path(name)
    if name in presets or (path.suffix != ".toml" and not path.is_file()):
        if name not in presets:
            raise NoSuchThing("rules", name, [*presets, "FILE.toml"])
        return presets[name]
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise NotPossible(f"cannot read {name}: {getattr(error, 'strerror', None) or 'not a text in UTF-8'}") from None
    table = read_toml(text)
    try:
        return rules_from(table, presets)
    except MeldlabError as error:
        wrong_key = next((key for key in table if key in str(error)), None)
        match = re.search(rf"^\s*[\"']?({re.escape(wrong_key)})", text, re.MULTILINE) if wrong_key else None
        raise BadText(str(error), text, match.start(1) if match else len(text)) from None
