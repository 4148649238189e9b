"""The driver: fair to every seat, deaf to illegal answers, and exact in its records."""

from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meldlab.cards import Card, Hand
from meldlab.errors import BadText, NotLegalHere
from meldlab.play import Broken, Chance, Deal, RandomPlayer, Record, Table, replay
from tests.play.leaks import assert_no_leaks
from tests.play.toy import Cards, HighCard, Look, Swap

RANDOM = RandomPlayer()


@dataclass(frozen=True)
class Cheater:
    """Answers with a card it does not hold, or breaks down."""

    name: str = "cheater"
    raises: bool = False

    def choose(self, view: Look, chance: Chance) -> Swap:
        if self.raises:
            raise KeyError("lost my glasses")
        return Swap(next(card for card in map(Card.from_index, range(52)) if card not in view.hand))


@given(st.integers(0, 1000), st.integers(2, 4))
def test_a_game_is_its_record(seed: int, seats: int) -> None:
    played = Table(HighCard(), [RANDOM] * seats).play(Deal(seed))
    text = str(played.record)
    again = Record.parse(text)
    assert again == played.record
    assert str(again) == text
    states = [state for state, _ in replay(HighCard(), again)]
    assert states[-1] == played.last


def test_a_mirrored_deal_swaps_the_hands() -> None:
    here, there = (HighCard().start(2, Deal(5, 3, turned)) for turned in (0, 1))
    assert here.hands == there.hands[::-1]
    assert here.stock == there.stock


@pytest.mark.parametrize(
    ("cheater", "line"),
    [(Cheater(), "is not in the hand"), (Cheater(raises=True), "p2 forfeits: cheater gave no answer: KeyError: 'lost my glasses'")],
)
def test_a_player_that_breaks_the_rules_forfeits(cheater: Cheater, line: str) -> None:
    played = Table(HighCard(), [RANDOM, cheater]).play(Deal(1))
    assert played.result.winners == (0,)
    assert line in played.record.actions[-1]
    assert played.record.actions[-1].startswith("p2 forfeits: cheater ")
    assert [line for _, line in replay(HighCard(), Record.parse(str(played.record)))][-1] == played.record.actions[-1]


def test_a_deal_can_be_given() -> None:
    deal = Deal(given=("KS AC QS AD 5H",))
    played = Table(HighCard(), [RANDOM, RANDOM]).play(deal)
    assert played.first.hands[0] == Hand.parse("KS AC")
    assert Record.parse(str(played.record)).deal == deal


def test_too_many_players_are_named() -> None:
    with pytest.raises(NotLegalHere, match="high card is for 2 to 4 players, not 5"):
        Table(HighCard(), [RANDOM] * 5)


GOOD = Table(HighCard(), [RANDOM, RANDOM]).play(Deal(2)).record


@pytest.mark.parametrize(
    ("actions", "why"),
    [
        (("p2 stand", "p1 stand"), "action 1, 'p2 stand': it was the turn of p1"),
        (("p1 stand", "p2 fly"), "action 2, 'p2 fly': no action 'fly'"),
        (("p1 swap ??",), "action 1, 'p1 swap [?]+': no rank"),
        (("p1 stand", "p2 stand", "p1 stand"), "action 3, 'p1 stand': the game was over"),
        (("p1 stand",), "its actions lead to no end"),
        (("p1 forfeits: tired", "p2 stand"), "action 2, 'p2 stand': the game was over"),
    ],
)
def test_a_broken_record_says_where(actions: tuple[str, ...], why: str) -> None:
    with pytest.raises(Broken, match=why):
        list(replay(HighCard(), replace(GOOD, actions=actions)))


def test_a_record_with_the_wrong_card_is_broken() -> None:
    card = next(iter(HighCard().start(2, Deal(2)).hands[0]))
    with pytest.raises(Broken, match=f"by the deal it reads 'p1 swap {card} for "):
        list(replay(HighCard(), replace(GOOD, actions=(f"p1 swap {card} for 2C",))))


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (("game = ", "gme = "), "no 'game' in the record"),
        (("seed = 2", "seed = -2"), "'seed' is not a whole number"),
        (("seed = 2", "seed = true"), "'seed' is not a whole number"),
        (("turned = 0", "turned = 0\nbid = 3"), "unknown field 'bid'"),
        (("record 1", "record 9"), "no record format 'meldlab record 9'"),
        (("seed = 2", "seed = "), "not TOML"),
        (("players = [", "players = [3, "), "'players' is not a list of texts"),
    ],
)
def test_a_bad_record_is_named(change: tuple[str, str], problem: str) -> None:
    text = str(GOOD)
    assert change[0] in text
    with pytest.raises(BadText, match=problem):
        Record.parse(text.replace(*change))


@given(st.text(), st.dictionaries(st.from_regex(r"[a-z_]+", fullmatch=True), st.text() | st.integers() | st.booleans(), max_size=3))
def test_any_text_survives_a_record(words: str, rules: dict[str, object]) -> None:
    record = Record("g", rules, (words,), Deal(), (words,))
    assert Record.parse(str(record)) == record


def test_the_toy_leaks_nothing() -> None:
    assert_no_leaks(HighCard(), [RANDOM] * 3, deals=5)


@dataclass(frozen=True)
class Peeping(Cards):
    """The same game with a view that shows the stock."""

    def view(self, seat: int) -> Look:
        return replace(super().view(seat), stock=self.stock[0].index)


class PeepingGame(HighCard):
    def start(self, seats: int, deal: Deal) -> Peeping:
        state = super().start(seats, deal)
        return Peeping(state.hands, state.stock)


def test_the_leak_test_finds_a_leak() -> None:
    with pytest.raises(AssertionError, match="shows what it should not"):
        assert_no_leaks(PeepingGame(), [RANDOM] * 2, deals=2)
