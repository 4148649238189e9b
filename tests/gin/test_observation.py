"""A view as features, a mask and text: what the vector environment shows, for either seat, and nothing that is hidden."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from meldlab.compiling import kernel
from meldlab.gin import MINI, PRESETS, Gin, Phase, Rules, Verb, kernel_round
from meldlab.gin.batch import new_states
from meldlab.gin.observation import action_of, features_of, mask_of, move_of, state_of, text_of
from meldlab.gin.players import GinPlayer
from meldlab.gin.rules import kernel_rules
from meldlab.gin.vector import GinVector
from meldlab.play import Deal, RandomPlayer, Table

SMALL = {"mini": replace(MINI, max_draws=9), "three suits": replace(MINI, suits=3, max_draws=9, first_starter="random")}


@pytest.mark.parametrize("rules", [*PRESETS, *SMALL])
def test_features_and_mask_agree_with_the_vector_environment_on_and_off_turn(rules: str) -> None:
    table = {**PRESETS, **SMALL}[rules]
    env, chance, rounds = GinVector(1, table, seed=5), Random(1), 0
    deal = Deal(5, 0)
    state, step = Gin(table).start(2, deal), 0
    for _ in range(300):
        assert state.seat is not None
        view = state.view(state.seat)
        seen = env.observe()
        assert features_of(view).tolist() == seen.features[0].tolist()
        assert [features_of(state.view(seat)).tolist() for seat in range(2)] == env.observe_both()[0].tolist()
        assert mask_of(view).tolist() == seen.mask[0].tolist()
        own = action_of(GinPlayer().choose(view, deal.chance(step, state.seat)))
        action = own if chance.random() < 0.5 else int(chance.choice(np.flatnonzero(seen.mask[0]).tolist()))
        state, step = state.apply(move_of(view, action, deal.chance(step, state.seat))), step + 1
        if state.round.phase is Phase.SHOW:
            assert state.seat is not None
            state, step = state.apply(GinPlayer().choose(state.view(state.seat), deal.chance(step, state.seat))), step + 1
        env.step([action])
        if state.seat is None:
            deal, rounds = Deal(5, deal.number + 1), rounds + 1
            state, step = Gin(table).start(2, deal), 0
    assert rounds > 0 or table.match_points


@pytest.mark.parametrize("seed", range(3))
def test_features_and_text_show_nothing_hidden(seed: int) -> None:
    different = 0
    for step in Table(Gin(Rules(match_points=0)), [GinPlayer(), RandomPlayer()]).steps(Deal(seed)):
        state = step.after
        for seat in range(2):
            other = state.redeal(seat, Deal(seed).chance(step.number, seat))
            different += other != state
            assert text_of(other.view(seat)) == text_of(state.view(seat))
            assert features_of(other.view(seat)).tolist() == features_of(state.view(seat)).tolist()
    assert different > 20


OPEN_PAIRS = ("known", "discarded", "declined", "turns", "scores")  # fields of a state, by seat
OPEN = ("stock", "pile_mask", "pile_size", "upcard_draws", "draws", "knock_limit", "phase", "seat", "starter", "taken")


@kernel
def start(states, rules):  # type: ignore[no-untyped-def]
    kernel_round.start_match(states[0], rules)
    kernel_round.deal(states[0], rules)


@kernel
def apply(states, action, rules):  # type: ignore[no-untyped-def]
    return kernel_round.step(states[0], action, 0, rules)


@pytest.mark.parametrize("rules", ["eaai", "pagat", "oklahoma", "openspiel"])
def test_state_of_is_the_state_of_the_kernels_as_a_seat_knows_it(rules: str) -> None:
    numbers, compared = kernel_rules(PRESETS[rules]), 0
    for game in range(5):
        states = new_states(8, game)
        state = states[0]
        start(states, numbers)
        for step in Table(Gin(PRESETS[rules]), [GinPlayer(), RandomPlayer()]).steps(Deal(8, game)):
            assert step.seat == state["seat"]
            for seat in range(2):
                found = state_of(step.before.view(seat))[0]
                # Of the other hand only what lies open, and nothing of the deck.
                assert found["hand"].tolist() == [int(state["hand"][each]) * (each == seat) for each in range(2)]
                assert not found["deck"].any()
                assert {name: found[name].tolist() for name in OPEN_PAIRS} == {name: state[name].tolist() for name in OPEN_PAIRS}
                assert {name: int(found[name]) for name in OPEN} == {name: int(state[name]) for name in OPEN}
                assert found["pile"][: state["pile_size"]].tolist() == state["pile"][: state["pile_size"]].tolist()
                compared += 1
            if step.action.verb in (Verb.KNOCK, Verb.BIG_GIN) or apply(states, action_of(step.action), numbers):
                break
    assert compared > 200


def test_text_tells_own_draws_and_the_hand_of_a_knocker() -> None:
    table = Table(Gin(Rules(match_points=0)), [GinPlayer(), GinPlayer()])
    steps = list(table.steps(Deal(4)))
    last = steps[-1]
    text = text_of(last.before.view(last.seat))
    assert text.endswith(f"p{last.seat + 1} is to show melds")
    assert "the knocker holds" in text
    drawn = [step.line for step in steps if step.seat == last.seat and " draw stock " in step.line]
    other = [step.line for step in steps if step.seat != last.seat and " draw stock " in step.line]
    assert drawn
    assert all(line in text for line in drawn)
    assert other
    assert not any(line in text for line in other)
