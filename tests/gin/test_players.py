"""The players: the same at the table and in the batch kernel, readable from text, and as the facts say."""

from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest

from meldlab.cards import CARDS, Card, Deck, Hand
from meldlab.errors import MeldlabError
from meldlab.gin import PRESETS, Gin, Move, Phase, Round, Rules, Verb, View, kernel_ensemble, players
from meldlab.gin.batch import play_batch
from meldlab.gin.players import Ensemble, EnsemblePlayer, SimplePlayer, loading
from meldlab.gin.players.player import memory_of
from meldlab.melds import discards
from meldlab.play import Deal, Table
from tests.gin.histories import with_history
from tests.gin.tracing import play_and_compare

# Slopes, so that weights change with the turn and with the opponent's known cards.
SLOPING = Ensemble(turn_penalty=(0.02, 1.5), known_penalty=(0.1, 0.5), draw_turn=2)
# Everything that goes beyond the paper at once.
WEIGHING = Ensemble(
    knock=(10, 10, 0),
    draw_turn=3,
    draw_reduction=3.0,
    draw_need=6.0,
    draw_promise=2.5,
    draw_to_knock=10,
    melded=40.0,
    feed=(2.0, 0.1),
    knock_weights=(4.5, -1.0, 0.1, -0.5, -1.0),
    deadwood_power=0.9,
)
OWN = {"sloping": SLOPING, "weighing": WEIGHING}


@pytest.mark.parametrize(
    ("first", "second", "preset", "games"),
    [
        ("simple", "simple", "eaai", 6),
        ("knock:10,0,6", "gin-only", "eaai", 6),
        ("ensemble", "simple", "eaai", 12),
        ("ensemble:text", "ensemble:shipped", "eaai", 12),
        ("ensemble:base", "sloping", "pagat", 12),
        ("ensemble", "knock:8,4,3", "oklahoma", 12),
        ("weighing", "simple", "eaai", 12),
        ("weighing", "sloping", "oklahoma", 8),
        ("network:light", "simple", "eaai", 8),
        ("network:light-ensemble", "weighing", "oklahoma", 6),
    ],
)
def test_play_batch_plays_the_actions_of_the_table(first: str, second: str, preset: str, games: int) -> None:
    rules = PRESETS[preset]
    seated = [EnsemblePlayer(OWN[name], name) if name in OWN else players.parse(name) for name in (first, second)]
    for both in (seated, seated[::-1]):
        matches = play_batch(both[0], both[1], rules, 5, 0, games, threads=1)
        for game in range(games):
            played = play_and_compare(both[0], both[1], rules, 5, game)
            assert matches[game]["winner"] == played.result.winners[0]
            assert tuple(matches[game]["points"].tolist()) == played.last.scores


def test_play_batch_does_not_depend_on_threads_or_on_its_cut() -> None:
    pair = SimplePlayer(), EnsemblePlayer()
    together = play_batch(*pair, Rules(), 3, 0, 100)
    alone = play_batch(*pair, Rules(), 3, 0, 100, threads=1)
    pieces = [play_batch(*pair, Rules(), 3, start, 20) for start in range(0, 100, 20)]
    assert np.array_equal(together, alone)
    assert np.array_equal(together, np.concatenate(pieces))


def view_of(hand: str, upcard: str, *moves: str) -> View:
    """The starter's view after some moves, the cards of the other and of the stock being any."""
    cards = [*Deck.parse(hand).cards]
    rest = [card for card in Hand.full() if card not in cards and card != Card.parse(upcard)]
    round = Round.deal(Rules(), Deck((*cards, *rest[:10], Card.parse(upcard), *rest[10:])), 0)
    for move in moves:
        round = round.apply(Move.parse(move))
    return round.view(0)


def test_simple_player_takes_only_what_melds() -> None:
    chance = Deal(1).chance(0, 0)
    assert str(SimplePlayer().choose(view_of("2C 3C 9D 9H KS QS 7D 5H 4S AS", "4C"), chance)) == "take 4C"
    assert str(SimplePlayer().choose(view_of("2C 3C 9D 9H KS QS 7D 5H 4S AS", "AC"), chance)) == "take AC"
    assert str(SimplePlayer().choose(view_of("2C 3C 9D 9H KS QS 7D 5H 4S AS", "5C"), chance)) == "pass"


def test_simple_player_discards_for_the_least_deadwood_evenly() -> None:
    view = view_of("2C 3C 9D 9H KS QS 7D 5H 4S AS", "4C", "take 4C")
    left = discards(view.hand)
    best = {card for card, after in left.items() if after == min(left.values())}
    chosen = [SimplePlayer().drop(view, Deal(1).chance(step, 0)).card for step in range(300)]
    assert set(chosen) == best == {Card.parse("KS"), Card.parse("QS")}
    assert 110 < chosen.count(Card.parse("KS")) < 190


def test_simple_player_never_swaps_a_pair_twice() -> None:
    # KS was drawn and QS dropped; when QS comes back for KS, the pair is used up, and the next best card goes.
    hand = "2C 3C 4C 9D 9H 9S QS 7D 5H 4S"
    view = view_of(hand, "8S", "pass", "pass", "draw stock")
    drawn = view.card_indices[-1]
    history = [(0, Move(Verb.TAKE, Card.parse("QS").index)), (0, Move(Verb.DROP, drawn)), *view.history]
    again = with_history(view, history)
    free = SimplePlayer().drop(view, Deal(1).chance(0, 0)).card
    barred = SimplePlayer().drop(again, Deal(1).chance(0, 0)).card
    assert free == Card.parse("QS")
    assert barred != Card.parse("QS")


@pytest.mark.parametrize(("player", "knocks"), [("simple", True), ("gin-only", False), ("knock:10,0,2", True), ("knock:10,0,1", False)])
def test_simple_player_knocks_by_its_thresholds(player: str, knocks: bool) -> None:
    view = view_of("2C 3C 4C 9D 9H 9S KC KD 4H 5S", "KH", "take KH")
    assert view.turn == 1
    move = players.parse(player).choose(view, Deal(1).chance(2, 0))
    assert (move.verb is Verb.KNOCK) == knocks


def values_of(player: EnsemblePlayer, view: View) -> dict[Card, float]:
    return {CARDS[move.index]: value for move, value in player.evaluate(view, Deal(1).chance(0, 0))}


def test_ensemble_belief_agrees_with_the_paper() -> None:
    player = EnsemblePlayer()
    view = view_of("2C 3C 4C 9D 9H 9S KC KD KH 5S", "JD")
    assert player.belief(view).in_stock[Card.parse("QD")] == pytest.approx(31 / 41)
    # The other takes nothing: it passes JD, so that cards near JD are likelier in stock.
    declined = player.belief(view_of("2C 3C 4C 9D 9H 9S KC KD KH 5S", "JD", "pass", "pass")).in_stock
    start = 31 / 41
    assert declined[Card.parse("QD")] == pytest.approx(start + (1 - start) * 0.398)
    assert declined[Card.parse("8D")] == pytest.approx(start)
    assert declined[Card.parse("JS")] == pytest.approx(start + (1 - start) * 0.378)
    # It takes JD and drops 7D: near JD less likely, near 7D likelier, and everything by the change of 31/40 - 31/41.
    taken = player.belief(view_of("2C 3C 4C 9D 9H 9S KC KD KH 5S", "JD", "pass", "take JD", "drop AC")).in_stock
    delta = 31 / (31 + 9) - 31 / 41
    assert taken[Card.parse("QD")] == pytest.approx(start - start * 0.838 + delta)
    assert taken[Card.parse("7S")] == pytest.approx(start + delta)
    assert Card.parse("JD") not in taken


def test_ensemble_think_agrees_with_the_paper() -> None:
    """Equations 2 to 4 and sections 3.1 to 4.2, written out once more in plain Python."""
    parameters = Ensemble()
    view = view_of("2C 3C 4C 9D 9H TD KC AD KH 5S", "JD", "pass", "pass", "draw stock")
    player = EnsemblePlayer(parameters)
    values, belief = values_of(player, view), memory_of(player.parameters(), view).belief
    m0, m1, m2, m3 = parameters.meldability

    def obtainable(card: int, hand: int, melded: int) -> float:
        if hand >> card & 1:
            return 0.0 if melded >> card & 1 else 1.0
        if view.mask >> card & 1:
            return 0.0
        if card == Card.parse("JD").index:
            return m0
        return m1 * float(belief[card] + belief[kernel_ensemble.SHIFT])

    def meldability(card: int, hand: int, sets: int, runs: int) -> float:
        suit, rank = divmod(card, 13)
        ob = [obtainable(13 * other + rank, hand, sets | runs) for other in range(4) if other != suit]
        by_rank = 100.0 if sets >> card & 1 else ob[0] * ob[1] + ob[1] * ob[2] + ob[0] * ob[2]
        a, b, d, e = (obtainable(card + step, hand, sets | runs) if 0 <= rank + step <= 12 else 0.0 for step in (-2, -1, 1, 2))
        by_run = 100.0 if runs >> card & 1 else a * b + b * d + d * e
        return m2 * by_rank + m3 * by_run

    for card in view.hand:
        rest = Hand(view.hand - {card})
        runs = Hand.parse("2C 3C 4C").mask
        if rest.mask & runs != runs:
            continue
        indices = [each.index for each in rest]
        hm = sum(meldability(each, rest.mask, 0, runs) for each in indices)
        near = 0.0
        for one in rest:
            for other in rest:
                gap = abs(one.rank - other.rank) if one.suit == other.suit else 0
                near += {1: 0.4, 2: 0.1}.get(gap, 0.0) + 0.5 * (one.rank == other.rank and one != other)
        low = sum(each.rank <= 1 for each in rest)
        expected = 0.2 * hm / 1000 + 0.6 * (1 - discards(view.hand)[card] / 98) + 0.1 * low / 8 + 0.1 * near / 25.5
        assert values[card] == pytest.approx(expected), card


def test_ensemble_turn_penalty_gives_deadwood_more_weight() -> None:
    view = view_of("2C 3C 4C 9D 9H TD KC AD KH 5S", "JD", "pass", "pass", "draw stock")
    plain = values_of(EnsemblePlayer(Ensemble()), view)
    steep = values_of(EnsemblePlayer(Ensemble(turn_penalty=(1.0, 0.0), turn_lag=0)), view)
    # Slope 1 and power 0 add 1 to the deadwood's weight and halve the others.
    left = discards(view.hand)
    for card in plain:
        assert steep[card] == pytest.approx((plain[card] + 1 - left[card] / 98) / 2)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("weights = [0.5, 0.5, 0.5, 0, 0, 0]", "weights sum to 1, not 1.5"),
        ("weights = [1]", "weights are 6 numbers"),
        ("adjacency = [0.2, 0.3, 0.5]", "one rank away cannot count less"),
        ("draws = [0.1, 0.2, 0.3]", "draws: a card one rank away"),
        ("knock = [10, 0.5, 6]", "knock are 3 whole numbers"),
        ("wieghts = [1]", "no parameter 'wieghts' .*did you mean weights"),
        ("preset = 'papre'", "no ensemble 'papre' .*did you mean paper"),
        ("own_discard = 'maybe'", "no own_discard 'maybe' .use taken, top"),
        ("meldability_most = 0.0", "meldability_most: expected 0.001 to 1e\\+06, got 0.0"),
        ("turn_penalty = [-1.0, 1.0]", "turn_penalty: expected 0 to 1,000, got"),
        ("weights = [", "not TOML"),
    ],
)
def test_ensemble_parse_names_bad_parameters(text: str, why: str) -> None:
    with pytest.raises(MeldlabError, match=why):
        Ensemble.parse(text)


def test_parse_reads_an_ensemble_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("preset = 'shipped'\ndraw_turn = 3\n")
    player = players.parse(f"ensemble:{path}")
    assert isinstance(player, EnsemblePlayer)
    assert player.ensemble == replace(Ensemble.preset("shipped"), draw_turn=3)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("simpel", "no player 'simpel' .*did you mean simple"),
        ("simple:3", "no player 'simple:3'"),
        ("random:3", "no player 'random:3'"),
        ("knock:10", "expected three whole numbers"),
        ("knock:11,0,3", "at most 10 points, got 11"),
        ("mc:0", "a number of deals from 1"),
        ("mc:many", "a number of deals from 1"),
        ("ensemble:nothing", "no ensemble 'nothing'"),
        ("ensemble:nothing.toml", "no file nothing.toml"),
        ("nothing.py:Mine", "no file nothing.py"),
        ("meldlab.nothing:Mine", "no player in meldlab.nothing"),
        ("meldlab.gin.players:Mine", "no player in meldlab.gin.players 'Mine' .*GinPlayer"),
    ],
)
def test_parse_of_an_unknown_player_names_the_known_ones(text: str, why: str) -> None:
    with pytest.raises(MeldlabError, match=why):
        players.parse(text)


MINE = """
from meldlab.gin.players import GinPlayer

class Mine(GinPlayer):
    def takes(self, view, upcard):
        return super().takes(view, upcard) or upcard.rank < 2

class Fool(GinPlayer):
    def drop(self, view, chance):
        raise KeyError("which card?")
"""


def test_parse_reads_a_player_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(MINE)
    mine, fool = players.parse(f"{path}:Mine"), players.parse(f"{path}:Fool")
    assert mine.name == f"{path}:Mine"
    assert not Table(Gin(), [mine, players.parse("simple")]).play(Deal(1)).forfeit
    played = Table(Gin(), [fool, mine]).play(Deal(1))
    assert played.result.winners == (1,)
    assert "KeyError: 'which card?'" in played.record.actions[-1]


def test_monte_carlo_player_knocks_with_gin() -> None:
    view = view_of("2C 3C 4C 9D 9H 9S KC KD KH 5S", "KS", "take KS")
    assert view.phase == Phase.DROP
    assert str(players.parse("mc:8").choose(view, Deal(1).chance(1, 0))).startswith("knock 5S | ")


def test_parse_finds_players_of_other_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("patient", "meldlab.gin.players:GinPlayer", loading.GROUP)

    def found(group: str, name: str = "patient") -> list[EntryPoint]:
        return [point] if (group, name) == (loading.GROUP, "patient") else []

    monkeypatch.setattr(loading, "entry_points", found)
    patient = players.parse("patient")
    assert patient.name == "patient"
    assert "patient" in players.names()
    assert not Table(Gin(), [patient, players.parse("simple")]).play(Deal(1)).forfeit
