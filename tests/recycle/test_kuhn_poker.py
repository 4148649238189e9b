"""Kuhn poker, all of it: six deals, thirty terminal histories, and the value of the game, which is -1/18."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import permutations, product

import pytest

from meldlab.recycle import library
from meldlab.recycle.machine.machine import Machine
from tests.recycle.oracle import Decision, Oracle
from tests.recycle.oracle_board import Card, Event, Player
from tests.recycle.playing import follow, program

Strategy = Callable[[str, str], Fraction]  # from the card held and what was said to the chance of betting (or calling)
PASS, BET = 0, 1
DEALS = list(product(range(3), range(2)))  # what the shuffle of three cards draws


class Dealt:
    """Chance that draws what it is told."""

    def __init__(self, draws: tuple[int, int]) -> None:
        self.draws = draws

    def below(self, event: Event, nth: int, bound: int) -> int:
        return self.draws[2 - nth]


def deal(draws: tuple[int, int]) -> Oracle:
    return Oracle(program("kuhn_poker"), Dealt(draws))


def holding(oracle: Oracle, seat: int) -> str:
    (card,) = oracle.board.spots[Player(seat), "iloc", "HAND", 0]
    assert isinstance(card, Card)
    return oracle.board.attributes[card.number]["RANK"]


@cache
def position(draws: tuple[int, int], choices: str) -> tuple[int, str] | int:
    """Return who is to speak and what he holds, or what the first player has won."""
    oracle = deal(draws)
    at = follow(oracle, [BET if said == "b" else PASS for said in choices])
    if isinstance(at, Decision):
        return at.seat, holding(oracle, at.seat)
    assert sum(at) == 0
    return at[0]


def expected(draws: tuple[int, int], choices: str, first: Strategy, second: Strategy) -> Fraction:
    """Return what the first player wins on average from here."""
    at = position(draws, choices)
    if isinstance(at, int):
        return Fraction(at)
    seat, card = at
    bet = (first if seat == 1 else second)(card, choices)
    return (1 - bet) * expected(draws, choices + "p", first, second) + bet * expected(draws, choices + "b", first, second)


def value(first: Strategy, second: Strategy) -> Fraction:
    return sum((expected(draws, "", first, second) for draws in DEALS), Fraction(0)) / len(DEALS)


def pure(places: list[tuple[str, str]], bets: tuple[int, ...]) -> Strategy:
    table = dict(zip(places, bets, strict=True))
    return lambda card, said: Fraction(table[card, said])


RANKS = ("JACK", "QUEEN", "KING")
FIRST_PLACES = [(card, said) for said in ("", "pb") for card in RANKS]
SECOND_PLACES = [(card, said) for said in ("p", "b") for card in RANKS]


def optimal_first(alpha: Fraction) -> Strategy:
    table = {"": (alpha, Fraction(0), 3 * alpha), "pb": (Fraction(0), alpha + Fraction(1, 3), Fraction(1))}
    return lambda card, said: table[said][RANKS.index(card)]


def optimal_second(card: str, said: str) -> Fraction:
    table = {"p": (Fraction(1, 3), Fraction(0), Fraction(1)), "b": (Fraction(0), Fraction(1, 3), Fraction(1))}
    return table[said][RANKS.index(card)]


def test_every_deal_comes_from_one_shuffle() -> None:
    hands = set()
    for draws in DEALS:
        oracle = deal(draws)
        follow(oracle, [])
        hands.add((holding(oracle, 1), holding(oracle, 2)))
    assert hands == set(permutations(RANKS, 2))


def test_the_five_ways_to_speak() -> None:
    def endings(choices: list[int]) -> set[str]:
        at = follow(deal((2, 1)), choices)
        if not isinstance(at, Decision):
            return {"".join("pb"[choice] for choice in choices)}
        assert len(at.options) == 2
        return endings([*choices, PASS]) | endings([*choices, BET])

    assert endings([]) == {"pp", "pbp", "pbb", "bp", "bb"}


@pytest.mark.parametrize("alpha", [Fraction(0), Fraction(1, 6), Fraction(1, 3)])
def test_the_value_is_minus_one_eighteenth(alpha: Fraction) -> None:
    # No pure strategy of the second player gets more against Kuhn's strategy of the first, and none of the first more against that of
    # the second: so both are optimal, and the value is what they give each other.
    first = optimal_first(alpha)
    assert value(first, optimal_second) == Fraction(-1, 18)
    assert min(value(first, pure(SECOND_PLACES, bets)) for bets in product((0, 1), repeat=6)) == Fraction(-1, 18)


def test_no_first_player_does_better() -> None:
    assert max(value(pure(FIRST_PLACES, bets), optimal_second) for bets in product((0, 1), repeat=6)) == Fraction(-1, 18)


def test_the_machine_pays_the_same() -> None:
    # Seeds give all six deals sooner or later; each has the five endings, and they pay what the interpreter says.
    machine, seen = Machine.compile(library.entry("kuhn_poker").text), set()
    for seed in range(60):
        start = machine.start(seed)
        hands = {
            location.owner: machine.storage.types[start.type_of(cards[0])]["RANK"]
            for location, cards in start.locations()
            if location.name == "HAND"
        }
        draws = next(draws for draws in DEALS if position(draws, "") == (1, hands[1]) and position(draws, "p") == (2, hands[2]))
        seen.add(draws)
        for ending in ("pp", "pbp", "pbb", "bp", "bb"):
            at = start
            for said in ending:
                at = at.take(BET if said == "b" else PASS)
            won = position(draws, ending)
            assert isinstance(won, int)
            assert at.over
            assert at.scores == (won, -won)
    assert seen == set(DEALS)
