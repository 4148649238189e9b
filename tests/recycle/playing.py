"""Games played by the plain interpreter: at random, by a list of choices, or with every deal."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from meldlab.recycle import library
from meldlab.recycle import syntax as s
from meldlab.recycle.reader import read
from tests.recycle.oracle import Decision, Oracle
from tests.recycle.oracle_board import PLAYER, Addressed, Event


@cache
def program(name: str) -> s.Program:
    return read(library.entry(name).text)


@dataclass
class Game:
    """One game with a random player at every seat, drawing from the addresses that the machine draws from."""

    oracle: Oracle
    scores: list[int]
    options: list[int]  # of each decision

    def decisions(self, seed: int, game: int) -> Iterator[tuple[Decision, int]]:
        """Play on; yield each decision before it is carried out, with the option about to be taken."""
        chance, course = Addressed(seed, game), self.oracle.play()
        try:
            decision = next(course)
            while True:
                index = chance.below(Event((), self.oracle.decisions, 0, PLAYER), 0, len(decision.options))
                self.options.append(len(decision.options))
                yield decision, index
                decision = course.send(index)
        except StopIteration as end:
            self.scores = end.value


def new_game(name: str, seed: int, game: int = 0) -> Game:
    return Game(Oracle(program(name), Addressed(seed, game)), [], [])


def play_out(name: str, seed: int, game: int = 0) -> Game:
    played = new_game(name, seed, game)
    for _ in played.decisions(seed, game):
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
