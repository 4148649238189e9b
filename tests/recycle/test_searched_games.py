"""Whole games of players that look ahead: the record, any split of the work, and no look at hidden cards."""

from dataclasses import fields, replace

import numpy as np
import pytest

from meldlab.play import Deal, RandomPlayer
from meldlab.recycle import RecycleGame, library
from meldlab.recycle.language.limits import Limits
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.machine import Machine
from meldlab.recycle.machine.position import Position
from meldlab.recycle.players import ALGORITHMS, SearchPlayer
from meldlab.recycle.players.search import PlayedGames, SearchResult, SearchWorkspace, play_games
from tests.recycle import tiny
from tests.recycle.programs import Author
from tests.recycle.tiny import advice

SEARCHING = [SearchPlayer("mcts", 6, 3), SearchPlayer("ismcts", 5), SearchPlayer("pimc", 4, 2, "taken", "rank")]
SMALL: list[RandomPlayer | SearchPlayer] = [*SEARCHING, RandomPlayer()]


def same(one: PlayedGames, other: PlayedGames) -> bool:
    names = [field.name for field in fields(PlayedGames) if field.name != "seconds"]
    return all(np.array_equal(getattr(one, name), getattr(other, name), equal_nan=True) for name in names)


def test_any_split_gives_the_same_games() -> None:
    machine = Machine.compile(library.entry("hearts").text)
    whole = play_games(machine, SMALL, games=4, seed=9, threads=1)
    assert same(whole, play_games(machine, SMALL, games=4, seed=9, threads=3))
    parts = [play_games(machine, SMALL, games=1, seed=9, first=number, threads=1) for number in (0, 1, 2, 3)]
    assert same(whole, PlayedGames.joined(parts))
    assert not same(whole, play_games(machine, SMALL, games=4, seed=10, threads=1))


def test_random_players_play_the_random_games() -> None:
    machine = Machine.compile(library.entry("scopa").text)
    searched = play_games(machine, [RandomPlayer()] * 2, games=10, seed=3, first=5, threads=1)
    played = machine.random_games(games=10, seed=3, first=5)
    assert np.array_equal(searched.scores, played.scores)
    assert np.array_equal(searched.decisions, played.decisions)
    assert np.isnan(searched.best).all()
    assert not searched.simulations.any()


@pytest.mark.parametrize("name", library.names())
def test_the_record_of_every_game_is_whole(name: str) -> None:
    machine = Machine.compile(library.entry(name).text)
    players = [SearchPlayer(("mcts", "ismcts", "pimc")[seat % 3], 3, 2) for seat in range(machine.players)]
    played = play_games(machine, players, games=1, seed=1, threads=1)
    assert played.statuses.tolist() == [k.FINISHED]
    assert played.decisions.tolist() == [len(played.move)]
    assert played.move.tolist() == list(range(len(played.move)))
    assert ((played.chosen >= 0) & (played.chosen < played.options)).all()
    assert (played.simulations == 3 * played.options).all()
    assert not played.unmatched.any()
    assert not played.failed.any()
    sign = 1 if machine.scoring == "max" else -1
    assert (sign * played.best >= sign * played.mean - 1e-9).all()
    assert (sign * played.mean >= sign * played.worst - 1e-9).all()
    assert ((played.best == played.worst) | (played.options > 1)).all()
    assert ((played.reward >= 0) & (played.reward <= 1)).all()
    assert ((played.rank_estimate >= 0) & (played.rank_estimate <= machine.players - 1)).all()
    # The game can be played again from the options alone.
    position = machine.start(seed=1)
    for seat, options, chosen in zip(played.seat.tolist(), played.options.tolist(), played.chosen.tolist(), strict=True):
        assert (position.to_move, len(position.options)) == (seat, options)
        position = position.take(chosen)
    assert position.scores == tuple(played.scores[0].tolist())
    ranks = [sum(sign * other > sign * score for other in position.scores) for score in position.scores]
    assert played.ranks[0].tolist() == ranks


# --- leaks


def equal(one: SearchResult, other: SearchResult) -> bool:
    return all(np.array_equal(getattr(one, field.name), getattr(other, field.name), equal_nan=True) for field in fields(SearchResult))


@pytest.mark.parametrize("name", library.names())
def test_hidden_cards_change_no_choice_and_no_estimate(name: str) -> None:
    recycle_game = RecycleGame.load(name)
    machine = recycle_game.machine
    state, moved = recycle_game.start(machine.players, Deal(4)), 0
    for step in range(12):
        if state.seat is None:
            break
        options = state.view(state.seat).legal_actions()
        if step % 4 < 2:
            others = [state.redeal(state.seat, Deal(4, number).chance(step, state.seat)).position for number in range(3)]
            moved += sum(not np.array_equal(state.position.words, other.words) for other in others)
            for kind, other in zip(ALGORITHMS, others, strict=True):
                player = SearchPlayer(kind, 3, 2)
                assert equal(advice(state.position, player, step), advice(other, player, step))
        state = state.apply(options[step % len(options)])
    assert moved or machine.players == 1


def unknown_permuted(position: Position, known: set[int], seat: int, shift: int) -> Position:
    """Turn the faces of the cards that a seat neither sees nor remembers."""
    storage = position.machine.storage
    seen = position.visible_cards(seat)
    cards = [card for card in range(int(position.words[k.CARDS])) if card not in seen | known]
    words = position.words.copy()
    at = [storage.cards + k.NODE * card + k.TYPE for card in cards]
    words[at] = np.roll(words[at], shift)
    return position.with_words(words)


def test_what_is_remembered_is_all_that_is_known() -> None:
    machine = Machine.compile(library.entry("gin_rummy").text)
    player = SearchPlayer("ismcts", 4, memory="taken")
    position, differs = machine.start(seed=6), 0
    rng = np.random.default_rng(6)
    for step in range(30):
        cards = int(position.words[k.CARDS])
        known = machine.nothing_known()
        known[:, :cards] = rng.random((2, cards)) < 0.3
        if step % 3 == 0:
            remembered = set(np.flatnonzero(known[position.to_move]).tolist())
            other = unknown_permuted(position, remembered, position.to_move, 5)
            found = advice(position, player, step, known)
            assert equal(found, advice(other, player, step, known))
            differs += not equal(found, advice(position, player, step))
        position = position.take(step % len(position.options))
    assert differs > 3


def test_choices_made_in_secret_stay_secret() -> None:
    machine = Machine.compile(library.entry("goofspiel").text)
    first = machine.start(seed=2)
    for kind in ("pimc", "mcts", "ismcts"):
        player = SearchPlayer(kind, 8, 4)
        second = [advice(first.take(option), player, seed=3) for option in range(len(first.options))]
        assert all(equal(second[0], other) for other in second)
        third = [advice(first.take(option).take(option), player, seed=3) for option in range(len(first.options))]
        assert all(equal(third[0], other) for other in third)


def test_secret_choices_are_guessed_evenly() -> None:
    machine = tiny.machine(tiny.SECRET)
    position = machine.start(seed=1).take(2)
    found = advice(position, SearchPlayer("pimc", 6000, 6000))
    # Against an even choice among three numbers the second player wins by k with chance k in three.
    assert np.abs(found.scores[:, 1] - np.array([0, 1 / 3, 2 / 3])).max() < 0.04


# --- deals in which the options differ, and simulations that fail


def test_options_that_depend_on_hidden_cards_are_counted() -> None:
    machine = tiny.machine(tiny.PEEKING)
    at = [machine.start(seed=seed) for seed in range(20)]
    both, single = next(one for one in at if len(one.options) == 2), next(one for one in at if len(one.options) == 1)
    for kind in ("pimc", "mcts", "ismcts"):
        player = SearchPlayer(kind, 200, 200)
        found = advice(both, player)
        # Three deals of four do not have the second option; it is worth nine wherever it is there.
        assert 0.6 * 400 < found.unmatched < 0.9 * 400
        assert found.scores[:, 0].tolist() == [0, 9]
        assert found.index == 1 if kind != "ismcts" else found.counts.sum() > 0
        assert advice(single, player).index == 0


def test_simulations_that_fail_are_counted() -> None:
    machine = tiny.machine(tiny.BREAKING)
    for kind in ("pimc", "mcts", "ismcts"):
        found = advice(machine.start(seed=1), SearchPlayer(kind, 20))
        assert found.index == 1
        assert found.failed > 0
        assert found.counts[0] == 0
        assert found.counts[1] >= 10
    played = play_games(machine, [RandomPlayer()], games=20, seed=1, threads=1)
    assert set(played.statuses.tolist()) == {k.FINISHED, k.BY_ZERO}


@pytest.mark.parametrize("seed", range(12))
def test_random_programs_are_searched_alike_on_used_arrays(seed: int) -> None:
    machine = Machine.compile(Author(seed).program(), limits=Limits(decisions=30, lists=100_000, options=5_000))
    players = [replace(SEARCHING[(seat + seed) % 3], simulations=2, rollout_limit=20) for seat in range(machine.players)]
    used = SearchWorkspace(machine)
    used.play(players, seed=seed, game=1)
    assert same(used.play(players, seed=seed, game=0), SearchWorkspace(machine).play(players, seed=seed, game=0))
