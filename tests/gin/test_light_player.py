"""The light player: kernels against the network in plain Python, and what it has learned."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from meldlab.arena.contest import play_contest
from meldlab.cards import Hand
from meldlab.errors import NoSuchThing
from meldlab.gin import Gin, Phase, Rules, Verb, players
from meldlab.gin.advice import advise, position_view
from meldlab.gin.batch import play_batch
from meldlab.gin.kernel_players import plain_workspace
from meldlab.gin.kernel_state import Observation
from meldlab.gin.kernel_value_network import best_discard_value
from meldlab.gin.network_files import FOLDER
from meldlab.gin.players import LightPlayer, SimplePlayer
from meldlab.melds import deadwood
from meldlab.play import Deal, Table

LIGHT = LightPlayer.parse("network:light")
UNSEEN, OWN, KNOWN, GONE, DROPPED = range(5)


def slow_outputs(states: list[int], turn: int, scores: tuple[int, int], discard: int, left: int) -> NDArray[np.float64]:
    """What the network says after a discard, from the states of the 52 cards, card by card and in double precision."""
    plain = [min(state, GONE) for state in states]
    rows: list[int] = []
    for suit in range(4):
        for start in range(10):
            four = plain[13 * suit + start : 13 * suit + start + 4]
            own = sum((state & 1) << i for i, state in enumerate(four))
            other = sum((state >> 1) << i for i, state in enumerate(four))
            rows.append(256 * start + own + 16 * other)
    for rank in range(13):
        four = plain[rank::13]
        own, other = sum((state & 1) << i for i, state in enumerate(four)), sum((state >> 1) << i for i, state in enumerate(four))
        rows.append(2560 + 256 * rank + own + 16 * other)
    at = 2560 + 13 * 256
    rows.append(at + turn)
    at += 2 * 17  # the rows of the turns, for waiting and for drawing
    rows.append(at + min(left, 63))
    at += 64
    rank, suit = discard % 13, discard // 13
    around = [states[discard + step] if 0 <= rank + step <= 12 else GONE for step in (-2, -1, 1, 2)]
    rows.append(at + sum(state * 5**i for i, state in enumerate(around)))
    at += 625
    alike = [states[(suit + step) % 4 * 13 + rank] for step in (1, 2, 3)]
    rows.append(at + sum(state * 5**i for i, state in enumerate(alike)))
    at += 125
    rows += [at + min(scores[0] // 10, 9), at + 10 + min(scores[1] // 10, 9)]
    total = LIGHT.network.rows.astype(np.float64)[rows].sum(0)
    inner = np.maximum(total, 0) @ LIGHT.network.first[:-1] + LIGHT.network.first[-1]
    outputs: NDArray[np.float64] = np.maximum(inner, 0) @ LIGHT.network.last[:-1] + LIGHT.network.last[-1]
    return outputs


@settings(max_examples=60, deadline=None)
@given(
    order=st.permutations(range(52)),
    gone=st.integers(0, 20),
    known=st.integers(0, 4),
    turn=st.integers(1, 20),
    scores=st.tuples(st.integers(0, 120), st.integers(0, 120)),
)
def test_best_discard_value_agrees_with_plain_python(order: list[int], gone: int, known: int, turn: int, scores: tuple[int, int]) -> None:
    hand, pile, theirs = order[:11], order[11 : 11 + gone], order[11 + gone : 11 + gone + known]
    dropped = pile[::2]
    masks = [sum(1 << card for card in cards) for cards in (hand, theirs, pile, dropped)]
    workspace = plain_workspace(LIGHT.network)
    values = workspace.values
    values[:] = np.nan
    observation = Observation._make((masks[0], 0, turn, *masks[1:], -1, False, *scores, 10))
    value, chosen, knocks = best_discard_value(observation, 0.0, np.uint64(0), LIGHT.network, workspace)
    expected: dict[tuple[int, bool], float] = {}
    for card in hand:
        states = [UNSEEN] * 52
        for cards, state in ((hand, OWN), (theirs, KNOWN), (pile, GONE), (dropped, DROPPED), ([card], GONE)):
            for each in cards:
                states[each] = state
        rest = deadwood(Hand.from_mask(masks[0] & ~(1 << card)))
        wait, knock, _ = slow_outputs(states, min(turn, 16), scores, card, rest)
        assert values[card] == pytest.approx(wait, abs=1e-3)
        assert workspace.left[card] == rest
        expected[card, False] = wait
        if rest <= 10:
            expected[card, True] = knock
            assert workspace.risks[card] == pytest.approx(knock, abs=1e-3)
    # The choice is one of the best, up to the precision of 32 bits.
    assert expected[int(chosen), bool(knocks)] >= max(expected.values()) - 1e-3
    assert value == pytest.approx(max(expected.values()), abs=1e-3)


def test_light_player_beats_whom_it_learned_against() -> None:
    assert (LIGHT.against, LightPlayer.parse("network:light-ensemble").against) == ("simple", "ensemble:best")
    assert play_contest(Gin(), ["network:light", "simple"], games=3000, seed=41).win_rate().low > 0.79
    assert play_contest(Gin(), ["network:light-ensemble", "ensemble:best"], games=1000, seed=41).win_rate().low > 0.65


def test_light_player_plays_by_the_score() -> None:
    # With 95 points any win ends the match; the same cards are worth other moves than at the start.
    fresh, late = (play_from_scores(scores) for scores in ((0, 0), (95, 0)))
    assert fresh != late


def play_from_scores(scores: tuple[int, int]) -> list[str]:
    """The moves of the light player in thirty positions of a match, were the score another one."""
    game, told = Gin(Rules()), []
    for number in range(6):
        state = game.start(2, Deal(3, number))
        for step in range(20):
            if state.seat is None:
                break
            view = state.view(state.seat)._replace(scores=scores if state.seat == 0 else scores[::-1])
            move = LIGHT.choose(view, Deal(3, number).chance(step, state.seat))
            told.append(str(move))
            state = state.apply(SimplePlayer().choose(view, Deal(3, number).chance(step, state.seat)))
    return told


def test_play_batch_of_a_light_player_does_not_depend_on_threads() -> None:
    simple = SimplePlayer()
    together = play_batch(LIGHT, simple, Rules(), 3, 0, 40)
    assert np.array_equal(together, play_batch(LIGHT, simple, Rules(), 3, 0, 40, threads=1))


def test_light_player_advises() -> None:
    advice = advise(position_view(hand="2C 3C 4C 9D 9H 9S KC KD 4H 5S", upcard="KH"))
    assert (advice.move.verb, advice.reason) == (Verb.TAKE, "KH makes a meld")
    eleven = advise(position_view(hand="2C 3C 4C 9D 9H 9S KC KD 4H 5S JD"), LIGHT)
    assert {move.card for move, _ in eleven.values} == set(eleven.after)
    assert eleven.candidates == ()


def test_parse_of_an_unknown_network_names_the_known_ones() -> None:
    with pytest.raises(NoSuchThing, match="light-ensemble"):
        LightPlayer.parse("network:heavy")
    assert players.parse("network:light").name == "network:light"
    assert Table(Gin(), [players.parse("network:light"), SimplePlayer()]).play(Deal(1)).forfeit == ""


@pytest.mark.parametrize("text", ["computed:light", "computed:light-pool"])
def test_parse_reads_former_names_of_networks(text: str) -> None:
    former, player = players.parse(text), players.parse(text.replace("computed", "network"))
    assert (former.name, type(former)) == (text, LightPlayer)
    assert former.network is player.network  # type: ignore[attr-defined]
    assert not any(name.startswith("computed") for name in players.names())


def test_think_values_every_move_and_the_best_is_made() -> None:
    player = LIGHT
    seen = set()
    for seed in range(6):
        for step in Table(Gin(), [player, player], max_actions=60).steps(Deal(seed)):
            view, chance = step.before.view(step.seat), Deal(seed).chance(step.number, step.seat)
            values = player.evaluate(view, chance)
            if not values:
                continue
            best = max(values, key=lambda one: one.value).move
            assert (best.verb, best.index) == (step.action.verb, step.action.index)
            seen.add(best.verb)
            wanted = {(move.verb, move.index) for move in view.legal_actions()}
            assert {(one.move.verb, one.move.index) for one in values} == wanted
    assert {Verb.TAKE, Verb.DRAW, Verb.PASS, Verb.DROP, Verb.KNOCK} == seen


def test_belief_leaves_out_cards_that_lie_open() -> None:
    shown = 0
    for step in Table(Gin(), [LIGHT] * 2, max_actions=400).steps(Deal(1)):
        view = step.before.view(step.seat)
        if view.phase is Phase.SHOW:
            assert not set(advise(view).belief.in_stock) & set(Hand.from_mask(view.knocker_mask))
            shown += 1
    assert shown


@pytest.mark.parametrize("name", sorted(file.name for file in FOLDER.iterdir() if file.name.endswith(".npz")))
def test_shipped_network_has_its_lineage(name: str) -> None:
    with (FOLDER / name).open("rb") as file, np.load(file) as arrays:
        lineage = json.loads(str(arrays["notes"]))["lineage"]
    assert lineage
    for course in lineage:
        assert "start" in course
        assert "made" in course or {"seed", "steps"} <= set(course)
