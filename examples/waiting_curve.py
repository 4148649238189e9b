"""Plot a waiting-time curve: how many turns a hand of three cards takes, as a picture with its numbers beside it.

python examples/waiting_curve.py curve.svg AC QH KD
"""

import sys
from pathlib import Path

from meldlab.reports.plot import BLUE, new_figure, save
from meldlab.waiting import WaitingGame, solve
from meldlab.waiting.distribution import TurnDistribution


def main(file: str, hand: str) -> None:
    """Draw the chance that the hand is complete within so many turns."""
    time = TurnDistribution.from_hand(solve(WaitingGame(3)), hand)
    done = time.probabilities.cumsum()[: time.quantile(0.99) + 1]
    figure, (axes,) = new_figure(size=(6, 3.5))
    axes.step(range(len(done)), done, where="post", color=BLUE)
    axes.axvline(time.mean(), color="black", ls=":")
    axes.set(xlabel="turns", ylabel="chance to be done", title=f"{hand}: {time.mean():.2f} turns on average")
    print(*save(figure, {"turns": range(len(done)), "done": done.tolist()}, Path(file)))


if __name__ == "__main__":
    main(*((sys.argv[1], " ".join(sys.argv[2:])) if sys.argv[2:] else ("waiting.svg", "AC QH KD")))
