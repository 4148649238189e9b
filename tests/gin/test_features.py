"""One view as numbers and words: what the vector environment shows, and nothing that is hidden."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from meldlab.gin import MINI, PRESETS, Gin, Phase, Rules
from meldlab.gin.features import features_of, mask_of, text_of
from meldlab.gin.players import GinPlayer
from meldlab.gin.vector import GinVector, action_of, move_of
from meldlab.play import Deal, RandomPlayer, Table

SMALL = {"mini": replace(MINI, most_draws=9), "three suits": replace(MINI, suits=3, most_draws=9, first_starter="random")}


@pytest.mark.parametrize("rules", [*PRESETS, *SMALL])
def test_a_view_has_the_features_and_the_mask_of_the_vector_environment(rules: str) -> None:
    table = {**PRESETS, **SMALL}[rules]
    env, chance, rounds = GinVector(1, table, seed=5), Random(1), 0
    deal = Deal(5, 0)
    state, step = Gin(table).start(2, deal), 0
    for _ in range(300):
        assert state.seat is not None
        view = state.view(state.seat)
        seen = env.observe()
        assert features_of(view).tolist() == seen.features[0].tolist()
        assert mask_of(view).tolist() == seen.mask[0].tolist()
        own = action_of(GinPlayer().choose(view, deal.chance(step, state.seat)))
        action = own if chance.random() < 0.5 else int(chance.choice(np.flatnonzero(seen.mask[0]).tolist()))
        state, step = state.apply(move_of(view, action, deal.chance(step, state.seat))), step + 1
        if state.round.phase is Phase.SHOW:
            assert state.seat is not None
            state, step = state.apply(GinPlayer().choose(state.view(state.seat), deal.chance(step, state.seat))), step + 1
        env.step([action])
        if state.seat is None:
            deal, rounds = Deal(5, deal.game + 1), rounds + 1
            state, step = Gin(table).start(2, deal), 0
    assert rounds > 0 or table.match_points


@pytest.mark.parametrize("seed", range(3))
def test_nothing_hidden_is_shown_to_either_seat(seed: int) -> None:
    different = 0
    for step in Table(Gin(Rules(match_points=0)), [GinPlayer(), RandomPlayer()]).steps(Deal(seed)):
        state = step.after
        for seat in range(2):
            other = state.redeal(seat, Deal(seed).chance(step.number, seat))
            different += other != state
            assert text_of(other.view(seat)) == text_of(state.view(seat))
            assert features_of(other.view(seat)).tolist() == features_of(state.view(seat)).tolist()
    assert different > 20


def test_a_text_tells_what_has_happened() -> None:
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
