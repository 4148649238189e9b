"""A game of Rummikub in the terminal: one person, other seats played by the machine."""

from pathlib import Path
from typing import Any

from rich.console import Console

from meldlab.cache import write_whole
from meldlab.cli.rummikub.tiles import rack_text, table_text
from meldlab.errors import MeldlabError
from meldlab.play import Chance, Deal, Player, Record, Table
from meldlab.rummikub import moves
from meldlab.rummikub.game import Fail, Play, Round, Rummikub, Turn, View
from meldlab.rummikub.players import best_turn

__all__ = ["Person", "play_in_terminal"]

HELP = "play R5 R6 R7 | K9 B9 O9 (the whole new table), add R5 R6 R7 (a new set), draw, pass, fail, best (advice), quit"


class Quit(BaseException):
    """The person has had enough; no mistake, so the table does not take it for a forfeit."""


class Person:
    """Asks at the terminal until the answer is legal."""

    def __init__(self, console: Console) -> None:
        self.console, self.name = console, "you"

    def choose(self, view: View, chance: Chance) -> Turn:
        """Show the table and ask."""
        self.console.print("\ntable:", table_text(view.table), sep="\n")
        others = ", ".join(f"p{seat + 1} {size}" for seat, size in enumerate(view.sizes) if seat != view.seat)
        self.console.print(f"others hold {others}; pool {view.pool}{'' if view.opened[view.seat] else '; you have not opened'}")
        self.console.print("rack: ", rack_text(view.rack))
        # Only what a seat sees is needed to judge its own turn.
        judge = Round(view.rules, view.table, tuple(view.rack if s == view.seat else (view.rack[0],) for s in range(len(view.sizes))),
                      view.rack[:1] * view.pool, view.opened, view.seat)  # fmt: skip
        while True:
            try:
                turn = self._read(judge, view)
                if turn:
                    judge.verify(turn)
                    return turn
            except MeldlabError as mistake:
                self.console.print(f"error: {mistake}", markup=False)

    def _read(self, judge: Round, view: View) -> Turn | None:
        try:
            text = self.console.input("> ").strip()
        except EOFError:
            raise Quit from None
        if text == "quit":
            raise Quit
        if text == "best":
            answer = best_turn(view)
            for line in [*moves(answer), str(Play(answer.table) if answer.played else view.idle)]:
                self.console.print("  " + line, markup=False)
            return None
        if text.startswith("add "):
            shown = str(Play(view.table))
            text = f"{shown} | {text[4:]}" if view.table else f"play {text[4:]}"
        if not text or text in ("help", "?"):
            self.console.print(HELP, markup=False)
            return None
        turn = judge.parse(text)
        if isinstance(turn, Fail):
            self.console.print(f"the table is as before; you draw {view.rules.penalty} tiles")
        return turn


class Teller:
    """Lets a machine play and tells what it did."""

    def __init__(self, player: Player[View, Turn], console: Console) -> None:
        self.player = self.__wrapped__ = player
        self.console, self.name = console, player.name

    def choose(self, view: View, chance: Chance) -> Turn:
        """Choose, and say so."""
        turn = self.player.choose(view, chance)
        laid = sum(len(one.tiles) for one in turn.table) - sum(len(one.tiles) for one in view.table) if isinstance(turn, Play) else 0
        self.console.print(f"p{view.seat + 1} ({self.name}) " + (f"plays {laid} tiles" if laid else f"{turn}s"), markup=False)
        return turn


def play_in_terminal(game: Rummikub, against: Player[View, Turn], seats: int, seed: int, path: Path | None) -> None:
    """Play one game and show how it ended."""
    console = Console(highlight=False)
    console.print(HELP, markup=False)
    players: list[Any] = [Person(console), *(Teller(against, console) for _ in range(seats - 1))]
    try:
        played = Table(game, players).play(Deal(seed))
    except Quit:
        console.print("stopped")
        return
    result = played.result
    console.print(f"{result.reason}: " + ", ".join(f"p{seat + 1} {score:+d}" for seat, score in enumerate(result.scores)), markup=False)
    if path:
        write_record(path, played.record)


def write_record(path: Path, record: Record) -> None:
    """Write a record, or say why it cannot be written."""
    with write_whole(path) as file:
        file.write(str(record).encode())
