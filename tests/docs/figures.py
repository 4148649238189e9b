"""Measured figures: ``docs/figures.toml``, with the command, commit, date and machine of each, and their text on a page."""

import tomllib
from dataclasses import dataclass
from functools import cache
from typing import Any

from tests.docs.pages import ROOT

SOURCE = ROOT / "docs" / "figures.toml"


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One measured figure; ``interval`` is its 95 % confidence interval, ``format`` the format of its numbers in Python."""

    value: float
    interval: tuple[float, float] | None = None
    unit: str = ""
    format: str = ","
    command: str
    commit: str
    date: str
    machine: str

    def text(self, part: str = "") -> str:
        """Return the figure as a page shows it, or one part: ``value``, ``interval``, ``command``, ``source`` or another field."""
        value = f"{self.value:{self.format}}{self.unit}"
        interval = " to ".join(f"{bound:{self.format}}" for bound in self.interval or ())
        parts = {
            "": f"{value} ({interval})" if interval else value,
            "value": value,
            "interval": interval,
            "command": f"`{self.command}`",
            "source": f"`{self.command}`, {self.machine}, {self.date}, commit {self.commit}",
        }
        return parts[part] if part in parts else str(getattr(self, part))


@cache
def figures() -> dict[str, Figure]:
    """Return every figure by its name."""
    content = tomllib.loads(SOURCE.read_text())
    result: dict[str, Figure] = {}
    for measurement in content["measurement"]:
        common = {key: measurement[key] for key in ("command", "commit")}
        common |= {"date": str(measurement["date"]), "machine": content["machines"][measurement["machine"]]}
        common |= {key: measurement[key] for key in ("unit", "format") if key in measurement}
        for name, fields in measurement["figures"].items():
            if name in result:
                raise ValueError(f"{SOURCE.name}: {name} is there twice")
            result[name] = Figure(**common | _as_tuple(fields))
    return result


def _as_tuple(fields: dict[str, Any]) -> dict[str, Any]:
    return fields | ({"interval": tuple(fields["interval"])} if "interval" in fields else {})
