"""Computed gin players: play rounds, estimate the opponent's odds from them, solve for the best response, play again.

>>> small = Setting(Rules(knock_limit=3), cards=5, ranks=6)
>>> result = compute("simple", small, device="cpu", rounds=10_000, games=200, loops=1)
>>> result.win_rate.low > 0.5, result.values.codes.shape
(True, (16, 2376))
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from meldlab.cards import Hand, classes
from meldlab.chance import Purpose, check_seed, derive_seed
from meldlab.cost import machine_memory
from meldlab.errors import NotLegalHere, NotPossible, whole_number
from meldlab.formatting import html_table
from meldlab.gin import players, value_tables
from meldlab.gin.batch import PlayerParameters, batch_rules, kernel_parameters, plays_in_kernel
from meldlab.gin.computing import kernel_tally, playing
from meldlab.gin.computing.opponent_model import OpponentModel
from meldlab.gin.computing.solver import HandClasses, Solved, solve, value_under, values_of
from meldlab.gin.kernel_state import KNOWNS, TURNS, RuleNumbers, SimpleParameters, ValueTable
from meldlab.gin.players import SimplePlayer
from meldlab.gin.rules import Rules
from meldlab.gpu import has_gpu, use_gpu
from meldlab.parallel import Progress, no_progress
from meldlab.statistics import Interval, Moments

SELF = "self"
KINDS = {8: np.uint8, 16: np.uint16}
MAX_LOOPS = 90
PLAYING = 2  # the rounds and games of an iteration take about as long as this number of turns of the recursion
LOOKUP = 20e-9  # seconds of one core for one hand of the recursion: 8 measured at five cards, more where tables outgrow the caches
PATIENCE = 1.0  # maximum hours of a pass on one core


class PassWork(NamedTuple):
    """A pass of the recursion: kinds of hands, values that are looked up, and bytes."""

    hands: int
    lookups: int
    memory: int


@dataclass(frozen=True)
class Setting:
    """The game to compute: rules, cards of a hand, and ranks of the deck; a laptop computes five cards of six ranks.

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
            raise NotLegalHere(f"{4 * self.ranks} cards are too few to deal {self.cards} to each player and to draw from")
        if self.rules.small:
            raise NotLegalHere("expected the size of the game as cards and ranks of the setting, got rules of a small game")
        batch_rules(self.rules)  # names a rule that the kernel does not play

    @property
    def stock(self) -> int:
        """Return the number of cards in stock after the deal."""
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
        return value_tables.dead_cards(self.ranks)

    @property
    def numbers(self) -> RuleNumbers:
        """Return the rules as the kernels take them."""
        return batch_rules(replace(self.rules, cards=self.cards, ranks=self.ranks))

    @property
    def full(self) -> bool:
        """Return whether this is the full game: ten cards of fifty-two."""
        return (self.cards, self.ranks) == (10, 13)

    def opponent(self, name: str) -> PlayerParameters:
        """Return the parameters of an opponent that the kernels can play, or raise if they cannot."""
        player = players.parse("simple" if name == SELF else name)
        if not plays_in_kernel(player):
            raise NotLegalHere(
                f"{name} plays at the table only; computing takes millions of rounds, and only"
                " simple, gin-only, knock:A,B,T, ensemble, saved computed players and self play in the kernel"
            )
        parameters = kernel_parameters(player)
        if not self.full and not isinstance(parameters, SimpleParameters):
            raise NotLegalHere(
                f"{name} plays ten cards of 52 only; smaller games are computed against simple, gin-only, knock:A,B,T or self"
            )
        return parameters

    def work(self, num_stored: int, bits: int, upcard: float) -> PassWork:
        """Return lookups and memory of a pass of the recursion; ``num_stored``: number of turns whose values are stored."""
        small, large = (classes.count(self.cards + more, self.dead) for more in (0, 1))
        # Hands, deadwood, values of five kinds; two tables while one player replaces the last.
        memory = small * (8 + 1 + 4 * 4) + large * (8 + 4) + 2 * num_stored * small * bits // 8
        return PassWork(small, TURNS * (large * (self.cards + 1) + small * (4 * self.ranks - self.cards) * (2 if upcard else 1)), memory)

    def check_size(self, device: str, num_stored: int, bits: int, upcard: float) -> None:
        """Raise if the recursion needs more memory than the device has, or hours of a CPU."""
        work = self.work(num_stored, bits, upcard)
        what = f"{self.cards} cards of {4 * self.ranks}: {work.hands:,} kinds of hands need {work.memory / 1e9:.1f} GB"
        if device == "cuda":
            free = use_gpu().current_context().get_memory_info()[0]
            if work.memory > free:
                raise NotPossible(f"{what} on the GPU, which has {free / 1e9:.0f} GB free")
            return
        hours = work.lookups * LOOKUP / 3600
        if hours > PATIENCE or work.memory > machine_memory():
            raise NotPossible(
                f"{what} and {hours:.1f} hours of a core a pass; use a GPU (--device cuda) or a smaller game (--cards 5 --ranks 6)"
            )


@dataclass(frozen=True)
class Iteration:
    """One iteration: a player solved, and measured."""

    value: float
    """Expected points per round in the model, against the odds it was solved for."""
    win_rate: Interval
    change: float
    """Mean absolute change of the opponent's hazard since the iteration before, over the turns that were played."""
    exploitability: float | None
    """Points per round by which the best response to the odds of its own rounds beats it inside the model; None if not computed."""
    seconds: float

    def as_json(self) -> dict[str, object]:
        """Return the result as JSON, as the command line prints it."""
        rate = self.win_rate
        measured = {"value": self.value, "win_rate": rate.value, "ci95": [rate.low, rate.high], "change": self.change}
        return {**measured, "exploitability": self.exploitability, "seconds": self.seconds}


@dataclass(frozen=True, eq=False)
class Computed:
    """A computed player, with the settings and iterations that produced it."""

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
    iterations: tuple[Iteration, ...]
    stable: bool
    values: ValueTable
    seconds: float

    @property
    def win_rate(self) -> Interval:
        """Return the share of games won in the last iteration."""
        return self.iterations[-1].win_rate

    def facts(self) -> dict[str, Any]:
        """Return the head of a saved player."""
        last = self.iterations[-1]
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
        """Return the result as JSON, as the command line prints it."""
        iterations = [iteration.as_json() for iteration in self.iterations]
        return {**self.facts(), "device": self.device, "laps": iterations, "stable": self.stable, "seconds": self.seconds}

    def _repr_html_(self) -> str:
        rows = [(i, f"{result.value:+.3f}", result.win_rate, f"{result.seconds:.1f} s") for i, result in enumerate(self.iterations, 1)]
        says = f"computed against {self.against}: {self.setting.cards} cards of {self.setting.ranks} ranks; games against "
        return html_table(["iteration", "points a round in the model", "won", "time"], rows, says + self.measured_against)

    def save(self, folder: Path) -> int:
        """Write the player into a folder and return the bytes of its values; ``tables:FOLDER`` plays it."""
        return value_tables.save(self.values, self.facts(), folder)


@dataclass
class _Computation:
    """Settings that stay the same from iteration to iteration."""

    setting: Setting
    classes: HandClasses
    opponent: PlayerParameters
    both: bool
    rounds: int
    games: int
    price: float
    upcard: float
    kind: Any
    turns: tuple[int, ...]
    done: int = 0

    def solve(self, odds: OpponentModel, tick: Callable[[], None]) -> Solved:
        ending = odds.until(self.setting.last_turn)
        slots = list(self.turns)
        return solve(
            self.classes, ending, self.setting.limit, upcard=self.upcard, kind=self.kind, slots=slots, on_turn=lambda turn, value: tick()
        )

    def values(self, solved: Solved, odds: OpponentModel) -> ValueTable:
        return values_of(self.classes, solved, odds, self.price)

    def players(self, values: ValueTable | None) -> playing.Players:
        """Return the simple player, or one with these values, and the opponent."""
        return SimplePlayer().parameters() if values is None else values, self.opponent

    def tally(self, values: ValueTable | None, seed: int) -> NDArray[np.float64]:
        """Return the tally of the simple player, or of one with these values, against the opponent, or against itself."""
        pair = self.players(values)
        if self.both and values is not None:
            pair = values, values
        return playing.tally(self.classes.device, pair, self.setting.numbers, seed, self.rounds)

    def measured(self, values: ValueTable, seed: int) -> Interval:
        """Return the share of mirrored games that a player with these values wins."""
        won = playing.mirrored_wins(self.classes.device, self.players(values), self.setting.numbers, seed, self.games // 2).sum(1)
        return Moments.from_counts(np.stack([np.full_like(won, 2), won], 1)).rate(1, 0)

    def regret(self, fresh: OpponentModel, solved: Solved, odds: OpponentModel) -> float:
        """Return the loss under fresh odds of the policy solved for earlier odds, against the best response."""
        last, limit = self.setting.last_turn, self.setting.limit
        own = value_under(self.classes, fresh.until(last), solved, odds.until(last), limit, upcard=self.upcard)
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
    progress: Progress = no_progress,
) -> Computed:
    """Return the player computed against an opponent, or with ``self`` against itself.

    Each of at most ``loops`` iterations solves for the odds of the one before, plays ``games`` mirrored games and ``rounds`` single rounds;
    the first odds are those of the simple player. It ends when the win rate, against itself the opponent's hazard, changes by less than
    ``tolerance``. ``price``: points that a discard costs times the probability that the opponent takes it; ``upcard``: the probability
    that the upcard is as good as a random card; ``turns``: those whose values are stored, all by default.
    """
    table = setting or Setting()
    check_seed(seed)
    chosen = device_of(device)
    num_rounds, num_games, stored = checked(chosen, rounds, games, loops, price, upcard, bits, turns)
    opponent = table.opponent(against)
    table.check_size(chosen, len(stored), bits, upcard)
    start = time.perf_counter()
    hands = HandClasses(table.cards, table.dead, chosen)
    both = against == SELF
    run = _Computation(table, hands, opponent, both, num_rounds, num_games, price, upcard, KINDS[bits], stored)
    whole_work = loops * (TURNS + PLAYING) + PLAYING

    def tick(steps: int = 1) -> None:
        run.done += steps
        progress(min(run.done, whole_work), whole_work, "")

    deals = derive_seed(seed, Purpose.FRESH)  # the same for all iterations, so that deals do not add variance to their difference
    counts = run.tally(None, derive_seed(seed, Purpose.ITERATION, 0))
    odds = OpponentModel.of(counts)
    tick(PLAYING)
    solved = run.solve(odds, tick)
    iterations: list[Iteration] = []
    while True:
        iteration_start = time.perf_counter()
        values = run.values(solved, odds)
        rate = run.measured(values, deals)
        fresh_counts = run.tally(values, derive_seed(seed, Purpose.ITERATION, len(iterations) + 1))
        tick(PLAYING)
        fresh, change = OpponentModel.of(fresh_counts), _change(counts, fresh_counts)
        moved = change if both else abs(rate.value - iterations[-1].win_rate.value) if iterations else 1.0
        stable = bool(iterations) and moved < tolerance
        ends = stable or len(iterations) + 1 == loops
        exploitability = run.regret(fresh, solved, odds) if both or ends else None
        iterations.append(Iteration(solved.value, rate, change, exploitability, time.perf_counter() - iteration_start))
        if ends:
            break
        # Best responses to the last player alone cycle; those to all earlier ones together converge (fictitious play).
        counts = counts + fresh_counts if both else fresh_counts
        odds = OpponentModel.of(counts)
        solved = run.solve(odds, tick)
    progress(whole_work, whole_work, "")
    measured = "simple" if both else against
    seconds = time.perf_counter() - start
    settings = num_rounds, num_games, price, upcard, bits, stored, seed
    return Computed(table, against, measured, chosen, *settings, tuple(iterations), stable, values, seconds)


def device_of(device: str) -> str:
    """Return the device to compute on."""
    if device not in ("auto", "cpu", "cuda"):
        raise NotLegalHere(f"no device {device!r} (use auto, cpu, cuda)")
    return ("cuda" if has_gpu() else "cpu") if device == "auto" else device


def checked(
    device: str, rounds: int | None, games: int | None, loops: int, price: float, upcard: float, bits: int, turns: Sequence[int]
) -> tuple[int, int, tuple[int, ...]]:
    """Return rounds, games and the turns to store, or raise for a number out of range."""
    fast = device == "cuda"
    num_rounds = whole_number((1 << 20 if fast else 1 << 16) if rounds is None else rounds, "number of rounds", 1000, 1 << 26)
    num_games = whole_number((200_000 if fast else 4_000) if games is None else games, "number of games", 2, 1 << 26)
    if num_games % 2:
        raise NotLegalHere(f"{num_games} games cannot be played in mirrored pairs")
    whole_number(loops, "number of loops", 1, MAX_LOOPS)
    if bits not in KINDS:
        raise NotLegalHere(f"values are stored in 8 or 16 bits, not {bits}")
    if not 0 <= upcard <= 1:
        raise NotLegalHere(f"upcard is a probability from 0 to 1, not {upcard}")
    if not 0 <= price <= 100:
        raise NotLegalHere(f"a discard that is taken costs 0 to 100 points, not {price}")
    stored = tuple(sorted({whole_number(turn, "turn to store", 1, TURNS) for turn in turns} or range(1, TURNS + 1)))
    return num_rounds, num_games, stored


def _change(before: NDArray[np.float64], after: NDArray[np.float64]) -> float:
    """Return the mean absolute difference of the hazards of two tallies, over the turns of the second."""
    rates, weight = [], np.zeros(kernel_tally.PLACES)
    for counts in (before, after):
        cells = counts[: 2 * kernel_tally.KNOCK_PART].reshape(kernel_tally.PLACES, KNOWNS, 2).sum(1)
        weight = cells[:, 0]
        rates.append(cells[:, 1] / np.maximum(weight, 1))
    return float((np.abs(rates[1] - rates[0]) * weight).sum() / max(weight.sum(), 1))
