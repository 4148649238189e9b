"""Rules as data: a preset and the fields that differ from it, in a record or in a file.

>>> from dataclasses import dataclass
>>> @dataclass(frozen=True)
... class Rules(PresetRules):
...     players: int = 2
...     open: bool = False
>>> Rules.presets = {"usual": Rules(), "open": Rules(open=True)}
>>> Rules.read({"preset": "open", "players": 3})
Rules(players=3, open=True)
>>> Rules(3).as_record()
{'preset': 'usual', 'players': 3}
>>> Rules.read({"playres": 3})
Traceback (most recent call last):
    ...
meldlab.errors.NoSuchThing: no rule 'playres' (use players, open); did you mean players?
"""

import re
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, ClassVar, Self

from meldlab.errors import BadText, MeldlabError, NoSuchThing, NotPossible
from meldlab.play.record import read_toml


class PresetRules:
    """The base class of rules with presets, frozen dataclasses."""

    presets: ClassVar[Mapping[str, Any]]
    """Rules by name, the default first."""
    renamed: ClassVar[Mapping[str, str]] = {}
    """Fields by their earlier names, in saved records and rules files."""

    @classmethod
    def preset(cls, name: Any) -> Self:
        """Return a set of rules by name."""
        if name not in list(cls.presets):
            raise NoSuchThing("rules", name, cls.presets)
        return cls.presets[name]  # type: ignore[no-any-return]

    @classmethod
    def named(cls, name: str) -> Self:
        """Return a preset by name, or the rules of a TOML file; an error in the file is shown at its position."""
        path = Path(name)
        if name in cls.presets:
            return cls.preset(name)
        if path.suffix != ".toml" and not path.is_file():
            raise NoSuchThing("rules", name, [*cls.presets, "FILE.toml"])
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise NotPossible(f"cannot read {name}: {getattr(error, 'strerror', None) or 'not a text in UTF-8'}") from None
        table = read_toml(text)
        try:
            return cls.read(table)
        except MeldlabError as error:
            wrong_key = next((key for key in table if key in str(error)), None)
            match = re.search(rf"^\s*[\"']?({re.escape(wrong_key)})", text, re.MULTILINE) if wrong_key else None
            raise BadText(str(error), text, match.start(1) if match else len(text)) from None

    @classmethod
    def read(cls, table: Mapping[str, Any]) -> Self:
        """Return the rules of a record: a preset, by default the first, and the fields that differ from it."""
        start: Any = cls.preset(table.get("preset", next(iter(cls.presets))))
        changes = {cls.renamed.get(name, name): value for name, value in table.items() if name != "preset"}
        known = [field.name for field in fields(start)]
        for name in changes:
            if name not in known:
                raise NoSuchThing("rule", name, known)
        return replace(start, **changes)  # type: ignore[no-any-return]  # the rules of these presets

    def as_record(self, first: str = "") -> dict[str, Any]:
        """Return the preset that differs in the fewest fields, ``first`` among equal ones, and those fields."""
        own = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]  # a dataclass
        differences = [
            {"preset": name, **{field: value for field, value in own.items() if value != getattr(preset, field)}}
            for name, preset in self.presets.items()
        ]
        return min(differences, key=lambda table: (len(table), table["preset"] != first))
