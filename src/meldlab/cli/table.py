"""A game in the terminal: a person at one seat, players at the others, and a record that is as far as the game.

The table asks a person like any player. What a game looks like, and what it understands beyond its actions, is said by its ``Screen``.
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
from meldlab.cli.screen import COMMON, COMMON_HELP, Screen, common_word
from meldlab.errors import MeldlabError, NotLegalHere, NotPossible
from meldlab.play import USER, Chance, Clock, Deal, Game, Player, Record, Result, Step, Table, TimeLimit, replay
from meldlab.play.clock import OutOfTime

__all__ = ["Person", "play_in_terminal"]

NOT_SAVED = "nothing is saved; --save FILE saves the record"


class Leave(BaseException):
    """The person has had enough; no mistake, so that the table does not take it for a forfeit."""


class TakeBack(BaseException):
    """The person wants the last action back; as little a mistake."""


class Person:
    """A player that asks at the terminal until the answer is legal."""

    name = USER

    def __init__(self, screen: Screen, kept: "Kept") -> None:
        self.screen, self.kept = screen, kept

    def choose(self, view: Any, chance: Chance) -> Any:
        """Show the view and ask, where there is something to choose."""
        screen = self.screen
        only = screen.only(view)
        if only is not None:
            return only
        screen.show(view)
        while True:
            text = screen.ask("> ", [*screen.words(view), *COMMON])
            _announce_compiling_again()
            try:
                word, rest = common_word(text)
                if word or not rest:
                    self._answer(view, word, rest)
                elif (action := screen.read(view, rest)) is not None:
                    view.verify(action)
                    return action
            except MeldlabError as problem:
                screen.say(f"error: {problem}")

    def _answer(self, view: Any, word: str, rest: str) -> None:
        """Do what a word that every table knows asks for."""
        screen = self.screen
        match word:
            case "quit":
                raise Leave
            case "undo":
                if not screen.undo():
                    raise TakeBack
                screen.show(view)
            case "rules":
                screen.rules(view)
            case "hint":
                screen.hint(view)
            case "sort":
                screen.sort(view)
            case "save":
                self.kept.save(Path(rest) if rest else None)
                screen.say(f"The record is in {self.kept.path}, as far as the game.")
            case _:
                # As it is typed: a key for a suit is easier to find than its sign.
                screen.say(Text(f"{screen.help}\n{COMMON_HELP}"))


def _announce_compiling_again() -> None:
    # The module is not imported for this: it loads numba, which not every command needs.
    compiling = sys.modules.get("meldlab.compiling")
    if compiling is not None:
        compiling.announce_again()


def play_in_terminal(
    game: Game[Any],
    others: Sequence[Player[Any, Any]],
    screen_of: type[Screen],
    seed: int | None = None,
    seat: int = 0,
    save: Path | None = None,
    resume: Path | None = None,
    time: TimeLimit | None = None,
) -> None:
    """Let a person play at ``seat`` with the others around the table, show how it ended, and keep the record, ended or not.

    Without a seed the deal is a new one. A file of an unfinished game is gone on with, be it the one to resume or the one to save to.
    """
    need_input()
    names = (*(other.name for other in others[:seat]), USER, *(other.name for other in others[seat:]))
    begun = _begun(save, resume)
    record = begun or Record(game.name, game.rules(), names, Deal(new_seed(seed)))
    if begun is not None:
        if begun.game != game.name:
            raise NotLegalHere(f"{resume or save} holds a game of {begun.game}, not of {game.name}")
        if seed is not None and seed != begun.deal.seed:
            raise NotLegalHere(f"{resume or save} holds a game with seed {begun.deal.seed}, not {seed}")
        game, seat, others = type(game).read(begun.rules), begun.players.index(USER), _opponents(game, begun, others)
    screen = screen_of(Console(highlight=False), seat, record.players)
    kept = Kept(record, save or resume, new=begun is None or (resume is not None and save not in (None, resume)))
    table = Table(game, [*others[:seat], Person(screen, kept), *others[seat:]], time or TimeLimit())
    steps = list(replay(game, record)) if begun else []
    on_interrupt(lambda: f"the record is in {kept.path}; --resume {kept.path} continues the game" if kept.path else NOT_SAVED)
    try:
        result = _drive(table, record.deal, screen, kept, steps)
        if result is None:
            screen.say("stopped")
        else:
            screen.end(result)
    finally:
        # Ctrl-C while another thinks ends the command, too, but not before this.
        kept.finish()
    if kept.path is not None:
        screen.say(f"The record is in {kept.path}." + ("" if result else f" --resume {kept.path} goes on with it."))


def _begun(save: Path | None, resume: Path | None) -> Record | None:
    """Return the unfinished game to go on with, if there is one; what holds anything else is not written over."""
    if resume is not None and save not in (None, resume) and save.is_file():
        raise NotPossible(f"{save} is there already; name a file that is not")
    path = resume or save
    if path is None or (resume is None and not path.is_file()):
        return None
    try:
        record = Record.parse(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise NotPossible(f"cannot read {path}: {problem.strerror}") from None
    except (MeldlabError, UnicodeDecodeError):
        raise NotPossible(f"{path} is there already, and no record that could be gone on with") from None
    if record.result is not None:
        raise NotLegalHere(f"{path} holds a finished game; name another file ('meldlab replay {path}' shows it)")
    if USER not in record.players:
        raise NotLegalHere(f"{path} holds a game without you: {', '.join(record.players)}")
    return record


def _opponents(game: Game[Any], record: Record, others: Sequence[Player[Any, Any]]) -> list[Player[Any, Any]]:
    """Return who sat at the other seats; players of one's own files are those that are named again."""
    from meldlab.games import parse_player

    named = {other.name: other for other in others}
    found = []
    for name in record.players:
        if name != USER:
            try:
                found.append(named.get(name) or parse_player(game, name))
            except MeldlabError:
                raise NotLegalHere(f"the record was played against {name}; name its file by --against") from None
    return found


def _drive(table: Table[Any], deal: Deal, screen: Screen, kept: "Kept", steps: list[Step[Any]]) -> Result | None:
    """Show each step of the table and write it down; return how the game ended, if it did."""
    clock = Clock(table.time, len(table.players), untimed=(screen.seat,)) if table.time else None
    seated = ", ".join(f"p{place} is {name}" for place, name in enumerate(screen.names, 1) if place != screen.seat + 1)
    screen.say(f"{table.game.name}, seed {deal.seed}. You are p{screen.seat + 1}, {seated}. 'help' lists what you can type.")
    screen.begin(table.game, deal, table.game.start(len(table.players), deal))
    if steps:
        screen.say(f"You go on after {len(steps)} actions.")
        mine = max((at for at, step in enumerate(steps) if step.seat == screen.seat), default=-1)
        for step in steps[mine + 1 :]:
            screen.tell(step)
    while True:
        try:
            for step in table.steps(deal, steps[-1] if steps else None, clock):
                if step.error is not None and step.seat == screen.seat:
                    raise step.error  # ours, and not the person's forfeit
                screen.tell(step)
                if step.error is not None and not isinstance(step.error, OutOfTime):
                    traceback.print_exception(step.error)
                steps.append(step)
                kept.keep(step)
            return steps[-1].result if steps else None
        except TakeBack:
            many = _takes_back(steps, screen)
            if many:
                del steps[-many:]
                kept.back(many)
            else:
                screen.say("nothing to take back" + (": since your last choice you have learned something" if steps else ""))
        except Leave:
            return None


def _takes_back(steps: Sequence[Step[Any]], screen: Screen) -> int:
    """Return how many steps lead back to the person's last choice; none if the person knows more since."""
    for many, step in enumerate(reversed(steps), 1):
        if screen.learned(step):
            return 0
        if step.seat == screen.seat and screen.only(step.before.view(screen.seat)) is None:
            return many
    return 0


class Kept:
    """The record of a game, in a file that is as far as the game, whatever may end it."""

    def __init__(self, record: Record, path: Path | None = None, *, new: bool = True) -> None:
        self.record, self.at_once = record, False
        self.path: Path | None = None
        if path is not None:
            self._open(path, new)

    def save(self, path: Path | None) -> None:
        """Keep the record in a file from now on, by default in one named after the game."""
        if path is not None or self.path is None:
            self._open(path or Path(f"{self.record.game.replace(' ', '-')}-{self.record.deal.seed}.toml"), new=True)

    def _open(self, path: Path, new: bool) -> None:
        if path.is_dir() or (new and path.is_file()):
            raise NotPossible(f"{path} is there already; name a file that is not")
        # A pipe or a terminal gets the record once, when all is over.
        before = self.path, self.at_once
        self.path, self.at_once = path, path.is_file() or not path.exists()
        try:
            self._write()
        except MeldlabError:
            self.path, self.at_once = before
            raise

    def keep(self, step: Step[Any]) -> None:
        """Write a step down."""
        self.record = replace(self.record, actions=(*self.record.actions, step.line), result=step.result)
        self._write()

    def back(self, many: int) -> None:
        """Strike the last lines out."""
        self.record = replace(self.record, actions=self.record.actions[:-many], result=None)
        self._write()

    def _write(self) -> None:
        if self.at_once:
            self.finish()

    def finish(self) -> None:
        """Write the record to where it belongs."""
        if self.path is not None:
            with replace_file(self.path) as file:
                file.write(str(self.record).encode())
