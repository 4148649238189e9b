"""Fit the small networks that estimate the turns to a knock and to gin where no tables are: needs PyTorch, no GPU.

python benchmarks/fit_turns.py knock|gin OUT.npz [LAPS]      fits a network, or goes on with it, and measures what it is off by
python benchmarks/fit_turns.py check                         measures the shipped networks on other hands

A network says how many turns a hand of ten cards takes; the policy that believes it is played, and the network learns what that takes:
for each hand on the way the value of a look at every card that may come, and by how much later looks were off from what was believed
there. So nothing is guessed but the policy, and what is learned is what that policy truly takes. It is measured against the same policy
played often, and by ``check`` against the exact tables too, where those are in the cache.
"""

import sys
import time
from pathlib import Path

import numba
import numpy as np
import torch

from meldlab.cards import Hand
from meldlab.gin.kernel import discards, popcount
from meldlab.melds import deadwoods
from meldlab.waiting.estimate import (
    DEADWOOD_ROWS,
    GOALS,
    MOST_DEADWOOD,
    RANK_ROWS,
    ROWS,
    estimated,
    read_network,
    rows_of,
    shipped_network,
    table_path,
)
from meldlab.waiting.kept import load

START = time.perf_counter()
WIDE, INNER = 16, 16
STARTS, STEPS = 2000, 250
BAG = 42
LONGEST = 60  # better hands on the way to the goal
BATCH = 4096
RUNS, BANDS = 48, 6
EXACT_MEAN = {"gin": 23.0505173345}  # of all hands, by the exact table (docs/benchmarks/waiting.md)


def say(*words):
    print(f"[{time.perf_counter() - START:6.1f}]", *words, flush=True)


@numba.njit(nogil=True, fastmath=True)
def fill(hand, rows, total):
    """Add up the rows of a hand's cards in ``total``, [WIDE] float64."""
    total[:] = 0.0
    for suit in range(4):
        lane = (hand >> (13 * suit)) & 8191
        for start in range(10):
            total += rows[16 * start + ((lane >> start) & 15)]
    for rank in range(13):
        total += rows[RANK_ROWS + 5 * rank + popcount((hand >> rank) & 0x8004002001)]


@numba.njit(nogil=True, fastmath=True)
def without(hand, card, rows, total, rest):
    """Set ``rest`` to the sum of a hand whose sum is ``total`` without one of its cards."""
    suit, rank = card // 13, card % 13
    lane = (hand >> (13 * suit)) & 8191
    less = lane & ~(1 << rank)
    rest[:] = total
    for start in range(max(0, rank - 3), min(9, rank) + 1):
        old, new = 16 * start + ((lane >> start) & 15), 16 * start + ((less >> start) & 15)
        for i in range(len(rest)):
            rest[i] += rows[new, i] - rows[old, i]
    held = RANK_ROWS + 5 * rank + popcount((hand >> rank) & 0x8004002001)
    for i in range(len(rest)):
        rest[i] += rows[held - 1, i] - rows[held, i]


@numba.njit(nogil=True, fastmath=True)
def believed(total, left, network):
    """Return the turns that the network expects of a hand with the sum ``total`` and ``left`` points of deadwood."""
    rows, first, last = network
    answer = last[-1]
    for j in range(len(last) - 1):
        inner = first[-1, j]
        for i in range(len(total)):
            inner += first[i, j] * max(total[i] + rows[DEADWOOD_ROWS + min(left, MOST_DEADWOOD), i], 0.0)
        answer += last[j] * max(inner, 0.0)
    return np.exp(answer)


@numba.njit(nogil=True, fastmath=True)
def look(hand, limit, network, hands, values, space):
    """Look at every card that may come: write the best hand with it and what is believed of that to ``hands`` and ``values``, [42] each,
    the best first; return how many of them are worth to be kept, and what the hand takes then.
    """
    rows = network[0]
    total, rest, left = space[0], space[1], np.empty(52, np.int64)
    found, believes = np.empty(BAG, np.int64), np.empty(BAG)
    at = 0
    for card in range(52):
        if hand >> card & 1:
            continue
        eleven = hand | np.int64(1) << card
        discards(eleven, left)
        fill(eleven, rows, total)
        believes[at] = np.inf
        for gone in range(52):
            if eleven >> gone & 1 and gone != card:
                value = 0.0
                if left[gone] > limit:
                    without(eleven, gone, rows, total, rest)
                    value = believed(rest, left[gone], network)
                if value < believes[at]:
                    believes[at], found[at] = value, eleven ^ np.int64(1) << gone
        at += 1
    order = np.argsort(believes)
    kept, turns, sum = 0, np.inf, 0.0
    for i in range(BAG):
        hands[i], values[i] = found[order[i]], believes[order[i]]
        sum += values[i]
        if (BAG + sum) / (i + 1) < turns:
            kept, turns = i + 1, (BAG + sum) / (i + 1)
    return kept, turns


@numba.njit(nogil=True, fastmath=True)
def runs(starts, limit, network, seed, hands, targets):
    """Play the policy from each hand of ``starts``, and write each hand on the way with its lesson; return how many, and where runs begin.

    A lesson is what a look at all cards that may come says, and what later looks found above what was believed. ``hands``: [many] int64,
    ``targets``: [many] float64.
    """
    np.random.seed(seed)
    left, space = np.empty(52, np.int64), np.empty((2, network[0].shape[1]))
    nexts, values = np.empty(BAG, np.int64), np.empty(BAG)
    way, belief, looked = np.empty(LONGEST, np.int64), np.empty(LONGEST), np.empty(LONGEST)
    written, firsts = 0, np.empty(len(starts) + 1, np.int64)
    for start in range(len(starts)):
        hand, count, over = starts[start], 0, least_left(starts[start], left) <= limit
        while not over and count < LONGEST:
            kept, looked[count] = look(hand, limit, network, nexts, values, space)
            way[count] = hand
            chosen = np.random.randint(kept)
            hand, belief[count], over = nexts[chosen], values[chosen], values[chosen] == 0
            count += 1
        firsts[start] = written
        found = 0.0
        for at in range(count - 1, -1, -1):
            targets[written + at], hands[written + at] = looked[at] + found, way[at]
            # What was believed of this hand when it was chosen, against what it took.
            found += looked[at] - (belief[at - 1] if at else 0.0)
        written += count
    firsts[len(starts)] = written
    return written, firsts


@numba.njit(nogil=True, fastmath=True)
def least_left(hand, left):
    """Return the deadwood of ten cards."""
    best = np.int64(1000)
    for card in range(52):
        if not hand >> card & 1:
            discards(hand | np.int64(1) << card, left)
            best = min(best, left[card])
            break
    return best


class TorchNetwork(torch.nn.Module):
    """The same network, to be fitted."""

    def __init__(self):
        super().__init__()
        self.rows = torch.nn.EmbeddingBag(ROWS, WIDE, mode="sum")
        torch.nn.init.normal_(self.rows.weight, std=0.05)
        self.first, self.last = torch.nn.Linear(WIDE, INNER), torch.nn.Linear(INNER, 1)
        torch.nn.init.constant_(self.last.bias, 2.0)

    def forward(self, rows):
        return self.last(torch.relu(self.first(torch.relu(self.rows(rows)))))[:, 0].exp()

    def load(self, parts):
        rows, first, last = (torch.tensor(part) for part in parts[:3])
        with torch.no_grad():
            self.rows.weight.copy_(rows)
            self.first.weight.copy_(first[:-1].T)
            self.first.bias.copy_(first[-1])
            self.last.weight.copy_(last[None, :-1])
            self.last.bias.copy_(last[-1:])

    def arrays(self):
        first = torch.cat([self.first.weight.T, self.first.bias[None]])
        last = torch.cat([self.last.weight[0], self.last.bias])
        return tuple(part.detach().numpy().astype(np.float64) for part in (self.rows.weight, first, last))


def dealt(many, dice):
    """Return hands of ten cards at random."""
    cards = dice.random((many, 52)).argpartition(10, axis=1)[:, :10]
    return (np.int64(1) << cards).sum(axis=1)


def exchanged(hands, dice):
    """Return hands with a card exchanged at random."""
    found = hands.copy()
    for i in range(len(found)):
        own, other = [card for card in range(52) if found[i] >> card & 1], [card for card in range(52) if not found[i] >> card & 1]
        found[i] ^= 1 << int(dice.choice(own)) | 1 << int(dice.choice(other))
    return found


def played(many, seed):
    """Return hands of ten cards before a draw, out of rounds between two computed:light, which are like those that people ask about."""
    from meldlab.gin import Gin, Rules, players
    from meldlab.gin.view import Phase
    from meldlab.play import Deal, Table

    found, number, dice = [], 0, np.random.default_rng(seed)
    table = Table(Gin(Rules(match_points=0)), [players.parse("computed:light")] * 2)
    while len(found) < many:
        for step in table.steps(Deal(seed, number)):
            if step.before.round.phase in (Phase.DRAW, Phase.OFFER) and dice.random() < 0.3:
                found.append(step.before.round.masks[step.seat])
        number += 1
    return np.array(found[:many], np.int64)


def lessons(starts, limit, arrays, seed):
    hands, targets = np.empty(LONGEST * len(starts), np.int64), np.empty(LONGEST * len(starts))
    many, firsts = runs(starts, limit, arrays, seed, hands, targets)
    return hands[:many], targets[:many], firsts


def fit(name, out, laps):
    torch.manual_seed(18)
    torch.set_num_threads(1)
    dice, network, mean = np.random.default_rng(18), TorchNetwork(), TorchNetwork()
    limit = GOALS[name].knock or 0
    kept, past = [], np.empty(0, np.int64)
    if out.is_file():
        network.load(read_network(out))
        mean.load(read_network(out))
    else:
        # To begin with, a turn for every other point of deadwood.
        first = dealt(20_000, dice)
        kept.append(
            (torch.from_numpy(rows_of(first, deadwoods(first).astype(np.int64))), torch.from_numpy(1 + deadwoods(first) / 2).float())
        )
        study(network, mean, kept, 4e-3, 1.0)
    for lap in range(laps):
        part = lap / laps
        starts = np.concatenate([dealt(STARTS, dice), exchanged(dice.choice(past, STARTS), dice)]) if len(past) else dealt(STARTS, dice)
        hands, targets, firsts = lessons(starts, limit, mean.arrays(), lap)
        past = hands
        rows = torch.from_numpy(rows_of(hands, deadwoods(hands).astype(np.int64)))
        # Lessons of a worse policy are forgotten.
        kept = [*kept, (rows, torch.from_numpy(targets).float())][-(1 if part < 0.2 else 2 if part < 0.5 else 8) :]
        loss = study(network, mean, kept, 4e-3 * 0.02**part, 0.02)
        first = targets[firsts[:STARTS][firsts[:STARTS] < firsts[1 : STARTS + 1]]]
        error = 1.96 * first.std() / len(first) ** 0.5
        say(f"lap {lap + 1}, {len(hands):,} lessons, loss {loss:.4f}, dealt hands take {first.mean():.3f} +- {error:.3f}")
        save(out, mean.arrays())


def study(network, mean, kept, rate, follow):
    """Fit the network to what is kept, its running mean following behind; return the last loss."""
    given, wanted = (torch.cat(column) for column in zip(*kept, strict=True))
    optimiser = torch.optim.Adam(network.parameters(), lr=rate)
    for _ in range(STEPS):
        pick = torch.randint(len(given), (BATCH,))
        found, right = network(given[pick]), wanted[pick]
        # A turn more or less matters more where few are left.
        loss = ((found - right) ** 2 / (2 + found.detach())).mean()
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        with torch.no_grad():
            for slow, quick in zip(mean.parameters(), network.parameters(), strict=True):
                slow.lerp_(quick, follow)
    return loss.item()


def save(out, network, bands=(1.0,), errors=(1.0,)):
    rows, first, last = network
    parts = {"rows": rows.astype(np.float16), "first": first.astype(np.float16), "last": last.astype(np.float16)}
    np.savez_compressed(out, **parts, bands=np.array(bands), errors=np.array(errors))


def measured(name, network, hands, seed):
    """Return (estimates, turns that the policy takes), [hands] float64 each; the latter from RUNS runs of each hand, corrected by looks."""
    hands = hands[deadwoods(hands) > (GOALS[name].knock or 0)]
    said = np.array([estimated(Hand.from_mask(int(hand)), name, network).value for hand in hands])
    arrays = tuple(part.astype(np.float64) for part in network[:3])
    _, targets, firsts = lessons(np.repeat(hands, RUNS), GOALS[name].knock or 0, arrays, seed)
    turns = targets[firsts[:-1]].reshape(-1, RUNS)
    say(f"{name}: {len(hands)} hands, standard error of the turns of one {np.mean(turns.std(1)) / RUNS**0.5:.3f}")
    return said, turns.mean(1)


def band(name, path):
    """Write into a network what it is off by: for each band of estimates the error that 95 of 100 hands stay below.

    Where it is known what hands take in the mean by the best play, the network is scaled to that, and all of the change is an error, too.
    """
    network = read_network(path)
    hands = np.concatenate([played(900, 5), dealt(300, np.random.default_rng(5))])
    said, turns = measured(name, network, hands, 5)
    scaled, now = network, said
    if name in EXACT_MEAN:
        scaled = to_mean(name, network, EXACT_MEAN[name])
        now = np.array(
            [estimated(Hand.from_mask(int(hand)), name, scaled).value for hand in hands[deadwoods(hands) > (GOALS[name].knock or 0)]]
        )
    edges = np.quantile(now, np.linspace(0, 1, BANDS + 1)[1:])
    places = np.minimum(np.searchsorted(edges, now), BANDS - 1)
    errors = [float(np.quantile((np.abs(said - turns) + np.abs(said - now))[places == at], 0.95)) for at in range(BANDS)]
    say(name, "bands", np.round(edges, 1), "errors", np.round(errors, 2))
    save(path, scaled[:3], edges, errors)


def to_mean(name, network, wanted):
    """Return the network with what it believes scaled so that hands as they are dealt take ``wanted`` turns in the mean."""
    hands, low, high = [Hand.from_mask(int(hand)) for hand in dealt(400, np.random.default_rng(4))], -0.4, 0.1
    for _ in range(8):
        shift = (low + high) / 2
        last = network.last.copy()
        last[-1] += shift
        found = network._replace(last=last)
        mean = np.mean([estimated(hand, name, found).value for hand in hands])
        low, high = (low, shift) if mean > wanted else (shift, high)
    say(f"{name}: scaled by {np.exp(shift):.3f}, dealt hands take {mean:.2f} where {wanted:.2f} are known")
    return found


def check(name):
    """Print what docs/computed.md quotes."""
    network, dice = shipped_network(name), np.random.default_rng(6)
    for kind, hands in (("played", played(300, 6)), ("dealt", dealt(200, dice))):
        said, turns = measured(name, network, hands, 6)
        errors = np.abs(said - turns)
        bands = network.errors[np.minimum(np.searchsorted(network.bands, said), len(network.bands) - 1)]
        print(
            f"{name}, {kind}: {len(said)} hands, {turns.mean():.2f} turns, estimate {said.mean():.2f}; off by {errors.mean():.2f} "
            f"in the mean, 95 of 100 by less than {np.quantile(errors, 0.95):.2f}; within the error told: {np.mean(errors <= bands):.3f}"
        )
        if table_path(name).is_file():
            table = load(table_path(name))
            exact = np.array([table.turns(Hand.from_mask(int(hand))) for hand in hands[deadwoods(hands) > (GOALS[name].knock or 0)]])
            off = np.abs(said - exact)
            print(f"  by the table: {exact.mean():.2f} turns, off by {off.mean():.2f}, 95 of 100 by less than {np.quantile(off, 0.95):.2f}")
    hands = dealt(4_000, dice)
    _, targets, firsts = lessons(hands, GOALS[name].knock or 0, tuple(part.astype(np.float64) for part in network[:3]), 7)
    turns = np.where(firsts[:-1] < firsts[1:], targets[np.minimum(firsts[:-1], len(targets) - 1)], 0)
    print(f"{name}: the policy takes {turns.mean():.3f} +- {1.96 * turns.std() / len(turns) ** 0.5:.3f} turns from hands as they are dealt")


if __name__ == "__main__":
    verb, *words = sys.argv[1:]
    if verb == "check":
        for each in GOALS:
            check(each)
    elif verb == "band":
        band(words[0], Path(words[1]))
    else:
        fit(verb, Path(words[0]), int(words[1]) if len(words) > 1 else 20)
        band(verb, Path(words[0]))
