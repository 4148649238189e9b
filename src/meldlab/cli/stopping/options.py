"""Options of the stopping commands: the deck, its amounts, and advice as text."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from meldlab.cli.options import read_by

if TYPE_CHECKING:
    from meldlab.stopping import Advice, Urn

DeckOption = Annotated[
    Any, typer.Option("--deck", **read_by("meldlab.stopping.notation:read_deck", "BLACK,RED"), help="Numbers of black and red cards.")
]
GainOption = Annotated[
    Any, typer.Option("--gain", **read_by("meldlab.stopping.notation:read_amount", "AMOUNT"), help="What a black card wins: 2, 0.5 or 1/2.")
]
LossOption = Annotated[
    Any, typer.Option("--loss", **read_by("meldlab.stopping.notation:read_amount", "AMOUNT"), help="What a red card loses.")
]


def read_urn(deck: DeckOption = "26,26", gain: GainOption = "1", loss: LossOption = "1") -> "Urn":
    """Return the deck with what its cards are worth."""
    from meldlab.stopping import Urn

    black, red = deck
    return Urn(black, red, gain, loss)


def advice_text(best: "Advice") -> str:
    """Return advice as a sentence."""
    from meldlab.stopping.notation import amount_text

    if best.next_black is None:
        return f"no card is left: the game ends with {amount_text(best.stop_value)}"
    chance = f"the next card is black with {float(best.next_black):.1%}"
    if best.keep_drawing:
        return f"draw: worth {amount_text(best.value)} against {amount_text(best.stop_value)} for stopping; {chance}"
    return f"stop with {amount_text(best.stop_value)}: going on is worth no more; {chance}"
