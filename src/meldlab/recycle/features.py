"""A described game as numbers: what each feature of a position says, for whichever seat looks on.

First come four numbers: the own seat, the choice of the description that is to be made (from 1; 0 when the game is over), the decisions
made so far, the own team (from 1; 0 for none). Then every cell of the storage: two features for a number, how far it is above and how far
below 0, one for a string, its place in ``strings``. Then blocks, one for every location: how many cards of each type lie there as far as
the seat sees or remembers them, how many it does not know, for each back of a card, and the type of the top card from 1, if it sees it.
What belongs to players or teams is told in the order from the own one on. Locations by an index that is worked out in play have blocks
for the first indexes, and one for all beyond. No feature goes above 255. Point maps are left out: a program rarely changes them.

>>> from meldlab.recycle.game import Described
>>> features = Features(Described.named("kuhn_poker").machine)
>>> features.width, features.scalars["PAID of seat + 1"], features.planes["HAND of seat + 0"]
(31, 6, slice(21, 24, None))
>>> features.names[21:26]
('HAND of seat + 0: JACK', 'HAND of seat + 0: QUEEN', 'HAND of seat + 0: KING', 'HAND of seat + 0: unseen', 'HAND of seat + 0: top')
"""

from collections.abc import Iterator
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from meldlab.errors import NotPossible
from meldlab.recycle.describe import Describer
from meldlab.recycle.game import State
from meldlab.recycle.language import syntax as s
from meldlab.recycle.language.constants import constant
from meldlab.recycle.language.syntax import Class
from meldlab.recycle.language.tree import walk
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine import kernel_vector as v
from meldlab.recycle.machine.machine import Machine
from meldlab.recycle.machine.storage import CATEGORY

__all__ = ["Features"]

MOST_FEATURES = 1_000_000
OWNERS = {"game": v.OF_GAME, "player": v.OF_PLAYER, "team": v.OF_TEAM}
Use = tuple[str, str, str]  # kind, category of the owner, name


class Features:
    """Where each feature of the positions of a game lies; ``indexes`` locations by index have blocks of their own."""

    def __init__(self, machine: Machine, indexes: int = 8) -> None:
        self.machine, self.indexes = machine, indexes
        self.names: tuple[str, ...] = tuple(self._named())
        self.width = len(self.names)
        if self.width > MOST_FEATURES:
            raise NotPossible(f"the game has {self.width:,} features (at most {MOST_FEATURES:,}); ask for fewer indexes than {indexes}")
        self.seen = self._seen()

    @property
    def strings(self) -> tuple[str, ...]:
        """Return the strings that cells hold, by their numbers; 0 is none."""
        return tuple(self.machine.plan.strings)

    @cached_property
    def planes(self) -> dict[str, slice]:
        """Return for each block of cards, by its name, where the counts by type lie."""
        types = len(self.machine.plan.types)
        starts = {name: at for at, name in zip(self._starts, self._blocks, strict=True)}
        return {name: slice(at, at + types) for name, at in starts.items()}

    @cached_property
    def scalars(self) -> dict[str, int]:
        """Return where each feature lies that is no count by type, by its name."""
        counts = {at for plane in self.planes.values() for at in range(plane.start, plane.stop)}
        return {name: at for at, name in enumerate(self.names) if at not in counts}

    def of(self, state: State, seat: int) -> NDArray[np.uint8]:
        """Return [width], what a seat sees of a state, also while it is not to move."""
        features = np.zeros(self.width, np.uint8)
        words, layout = state.position.words, self.machine.program.layout
        choice = 0 if state.position.over else self.seen.choices[int(words[k.PC]) // k.STRIDE]
        places = np.zeros(len(words), np.int64)
        v.write_features(words.copy(), layout, state.known[seat + 1].copy(), self.seen, seat + 1, choice, places, features)
        return features

    # --- names, in the order of the features

    def _named(self) -> Iterator[str]:
        yield from ("seat", "choice", "decisions", "team")
        for use in self._cells:
            for whose in self._owners(use[1]):
                yield self._title(use) + whose
                if use[0] == "sto":
                    yield f"{self._title(use)}{whose} below 0"
        self._starts: list[int] = []
        at = v.FIRST_FEATURES + sum((1 + (kind == "sto")) * self.machine.plan.owners(category) for kind, category, _ in self._cells)
        for block in self._blocks:
            self._starts.append(at)
            yield from (f"{block}: {part}" for part in self._parts)
            at += len(self._parts)

    def _owners(self, category: str) -> list[str]:
        word = {"player": "seat", "team": "team"}.get(category)
        return [f" of {word} + {ahead}" for ahead in range(self.machine.plan.owners(category))] if word else [""]

    def _title(self, use: Use) -> str:
        kind, category, name = use
        # A program may give one name to storage of several kinds.
        alike = [other for other in self.machine.plan.bases if other[1:] == (category, name) and (other[0] in k.KINDS) == (kind in k.KINDS)]
        shared = len([other for other in alike if other[0] not in ("mem", "points")]) > 1
        return f"memory {name}" if kind == "mem" else f"{name} ({kind})" if shared else name

    @cached_property
    def _cells(self) -> list[Use]:
        return [use for use in self.machine.plan.bases if use[0] in ("sto", "str")]

    @cached_property
    def _parts(self) -> tuple[str, ...]:
        unseen = ["unseen" if back == "DEFAULT" else f"unseen {back}" for back in self._backs]
        return (*Describer(self.machine).card_names, *unseen, "top")

    @cached_property
    def _backs(self) -> list[str]:
        return sorted(set(self.machine.plan.backs))

    @cached_property
    def _places(self) -> dict[Use, tuple[list[int], bool]]:
        """Return for each location by name the indexes with a block of their own, and whether there may be others."""
        plan = self.machine.plan
        places: dict[Use, tuple[set[int], list[bool]]] = {use: ({0}, []) for use in plan.bases if use[0] in k.KINDS}
        for node in walk(plan.program):
            if isinstance(node, s.Location) and node.index is not None:
                index = constant(node.index)
                for name in plan.names(node.name):
                    own, others = places[node.kind, CATEGORY[node.owner.cls or Class.GAME], name]
                    own.update(range(self.indexes) if index is None else (index,))
                    others.append(index is None)
        return {use: (sorted(own), any(others)) for use, (own, others) in places.items()}

    @cached_property
    def _blocks(self) -> list[str]:
        names = []
        for use, (own, others) in self._places.items():
            title = self._title(use)
            for whose in self._owners(use[1]):
                names += [f"{title}{f' {index}' if index else ''}{whose}" for index in own]
                names += [f"{title} beyond{whose}"] * others
        return names

    # --- for the kernel

    def _seen(self) -> v.Seen:
        plan = self.machine.plan
        cells, at = [], v.FIRST_FEATURES
        for kind, category, name in self._cells:
            many, first, number = plan.owners(category), int(category != "game"), int(kind == "sto")
            for owner in range(first, first + many):
                cells.append((plan.bases[kind, category, name] + owner, at, OWNERS[category], owner, number))
            at += (1 + number) * many
        families, indexes = {}, list[int]()
        for (kind, category, name), (own, others) in self._places.items():
            many, first = plan.owners(category), int(category != "game")
            width = len(self._parts) * (len(own) + others)
            for owner in range(first, first + many):
                address = plan.bases[kind, category, name] + owner * k.LOCATION
                families[address] = (at, OWNERS[category], owner, width, len(indexes), len(own), len(own) + others - 1)
            indexes += own
            at += width * many
        choices = np.array([op in (k.CHOICE, k.JOINT) for op in self.machine.program.code[:: k.STRIDE].tolist()])
        return v.Seen(
            np.array([families[family.at] for family in plan.families], np.int64).reshape(-1, v.FAMILY),
            np.array(indexes, np.int64),
            np.array(cells, np.int64).reshape(-1, v.CELL),
            np.array(list(accumulate(choices.tolist())), np.int64) * choices,
            np.array([self._backs.index(back) for back in plan.backs], np.int64),
            len(self._backs),
        )
