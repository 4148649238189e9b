"""Players that look ahead, against games that can be looked at to the end."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meldlab.errors import BadText, NoSuchThing, NotLegalHere
from meldlab.play import RandomPlayer
from meldlab.recycle import library
from meldlab.recycle.machine.machine import Machine
from meldlab.recycle.machine.position import Position
from meldlab.recycle.players import ALGORITHMS, MEMORIES, REWARDS, SearchPlayer, parse
from meldlab.recycle.players.search import play_games
from meldlab.recycle.players.search_player import POLICIES_OF
from tests.recycle import tiny
from tests.recycle.tiny import advice

searchers = st.builds(
    lambda which, **given: SearchPlayer(which[0], final_policy=which[1], **given),
    st.sampled_from([(kind, policy) for kind in ALGORITHMS for policy in POLICIES_OF[kind]]),
    simulations=st.integers(1, 10**6),
    memory=st.sampled_from(MEMORIES),
    reward=st.sampled_from(REWARDS),
)


@given(searchers)
def test_a_player_reads_what_it_prints(player: SearchPlayer) -> None:
    assert parse(str(player)) == parse(player.name) == player


@pytest.mark.parametrize("text", ["mcts:x", "mcts:10:much", "mcts::"])
def test_nonsense_behind_a_player_is_named(text: str) -> None:
    with pytest.raises(BadText, match="after a player come"):
        parse(text)


def test_unknown_players_and_empty_budgets_are_named() -> None:
    with pytest.raises(NoSuchThing, match="clever"):
        parse("clever")
    with pytest.raises(NotLegalHere, match="at least one simulation"):
        parse("mcts:0")
    with pytest.raises(NoSuchThing, match=r"no final policy of ismcts 'pooled' \(use visits, mean\)"):
        parse("ismcts:pooled")
    with pytest.raises(NotLegalHere, match="3 players for a game of 2"):
        play_games(tiny.machine(tiny.COLOUR), [RandomPlayer()] * 3, games=1, seed=1)


# --- everything is seen: the tree must find the best option


@pytest.mark.parametrize("kind", ["mcts", "ismcts"])
@pytest.mark.parametrize("best", ["max", "min"])
@pytest.mark.parametrize("cards", [5, 6, 7, 9, 10, 11])
def test_trees_leave_a_multiple_of_four(cards: int, best: str, kind: str) -> None:
    position = tiny.machine(tiny.heap_game(cards, best)).start(seed=0)
    optimal = tiny.best_options(position, tiny.alone(2))
    assert optimal == {cards % 4 - 1}
    assert advice(position, SearchPlayer(kind, 1000)).index in optimal


@pytest.mark.parametrize("kind", ["mcts", "ismcts"])
@pytest.mark.parametrize("best", ["max", "min"])
@pytest.mark.parametrize(("names", "players"), [("ABFDE", 2), ("CFADB", 2), ("AFBECD", 3), ("BEFACD", 3), ("CEBFAD", 3)])
def test_trees_find_the_better_end_of_the_row(names: str, players: int, best: str, kind: str) -> None:
    position = tiny.machine(tiny.row_game(names, players, best)).start(seed=0)
    team = tiny.alone(players)
    while not position.over:
        best_options = tiny.best_options(position, team)
        found = advice(position, SearchPlayer(kind, 800))
        assert found.index in best_options
        position = position.take(found.index)


@pytest.mark.parametrize("kind", ["pimc", "mcts", "ismcts"])
@pytest.mark.parametrize("reward", ["score", "rank"])
def test_partners_play_for_their_team(kind: str, reward: str) -> None:
    position = tiny.machine(tiny.PARTNERS).start(seed=0)
    assert tiny.best_options(position, {1: 1, 2: 2, 3: 1, 4: 2}) == {1}
    found = advice(position, SearchPlayer(kind, 40, reward=reward))
    # By rank three points win as well as ten, and the last option loses.
    assert found.index == 1 if reward == "score" else found.index in (0, 1)
    assert found.scores[1].tolist() == [0, 0, 10, 0]
    assert found.ranks[1].tolist() == [1, 1, 0, 1]


# --- something is hidden


def exact_values(position: Position) -> list[list[float]]:
    """Return for each option the expected scores, over all deals, when everybody plays at random afterwards."""
    every = list(tiny.deals(position, position.to_move))
    options = range(len(position.options))
    return [np.mean([tiny.scores_at_random(deal.take(option)) for deal in every], axis=0).tolist() for option in options]


@pytest.mark.parametrize(("name", "decisions"), [("kuhn_poker", 0), ("kuhn_poker", 1), ("leduc_poker", 1), ("leduc_poker", 3)])
def test_samples_converge_to_the_mean_over_all_deals(name: str, decisions: int) -> None:
    position = Machine.compile(library.entry(name).text).start(seed=4)
    for _ in range(decisions):
        position = position.take(len(position.options) - 1)
    simulations = 20_000
    found = advice(position, SearchPlayer("pimc", simulations, determinizations=simulations))
    exact = exact_values(position)
    # A game of Leduc ends between -13 and 13; five standard errors of what is seen there.
    spread = 5 * (13 if name == "leduc_poker" else 2) / simulations**0.5
    assert np.abs(found.scores - np.array(exact)).max() < spread
    assert exact[found.index][position.to_move] > max(each[position.to_move] for each in exact) - 2 * spread


def test_deals_are_shared_by_all_options() -> None:
    # With one deal and no later choice every simulation of an option ends alike.
    position = tiny.machine(tiny.COLOUR).start(seed=1).take(1)
    found = advice(position, SearchPlayer("pimc", 10, determinizations=1))
    assert sorted(found.scores[:, 0].tolist()) == [0, 4]
    evenly = advice(position, SearchPlayer("pimc", 4000, determinizations=4000))
    assert np.abs(evenly.scores[:, 0] - 2).max() < 0.2


# Every option's expected score over all deals; afterwards nobody decides.
KNOWN_VALUES = {"gamble": (tiny.GAMBLE, [11, 10]), "three cards": (tiny.THREE_CARDS, [2, 2, -2])}


@pytest.mark.parametrize("game", KNOWN_VALUES)
@pytest.mark.parametrize(
    "player",
    [SearchPlayer("pimc", 4000, 500), SearchPlayer("mcts", 4000, 500), SearchPlayer("mcts", 4000, 500, final_policy="visits")],
    ids=str,
)
def test_determinized_search_estimates_the_mean_over_all_deals(player: SearchPlayer, game: str) -> None:
    text, values = KNOWN_VALUES[game]
    found = advice(tiny.machine(text).start(seed=1), player)
    # Five standard errors of 500 deals that differ by 20 points at most.
    assert np.abs(found.scores[:, 0] - values).max() < 5 * 10 / 500**0.5
    assert found.determinizations.tolist() == [500] * len(values)
    assert values[found.index] == max(values)


@pytest.mark.parametrize("game", KNOWN_VALUES)
@pytest.mark.parametrize("policy", ["visits", "mean"])
def test_one_tree_estimates_the_mean_over_all_deals(policy: str, game: str) -> None:
    text, values = KNOWN_VALUES[game]
    found = advice(tiny.machine(text).start(seed=1), SearchPlayer("ismcts", 4000, final_policy=policy))
    # Options that look bad are tried less, so only the best is estimated well.
    assert abs(found.scores[found.index, 0] - max(values)) < 0.5
    assert values[found.index] == max(values)
    assert found.determinizations.tolist() == found.counts.tolist()


def test_pooled_mcts_counts_a_deal_by_its_visits() -> None:
    found = advice(tiny.machine(tiny.GAMBLE).start(seed=1), SearchPlayer("mcts", 1000, 100, final_policy="pooled"))
    # On red deals nearly all visits go to the gamble, on black ones hardly any.
    assert found.index == 1
    assert found.scores[1, 0] > 15


def test_mcts_believes_that_it_will_see_the_card_and_ismcts_does_not() -> None:
    # Strategy fusion: the guess comes later, on each deal with the card in sight.
    position = tiny.machine(tiny.COLOUR).start(seed=1)
    fooled, wise = advice(position, SearchPlayer("mcts", 2000)), advice(position, SearchPlayer("ismcts", 400))
    assert fooled.index == 1
    assert wise.index == 0
    assert fooled.scores[1, 0] > 3.5
    assert 1.5 < wise.scores[1, 0] < 2.5


def test_the_game_itself_shows_what_a_guess_is_worth() -> None:
    machine = tiny.machine(tiny.COLOUR)
    others = RandomPlayer()
    sure = play_games(machine, [SearchPlayer("ismcts", 50), others], 100, seed=1, threads=1)
    assert (sure.scores[:, 0] == 3).all()
    guessed = play_games(machine, [SearchPlayer("mcts", 2000), others], 200, seed=1, threads=1)
    assert 1.4 < guessed.scores[:, 0].mean() < 2.6


def test_a_simulation_is_scored_as_it_stands_at_its_cap() -> None:
    # Passing on a card without end: nobody ever scores, unless the simulation stops.
    position = tiny.machine(tiny.ENDLESS).start(seed=1)
    found = advice(position, SearchPlayer("pimc", 5, rollout_limit=7))
    # The first decision counts, then six more.
    assert found.scores[0].tolist() == [4, 3]
    assert found.failed == 0
