"""The values of all hands at all turns, by recursion from the last turn back, against given odds.

With n cards in the hand, K and L the points of a knock and of being caught, q the chance that the opponent knocks next:

    U_t(h) = max(K_t(deadwood of h), (1 - q_t) V_{t+1}(h) + q_t L_t(deadwood of h))    after a discard; K where a knock is allowed
    A_t(g) = max of U_t(g - y) over the cards y of g                                    with a card too many
    V_t(h) = mean of A_t(h + x) over the cards x not in h                               before a draw; V_17 = 0, a void round
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meldlab.cards import Hand, classes
from meldlab.cards.kernel import Numbering
from meldlab.errors import NotPossible
from meldlab.gin import kernel_layout, kernel_round
from meldlab.gin.book import NO_POLICY
from meldlab.gin.kernel import LEFT
from meldlab.gin.kernel_layout import BIAS, HAZARD, KNOWNS, ODDS, PRICE, TURNS, Book, Network, Pair, PolicyLayers, Values
from meldlab.gin.values import kernel_recursion, kernel_tally
from meldlab.gin.values.odds import Odds
from meldlab.gpu import use_gpu
from meldlab.pieces import on_cores

__all__ = ["Engine", "Field", "Solved", "solve", "values_of"]

Floats = NDArray[np.float64]
SHAPE = 132 * 64, 256  # blocks and threads of a sweep
PLAYING = 132 * 8  # blocks that play games, at most
PIECE = 1 << 14  # classes of the first piece of a sweep on a core
SHEET = 2048  # rounds that a core adds up by itself
FULL_DECK = Hand()


class Engine:
    """Where the sweeps run: the kernels of the CPU, or those of the same names on a GPU."""

    def __init__(self, device: str) -> None:
        self.device = device
        if device == "cuda":
            self.cuda = use_gpu()
            from meldlab.gin.values import kernel_cuda

            self._kernels: Any = kernel_cuda
        else:
            self._kernels = kernel_recursion

    def sweep(self, name: str, *arguments: Any) -> None:
        """Run one kernel over all classes."""
        kernel = getattr(self._kernels, name)
        if self.device == "cuda":
            kernel[SHAPE](*arguments)
        else:
            on_cores(lambda first, many: kernel(first, many, *arguments), len(arguments[0]), size=PIECE)

    def array(self, shape: int | tuple[int, ...], kind: Any) -> Any:
        """Return an array that the kernels can write to."""
        return self.cuda.device_array(shape, kind) if self.device == "cuda" else np.zeros(shape, kind)

    def up(self, array: NDArray[Any]) -> Any:
        """Return an array that the kernels can read."""
        return self.cuda.to_device(np.ascontiguousarray(array)) if self.device == "cuda" else array

    def book(self, book: Book) -> Book:
        """Return a book that the kernels can read; a GPU has no room for what a policy writes on."""
        if self.device == "cuda" and book.policy is not NO_POLICY:
            raise NotPossible("a player by policy does not sit inside on the GPU: it plays on the cores, or as a network of PyTorch")
        values, network, policy = (map(self.up, part) for part in book)
        return Book(Values(*values), Network(*network), PolicyLayers(*policy))

    def odds(self, odds: Odds, turn: int) -> tuple[np.float32, Any, Any]:
        """Return hazard, points of a knock and points when caught at a turn, as the kernels can read them."""
        hazard, knock, caught = odds.at(turn)
        return hazard, self.up(knock), self.up(caught)

    def ends(self, value: Any) -> tuple[float, float]:
        """Return the least and the largest value."""
        if self.device != "cuda":
            return float(value.min()), float(value.max())
        ends = self.up(np.array([1e30, -1e30], np.float32))
        self.sweep("extremes", ends, value)
        low, high = ends.copy_to_host()
        return float(low), float(high)

    def mean(self, value: Any, hands: Any, keys: Any, renamings: int) -> float:
        """Return the mean of V over all hands."""
        if self.device == "cuda":
            sums = self.up(np.zeros(2))
            self.sweep("sum_values", sums, value, hands, keys, renamings)
            total, count = sums.copy_to_host()
        else:
            parts = np.zeros((-(-len(value) // kernel_recursion.STRETCH), 2))
            self.sweep("sum_values", parts, value, hands, keys, renamings)
            total, count = parts.sum(0)
        return float(total / count)

    def play(self, pair: Pair, rules: NDArray[np.int64], seed: int, first: int, games: int) -> NDArray[np.int32]:
        """Return [games, COUNTS] int32 as gin.batch.play_batch does."""
        if self.device != "cuda":
            counts = np.zeros((games, kernel_layout.COUNTS), np.int32)
            log = np.empty((0, kernel_layout.LOG_WIDTH), np.int64)

            def play(at: int, many: int) -> None:
                kernel_round.play_some(pair, rules, seed, first + at, many, log, counts[at : at + many])

            on_cores(play, games, size=16)
            return counts
        return self._games(pair, rules, seed, first, games, np.zeros(0), self.up(np.zeros((0, 1, 1, 1))))[0]  # type: ignore[no-any-return]

    def _games(self, pair: Pair, rules: NDArray[np.int64], seed: int, first: int, games: int, tally: Any, pages: Any) -> tuple[Any, Any]:
        """Play on the GPU and return the counts and the tally."""
        counts, sums = self.cuda.device_array((games, kernel_layout.COUNTS), np.int32), self.up(tally)
        threads = self._kernels.THREADS
        shape = min((games + threads - 1) // threads, PLAYING), threads
        pair = pair._replace(vectors=self.up(pair.vectors))
        worths = self.cuda.device_array((shape[0], threads * 52), np.float64)
        self._kernels.play_games[shape](pair, self.up(rules), seed, first, games, self._kernels.Paper(counts, sums, pages, worths))
        return counts.copy_to_host(), sums.copy_to_host()

    def won(self, pair: Pair, rules: NDArray[np.int64], seed: int, deals: int) -> NDArray[np.int64]:
        """Return [deals, 2] int64, which games the first player wins: of each deal one in the first seat and one in the second."""
        here = self.play(pair, rules, seed, 0, deals)[:, kernel_layout.WINNER_SEAT]
        there = self.play(Pair(pair.vectors[::-1].copy(), pair.books[::-1]), rules, seed, 0, deals)[:, kernel_layout.WINNER_SEAT]
        return np.stack([here == 0, there == 1], 1).astype(np.int64)

    def record(self, pair: Pair, rules: NDArray[np.int64], seed: int, pages: Any) -> None:
        """Fill ``pages``, [rounds, seats, turns, DIARY] float64, with the diaries of single rounds, from scores drawn at random."""
        single, rounds = rules.copy(), len(pages)
        single[kernel_layout.POINTS_WANTED], single[kernel_layout.ANY_SCORES] = 0, 1
        if self.device != "cuda":

            def keep(at: int, many: int) -> None:
                kernel_tally.record_rounds(pair, single, seed, at, many, pages[at : at + many])

            on_cores(keep, rounds, size=16)
            return
        self._games(pair, single, seed, 0, rounds, np.zeros(0), pages)

    def tally(self, pair: Pair, rules: NDArray[np.int64], seed: int, rounds: int) -> Floats:
        """Return the tally of so many single rounds of seat 0."""
        single = rules.copy()
        single[kernel_layout.POINTS_WANTED] = 0
        tally = np.zeros(2 * kernel_tally.CELLS)
        if self.device != "cuda":
            # A sheet for each piece, added in order: sums of floats must not depend on which core was first.
            sheets = np.zeros((-(-rounds // SHEET), len(tally)))

            def count(at: int, many: int) -> None:
                for sheet in range(at, at + many):
                    first = sheet * SHEET
                    kernel_tally.tally_rounds(pair, single, seed, first, min(SHEET, rounds - first), sheets[sheet])

            on_cores(count, len(sheets))
            tally[:] = sheets.sum(0)
            return tally
        return self._games(pair, single, seed, 0, rounds, tally, self.up(np.zeros((0, 1, 1, 1))))[1]  # type: ignore[no-any-return]


class Field:
    """The classes of hands of a deck, laid out for the sweeps; solving again and again needs it once.

    ``cards``: how many a hand has; ``dead``: cards that the deck lacks.
    """

    def __init__(self, cards: int = 10, dead: Hand = FULL_DECK, device: str = "cpu") -> None:
        self.engine = engine = Engine(device)
        self.cards, self.dead = cards, dead
        small, large = classes.numbering(cards, dead), classes.numbering(cards + 1, dead)
        self.count, self.renamings = small.classes, small.renamings
        alive = np.array([0x1FFF & ~lane for lane in dead.lanes], np.int64)
        self.deck = kernel_recursion.Draws(*map(engine.up, (alive, small.keys, small.patterns, large.patterns)))
        self.hands, self.larger = engine.array(small.classes, np.int64), engine.array(large.classes, np.int64)
        for hands, size in ((self.hands, small), (self.larger, large)):
            engine.sweep("list_classes", hands, Numbering(size.classes, size.renamings, *map(engine.up, size[2:])))
        self.left = engine.array(small.classes, np.uint8)
        engine.sweep("list_deadwood", self.left, self.hands, engine.up(LEFT))
        self.value, self.worth = engine.array(small.classes, np.float32), engine.array(small.classes, np.float32)
        self.after = engine.array(large.classes, np.float32)


@dataclass(frozen=True, eq=False)
class Solved:
    """V of every class at every turn in steps, and what the whole round is worth before the first draw."""

    codes: Any
    """[slots, classes] of an unsigned type."""
    turns: NDArray[np.float64]
    """[TURNS + 2, 3]: slot, low and step of each turn."""
    value: float
    """Mean of V at the first turn: points per round of the best answer to the odds."""
    seconds: float


def solve(
    field: Field,
    odds: Odds,
    limit: int = 10,
    *,
    upcard: float = 0.0,
    kind: Any = np.uint16,
    slots: list[int] | None = None,
    each: Callable[[int, Any], None] = lambda turn, value: None,
) -> Solved:
    """Return the values against ``odds``, knocks allowed up to ``limit``.

    ``upcard``: the chance that the upcard is as good as a random card; ``kind``: the type of the codes; ``slots``: the turns to keep,
    others are rounded to the nearest kept one; ``each`` is shown V of every turn while it lies in the field.
    """
    start = time.perf_counter()
    engine = field.engine
    kept = sorted(slots or range(1, TURNS + 1))
    codes = engine.array((len(kept), field.count), kind)
    turns = np.zeros((TURNS + 2, 3))
    most = float(np.iinfo(kind).max)
    field.value[:] = 0
    for turn in range(TURNS, 0, -1):
        engine.sweep("sweep_worth", field.worth, field.value, field.left, engine.odds(odds, turn), limit)
        engine.sweep("sweep_discards", field.after, field.worth, field.larger, field.deck)
        engine.sweep("sweep_draws", field.value, field.after, field.hands, np.float32(upcard), field.deck)
        each(turn, field.value)
        if turn in kept:
            low, high = engine.ends(field.value)
            step = max((high - low) / most, 1e-9)
            turns[turn] = kept.index(turn), low, step
            engine.sweep("encode", codes[kept.index(turn)], field.value, np.float32(low), np.float32(step))
    for turn in range(1, TURNS + 1):
        turns[turn] = turns[min(kept, key=lambda one: (abs(one - turn), one))]
    value = engine.mean(field.value, field.hands, field.deck.keys, field.renamings)
    return Solved(codes, turns, value, time.perf_counter() - start)


def values_of(
    field: Field, solved: Solved, odds: Odds, price: NDArray[np.float64], bias: NDArray[np.float64], by_known: bool = True
) -> Values:
    """Return what a player computes with: values, odds, and the price of a discard that is taken, [turns]; ``bias``: [turns, known]."""
    table = np.zeros((TURNS + 2, KNOWNS, ODDS))
    knock, caught = odds.knock.copy(), odds.caught.copy()
    table[:, :, HAZARD], table[:, :, PRICE], table[:, :, BIAS] = odds.hazard, price[:, None], bias
    if not by_known:
        for turn in range(1, TURNS + 1):
            hazard, knocking, catching = odds.at(turn)
            table[turn, :, HAZARD], knock[turn], caught[turn] = hazard, knocking, catching
    engine = field.engine
    turns, rows = engine.up(solved.turns), (engine.up(table), engine.up(knock), engine.up(caught))
    deck = np.array([((1 << 52) - 1) & ~field.dead.mask, field.cards], np.int64)
    return Values(solved.codes, turns, field.deck.keys, field.deck.small, *rows, engine.up(deck))
