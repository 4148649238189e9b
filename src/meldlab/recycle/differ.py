"""Comparison of two programs: the first history after which they differ, with the same random draws and choices.

Histories are compared by what a player can observe: who decides, what the options do, the cards that each seat sees, and the scores.

>>> from meldlab.recycle.game import RecycleGame
>>> kuhn = RecycleGame.load("kuhn_poker")
>>> lowest = RecycleGame("lowest", kuhn.text.replace("(scoring max", "(scoring min"))
>>> print(differ(kuhn, kuhn, games=10).text)
no difference in 10 games, 32 histories
>>> differ(kuhn, lowest, games=10).difference.what
'scores'
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from meldlab.play import Chance, Deal
from meldlab.recycle.describe import Describer
from meldlab.recycle.game import RecycleGame
from meldlab.recycle.state import State

GAMES = 1000  # compared by their results
STEPPED_GAMES = 20  # of these, those that are compared decision by decision if no result differs
MAX_DIFFERENT = 50  # games whose results differ and that are compared decision by decision
SHOWN = 5  # options of one program that the other does not have


@dataclass(frozen=True)
class Difference:
    """The first history after which two programs differ: the game, the actions up to there, and what each program has there."""

    game: int
    history: tuple[str, ...]
    what: str
    first: tuple[str, ...]
    second: tuple[str, ...]


@dataclass(frozen=True)
class DifferResult:
    """The games and histories that were compared, and the difference if there is one."""

    names: tuple[str, str]
    games: int
    histories: int
    difference: Difference | None = None

    @property
    def text(self) -> str:
        """Return the result as text."""
        difference = self.difference
        if difference is None:
            return f"no difference in {self.games:,} games, {self.histories:,} histories"
        steps = [f"  {number:3}. {line}" for number, line in enumerate(difference.history, 1)]
        sides = [
            f"  {name}: {line}" for name, lines in zip(self.names, (difference.first, difference.second), strict=True) for line in lines
        ]
        after = f"after {len(steps)} decision{'s' * (len(steps) != 1)}" if steps else "at the start"
        return "\n".join([f"game {difference.game}, {after}, the {difference.what} differ:", *steps, *sides])

    def as_json(self) -> dict[str, object]:
        """Return the result as JSON."""
        difference = self.difference
        where = None
        if difference is not None:
            sides = {"first": difference.first, "second": difference.second}
            where = {"game": difference.game, "history": difference.history, "what": difference.what, **sides}
        return {"differs": where is not None, "games": self.games, "histories": self.histories, "where": where}


def differ(first: RecycleGame, second: RecycleGame, games: int = GAMES, seed: int = 0, stepped: int = STEPPED_GAMES) -> DifferResult:
    """Play games of both programs with the same draws; return the first difference.

    The kernel plays all games with random players. Those whose results differ, and the first ``stepped`` games, are compared decision by
    decision; there an option of one program corresponds to the option of the other that does the same.
    """
    names = (first.name, second.name) if first.name != second.name else (f"{first.name} (first)", f"{second.name} (second)")
    players = first.machine.players, second.machine.players
    if players[0] != players[1]:
        sides = [(f"{number} players",) for number in players]
        return DifferResult(names, 0, 0, Difference(0, (), "numbers of players", sides[0], sides[1]))
    played = [game.machine.random_games(games, seed, 0) for game in (first, second)]
    alike = [
        (ours == theirs if ours.ndim == 1 else (ours == theirs).all(axis=1))
        for name, ours, theirs in zip(type(played[0])._fields, *played, strict=True)
        if name != "errors"  # addresses of instructions
    ]
    unlike = np.flatnonzero(~np.logical_and.reduce(alike))
    histories = 0
    for game in sorted({*unlike[:MAX_DIFFERENT].tolist(), *range(min(stepped, games))}, key=lambda game: (game not in unlike, game)):
        difference, compared = _compare_game(first, second, Deal(seed, game))
        histories += compared
        if difference is not None:
            return DifferResult(names, games, histories, difference)
    return DifferResult(names, games, histories)


def _compare_game(first: RecycleGame, second: RecycleGame, deal: Deal) -> tuple[Difference | None, int]:
    """Return the first difference of a game, if any, and the number of histories compared."""
    history: list[str] = []
    states: list[State] = [game.start(game.machine.players, deal) for game in (first, second)]
    texts = _Texts(first), _Texts(second)
    while True:
        for what, ours, theirs in _differences(states, texts):
            return Difference(deal.number, tuple(history), what, ours, theirs), len(history) + 1
        seat = states[0].seat
        if seat is None:
            return None, len(history) + 1
        options = [text.options(state) for text, state in zip(texts, states, strict=True)]
        index = Chance(deal.root, len(history), seat).pick(range(len(options[0])))
        line = options[0][index]
        history.append(f"p{seat + 1} {line}")
        choices = [index, options[1].index(line)]
        states = [state.apply(state.view(seat).legal_actions()[choice]) for state, choice in zip(states, choices, strict=True)]


def _differences(states: list[State], texts: "tuple[_Texts, _Texts]") -> Iterator[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """Yield what differs between two states, and its text in each."""
    turns = [() if state.seat is None else (f"p{state.seat + 1} decides",) for state in states]
    if turns[0] != turns[1]:
        sides = [turn or (f"the game is over, {_scores(state)}",) for turn, state in zip(turns, states, strict=True)]
        yield "turns", sides[0], sides[1]
        return
    for seat in range(len(states[0].position.teams)):
        ours, theirs = (dict(state.view(seat).locations) for state in states)
        if ours != theirs:
            names = [name for name in {**ours, **theirs} if ours.get(name) != theirs.get(name)]
            shown = [tuple(f"{name}: {' '.join(of.get(name, ()))}" for name in names) for of in (ours, theirs)]
            yield f"cards that p{seat + 1} sees", shown[0], shown[1]
            return
    if states[0].seat is None:
        scores = [(_scores(state),) for state in states]
        if scores[0] != scores[1]:
            yield "scores", scores[0], scores[1]
        return
    options = [Counter(text.options(state)) for text, state in zip(texts, states, strict=True)]
    only = [list((options[side] - options[1 - side]).elements()) for side in (0, 1)]
    if only[0] or only[1]:
        yield "options", _shortened(only[0]), _shortened(only[1])


def _scores(state: State) -> str:
    result = state.result
    assert result is not None
    return f"{result.reason}: {', '.join(map(str, result.scores))}"


def _shortened(options: list[str]) -> tuple[str, ...]:
    if not options:
        return ("(no other options)",)
    return (*options[:SHOWN], *([f"and {len(options) - SHOWN} more"] if len(options) > SHOWN else []))


class _Texts:
    """Texts of the options of a program: what they do to cards and storage."""

    def __init__(self, game: RecycleGame) -> None:
        self.describer = Describer(game.machine)
        self.position: object = None
        self.texts: list[str] = []

    def options(self, state: State) -> list[str]:
        """Return the text of each option."""
        if self.position is not state.position:
            self.position, self.texts = state.position, []
            for index in range(len(state.position.options)):
                after, log = state.position.preview(index)
                self.texts.append(self.describer.events(log, after) or "pass")
        return self.texts
