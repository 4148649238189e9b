"""The ladder of gin opponents that the package contains: its players, their order, and its intervals."""

import shlex

import pytest

from meldlab.gin import players
from meldlab.web.routes.gin import Rung, measured

RUNGS = measured().players


def test_ladder_has_the_players_of_its_command_weakest_first() -> None:
    program, group, command, *rest = shlex.split(measured().command)
    assert (program, group, command) == ("meldlab", "gin", "arena")
    names = rest[: rest.index("--games")]
    assert sorted(rung.name for rung in RUNGS) == sorted(names)
    assert [rung.rating for rung in RUNGS] == sorted(rung.rating for rung in RUNGS)
    assert len({rung.title for rung in RUNGS}) == len(RUNGS)


@pytest.mark.parametrize("rung", RUNGS, ids=lambda rung: rung.name)
def test_rung_names_a_player_and_holds_its_estimates(rung: Rung) -> None:
    assert players.parse(rung.name).name
    assert rung.title
    assert rung.does
    assert rung.ci95[0] < rung.rating < rung.ci95[1]
    if rung.name == "simple":
        assert rung.beats_simple is None
        assert rung.beats_simple_ci95 is None
    else:
        assert rung.beats_simple is not None
        assert rung.beats_simple_ci95 is not None
        low, high = rung.beats_simple_ci95
        assert 0 <= low <= rung.beats_simple <= high <= 1
