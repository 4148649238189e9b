"""Variant of a RECYCLE game: the game with other values for numbers that it declares.

>>> Variant(RecycleGame.load("hearts"), {}).title
'Hearts'
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any

from meldlab.errors import MeldlabError
from meldlab.recycle.game import RecycleGame
from meldlab.recycle.language.header import Header
from meldlab.recycle.language.limits import Limits
from meldlab.recycle.language.settings import with_settings
from meldlab.recycle.machine.machine import Machine


@dataclass(frozen=True)
class Variant:
    """A game, and values for numbers that it declares; without values it is the game itself."""

    base: RecycleGame
    settings: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def game(self) -> RecycleGame:
        """Return the game with the values; raise ``MeldlabError`` if it does not declare them."""
        if not self.settings:
            return self.base
        text = with_settings(self.base.text, self.settings, self.base.dialect)
        return RecycleGame(self.base.name, text, self.base.dialect, self.base.limits)

    @property
    def machine(self) -> Machine:
        """Return the machine that runs it."""
        return self.game.machine

    @cached_property
    def header(self) -> Header:
        """Return the title and the rules in the comments of the program."""
        return Header.parse(self.game.text)

    @property
    def program(self) -> dict[str, Any]:
        """Return the program and its limits as the arguments of a task."""
        default = asdict(Limits())
        limits = {name: value for name, value in asdict(self.game.limits).items() if value != default[name]}
        return {"text": self.game.text, "dialect": self.game.dialect, "limits": limits}

    @property
    def identity(self) -> dict[str, Any]:
        """Return the settings that identify the game in the store: ``program`` with a digest of its text."""
        program = self.program
        digest = sha256(program.pop("text").encode()).hexdigest()[:16]
        return {"game": self.game.name, "program": digest, **program}

    @property
    def settings_text(self) -> str:
        """Return the settings as text.

        >>> Variant(RecycleGame.load("gin_rummy"), {"LIMIT": 5}).settings_text
        'LIMIT=5'
        """
        return ", ".join(f"{name}={value}" for name, value in self.settings.items())

    @property
    def name(self) -> str:
        """Return the name of the file or library game, and the settings."""
        return self.game.name + (f" {self.settings_text}" if self.settings else "")

    @property
    def title(self) -> str:
        """Return the title of the game, and the settings."""
        title = self.header.title or self.game.name.replace("_", " ").title()
        return title + (f" ({self.settings_text})" if self.settings else "")

    def problem(self) -> str:
        """Return the reason why it cannot start; empty if it can."""
        try:
            self.machine.start(0)
        except MeldlabError as error:
            return f"does not run: {getattr(error, 'problem', error)}"
        return ""
