"""Four-card rummy solved: the expected turns of every one of the 270,725 hands, and what to do with yours.

python examples/four_card_rummy.py 4C 5C 9D KH
"""

import sys

from meldlab.waiting import WaitingGame, solve


def main(hand: str) -> None:
    """Solve the game and tell about one hand."""
    solution = solve(WaitingGame(4, aces="low"))
    summary = solution.summary()
    print(f"{summary.hands:,} hands, on average {summary.mean:.4f} turns, at most {summary.max:.4f} ({summary.worst})")
    print(f"{hand}: {solution.turns(hand):.4f} turns")
    for exchange in sorted(solution.draws(hand), key=lambda one: one.expected)[:5]:
        print(f"  if {exchange.draw} comes, throw {exchange.discard}: {exchange.expected:.4f} turns are left")


if __name__ == "__main__":
    main(" ".join(sys.argv[1:]) or "4C 5C 9D KH")
