"""The state of the machine, read back into the terms of the plain interpreter."""

from functools import cache
from typing import Any

import numpy as np

from meldlab.recycle import library
from meldlab.recycle.language.checker import check
from meldlab.recycle.language.limits import Limits
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.compiler import Compiled, compile_program
from meldlab.recycle.machine.kernel import Bytecode, begin, decide, explore, score
from tests.recycle.oracle import Option, Oracle
from tests.recycle.oracle_board import TABLE, Card, Owner, Player, Team

LIMITS = Limits(lists=100_000, options=5_000)
State = dict[str, Any]


@cache
def compiled(name: str) -> Compiled:
    return compile_text(library.entry(name).text)


def compile_text(text: str) -> Compiled:
    return compile_program(check(text, limits=LIMITS).raise_errors().program, LIMITS)


class Machine:
    """A game under the machine, one decision after the other."""

    def __init__(self, game: Compiled) -> None:
        self.game, self.plan = game, game.plan
        self.program = Bytecode(*(np.array(table or [0], np.int64) for table in (game.code, game.data, game.layout)))
        self.words = np.zeros(game.size, np.int64)
        for at, value in game.constants.items():
            self.words[at] = value

    def begin(self, seed: int, number: int) -> None:
        begin(self.program, self.words, self.game.initial, seed, number)

    @property
    def status(self) -> int:
        return int(self.words[k.STATUS])

    def options(self) -> list[Option]:
        layout, found = self.game.layout, []
        for n in range(explore(self.program, self.words)):
            at = self.words[layout[k.L_OPTION] + n]
            item, *branches = self.words[at + 1 : at + 1 + self.words[at]].tolist()
            found.append((item, tuple(branches)))
        return found

    def decide(self, option: int) -> None:
        decide(self.program, self.words, option)

    def scores(self) -> list[int] | None:
        """Return the scores, or None where evaluating them fails."""
        if not score(self.program, self.words):
            return None
        at = self.game.layout[k.L_SCORES]
        return [int(points) for points in self.words[at + 1 : at + 1 + self.plan.players]]

    def cycle(self, first: int, end: int) -> int:
        """Return the address of the innermost cycle; those not in use are empty."""
        return [at for at in range(first, end, k.CYCLE) if self.words[at + k.CURRENT]][-1]

    def seat(self) -> int:
        return int(self.words[self.cycle(self.plan.player_cycle, self.plan.team_cycle) + k.CURRENT])

    def state(self) -> State:
        """Return everything that the rules can see."""
        words, plan = self.words, self.plan
        spots = {}
        for family in plan.families:
            home = family.at
            owner: Owner = Player(family.owner) if family.owner else TABLE
            homes = [home]
            home = int(words[home + k.CHAIN_AT])
            while home:
                homes.append(home)
                home = int(words[home + k.NEXT_AT])
            for home in dict.fromkeys(homes):
                spots[owner, family.kind, family.name, int(words[home + k.INDEX_AT])] = self.cards(home, family.kind == "mem")
        cells: dict[tuple[Owner, str, str], Any] = {}
        for (kind, category, name), base in plan.bases.items():
            if kind not in ("sto", "str", "points"):
                continue
            owners: list[tuple[int, Owner]] = [(0, TABLE)]
            if category != "game":
                owners = [(n, Player(n) if category == "player" else Team(n)) for n in range(1, plan.owners(category) + 1)]
            for n, holder in owners:
                if kind == "points":
                    cells[holder, kind, name] = self.worths(base + n * plan.map_width)
                else:
                    value = int(words[base + n])
                    cells[holder, kind, name] = value if kind == "sto" else plan.strings[value]
        return {
            "cards": {spot: cards for spot, cards in spots.items() if cards},
            "cells": {cell: value for cell, value in cells.items() if value},
            "player": self.seat(),
            "queued": int(words[self.cycle(plan.player_cycle, plan.team_cycle) + k.QUEUED]),
            "team": int(words[self.cycle(plan.team_cycle, plan.team_of) + k.CURRENT]),
            "decisions": int(words[k.DECISION]),
        }

    def worths(self, points: int) -> dict[int, int]:
        """Return what each card is worth under a point map, the worthless left out."""
        cards = range(int(self.words[k.CARDS]))
        worth = {card: int(self.words[points + self.words[self.plan.cards + card * k.NODE + k.TYPE]]) for card in cards}
        return {card: points for card, points in worth.items() if points}

    def cards(self, home: int, memory: bool) -> tuple[int, ...]:
        node, cards = int(self.words[home + k.BOTTOM_AT]), []
        while node:
            card = int(self.words[node + k.TYPE]) if memory else node
            cards.append((card - self.plan.cards) // k.NODE)
            node = int(self.words[node + k.ABOVE])
        return tuple(cards)


def oracle_state(oracle: Oracle) -> State:
    board = oracle.board
    faces = [(Card(number), face) for number, face in enumerate(board.attributes)]
    cells = {
        cell: {card.number: value.worth(card, face) for card, face in faces if value.worth(card, face)} if cell[1] == "points" else value
        for cell, value in board.cells.items()
    }
    return {
        "cards": {spot: tuple(card.number for card in cards) for spot, cards in board.spots.items() if cards},
        "cells": {cell: value for cell, value in cells.items() if value},
        "player": board.players[-1].current,
        "queued": board.players[-1].queued or 0,
        "team": board.sides[-1].current,
        "decisions": oracle.decisions,
    }
