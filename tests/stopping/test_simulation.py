"""What the best policy wins: exact against every order, in floats, and simulated."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meldlab.errors import NotLegalHere, NotPossible
from meldlab.stopping import Round, Urn, simulate
from tests.properties import stopping_oracle as oracle

amounts = st.fractions(min_value=0, max_value=5, max_denominator=6)
small_urns = st.builds(Urn, st.integers(0, 4), st.integers(0, 4), amounts, amounts)
urns = st.builds(Urn, st.integers(0, 15), st.integers(0, 15), amounts, amounts)


@given(small_urns)
def test_the_distribution_is_that_of_all_orders(urn: Urn) -> None:
    best = urn.policy()

    def continues(seen: oracle.Order) -> bool:
        return not best.stops_at(urn.black - sum(seen), urn.red - (len(seen) - sum(seen)))

    found = urn.winnings()
    assert dict(zip(found.amounts, found.chances, strict=True)) == oracle.distribution(urn.black, urn.red, continues, urn.gain, urn.loss)


@given(urns)
def test_chances_are_one_and_their_mean_is_the_value(urn: Urn) -> None:
    found = urn.winnings()
    assert sum(found.chances) == 1
    assert found.mean == urn.value()
    assert list(found.amounts) == sorted(set(found.amounts))


def test_the_full_deck() -> None:
    found = Urn(26, 26).winnings()
    assert [int(amount) for amount in found.amounts] == [0, 1, 2, 3, 4, 5, 6]
    assert float(found.chances[0]) == pytest.approx(0.220520886808673, abs=1e-14)
    assert found.sd == pytest.approx(1.9737695060142975, abs=1e-12)


@pytest.mark.parametrize("urn", [Urn(26, 26), Urn(200, 200), Urn(100, 40, Fraction(1, 2)), Urn(40, 100, loss=Fraction(1, 4))])
def test_floats_agree_with_fractions(urn: Urn) -> None:
    exact, floats = urn.winnings(), urn.floats.winnings()
    chances = dict(zip(floats.amounts, floats.chances, strict=True))
    for amount, chance in zip(exact.amounts, exact.chances, strict=True):
        assert chances.get(amount, 0) == pytest.approx(float(chance), rel=1e-9, abs=1e-15)
    assert floats.mean == pytest.approx(float(exact.mean), rel=1e-12)


@pytest.mark.parametrize("urn", [Urn(26, 26), Urn(10, 14, Fraction(2)), Urn(100, 100), Urn(7, 3, loss=Fraction(5, 2))])
def test_simulation_agrees_within_its_interval(urn: Urn) -> None:
    # Twenty seeds at 95 %: about one miss; five or more would happen once in 400.
    value = float(urn.value())
    intervals = [simulate(urn, 20_000, seed).interval for seed in range(20)]
    assert sum(not one.low <= value <= one.high for one in intervals) < 5
    assert max(one.high - one.low for one in intervals) < 0.1 * (value + 1)


def test_shares_agree_with_chances() -> None:
    games = 400_000
    exact, played = Urn(26, 26).winnings(), simulate(Urn(26, 26), games, seed=3)
    assert played.winnings.amounts == exact.amounts
    chi2 = sum(games * float(s - float(p)) ** 2 / float(p) for s, p in zip(played.winnings.chances, exact.chances, strict=True))
    assert chi2 < 22.5  # six degrees of freedom: exceeded once in a thousand


def test_the_seed_decides() -> None:
    assert simulate(Urn(26, 26), 500, seed=1) == simulate(Urn(26, 26), 500, seed=1)
    assert simulate(Urn(26, 26), 500, seed=1) != simulate(Urn(26, 26), 500, seed=2)


def test_simulations_that_cannot_be_are_refused() -> None:
    with pytest.raises(NotLegalHere, match="1 games have no interval"):
        simulate(Urn(2, 2), 1, seed=0)
    for seed in (-1, 2**63):
        with pytest.raises(NotLegalHere, match=f"seed must be a whole number from 0 to .*, not {seed}"):
            simulate(Urn(2, 2), 10, seed)
        with pytest.raises(NotLegalHere, match=f"seed must be a whole number from 0 to .*, not {seed}"):
            Round.shuffled(Urn(2, 2), seed)
    with pytest.raises(NotPossible, match="would take about"):
        simulate(Urn(2000, 2000), 10**9, seed=0)


@given(st.integers(0, 10**6))
def test_a_pile_holds_each_card_once(seed: int) -> None:
    table = Round.shuffled(Urn(26, 26), seed)
    cards = []
    while not table.over:
        table = table.draw()
        cards.append(str(table.last_card))
        assert (str(table.last_card)[1] in "CS") == (table.order[table.drawn - 1] < 26)
    assert len(set(cards)) == 52
    assert (table.remaining, table.urn.won(table.remaining)) == (Urn(0, 0), Fraction(0))
    with pytest.raises(NotLegalHere, match="no card is left"):
        table.draw()


def test_playing_by_the_advice_averages_the_value() -> None:
    urn = Urn(6, 6)
    ends = [Round.shuffled(urn, seed=5, game=game).finish() for game in range(3000)]
    assert not any(end.advice().keep_drawing for end in ends)
    mean = float(sum(urn.won(end.remaining) for end in ends) / len(ends))
    assert mean == pytest.approx(float(urn.value()), abs=4 * urn.winnings().sd / 3000**0.5)


def test_a_large_pile_shows_colours() -> None:
    assert Round.shuffled(Urn(27, 0), 1).draw().last_card == "black"
    assert Round.shuffled(Urn(0, 27), 1).draw().last_card == "red"
    with pytest.raises(NotPossible, match="too many to draw by hand"):
        Round.shuffled(Urn(100_000, 1), 1)


@pytest.mark.parametrize("urn", [Urn(26, 26), Urn(0, 0)])
def test_before_the_first_draw_there_is_no_last_card(urn: Urn) -> None:
    with pytest.raises(NotLegalHere, match="no card is drawn yet"):
        _ = Round.shuffled(urn, seed=7).last_card
