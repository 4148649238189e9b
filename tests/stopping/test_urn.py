"""Values and advice: any deck, any amounts, exact and in floats."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meldlab.errors import BadText, NotLegalHere, NotPossible
from meldlab.stopping import Urn
from meldlab.stopping.notation import amount_text, read_amount, read_deck

amounts = st.fractions(min_value=0, max_value=10, max_denominator=12)
urns = st.builds(Urn, st.integers(0, 12), st.integers(0, 12), amounts, amounts)


def plain_value(urn: Urn) -> Fraction:
    """Return the value by the textbook equation in fractions, winnings included."""
    value: dict[tuple[int, int], Fraction] = {}
    for b in range(urn.black + 1):
        for r in range(urn.red + 1):
            stop = urn.gain * (urn.black - b) - urn.loss * (urn.red - r)
            draw = Fraction(0)
            if b:
                draw += Fraction(b, b + r) * value[b - 1, r]
            if r:
                draw += Fraction(r, b + r) * value[b, r - 1]
            value[b, r] = max(stop, draw) if b + r else stop
    return value[urn.black, urn.red]


@given(urns)
def test_counting_orders_gives_the_textbook_value(urn: Urn) -> None:
    assert urn.value() == plain_value(urn)


@given(urns)
def test_floats_agree_with_fractions(urn: Urn) -> None:
    assert urn.floats.value() == pytest.approx(float(urn.value()), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("deck", [(300, 300), (400, 150), (150, 400), (1, 500), (500, 1), (0, 50), (50, 0), (0, 0)])
@pytest.mark.parametrize(("gain", "loss"), [("1", "1"), ("1/3", "1/2"), ("2", "0"), ("0", "1")])
def test_floats_keep_their_digits_on_larger_decks(deck: tuple[int, int], gain: str, loss: str) -> None:
    urn = Urn(*deck, Fraction(gain), Fraction(loss))
    assert urn.floats.value() == pytest.approx(float(urn.value()), rel=1e-12, abs=1e-12)


@given(urns)
def test_text_and_repr_read_back(urn: Urn) -> None:
    assert Urn.parse(str(urn)) == urn
    assert eval(repr(urn), {"Urn": Urn, "Fraction": Fraction}) == urn


@given(urns, st.integers(1, 7))
def test_other_coins_only_scale_the_game(urn: Urn, times: int) -> None:
    assert Urn(urn.black, urn.red, urn.gain * times, urn.loss * times).value() == times * urn.value()


@given(urns, st.data())
def test_a_position_is_the_game_of_what_is_left(urn: Urn, data: st.DataObject) -> None:
    black, red = data.draw(st.integers(0, urn.black)), data.draw(st.integers(0, urn.red))
    advice = urn.advise(black + red, black)
    assert advice.stop_value == urn.gain * black - urn.loss * red
    assert advice.value == advice.stop_value + plain_value(Urn(urn.black - black, urn.red - red, urn.gain, urn.loss))
    assert advice.keep_drawing == (advice.value > advice.stop_value)
    floats = urn.floats.advise(black + red, black)
    assert (floats.stop_value, floats.next_black) == (advice.stop_value, advice.next_black)
    assert float(floats.value) == pytest.approx(float(advice.value), rel=1e-12, abs=1e-12)


def test_ten_thousand_of_each_colour() -> None:
    # 0.369136 sqrt(20000) = 52.2038; the shortfall is the lattice's, see the documentation.
    assert Urn(10_000, 10_000).floats.value() == pytest.approx(52.192206459801, abs=1e-9)


def test_exact_amounts_stay_exact() -> None:
    assert Urn(1, 0, "0.1").value() == Fraction(1, 10)
    assert Urn(3, 0, "1/3").value() == 1


@pytest.mark.parametrize("amount", [0.5, True, None, -1, Fraction(-1, 2), float("nan")])
def test_amounts_that_are_not_exact_or_negative_are_refused(amount: object) -> None:
    with pytest.raises(NotLegalHere, match="a gain of"):
        Urn(1, 1, gain=amount)  # type: ignore[arg-type]


@pytest.mark.parametrize("count", [-1, 10**9, 2.0, True, "3"])
def test_numbers_of_cards_that_cannot_be_are_refused(count: object) -> None:
    with pytest.raises(NotLegalHere, match="black cards cannot be in a deck"):
        Urn(count, 1)  # type: ignore[arg-type]


def test_absurd_sizes_are_refused_with_the_time() -> None:
    with pytest.raises(NotPossible, match=r"in exact fractions would take about [0-9,]+ days"):
        Urn(100_000, 100_000).value()
    with pytest.raises(NotPossible, match="would take about 2 days"):
        Urn(10_000_000, 10_000_000).floats.value()


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("26", 2),
        ("", 0),
        ("26;26", 2),
        ("26,", 3),
        (",26", 0),
        ("26,-1", 3),
        ("26, x", 4),
        ("1,2,3", 3),
        ("2.5,1", 0),
        ("1," + "9" * 99, 2),
    ],
)
def test_a_deck_that_cannot_be_read_has_a_caret(text: str, at: int) -> None:
    with pytest.raises(BadText) as mistake:
        read_deck(text)
    assert mistake.value.offset == at


@pytest.mark.parametrize(
    ("text", "at"), [("", 0), ("x", 0), (" -1", 1), ("1/0", 2), ("1/00", 2), ("1e9", 0), ("nan", 0), ("1/2/3", 0), ("9" * 99, 0), ("１", 0)]
)
def test_an_amount_that_cannot_be_read_has_a_caret(text: str, at: int) -> None:
    with pytest.raises(BadText) as mistake:
        read_amount(text)
    assert mistake.value.offset == at


@pytest.mark.parametrize(("text", "at"), [("26,26 +x -1", 7), ("26,26 +1 -1/0", 12), ("2x,26 +1 -1", 0), ("26,26 +1", 3)])
def test_a_deck_with_amounts_that_cannot_be_read_has_a_caret(text: str, at: int) -> None:
    with pytest.raises(BadText) as mistake:
        Urn.parse(text)
    assert mistake.value.offset == at


def test_amounts_for_people() -> None:
    assert [amount_text(Fraction(1, 3)), amount_text(0.25), amount_text(Fraction(10**9, 7))] == [
        "1/3 (0.333333)",
        "0.250000",
        "142857142.857143",
    ]
