"""``meldlab stopping``: the game of black and red cards, solved, drawn and played."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from meldlab.cli.options import Commands, JsonOption, NewDealOption, SeedOption, need_input, new_seed, out_file, out_folder
from meldlab.cli.output import print_files, print_json
from meldlab.errors import NoSuchThing, NotPossible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from meldlab.stopping import Advice, Round, Urn

app = Commands(epilog="Example: meldlab stopping value --deck 26,26 --exact")

DeckOption = Annotated[str, typer.Option("--deck", metavar="BLACK,RED", help="Numbers of black and red cards.")]
GainOption = Annotated[str, typer.Option("--gain", metavar="AMOUNT", help="Gain of a black card: 2, 0.5 or 1/2.")]
LossOption = Annotated[str, typer.Option("--loss", metavar="AMOUNT", help="Loss of a red card: 2, 0.5 or 1/2.")]

PICTURES = ("value", "policy", "shepp", "winnings")
HELP = """  draw, d or Enter   turn the next card up
  stop or s          keep what you have won (quit does the same)
  hint or ?          advice: draw or stop, and why
  rules              what the cards are worth"""
# Words of other games that do not apply: there is no hand, and the seed is the whole record.
NOT_AVAILABLE = {
    "undo": "nothing to undo: a card that was seen cannot be unseen",
    "sort": "there is no hand to sort",
    "save": "there is nothing to save: the same seed gives the same pile",
}


@dataclass(frozen=True)
class DeckOptions:
    """Options for the deck."""

    deck: DeckOption = "26,26"
    gain: GainOption = "1"
    loss: LossOption = "1"

    @property
    def urn(self) -> "Urn":
        """Return the deck and its amounts."""
        from meldlab.stopping import Urn
        from meldlab.stopping.notation import read_amount, read_deck

        return Urn(*read_deck(self.deck), read_amount(self.gain), read_amount(self.loss))


@app.command()
def value(
    options: DeckOptions,
    exact: Annotated[bool, typer.Option("--exact", help="Print a fraction, without rounding.")] = False,
    json: JsonOption = False,
) -> None:
    """Print the expected winnings before the first card.

    Example: meldlab stopping value --deck 26,26 --exact
    """
    urn = options.urn
    fraction = urn.value() if exact else None
    number = urn.floats.value() if fraction is None else float(fraction)
    text = None if fraction is None else f"{fraction.numerator}/{fraction.denominator}"
    if json:
        print_json({"value": number, "exact": text})
    else:
        print(number if text is None else f"{text} = {number}")


@app.command()
def advise(
    drawn: Annotated[int, typer.Option("--drawn", help="Number of cards drawn so far.")],
    black: Annotated[int, typer.Option("--black", help="Number of black cards among them.")],
    options: DeckOptions,
    json: JsonOption = False,
) -> None:
    """Advise to draw or to stop, with the value of both.

    Example: meldlab stopping advise --drawn 20 --black 13
    """
    advice = options.urn.fastest.advise(drawn, black)
    if json:
        from meldlab.schemas.stopping import StoppingAdvice

        print_json(StoppingAdvice.model_validate(advice))
    else:
        print(_advice_text(advice))


def _advice_text(advice: "Advice") -> str:
    from meldlab.stopping.notation import amount_text

    if advice.next_black is None:
        return f"no card is left: the game ends with {amount_text(advice.stop_value)}"
    chance = f"the next card is black with {float(advice.next_black):.1%}"
    if advice.keep_drawing:
        return f"draw: worth {amount_text(advice.value)} against {amount_text(advice.stop_value)} for stopping; {chance}"
    return f"stop with {amount_text(advice.stop_value)}: drawing is worth no more; {chance}"


@app.command()
def policy(options: DeckOptions, json: JsonOption = False) -> None:
    """Print, for each number of red cards left, with how many black cards left to stop, and where both are equally good.

    Example: meldlab stopping policy --deck 26,26
    """
    best = options.urn.fastest.policy()
    if json:
        print_json({"boundary": best.boundary, "indifferent": best.indifferent})
        return
    print("red left   stop with at most this many black left")
    for red, stop in enumerate(best.boundary):
        print(f"{red:8}   {stop}")
    if best.indifferent is None:
        print("deck too large to look for positions where both are equally good")
    else:
        print("equally good (black left, red left):", " ".join(f"({black},{red})" for black, red in best.indifferent) or "none")


@app.command()
def matrices(options: DeckOptions, json: JsonOption = False) -> None:
    """Print the paper's two matrices, value and whether to continue, by black cards left (rows) and red cards left (columns).

    Example: meldlab stopping matrices --deck 4,4
    """
    urn = options.urn
    values, draws = urn.values(), urn.policy().continues()
    if json:
        rows = [[f"{cell.numerator}/{cell.denominator}" for cell in row] for row in values]
        print_json({"currentValue": [list(map(float, row)) for row in values], "continueOrNot": draws, "exact": rows})
        return
    _print_matrix("currentValue by cards left", [[f"{float(cell):.4f}" for cell in row] for row in values])
    print()
    _print_matrix("continueOrNot by cards left, 1: continue", [[f"{cell:d}" for cell in row] for row in draws])


def _print_matrix(name: str, rows: list[list[str]]) -> None:
    """Print a matrix: black cards left at the side, red ones above."""
    width = max(len(str(len(rows[0]))), max(len(cell) for row in rows for cell in row))
    side = len("black \\ red")
    print(name)
    for head, row in [("black \\ red", list(map(str, range(len(rows[0]))))), *((str(black), row) for black, row in enumerate(rows))]:
        print(f"{head:>{side}} |", " ".join(f"{cell:>{width}}" for cell in row))


@app.command()
def winnings(
    options: DeckOptions,
    games: Annotated[int, typer.Option("--games", min=2, help="Games to simulate for comparison with the exact distribution.")] = 100_000,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Print the distribution of the winnings under the optimal policy: computed, and in simulated games.

    Example: meldlab stopping winnings --games 100000 --seed 1
    """
    from meldlab.stopping import simulate
    from meldlab.stopping.notation import amount_text

    urn = options.urn
    best = urn.fastest.winnings()
    played = simulate(urn, games, seed)
    if json:
        from meldlab.schemas.stopping import WinningsAnswer

        print_json(WinningsAnswer.from_winnings(best, played, games))
        return
    shares = dict(zip(played.winnings.amounts, played.winnings.chances, strict=True))
    rows = [(amount, chance, shares.get(amount, 0)) for amount, chance in zip(best.amounts, best.chances, strict=True)]
    width = max(len("winnings"), *(len(amount_text(amount)) for amount, _, _ in rows))
    print(f"{'winnings':>{width}}    chance   simulated")
    for amount, chance, share in rows:
        print(f"{amount_text(amount):>{width}} {float(chance):9.6f}   {float(share):9.6f}")
    mean = played.interval
    print(f"mean {float(best.mean):.6f}, standard deviation {best.sd:.6f}")
    print(f"{games:,} games: mean {float(played.winnings.mean):.6f}, with 95 % confidence {mean.low:.6f} to {mean.high:.6f}")


@app.command()
def draw(
    picture: Annotated[str, typer.Argument(metavar=f"[{'|'.join(PICTURES)}]", help="Picture to draw.")],
    out: Annotated[Path, out_file("File .svg or .png to write; its numbers go into a .csv with the same name.", parents=True)],
    options: DeckOptions,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Draw one picture: heat map of value or policy, values against Shepp's asymptotics, or the distribution of the winnings.

    Example: meldlab stopping draw policy --out policy.svg
    """
    if picture not in PICTURES:
        raise NoSuchThing("picture", picture, PICTURES)
    print_files(_draw(picture, options.urn, seed, out), json)


@app.command()
def figures(
    out: Annotated[Path, out_folder("Folder to write; created if needed.")],
    options: DeckOptions,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Draw all pictures as SVG into a folder.

    Example: meldlab stopping figures --out figures
    """
    urn = options.urn
    print_files([path for picture in PICTURES for path in _draw(picture, urn, seed, out / f"stopping-{picture}.svg")], json)


def _draw(picture: str, urn: "Urn", seed: int, out: Path) -> list[Path]:
    from meldlab.reports import save, stopping

    if picture == "winnings":
        plot = stopping.draw_winnings(urn, seed)
    else:
        plot = {"value": stopping.draw_value, "policy": stopping.draw_policy, "shepp": stopping.draw_shepp}[picture](urn)
    return list(save(*plot, out))


@app.command()
def play(options: DeckOptions, seed: NewDealOption = None) -> None:
    """Play against the pile: draw, stop, or ask for advice.

    Example: meldlab stopping play --seed 7
    """
    from rich.console import Console

    from meldlab.stopping import Round

    need_input()
    urn = options.urn
    if not urn.exact_at_once:
        raise NotPossible(f"{urn.black},{urn.red} is too large a deck for advice at once; play with a smaller one")
    seed = new_seed(seed)
    console = Console(highlight=False)
    _say(console, f"{_rules(urn)} Seed {seed}.")
    _say(console, "d or Enter draws, s stops, ? gives advice; 'help' lists all that you can type.")
    _print_end(_play(Round.shuffled(urn, seed), console), seed, console)


def _say(console: "Console", text: str) -> None:
    """Print a text; on a terminal lines are broken between words."""
    from rich.text import Text

    from meldlab.cli.screen import hanging

    console.print(hanging(Text(text), console) if console.is_terminal else text, markup=False, soft_wrap=True)


def _rules(urn: "Urn") -> str:
    return f"{urn.black} black cards win {urn.gain} each, {urn.red} red cards lose {urn.loss} each."


def _play(table: "Round", console: "Console") -> "Round":
    """Return the position in which the user stops, or the empty pile."""
    from meldlab.cli.prompt import Prompt
    from meldlab.cli.screen import split_common_word
    from meldlab.stopping.notation import amount_text

    prompt = Prompt(console)
    while not table.over:
        rest = table.remaining
        question = f"won {amount_text(table.urn.won(rest))}; {rest.black} black and {rest.red} red left> "
        line = prompt.ask(question, ("draw", "stop", "hint", "rules", "help", "quit")).lower()
        word, _ = split_common_word(line)
        if line in ("", "d", "draw"):
            table = table.draw()
            console.print(" ", _card_text(table))
        elif line in ("s", "stop") or word == "quit":
            return table
        elif word in NOT_AVAILABLE:
            _say(console, f"  {NOT_AVAILABLE[word]}")
        elif word:
            _say(console, {"hint": f"  {_advice_text(table.advice())}", "rules": f"  {_rules(table.urn)}"}.get(word, HELP))
        else:
            _say(console, f"  no move {line!r}; you may draw, stop or ask for a hint")
    return table


def _card_text(table: "Round") -> "Text | str":
    from meldlab.cli.pictures import cards_text

    card = table.last_card
    return card if isinstance(card, str) else cards_text([card])


def _print_end(table: "Round", seed: int, console: "Console") -> None:
    from meldlab.stopping import Round
    from meldlab.stopping.notation import amount_text

    urn = table.urn
    best = Round.shuffled(urn, seed).finish()
    why = "The pile is empty" if table.over else "You stop"
    _say(console, f"{why}: you won {amount_text(urn.won(table.remaining))} with {table.drawn} cards.")
    here, average = amount_text(urn.won(best.remaining)), amount_text(urn.value())
    _say(console, f"The best policy wins {here} on this pile, with {best.drawn} cards, and {average} on average.")
