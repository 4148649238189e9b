"""A game on the terminal: a user at one seat, players at the others, and a record file that is always up to date.

The game loop asks the user like any player. A game's ``Screen`` shows the game and reads the user's lines.
"""

import sys
import traceback
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from meldlab.cache import replace_file
from meldlab.cli.interruption import on_interrupt
from meldlab.cli.options import need_input, new_seed
from meldlab.cli.screen import COMMON_HELP, COMMON_WORDS, Screen, split_common_word
from meldlab.errors import MeldlabError, NotLegalHere, NotPossible
from meldlab.play import USER, Chance, Clock, Deal, Game, Player, Record, Result, Step, Table, TimeLimit, replay
from meldlab.play.clock import OutOfTime

NOT_SAVED = "nothing is saved; --save FILE saves the record"


class Quit(BaseException):
    """The user stops the game; not an Exception, so that the table does not count it as a forfeit."""


class Undo(BaseException):
    """The user takes the last action back; not an Exception either."""


class User:
    """A player that asks at the terminal until the answer is legal."""

    name = USER

    def __init__(self, screen: Screen, file: "RecordFile") -> None:
        self.screen, self.file = screen, file

    def choose(self, view: Any, chance: Chance) -> Any:
        """Show the view and ask, if there is a choice."""
        screen = self.screen
        only = screen.only(view)
        if only is not None:
            return only
        screen.show(view)
        while True:
            text = screen.ask("> ", [*screen.words(view), *COMMON_WORDS])
            _announce_compiling_again()
            try:
                word, rest = split_common_word(text)
                if word or not rest:
                    self._answer(view, word, rest)
                elif (action := screen.read(view, rest)) is not None:
                    view.verify(action)
                    return action
            except MeldlabError as error:
                screen.say(f"error: {error}")

    def _answer(self, view: Any, word: str, rest: str) -> None:
        """Do what a common word asks for."""
        screen = self.screen
        match word:
            case "quit":
                raise Quit
            case "undo":
                if not screen.undo():
                    raise Undo
                screen.show(view)
            case "rules":
                screen.rules(view)
            case "hint":
                screen.hint(view)
            case "sort":
                screen.sort(view)
            case "save":
                self.file.save(Path(rest) if rest else None)
                screen.say(f"The record is in {self.file.path} and stays up to date.")
            case _:
                # Not drawn: the letter of a suit is easier to type than its sign.
                screen.say(Text(f"{screen.help}\n{COMMON_HELP}"))


def _announce_compiling_again() -> None:
    # The module is not imported for this: it loads numba, which not every command needs.
    compiling = sys.modules.get("meldlab.compiling")
    if compiling is not None:
        compiling.announce_again()


def play_in_terminal(
    game: Game[Any],
    others: Sequence[Player[Any, Any]],
    make_screen: type[Screen],
    seed: int | None = None,
    seat: int = 0,
    save: Path | None = None,
    resume: Path | None = None,
    time: TimeLimit | None = None,
) -> None:
    """Let a user play at ``seat`` with the others around the table, show the result, and save the record, finished or not.

    Without a seed the deal is a new one. The unfinished game in the file of ``resume`` or ``save`` continues.
    """
    need_input()
    names = (*(other.name for other in others[:seat]), USER, *(other.name for other in others[seat:]))
    unfinished = read_unfinished(save, resume)
    record = unfinished or Record(game.name, game.rules(), names, Deal(new_seed(seed)))
    if unfinished is not None:
        if unfinished.game != game.name:
            raise NotLegalHere(f"{resume or save} holds a game of {unfinished.game}, not of {game.name}")
        if seed is not None and seed != unfinished.deal.seed:
            raise NotLegalHere(f"{resume or save} holds a game with seed {unfinished.deal.seed}, not {seed}")
        game, seat = type(game).read(unfinished.rules), unfinished.players.index(USER)
        others = _opponents(game, unfinished, others)
    screen = make_screen(Console(highlight=False), seat, record.players)
    file = RecordFile(record, save or resume, new=unfinished is None or (resume is not None and save not in (None, resume)))
    table = Table(game, [*others[:seat], User(screen, file), *others[seat:]], time or TimeLimit())
    steps = list(replay(game, record)) if unfinished else []
    on_interrupt(lambda: f"the record is in {file.path}; --resume {file.path} continues the game" if file.path else NOT_SAVED)
    try:
        result = _play(table, record.deal, screen, file, steps)
        if result is None:
            screen.say("stopped")
        else:
            screen.end(result)
    finally:
        # Ctrl-C during another player's turn ends the command, too, but not before this.
        file.finish()
    if file.path is not None:
        screen.say(f"The record is in {file.path}." + ("" if result else f" --resume {file.path} continues the game."))


def read_unfinished(save: Path | None, resume: Path | None) -> Record | None:
    """Return the unfinished game to continue, or None; a file that holds anything else is not overwritten."""
    if resume is not None and save not in (None, resume) and save.is_file():
        raise NotPossible(f"{save} exists already; name a new file")
    path = resume or save
    if path is None or (resume is None and not path.is_file()):
        return None
    try:
        record = Record.parse(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise NotPossible(f"cannot read {path}: {error.strerror}") from None
    except (MeldlabError, UnicodeDecodeError):
        raise NotPossible(f"{path} exists already and is not a record of an unfinished game; name a new file") from None
    if record.result is not None:
        raise NotLegalHere(f"{path} holds a finished game; name another file ('meldlab replay {path}' shows it)")
    if USER not in record.players:
        raise NotLegalHere(f"{path} holds a game without you: {', '.join(record.players)}")
    return record


def _opponents(game: Game[Any], record: Record, others: Sequence[Player[Any, Any]]) -> list[Player[Any, Any]]:
    """Return the players of the other seats of a record; players of the user's own files are those named again."""
    from meldlab.games import parse_player

    named = {other.name: other for other in others}
    opponents = []
    for name in record.players:
        if name != USER:
            try:
                opponents.append(named.get(name) or parse_player(game, name))
            except MeldlabError:
                raise NotLegalHere(f"the record was played against {name}; name its file by --against") from None
    return opponents


def _play(table: Table[Any], deal: Deal, screen: Screen, file: "RecordFile", steps: list[Step[Any]]) -> Result | None:
    """Show each step of the table and write it to the file; return the result, or None if the user quits."""
    clock = Clock(table.time, len(table.players), untimed=(screen.seat,)) if table.time else None
    players = ", ".join(f"p{place} is {name}" for place, name in enumerate(screen.names, 1) if place != screen.seat + 1)
    screen.say(f"{table.game.name}, seed {deal.seed}. You are p{screen.seat + 1}, {players}. 'help' lists what you can type.")
    screen.begin(table.game, deal, table.game.start(len(table.players), deal))
    if steps:
        screen.say(f"The game continues after {len(steps)} actions.")
        last_own = max((index for index, step in enumerate(steps) if step.seat == screen.seat), default=-1)
        for step in steps[last_own + 1 :]:
            screen.tell(step)
    while True:
        try:
            for step in table.steps(deal, steps[-1] if steps else None, clock):
                if step.error is not None and step.seat == screen.seat:
                    raise step.error  # a defect of this program, not the user's forfeit
                screen.tell(step)
                if step.error is not None and not isinstance(step.error, OutOfTime):
                    traceback.print_exception(step.error)
                steps.append(step)
                file.add(step)
            return steps[-1].result if steps else None
        except Undo:
            count = _steps_to_undo(steps, screen)
            if count:
                del steps[-count:]
                file.remove(count)
            else:
                screen.say("nothing to undo" + (": you have learned something since your last choice" if steps else ""))
        except Quit:
            return None


def _steps_to_undo(steps: Sequence[Step[Any]], screen: Screen) -> int:
    """Return the number of steps back to the user's last choice; 0 if the user has learned something since."""
    for count, step in enumerate(reversed(steps), 1):
        if screen.learned(step):
            return 0
        if step.seat == screen.seat and screen.only(step.before.view(screen.seat)) is None:
            return count
    return 0


class RecordFile:
    """The record of a game and its file, which is up to date after each step."""

    def __init__(self, record: Record, path: Path | None = None, *, new: bool = True) -> None:
        self.record, self.at_once = record, False
        self.path: Path | None = None
        if path is not None:
            self._open(path, new)

    def save(self, path: Path | None) -> None:
        """Save the record in a file from now on, by default in one named after the game."""
        if path is not None or self.path is None:
            self._open(path or Path(f"{self.record.game.replace(' ', '-')}-{self.record.deal.seed}.toml"), new=True)

    def _open(self, path: Path, new: bool) -> None:
        if path.is_dir() or (new and path.is_file()):
            raise NotPossible(f"{path} exists already; name a new file")
        # A pipe or a terminal gets the record once, at the end.
        before = self.path, self.at_once
        self.path, self.at_once = path, path.is_file() or not path.exists()
        try:
            self._write()
        except MeldlabError:
            self.path, self.at_once = before
            raise

    def add(self, step: Step[Any]) -> None:
        """Add a step to the record."""
        self.record = replace(self.record, actions=(*self.record.actions, step.line), result=step.result)
        self._write()

    def remove(self, count: int) -> None:
        """Remove the last actions of the record."""
        self.record = replace(self.record, actions=self.record.actions[:-count], result=None)
        self._write()

    def _write(self) -> None:
        if self.at_once:
            self.finish()

    def finish(self) -> None:
        """Write the record to its file."""
        if self.path is not None:
            with replace_file(self.path) as file:
                file.write(str(self.record).encode())
