"""A described game at the table: what each seat sees by the visibility of its locations, and options as actions in words.

>>> from meldlab.play import Deal, RandomPlayer, Table
>>> game = Described.named("kuhn_poker")
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

from meldlab.errors import BadText, MeldlabError, NoSuchThing, NotLegalHere
from meldlab.play import Batch, Chance, Count, Deal, FinishedGame, Player, RandomPlayer, Result
from meldlab.recycle import library
from meldlab.recycle.describe import Describer, visible_cards
from meldlab.recycle.language.limits import Limits
from meldlab.recycle.language.settings import with_settings
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.machine import Machine
from meldlab.recycle.machine.position import Known, Position
from meldlab.recycle.players import Searcher
from meldlab.recycle.players.searching import ranks_of, searched_games
from meldlab.recycle.view import REVEALS, Option, View

__all__ = ["Described", "Option", "State", "View"]

ENDS: dict[str, Callable[[Any], Any]] = {
    "finished": lambda status: status == k.FINISHED,
    "capped": lambda status: status == k.CAPPED,
    "failed": lambda status: status > k.CAPPED,
}
SEARCHED = ("simulations", "changed", "broken")  # simulations in whose deal the options were not those of the game, and that broke off
ATTEMPTS = 20  # to permute unseen cards so that the game could stand like that


@dataclass(frozen=True)
class State:
    """A described game at one moment, and which cards each seat has seen go to where it does not see them."""

    position: Position
    known: Known = field(compare=False, repr=False)
    describer: Describer = field(compare=False, repr=False)

    def __reduce__(self) -> "tuple[type[State], tuple[Position, Known, Describer]]":
        # What was worked out from the position can be worked out again.
        return type(self), (self.position, self.known, self.describer)

    @property
    def seat(self) -> int | None:
        """Return who decides, from 0, or None when the game is over."""
        return None if self.position.over else self.position.seat - 1

    @cached_property
    def result(self) -> Result | None:
        """Return the scores at the end; a game that fails ends without winners, with what went wrong."""
        position = self.position
        if not position.over:
            return None
        players, best = position.machine.players, position.machine.best
        try:
            scores = position.check().scores
        except BadText as problem:
            return Result((0,) * players, (), f"failed: {problem.problem}")
        goal = max(scores) if best == "max" else min(scores)
        why = f"the {'highest' if best == 'max' else 'lowest'} score wins"
        capped = "" if position.status == k.FINISHED else " (stopped: too many decisions)"
        return Result(scores, tuple(seat for seat, score in enumerate(scores) if score == goal), why + capped)

    @cached_property
    def _views(self) -> dict[int, View]:
        return {}

    def view(self, seat: int) -> View:
        """Return what a seat may know."""
        if seat not in self._views:
            self._views[seat] = View(seat, self.position.masked(seat + 1, self.known), self.describer)
        return self._views[seat]

    def apply(self, action: Option) -> Self:
        """Carry out an option."""
        self._deciding.verify(action)
        return type(self)(*self.position.decide_knowing(action.number - 1, self.known), self.describer)

    @property
    def _deciding(self) -> View:
        return self.view(self.seat or 0)

    def describe(self, action: Option, seat: int | None = None) -> str:
        """Return the option as the record has it, with its outcome where the text leaves it open; or what ``seat`` sees of its effects."""
        option = action.number - 1
        if seat is None:
            view, (after, did) = self._deciding, self.position.preview(option)
            full, words = self.describer.events(did, after), view.words(option)
            return words if full == view.foreseen(option) else f"{words}{REVEALS}{full}"
        after, did, then = self.position.watched(option)
        chosen = self.describer.events(did, after, seat + 1) if did else "has chosen"
        followed = self.describer.events(then, after, seat + 1)
        return f"{chosen}\n  {followed}" if followed else chosen

    def forfeit(self, seat: int, why: str) -> Result:
        """Return the end when ``seat`` breaks off: it and its team are last, one point behind the worst score as the game stands.

        A description says nothing about the scores that can still come, so there is no worse one to take.
        """
        teams, best = self.position.teams, self.position.machine.best
        lost = [other == seat or teams[other] == teams[seat] != 0 for other in range(len(teams))]
        try:
            scores = self.position.scores
        except MeldlabError:
            scores = (0,) * len(teams)  # not every game can be counted in the middle
        last = min(scores) - 1 if best == "max" else max(scores) + 1
        ended = tuple(last if gone else score for gone, score in zip(lost, scores, strict=True))
        return Result(ended, tuple(other for other, gone in enumerate(lost) if not gone), why)

    def redeal(self, seat: int, chance: Chance) -> Self:
        """Permute, back by back, the cards that a seat neither sees nor remembers."""
        position, plan, stream = self.position, self.position.machine.plan, chance.stream()
        seen = visible_cards(position, seat + 1) | set(np.flatnonzero(self.known[seat + 1]).tolist())
        types = {card: position.type_of(card) for card in range(int(position.words[k.CARDS])) if card not in seen}
        for _ in range(ATTEMPTS):
            words = position.words.copy()
            for back in sorted(set(plan.backs)):
                cards = [card for card, kind in types.items() if plan.backs[kind] == back]
                faces = [types[card] for card in cards]
                stream.shuffle(faces)
                words[[plan.cards + k.NODE * card + k.TYPE for card in cards]] = np.array(faces, np.int64)
            other = position.with_words(words)
            # Not every deal can be: whoever decides must have an option, as he has here.
            if other.over == position.over:
                return type(self)(other, self.known, self.describer)
        return self


@dataclass(frozen=True, eq=False)
class Described:
    """A game by its description."""

    name: str
    text: str
    dialect: str = "0.6"
    limits: Limits = field(default_factory=Limits)
    counts: ClassVar[Mapping[str, Count]] = {
        **{name: Count(rate=True) for name in ENDS},
        "decisions": Count(),
        "options": Count("decisions"),
        "simulations": Count(),
        **{name: Count("simulations", rate=True) for name in SEARCHED[1:]},
    }

    @classmethod
    def named(
        cls, name: str, dialect: str = "0.6", limits: Limits | None = None, settings: Mapping[str, int] = MappingProxyType({})
    ) -> Self:
        """Return the game of a file or of the library, with other values for numbers that it declares."""
        title, text = library.load(name)
        return cls(title, with_settings(text, settings, dialect), dialect, limits or Limits())

    @cached_property
    def machine(self) -> Machine:
        """Return the machine that runs it."""
        return Machine.of(self.text, self.dialect, self.limits)

    @property
    def seats(self) -> range:
        """Return how many play."""
        return range(self.machine.players, self.machine.players + 1)

    @property
    def lowest_wins(self) -> bool:
        """Tell whether the lowest score wins."""
        return self.machine.best == "min"

    @property
    def teams(self) -> tuple[int, ...]:
        """Return the team of each seat, from 0; empty where each plays alone."""
        teams = tuple(team - 1 for team in self.machine.begin(seed=0).teams)
        return teams if len(set(teams)) < len(teams) else ()

    def rules(self) -> Mapping[str, Any]:
        """Return the description itself, and the limits that may end a game."""
        return {"name": self.name, "description": self.text, "dialect": self.dialect, "limits": asdict(self.limits)}

    @classmethod
    def read(cls, rules: Mapping[str, Any]) -> Self:
        """Return the game that a record describes; a stranger's record can lower the limits of memory and time, not raise them."""
        parts = {"name": str, "description": str, "dialect": str, "limits": dict}
        for name, value in rules.items():
            if name not in parts:
                raise NoSuchThing("field of a description", name, parts)
            if not isinstance(value, parts[name]):
                raise NotLegalHere(f"{name!r} of a description is a {parts[name].__name__}, not {value!r}")
        if "description" not in rules:
            raise NotLegalHere("a record of a described game holds its description")
        given, own = Limits.parse(",".join(f"{name}={number}" for name, number in rules.get("limits", {}).items())), Limits()
        limits = replace(given, **{name: min(getattr(given, name), getattr(own, name)) for name in ("words", "work", "game_work")})
        return cls(rules.get("name", "described"), rules["description"], rules.get("dialect", "0.6"), limits)

    def start(self, seats: int, deal: Deal) -> State:
        """Return the first decision."""
        if seats not in self.seats:
            raise NotLegalHere(f"{self.name} is for {self.machine.players} players, not {seats}")
        if deal.given:
            raise NotLegalHere("a described game deals its own cards: none can be given")
        return State(*self.machine.begin_knowing(deal.seed, deal.number), Describer(self.machine))

    def counted(self, played: FinishedGame[State]) -> dict[str, int]:
        """Return what is counted of a game at the table."""
        status = played.last.position.status
        options = [len(action.view.legal_actions()) for action in played.actions if isinstance(action, Option)]
        return {**{name: int(test(status)) for name, test in ENDS.items()}, "decisions": len(options), "options": sum(options)}

    def batch(self, players: Sequence[Player[Any, Any]], seed: int, first: int, games: int, threads: int = 0) -> Batch | None:
        """Play games ``first`` and following of a seed by kernel, as a table would play them; None if a player only sits at the table."""
        machine, chance = self.machine, Searcher("random")
        known = [player for player in players if type(player) in (RandomPlayer, Searcher)]
        seated: list[Any] = [chance if type(player) is RandomPlayer else player for player in known]
        if len(seated) < len(players):
            return None
        if len(seated) != machine.players:
            raise NotLegalHere(f"{self.name} is for {machine.players} players, not {len(seated)}")
        if games == 0 or all(player == chance for player in seated):
            played: Any = machine.random_games(games, seed, threads, first)
            counts = {"options": played.options} | dict.fromkeys(SEARCHED, np.zeros(games, np.int64))
        else:
            played = searched_games(machine, seated, games, seed, first, threads)
            columns = {name: getattr(played, name) for name in ("options", *SEARCHED)}
            counts = {name: np.bincount(played.game - first, each, games).astype(np.int64) for name, each in columns.items()}
        ended = played.statuses <= k.CAPPED
        best = ended[:, None] & (ranks_of(played.scores, machine.best) == 0)
        wins = best / np.maximum(1, best.sum(axis=1))[:, None]
        counts |= {name: test(played.statuses).astype(np.int64) for name, test in ENDS.items()} | {"decisions": played.decisions}
        failed = zip(np.flatnonzero(~ended).tolist(), played.statuses[~ended].tolist(), played.errors[~ended].tolist(), strict=True)
        troubles = {first + row: str(machine.failure(status, at)) for row, status, at in failed}
        return Batch(np.where(ended[:, None], played.scores, 0), wins, counts, troubles)
