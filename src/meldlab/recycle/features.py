"""Observations of a RECYCLE game as numbers, for any seat.

First come four numbers: the own seat, the choice of the description that is to be made (from 1; 0 when the game is over), the decisions
made so far, the own team (from 1; 0 for none). Then every cell of the storage: two features for a number, its amount above and below 0;
one for a string, its index in ``strings``. Then blocks, one for every location: the number of cards of each type that the seat sees or
remembers there, the number of other cards for each back, and the type of the top card from 1, if the seat sees it. Players and teams are
in the order from the own one on. Locations by an index that is computed in play have blocks for the first indexes, and one for all others.
No feature goes above 255. Point maps are left out: a program rarely changes them.

>>> from meldlab.recycle.game import RecycleGame
>>> features = Features(RecycleGame.load("kuhn_poker").machine)
>>> features.width, features.scalars["PAID of seat + 1"], features.planes["HAND of seat + 0"]
(31, 6, slice(21, 24, None))
>>> features.names[21:26]
('HAND of seat + 0: JACK', 'HAND of seat + 0: QUEEN', 'HAND of seat + 0: KING', 'HAND of seat + 0: unseen', 'HAND of seat + 0: top')
"""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from meldlab.errors import NotPossible
from meldlab.recycle.describe import Describer
from meldlab.recycle.language import syntax as s
from meldlab.recycle.language.constants import constant
from meldlab.recycle.language.syntax import Class
from meldlab.recycle.language.tree import walk
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine import kernel_tables as kt
from meldlab.recycle.machine.machine import Machine
from meldlab.recycle.machine.storage import CATEGORY
from meldlab.recycle.state import State

MAX_FEATURES = 1_000_000
OWNERS = {"game": kt.OF_GAME, "player": kt.OF_PLAYER, "team": kt.OF_TEAM}
Use = tuple[str, str, str]  # kind, category of the owner, name


class Features:
    """Names and indexes of the features of a game; the first ``indexes`` locations by index have blocks of their own."""

    def __init__(self, machine: Machine, indexes: int = 8) -> None:
        self.machine, self.indexes, storage = machine, indexes, machine.storage
        backs = sorted(set(storage.backs))
        unseen = ["unseen" if back == "DEFAULT" else f"unseen {back}" for back in backs]
        parts, types = (*Describer(machine).card_names, *unseen, "top"), len(storage.types)
        names = ["seat", "choice", "decisions", "team"]
        self.planes: dict[str, slice] = {}
        """The counts by type of each block of cards, by its name."""
        cells, locations, listed = list[tuple[int, ...]](), dict[int, tuple[int, ...]](), list[int]()
        for use, address in storage.addresses.items():
            kind, category, _ = use
            title, first, number = self._title(use), len(names), int(kind == "sto")
            if kind in ("sto", "str"):
                for owner, whose in self._owners(category):
                    cells.append((address + owner, first, OWNERS[category], owner, number))
                    names += [title + whose, f"{title}{whose} below 0"][: 1 + number]
            if kind in k.KINDS:
                own, others = self._own_indexes[use]
                width = len(parts) * (len(own) + others)
                for owner, whose in self._owners(category):
                    entry = first, OWNERS[category], owner, width, len(listed), len(own), len(own) + others - 1
                    locations[address + owner * k.LOCATION] = entry
                    for block in (
                        *(f"{title}{f' {index}' if index else ''}{whose}" for index in own),
                        *[f"{title} beyond{whose}"] * others,
                    ):
                        self.planes[block] = slice(len(names), len(names) + types)
                        names += [f"{block}: {part}" for part in parts]
                listed += own
        self.names, self.width = tuple(names), len(names)
        if self.width > MAX_FEATURES:
            raise NotPossible(f"the game has {self.width:,} features (at most {MAX_FEATURES:,}); ask for fewer indexes than {indexes}")
        self.layout = kt.FeatureLayout(
            locations=np.array([locations[address] for address in storage.locations], kt.LOCATION_FEATURES),
            indexes=np.array(listed, np.int64),
            cells=np.array(cells, kt.CELL_FEATURES),
            choices=_choice_numbers(machine),
            back=np.array([backs.index(back) for back in storage.backs], np.int64),
            backs=len(backs),
        )

    @property
    def strings(self) -> tuple[str, ...]:
        """Return the strings that cells hold, by their numbers; 0 is none."""
        return tuple(self.machine.storage.strings)

    @cached_property
    def scalars(self) -> dict[str, int]:
        """Return the index of each feature that is not a count by type, by its name."""
        counts = {index for plane in self.planes.values() for index in range(plane.start, plane.stop)}
        return {name: index for index, name in enumerate(self.names) if index not in counts}

    def of(self, state: State, seat: int) -> NDArray[np.uint8]:
        """Return [width], the observation of a seat, also while it is not to move."""
        features = np.zeros(self.width, np.uint8)
        words, layout = state.position.words, self.machine.program.layout
        choice = 0 if state.position.over else self.layout.choices[int(words[k.PC]) // k.STRIDE]
        blocks = np.zeros(len(words), np.int64)
        kt.write_features(words.copy(), layout, state.known[seat].copy(), self.layout, seat, choice, blocks, features)
        return features

    def _owners(self, category: str) -> list[tuple[int, str]]:
        """Return the number of each owner, and the words for the one that is as far from the observing seat."""
        count = self.machine.storage.owners(category)
        word = "team" if category == "team" else "seat"
        return [(0, "")] if category == "game" else [(ahead + 1, f" of {word} + {ahead}") for ahead in range(count)]

    def _title(self, use: Use) -> str:
        kind, category, name = use
        # A program may give one name to storage of several kinds.
        same_name = [other[0] for other in self.machine.storage.addresses if other[1:] == (category, name)]
        kinds = [other for other in same_name if (other in k.KINDS) == (kind in k.KINDS) and other not in ("mem", "points")]
        shared = len(kinds) > 1
        return f"memory {name}" if kind == "mem" else f"{name} ({kind})" if shared else name

    @cached_property
    def _own_indexes(self) -> dict[Use, tuple[list[int], bool]]:
        """Return for each location by name the indexes with a block of their own, and whether there may be others."""
        storage = self.machine.storage
        indexes: dict[Use, tuple[set[int], list[bool]]] = {use: ({0}, []) for use in storage.addresses if use[0] in k.KINDS}
        for node in walk(storage.program):
            if isinstance(node, s.Location) and node.index is not None:
                index = constant(node.index)
                for name in storage.names(node.name):
                    own, others = indexes[node.kind, CATEGORY[node.owner.cls or Class.GAME], name]
                    own.update(range(self.indexes) if index is None else (index,))
                    others.append(index is None)
        return {use: (sorted(own), any(others)) for use, (own, others) in indexes.items()}


def _choice_numbers(machine: Machine) -> NDArray[np.int64]:
    """Return [instructions], the number of each choice, from 1; 0 for other instructions."""
    choices = np.isin(machine.program.code[:: k.STRIDE], (k.CHOICE, k.JOINT)).astype(np.int64)
    return np.cumsum(choices) * choices
