"""What the stopping verbs share: the deck, what its cards win and lose, and advice in words."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from meldlab.stopping import Advice, Urn

__all__ = ["AT_ONCE", "DeckOption", "GainOption", "LossOption", "advice_text", "read_urn"]

DeckOption = Annotated[str, typer.Option("--deck", help="Numbers of black and red cards, such as 26,26.")]
GainOption = Annotated[str, typer.Option("--gain", help="What a black card wins: 2, 0.5 or 1/2.")]
LossOption = Annotated[str, typer.Option("--loss", help="What a red card loses.")]
AT_ONCE = 2.0  # seconds for which exact fractions are worth waiting when nobody asked for them


def read_urn(deck: str, gain: str, loss: str) -> "Urn":
    """Return the deck and what its cards are worth."""
    from meldlab.stopping import Urn
    from meldlab.stopping.notation import read_amount, read_deck

    return Urn(*read_deck(deck), read_amount(gain), read_amount(loss))


def advice_text(best: "Advice") -> str:
    """Return advice as a sentence."""
    from meldlab.stopping.notation import amount_text

    if best.next_black is None:
        return f"no card is left: the game ends with {amount_text(best.stop_value)}"
    chance = f"the next card is black with {float(best.next_black):.1%}"
    if best.keep_drawing:
        return f"draw: worth {amount_text(best.value)} against {amount_text(best.stop_value)} for stopping; {chance}"
    return f"stop with {amount_text(best.stop_value)}: going on is worth no more; {chance}"
