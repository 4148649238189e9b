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


@dataclass(frozen=True)
class ComputeConfig:
    """The settings of a computation."""

    against: str = "simple"
    """Name of the opponent, or ``self``."""
    setting: Setting = field(default_factory=Setting)
    device: str = "auto"
    rounds: int = None  # type: ignore[assignment]  # by default that of the device
    """Single rounds of an iteration, for the odds."""
    games: int = None  # type: ignore[assignment]
    """Mirrored games of an iteration, for the win rate."""
    loops: int = 4
    """Maximum number of iterations."""
    price: float = 5.0
    """Points that a discard costs times the probability that the opponent takes it."""
    upcard: float = 0.3
    """Probability that the upcard is as good as a random card."""
    bits: int = 8
    turns: Sequence[int] = ()
    """Turns whose values are stored, all by default."""
    seed: int = 0
    tolerance: float = 0.002
    """Change of the win rate, against itself of the opponent's hazard, below which the computation ends."""

    def __post_init__(self) -> None:
        check_seed(self.seed)
        if self.device not in ("auto", "cpu", "cuda"):
            raise NotLegalHere(f"no device {self.device!r} (use auto, cpu, cuda)")
        device = ("cuda" if has_gpu() else "cpu") if self.device == "auto" else self.device
        rounds, games = (1 << 20, 200_000) if device == "cuda" else (1 << 16, 4_000)
        rounds = whole_number(rounds if self.rounds is None else self.rounds, "number of rounds", 1000, 1 << 26)
        games = whole_number(games if self.games is None else self.games, "number of games", 2, 1 << 26)
        if games % 2:
            raise NotLegalHere(f"{games} games cannot be played in mirrored pairs")
        whole_number(self.loops, "number of loops", 1, MAX_LOOPS)
        if self.bits not in KINDS:
            raise NotLegalHere(f"values are stored in 8 or 16 bits, not {self.bits}")
        if not 0 <= self.upcard <= 1:
            raise NotLegalHere(f"upcard is a probability from 0 to 1, not {self.upcard}")
        if not 0 <= self.price <= 100:
            raise NotLegalHere(f"a discard that is taken costs 0 to 100 points, not {self.price}")
        turns = tuple(sorted({whole_number(turn, "turn to store", 1, TURNS) for turn in self.turns} or range(1, TURNS + 1)))
        vars(self).update(device=device, rounds=rounds, games=games, turns=turns)

    @property
    def with_itself(self) -> bool:
        """Return whether the player is computed against itself."""
        return self.against == SELF

    @property
    def measured_against(self) -> str:
        """Return the opponent of the games."""
        return "simple" if self.with_itself else self.against


@dataclass(frozen=True, eq=False)
class Computed:
    """A computed player, with the settings and iterations that produced it."""

    config: ComputeConfig
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
        config, setting, last = self.config, self.config.setting, self.iterations[-1]
        return {
            "against": config.against,
            "rules": setting.rules.as_record(),
            **{name: getattr(setting, name) for name in ("cards", "ranks", "limit")},
            **{name: getattr(config, name) for name in ("rounds", "price", "upcard", "bits")},
            "turns": list(config.turns),
            "seed": config.seed,
            "value": last.value,
            "games": config.games,
            "measured_against": config.measured_against,
            "win_rate": last.win_rate.value,
            "ci95": [last.win_rate.low, last.win_rate.high],
            "exploitability": last.exploitability or 0.0,
        }

    def as_json(self) -> dict[str, object]:
        """Return the result as JSON, as the command line prints it."""
        iterations = [iteration.as_json() for iteration in self.iterations]
        return {**self.facts(), "device": self.config.device, "laps": iterations, "stable": self.stable, "seconds": self.seconds}

    def _repr_html_(self) -> str:
        rows = [(i, f"{result.value:+.3f}", result.win_rate, f"{result.seconds:.1f} s") for i, result in enumerate(self.iterations, 1)]
        config, setting = self.config, self.config.setting
        says = f"computed against {config.against}: {setting.cards} cards of {setting.ranks} ranks; games against "
        return html_table(["iteration", "points a round in the model", "won", "time"], rows, says + config.measured_against)

    def save(self, folder: Path) -> int:
        """Write the player into a folder and return the bytes of its values; ``tables:FOLDER`` plays it."""
        return value_tables.save(self.values, self.facts(), folder)


class _Computation:
    """The iterations of a computation: odds, the values for them, and their games."""

    def __init__(self, config: ComputeConfig, progress: Progress) -> None:
        self.config, self.progress, self.done = config, progress, 0
        self.total = config.loops * (TURNS + PLAYING) + PLAYING
        self.opponent = config.setting.opponent(config.against)
        config.setting.check_size(config.device, len(config.turns), config.bits, config.upcard)
        self.classes = HandClasses(config.setting.cards, config.setting.dead, config.device)

    def tick(self, steps: int = 1) -> None:
        self.done += steps
        self.progress(min(self.done, self.total), self.total, "")

    def solve(self, odds: OpponentModel, on_turn: Callable[[int, Any], None]) -> Solved:
        config, setting = self.config, self.config.setting
        numbers: dict[str, Any] = {"upcard": config.upcard, "kind": KINDS[config.bits], "slots": list(config.turns)}
        return solve(self.classes, odds.until(setting.last_turn), setting.limit, on_turn=on_turn, **numbers)

    def tally(self, values: ValueTable | None, nth: int) -> NDArray[np.float64]:
        """Return the ``nth`` tally of the simple player, or of one with these values, against the opponent or itself."""
        pair = (SimplePlayer().parameters() if values is None else values), self.opponent
        if self.config.with_itself and values is not None:
            pair = values, values
        seed = derive_seed(self.config.seed, Purpose.ITERATION, nth)
        counts = playing.tally(self.classes.device, pair, self.config.setting.numbers, seed, self.config.rounds)
        self.tick(PLAYING)
        return counts

    def win_rate(self, values: ValueTable) -> Interval:
        """Return the share of mirrored games that a player with these values wins."""
        # The same deals for all iterations, so that they do not add variance to their difference.
        seed, deals = derive_seed(self.config.seed, Purpose.FRESH), self.config.games // 2
        won = playing.mirrored_wins(self.classes.device, (values, self.opponent), self.config.setting.numbers, seed, deals).sum(1)
        return Moments.from_counts(np.stack([np.full_like(won, 2), won], 1)).rate(1, 0)

    def regret(self, fresh: OpponentModel, solved: Solved, odds: OpponentModel) -> float:
        """Return the loss under fresh odds of the policy solved for earlier odds, against the best response."""
        last, limit = self.config.setting.last_turn, self.config.setting.limit
        own = value_under(self.classes, fresh.until(last), solved, odds.until(last), limit, upcard=self.config.upcard)
        return self.solve(fresh, lambda turn, value: None).value - own

    def run(self) -> tuple[list[Iteration], bool, ValueTable]:
        """Return the iterations, whether the last one is stable, and its values."""
        config, iterations = self.config, list[Iteration]()
        counts = self.tally(None, 0)
        while True:
            odds = OpponentModel.of(counts)
            solved = self.solve(odds, lambda turn, value: self.tick())
            start = time.perf_counter()
            values = values_of(self.classes, solved, odds, config.price)
            rate, fresh_counts = self.win_rate(values), self.tally(values, len(iterations) + 1)
            fresh, change = OpponentModel.of(fresh_counts), _change(counts, fresh_counts)
            moved = change if config.with_itself else abs(rate.value - iterations[-1].win_rate.value) if iterations else 1.0
            stable = bool(iterations) and moved < config.tolerance
            ends = stable or len(iterations) + 1 == config.loops
            exploitability = self.regret(fresh, solved, odds) if config.with_itself or ends else None
            iterations.append(Iteration(solved.value, rate, change, exploitability, time.perf_counter() - start))
            if ends:
                self.progress(self.total, self.total, "")
                return iterations, stable, values
            # Best responses to the last player alone cycle; those to all earlier ones together converge (fictitious play).
            counts = counts + fresh_counts if config.with_itself else fresh_counts


def compute(against: str = "simple", setting: Setting | None = None, *, progress: Progress = no_progress, **settings: Any) -> Computed:
    """Return the player computed against an opponent, or with ``self`` against itself; ``settings``: those of ``ComputeConfig``.

    Each iteration solves for the odds of the one before, plays mirrored games and single rounds; the first odds are those of the simple
    player. It ends when the win rate, against itself the opponent's hazard, is stable.
    """
    config, start = ComputeConfig(against, setting or Setting(), **settings), time.perf_counter()
    iterations, stable, values = _Computation(config, progress).run()
    return Computed(config, tuple(iterations), stable, values, time.perf_counter() - start)


def _change(before: NDArray[np.float64], after: NDArray[np.float64]) -> float:
    """Return the mean absolute difference of the hazards of two tallies, over the turns of the second."""
    rates, weight = [], np.zeros(kernel_tally.PLACES)
    for counts in (before, after):
        cells = counts[: 2 * kernel_tally.KNOCK_PART].reshape(kernel_tally.PLACES, KNOWNS, 2).sum(1)
        weight = cells[:, 0]
        rates.append(cells[:, 1] / np.maximum(weight, 1))
    return float((np.abs(rates[1] - rates[0]) * weight).sum() / max(weight.sum(), 1))
