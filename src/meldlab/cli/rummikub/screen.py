"""The Rummikub table in the terminal, and a turn that is entered command by command."""

from collections import Counter
from dataclasses import replace
from typing import Any, ClassVar

from rich.text import Text

from meldlab.cli.pictures import rack_text, tile_text, tiles_drawn
from meldlab.cli.rummikub.solve import describe_rules
from meldlab.cli.screen import Screen
from meldlab.errors import NotLegalHere
from meldlab.play import Deal, Game, Step
from meldlab.rummikub import Board, Tile, TileSet, opening_points
from meldlab.rummikub.game import Fail, Play, State, Turn, View
from meldlab.rummikub.players import best_turn
from meldlab.rummikub.tiles import SHAPES, show

NAMES = ("red", "black", "blue", "orange", "green", "violet")
TURNS = {"draw": "draw", "d": "draw", "pass": "pass", "p": "pass", "fail": "fail"}
JOKERS = {
    "free": "A joker on the table may go anywhere.",
    "modern": "A joker on the table stands for its tile until that tile takes its place; it then joins a set with a tile from the rack.",
    "strict": "A joker's set may grow but not be broken; only the very tile that it stands for replaces it.",
}


class RummikubScreen(Screen):
    """The table in numbered sets, the rack of the user, and the number of tiles of the others."""

    help = """  new R1-3           lay a new set from your rack
  R8 to 3            add a tile to set 3 (several: R8 R9 to 3); 2 to 3 joins two sets
  R8 from 2 to 3     move a tile between sets; J from 4 takes it up, to be laid elsewhere
  split 2 after R6   make two sets of one
  done or play       end your turn: only now the table is checked
  reset              put everything back as it was
  draw or d          take a tile instead (pass or p when the pool is empty)
  fail               own up to a rearrangement that came to nothing: draw penalty tiles"""
    sorts: ClassVar[tuple[str, ...]] = ("by colour", "by number")

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.start: Board | None = None
        """The table before the turn; sets keep their numbers from turn to turn."""
        self.built: list[Board] = []
        """The boards of the unfinished turn, one per command."""
        self.laid: set[tuple[TileSet, Tile]] = set()
        """The tiles, with their sets, that others have laid since the user's turn; shown in brackets."""

    def begin(self, game: Game[Any], deal: Deal, state: State) -> None:
        """Print the rules and the first seat."""
        rules, who = state.rules, self.name(state.turn)
        self.say(describe_rules(rules))
        self.say(f"The first empty rack wins. {rules.opening} points from your rack open. {JOKERS[rules.joker_rule]}")
        self._legend(state.view(self.seat))
        begin = "You begin: you" if state.turn == self.seat else f"{who} begins: it"
        self.say("The tiles were given; the first seat begins." if deal.given else f"{begin} drew the highest tile.")

    def _legend(self, view: View) -> None:
        shapes = ", ".join(f"{SHAPES[colour]} or {view.rules.letters[colour]} {NAMES[colour]}" for colour in range(view.rules.colours))
        self.say(Text(f"Tiles: {shapes}, ☺ or J joker; ☺▲6 or J=R6 is a joker that stands for ▲6; [▲6] was just laid."))

    def rules(self, view: View) -> None:
        """Print the rules."""
        rules = view.rules
        self.say(
            f"Sets have {rules.smallest} tiles or more: groups of one number in different colours, runs of one colour in order. "
            "In your turn lay at least one tile from your rack, or draw one. Your first sets come from your rack alone and count "
            f"{rules.opening} points; after that the table may be rearranged, as long as all of it lies in sets at the end. "
            f"{JOKERS[rules.joker_rule]} The first empty rack wins what the others hold; a joker left over costs 30. "
            f"Who cannot finish a rearrangement puts it back and draws {rules.penalty} penalty tiles ('fail')."
        )
        self._legend(view)

    def show(self, view: View) -> None:
        """Print the table and the rack of the unfinished turn."""
        if self.built and self.built[0] != self._start(view):
            self.built = []
        now = self._now(view)
        self.console.print()
        for number, pile in sorted(now.piles.items()):
            line = Text(f"{number:4}  ")
            for tile in pile.tiles:
                line.append_text(tile_text(tile, marked=(TileSet(pile.tiles), tile.piece) in self.laid)).append(" ")
            self.console.print(line)
        if not now.piles:
            self.say("  (no sets on the table)")
        others = ", ".join(f"{self.name(seat)} {size}" for seat, size in enumerate(view.sizes) if seat != view.seat)
        opened = "" if view.opened[view.seat] else f"; you have not opened ({view.rules.opening} points)"
        self.say(f"others hold {others}; pool {view.pool}{opened}")
        rack = sorted(now.rack, key=lambda tile: (tile.number or 99, tile.colour)) if self.sorting else now.rack
        self.console.print("rack: ", rack_text(rack))
        if now.hand:
            self.console.print("taken up, to be laid:", rack_text(now.hand))

    def _start(self, view: View) -> Board:
        before = self.start
        if before is None or Counter(pile.tiles for pile in before.piles.values()) != Counter(item.tiles for item in view.table):
            before = (before or Board(view.rules, (), {})).renumber(view.table)
        self.start = replace(before, rack=view.rack)
        return self.start

    def _now(self, view: View) -> Board:
        return self.built[-1] if self.built else self._start(view)

    def words(self, view: View) -> list[str]:
        """Return the verbs and the tiles of the rack."""
        idle = str(view.idle)
        return ["new", "to", "from", "split", "after", "done", "reset", idle, "fail", *dict.fromkeys(map(str, self._now(view).rack))]

    def read(self, view: View, text: str) -> Turn | None:
        """Parse a turn, or a command of an unfinished one."""
        word = text.lower()
        if word in ("done", "play"):
            return self._done(view)
        if word in TURNS:
            return self._idle(view, TURNS[word])
        if word == "reset":
            self.built = []
        elif word.startswith("play "):
            return view.parse(f"play {text[5:]}")
        else:
            after = self._now(view).run(text)
            self.built += [after] if self.built else [self._start(view), after]
        self.show(view)
        return None

    def _done(self, view: View) -> Play:
        if len(self.built) < 2:
            raise NotLegalHere(f"you have laid nothing yet (or {view.idle})")
        play = Play(self.built[-1].table())
        view.verify(play)
        self.start, self.built = self.built[-1], []
        return play

    def _idle(self, view: View, word: str) -> Turn | None:
        turn = view.parse(word)
        view.verify(turn)
        if len(self.built) > 1 and not isinstance(turn, Fail):
            raise NotLegalHere("you have moved tiles: done plays them, reset puts them back")
        if isinstance(turn, Fail) and not self.sure(f"fail draws {view.rules.penalty} tiles; do you mean it?"):
            return None
        self.built = []
        return turn

    def undo(self) -> bool:
        """Undo the last command of an unfinished turn."""
        if len(self.built) < 2:
            return False
        self.built.pop()
        return True

    def hint(self, view: View) -> None:
        """Print the turn that plays most points and its commands, or that nothing can be played."""
        answer = best_turn(view)
        if not answer.played:
            points, needed = (0, 0) if view.opened[view.seat] else (opening_points(answer), view.rules.opening)
            why = f"your rack has {points} of the {needed} points to open" if needed else "nothing can be played"
            self.say(f"best: {view.idle}: {why}")
            return
        tiles = f"{answer.count} tile{'s' * (answer.count > 1)}"
        opens = "" if view.opened[view.seat] else f", which opens with {opening_points(answer)}"
        self.say(f"best: lay {show(answer.played)}: {tiles}, {answer.value} points off your rack{opens}; type")
        for line in (*(["reset"] if len(self.built) > 1 else []), *self._start(view).commands(answer), "done"):
            self.say(f"  {line}")

    def tell(self, step: Step[State]) -> None:
        """Print the tiles that others play and those that the user draws."""
        if step.seat == self.seat:
            self.laid = set()
        if step.forfeit or not isinstance(step.action, Play):
            super().tell(step)
        elif step.seat != self.seat:
            played = list((Counter(step.before.racks[step.seat]) - Counter(step.after.racks[step.seat])).elements())
            changed = set(step.after.table) - set(step.before.table)
            self.laid |= {(tile_set, tile.piece) for tile_set in changed for tile in tile_set.tiles if tile.piece in played}
            left = len(step.after.racks[step.seat])
            self.say(f"{self.name(step.seat)}: play {show(played)}, {left} tile{'s' * (left != 1)} left")

    def drawn(self, text: str) -> Text:
        """Return a text with its tiles drawn."""
        return tiles_drawn(text)
