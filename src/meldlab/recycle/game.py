"""RECYCLE games at the table and in batches.

>>> from meldlab.play import Deal, RandomPlayer, Table
>>> game = RecycleGame.load("kuhn_poker")
>>> played = Table(game, [RandomPlayer(), RandomPlayer()]).play(Deal(seed=2))
>>> len(played.actions), played.result.reason
(2, 'the highest score wins')
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np

from meldlab.errors import NoSuchThing, NotLegalHere
from meldlab.play import Batch, Count, Deal, FinishedGame, RandomPlayer
from meldlab.recycle import library
from meldlab.recycle.language.limits import Limits
from meldlab.recycle.language.settings import with_settings
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.machine import Machine
from meldlab.recycle.narration import Narrator
from meldlab.recycle.players.search import play_games, ranks_of
from meldlab.recycle.players.search_player import SearchPlayer
from meldlab.recycle.state import Option, State

ENDS: dict[str, Callable[[Any], Any]] = {
    "finished": lambda status: status == k.FINISHED,
    "capped": lambda status: status == k.CAPPED,
    "failed": lambda status: status > k.CAPPED,
}
# Simulations; of these, those in whose deal the options were not those of the game, and those that failed: by count, the column.
SEARCH_COUNTS = {"simulations": "simulations", "unmatched": "unmatched", "failed_simulations": "failed"}


@dataclass(frozen=True, eq=False)
class RecycleGame:
    """A game by its RECYCLE program."""

    name: str
    text: str
    dialect: str = "0.6"
    limits: Limits = field(default_factory=Limits)
    counts: ClassVar[Mapping[str, Count]] = {
        **{name: Count(rate=True) for name in ENDS},
        "decisions": Count(),
        "options": Count("decisions"),
        "simulations": Count(),
        "unmatched": Count("simulations", rate=True, old_name="changed"),
        "failed_simulations": Count("simulations", rate=True, old_name="broken"),
    }

    @classmethod
    def load(
        cls, name: str, dialect: str = "0.6", limits: Limits | None = None, settings: Mapping[str, int] = MappingProxyType({})
    ) -> Self:
        """Return the game of a file or of the library, with other values for numbers that it declares."""
        title, text = library.load(name)
        return cls(title, with_settings(text, settings, dialect), dialect, limits or Limits())

    @cached_property
    def machine(self) -> Machine:
        """Return the machine that runs the game."""
        return Machine.compile(self.text, self.dialect, self.limits)

    @property
    def seats(self) -> range:
        """Return the number of players."""
        return range(self.machine.players, self.machine.players + 1)

    @property
    def lowest_wins(self) -> bool:
        """Return whether the lowest score wins."""
        return self.machine.scoring == "min"

    @property
    def teams(self) -> tuple[int, ...]:
        """Return the team of each seat, from 0; empty where each plays alone."""
        teams = tuple(team - 1 for team in self.machine.start(seed=0).teams)
        return teams if len(set(teams)) < len(teams) else ()

    def rules(self) -> Mapping[str, Any]:
        """Return the description itself, and the limits that may end a game."""
        return {"name": self.name, "description": self.text, "dialect": self.dialect, "limits": asdict(self.limits)}

    @classmethod
    def read(cls, rules: Mapping[str, Any]) -> Self:
        """Return the game of a record, which can lower the limits of memory and time, not raise them."""
        parts = {"name": str, "description": str, "dialect": str, "limits": dict}
        for name, value in rules.items():
            if name not in parts:
                raise NoSuchThing("field of a description", name, parts)
            if not isinstance(value, parts[name]):
                raise NotLegalHere(f"{name!r} of a description is a {parts[name].__name__}, not {value!r}")
        if "description" not in rules:
            raise NotLegalHere("a record of a RECYCLE game holds its description")
        given, own = Limits.parse(",".join(f"{name}={number}" for name, number in rules.get("limits", {}).items())), Limits()
        limits = replace(given, **{name: min(getattr(given, name), getattr(own, name)) for name in ("words", "work", "game_work")})
        return cls(rules.get("name", "described"), rules["description"], rules.get("dialect", "0.6"), limits)

    def start(self, seats: int, deal: Deal) -> State:
        """Return the first decision."""
        if seats not in self.seats:
            raise NotLegalHere(f"{self.name} is for {self.machine.players} players, not {seats}")
        if deal.given:
            raise NotLegalHere("a RECYCLE game deals its own cards: none can be given")
        return State(*self.machine.start_with_known(deal.seed, deal.number), Narrator(self.machine))

    def counted(self, played: FinishedGame[State]) -> dict[str, int]:
        """Return what is counted of a game at the table."""
        status = played.last.position.status
        options = [len(action.view.legal_actions()) for action in played.actions if isinstance(action, Option)]
        return {**{name: int(test(status)) for name, test in ENDS.items()}, "decisions": len(options), "options": sum(options)}

    def can_batch(self, players: Sequence[object]) -> bool:
        """Return whether the kernel plays these players."""
        return all(type(player) in (RandomPlayer, SearchPlayer) for player in players)

    def batch(self, players: Sequence[Any], seed: int, first: int, games: int, threads: int = 0) -> Batch:
        """Play games ``first`` and following of a seed by kernel, as a table would play them."""
        machine = self.machine
        if len(players) != machine.players:
            raise NotLegalHere(f"{self.name} is for {machine.players} players, not {len(players)}")
        played: Any
        if games == 0 or all(type(player) is RandomPlayer for player in players):
            played = machine.random_games(games, seed, threads, first)
            counts = {"options": played.options} | dict.fromkeys(SEARCH_COUNTS, np.zeros(games, np.int64))
        else:
            played = play_games(machine, players, games, seed, first, threads)
            columns = {name: getattr(played, column) for name, column in {"options": "options", **SEARCH_COUNTS}.items()}
            counts = {name: np.bincount(played.game - first, column, games).astype(np.int64) for name, column in columns.items()}
        ended = played.statuses <= k.CAPPED
        best = ended[:, None] & (ranks_of(played.scores, machine.scoring) == 0)
        wins = best / np.maximum(1, best.sum(axis=1))[:, None]
        counts |= {name: test(played.statuses).astype(np.int64) for name, test in ENDS.items()} | {"decisions": played.decisions}
        failed = zip(np.flatnonzero(~ended).tolist(), played.statuses[~ended].tolist(), played.errors[~ended].tolist(), strict=True)
        failures = {first + row: str(machine.error(status, instruction)) for row, status, instruction in failed}
        return Batch(np.where(ended[:, None], played.scores, 0), wins, counts, failures)
