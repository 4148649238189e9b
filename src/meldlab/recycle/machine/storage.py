"""Addresses in the state: those of every cell, point map and location that a program can name; and the types of its cards.

>>> from meldlab.recycle.language.checker import check
>>> storage = StorageLayout(check("(game (setup (create players 2) (create deck (game iloc S) (deck (A (X, Y)))))"
...                        " (do ((set ((1 player) sto N) 3))) (scoring max ((current player) sto N)))").program, Limits())
>>> [row["A"] for row in storage.types], sorted(storage.addresses)
(['X', 'Y'], [('iloc', 'game', 'S'), ('sto', 'player', 'N')])
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from meldlab.recycle.language import syntax as s
from meldlab.recycle.language.constants import cards_made, constant
from meldlab.recycle.language.diagnostics import Diagnostic
from meldlab.recycle.language.limits import Limits
from meldlab.recycle.language.syntax import Class
from meldlab.recycle.language.tree import walk
from meldlab.recycle.machine import kernel_layout as k

CATEGORY = {Class.GAME: "game", Class.PLAYER: "player", Class.TEAM: "team"}
# IntArray of memory that Python takes for an attribute of a type of card, and for a location.
WORDS_OF_ATTRIBUTE = 16
WORDS_OF_LOCATION = 50
MAX_READY = 1000  # cards that lie in their place before the game begins; more are made by instructions


@dataclass(frozen=True, order=True)
class Location:
    """A location: its owner (a player from 1, 0 for the table), kind, name and index."""

    owner: int
    kind: str
    name: str
    index: int = 0

    @property
    def owner_text(self) -> str:
        """Return the owner as text."""
        return f"p{self.owner}" if self.owner else "table"

    @property
    def visibility(self) -> str:
        """Return who sees the cards: public, private, hidden, others or memory; a private location of the table is hidden."""
        if self.kind == "iloc" and not self.owner:
            return "hidden"
        return {"vloc": "public", "iloc": "private", "hloc": "hidden", "oloc": "others", "mem": "memory"}[self.kind]

    @property
    def label(self) -> str:
        """Return the name without the owner."""
        return f"{self.name} {self.index}" if self.index else self.name

    def __str__(self) -> str:
        return f"{self.owner_text} {self.kind} {self.label}"

    def visible_to(self, seat: int) -> bool:
        """Return whether a seat (from 0) sees the cards."""
        return k.sees(k.KINDS.index(self.kind), self.owner, seat)


class StorageLayout:
    """The fixed part of a state; ``text`` is what an error shows.

    Nothing that grows faster than the text is made before it is known to fit into the limit on words.
    """

    def __init__(self, program: s.Program, limits: Limits, text: str = "") -> None:
        self.program, self.limits, self.text = program, limits, text
        self.reserved = 0  # words of memory so far
        self.players = constant(program.setup.players) or 1
        nodes = list(walk(program))
        lists = [node for node in nodes if isinstance(node, s.CreateTeams)]
        self.max_teams = max([self.players] + [len(node.teams) for node in lists])
        self.strings = [""]
        self.string_ids = {"": 0}
        lists_read: set[int] = set()  # a declared list stands at each of its uses
        for node in nodes:
            if isinstance(node, s.Strings):
                if id(node.names) in lists_read:
                    continue
                lists_read.add(id(node.names))
            for name in _texts(node):
                if name not in self.string_ids:
                    self.string_ids[name] = len(self.strings)
                    self.strings.append(name)
        decks = [node for node in nodes if isinstance(node, s.CreateDeck)]
        self.keys = sorted({part.key for deck in decks for part in walk(deck) if isinstance(part, s.Attribute)})
        self.reserve(sum(map(cards_made, decks)) * len(self.keys) * WORDS_OF_ATTRIBUTE)
        self.types: list[dict[str, str]] = []
        self.backs: list[str] = []
        self.deck_types: dict[int, tuple[int, int]] = {}
        for deck in decks:
            rows = list(_rows(deck.attributes))
            self.deck_types[id(deck)] = (len(self.types), len(rows))
            self.types += rows
            self.backs += [deck.back.text if isinstance(deck.back, s.Name) else "DEFAULT"] * len(rows)
        # [types, keys], the string that each type of card has as an attribute, 0 for none
        ids = [self.string_ids[row.get(key, "")] for row in self.types for key in self.keys]
        self.attributes: NDArray[np.int64] = np.array(ids, np.int64).reshape(len(self.types), len(self.keys))
        self.sorts = any(isinstance(node, s.Sort) for node in nodes)
        self.updates = any(isinstance(node, s.SetPoints) and node.update for node in nodes)
        self.award_width = 2 + 2 * max([1] + [len(node.pairs) for node in nodes if isinstance(node, s.Award)])
        self.map_width = len(self.types) + (1 + limits.awards * self.award_width if self.updates else 0)
        self._colls: dict[str, list[s.Expr]] = {}  # what each variable is drawn from, anywhere
        card_names, other_names = set[str](), set[str]()
        for node in nodes:
            if isinstance(node, (s.Loop, s.Filter, s.Each, s.Let)):
                self._colls.setdefault(node.var, []).append(node.value if isinstance(node, s.Let) else node.coll)
                is_card = not isinstance(node, s.Let) and node.coll.cls is Class.CARDS
                (card_names if is_card else other_names).add(node.var)
        self.card_names = card_names - other_names  # variables that are cards of a list wherever they are bound, so never none
        self._known_names: dict[tuple[str, str], Sequence[str]] = {}
        self.indexed_names = {(kind, name) for kind, _, name in self._uses([node for node in nodes if isinstance(node, s.Indexed)])}
        self.decks = self._decks()
        self._place(nodes)

    def reserve(self, words: int) -> None:
        """Count memory before it is taken; reject the program if the sum is too large."""
        self.reserved += words
        if self.reserved > self.limits.words:
            problem = f"the program takes {self.reserved:,} words of memory (at most {self.limits.words:,}; raise the limit 'words')"
            raise Diagnostic("E112", problem, self.program.setup.offset).error(self.text)

    def awarded(self, award: s.Award) -> NDArray[np.int64]:
        """Return [types], what an award of fixed names and points gives to each type of card."""
        match = np.ones(len(self.types), bool)
        for key, value in award.pairs:
            assert isinstance(key, s.Name)
            assert isinstance(value, s.Name)
            match &= self.attributes[:, self.keys.index(key.text)] == self.string_ids[value.text] if key.text in self.keys else False
        assert isinstance(award.points, s.Number)
        return match * np.int64(award.points.value)

    # --- names

    def names(self, name: s.Expr) -> Sequence[str]:
        """Return the names that an expression can have."""
        match name:
            case s.Name():
                return (name.text,)
            case s.CardAtt(key=s.Name(text=text)):
                if ("key", text) not in self._known_names:
                    self._known_names["key", text] = sorted({row.get(text, "") for row in self.types} | {""})
                return self._known_names["key", text]
            case s.Var(name=text):
                if ("variable", text) not in self._known_names:
                    colls = self._colls.get(text, [])
                    literal = bool(colls) and all(isinstance(coll, (s.Strings, s.Name)) for coll in colls)
                    # A declared list stands at each of its uses: it is gone through once.
                    several = {id(getattr(coll, "names", coll)): coll for coll in colls}.values()
                    names = sorted({name for coll in several for name in _texts(coll)}) if literal else self.strings
                    self._known_names["variable", text] = names
                return self._known_names["variable", text]
        return self.strings

    def _uses(self, nodes: Sequence[s.Node]) -> dict[tuple[str, str, str], None]:
        """Return the kinds, categories and names of the storage that constructs can name, in order."""
        uses: dict[tuple[str, str, str], None] = {}
        done: set[tuple[str, str, int]] = set()  # long lists of names are gone through once
        for node in nodes:
            if isinstance(node, (s.Cell, s.Location, s.Indexed)):
                category, names = CATEGORY[node.owner.cls or Class.GAME], self.names(node.name)
                if len(names) > 1:
                    if (node.kind, category, id(names)) in done:
                        continue
                    done.add((node.kind, category, id(names)))
                for name in names:
                    uses[node.kind, category, name] = None
        return uses

    # --- addresses

    def _place(self, nodes: list[s.Node]) -> None:
        """Give every cell, map and location its address."""
        uses = self._uses(nodes)
        depth = {"player": 1, "team": 1}
        for of in depth:
            depth[of] += _depth(self.program.phases, of)
        address = k.HEADER
        # An empty cycle follows the deepest one, so that the innermost can be found.
        self.player_cycle, address = address, address + k.CYCLE * (depth["player"] + 1)
        self.team_cycle, address = address, address + k.CYCLE * (depth["team"] + 1)
        self.team_depth = depth["team"]
        self.team_of, address = address, address + self.players + 1
        self.team_lists, address = address, address + self.max_teams * (self.players + 1)
        self.scores, address = address, address + self.players + 1
        joint = [node for node in nodes if isinstance(node, s.Stage) and node.end == "simultaneous"]
        self.pending_width = 2 + max(64, self.limits.branches // 16) if joint else 0
        self.pending, address = address, address + self.pending_width * max(self.players, self.max_teams)
        self.addresses: dict[tuple[str, str, str], int] = {}
        for team in (False, True):
            if team:
                self.team_cells = address
            for kind, category, name in uses:
                if kind in k.KINDS or (category == "team") != team:
                    continue
                width = self.map_width if kind == "points" else 1
                self.addresses[kind, category, name] = address - (0 if category == "game" else width)
                address += width * self.owners(category)
        self.team_cells_end = address
        self.cards = address + k.LOCATION * sum(self.owners(category) for kind, category, _ in uses if kind in k.KINDS)
        in_play = any(isinstance(node, s.CreateDeck) for phase in self.program.phases for node in walk(phase))
        self.card_limit: int = self.limits.cards if in_play else sum(map(cards_made, self.program.setup.decks))
        self.fixed = self.cards + k.NODE * self.card_limit
        self.dynamic_end = self.fixed + k.LOCATION * self.limits.locations + k.NODE * self.limits.memories
        # What a state begins with, and the copies of it that are held while a game is played.
        self.reserve(4 * self.fixed + WORDS_OF_LOCATION * (self.cards - address) // k.LOCATION)
        self.locations: dict[int, Location] = {}  # by address, index 0 of each name and owner
        for kind, category, name in uses:
            if kind in k.KINDS:
                first = 0 if category == "game" else 1
                self.addresses[kind, category, name] = address - first * k.LOCATION
                for owner in range(first, first + self.owners(category)):
                    self.locations[address] = Location(owner, kind, name)
                    address += k.LOCATION

    def cells(self) -> Iterator[tuple[str, str, int, str, int]]:
        """Yield every cell and point map: kind, category and number of the owner, name, address."""
        for (kind, category, name), base in self.addresses.items():
            if kind not in k.KINDS:
                first = 0 if category == "game" else 1
                for owner in range(first, first + self.owners(category)):
                    yield kind, category, owner, name, base + owner * (self.map_width if kind == "points" else 1)

    def owners(self, category: str) -> int:
        """Return how many owners of a category there are."""
        return {"game": 1, "player": self.players, "team": self.max_teams}[category]

    def _decks(self) -> list[tuple[str, str, int]] | None:
        """Return kind and name of the location, and the type, of each card of the set-up in its order; None if a game must find out."""
        cards: list[tuple[str, str, int]] = []
        for deck in self.program.setup.decks:
            times, node = 1, deck
            while isinstance(node, s.RepeatDeck):
                count = constant(node.count)
                if count is None:
                    return None
                times, node = times * max(0, count), node.deck
            home = node.location
            if not (isinstance(home, s.Location) and isinstance(home.owner, s.TableOwner) and isinstance(home.name, s.Name)):
                return None
            first, count = self.deck_types[id(node)]
            indexed = home.index is not None and constant(home.index) != 0
            if indexed or home.kind == "mem" or (home.kind, home.name.text) in self.indexed_names or len(cards) + times * count > MAX_READY:
                return None
            cards += [(home.kind, home.name.text, first + i) for i in range(count)] * times
        return cards

    def initial(self) -> NDArray[np.int64]:
        """Return the fixed part of a state before the game begins."""
        words = np.zeros(self.fixed, np.int64)
        words[self.player_cycle + k.CURRENT] = words[self.team_cycle + k.CURRENT] = 1
        words[k.TOP] = self.fixed
        for address, location in self.locations.items():
            words[address + k.OWNER_AT] = location.owner
            words[address + k.KIND_AT] = k.KINDS.index(location.kind)
            words[address + k.FIRST_AT] = address
            words[address + k.NEXT_AT] = -1
        if self.decks is not None:
            self._set_up(words, self.decks)
        return words

    def _set_up(self, words: NDArray[np.int64], cards: list[tuple[str, str, int]]) -> None:
        """Let the teams be made, and the cards lie in their locations."""
        teams = self.program.setup.teams
        members = teams.teams if teams else tuple((player,) for player in range(1, self.players + 1))
        words[k.TEAMS] = len(members)
        for team, players in enumerate(members):
            address = self.team_lists + team * (self.players + 1)
            words[address : address + 1 + len(players)] = len(players), *players
            words[[self.team_of + player for player in players]] = team + 1
        words[k.CARDS] = len(cards)
        for number, (kind, name, of_type) in enumerate(cards):
            home, card = self.addresses[kind, "game", name], self.cards + k.NODE * number
            under = words[home + k.TOP_AT]
            words[card + k.BELOW], words[card + k.LOCATION_AT], words[card + k.TYPE] = under, home, of_type
            words[under + k.ABOVE if under else home + k.BOTTOM_AT] = card
            words[home + k.TOP_AT] = card
            words[home + k.SIZE_AT] += 1


def _texts(node: s.Node) -> Iterator[str]:
    match node:
        case s.Name():
            yield node.text
        case s.Strings():
            yield from node.names
        case s.Attribute():
            yield node.key
        case s.Branch():
            yield node.value


def _rows(attributes: tuple[s.Attribute, ...]) -> Iterator[dict[str, str]]:
    """Yield the cards of a deck: the product of its attributes, the first turning slowest."""
    for parts in product(*map(_alternatives, attributes)):
        row: dict[str, str] = {}
        for part in parts:
            row |= part
        yield row


def _alternatives(attribute: s.Attribute) -> list[dict[str, str]]:
    return [
        {attribute.key: branch.value, **below}
        for branch in attribute.branches
        for below in ([row for inner in branch.attributes for row in _alternatives(inner)] if branch.attributes else [{}])
    ]


def _depth(phases: tuple[s.Phase, ...], of: str) -> int:
    return max([0] + [(phase.of == of) + _depth(phase.phases, of) for phase in phases if isinstance(phase, s.Stage)])
