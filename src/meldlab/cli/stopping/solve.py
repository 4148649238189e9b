"""``meldlab stopping value``, ``advise``, ``policy``, ``matrices`` and ``winnings``: the game solved."""

from fractions import Fraction
from typing import TYPE_CHECKING, Annotated

import typer

from meldlab.cli.options import JsonOption, SeedOption, print_json, taking
from meldlab.cli.stopping.options import advice_text, read_urn

if TYPE_CHECKING:
    from meldlab.stopping import Urn


@taking(urn=read_urn)
def value(
    urn: "Urn",
    exact: Annotated[bool, typer.Option("--exact", help="As a fraction, without rounding.")] = False,
    json: JsonOption = False,
) -> None:
    """Say what the game is worth before the first card.

    Example: meldlab stopping value --deck 26,26 --exact
    """
    fraction = urn.value() if exact else None
    worth = urn.floats.value() if fraction is None else float(fraction)
    text = None if fraction is None else f"{fraction.numerator}/{fraction.denominator}"
    if json:
        print_json({"value": worth, "exact": text})
    else:
        print(worth if text is None else f"{text} = {worth}")


@taking(urn=read_urn)
def advise(
    drawn: Annotated[int, typer.Option("--drawn", help="Cards drawn so far.")],
    black: Annotated[int, typer.Option("--black", help="How many of them are black.")],
    urn: "Urn",
    json: JsonOption = False,
) -> None:
    """Say whether to draw another card, and what the position is worth in all.

    Example: meldlab stopping advise --drawn 20 --black 13
    """
    best = urn.fastest.advise(drawn, black)
    if json:
        chance = None if best.next_black is None else float(best.next_black)
        answer = {"value": float(best.value), "stop_value": float(best.stop_value), "continue": best.keep_drawing, "next_black": chance}
        print_json(answer)
    else:
        print(advice_text(best))


@taking(urn=read_urn)
def policy(urn: "Urn", json: JsonOption = False) -> None:
    """Say, for each number of red cards left, with how many black cards left to stop, and where it does not matter.

    Example: meldlab stopping policy --deck 26,26
    """
    best = urn.fastest.policy()
    if json:
        print_json({"boundary": best.boundary, "indifferent": best.indifferent})
        return
    print("red left   stop with at most so many black left")
    for red, stop in enumerate(best.boundary):
        print(f"{red:8}   {stop}")
    if best.indifferent is None:
        print("deck too large to look for positions where it does not matter")
    else:
        print("does not matter (black left, red left):", " ".join(f"({black},{red})" for black, red in best.indifferent) or "nowhere")


@taking(urn=read_urn)
def matrices(urn: "Urn", json: JsonOption = False) -> None:
    """Print the paper's two matrices: value and whether to go on, by black cards left (rows) and red cards left (columns).

    Example: meldlab stopping matrices --deck 4,4
    """
    values, goes_on = urn.values(), urn.policy().continues()
    if json:
        rows = [[f"{worth.numerator}/{worth.denominator}" for worth in row] for row in values]
        print_json({"currentValue": [list(map(float, row)) for row in values], "continueOrNot": goes_on, "exact": rows})
        return
    _print_matrix("currentValue by cards left", [[f"{float(worth):.4f}" for worth in row] for row in values])
    print()
    _print_matrix("continueOrNot by cards left, 1: go on", [[f"{going:d}" for going in row] for row in goes_on])


def _print_matrix(name: str, rows: list[list[str]]) -> None:
    """Print a matrix with its heads: black cards left at the side, red ones above."""
    wide = max(len(str(len(rows[0]))), max(len(each) for row in rows for each in row))
    side = len("black \\ red")
    print(name)
    for head, row in [("black \\ red", list(map(str, range(len(rows[0]))))), *((str(black), row) for black, row in enumerate(rows))]:
        print(f"{head:>{side}} |", " ".join(f"{each:>{wide}}" for each in row))


@taking(urn=read_urn)
def winnings(
    urn: "Urn",
    games: Annotated[int, typer.Option("--games", min=2, help="Games to simulate beside the exact answer.")] = 100_000,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Say how likely each amount is under the best policy: computed, and in simulated games.

    Example: meldlab stopping winnings --games 100000 --seed 1
    """
    from meldlab.stopping import simulate
    from meldlab.stopping.notation import amount_text

    best = urn.fastest.winnings()
    played = simulate(urn, games, seed)
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
    wide = max(len("winnings"), *(len(amount_text(amount)) for amount, _, _ in rows))
    print(f"{'winnings':>{wide}}    chance   simulated")
    for amount, chance, share in rows:
        print(f"{amount_text(amount):>{wide}} {float(chance):9.6f}   {float(share):9.6f}")
    low, high = played.interval
    print(f"mean {float(best.mean):.6f}, standard deviation {best.sd:.6f}")
    print(f"{games:,} games: mean {float(played.winnings.mean):.6f}, with 95 % confidence {low:.6f} to {high:.6f}")
