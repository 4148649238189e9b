"""``meldlab stopping``: the game of black and red cards, solved and played."""

import sys
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from meldlab.cli.options import JsonOption, SeedOption, need_input, print_json, seed_option
from meldlab.errors import NoSuchThing, NotLegalHere

if TYPE_CHECKING:
    from rich.text import Text

    from meldlab.stopping import Advice, Sitting, Urn

__all__ = ["app"]

app = typer.Typer(name="stopping", help="Draw cards, win on black, lose on red, stop when you like.", no_args_is_help=True)

DeckOption = Annotated[str, typer.Option("--deck", help="Numbers of black and red cards, such as 26,26.")]
GainOption = Annotated[str, typer.Option("--gain", help="What a black card wins: 2, 0.5 or 1/2.")]
LossOption = Annotated[str, typer.Option("--loss", help="What a red card loses.")]
PICTURES = ("value", "policy", "shepp", "winnings")
AT_ONCE = 2.0  # seconds for which exact fractions are worth waiting when nobody asked for them


def _urn(deck: str, gain: str, loss: str) -> "Urn":
    from meldlab.stopping import Urn
    from meldlab.stopping.notation import read_amount, read_deck

    return Urn(*read_deck(deck), read_amount(gain), read_amount(loss))


@app.command("value")
def value(
    black: Annotated[int, typer.Option("--black", help="Black cards in the deck.")] = 26,
    red: Annotated[int, typer.Option("--red", help="Red cards in the deck.")] = 26,
    gain: GainOption = "1",
    loss: LossOption = "1",
    exact: Annotated[bool, typer.Option("--exact", help="As a fraction, without rounding.")] = False,
    json: JsonOption = False,
) -> None:
    """Say what the game is worth before the first card.

    Example: meldlab stopping value --black 26 --red 26 --exact
    """
    from meldlab.stopping import Urn
    from meldlab.stopping.notation import read_amount

    urn = Urn(black, red, read_amount(gain), read_amount(loss))
    fraction = urn.value() if exact else None
    worth = urn.value_in_floats() if fraction is None else float(fraction)
    text = None if fraction is None else f"{fraction.numerator}/{fraction.denominator}"
    if json:
        print_json({"value": worth, "exact": text})
    else:
        print(worth if text is None else f"{text} = {worth}")


@app.command("advise")
def advise(
    drawn: Annotated[int, typer.Option("--drawn", help="Cards drawn so far.")],
    black: Annotated[int, typer.Option("--black", help="How many of them are black.")],
    deck: DeckOption = "26,26",
    gain: GainOption = "1",
    loss: LossOption = "1",
    json: JsonOption = False,
) -> None:
    """Say whether to draw another card, and what the position is worth in all.

    Example: meldlab stopping advise --drawn 20 --black 13
    """
    urn = _urn(deck, gain, loss)
    best = urn.advise(drawn, black) if urn.exact_seconds < AT_ONCE else urn.advise_in_floats(drawn, black)
    if json:
        chance = None if best.next_black is None else float(best.next_black)
        answer = {"value": float(best.value), "stop_value": float(best.stop_value), "continue": best.keep_drawing, "next_black": chance}
        print_json(answer)
    else:
        print(_advice_text(best))


def _advice_text(best: "Advice") -> str:
    from meldlab.stopping.notation import amount_text

    if best.next_black is None:
        return f"no card is left: the game ends with {amount_text(best.stop_value)}"
    chance = f"the next card is black with {float(best.next_black):.1%}"
    if best.keep_drawing:
        return f"draw: worth {amount_text(best.value)} against {amount_text(best.stop_value)} for stopping; {chance}"
    return f"stop with {amount_text(best.stop_value)}: going on is worth no more; {chance}"


@app.command("policy")
def policy(deck: DeckOption = "26,26", gain: GainOption = "1", loss: LossOption = "1", json: JsonOption = False) -> None:
    """Say, for each number of red cards left, with how many black cards left to stop, and where it does not matter.

    Example: meldlab stopping policy --deck 26,26
    """
    import meldlab.stopping as room

    urn = _urn(deck, gain, loss)
    if urn.exact_seconds < AT_ONCE:
        best = room.policy(urn)
        boundary, indifferent = list(best.boundary), [list(place) for place in best.indifferent]
    else:
        # Floats cannot tell a tie; say that it is unknown rather than that there is none.
        boundary, indifferent = room.boundary_in_floats(urn).tolist(), None
    if json:
        print_json({"boundary": boundary, "indifferent": indifferent})
        return
    print("red left   stop with at most so many black left")
    for red, stop in enumerate(boundary):
        print(f"{red:8}   {stop}")
    if indifferent is None:
        print("deck too large to look for positions where it does not matter")
    else:
        print("does not matter (black left, red left):", " ".join(f"({black},{red})" for black, red in indifferent) or "nowhere")


@app.command("matrices")
def matrices(deck: DeckOption = "26,26", gain: GainOption = "1", loss: LossOption = "1", json: JsonOption = False) -> None:
    """Print the paper's two matrices: value and whether to go on, by black cards left (rows) and red cards left (columns).

    Example: meldlab stopping matrices --deck 4,4
    """
    from meldlab.stopping import continue_or_not, current_value

    urn = _urn(deck, gain, loss)
    values, goes_on = current_value(urn), continue_or_not(urn)
    if json:
        rows = [[f"{worth.numerator}/{worth.denominator}" for worth in row] for row in values]
        print_json({"currentValue": [list(map(float, row)) for row in values], "continueOrNot": goes_on, "exact": rows})
        return
    print("currentValue")
    for row in values:
        print(" ".join(f"{float(worth):8.4f}" for worth in row))
    print("continueOrNot")
    for line in goes_on:
        print(" ".join(map(str, map(int, line))))


@app.command("winnings")
def winnings(
    deck: DeckOption = "26,26",
    gain: GainOption = "1",
    loss: LossOption = "1",
    games: Annotated[int, typer.Option("--games", min=2, help="Games to simulate beside the exact answer.")] = 100_000,
    seed: SeedOption = 1,
    json: JsonOption = False,
) -> None:
    """Say how likely each amount is under the best policy: computed, and in simulated games.

    Example: meldlab stopping winnings --games 100000 --seed 1
    """
    import meldlab.stopping as room
    from meldlab.stopping.notation import amount_text

    urn = _urn(deck, gain, loss)
    best = room.winnings(urn) if urn.exact_seconds < AT_ONCE else room.winnings_in_floats(urn)
    played = room.simulate(urn, games, seed)
    shares = dict(zip(played.winnings.amounts, played.winnings.chances, strict=True))
    rows = [(amount, chance, shares.get(amount, 0)) for amount, chance in zip(best.amounts, best.chances, strict=True)]
    if json:
        print_json(
            {
                "winnings": [
                    {
                        "amount": str(amount),
                        "chance": float(chance),
                        "exact": f"{chance.numerator}/{chance.denominator}" if isinstance(chance, Fraction) else None,
                        "simulated": float(share),
                    }
                    for amount, chance, share in rows
                ],
                "mean": float(best.mean),
                "sd": best.sd,
                "games": games,
                "simulated_mean": float(played.winnings.mean),
                "interval": played.interval,
            }
        )
        return
    print("winnings    chance   simulated")
    for amount, chance, share in rows:
        print(f"{amount_text(amount):>8} {float(chance):9.6f}   {float(share):9.6f}")
    low, high = played.interval
    print(f"mean {float(best.mean):.6f}, standard deviation {best.sd:.6f}")
    print(f"{games:,} games: mean {float(played.winnings.mean):.6f}, with 95 % confidence {low:.6f} to {high:.6f}")


@app.command("draw")
def draw(
    picture: Annotated[str, typer.Argument(help="value, policy, shepp or winnings.")],
    out: Annotated[Path, typer.Option("--out", help="A file ending in .svg or .png; its numbers go beside it as .csv.")],
    deck: DeckOption = "26,26",
    gain: GainOption = "1",
    loss: LossOption = "1",
    seed: SeedOption = 1,
    json: JsonOption = False,
) -> None:
    """Draw one picture: heat map of value or policy, values against Shepp's asymptotics, or the distribution of the winnings.

    Example: meldlab stopping draw policy --out policy.svg
    """
    if picture not in PICTURES:
        raise NoSuchThing("picture", picture, PICTURES)
    _print_files(_draw(picture, _urn(deck, gain, loss), seed, out), json)


@app.command("figures")
def figures(
    out: Annotated[Path, typer.Option("--out", help="A folder, created if need be.")],
    deck: DeckOption = "26,26",
    gain: GainOption = "1",
    loss: LossOption = "1",
    seed: SeedOption = 1,
    json: JsonOption = False,
) -> None:
    """Draw all pictures as SVG into a folder.

    Example: meldlab stopping figures --out figures
    """
    urn = _urn(deck, gain, loss)
    files = [path for picture in PICTURES for path in _draw(picture, urn, seed, out / f"stopping-{picture}.svg")]
    _print_files(files, json)


def _draw(picture: str, urn: "Urn", seed: int, out: Path) -> list[Path]:
    from meldlab.lab.figures import save, stopping

    if picture == "winnings":
        sheet = stopping.draw_winnings(urn, seed)
    else:
        sheet = {"value": stopping.draw_value, "policy": stopping.draw_policy, "shepp": stopping.draw_shepp}[picture](urn)
    return list(save(*sheet, out))


def _print_files(files: list[Path], as_json: bool) -> None:
    if as_json:
        print_json({"files": files})
    else:
        print(*files, sep="\n")


@app.command("play")
def play(
    deck: DeckOption = "26,26",
    gain: GainOption = "1",
    loss: LossOption = "1",
    seed: Annotated[int | None, seed_option("The same seed gives the same pile; without one it is random.")] = None,
) -> None:
    """Play against the pile: draw, stop, or ask for advice.

    Example: meldlab stopping play --seed 7
    """
    from secrets import randbelow

    from meldlab.stopping import Sitting

    need_input()
    urn = _urn(deck, gain, loss)
    if urn.exact_seconds > AT_ONCE:
        raise NotLegalHere(f"{deck} is too large a deck for advice at once; play with a smaller one")
    seed = randbelow(10**6) if seed is None else seed
    table = Sitting.shuffled(urn, seed)
    try:
        print(f"{urn.black} black cards win {urn.gain} each, {urn.red} red cards lose {urn.loss} each. Seed {seed}.")
        print("d or Enter: draw   s: stop   ?: advice")
        table = _played(table)
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        raise typer.Exit(130) from None
    _end(table, seed)


def _played(table: "Sitting") -> "Sitting":
    """Return where the player stops, or the empty pile."""
    from rich.console import Console

    from meldlab.stopping.notation import amount_text

    console = Console(highlight=False)
    while not table.over:
        rest = table.rest
        asked = _ask(f"won {amount_text(table.urn.won(rest))}; {rest.black} black and {rest.red} red left> ")
        if asked in ("", "d", "draw"):
            table = table.draw()
            console.print(" ", _card_text(table))
        elif asked in ("s", "stop", "q", "quit"):
            return table
        elif asked == "?":
            print(" ", _advice_text(table.advice()))
        else:
            print(f"  no move {asked!r} (use d, s or ?)")
    return table


def _card_text(table: "Sitting") -> "Text | str":
    from meldlab.cli.pictures import cards_text

    card = table.last_card
    return card if isinstance(card, str) else cards_text([card])


def _ask(prompt: str) -> str:
    """Return what the player types; the end of the input means to stop."""
    try:
        return input(prompt).strip().lower()
    except EOFError:
        print()
        return "s"


def _end(table: "Sitting", seed: int) -> None:
    from meldlab.stopping import Sitting
    from meldlab.stopping.notation import amount_text

    urn = table.urn
    best = Sitting.shuffled(urn, seed).played_out()
    why = "The pile is empty" if table.over else "You stop"
    print(f"{why}: you won {amount_text(urn.won(table.rest))} with {table.drawn} cards.")
    here, average = amount_text(urn.won(best.rest)), amount_text(urn.value())
    print(f"The best policy wins {here} on this pile, with {best.drawn} cards, and {average} on average.")
