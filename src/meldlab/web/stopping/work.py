"""What workers do for the stopping game."""

from typing import Any

from meldlab.errors import NotLegalHere
from meldlab.schemas.stopping import StoppingAdvice, WinningsAnswer
from meldlab.stopping import Sitting, Urn, simulate

__all__ = ["automatic", "look", "maps"]

MOST = 60  # cards of a colour that are drawn and mapped here


def look(deck: str, seed: int, drawn: int, stopped: bool) -> dict[str, Any]:
    """Return a sitting after so many draws: what lies open, what it is worth, and what the best policy would do."""
    urn = _urn(deck)
    if drawn > urn.black + urn.red:
        raise NotLegalHere(f"{drawn} cards of {urn.black + urn.red} cannot be drawn")
    sitting = Sitting.shuffled(urn, seed)
    cards, path, won = [], [(urn.black, urn.red)], 0.0
    for _ in range(drawn):
        sitting = sitting.draw()
        cards.append(str(sitting.last_card))
        path.append((sitting.rest.black, sitting.rest.red))
    won = float(urn.won(sitting.rest))
    advice = sitting.advice()
    best = Sitting.shuffled(urn, seed).played_out() if stopped or sitting.over else None
    return {
        "black": sitting.rest.black,
        "red": sitting.rest.red,
        "cards": cards,
        "path": path,
        "won": won,
        "over": sitting.over,
        **StoppingAdvice.model_validate(advice).model_dump(),
        "best_stops_after": best.drawn if best else None,
        "best_wins": float(urn.won(best.rest)) if best else None,
    }


def maps(deck: str) -> dict[str, Any]:
    """Return what every position is worth in all and whether one goes on there, by black and red cards left."""
    urn = _urn(deck)
    value = urn.value()
    return {"value": float(value), "exact": str(value), "values": urn.floats.values().tolist(), "goes_on": urn.policy().goes_on()}


def automatic(deck: str, games: int, seed: int) -> WinningsAnswer:
    """Return the distribution of the winnings under the optimal policy, computed and simulated."""
    urn = _urn(deck)
    return WinningsAnswer.from_winnings(urn.quickest.winnings(), simulate(urn, games, seed), games)


def _urn(deck: str) -> Urn:
    urn = Urn.parse(deck)
    if max(urn.black, urn.red) > MOST:
        raise NotLegalHere(f"here a deck has at most {MOST} cards of a colour; 'meldlab stopping value' takes more")
    return urn
