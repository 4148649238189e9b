"""OpenSpiel's tests pass on our games, nobody sees what is hidden, chance is fair, and players do the same at both tables."""

import doctest
import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import pytest

from meldlab.arena.contest import play_contest
from meldlab.errors import NoSuchThing, NotLegalHere, NotPossible
from meldlab.gin import MINI, Gin, Phase, Rules, players
from meldlab.gin.vector import FEATURES
from meldlab.play import Deal, RandomPlayer, Record, Table, replay
from tests.gin.test_vector import seen

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed (pip install open_spiel)")

from meldlab.adapters.openspiel import PlayerBot, record_of  # noqa: E402
from meldlab.adapters.openspiel.trees import GameTree  # noqa: E402
from tests.oracles.openspiel import SimpleBot, history_of, match_from_view  # noqa: E402

GIN = "python_meldlab_gin_rummy"
THEIRS = pyspiel.load_game("gin_rummy")
ONE_DRAW = "python_meldlab_mini_gin(max_draws=1,offer_upcard=0)"


@pytest.mark.parametrize(
    ("name", "games"),
    [
        ("python_meldlab_mini_gin", 10),
        ("python_meldlab_mini_gin(suits=3,ranks=3,big_gin_bonus=6,max_draws=6)", 5),
        (f"{GIN}(match_points=0)", 1),
        (f"{GIN}(rules=openspiel)", 1),
        (f"{GIN}(rules=oklahoma,match_points=0,lay_off=choice,knock_limit=5)", 1),
        ("python_meldlab_recycle(game=kuhn_poker)", 3),
        ("python_meldlab_recycle(game=leduc_poker,reward=score)", 3),
    ],
)
def test_openspiel_plays_our_games_at_random_and_writes_them_down(name: str, games: int) -> None:
    game = pyspiel.load_game(name)
    pyspiel.random_sim_test(game, num_sims=games, serialize=True, verbose=False)
    assert str(pyspiel.load_game(str(game))) == str(game)


def played(name: str, seed: int) -> Any:
    """Play a game at random, giving every state."""
    chance, state = Random(seed), pyspiel.load_game(name).new_initial_state()
    while not state.is_terminal():
        yield state
        outcomes = state.chance_outcomes() if state.is_chance_node() else [(action, 1.0) for action in state.legal_actions()]
        state.apply_action(chance.choices([action for action, _ in outcomes], [weight for _, weight in outcomes])[0])
    yield state


def test_a_match_is_worth_one_and_zero_sum() -> None:
    *_, state = played(f"{GIN}(match_points=20)", 1)
    assert sorted(state.returns()) == [-1.0, 1.0]
    *_, state = played(f"{GIN}(match_points=20,reward=points)", 1)
    assert sum(state.returns()) == 0
    assert max(state.returns()) > 1


@pytest.mark.parametrize("name", ["python_meldlab_mini_gin(max_draws=4)", f"{GIN}(match_points=0)", f"{GIN}(rules=pagat,match_points=0)"])
def test_no_seat_is_told_what_it_cannot_see(name: str) -> None:
    hidden = 0
    for seed in range(3):
        for number, state in enumerate(played(name, seed)):
            position = state.position
            if position.node in ("starter", "deal", "over"):
                continue
            for seat in range(2):
                match = position.match.redeal(seat, Deal(seed).chance(number, seat))
                if seat == position.seat and position.ways:
                    continue  # the ways are those of the cards in hand
                other = state.clone()
                other.position = replace(position, match=match)
                hidden += match != position.match
                assert other.information_state_string(seat) == state.information_state_string(seat)
                assert other.observation_string(seat) == state.observation_string(seat)
                assert other.observation_tensor(seat) == state.observation_tensor(seat)
                if state.get_game().get_type().provides_information_state_tensor:
                    assert other.information_state_tensor(seat) == state.information_state_tensor(seat)
    assert hidden > 10


@pytest.mark.parametrize("name", [f"{GIN}(match_points=0)", f"{GIN}(rules=oklahoma,match_points=0)"])
def test_observation_of_either_seat_has_the_features_of_its_view(name: str) -> None:
    compared = 0
    for state in played(name, 2):
        match = state.position.match
        if state.position.node == "seat" and match.round.phase is not Phase.SHOW:
            for seat in range(2):
                assert state.observation_tensor(seat)[:FEATURES] == seen(match.view(seat), match.round.deck[20]).tolist()
                compared += 1
    assert compared > 20


def test_no_seat_of_a_recycle_game_is_told_what_it_cannot_see() -> None:
    hidden = 0
    for number, state in enumerate(played("python_meldlab_recycle(game=block_rummy)", 1)):
        if number % 5 or state.is_chance_node() or state.is_terminal():
            continue
        for seat in range(2):
            dealt = state.stand.state.redeal(seat, Deal(1).chance(number, seat))
            other = state.clone()
            other.stand = replace(state.stand, state=dealt)
            hidden += str(other) != str(state)
            assert other.information_state_string(seat) == state.information_state_string(seat)
            assert other.observation_string(seat) == state.observation_string(seat)
            assert other.observation_tensor(seat) == state.observation_tensor(seat)
    assert hidden > 5


def test_every_deal_is_one_history_and_equally_likely() -> None:
    deals: Counter[tuple[Any, ...]] = Counter()

    def walk(state: Any, likely: float) -> None:
        if not state.is_chance_node():
            first, second = (tuple(sorted(hand)) for hand in state.position.match.round.hands)
            assert (first, second, state.position.match.round.pile) not in deals
            deals[first, second, state.position.match.round.pile] = likely  # type: ignore[assignment]
            return
        outcomes = state.chance_outcomes()
        assert sum(weight for _, weight in outcomes) == pytest.approx(1)
        for card, weight in outcomes:
            walk(state.child(card), likely * weight)

    walk(pyspiel.load_game("python_meldlab_mini_gin").new_initial_state(), 1.0)
    pack = set(MINI.pack)
    wanted = {
        (first, second, (up,))
        for first in combinations(sorted(pack), 3)
        for second in combinations(sorted(pack - set(first)), 3)
        for up in pack - set(first) - set(second)
    }
    assert set(deals) == wanted
    assert all(likely == pytest.approx(1 / 1120) for likely in deals.values())


def test_the_tree_is_the_game() -> None:
    game = pyspiel.load_game(ONE_DRAW)
    tree = GameTree.of(game)

    def last(position: Any) -> dict[int, float]:
        return {position.legal[-1]: 2.0, position.legal[0]: 1.0} if len(position.legal) > 1 else {position.legal[0]: 1.0}

    table: dict[str, list[tuple[int, float]]] = {}

    def walk(state: Any) -> None:
        if state.is_terminal():
            return
        if not state.is_chance_node():
            weights = last(state.position)
            told = [(action, weights.get(action, 0.0) / sum(weights.values())) for action in state.legal_actions()]
            assert table.setdefault(state.information_state_string(), told) == told
        for action in state.legal_actions():
            walk(state.child(action))

    walk(game.new_initial_state())
    assert len(table) == len(tree.seen)
    worth = [
        pyspiel.expected_returns(one.new_initial_state(), policy, -1, True)
        for one, policy in ((tree.game, tree.policy(last)), (game, pyspiel.TabularPolicy(table)))
    ]
    assert worth[0] == pytest.approx(worth[1])
    assert worth[0][0] != pytest.approx(0, abs=0.01)


def test_a_game_too_large_is_not_walked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("meldlab.adapters.openspiel.trees.MAX_NODES", 1000)
    with pytest.raises(NotPossible, match="more than 1,000 nodes"):
        GameTree.of(pyspiel.load_game(GIN))


def test_the_solver_solves_the_recycle_kuhn_poker() -> None:
    ours, theirs = pyspiel.load_game("python_meldlab_recycle(game=kuhn_poker,deals=120,reward=score)"), pyspiel.load_game("kuhn_poker")
    found, known = (pyspiel.exploitability(game, pyspiel.UniformRandomPolicy(game)) for game in (ours, theirs))
    assert found == pytest.approx(known, abs=0.06)  # 120 of its deals are not quite even


def test_the_bot_does_the_same_at_both_tables() -> None:
    bots = [pyspiel.make_simple_gin_rummy_bot(THEIRS.get_parameters(), seat) for seat in range(2)]
    for seed in range(30):
        chance, state = Random(seed), THEIRS.new_initial_state()
        for bot in bots:
            bot.restart()
        while not state.is_terminal():
            state.apply_action(chance.choice(state.legal_actions()) if state.is_chance_node() else bots[state.current_player()].step(state))
        there = record_of(state)
        here = Table(Gin.read(there.rules), [SimpleBot(), SimpleBot()]).play(there.deal)
        assert here.record.actions == there.actions
        lead = here.result.scores[0] - here.result.scores[1]
        assert state.returns() == [lead, -lead]
        assert history_of(there) == state.history()
        assert [step.line for step in replay(Gin.read(there.rules), Record.parse(str(there)))] == list(there.actions)


def test_our_player_does_the_same_at_both_tables() -> None:
    for seed in range(15):
        bots = [PlayerBot(players.parse(name), seat, seed) for seat, name in enumerate(("simple", "knock:10,0,6"))]
        chance, state = Random(seed), THEIRS.new_initial_state()
        while not state.is_terminal():
            state.apply_action(chance.choice(state.legal_actions()) if state.is_chance_node() else bots[state.current_player()].step(state))
        there = record_of(state)
        here = Table(Gin.read(there.rules), [bot.player for bot in bots]).play(Deal(seed, given=there.deal.given))
        assert here.record.actions == there.actions


def test_the_bot_sits_in_our_arena() -> None:
    name = "tests.oracles.openspiel:SimpleBot"
    found = play_contest(Gin(Rules(match_points=0)), [name, "random"], 20, seed=1, threads=1)
    assert found.players[0] == "openspiel:simple"
    assert not found.failures
    assert found.win_rate(0).value > 0.8


@pytest.mark.parametrize("rules", [Rules(match_points=0), Rules.preset("openspiel"), replace(MINI, max_draws=9)])
def test_an_imagined_match_looks_the_same(rules: Rules) -> None:
    for seed in range(5):
        for step in Table(Gin(rules), [players.parse("simple"), RandomPlayer()]).steps(Deal(seed)):
            view = step.before.view(step.seat)
            match = match_from_view(view)
            for _, move in view.history:
                match = match.apply(move)
            assert match.view(step.seat)._replace(card_indices=()) == view._replace(card_indices=())


def test_what_cannot_be_told_to_openspiel_is_named() -> None:
    record = Table(Gin(), [RandomPlayer(), RandomPlayer()]).play(Deal(1)).record
    with pytest.raises(NotLegalHere, match="OpenSpiel plays the rules 'openspiel'"):
        history_of(record)
    with pytest.raises(NotLegalHere, match="have not been dealt yet"):
        record_of(THEIRS.new_initial_state())
    view = Gin(Rules(offer_upcard=False)).start(2, Deal(1)).view(0)
    with pytest.raises(NotLegalHere, match="plays where the first upcard is offered"):
        SimpleBot().choose(view, Deal(1).chance(0, 0))


@pytest.mark.parametrize(
    ("name", "why"),
    [
        (f"{GIN}(rules=nope)", "no rules 'nope'"),
        (f"{GIN}(reward=x)", "no reward 'x'"),
        ("python_meldlab_mini_gin(ranks=2)", "4 cards are too few"),
        ("python_meldlab_recycle(game=nope)", "nope"),
        ("python_meldlab_recycle(game=golf_solitaire)", "is played alone"),
        ("python_meldlab_recycle(reward=x)", "no reward 'x'"),
    ],
)
def test_wrong_parameters_are_one_line(name: str, why: str) -> None:
    with pytest.raises((NotLegalHere, NoSuchThing, NotPossible), match=why) as raised:
        pyspiel.load_game(name)
    assert "\n" not in str(raised.value)


def test_without_openspiel_it_is_one_line() -> None:
    code = (
        "import sys; sys.modules['pyspiel'] = None\nfrom meldlab.gin import players\nplayers.parse('meldlab.adapters.openspiel:PlayerBot')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode
    assert re.search(r"OpenSpiel is not installed: pip install open_spiel$", done.stderr.strip())


def test_the_page_shows_what_happens() -> None:
    page = (Path(__file__).parents[2] / "docs" / "environments" / "openspiel.md").read_text()
    shown = "\n".join(re.findall(r"^```pycon\n(.*?)^```", page, re.MULTILINE | re.DOTALL))
    said: list[str] = []
    found = doctest.DocTestRunner().run(doctest.DocTestParser().get_doctest(shown, {}, "page", None, 0), out=said.append)
    assert found.attempted > 5
    assert not found.failed, "".join(said)
