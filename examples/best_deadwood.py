"""The best arrangement of a hand: which cards to meld, what is left over, and what to throw.

python examples/best_deadwood.py 4H 5H 6H 7H 7C 7D KS QD
"""

import sys

from meldlab.cards import Hand
from meldlab.melds import arrange, best_discard


def main(text: str) -> None:
    """Tell about a hand."""
    hand = Hand.parse(text)
    best = arrange(hand)  # in a notebook it shows itself as a picture
    print(f"{best}   deadwood {best.deadwood}")
    card = best_discard(hand)
    print(f"throw {card}: {arrange(hand - {card}).deadwood} is left")


if __name__ == "__main__":
    main(" ".join(sys.argv[1:]) or "4H 5H 6H 7H 7C 7D KS QD")
