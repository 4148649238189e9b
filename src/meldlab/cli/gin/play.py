"""``meldlab gin play``: gin rummy against a player, in the terminal."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from meldlab.cache import write_whole
from meldlab.cli.gin.options import RulesOption
from meldlab.cli.options import GameSecondsOption, MoveSecondsOption, RaiseOption, SeedOption, need_input, tracebacks
from meldlab.errors import NotLegalHere

if TYPE_CHECKING:
    from rich.console import Console

    from meldlab.gin import Gin, Match, Move, View
    from meldlab.play import Clock, Deal, Player, Result

HELP = """  draw       take a card from the stock
  take       take the upcard; pass leaves the first one
  drop KD    discard a card
  knock KD   discard it and knock; melds are arranged for you,
             or say so yourself: knock KD | 5H 6H 7H | 9C 9D 9S
  big gin    eleven melded cards
  show       show your melds after a knock
  ?          advice, with reasons
  undo       take back your last move, before the other acts
  quit       stop here"""


def play(
    against: Annotated[str, typer.Option("--against", help="Any player of the arena.")] = "computed:light",
    seed: SeedOption = 0,
    rules: RulesOption = "eaai",
    save: Annotated[Path | None, typer.Option("--save", help="Keep the record in this new file, move by move.")] = None,
    seconds_per_move: MoveSecondsOption = None,
    seconds_per_game: GameSecondsOption = None,
    raising: RaiseOption = False,
) -> None:
    """Play a match in the terminal; '?' gives advice, 'undo' takes back a slip, 'help' lists the moves.

    Example: meldlab gin play --seed 7
    """
    from rich.console import Console

    from meldlab.gin import Gin, players
    from meldlab.play import Clock, Deal, TimeLimit

    need_input()
    with tracebacks(raising):
        opponent = players.parse(against)
    game, deal, limit = Gin(rules), Deal(seed), TimeLimit(seconds_per_move, seconds_per_game)
    kept = Kept(save, game, ("you", opponent.name), deal)
    console = Console(highlight=False)
    console.print(f"You are p1, {opponent.name} is p2. '?' asks for advice, 'help' lists the moves.", markup=False)
    if limit:
        from meldlab.lab.arena.series import warm_up

        warm_up((opponent, opponent), game.rule)
    result = play_match(console, game.start(2, deal), opponent, deal, kept, Clock(limit, 2) if limit else None, raising)
    if result is not None:
        won = result.winners == (0,)
        console.print(f"{'You win' if won else 'You lose'}, {result.scores[0]} to {result.scores[1]}.")
    if save is not None:
        kept.finish()
        console.print(f"The record is in {save}.", markup=False)


class Kept:
    """The record of a match in a file that is as far as the match, whatever may end it."""

    def __init__(self, path: Path | None, game: "Gin", players: tuple[str, str], deal: "Deal") -> None:
        from meldlab.play import Record

        if path is not None and (path.is_file() or path.is_dir()):
            raise NotLegalHere(f"{path} is there already; name a file that is not")
        # A pipe or a terminal gets the record once, when all is over.
        self.path, self.at_once = path, path is not None and not path.exists()
        self.record = Record(game.name, game.rules(), players, deal)
        self.keep([])

    def keep(self, lines: list[str], result: "Result | None" = None) -> None:
        """Write down how far the match has come."""
        self.record = replace(self.record, actions=tuple(lines), result=result)
        if self.at_once:
            self.finish()

    def finish(self) -> None:
        """Write the record to where it belongs."""
        if self.path is not None:
            with write_whole(self.path) as file:
                file.write(str(self.record).encode())


def play_match(
    console: "Console", match: "Match", opponent: "Player[View, Move]", deal: "Deal", kept: Kept, clock: "Clock | None", raising: bool
) -> "Result | None":
    """Let a person and a player play; return how the match ended, if it did."""
    from meldlab.play import Forfeit, step

    lines: list[str] = []
    own: list[tuple[Match, int]] = []  # states before the person's moves since the other last acted
    shown = -1
    while match.seat is not None:
        if match.number != shown:
            shown = match.number
            starter = "you start" if match.round.starter == 0 else "the other starts"
            console.print(f"\nRound {shown + 1}, you {match.scores[0]}, the other {match.scores[1]}; {starter}.")
        if match.seat == 1:
            try:
                move, after = step(match, 1, opponent, deal.chance(len(lines), 1), clock)
            except Forfeit as lost:
                result = match.forfeit(1, str(lost))
                kept.keep([*lines, str(lost)], result)
                console.print(f"  {lost}", markup=False)
                if raising and lost.__cause__ is not None:
                    raise lost.__cause__ from None
                return result
            lines.append(f"p2 {match.tell(move)}")
            kept.keep(lines, after.result)
            console.print(f"  the other: {move}", markup=False)
            match, own = tell_end(console, match, after), []
            continue
        answer = ask(console, match, bool(own))
        if answer == "quit":
            return None
        if answer == "undo":
            match, count = own.pop()
            lines = lines[:count]
            kept.keep(lines)
            continue
        assert not isinstance(answer, str)
        told = match.tell(answer)
        # A card seen cannot be unseen: a draw from stock is final.
        final = told.startswith("draw stock")
        own = [] if final else [*own, (match, len(lines))]
        if final:
            console.print(f"  you draw {told.removeprefix('draw stock ')}")
        after = match.apply(answer)
        ends_turn = after.seat == 1 and after.number == match.number
        wish = sure(console, answer) if ends_turn else "on"
        if wish == "quit":
            return None
        if wish == "undo":
            own.pop()
            continue
        lines.append(f"p1 {told}")
        kept.keep(lines, after.result)
        match = tell_end(console, match, after)
    return match.result


def sure(console: "Console", move: "Move") -> "Literal['on', 'undo', 'quit']":
    """Hold on before the other acts, until one goes on, takes the move back or stops."""
    while True:
        try:
            text = console.input(f"  {move}. Enter goes on, 'undo' takes it back: ", markup=False).strip().lower()
        except EOFError:
            return "on"
        except KeyboardInterrupt:
            console.print()
            return "quit"
        if text == "":
            return "on"
        if text == "undo":
            return "undo"
        if text in ("quit", "exit", "q"):
            return "quit"
        console.print(f"  {text!r} is none of Enter, undo and quit", markup=False)


def tell_end(console: "Console", before: "Match", after: "Match") -> "Match":
    """Say how a round ended, when it has."""
    if len(after.outcomes) > len(before.outcomes):
        outcome = after.outcomes[-1]
        both = f", deadwood {outcome.deadwood[0]} and {outcome.deadwood[1]}" if outcome.deadwood else ""
        who = "" if outcome.winner is None else ("you win" if outcome.winner == 0 else "the other wins") + f" {outcome.points} by "
        console.print(f"  {who}{outcome.kind}{both}.")
    return after


def ask(console: "Console", match: "Match", can_undo: bool) -> "Move | Literal['undo', 'quit']":
    """Ask until a legal move comes, or the wish to go back or to stop."""
    from meldlab.cli.gin.advise import print_advice
    from meldlab.cli.gin.hints import expected_turns, hint
    from meldlab.errors import MeldlabError
    from meldlab.gin.advice import advise

    view = match.view(0)
    show(console, view)
    while True:
        try:
            text = console.input("> ").strip()
        except (EOFError, KeyboardInterrupt):
            console.print()
            return "quit"
        if text in ("quit", "exit", "q"):
            return "quit"
        if text in ("help", "h", ""):
            console.print(HELP, markup=False)
        elif text == "?":
            print_advice(console, advise(view))
            turns = expected_turns(view.hand) if len(view.cards) == 10 else {}
            if turns:
                console.print(f"  {hint(turns)}")
        elif text == "undo":
            if can_undo:
                return "undo"
            console.print("  nothing to take back")
        else:
            try:
                move = read(view, text)
                match.verify(move)
            except MeldlabError as problem:
                console.print(f"  {problem}", markup=False)
            else:
                return move


def read(view: "View", text: str) -> "Move":
    """Read what a person types; short forms are filled in, and the move must be legal."""
    from meldlab.cards import Card
    from meldlab.errors import NotLegalHere
    from meldlab.gin import Move, Verb

    words = text.lower().split()
    legal = view.legal_actions()
    if words[0] in ("draw", "stock", "d") and len(words) == 1:
        text = "draw stock"
    elif words[0] in ("take", "t") and len(words) == 1:
        text = f"take {view.upcard}"
    elif (words[0] in ("knock", "show") or text.lower().startswith("big gin")) and "|" not in text and len(words) <= 2:
        verb = Verb.BIG_GIN if words[0] == "big" else Verb(words[0])
        wanted = Card.parse(words[1]).index if verb is Verb.KNOCK and len(words) > 1 else -1
        fitting = [move for move in legal if move.verb is verb and move.index == wanted]
        if not fitting:
            raise NotLegalHere(f"{text} is not possible now: {', '.join(dict.fromkeys(str(move.verb) for move in legal))}")
        return fitting[-1] if verb is Verb.SHOW else fitting[0]
    return Move.parse(text)


def show(console: "Console", view: "View") -> None:
    """Print the own hand, the upcard, and what may be done."""
    from meldlab.cli.pictures import arrangement_text, cards_text
    from meldlab.gin import Phase
    from meldlab.melds import arrange

    best = arrange(view.hand)
    console.print("  your hand ", arrangement_text(best), f"  deadwood {best.deadwood}")
    if view.phase is Phase.SHOW and view.knock is not None:
        console.print(f"  the other knocked with {' | '.join(map(str, view.knock.melds))}", markup=False)
    else:
        upcard = [view.upcard] if view.upcard else []
        known = f"  known to be the other's: {view.known}" if view.known else ""
        console.print("  upcard    ", cards_text(upcard), f"  stock {view.stock}{known}")
    may = [str(move) if not move.melds and move.index < 0 else str(move.verb) for move in view.legal_actions()]
    console.print(f"  you may: {', '.join(dict.fromkeys(may))}", markup=False)
