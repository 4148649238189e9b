"""Compute the tables against a player, distil them into the network of ``computed:light`` and go on by playing: needs a GPU and PyTorch.

python benchmarks/train_light.py OUT START|- AGAINST=MINUTES ...

From nothing (START is -) the first course begins with the tables: statistics by simulation, solve, repeat; then they are distilled.
Positions of table-driven rounds, half of them with a card exchanged, and what a look at every card that may be drawn next says about them
are the lesson for waiting and for drawing; the statistics are the lesson for knocking. After that the network plays with some noise, and
its lesson is a mixture of what the rounds brought and what it expected a turn later; first in points, then in chances to win the match.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
import torch

from meldlab.chance import Purpose, derived
from meldlab.gin import kernel_layout, players
from meldlab.gin.batch import rule_vector, seat
from meldlab.gin.book import NO_NETWORK, NO_VALUES
from meldlab.gin.kernel_layout import COMPUTED, KIND, KNOWNS, LIGHT, NOISE, PARAMETERS, TURNS, Book, Network, Pair
from meldlab.gin.players import kernel_light as light
from meldlab.gin.rules import Rules
from meldlab.gin.values.odds import Odds
from meldlab.gin.values.recursion import Engine, Field, solve, values_of
from meldlab.gpu import gpu_name

START = time.perf_counter()
ROWS = 16
BATCH = 1 << 16
PRICE, UPCARD = 5.0, 0.3
TRACE = 0.6  # how much what came later counts against what was expected a turn later
FOLLOW = 300.0  # steps over which the mean network follows
RATE = 8e-4
SIMPLE = np.zeros(PARAMETERS)
SIMPLE[1:4] = 10, 10, 0
TABLES, PLAYER = np.zeros(PARAMETERS), np.zeros(PARAMETERS)
TABLES[KIND], PLAYER[KIND] = COMPUTED, LIGHT
SUITS = torch.arange(4) * 13
BLANK = Book(NO_VALUES._replace(codes=np.zeros((1, 1), np.uint16)), NO_NETWORK)


def say(*words):
    print(f"[{time.perf_counter() - START:6.1f}]", *words, flush=True)


def rate(won):
    return float(won.mean()), float(1.96 * won.std() / len(won) ** 0.5)


def bag(one, two):
    """Return [positions, 53] int64, the rows of the network that the cards of two planes add up."""
    suits, starts, ranks = SUITS.to(one.device), torch.arange(10, device=one.device), torch.arange(13, device=one.device)
    at = suits[:, None] + starts
    stretches = starts * 256 + ((one[:, None, None] >> at) & 15) + ((two[:, None, None] >> at) & 15) * 16
    bits = suits[:, None] + ranks
    weights = (1 << torch.arange(4, device=one.device))[:, None]
    held, known = ((((plane[:, None, None] >> bits) & 1) * weights).sum(1) for plane in (one, two))
    columns = light.COLUMN_ROWS + ranks * 256 + held + known * 16
    return torch.cat([stretches.flatten(1), columns], 1)


def near(one, two, dropped, card):
    """Return the rows of the cards around a discard and of its rank, as kernel_light.run_row and set_row do."""
    suit, rank = card // 13, card % 13

    def state(at, there):
        at = at.clamp(0, 51)
        plain = ((one >> at) & 1) + 2 * ((two >> at) & 1)
        return torch.where(there, plain + ((plain == light.GONE) & ((dropped >> at) & 1).bool()), light.GONE)

    steps = ((-2, 1), (-1, 5), (1, 25), (2, 125))
    run = light.RUN_ROWS + sum(state(card + step, (rank + step >= 0) & (rank + step <= 12)) * weight for step, weight in steps)
    yes = torch.ones_like(card).bool()
    others = ((1, 1), (2, 5), (3, 25))
    return run, light.SET_ROWS + sum(state(13 * ((suit + step) & 3) + rank, yes) * weight for step, weight in others)


class TorchNetwork(torch.nn.Module):
    """The network of kernel_light, to be trained."""

    def __init__(self):
        super().__init__()
        self.rows = torch.nn.EmbeddingBag(light.ROWS, kernel_layout.WIDE, mode="sum")
        torch.nn.init.normal_(self.rows.weight, std=0.05)
        self.first = torch.nn.Linear(kernel_layout.WIDE, kernel_layout.NARROW)
        self.last = torch.nn.Linear(kernel_layout.NARROW, 3)

    def forward(self, one, two, dropped, card, turn, left, own, other, waiting):
        """Return [positions, 3]; ``waiting`` says which of them are after a discard, the others are before a draw."""
        phase = torch.where(waiting, light.WAIT_ROWS + turn, light.DRAW_ROWS + turn)
        deadwood = light.DEADWOOD_ROWS + left.clamp(max=light.MOST_DEADWOOD)
        # Around a discard the cards count as they were before it; it is not among them.
        around = near(one, two, dropped, card)
        scores = light.OWN_SCORE_ROWS + (own // 10).clamp(max=9), light.OTHER_SCORE_ROWS + (other // 10).clamp(max=9)
        cards = bag(one, two)
        index = torch.cat([cards, torch.stack([phase, *scores, deadwood, *around], 1)], 1)
        weights = torch.ones(index.shape, device=one.device)
        weights[:, -3:] = waiting.float()[:, None]
        total = self.rows(index, per_sample_weights=weights)
        return self.last(torch.relu(self.first(torch.relu(total)))) * 10.0

    def load(self, arrays):
        """Take over what ``keep`` wrote."""
        tensor = {name: torch.tensor(arrays[name].astype(np.float32)) for name in ("rows", "first", "last")}
        with torch.no_grad():
            self.rows.weight.copy_(tensor["rows"])
            self.first.weight.copy_(tensor["first"][:-1].T)
            self.first.bias.copy_(tensor["first"][-1])
            self.last.weight.copy_(tensor["last"][:-1].T / 10)
            self.last.bias.copy_(tensor["last"][-1] / 10)

    def arrays(self):
        rows, first, last = self.rows.weight, self.first, self.last
        parts = rows, torch.cat([first.weight.T, first.bias[None]]), 10 * torch.cat([last.weight.T, last.bias[None]])
        return [part.detach().float().cpu().numpy().copy() for part in parts]


class Lesson:
    """Samples: planes, cards the opponent dropped, discard, turn, deadwood, scores, whether after a discard, which answer, and it."""

    def __init__(self, *columns):
        self.columns = columns

    def __len__(self):
        return len(self.columns[0])

    @classmethod
    def join(cls, *lessons):
        return cls(*(torch.cat(parts) for parts in zip(*(one.columns for one in lessons), strict=True)))


def train(network, mean, lesson, rate, passes, until):
    """Go through samples; ``mean`` follows the network slowly, and is the better player."""
    optimiser = torch.optim.Adam(network.parameters(), lr=rate, betas=(0.9, 0.99))
    steps = max(1, int(len(lesson) * passes) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=steps, pct_start=0.1)
    losses = []
    for step in range(steps):
        if time.perf_counter() - START > until:
            say("out of time at step", step, "of", steps)
            break
        pick = torch.randint(len(lesson), (BATCH,), device="cuda")
        *given, which, wanted = (column[pick] for column in lesson.columns)
        found = network(*given).gather(1, which[:, None])[:, 0]
        loss = torch.nn.functional.mse_loss(found, wanted)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        schedule.step()
        losses.append(loss.detach())
        with torch.no_grad():
            for slow, quick in zip(mean.parameters(), network.parameters(), strict=True):
                slow.lerp_(quick, 1 / FOLLOW)
    return float(torch.stack(losses[-20:]).mean()) if losses else float("nan")


def match_equity(results):
    """Return [101, 101] float32: the chance to win the match from each score, if rounds go on bringing such points (100: won)."""
    most = 200
    chance = np.bincount(np.clip(results, -most, most) + most, minlength=2 * most + 1) / len(results)
    won, lost = chance[most + 1 :], chance[:most][::-1]
    equity = np.zeros((101, 101))
    equity[100, :], equity[:100, 100] = 1, 0
    for own in range(99, -1, -1):
        for other in range(99, -1, -1):
            gained = won[: 99 - own] @ equity[own + 1 : 100, other] + won[99 - own :].sum()
            equity[own, other] = (gained + lost[: 99 - other] @ equity[own, other + 1 : 100]) / (won.sum() + lost.sum())
    return equity.astype(np.float32)


def gain(equity, points, own, other):
    """Return what points are worth in chances to win the match, scaled to be about points."""
    after = equity[(own + points.clamp(min=0)).clamp(max=100), (other + (-points).clamp(min=0)).clamp(max=100)]
    return 150 * (after - equity[own, other])


class School:
    """A GPU, an opponent, and ways to learn from rounds against it."""

    def __init__(self, engine, against):
        self.engine, self.against = engine, against
        seated = seat(players.parse(against))
        # Codes of one type for both: a kernel takes no mixture.
        book = seated.book if seated.book.values.codes.size > 1 else seated.book._replace(values=BLANK.values)
        self.opponent, self.theirs = seated.vector, engine.book(book)
        self.rules = rule_vector(Rules())
        self.none = engine.book(BLANK)

    def seated(self, network):
        return self.engine.book(BLANK._replace(network=Network(*network.arrays()))), self.theirs

    def record(self, player, books, rounds, seed):
        """Return the diaries of single rounds, [rounds, ROWS, DIARY] float64, from scores drawn at random."""
        engine, single = self.engine, self.rules.copy()
        single[kernel_layout.POINTS_WANTED], single[kernel_layout.ANY_SCORES] = 0, 1
        pages = torch.zeros((rounds, ROWS, kernel_layout.DIARY), dtype=torch.float64, device="cuda")
        counts = engine.cuda.device_array((rounds, kernel_layout.COUNTS), np.int32)
        pair, shape = Pair(engine.up(np.array([player, self.opponent])), books), ((rounds + 63) // 64, 64)
        tail = counts, engine.up(np.zeros(0)), engine.cuda.as_cuda_array(pages)
        engine._kernels.play_games[shape](pair, engine.up(single), seed, 0, rounds, *tail)
        engine.cuda.synchronize()
        return pages

    def measure(self, network, games, seed):
        """Return the rate of games won with its error, and games per second."""
        start = time.perf_counter()
        won = self.engine.won(Pair(np.array([PLAYER, self.opponent]), self.seated(network)), self.rules, seed, games // 2).mean(1)
        return rate(won), round(games / (time.perf_counter() - start))

    def tables(self):
        """Return the book of the table-driven player and its odds."""
        engine, field = self.engine, Field(10, device="cuda")
        odds = Odds.of(engine.tally(Pair(np.array([SIMPLE, self.opponent]), (self.none, self.theirs)), self.rules, 1, 1 << 20))
        zero, flat = np.zeros(TURNS + 2), np.zeros((TURNS + 2, KNOWNS))
        seats = np.array([TABLES, self.opponent])
        for loop in range(4):
            values = values_of(field, solve(field, odds, upcard=UPCARD), odds, zero + PRICE, flat)
            book = Book(values, self.none.network)
            if loop < 3:
                odds = Odds.of(engine.tally(Pair(seats, (book, self.theirs)), self.rules, 10 + loop, 1 << 20))
        say("tables", rate(engine.won(Pair(seats, (book, self.theirs)), self.rules, 100, 50_000).mean(1)))
        return book, odds

    def table_lesson(self, book, odds, rounds, seed):
        """Return what the tables say about positions of their own rounds, half of them with a card exchanged."""
        engine, pages = self.engine, self.record(TABLES, (book, self.theirs), rounds, seed)
        turn = torch.arange(1, ROWS + 1, device="cuda").expand(rounds, ROWS)
        real = pages[:, :, kernel_layout.RESULT] > kernel_layout.CANNOT_KNOCK
        rows, turn = pages[real], turn[real].contiguous()
        planes = rows[:, kernel_layout.PLANE : kernel_layout.PLANE + 2].long().contiguous()
        worth, left = torch.zeros(len(rows), device="cuda"), torch.zeros(len(rows), device="cuda")
        planes_there, turn_there, worth_there, left_there = map(engine.cuda.as_cuda_array, (planes, turn, worth, left))
        engine._kernels.teach[(len(rows) + 63) // 64, 64](planes_there, turn_there, seed, 10, book.values, worth_there, left_there)
        engine.cuda.synchronize()
        left = left.long()
        seen = rows[:, kernel_layout.SEEN].long().clamp(max=KNOWNS - 1)
        hazard, knock, caught = (torch.tensor(array, device="cuda", dtype=torch.float32)[turn, seen] for array in odds_arrays(odds))
        knock, caught = (array.gather(1, left[:, None])[:, 0] for array in (knock, caught))
        wait = (1 - hazard) * worth + hazard * caught - PRICE * rows[:, kernel_layout.RISK].float()
        scores = [torch.randint(100, turn.shape, device="cuda") for _ in range(2)]

        def part(mask, turn, waiting, which, wanted):
            flag, number = torch.full_like(turn, int(waiting)).bool(), torch.full_like(turn, which)
            dropped, card = rows[:, kernel_layout.OF_OPPONENT].long(), rows[:, kernel_layout.DISCARDED].long()
            columns = planes[:, 0], planes[:, 1], dropped, card, turn, left, *scores, flag, number, wanted
            return Lesson(*(column[mask] for column in columns))

        return Lesson.join(
            part(turn > 0, turn, True, light.WAIT_ANSWER, wait),
            part(turn < TURNS, turn + 1, False, light.DRAW_ANSWER, worth),
            part(left <= 10, turn, True, light.KNOCK_ANSWER, knock),
        )

    def played_lesson(self, network, rounds, seed, noise, equity):
        """Return what rounds of the network say, and the points of each round; with ``equity`` in chances to win the match."""
        player = PLAYER.copy()
        player[NOISE] = noise
        pages = self.record(player, self.seated(network), rounds, seed)
        result, knock, knocked = (
            pages[:, :, kernel_layout.RESULT],
            pages[:, :, kernel_layout.IF_KNOCK],
            pages[:, :, kernel_layout.KNOCKED] > 0,
        )
        real, able = result > kernel_layout.CANNOT_KNOCK, knock > kernel_layout.CANNOT_KNOCK
        first = pages[:, 0, kernel_layout.RESULT]
        results = first[first > kernel_layout.CANNOT_KNOCK].long().cpu().numpy()
        if equity is not None:
            own, other = pages[:, :, kernel_layout.OWN_SCORE].long(), pages[:, :, kernel_layout.OTHER_SCORE].long()
            result, knock = (torch.where(real, gain(equity, points.long(), own, other).double(), points) for points in (result, knock))
        # What each chosen action was worth to the player when it chose it; a knock is worth what it brings.
        seen = torch.where(knocked, knock, pages[:, :, kernel_layout.EXPECTED])
        later = result.clone()
        for row in range(ROWS - 2, -1, -1):
            mixed = (1 - TRACE) * seen[:, row + 1] + TRACE * torch.where(knocked[:, row + 1], result[:, row + 1], later[:, row + 1])
            later[:, row] = torch.where(real[:, row + 1], mixed, result[:, row])
        now = torch.where(knocked, result, (1 - TRACE) * seen + TRACE * later)
        turn = torch.arange(1, ROWS + 1, device="cuda").expand(rounds, ROWS)

        def part(mask, plane, waiting, which, wanted):
            rows, turns = pages[mask], turn[mask]
            planes = rows[:, plane : plane + 2].long()
            kinds = (
                kernel_layout.OF_OPPONENT,
                kernel_layout.DISCARDED,
                kernel_layout.LEFT_OVER,
                kernel_layout.OWN_SCORE,
                kernel_layout.OTHER_SCORE,
            )
            dropped, card, left, *scores = (rows[:, kind].long() for kind in kinds)
            flag, number = torch.full_like(turns, int(waiting)).bool(), torch.full_like(turns, which)
            return Lesson(planes[:, 0], planes[:, 1], dropped, card, turns, left, *scores, flag, number, wanted[mask].float())

        lesson = Lesson.join(
            part(real & ~knocked, kernel_layout.PLANE, True, light.WAIT_ANSWER, later),
            part(real & (pages[:, :, kernel_layout.DRAW_PLANE] >= 0), kernel_layout.DRAW_PLANE, False, light.DRAW_ANSWER, now),
            part(real & able, kernel_layout.PLANE, True, light.KNOCK_ANSWER, knock),
        )
        return lesson, results


def odds_arrays(odds):
    return odds.hazard, odds.knock, odds.caught


def keep(out, network, name, **notes):
    """Write a network, its rows in half precision, and what is known of it."""
    rows, first, last = network.arrays()
    np.savez_compressed(out / f"{name}.npz", rows=rows.astype(np.float16), first=first, last=last, notes=json.dumps(notes))


def distil(school, network, mean, until):
    book, odds = school.tables()
    lesson = Lesson.join(*(school.table_lesson(book, odds, 1 << 18, 1000 + part) for part in range(6)))
    loss = train(network, mean, lesson, 3e-3, 8, until)
    say("distilled from", len(lesson), "samples, loss", round(loss, 3), school.measure(mean, 100_000, 200))


def learn(school, network, mean, until, seed, rate, by_points):
    """Play and learn until the time is over, first by points if asked to, then by chances to win the match."""
    began, held, equity, loop = time.perf_counter() - START, None, None, 0
    results = None
    while (part := (time.perf_counter() - START - began) / (until - began)) < 1:
        if equity is None and results is not None and (not by_points or part > 0.5):
            equity, held = torch.tensor(match_equity(results), device="cuda"), None
        noise, speed = 3.0 - 2.0 * part, rate * (1 - 0.8 * part)
        fresh, results = school.played_lesson(mean, 1 << 20, derived(seed, Purpose.LESSONS, loop), noise, equity)
        if equity is None and not by_points:
            continue
        held = fresh if held is None else Lesson.join(fresh, Lesson(*(column[: 3 * len(fresh)] for column in held.columns)))
        loss = train(network, mean, held, speed, 1.0, until)
        loop += 1
        if loop % 3 == 0:
            say("loop", loop, "samples", len(held), "loss", round(loss, 2), school.measure(mean, 50_000, 300 + loop))


def main(out, start, courses):
    out.mkdir(parents=True, exist_ok=True)
    engine = Engine("cuda")
    network, mean = TorchNetwork().cuda(), TorchNetwork().cuda()
    if start is not None:
        network.load(np.load(start))
    mean.load_state_dict(network.state_dict())
    say(gpu_name(), courses)
    for number, (against, minutes) in enumerate(courses):
        school = School(engine, against)
        school.measure(mean, 64, 1)
        say("compiled")
        until = time.perf_counter() - START + 60 * minutes
        if number == 0 and start is None:
            distil(school, network, mean, until - 40 * minutes)
        learn(school, network, mean, until, 5000 + 1000 * number, RATE, by_points=number == 0 and start is None)
        won = school.measure(mean, 200_000, 999)
        say(against, won)
        keep(out, mean, f"course{number}", against=against, won=won)


if __name__ == "__main__":
    folder, start, *courses = sys.argv[1:]
    split = [course.rpartition("=") for course in courses]
    main(Path(folder), None if start == "-" else start, [(against, float(minutes)) for against, _, minutes in split])
