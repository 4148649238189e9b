"""Computing a gin player: play rounds, learn the opponent's odds from them, solve for the best answer, play again.

>>> small = Setting(Rules(knock_limit=3), cards=5, ranks=6)
>>> found = compute("simple", small, device="cpu", rounds=10_000, games=200, loops=1)
>>> found.win_rate.low > 0.5, found.values.codes.shape
(True, (16, 2376))
"""

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from meldlab.cards import Hand, classes
from meldlab.chance import Purpose, derived, verified
from meldlab.errors import NotLegalHere, NotPossible, whole_number
from meldlab.gin import Rules, players
from meldlab.gin.batch import Seated, plays_in_kernel, rule_vector, seat
from meldlab.gin.book import NO_BOOK
from meldlab.gin.kernel_layout import KIND, KNOWNS, SIMPLE, TURNS, Book, Pair, Values
from meldlab.gin.players import ComputedPlayer, SimplePlayer
from meldlab.gin.values import folder as tables
from meldlab.gin.values import kernel_tally
from meldlab.gin.values.guided import guided_value
from meldlab.gin.values.odds import Odds
from meldlab.gin.values.recursion import Engine, Field, Solved, solve, values_of
from meldlab.gpu import has_gpu
from meldlab.showing import rows_html
from meldlab.statistics import Interval, Moments

__all__ = ["Computed", "Lap", "Setting", "compute"]

SELF = "self"
KINDS = {8: np.uint8, 16: np.uint16}
MOST_LOOPS = 90
PLAYING = 2  # playing a lap's rounds and games takes about as long as so many turns of the recursion
LOOKUP = 20e-9  # seconds of one core for one hand of the recursion: 8 measured at five cards, more where tables outgrow the caches
PATIENCE = 1.0  # hours that a pass may take on one core
Progress = Callable[[int, int], None]


class PassWork(NamedTuple):
    """A pass of the recursion: kinds of hands, values that are looked up, and bytes."""

    hands: int
    lookups: int
    memory: int


@dataclass(frozen=True)
class Setting:
    """What is played: rules, and how many cards of how many ranks; five cards of six ranks are a game for a laptop.

    >>> Setting().last_turn, Setting(cards=5, ranks=6).last_turn
    (16, 7)
    """

    rules: Rules = field(default_factory=Rules)
    cards: int = 10
    ranks: int = 13

    def __post_init__(self) -> None:
        whole_number(self.cards, "cards in a hand", 3, 10)
        whole_number(self.ranks, "ranks of the deck", 3, 13)
        if self.stock < self.rules.stock_floor + 2:
            raise NotLegalHere(f"{4 * self.ranks} cards are too few to deal {self.cards} to each player and go on")
        if self.rules.small:
            raise NotLegalHere("a small game is told by cards and ranks, not by its rules")
        rule_vector(self.rules)  # names a rule that the kernel does not play

    @property
    def stock(self) -> int:
        """Return how many cards lie face down after the deal."""
        return 4 * self.ranks - 2 * self.cards - 1

    @property
    def last_turn(self) -> int:
        """Return the own turn after which a round is void: half of the stock, and one for upcards taken."""
        return min(TURNS, -(-(self.stock - self.rules.stock_floor) // 2) + 1)

    @property
    def limit(self) -> int:
        """Return the most deadwood to knock with; where the first upcard sets it, the mean."""
        limits = [self.rules.limit(rank) for rank in range(self.ranks)]
        return round(sum(limits) / len(limits))

    @property
    def dead(self) -> Hand:
        """Return the cards that are not in the deck."""
        return tables.dead_cards(self.ranks)

    @property
    def vector(self) -> NDArray[np.int64]:
        """Return the rules as the kernels take them."""
        return rule_vector(replace(self.rules, cards=self.cards, ranks=self.ranks))

    @property
    def full(self) -> bool:
        """Tell whether this is gin as it is played: ten cards of fifty-two."""
        return (self.cards, self.ranks) == (10, 13)

    def seat(self, name: str) -> Seated:
        """Return an opponent that the kernels can play, or say why there is none."""
        player = players.parse("simple" if name == SELF else name)
        if not plays_in_kernel(player):
            raise NotLegalHere(
                f"{name} plays at the table only; a player is computed against millions of rounds, and only"
                " simple, gin-only, knock:A,B,T, ensemble, saved computed players and self play in the kernel"
            )
        seated = seat(player)
        if not self.full and seated.vector[KIND] != SIMPLE:
            raise NotLegalHere(
                f"{name} plays ten cards of 52 only; smaller games are computed against simple, gin-only, knock:A,B,T or self"
            )
        return seated

    def work(self, kept: int, bits: int, upcard: float) -> PassWork:
        """Return how much a pass of the recursion looks up, and what it holds; ``kept``: turns whose values are kept."""
        small, large = (classes.count(self.cards + more, self.dead) for more in (0, 1))
        # Hands, deadwood, values of five kinds; two tables while one player is left for the next.
        memory = small * (8 + 1 + 4 * 4) + large * (8 + 4) + 2 * kept * small * bits // 8
        return PassWork(small, TURNS * (large * (self.cards + 1) + small * (4 * self.ranks - self.cards) * (2 if upcard else 1)), memory)

    def check_size(self, device: str, kept: int, bits: int, upcard: float) -> None:
        """Raise if the recursion is more than the device can hold, or a CPU can finish in hours."""
        work = self.work(kept, bits, upcard)
        what = f"{self.cards} cards of {4 * self.ranks}: {work.hands:,} kinds of hands need {work.memory / 1e9:.1f} GB"
        if device == "cuda":
            free = Engine(device).cuda.current_context().get_memory_info()[0]
            if work.memory > free:
                raise NotPossible(f"{what} on the GPU, which has {free / 1e9:.0f} GB free")
            return
        hours = work.lookups * LOOKUP / 3600
        if hours > PATIENCE or work.memory > _memory():
            raise NotPossible(
                f"{what} and {hours:.1f} hours of a core a pass; use a GPU (--device cuda) or a smaller game (--cards 5 --ranks 6)"
            )


@dataclass(frozen=True)
class Lap:
    """One turn of the loop: a player solved, and measured."""

    value: float
    """Points per round that the model promises against the odds it was solved for."""
    win_rate: Interval
    change: float
    """How far the opponent's hazard was from that of the lap before, on average over the turns that were played."""
    exploitability: float | None
    """Points per round by which the best answer to the odds of its own rounds beats it inside the model; None if not asked for."""
    seconds: float

    def as_json(self) -> dict[str, object]:
        """Return the answer of the command line."""
        rate = self.win_rate
        told = {"value": self.value, "win_rate": rate.value, "ci95": [rate.low, rate.high], "change": self.change}
        return {**told, "exploitability": self.exploitability, "seconds": self.seconds}


@dataclass(frozen=True, eq=False)
class Computed:
    """A computed player and how it came about."""

    setting: Setting
    against: str
    measured_against: str
    device: str
    rounds: int
    games: int
    price: float
    upcard: float
    bits: int
    turns: tuple[int, ...]
    seed: int
    laps: tuple[Lap, ...]
    stable: bool
    values: Values
    seconds: float

    @property
    def win_rate(self) -> Interval:
        """Return the share of games won in the last lap."""
        return self.laps[-1].win_rate

    def facts(self) -> dict[str, Any]:
        """Return what the head of a saved player says."""
        last = self.laps[-1]
        return {
            "against": self.against,
            "rules": self.setting.rules.as_record(),
            "cards": self.setting.cards,
            "ranks": self.setting.ranks,
            "limit": self.setting.limit,
            "rounds": self.rounds,
            "price": self.price,
            "upcard": self.upcard,
            "bits": self.bits,
            "turns": list(self.turns),
            "seed": self.seed,
            "value": last.value,
            "games": self.games,
            "measured_against": self.measured_against,
            "win_rate": last.win_rate.value,
            "ci95": [last.win_rate.low, last.win_rate.high],
            "exploitability": last.exploitability or 0.0,
        }

    def as_json(self) -> dict[str, object]:
        """Return the answer of the command line."""
        laps = [lap.as_json() for lap in self.laps]
        return {**self.facts(), "device": self.device, "laps": laps, "stable": self.stable, "seconds": self.seconds}

    def _repr_html_(self) -> str:
        rows = [(nth, f"{lap.value:+.3f}", lap.win_rate, f"{lap.seconds:.1f} s") for nth, lap in enumerate(self.laps, 1)]
        says = f"computed against {self.against}: {self.setting.cards} cards of {self.setting.ranks} ranks; games against "
        return rows_html(["lap", "points a round in the model", "won", "time"], rows, says + self.measured_against)

    def save(self, folder: Path) -> int:
        """Write the player into a folder and return the bytes of its values; ``computed:FOLDER`` plays it."""
        return tables.save(self.values, self.facts(), folder)


@dataclass
class _Bench:
    """What stays the same from lap to lap."""

    setting: Setting
    field: Field
    opponent: Seated
    theirs: Book
    simple: Book
    both: bool
    rounds: int
    games: int
    price: float
    upcard: float
    kind: Any
    turns: tuple[int, ...]
    done: int = 0

    def solve(self, odds: Odds, tick: Callable[[], None]) -> Solved:
        ending = odds.until(self.setting.last_turn)
        slots = list(self.turns)
        return solve(
            self.field, ending, self.setting.limit, upcard=self.upcard, kind=self.kind, slots=slots, each=lambda turn, value: tick()
        )

    def open(self, solved: Solved, odds: Odds) -> Values:
        return values_of(self.field, solved, odds, np.full(TURNS + 2, self.price), np.zeros((TURNS + 2, KNOWNS)))

    def pair(self, values: Values | None) -> Pair:
        """Return the simple player, or one with these values, and the opponent, which may be its like."""
        if values is None:
            return Pair(np.array([seat(SimplePlayer()).vector, self.opponent.vector]), (self.simple, self.theirs))
        me, book = seat(ComputedPlayer(values)).vector, self.simple._replace(values=values)
        return Pair(np.array([me, self.opponent.vector]), (book, self.theirs))

    def tally(self, values: Values | None, seed: int) -> NDArray[np.float64]:
        """Return the tally of the simple player, or of one with these values, against the opponent."""
        pair = self.pair(values)
        if self.both and values is not None:
            pair = Pair(pair.vectors[[0, 0]], (pair.books[0], pair.books[0]))
        return self.field.engine.tally(pair, self.setting.vector, seed, self.rounds)

    def measured(self, values: Values, seed: int) -> Interval:
        """Return the share of mirrored games that a player with these values wins."""
        won = self.field.engine.won(self.pair(values), self.setting.vector, seed, self.games // 2).sum(1)
        return Moments.of(np.stack([np.full_like(won, 2), won], 1)).rate(1, 0)

    def regret(self, fresh: Odds, solved: Solved, odds: Odds) -> float:
        """Return how much more the best answer to fresh odds gets under them than what was solved for earlier odds."""
        last, limit = self.setting.last_turn, self.setting.limit
        own = guided_value(self.field, fresh.until(last), solved, odds.until(last), limit, upcard=self.upcard)
        return self.solve(fresh, lambda: None).value - own


def compute(
    against: str = "simple",
    setting: Setting | None = None,
    *,
    device: str = "auto",
    rounds: int | None = None,
    games: int | None = None,
    loops: int = 4,
    price: float = 5.0,
    upcard: float = 0.3,
    bits: int = 8,
    turns: Sequence[int] = (),
    seed: int = 0,
    tolerance: float = 0.002,
    progress: Progress = lambda done, whole: None,
) -> Computed:
    """Return the player computed against an opponent, or with ``self`` against itself.

    Each of at most ``loops`` laps solves for the odds of the lap before, plays ``games`` mirrored games and ``rounds`` single rounds; the
    first odds are those of the simple player. It ends when the win rate, against itself the opponent's hazard, changes by less than
    ``tolerance``. ``price``: points that a discard costs times the chance that the opponent takes it; ``upcard``: the chance that the
    upcard is as good as a random card; ``turns``: those whose values are kept, all by default.
    """
    table = setting or Setting()
    verified(seed)
    chosen = device_of(device)
    many, measuring, kept = checked(chosen, rounds, games, loops, price, upcard, bits, turns)
    opponent = table.seat(against)
    theirs = _of_kind(opponent.book, KINDS[bits])
    table.check_size(chosen, len(kept), bits, upcard)
    start = time.perf_counter()
    ground = Field(table.cards, table.dead, chosen)
    both = against == SELF
    books = ground.engine.book(theirs), ground.engine.book(_of_kind(NO_BOOK, KINDS[bits]))
    bench = _Bench(table, ground, opponent, *books, both, many, measuring, price, upcard, KINDS[bits], kept)
    whole_work = loops * (TURNS + PLAYING) + PLAYING

    def tick(steps: int = 1) -> None:
        bench.done += steps
        progress(min(bench.done, whole_work), whole_work)

    deals = derived(seed, Purpose.FRESH)  # the same for all laps, so that their difference is not luck
    counts = bench.tally(None, derived(seed, Purpose.LAP, 0))
    odds = Odds.of(counts)
    tick(PLAYING)
    solved = bench.solve(odds, tick)
    laps: list[Lap] = []
    while True:
        lap_start = time.perf_counter()
        values = bench.open(solved, odds)
        rate = bench.measured(values, deals)
        fresh_counts = bench.tally(values, derived(seed, Purpose.LAP, len(laps) + 1))
        tick(PLAYING)
        fresh, change = Odds.of(fresh_counts), _change(counts, fresh_counts)
        moved = change if both else abs(rate.value - laps[-1].win_rate.value) if laps else 1.0
        stable = bool(laps) and moved < tolerance
        ends = stable or len(laps) + 1 == loops
        exploitability = bench.regret(fresh, solved, odds) if both or ends else None
        laps.append(Lap(solved.value, rate, change, exploitability, time.perf_counter() - lap_start))
        if ends:
            break
        # Two that answer each other's last move chase one another for ever; answering all earlier ones together settles (fictitious play).
        counts = counts + fresh_counts if both else fresh_counts
        odds = Odds.of(counts)
        solved = bench.solve(odds, tick)
    progress(whole_work, whole_work)
    measured = "simple" if both else against
    seconds = time.perf_counter() - start
    return Computed(
        table, against, measured, chosen, many, measuring, price, upcard, bits, kept, seed, tuple(laps), stable, values, seconds
    )


def _memory() -> float:
    """Return the bytes of this machine's memory, where it tells."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return float("inf")


def device_of(device: str) -> str:
    """Return where to compute."""
    if device not in ("auto", "cpu", "cuda"):
        raise NotLegalHere(f"no device {device!r} (use auto, cpu, cuda)")
    return ("cuda" if has_gpu() else "cpu") if device == "auto" else device


def checked(
    device: str, rounds: int | None, games: int | None, loops: int, price: float, upcard: float, bits: int, turns: Sequence[int]
) -> tuple[int, int, tuple[int, ...]]:
    """Return rounds, games and the turns to keep, or say which of the numbers cannot be."""
    fast = device == "cuda"
    many = whole_number((1 << 20 if fast else 1 << 16) if rounds is None else rounds, "number of rounds", 1000, 1 << 26)
    measuring = whole_number((200_000 if fast else 4_000) if games is None else games, "number of games", 2, 1 << 26)
    if measuring % 2:
        raise NotLegalHere(f"{measuring} games cannot be played in mirrored pairs")
    whole_number(loops, "number of loops", 1, MOST_LOOPS)
    if bits not in KINDS:
        raise NotLegalHere(f"values are kept in 8 or 16 bits, not {bits}")
    if not 0 <= upcard <= 1:
        raise NotLegalHere(f"upcard is a chance from 0 to 1, not {upcard}")
    if not 0 <= price <= 100:
        raise NotLegalHere(f"a discard that is taken costs 0 to 100 points, not {price}")
    kept = tuple(sorted({whole_number(turn, "turn to keep", 1, TURNS) for turn in turns} or range(1, TURNS + 1)))
    return many, measuring, kept


def _of_kind(book: Book, kind: Any) -> Book:
    """Return a book whose values, if it has any, have codes of the kind that is computed."""
    codes = book.values.codes
    if codes.size == 1:
        return book._replace(values=book.values._replace(codes=np.zeros((1, 1), kind)))
    if codes.dtype != kind:
        raise NotLegalHere(f"the opponent's values have {8 * codes.dtype.itemsize} bits: compute with as many")
    return book


def _change(before: NDArray[np.float64], after: NDArray[np.float64]) -> float:
    """Return how far the hazard of two tallies lies apart, on average over the turns of the second."""
    rates, weight = [], np.zeros(kernel_tally.PLACES)
    for counts in (before, after):
        cells = counts[: 2 * kernel_tally.KNOCK_PART].reshape(kernel_tally.PLACES, KNOWNS, 2).sum(1)
        weight = cells[:, 0]
        rates.append(cells[:, 1] / np.maximum(weight, 1))
    return float((np.abs(rates[1] - rates[0]) * weight).sum() / max(weight.sum(), 1))
