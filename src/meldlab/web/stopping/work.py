"""What workers do for the stopping game."""

from typing import Any

from meldlab.errors import NotLegalHere
from meldlab.stopping import Sitting, Urn, policy, simulate, value_table, winnings_in_floats

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
        "draw": advice.keep_drawing,
        "value": float(advice.value),
        "next_black": float(advice.next_black) if advice.next_black is not None else None,
        "best_stops_after": best.drawn if best else None,
        "best_wins": float(urn.won(best.rest)) if best else None,
    }


def maps(deck: str) -> dict[str, Any]:
    """Return what every position is worth in all and whether one goes on there, by black and red cards left."""
    urn = _urn(deck)
    best = policy(urn)
    values = value_table(urn)
    return {
        "value": float(urn.value()),
        "exact": str(urn.value()),
        "values": values.tolist(),
        "goes_on": [[not best.stops_at(black, red) for red in range(urn.red + 1)] for black in range(urn.black + 1)],
    }


def automatic(deck: str, games: int, seed: int) -> dict[str, Any]:
    """Return how many games by the best policy went, beside the exact distribution."""
    urn = _urn(deck)
    played, exact = simulate(urn, games, seed), winnings_in_floats(urn)
    shares = dict(zip(played.winnings.amounts, played.winnings.chances, strict=True))
    return {
        "games": games,
        "mean": float(played.winnings.mean),
        "ci95": played.interval,
        "exact_mean": float(exact.mean),
        "amounts": [float(amount) for amount in exact.amounts],
        "chances": [float(chance) for chance in exact.chances],
        "shares": [float(shares.get(amount, 0.0)) for amount in exact.amounts],
    }


def _urn(deck: str) -> Urn:
    urn = Urn.parse(deck)
    if max(urn.black, urn.red) > MOST:
        raise NotLegalHere(f"here a deck has at most {MOST} cards of a colour; 'meldlab stopping value' takes more")
    return urn
