"""What workers do for the stopping game."""

from typing import Any

from meldlab.errors import NotLegalHere
from meldlab.schemas.stopping import StoppingAdvice, WinningsAnswer
from meldlab.stopping import Round, Urn, simulate

MOST = 60  # cards of a colour that are drawn and mapped here


def look(deck: str, seed: int, drawn: int, stopped: bool) -> dict[str, Any]:
    """Return a sitting after n draws: what lies open, what it is worth, and what the best policy would do."""
    urn = _urn(deck)
    if drawn > urn.black + urn.red:
        raise NotLegalHere(f"{drawn} cards of {urn.black + urn.red} cannot be drawn")
    round = Round.shuffled(urn, seed)
    cards, path, won = [], [(urn.black, urn.red)], 0.0
    for _ in range(drawn):
        round = round.draw()
        cards.append(str(round.last_card))
        path.append((round.remaining.black, round.remaining.red))
    won = float(urn.won(round.remaining))
    advice = round.advice()
    best = Round.shuffled(urn, seed).finish() if stopped or round.over else None
    return {
        "black": round.remaining.black,
        "red": round.remaining.red,
        "cards": cards,
        "path": path,
        "won": won,
        "over": round.over,
        **StoppingAdvice.model_validate(advice).model_dump(),
        "best_stops_after": best.drawn if best else None,
        "best_wins": float(urn.won(best.remaining)) if best else None,
    }


def maps(deck: str) -> dict[str, Any]:
    """Return the value of every position and whether the best policy draws there, by black and red cards left."""
    urn = _urn(deck)
    value = urn.value()
    return {"value": float(value), "exact": str(value), "values": urn.floats.values().tolist(), "goes_on": urn.policy().continues()}


def automatic(deck: str, games: int, seed: int) -> WinningsAnswer:
    """Return the distribution of the winnings under the optimal policy, computed and simulated."""
    urn = _urn(deck)
    return WinningsAnswer.from_winnings(urn.fastest.winnings(), simulate(urn, games, seed), games)


def _urn(deck: str) -> Urn:
    urn = Urn.parse(deck)
    if max(urn.black, urn.red) > MOST:
        raise NotLegalHere(f"here a deck has at most {MOST} cards of a colour; 'meldlab stopping value' takes more")
    return urn
