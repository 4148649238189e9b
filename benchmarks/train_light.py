"""Compute the tables against a player, distil them into the network of ``computed:light`` and go on by playing: needs a GPU and PyTorch.

python benchmarks/train_light.py OUT [minutes] [against]

1. The tables: statistics by simulation, solve, repeat.
2. Distil: positions of table-driven rounds, half of them with a card exchanged; what a look at every card that may be drawn next says
   about them is the lesson for waiting and for drawing, the statistics are the lesson for knocking.
3. Play: the network plays with some noise; its lesson is a mixture of what the rounds brought and what it expected a turn later.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
import torch

from meldlab.gin import kernel_batch as place
from meldlab.gin import kernel_light as light
from meldlab.gin.book import NO_BOOK
from meldlab.gin.compute import Engine, Field, open_book, solve
from meldlab.gin.kernel_computed import KNOWNS, TURNS
from meldlab.gin.kernel_ensemble import COMPUTED, KIND, LIGHT, NOISE, PARAMETERS
from meldlab.gin.odds import Odds
from meldlab.gin.rules import Rules
from meldlab.gin.vectors import rule_vector
from meldlab.gpu import gpu_name

START = time.perf_counter()
ROWS = 16
BATCH = 1 << 16
PRICE, UPCARD = 5.0, 0.3
SIMPLE = np.zeros(PARAMETERS)
SIMPLE[1:4] = 10, 10, 0
TABLES, PLAYER = np.zeros(PARAMETERS), np.zeros(PARAMETERS)
TABLES[KIND], PLAYER[KIND] = COMPUTED, LIGHT
SUITS = torch.arange(4) * 13


def say(*words):
    print(f"[{time.perf_counter() - START:6.1f}]", *words, flush=True)


def rate(counts):
    won = (counts[:, place.WINNER_SEAT] == 0).reshape(-1, 2).sum(1) / 2
    return float(won.mean()), float(1.96 * won.std() / len(won) ** 0.5)


def bag(one, two):
    """Return [positions, 53] int64, the rows of the network that the cards of two planes add up."""
    suits, starts, ranks = SUITS.to(one.device), torch.arange(10, device=one.device), torch.arange(13, device=one.device)
    at = suits[:, None] + starts
    stretches = starts * 256 + ((one[:, None, None] >> at) & 15) + ((two[:, None, None] >> at) & 15) * 16
    bits = suits[:, None] + ranks
    weights = (1 << torch.arange(4, device=one.device))[:, None]
    column = lambda plane: (((plane[:, None, None] >> bits) & 1) * weights).sum(1)
    columns = light.COLUMN_ROWS + ranks * 256 + column(one) + column(two) * 16
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


class Network(torch.nn.Module):
    """The network of kernel_light, to be trained."""

    def __init__(self):
        super().__init__()
        self.rows = torch.nn.EmbeddingBag(light.ROWS, light.WIDE, mode="sum")
        torch.nn.init.normal_(self.rows.weight, std=0.05)
        self.first = torch.nn.Linear(light.WIDE, light.NARROW)
        self.last = torch.nn.Linear(light.NARROW, 3)

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

    def arrays(self):
        rows, first, last = self.rows.weight, self.first, self.last
        parts = rows, torch.cat([first.weight.T, first.bias[None]]), 10 * torch.cat([last.weight.T, last.bias[None]])
        return [part.detach().float().cpu().numpy().copy() for part in parts]


class Lesson:
    """Samples: planes, cards the opponent dropped, discard, turn, deadwood, scores, whether after a discard, which answer, what it should be."""

    def __init__(self, *columns):
        self.columns = columns

    def __len__(self):
        return len(self.columns[0])

    @classmethod
    def join(cls, *lessons):
        return cls(*(torch.cat(parts) for parts in zip(*(one.columns for one in lessons), strict=True)))


def train(network, lesson, rate, passes, until):
    optimiser = torch.optim.Adam(network.parameters(), lr=rate, betas=(0.9, 0.99))
    steps = max(1, len(lesson) * passes // BATCH)
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


def main(out, minutes, against):
    until = 60 * minutes
    out.mkdir(parents=True, exist_ok=True)
    say(gpu_name(), against)
    opponent = SIMPLE
    if against != "simple":
        from meldlab.gin import players as known_players

        opponent = known_players.parse(against).vector()
    rules = rule_vector(Rules())
    engine = Engine("cuda")
    kind = np.uint16
    blank = NO_BOOK._replace(codes=np.zeros((1, 1), kind))
    none = type(blank)(*map(engine.up, blank))
    field = Field(10, device="cuda")
    odds = Odds.of(engine.tally(np.array([SIMPLE, opponent]), (none, none), rules, 1, 1 << 20))
    say("compiled")
    zero, flat = np.zeros(TURNS + 2), np.zeros((TURNS + 2, KNOWNS))
    for loop in range(4):
        solved = solve(field, odds, upcard=UPCARD)
        book = open_book(field, solved, odds, zero + PRICE, flat)
        if loop < 3:
            odds = Odds.of(engine.tally(np.array([TABLES, opponent]), (book, none), rules, 10 + loop, 1 << 20))
    won = rate(engine.play(np.array([TABLES, opponent]), (book, none), rules, 100, 0, 100_000, True))
    say("tables", won)
    net_book = blank._replace(deck=np.array([(1 << 52) - 1, 10], np.int64))

    def record(player, books, rounds, seed):
        single = rules.copy()
        single[place.POINTS_WANTED], single[place.ANY_SCORES] = 0, 1
        pages = torch.zeros((rounds, ROWS, place.DIARY), dtype=torch.float64, device="cuda")
        counts = engine.cuda.device_array((rounds, place.COUNTS), np.int32)
        players = engine.up(np.array([player, opponent]))
        shape = (rounds + 63) // 64, 64
        kernel = engine._kernels.play_games
        kernel[shape](
            players, books, engine.up(single), seed, 0, rounds, False, counts, engine.up(np.zeros(0)), engine.cuda.as_cuda_array(pages)
        )
        engine.cuda.synchronize()
        return pages

    def table_lesson(rounds, seed):
        pages = record(TABLES, (book, none), rounds, seed)
        turn = torch.arange(1, ROWS + 1, device="cuda").expand(rounds, ROWS)
        real = pages[:, :, place.RESULT] > place.CANNOT_KNOCK
        rows, turn = pages[real], turn[real].contiguous()
        planes = rows[:, place.PLANE : place.PLANE + 2].long().contiguous()
        worth, left = torch.zeros(len(rows), device="cuda"), torch.zeros(len(rows), device="cuda")
        arrays = [engine.cuda.as_cuda_array(each) for each in (planes, turn)]
        shape = (len(rows) + 63) // 64, 64
        engine._kernels.teach[shape](*arrays, seed, 10, book, engine.cuda.as_cuda_array(worth), engine.cuda.as_cuda_array(left))
        engine.cuda.synchronize()
        one, two, left = planes[:, 0].contiguous(), planes[:, 1].contiguous(), left.long()
        seen = rows[:, place.SEEN].long().clamp(max=KNOWNS - 1)
        table = lambda array: torch.tensor(array, device="cuda", dtype=torch.float32)
        hazard, knock, caught = table(odds.hazard)[turn, seen], table(odds.knock)[turn, seen, left], table(odds.caught)[turn, seen, left]
        wait = (1 - hazard) * worth + hazard * caught - PRICE * rows[:, place.RISK].float()
        whole = lambda column: rows[:, column].long()
        scores = [torch.randint(100, turn.shape, device="cuda") for _ in range(2)]

        def part(mask, turn, waiting, which, wanted):
            flag, number = torch.full_like(turn, int(waiting)).bool(), torch.full_like(turn, which)
            columns = one, two, whole(place.OF_OPPONENT), whole(place.DISCARDED), turn, left, *scores, flag, number, wanted
            return Lesson(*(column[mask] for column in columns))

        return Lesson.join(
            part(turn > 0, turn, True, light.WAIT, wait),
            part(turn < TURNS, turn + 1, False, light.DRAW, worth),
            part(left <= 10, turn, True, light.KNOCK, knock),
        )

    def played_lesson(network, rounds, seed, noise, trace, equity):
        rows, first, last = network.arrays()
        mine = type(blank)(*map(engine.up, net_book._replace(rows=rows, first=first, last=last)))
        player = PLAYER.copy()
        player[NOISE] = noise
        pages = record(player, (mine, none), rounds, seed)
        result, knocked, able = pages[:, :, place.RESULT], pages[:, :, place.KNOCKED] > 0, pages[:, :, place.IF_KNOCK] > place.CANNOT_KNOCK
        real = result > place.CANNOT_KNOCK
        own, other = pages[:, :, place.OWN_SCORE].long(), pages[:, :, place.OTHER_SCORE].long()
        knock = pages[:, :, place.IF_KNOCK].clone()
        if equity is not None:
            result, knock = (torch.where(real, gain(equity, points.long(), own, other).double(), points) for points in (result, knock))
        # What each chosen action was worth to the player when it chose it; a knock is worth what it brings.
        seen = torch.where(knocked, knock, pages[:, :, place.EXPECTED])
        later = result.clone()
        for row in range(ROWS - 2, -1, -1):
            more = real[:, row + 1]
            mixed = (1 - trace) * seen[:, row + 1] + trace * torch.where(knocked[:, row + 1], result[:, row + 1], later[:, row + 1])
            later[:, row] = torch.where(more, mixed, result[:, row])
        now = torch.where(knocked, result, (1 - trace) * seen + trace * later)
        turn = torch.arange(1, ROWS + 1, device="cuda").expand(rounds, ROWS)

        def part(mask, plane, waiting, which, wanted):
            rows, turns = pages[mask], turn[mask]
            planes = rows[:, plane : plane + 2].long()
            flag = torch.full_like(turns, int(waiting)).bool()
            whole = [
                rows[:, column].long()
                for column in (place.OF_OPPONENT, place.DISCARDED, place.LEFT_OVER, place.OWN_SCORE, place.OTHER_SCORE)
            ]
            dropped, card, left, *scores = whole
            number = torch.full_like(turns, which)
            return Lesson(planes[:, 0], planes[:, 1], dropped, card, turns, left, *scores, flag, number, wanted[mask].float())

        lesson = Lesson.join(
            part(real & ~knocked, place.PLANE, True, light.WAIT, later),
            part(real & (pages[:, :, place.DRAW_PLANE] >= 0), place.DRAW_PLANE, False, light.DRAW, now),
            part(real & able, place.PLANE, True, light.KNOCK, knock),
        )
        first = pages[:, 0, place.RESULT]
        return lesson, first[first > place.CANNOT_KNOCK].long().cpu().numpy()

    def measure(network, games, seed):
        rows, first, last = network.arrays()
        mine = type(blank)(*map(engine.up, net_book._replace(rows=rows, first=first, last=last)))
        t = time.perf_counter()
        counts = engine.play(np.array([PLAYER, opponent]), (mine, none), rules, seed, 0, games, True)
        return rate(counts), round(counts[:, place.ROUNDS].sum() / (time.perf_counter() - t))

    def keep(network, name, notes):
        rows, first, last = network.arrays()
        half = rows.astype(np.float16)
        np.savez_compressed(out / f"{name}.npz", rows=half, first=first, last=last, odds_knock=odds.knock[:, :, :11])
        (out / f"{name}.json").write_text(json.dumps(notes))

    network = Network().cuda()
    lesson = Lesson.join(*(table_lesson(1 << 18, 1000 + part) for part in range(6)))
    say("distil", len(lesson), "samples")
    loss = train(network, lesson, 3e-3, 8, until * 0.4)
    won = measure(network, 100_000, 200)
    say("distilled", "loss", round(loss, 3), won)
    keep(network, "distilled", {"won": won, "against": against})
    del lesson, field, book, solved
    held, equity, loop = None, None, 0
    began = time.perf_counter() - START
    while True:
        now = time.perf_counter() - START
        part = (now - began) / (until - 35 - began)
        if part >= 1:
            break
        if part >= 0.5 and equity is None:
            won = measure(network, 200_000, 998)
            say("by points", won)
            keep(network, "points", {"won": won, "against": against})
            table = match_equity(results)
            print(table[::20, ::20])
            equity, held = torch.tensor(table, device="cuda"), None
        fresh, results = played_lesson(network, 1 << 20, 5000 + loop, 3.0 - 2.0 * part, 0.6, equity)
        held = fresh if held is None else Lesson.join(fresh, Lesson(*(column[: 3 * len(fresh)] for column in held.columns)))
        loss = train(network, held, 1e-3 * (1 - 0.7 * part), 2, until - 20)
        won = measure(network, 100_000, 300 + loop)
        say("loop", loop, "samples", len(held), "loss", round(loss, 2), won)
        loop += 1
    won = measure(network, 400_000, 999)
    say("last", won)
    keep(network, "last", {"won": won, "against": against})


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 5.0, sys.argv[3] if len(sys.argv) > 3 else "simple")
