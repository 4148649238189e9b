"""Games played by the plain interpreter: at random, by a list of choices, or with every deal."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from meldlab.recycle import library
from meldlab.recycle.language import syntax as s
from meldlab.recycle.language.parser import parse
from tests.recycle.oracle import Decision, Oracle
from tests.recycle.oracle_board import Addressed, Card, Owner, Player


@cache
def program(name: str) -> s.Program:
    return parse(library.entry(name).text)


class Face(NamedTuple):
    rank: str
    suit: str


@dataclass
class Game:
    """One game with a random player at every seat, drawing from the addresses that the machine draws from."""

    oracle: Oracle
    scores: list[int] = field(default_factory=list)
    options: list[int] = field(default_factory=list)  # of each decision
    taken: list[int] = field(default_factory=list)  # the option taken

    def decisions(self, seed: int, game: int, eager: bool = False) -> Iterator[tuple[Decision, int]]:
        """Play on; yield each decision before it is carried out, with the option about to be taken.

        An eager player takes the last option half of the time; in our rummies that is a meld or a knock.
        """
        chance, course = Addressed(seed, game), self.oracle.play()
        try:
            decision = next(course)
            while True:
                index = chance.option(self.oracle.decisions, decision.seat - 1, len(decision.options))
                if eager and chance.option(self.oracle.decisions, decision.seat - 1, 2, nth=1):
                    index = len(decision.options) - 1
                self.options.append(len(decision.options))
                self.taken.append(index)
                yield decision, index
                decision = course.send(index)
        except StopIteration as end:
            self.scores = end.value

    def cards(self, owner: Owner, kind: str, name: str, index: int = 0) -> list[Face]:
        return [self.face(card) for card in self.oracle.board.spots.get((owner, kind, name, index), [])]

    def hand(self, seat: int) -> list[Face]:
        return self.cards(Player(seat), "iloc", "HAND")

    def face(self, card: Card) -> Face:
        attributes = self.oracle.board.attributes[card.number]
        return Face(attributes["RANK"], attributes.get("SUIT", ""))

    def cell(self, owner: Owner, kind: str, name: str) -> Any:
        return self.oracle.board.cells.get((owner, kind, name), 0 if kind == "sto" else "")

    def moves(self, name: str) -> list[tuple[Face, Owner, Owner]]:
        """Return all moves so far into locations of that name: the card, whose it was, whose it is."""
        return [(self.face(card), source[0], target[0]) for card, source, target in self.oracle.moves if target[2] == name]


def new_game(name: str, seed: int, game: int = 0) -> Game:
    return game_of(program(name), seed, game)


def game_of(rules: s.Program, seed: int, game: int = 0) -> Game:
    return Game(Oracle(rules, Addressed(seed, game)))


def play_out(name: str, seed: int, game: int = 0, eager: bool = False) -> Game:
    played = new_game(name, seed, game)
    for _ in played.decisions(seed, game, eager):
        pass
    return played


def follow(oracle: Oracle, choices: Sequence[int]) -> Decision | list[int]:
    """Make these choices from the start; return the decision they lead to, or the scores."""
    course = oracle.play()
    try:
        decision = next(course)
        for index in choices:
            decision = course.send(index)
        return decision
    except StopIteration as end:
        scores: list[int] = end.value
        return scores


def histories(name: str, seed: int, depth: int) -> int:
    """Count the sequences of ``depth`` choices from the start, and the games that end before."""

    def below(choices: list[int]) -> int:
        if len(choices) == depth:
            return 1
        at = follow(Oracle(program(name), Addressed(seed)), choices)
        return sum(below([*choices, index]) for index in range(len(at.options))) if isinstance(at, Decision) else 1

    return below([])
