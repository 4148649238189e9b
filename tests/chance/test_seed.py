"""Seeds: one range behind every door of the library, and nothing that rebuilds a deal from what a player is given."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from meldlab.arena.contest import play_contest
from meldlab.cards import Deck
from meldlab.cards.masks import random_hands
from meldlab.chance import MAX_SEED, Purpose, check_seed, derive_seed
from meldlab.chance.kernel import mix
from meldlab.errors import MeldlabError, NotLegalHere
from meldlab.gin import Gin, Rules, players
from meldlab.gin.batch import play_batch
from meldlab.gin.computing.compute import Setting, compute
from meldlab.play import Deal, RandomPlayer, Record
from meldlab.recycle import RecycleGame
from meldlab.recycle.movement import Movement
from meldlab.recycle.players import SearchPlayer
from meldlab.recycle.players.search import play_games
from meldlab.recycle.transcript import transcript
from meldlab.reproduce.duel import duel
from meldlab.reproduce.nagai.tracking import track_task
from meldlab.rummikub import make_puzzle, random_position
from meldlab.rummikub.game import Rummikub
from meldlab.runs.tasks import Task
from meldlab.stopping import Round, Urn, simulate
from meldlab.waiting import WaitingGame, solve
from meldlab.waiting.simulation import play_bag, play_deck

BAD: list[Any] = [-1, 2**63, 2**64, 10**30, 1.5, True, "7", None, Fraction(3), np.float64(2), np.uint64(2**63)]
SIMPLE = players.parse("simple")


def doors() -> dict[str, Callable[[Any], object]]:
    kuhn = RecycleGame.load("kuhn_poker")
    three, machine = solve(WaitingGame(3)), kuhn.machine
    return {
        "deck": lambda seed: Deck.shuffled(seed),
        "hands": lambda seed: random_hands(2, 10, seed),
        "deal": lambda seed: Deal(seed),
        "derive_seed": lambda seed: derive_seed(seed, Purpose.FRESH),
        "bag": lambda seed: play_bag(three, "AC QH KD", 4, seed),
        "real deck": lambda seed: play_deck(three, "AC QH KD", 4, seed),
        "race": lambda seed: duel(three, three.expected, None, 4, seed),
        "pile": lambda seed: Round.shuffled(Urn(2, 2), seed),
        "stopping": lambda seed: simulate(Urn(2, 2), 10, seed),
        "gin batch": lambda seed: play_batch(SIMPLE, SIMPLE, Rules(), seed, 0, 2),
        "gin kernel arena": lambda seed: play_contest(Gin(), ["simple", "simple"], 2, seed),
        "gin table arena": lambda seed: play_contest(Gin(), ["random", "simple"], 2, seed),
        "compute": lambda seed: compute(
            "simple", Setting(Rules(knock_limit=3), 5, 6), device="cpu", rounds=1000, games=2, loops=1, seed=seed
        ),
        "track": lambda seed: track_task(Task("gin.track", (0.5,) * 9, seed=seed, games=2)),
        "task": lambda seed: Task("contest", "simple", seed=seed),
        "position": lambda seed: random_position("easy", seed),
        "puzzle": lambda seed: make_puzzle(seed),
        "recycle begin": lambda seed: machine.start(seed),
        "recycle random": lambda seed: machine.random_games(2, seed),
        "recycle search": lambda seed: play_games(machine, [SearchPlayer("mcts", 2), RandomPlayer()], 1, seed),
        "recycle perft": lambda seed: machine.perft(seed, 1),
        "recycle transcript": lambda seed: list(transcript(kuhn, [RandomPlayer()] * 2, seed)),
        "recycle movement": lambda seed: Movement.of(machine, seed),
        "rummikub": lambda seed: Rummikub().start(2, Deal(seed)),
    }


@pytest.fixture(scope="module")
def every_door() -> dict[str, Callable[[Any], object]]:
    return doors()


@pytest.mark.parametrize("seed", BAD, ids=repr)
def test_a_bad_seed_is_refused_alike_behind_every_door(seed: Any, every_door: dict[str, Callable[[Any], object]]) -> None:
    for name, door in every_door.items():
        with pytest.raises(MeldlabError) as refused:
            door(seed)
        said = str(refused.value)
        assert "seed must be a whole number from 0 to 2^63 - 1" in said, (name, said)
        assert "\n" not in said


@pytest.mark.parametrize("seed", [0, MAX_SEED, np.int64(MAX_SEED), np.uint64(7), np.uint8(7)], ids=repr)
def test_every_good_seed_opens_every_door(seed: Any, every_door: dict[str, Callable[[Any], object]]) -> None:
    for door in every_door.values():
        door(seed)


def test_derived_takes_up_to_three_numbers_of_a_place() -> None:
    assert len({derive_seed(1, Purpose.FRESH, *place) for place in ((), (1,), (1, 2), (1, 2, 3))}) == 4
    with pytest.raises(NotLegalHere, match="expected at most 3 numbers of a place, got 4"):
        derive_seed(1, Purpose.FRESH, 1, 2, 3, 4)


@pytest.mark.parametrize("bound", [1, 6, 2**31, 2**32, np.int64(2**32), np.uint8(7)])
def test_draws_below_a_bound_cover_its_range(bound: int) -> None:
    chance, many = Deal(3).chance(0, 0), 500
    draws = [chance.below(bound, nth=nth) for nth in range(many)]
    assert 0 <= min(draws) <= max(draws) < bound
    # Mean and largest of uniform draws: five standard errors, and a share that all but one set in 10^9 reaches.
    assert abs(np.mean(draws) - (int(bound) - 1) / 2) < 5 * int(bound) / np.sqrt(12 * many)
    assert max(draws) >= 0.95 * (int(bound) - 1)


@pytest.mark.parametrize("bound", [0, -1, -3, 2**32 + 1, 10**12, 2**64, 2.0, "6", None])
def test_draws_below_a_bound_out_of_range_are_rejected(bound: Any) -> None:
    for draw in (Deal(3).chance(0, 0).below, lambda limit: Deal(3).below(limit, 0, Purpose.STARTER)):
        with pytest.raises(NotLegalHere, match="bound must be a whole number from 1 to 4294967296"):
            draw(bound)


def test_a_record_with_a_bad_seed_is_refused() -> None:
    text = str(Record("gin", {}, ("a", "b"), Deal(1)))
    for seed in (2**63, 10**30):
        with pytest.raises(MeldlabError, match="seed must be a whole number"):
            Record.parse(text.replace("seed = 1\n", f"seed = {seed}\n"))
    with pytest.raises(MeldlabError, match="more digits than can be read"):
        Record.parse(text.replace("seed = 1\n", f"seed = {'9' * 5000}\n"))


def test_a_seed_comes_back_as_a_plain_number() -> None:
    assert type(check_seed(np.int64(5))) is int
    assert type(Deal(np.int64(5)).seed) is int  # type: ignore[arg-type]


def numbers_in(value: Any, seen: set[int] | None = None) -> Iterator[int]:
    """Every number that can be reached from a value through its attributes, fields, items and properties."""
    seen = set() if seen is None else seen
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, int):
        yield int(value)
    elif isinstance(value, np.ndarray):
        yield from value.ravel().tolist()
    elif isinstance(value, str | bytes | type) or value is None or callable(value):
        return
    else:
        if isinstance(value, dict):
            parts = [*value.keys(), *value.values()]
        elif isinstance(value, tuple | list | set | frozenset):
            parts = list(value)
        else:
            parts = []
        for name in dir(value):
            # A property may not be defined in this position; then it gives nothing away.
            if not name.startswith("__"):
                with suppress(AssertionError):
                    parts.append(getattr(value, name, None))
        for part in parts:
            yield from numbers_in(part, seen)


def unmixed(x: int) -> int:
    """Walk ``mix`` backwards: it can be undone."""
    x = x ^ x >> 31 ^ x >> 62
    x = x * pow(0x94D049BB133111EB, -1, 2**64) % 2**64
    x = x ^ x >> 27 ^ x >> 54
    x = x * pow(0xBF58476D1CE4E5B9, -1, 2**64) % 2**64
    x = x ^ x >> 30 ^ x >> 60
    return (x - 0x9E3779B97F4A7C15) % 2**64


def test_mix_alone_can_be_undone() -> None:
    assert all(unmixed(int(mix(x))) == x for x in (0, 1, 2**63 - 1, 123456789))


@pytest.mark.parametrize("game", ["gin", "rummikub", "kuhn_poker"])
def test_a_player_is_not_given_the_deal(game: str) -> None:
    seed, number = 7_316_509_824_467_215_233, 40_000_000_001
    deal = Deal(seed, number)
    table: Any = {"gin": Gin(), "rummikub": Rummikub()}.get(game) or RecycleGame.load(game)
    state = table.start(2, deal)
    chance = deal.chance(0, state.seat)
    given = {*numbers_in(state.view(state.seat)), *numbers_in(chance)}
    assert seed not in given
    assert number not in given
    known = {*given, *(chance.key(purpose) for purpose in (1, *Purpose))}
    # Nor can it be had by undoing the mix, however often, from anything that was given, one bit of it lost.
    for start in known & {each for each in known if each > 2**40}:
        for bit in (0, 1):
            x = 2 * start + bit
            for _ in range(8):
                x = unmixed(x % 2**64)
                assert x not in (seed, seed ^ number, int(mix(seed)), int(mix(seed)) ^ number)
    if game == "gin":
        mine = [card.index for card in deal.deck(0).cards]
        roots = [each for each in given if 0 <= each < 2**63]
        for one, other in product(roots, [0, 1, *roots[:20]]):
            assert [card.index for card in Deck.shuffled(one, other).cards] != mine
