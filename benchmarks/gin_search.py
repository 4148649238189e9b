"""How strong players are that think longer than the champion: mirrored matches against it, and milliseconds a decision.

    python benchmarks/gin_search.py champion:search:300 --games 2000 --processes 2
    python benchmarks/gin_search.py showdown:100 --games 20000 --processes 2

``showdown:N`` is an ablation and no player of the package: the champion, but whether to knock it decides by the mean of the exact
showdowns against N hands that it believes in, and what its prior network expects of going on. Only numba, NumPy and SciPy are needed.
"""

import argparse
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from meldlab.gin import Gin, players
from meldlab.gin.kernel_state import DISCARD, KNOCK
from meldlab.gin.move import Move
from meldlab.gin.observation import move_of
from meldlab.gin.players import PolicyPlayer, SearchPlayer
from meldlab.gin.players.value_network import POINTS_PER_MATCH
from meldlab.gin.view import Phase, View
from meldlab.melds import deadwood
from meldlab.play import Chance, Deal, Player, Table
from meldlab.statistics import Moments

ASKED = (Phase.OFFER, Phase.DRAW, Phase.DROP)  # where there is something to decide


class Showdown(SearchPlayer):
    """The champion, that knocks where the exact showdowns against hands it believes in bring more than going on."""

    changed = 0  # decisions that became others

    def choose(self, view: View, chance: Chance) -> Move:
        own = self.policy.choose(view, chance)
        logits = self._logits(view) if view.phase is Phase.DROP else {}
        best = max((action for action in logits if action >= KNOCK), key=logits.__getitem__, default=None)
        if best is None or deadwood(view.hand - {(knock := move_of(view, best)).card}) == 0:
            return own
        found = self.win_probabilities(view, [knock], chance, range(self.samples), self.policy.odds(view)).mean()
        equity, scores = self._equity(view.rules), (view.scores[view.seat], view.scores[1 - view.seat])
        gained = found - equity.even(scores)
        drop = move_of(view, max((action for action in logits if DISCARD <= action < KNOCK), key=logits.__getitem__))
        waits = next(one.value for one in self.policy.prior.evaluate(view, chance) if one.move == drop) / POINTS_PER_MATCH
        chosen = knock if gained > waits else drop
        Showdown.changed += chosen.verb != own.verb
        return own if chosen.verb is own.verb else chosen


@dataclass
class Watch:
    """A player at whom one looks on: CPU seconds of its decisions, and how many there were."""

    player: Player[View, Move]
    seconds: float = 0.0
    decisions: int = 0

    @property
    def name(self) -> str:
        return self.player.name

    def choose(self, view: View, chance: Chance) -> Move:
        began = time.process_time()
        move = self.player.choose(view, chance)
        if view.phase in ASKED:
            self.seconds += time.process_time() - began
            self.decisions += 1
        return move


@cache
def parsed(text: str) -> Player[View, Move]:
    name, _, hands = text.partition(":")
    return Showdown(PolicyPlayer.parse("champion"), int(hands), text) if name == "showdown" else players.parse(text)


def play(text: str, other: str, seed: int, deal: int) -> list[float]:
    """Return of the two games of a deal: 2, games won, points won more than the other, CPU seconds, decisions, changed ones."""
    watch, before = Watch(parsed(text)), Showdown.changed
    row = np.zeros(6)
    for seat in range(2):
        both = [watch, parsed(other)]
        result = Table(Gin(), both[:: 1 - 2 * seat]).play(Deal(seed, deal)).result
        assert result is not None
        row[:3] += 1, seat in result.winners, result.scores[seat] - result.scores[1 - seat]
    row[3:] = watch.seconds, watch.decisions, Showdown.changed - before
    return list(row)


def told(rows: NDArray[np.float64]) -> str:
    moments = Moments.from_counts(rows)
    wins, lead, (_, _, _, seconds, decisions, changed) = moments.rate(1, 0), moments.mean(2, 0), rows.sum(axis=0)
    text = f"{2 * len(rows):,} games, won {wins.value:.4f} ({wins.low:.4f} to {wins.high:.4f}), points a game {lead.value:+.2f} "
    text += f"({lead.low:+.2f} to {lead.high:+.2f}), {1e3 * seconds / decisions:.1f} ms a decision, {decisions / len(rows) / 2:.0f} a game"
    return text + (f", {changed / decisions:.4f} of them changed" if changed else "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("player")
    parser.add_argument("--against", default="champion")
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="end after so many, with the games that are over")
    given = parser.parse_args()
    one: Callable[[int], list[float]] = partial(play, given.player, given.against, given.seed)
    one(0)  # compiles, and measures what points are worth, once for all processes
    rows, began, last = [], time.monotonic(), 0.0
    with ProcessPoolExecutor(given.processes) as pool:
        for row in pool.map(one, range(1, 1 + given.games // 2)):
            rows.append(row)
            passed = time.monotonic() - began
            if passed > last + 60 and len(rows) > 1:
                last = passed
                print(f"{passed:5.0f} s: {told(np.array(rows))}", flush=True)
            if passed > given.seconds:
                pool.shutdown(cancel_futures=True)
                break
    print(f"{given.player} against {given.against}, seed {given.seed}: {told(np.array(rows))}")


if __name__ == "__main__":
    main()
