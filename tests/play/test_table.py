"""The driver: fair to every seat, deaf to illegal answers, and exact in its records."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from meldlab.cards import Card, Hand
from meldlab.errors import BadText, NotLegalHere
from meldlab.play import Chance, Deal, InvalidRecord, RandomPlayer, Record, Result, Table, replay
from meldlab.play.record import Fields, toml
from tests.play.leaks import assert_no_leaks
from tests.play.toy import Cards, HighCard, Look, Swap

RANDOM = RandomPlayer()


def repr_of_type(problem: BaseException) -> str:
    return type(problem).__name__


@dataclass(frozen=True)
class Cheater:
    """Answers with a card it does not hold, or breaks down."""

    name: str = "cheater"
    raises: bool = False

    def choose(self, view: Look, chance: Chance) -> Swap:
        if self.raises:
            raise KeyError("lost my glasses")
        return Swap(next(card for card in map(Card.from_index, range(52)) if card not in view.hand))


@settings(deadline=None)
@given(st.integers(0, 1000), st.integers(2, 4))
def test_a_game_is_its_record(seed: int, seats: int) -> None:
    played = Table(HighCard(), [RANDOM] * seats).play(Deal(seed))
    text = str(played.record)
    again = Record.parse(text)
    assert again == played.record
    assert str(again) == text
    steps = list(replay(HighCard(), again))
    assert steps == list(played.steps()) == list(Table(HighCard(), [RANDOM] * seats).steps(Deal(seed)))
    assert [step.line for step in steps] == list(again.actions)
    assert (steps[0].before, steps[-1].after, steps[-1].result) == (played.first, played.last, played.result)


@pytest.mark.parametrize(
    ("cheater", "line"),
    [
        (Cheater(), "is not in the hand"),
        (Cheater(raises=True), "p2 forfeits: cheater gave no answer: KeyError: 'lost my glasses' (test_table.py:"),
    ],
)
def test_a_player_that_breaks_the_rules_forfeits(cheater: Cheater, line: str) -> None:
    played = Table(HighCard(), [RANDOM, cheater]).play(Deal(1))
    assert played.result.winners == (0,)
    assert line in played.record.actions[-1]
    assert played.record.actions[-1].startswith("p2 forfeits: cheater ")
    assert [step.line for step in replay(HighCard(), Record.parse(str(played.record)))][-1] == played.record.actions[-1]


class Nameless(Exception):
    def __str__(self) -> str:
        raise RuntimeError("not even this")


class Raising:
    """Raises what it is given."""

    name = "raising"

    def __init__(self, problem: BaseException) -> None:
        self.problem = problem

    def choose(self, view: Look, chance: Chance) -> Swap:
        raise self.problem


@pytest.mark.parametrize(
    "problem",
    [
        SystemExit(0),
        SystemExit(),
        GeneratorExit(),
        RecursionError("deep"),
        MemoryError(),
        Nameless(),
        NotLegalHere("mine"),
        StopIteration(),
    ],
    ids=repr_of_type,
)
def test_whatever_a_player_raises_is_its_forfeit(problem: BaseException) -> None:
    played = Table(HighCard(), [RANDOM, Raising(problem)]).play(Deal(1))
    assert played.result.winners == (0,)
    assert played.forfeit.startswith("p2 forfeits: raising gave no answer: ")
    assert "\n" not in played.forfeit
    with pytest.raises(type(problem)):
        Table(HighCard(), [RANDOM, Raising(problem)], raise_errors=True).play(Deal(1))


class Stop(BaseException):
    """A person's wish to leave."""


@pytest.mark.parametrize("problem", [KeyboardInterrupt(), Stop()], ids=repr_of_type)
def test_what_is_not_the_players_goes_through(problem: BaseException) -> None:
    with pytest.raises(type(problem)):
        Table(HighCard(), [RANDOM, Raising(problem)]).play(Deal(1))


class FailingLook(Look):
    def verify(self, action: Swap) -> None:
        raise TypeError("our mistake")


@dataclass(frozen=True)
class Failing(Cards):
    """A game with a mistake of its own, in one of its methods."""

    mistake: str = ""

    def view(self, seat: int) -> Look:
        if self.mistake == "view":
            raise KeyError("our mistake")
        look = super().view(seat)
        return FailingLook(look.seat, look.hand, look.stock, look.acting) if self.mistake == "verify" else look

    def apply(self, action: Swap) -> "Failing":
        if self.mistake == "apply":
            raise IndexError("our mistake")
        if self.mistake == "apply, politely":
            raise NotLegalHere("our mistake")
        return super().apply(action)


@dataclass(frozen=True)
class FailingGame(HighCard):
    mistake: str = ""

    def start(self, seats: int, deal: Deal) -> Failing:
        state = super().start(seats, deal)
        return Failing(state.hands, state.stock, mistake=self.mistake)


@pytest.mark.parametrize(
    ("mistake", "kind"), [("view", KeyError), ("verify", TypeError), ("apply", IndexError), ("apply, politely", NotLegalHere)]
)
def test_a_mistake_of_the_game_is_nobodys_forfeit(mistake: str, kind: type[Exception]) -> None:
    with pytest.raises(kind, match="our mistake"):
        Table(FailingGame(mistake=mistake), [RANDOM, RANDOM]).play(Deal(1))


class Answering(Raising):
    """Answers with something that will not even print."""

    def choose(self, view: Look, chance: Chance) -> Swap:
        return self.problem  # type: ignore[return-value]


def test_an_answer_that_does_not_print_is_a_forfeit() -> None:
    played = Table(HighCard(), [Answering(Nameless()), RANDOM]).play(Deal(1))
    assert played.forfeit == "p1 forfeits: raising answered 'a Nameless': not possible now"


@dataclass(frozen=True)
class Endless(Cards):
    """Standing is no end: the turn goes round and round."""

    @property
    def seat(self) -> int:
        return self.turn % 2

    def view(self, seat: int) -> Look:
        return Look(seat, self.hands[seat], 0, seat == self.seat)

    def apply(self, action: Swap) -> "Endless":
        self.view(self.seat).verify(action)
        return replace(self, turn=self.turn + 1)


class EndlessGame(HighCard):
    def start(self, seats: int, deal: Deal) -> Endless:
        state = super().start(seats, deal)
        return Endless(state.hands, state.stock)


def test_a_game_without_end_is_broken_off() -> None:
    played = Table(EndlessGame(), [RANDOM, RANDOM], max_actions=1_000).play(Deal(1))
    assert played.result == Result((0, 0), (), "no end after 1,000 actions")
    assert played.abnormal_end == "no end after 1,000 actions"
    assert len(played.actions) == 1_000
    again = Record.parse(str(played.record))
    assert len(list(replay(EndlessGame(), again))) == 1_000
    with pytest.raises(InvalidRecord, match="its actions lead to no end"):
        list(replay(EndlessGame(), replace(again, actions=again.actions[:-1])))
    assert Table(EndlessGame(), [RANDOM, RANDOM]).play(Deal(1)).abnormal_end == "no end after 100,000 actions"


def test_a_name_is_a_text() -> None:
    with pytest.raises(NotLegalHere, match="the name of a player is a text, not a int"):
        Table(HighCard(), [RandomPlayer(5), RANDOM])  # type: ignore[arg-type]


def test_a_deal_can_be_given() -> None:
    deal = Deal(given=("KS AC QS AD 5H 6H",))
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
    with pytest.raises(InvalidRecord, match=why):
        list(replay(HighCard(), replace(GOOD, actions=actions)))


def test_a_record_with_the_wrong_card_is_broken() -> None:
    card = next(iter(HighCard().start(2, Deal(2)).hands[0]))
    with pytest.raises(InvalidRecord, match=f"by the deal it reads 'p1 swap {card} for "):
        list(replay(HighCard(), replace(GOOD, actions=(f"p1 swap {card} for 2C",))))


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (("game = ", "gme = "), "no 'game' in the record"),
        (("seed = 2", "seed = -2"), "'seed' is not a whole number"),
        (("seed = 2", "seed = true"), "'seed' is not a whole number"),
        (("number = 0", "number = 0\nbid = 3"), "unknown field 'bid'"),
        (("number = 0", "number = 0\nturned = 1"), "deals are not turned any more"),
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


@settings(deadline=None)
@given(
    st.text(),
    st.dictionaries(
        st.text() | st.sampled_from(["", "a.b", "a b", "=", '"', "[result]", "seed", "\n", "7", "ä", "#"]),
        st.recursive(
            st.text() | st.integers() | st.booleans() | st.floats(allow_nan=False),
            lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2),
            max_leaves=4,
        ),
        max_size=3,
    ),
)
def test_any_text_survives_a_record(words: str, rules: dict[str, object]) -> None:
    record = Record("g", rules, (words,), Deal(), (words,))
    assert Record.parse(str(record)) == record


@pytest.mark.parametrize(
    ("value", "kind"), [(None, "a NoneType"), ({"x": [None]}, "a NoneType"), ({1, 2}, "a set"), (b"x", "a bytes"), (object(), "a object")]
)
def test_what_toml_cannot_hold_is_named(value: object, kind: str) -> None:
    with pytest.raises(NotLegalHere, match=f"in a record, got {kind}"):
        str(Record("g", {"rule": value}, ("a",)))
    with pytest.raises(NotLegalHere, match="expected a text as a name in a record, got a int"):
        str(Record("g", {3: 4}, ("a",)))  # type: ignore[dict-item]


def test_numbers_of_numpy_are_numbers() -> None:
    assert toml([np.float64(0.5), np.bool_(True).item(), True, 3]) == "[0.5, true, true, 3]"


@pytest.mark.parametrize("before", ["seeds = 3", '"seed of it" = 3', "  seed_ = 3"])
def test_an_error_points_at_the_field_and_not_at_one_that_begins_alike(before: str) -> None:
    text = f"{before}\nseed = -1\n"
    fields = Fields({"seed": -1}, text)
    with pytest.raises(BadText) as raised:
        fields.take("seed", int)
    assert raised.value.offset == text.index("seed = -1")
    assert Fields({}, "x = 1\n[results]\n[result]\n").offset("result") == len("x = 1\n[results]\n")
    assert Fields({}, "nothing").offset("result") == 0


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
