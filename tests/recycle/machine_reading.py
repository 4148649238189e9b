"""The state of the machine, read back into the terms of the plain interpreter."""

from functools import cache
from typing import Any

import numpy as np

from meldlab.recycle import library
from meldlab.recycle.language.checker import check
from meldlab.recycle.language.limits import Limits
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.compiler import Compiled, compile_program
from meldlab.recycle.machine.kernel_drive import Bytecode, new_job, run_job
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
        self.game, self.storage = game, game.storage
        code, data, layout = (np.array(table or [0], np.int64) for table in (game.code, game.data, game.layout))
        self.program = Bytecode(code, data, layout, game.initial)
        self.words = np.zeros(game.size, np.int64)
        for at, value in game.constants.items():
            self.words[at] = value

    def begin(self, seed: int, number: int) -> None:
        self.run(k.START, seed=seed, first=number)

    def run(self, task: int, **fields: int) -> None:
        run_job(self.program, self.words.reshape(1, -1), new_job(k.ONE_TASK, task, **fields))

    @property
    def status(self) -> int:
        return int(self.words[k.STATUS])

    def options(self) -> list[Option]:
        layout, found = self.game.layout, []
        self.run(k.LIST_OPTIONS)
        for n in range(self.words[k.OPTIONS]):
            at = self.words[layout[k.L_OPTION] + n]
            item, *branches = self.words[at + 1 : at + 1 + self.words[at]].tolist()
            found.append((item, tuple(branches)))
        return found

    def decide(self, option: int) -> None:
        self.run(k.TAKE_OPTION, option=option)

    def scores(self) -> list[int] | None:
        """Return the scores, or None where evaluating them fails."""
        before = self.status
        self.run(k.SCORE_PLAYERS)
        if self.status != before:
            return None
        at = self.game.layout[k.L_SCORES]
        return [int(points) for points in self.words[at + 1 : at + 1 + self.storage.players]]

    def cycle(self, first: int, end: int) -> int:
        """Return the address of the innermost cycle; those not in use are empty."""
        return [at for at in range(first, end, k.CYCLE) if self.words[at + k.CURRENT]][-1]

    def seat(self) -> int:
        return int(self.words[self.cycle(self.storage.player_cycle, self.storage.team_cycle) + k.CURRENT])

    def state(self) -> State:
        """Return everything that the rules can see."""
        words, storage = self.words, self.storage
        spots = {}
        for first, location in storage.locations.items():
            owner: Owner = Player(location.owner) if location.owner else TABLE
            chain = [first]
            address = int(words[first + k.CHAIN_AT])
            while address:
                chain.append(address)
                address = int(words[address + k.NEXT_AT])
            for address in dict.fromkeys(chain):
                index = int(words[address + k.INDEX_AT])
                spots[owner, location.kind, location.name, index] = self.cards(address, location.kind == "mem")
        cells: dict[tuple[Owner, str, str], Any] = {}
        for (kind, category, name), base in storage.addresses.items():
            if kind not in ("sto", "str", "points"):
                continue
            owners: list[tuple[int, Owner]] = [(0, TABLE)]
            if category != "game":
                owners = [(n, Player(n) if category == "player" else Team(n)) for n in range(1, storage.owners(category) + 1)]
            for n, holder in owners:
                if kind == "points":
                    cells[holder, kind, name] = self.worths(base + n * storage.map_width)
                else:
                    value = int(words[base + n])
                    cells[holder, kind, name] = value if kind == "sto" else storage.strings[value]
        return {
            "cards": {spot: cards for spot, cards in spots.items() if cards},
            "cells": {cell: value for cell, value in cells.items() if value},
            "player": self.seat(),
            "queued": int(words[self.cycle(storage.player_cycle, storage.team_cycle) + k.QUEUED]),
            "team": int(words[self.cycle(storage.team_cycle, storage.team_of) + k.CURRENT]),
            "decisions": int(words[k.DECISION]),
        }

    def worths(self, points: int) -> dict[int, int]:
        """Return what each card is worth under a point map, the worthless left out."""
        cards = range(int(self.words[k.CARDS]))
        worth = {card: int(self.words[points + self.words[self.storage.cards + card * k.NODE + k.TYPE]]) for card in cards}
        return {card: points for card, points in worth.items() if points}

    def cards(self, home: int, memory: bool) -> tuple[int, ...]:
        node, cards = int(self.words[home + k.BOTTOM_AT]), []
        while node:
            card = int(self.words[node + k.TYPE]) if memory else node
            cards.append((card - self.storage.cards) // k.NODE)
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
