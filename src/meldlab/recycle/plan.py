"""Where the storage of a program lies in the state: every cell, point map and location that it can name, and every type of card.

>>> from meldlab.recycle.checker import check
>>> plan = Plan(check("(game (setup (create players 2) (create deck (game iloc S) (deck (A (X, Y)))))"
...                   " (do ((set ((1 player) sto N) 3))) (scoring max ((current player) sto N)))").program, Limits())
>>> [row["A"] for row in plan.types], sorted(plan.bases)
(['X', 'Y'], [('iloc', 'game', 'S'), ('sto', 'player', 'N')])
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from meldlab.recycle import kernel_layout as k
from meldlab.recycle import syntax as s
from meldlab.recycle.constants import constant
from meldlab.recycle.limits import Limits
from meldlab.recycle.syntax import Class
from meldlab.recycle.walking import walk

__all__ = ["KINDS", "Family", "Plan"]

KINDS = ("vloc", "iloc", "hloc", "oloc", "mem")
CATEGORY = {Class.GAME: "game", Class.PLAYER: "player", Class.TEAM: "team"}


@dataclass(frozen=True)
class Family:
    """The locations of one kind and name that one owner has; index 0 lies at ``at``."""

    owner: int  # 0 for the table
    kind: str
    name: str
    at: int


class Plan:
    """The fixed part of a state."""

    def __init__(self, program: s.Program, limits: Limits) -> None:
        self.program, self.limits = program, limits
        self.players = constant(program.setup.players) or 1
        nodes = list(walk(program))
        lists = [node for node in nodes if isinstance(node, s.CreateTeams)]
        self.most_teams = max([self.players] + [len(node.teams) for node in lists])
        self.strings = [""]
        self.string_ids = {"": 0}
        for node in nodes:
            for text in _texts(node):
                if text not in self.string_ids:
                    self.string_ids[text] = len(self.strings)
                    self.strings.append(text)
        self.types: list[dict[str, str]] = []
        self.backs: list[str] = []
        self.deck_types: dict[int, tuple[int, int]] = {}
        for node in nodes:
            if isinstance(node, s.CreateDeck):
                rows = list(_rows(node.attributes))
                self.deck_types[id(node)] = (len(self.types), len(rows))
                self.types += rows
                self.backs += [node.back.text if isinstance(node.back, s.Name) else "DEFAULT"] * len(rows)
        self.keys = sorted({key for row in self.types for key in row})
        self.updates = any(isinstance(node, s.SetPoints) and node.update for node in nodes)
        self.award_width = 2 + 2 * max([1] + [len(node.pairs) for node in nodes if isinstance(node, s.Award)])
        self.map_width = len(self.types) + (1 + limits.awards * self.award_width if self.updates else 0)
        self.watched = {(node.kind, name) for node in nodes if isinstance(node, s.Indexed) for name in self.names(node.name, nodes)}
        self._place(nodes)

    # --- names

    def names(self, name: s.Expr, nodes: list[s.Node]) -> list[str]:
        """Return the names that an expression can have."""
        match name:
            case s.Name():
                return [name.text]
            case s.CardAtt(key=s.Name(text=key)):
                return sorted({row.get(key, "") for row in self.types} | {""})
            case s.Var():
                binders = [node for node in nodes if isinstance(node, (s.Loop, s.Filter, s.Each, s.Let)) and node.var == name.name]
                colls = [node.value if isinstance(node, s.Let) else node.coll for node in binders]
                if colls and all(isinstance(coll, (s.Strings, s.Name)) for coll in colls):
                    return sorted({text for coll in colls for text in _texts(coll)})
        return self.strings

    # --- addresses

    def _place(self, nodes: list[s.Node]) -> None:
        """Give every cell, map and location its address."""
        uses: dict[tuple[str, str, str], None] = {}
        for node in nodes:
            if isinstance(node, (s.Cell, s.Location, s.Indexed)):
                category = CATEGORY[node.owner.cls or Class.GAME]
                for name in self.names(node.name, nodes):
                    uses[node.kind, category, name] = None
        depth = {"player": 1, "team": 1}
        for of in depth:
            depth[of] += _depth(self.program.phases, of)
        at = k.HEADER
        # Behind the deepest cycle lies an empty one, so that the innermost can be found.
        self.player_cycle, at = at, at + k.CYCLE * (depth["player"] + 1)
        self.team_cycle, at = at, at + k.CYCLE * (depth["team"] + 1)
        self.team_depth = depth["team"]
        self.team_of, at = at, at + self.players + 1
        self.team_lists, at = at, at + self.most_teams * (self.players + 1)
        self.scores, at = at, at + self.players + 1
        joint = [node for node in nodes if isinstance(node, s.Stage) and node.end == "simultaneous"]
        self.pending_width = 2 + max(64, self.limits.branches // 16) if joint else 0
        self.pending, at = at, at + self.pending_width * max(self.players, self.most_teams)
        self.bases: dict[tuple[str, str, str], int] = {}
        for team in (False, True):
            if team:
                self.team_cells = at
            for kind, category, name in uses:
                if kind in KINDS or (category == "team") != team:
                    continue
                width = self.map_width if kind == "points" else 1
                self.bases[kind, category, name] = at - (0 if category == "game" else width)
                at += width * self.owners(category)
        self.team_cells_end = at
        self.families: list[Family] = []
        for kind, category, name in uses:
            if kind in KINDS:
                first = 0 if category == "game" else 1
                self.bases[kind, category, name] = at - first * k.LOCATION
                for owner in range(first, first + self.owners(category)):
                    self.families.append(Family(owner, kind, name, at))
                    at += k.LOCATION
        self.cards = at
        self.card_limit = self._card_limit(nodes)
        self.fixed = at + k.NODE * self.card_limit
        self.dynamic_end = self.fixed + k.LOCATION * self.limits.locations + k.NODE * self.limits.memories

    def owners(self, category: str) -> int:
        """Return how many owners of a category there are."""
        return {"game": 1, "player": self.players, "team": self.most_teams}[category]

    def _card_limit(self, nodes: list[s.Node]) -> int:
        made: int = sum(_made(deck, self.deck_types) for deck in self.program.setup.decks)
        in_play = any(isinstance(node, s.CreateDeck) for phase in self.program.phases for node in walk(phase))
        limit: int = self.limits.cards if in_play else made
        return limit

    def initial(self) -> list[int]:
        """Return the fixed part of a state before the game begins."""
        words = [0] * self.fixed
        words[self.player_cycle + k.CURRENT] = words[self.team_cycle + k.CURRENT] = 1
        words[k.TOP] = self.fixed
        for family in self.families:
            words[family.at + k.OWNER_AT] = family.owner
            words[family.at + k.KIND_AT] = KINDS.index(family.kind)
            words[family.at + k.FIRST_AT] = family.at
            words[family.at + k.NEXT_AT] = -1
        return words


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


def _made(deck: Any, deck_types: dict[int, tuple[int, int]]) -> int:
    if isinstance(deck, s.RepeatDeck):
        return max(0, constant(deck.count) or 0) * _made(deck.deck, deck_types)
    return deck_types[id(deck)][1]


def _depth(phases: tuple[s.Phase, ...], of: str) -> int:
    return max([0] + [(phase.of == of) + _depth(phase.phases, of) for phase in phases if isinstance(phase, s.Stage)])
