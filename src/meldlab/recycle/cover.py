"""Coverage of a program: the actions and options that random and searching players never reached.

Every action gets a counter of its own in storage; draws and the order of options do not change.

>>> from meldlab.recycle.game import RecycleGame
>>> game = RecycleGame.load("kuhn_poker")
>>> cover(game, games=100, search_games=2).missed
()
>>> [gap.text for gap in cover(game, games=1, search_games=0).missed][:1]
['(set ((current player) str SAYS) BET)']
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from meldlab.play import Deal, RandomPlayer, Table
from meldlab.recycle.game import RecycleGame
from meldlab.recycle.language import syntax as s
from meldlab.recycle.language.formatter import format_program, to_text
from meldlab.recycle.language.tree import transform, walk
from meldlab.recycle.players import LastOptionPlayer, SearchPlayer

GAMES, SEARCH_GAMES = 200, 10
SEARCH_PLAYER = SearchPlayer("mcts", 20)
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True)
class Gap:
    """An action that no game reached: its offset and line, whether it is part of an option, and its text."""

    offset: int
    line: int
    is_option: bool
    text: str


@dataclass(frozen=True)
class CoverResult:
    """The number of games, the number of actions of the program, and those that no game reached."""

    games: int
    actions: int
    missed: tuple[Gap, ...]

    def as_json(self) -> dict[str, object]:
        """Return the result as JSON."""
        gaps = [{"line": gap.line, "option": gap.is_option, "text": gap.text} for gap in self.missed]
        return {"games": self.games, "actions": self.actions, "reached": self.actions - len(gaps), "missed": gaps}


def cover(game: RecycleGame, games: int = GAMES, search_games: int = SEARCH_GAMES, seed: int = 0) -> CoverResult:
    """Play games with random players, a third of them with ``random:last``, and games with searching players; collect what they reach."""
    program = game.machine.checked.parsed
    actions = {action.offset: action for action in _actions(program)}
    options = {inner.offset for node in walk(program) if isinstance(node, s.Choice) for item in node.items for inner in walk(item)}
    prefix = _unused_prefix(program)
    names = {offset: prefix + _letters(number) for number, offset in enumerate(actions)}
    counting = RecycleGame(game.name, format_program(_with_counters(program, names)), game.dialect, game.limits)
    seats, reached = game.machine.players, set[str]()
    for number in range(games + search_games):
        player: Any = SEARCH_PLAYER if number >= games else LastOptionPlayer() if number % 3 == 2 else RandomPlayer()
        played = Table(counting, [player] * seats).play(Deal(seed, number))
        reached |= {name for _, _, _, name, _ in played.last.position.cells()}
    missed = [
        Gap(offset, game.text.count("\n", 0, offset) + 1, offset in options, to_text(action))
        for offset, action in sorted(actions.items())
        if names[offset] not in reached
    ]
    return CoverResult(games + search_games, len(actions), tuple(missed))


def _actions(program: s.Program) -> Iterator[s.Action]:
    """Yield the actions that stand where a ``do`` can stand."""
    for node in walk(program):
        if isinstance(node, (s.Do, s.Choice)):
            yield from (item for item in node.items if isinstance(item, s.Action))
        elif isinstance(node, (s.Loop, s.Let, s.Condition)) and isinstance(node.body, s.Action):
            yield node.body


def _with_counters(program: s.Program, names: dict[int, str]) -> s.Program:
    """Return the program with an ``inc`` before each action."""

    def counted(item: Any) -> Any:
        if not isinstance(item, s.Action):
            return item
        return s.Do((s.Adjust("inc", s.Cell(s.TableOwner(), "sto", s.Name(names[item.offset])), None), item), offset=item.offset)

    def change(node: Any) -> Any:
        match node:
            case s.Do() | s.Choice():
                return type(node)(tuple(map(counted, node.items)), offset=node.offset)
            case s.Loop():
                return s.Loop(node.quantifier, node.coll, node.var, counted(node.body), offset=node.offset)
            case s.Let():
                return s.Let(node.value, node.var, counted(node.body), offset=node.offset)
            case s.Condition():
                return s.Condition(node.test, counted(node.body), offset=node.offset)
        return node

    changed: s.Program = transform(program, change)
    return changed


def _unused_prefix(program: s.Program) -> str:
    """Return a start of names with which no name of the program starts."""
    used = {node.text for node in walk(program) if isinstance(node, s.Name)}
    prefix = "REACHED"
    while any(name.startswith(prefix) for name in used):
        prefix += "X"
    return prefix


def _letters(number: int) -> str:
    """Return a number in letters.

    >>> _letters(0), _letters(27)
    ('AA', 'BB')
    """
    return LETTERS[number // 26] + LETTERS[number % 26] if number < 26 * 26 else LETTERS[number % 26] + _letters(number // 26)
