"""What ways to play worlds out are worth to the champion that searches: ``python benchmarks/gin_decisions.py --games 100 --processes 16``.

Over matches between two champions, every decision that leaves something to search: its candidates are played out in worlds that the
champion believes in, by each way, by the champion itself in other worlds, and by the champion with the other's real hand. What a choice by
some way wins is summed over the decisions of a match and a side: to first order, what it adds to the share of matches won. One match tells
as much in this way as dozens that are played to the end.
"""

import argparse
import time
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from meldlab.gin import Gin
from meldlab.gin.batch import PlayerParameters
from meldlab.gin.players import SearchPlayer
from meldlab.gin.players.value_network import POINTS_PER_MATCH
from meldlab.gin.sampling import rollouts
from meldlab.play import Deal, Table

SEED = 900
# For how many steps the network is asked (-1: it never is, 0: always), and after how many a world is broken off (0: never).
WAYS = {"light network": (-1, 0), "network for 4 steps": (4, 0), "off after 7": (4, 7), "off after 11": (4, 11), "off after 15": (4, 15)}
JUDGE, REAL = "champion, other worlds", "champion, the real hand"
SHARE = {JUDGE: 1, REAL: 4}  # of the worlds: a real hand is only one
STEPS = (0.0, 0.001, 0.002, 0.004, 0.01)
SURE = 1e9  # odds of a card that is there


class Weighed(NamedTuple):
    """A decision: how the network weighs its candidates, and the chance to win after each in every world, by each way."""

    logits: NDArray[np.float64]
    chances: dict[str, NDArray[np.float64]]
    seconds: dict[str, float]


@cache
def searching() -> SearchPlayer:
    return SearchPlayer.parse("champion:search:1")


@cache
def rollout_player(network_steps: int) -> PlayerParameters:
    """Return the player of a way: the prior network for -1, else the policy for these steps."""
    policy = searching().policy
    return policy.prior.parameters() if network_steps < 0 else policy.parameters()._replace(network_steps=float(network_steps))


def weigh(worlds: int, game: int) -> list[Weighed]:
    """Return the decisions of a match."""
    player, found = searching(), list[Weighed]()
    for step in Table(Gin(), [player.policy, player.policy]).steps(Deal(SEED, game)):
        view = step.before.view(step.seat)
        logits = player._logits(view)
        moves = player._candidates(view, logits)
        if len(moves) < 2:
            continue
        theirs = step.before.round.masks[1 - view.seat]
        real = np.array([SURE if theirs >> card & 1 else 1 / SURE for card in range(52)])
        chances, seconds = {}, {}
        for at, (name, (way, steps)) in enumerate((*WAYS.items(), (JUDGE, (0, 0)), (REAL, (0, 0)))):
            key, odds, began = 8 * step.number + at + 1, real if name == REAL else player.policy.odds(view), time.process_time()
            players = rollout_player(way), rollout_player(way)
            ends = rollouts(view, moves, key, range(worlds // SHARE.get(name, 1)), players, steps, odds=odds)
            seconds[name] = (time.process_time() - began) / ends.outcomes.size
            chances[name] = player._equity(view.rules).after_rollouts(view, ends.outcomes, ends.expected / POINTS_PER_MATCH)
        found.append(Weighed(np.array(sorted(logits.values(), reverse=True)[: len(moves)]), chances, seconds))
    return found


def gains(decisions: list[Weighed], name: str, part: slice | None = None) -> NDArray[np.float64]:
    """Return what every candidate but the network's own is worth more than that."""
    found = [one.chances[name] if part is None else one.chances[name][part] for one in decisions]
    return np.concatenate([(each[:, 1:] - each[:, :1]).mean(axis=0) for each in found])


def covariance(one: Any, other: Any) -> float:
    return float(np.cov(one, other)[0, 1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=10)
    parser.add_argument("--worlds", type=int, default=96, help="few of them do not tell luck from differences")
    parser.add_argument("--processes", type=int, default=1)
    given = parser.parse_args()
    weigh(4, given.games)  # compiles
    with ProcessPoolExecutor(given.processes) as pool:
        decisions = [one for match in pool.map(partial(weigh, given.worlds), range(given.games)) for one in match]
    a_game, half, many = len(decisions) / given.games / 2, given.worlds // 2, np.mean([len(one.logits) for one in decisions])
    print(f"{len(decisions):,} decisions, {a_game:.1f} a match and side, {many:.2f} candidates each")
    judged, real = gains(decisions, JUDGE), gains(decisions, REAL)
    # What two halves of the worlds have in common is no luck of the worlds.
    true = {name: covariance(*(gains(decisions, name, part) for part in (slice(half), slice(half, None)))) for name in (*WAYS, JUDGE)}
    for name in WAYS:
        own, micro = gains(decisions, name), 1e6 * np.mean([one.seconds[name] for one in decisions])
        luck = np.sqrt(np.mean(np.concatenate([(one.chances[name][:, 1:] - one.chances[name][:, :1]).var(axis=0) for one in decisions])))
        alike = covariance(own, judged) / np.sqrt(true[name] * true[JUDGE])
        kept = own * real / (true[name] + own.mean() ** 2)
        print(f"{name}: {micro:.0f} us a play-out, differences of {np.sqrt(true[name]):.4f} with {luck:.3f} of luck in a world,", end=" ")
        print(f"correlation with the champion's {alike:.2f}; of them a real hand keeps", end=" ")
        print(f"{kept.mean():.2f} +- {1.96 * kept.std() / np.sqrt(len(kept)):.2f}")
        for step in STEPS:
            chosen = [int((step * one.logits + one.chances[name].mean(axis=0)).argmax()) for one in decisions]
            told = []
            for judge in (JUDGE, REAL):
                won = [one.chances[judge].mean(axis=0) for one in decisions]
                more = a_game * np.array([each[at] - each[0] for each, at in zip(won, chosen, strict=True)])
                told.append(f"{more.mean():+.4f} +- {1.96 * more.std() / np.sqrt(len(more)):.4f} by the {judge}")
            print(f"  step {step}: {np.mean(np.array(chosen) > 0):.2f} changed, a match {', '.join(told)}")


if __name__ == "__main__":
    main()
