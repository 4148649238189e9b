"""Nothing that a stranger can write leads a kernel out of its arrays.

Under NUMBA_BOUNDSCHECK=1 an index outside raises; without it, these games must at least end and tell results that can be.
"""

from dataclasses import fields, replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from meldlab.arena.contest import play_contest
from meldlab.arena.tasks import contest_task
from meldlab.cards import CARDS, Hand
from meldlab.errors import MeldlabError, NotLegalHere, NotPossible
from meldlab.gin import Gin, Rules, players
from meldlab.gin.batch import batch_rules, kernel_parameters, new_states, play_batch
from meldlab.gin.kernel_match import play_matches
from meldlab.gin.kernel_state import MATCH, MAX_ROUNDS, NetworkParameters
from meldlab.gin.network_files import FOLDER
from meldlab.gin.players import Ensemble, EnsemblePlayer, GinPlayer, MarjjPlayer, SimplePlayer
from meldlab.gin.players.ensemble import BOUNDS, PRESETS
from meldlab.gin.value_tables import load, save
from meldlab.gin.view import best_melds
from meldlab.play import Deal
from meldlab.reproduce.nagai.tracking import track_task
from meldlab.runs.tasks import Task
from meldlab.tuning.ensemble_space import DIMENSIONS, ensemble_at
from tests.gin.test_value_tables import FACTS, small_table
from tests.gin.tracing import trace

EDGES = (0.0, 1.0, 0.5)


def random_rules(chance: Random) -> Rules:
    """Any rules that the kernels play; most matches are short, so that many can be tried."""
    return Rules(
        knock_limit=chance.choice((0, 3, 10, 40, 10_000)),
        oklahoma=chance.random() < 0.2,
        gin_bonus=chance.choice((0, 25, 10_000)),
        big_gin_bonus=chance.choice((0, 31)),
        undercut_bonus=chance.choice((0, 25)),
        equal_deadwood=chance.choice(("undercut", "nothing")),
        lay_off=chance.choice(("greedy", "choice")),
        offer_upcard=chance.random() < 0.5,
        stock_floor=chance.choice((0, 1, 2, 15, 29)),
        max_upcard_draws=chance.choice((0, 1, 2, 7)),
        max_draws=chance.choice((1, 2, 9, 60, 1000)),
        first_starter=chance.choice(("random", "first")),
        next_starter=chance.choice(("alternates", "winner", "loser")),
        match_points=chance.choice((0, 0, 1, 30, 100)),
    )


def between(chance: Random, low: float, high: float) -> float:
    return low + (high - low) * (chance.choice(EDGES) if chance.random() < 0.4 else chance.random())


def random_ensemble(chance: Random) -> Ensemble:
    """Any ensemble that the constructor lets through, its edges often."""
    found: dict[str, Any] = {}
    for field in fields(Ensemble):
        default = getattr(Ensemble, field.name)
        if field.name not in BOUNDS:
            found[field.name] = chance.choice({"own_discard": ("taken", "top"), "upcard_meld": ("best", "any")}[field.name])
            continue
        low, high = BOUNDS[field.name]
        whole = isinstance(default[0] if isinstance(default, tuple) else default, int)
        many = len(default) if isinstance(default, tuple) else 1
        numbers = [round(between(chance, low, high)) if whole else between(chance, low, high) for _ in range(many)]
        found[field.name] = tuple(numbers) if isinstance(default, tuple) else numbers[0]
    for name in ("draws", "declines", "discards"):
        one, two, same = found[name]
        found[name] = (max(one, two), min(one, two), same)
    for name, least in (("adjacency", 3), ("weights", 6)):
        raw = [chance.random() + 1e-3 for _ in range(least)]
        found[name] = tuple(each / sum(raw) for each in raw)
    same, one, two = found["adjacency"]
    found["adjacency"] = (same, max(one, two), min(one, two))
    sets = chance.random()
    found["meldability"] = (*found["meldability"][:2], sets, 1 - sets)
    found["turn_penalty"] = (found["turn_penalty"][0], chance.uniform(0, 10))
    found["known_penalty"] = (found["known_penalty"][0], chance.uniform(0, 10))
    return Ensemble(**found)


@pytest.mark.parametrize("portion", range(6))
def test_play_batch_stays_within_its_arrays_for_random_ensembles_and_rules(portion: int) -> None:
    chance = Random(portion)
    others = [SimplePlayer(), SimplePlayer.parse("knock:10,0,6"), players.parse("network:light"), EnsemblePlayer(PRESETS["best"])]
    for number in range(40):
        first, second = EnsemblePlayer(random_ensemble(chance)), chance.choice([*others, EnsemblePlayer(random_ensemble(chance))])
        matches = play_batch(first, second, random_rules(chance), number, 0, 4, threads=1)
        assert (matches["rounds"] >= 1).all()
        assert (matches["rounds"] <= MAX_ROUNDS).all()
        assert (matches["rounds_won"].sum(1) + matches["voids"] <= matches["rounds"]).all()
        assert np.isin(matches["winner"], (-1, 0, 1)).all()


def test_ensemble_bounds_include_every_preset_and_the_whole_search_space() -> None:
    chance = Random(1)
    for _ in range(300):
        ensemble_at({each.name: between(chance, each.low, each.high) for each in DIMENSIONS})
    assert {field.name for field in fields(Ensemble)} - set(BOUNDS) == {"own_discard", "upcard_meld"}
    for preset in PRESETS.values():
        assert replace(preset) == preset


@pytest.mark.parametrize(
    "line",
    [
        *("feed = [1e12, 0.0]", "feed = [1e15, 0.0]", "feed = [1e300, 1e300]", "feed = [nan, 0.0]", "feed = [0.0, -inf]"),
        *("melded = nan", "melded = -1e300", "turn_penalty = [inf, inf]", "turn_penalty = [nan, nan]", "turn_penalty = [1.0, 99.0]"),
        *("known_penalty = [1e308, 1e308]", "meldability_most = nan", "adjacency_most = nan", "adjacency_most = 1e-300"),
        *("deadwood_power = nan", "deadwood_power = -1.0", f"turn_lag = {10**400}", f"draw_turn = {10**400}", f"knock = [{10**400}, 0, 0]"),
        *("draw_need = nan", "draw_promise = inf", "knock_weights = [nan, 0.0, 0.0, 0.0, 0.0]", "draw_reduction = nan"),
        *(f"melded = 1{'0' * 5000}", "weights = [nan, nan, nan, nan, nan, nan]", "draw_to_knock = -2"),
    ],
)
def test_ensemble_parse_rejects_impossible_numbers_in_one_line(line: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(line)
    with pytest.raises(MeldlabError) as refused:
        play_contest(Gin(), [f"ensemble:{path}", "simple"], 200, seed=1)
    said = str(refused.value).splitlines()[0]
    assert line.partition(" ")[0] in said or "more digits than can be read" in said or "not TOML" in said
    assert len(said) < 200


@pytest.mark.parametrize("player", ["random", "mc:4"])
def test_kernel_parameters_rejects_players_of_the_table(player: str) -> None:
    with pytest.raises(NotLegalHere, match=f"{player} does not play in the batch kernel"):
        kernel_parameters(players.parse(player))
    assert contest_task(Task("contest", player, "simple", games=2))["games"] == 2, "the table plays them"


@pytest.mark.parametrize("cards", [12, 15, 18, 52])
def test_best_melds_rejects_hands_that_are_too_large(cards: int) -> None:
    # Ranks by threes, so that every three cards are a meld.
    hand = Hand(sorted(CARDS, key=lambda card: (card.index // 13 == 3, card.index % 13))[:cards])
    assert len(hand) == cards
    view, chance = Gin().start(2, Deal(1)).view(0), Deal(1).chance(0, 0)
    with pytest.raises(NotLegalHere, match=f"expected a hand of at most 11 cards, got {cards}"):
        best_melds(hand.mask)
    for player in (GinPlayer(), MarjjPlayer()):
        with pytest.raises(NotLegalHere, match=f"expected a hand of at most 11 cards, got {cards}"):
            player.melds(view, hand, chance)


@pytest.mark.parametrize("mask", [-1, 1 << 52, 1 << 70])
def test_best_melds_rejects_masks_of_no_hand(mask: int) -> None:
    with pytest.raises(NotLegalHere, match="expected a hand of at most 11 cards, got"):
        best_melds(mask)


def test_track_task_plays_the_opponent_that_it_names() -> None:
    shard = Task("gin.track", (0.5,) * 9, "network:light", games=4)
    totals = np.array(track_task(shard)["totals"])
    assert np.isfinite(totals).all()
    # The opponent that is played is the one that was asked for: it plays otherwise than the simple player.
    assert not np.array_equal(totals, np.array(track_task(replace(shard, opponent="simple"))["totals"]))


@pytest.mark.parametrize(
    ("rules", "why"),
    [("openspiel", "max_upcard_draws"), ('{"preset": "eaai", "wall_knock": true}', "wall_knock, a last knock at the wall")],
)
def test_track_task_names_rules_that_cannot_be_tracked(rules: str, why: str) -> None:
    with pytest.raises(NotLegalHere, match=why):
        track_task(Task("gin.track", (0.5,) * 9, "simple", rules=rules, games=2))


def test_rules_that_the_kernels_do_not_play_are_named_everywhere() -> None:
    rules, simple = replace(Rules(), wall_knock=True), SimplePlayer()
    for call in (
        lambda: batch_rules(rules),
        lambda: play_batch(simple, simple, rules, 1, 0, 2),
        lambda: trace(simple, simple, rules, 1, 0),
    ):
        with pytest.raises(NotLegalHere, match="wall_knock, a last knock at the wall"):
            call()


def test_batch_rules_holds_every_rule_of_a_round_or_rejects_it() -> None:
    plain = batch_rules(Rules())
    changes: dict[str, Any] = {"equal_deadwood": "nothing", "lay_off": "choice", "first_starter": "first", "next_starter": "winner"}
    changes |= {"cards": 9, "ranks": 12, "suits": 3}
    unseen = set()
    for field in fields(Rules):
        default = getattr(Rules(), field.name)
        value = changes[field.name] if field.name in changes else (not default) if isinstance(default, bool) else default + 1
        needed: dict[str, Any] = {"return_upcard": True} if field.name == "void_if_returned_twice" else {}
        changed = replace(Rules(), **{**needed, field.name: value})
        if field.name == "wall_knock":
            with pytest.raises(NotLegalHere, match="wall_knock"):
                batch_rules(changed)
        elif batch_rules(changed) == plain:
            unseen.add(field.name)
    assert unseen == {"lay_off", "game_bonus", "shutout_bonus", "box_bonus"}


@pytest.mark.parametrize("value", [-1, 10_001, 2**40, 10**30])
def test_rules_read_rejects_numbers_out_of_bounds(value: int) -> None:
    for name in ("gin_bonus", "match_points", "knock_limit"):
        with pytest.raises(NotLegalHere, match=f"{name} must be a whole number from 0 to 10000"):
            Rules.read({name: value})


def test_play_matches_discards_cards_of_the_hand_whatever_a_player_computes() -> None:
    # Numbers that are not finite never pass kernel_parameters; should one arise inside, a card of the hand is still what is discarded.
    ensemble = Ensemble().parameters()._replace(feed=(np.nan, np.nan))
    light = kernel_parameters(players.parse("network:light"))
    assert isinstance(light, NetworkParameters)
    network = light._replace(weights=light.weights._replace(last=np.full_like(light.weights.last, np.nan)))
    matches = np.zeros(10, MATCH)
    play_matches(ensemble, network, 0, batch_rules(Rules(match_points=0)), new_states(1, 0), matches)
    assert (matches["rounds"] == 1).all()


@pytest.mark.parametrize("slot", [1e9, 2.0, -1.0, 0.5, np.nan, np.inf])
def test_load_rejects_slots_that_are_not_there_in_one_line(slot: float, tmp_path: Path) -> None:
    save(small_table(np.uint8), FACTS, tmp_path / "mine")
    with np.load(tmp_path / "mine" / "book.npz") as kept:
        arrays = dict(kept)
    arrays["turns"][:, 0] = slot
    np.savez(tmp_path / "mine" / "book.npz", **arrays)
    with pytest.raises(NotPossible, match="is damaged: not a value table: turns") as refused:
        load(tmp_path / "mine")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", ["odds", "knock", "caught", "turns", "deck"])
def test_load_rejects_arrays_of_another_shape_or_not_finite(name: str, tmp_path: Path) -> None:
    save(small_table(np.uint8), FACTS, tmp_path / "mine")
    with np.load(tmp_path / "mine" / "book.npz") as kept:
        good = dict(kept)
    changes: list[Any] = [good[name][:-1], good[name].astype(np.float32), np.zeros(0)]
    if name != "deck":
        spoilt = good[name].copy()
        spoilt.flat[-1] = np.nan
        changes.append(spoilt)
    for changed in changes:
        np.savez(tmp_path / "mine" / "book.npz", **{**good, name: changed})
        with pytest.raises(NotPossible, match="is damaged"):
            load(tmp_path / "mine")
    (tmp_path / "mine" / "book.npz").write_bytes(b"PK\x03\x04 not a zip")
    with pytest.raises(NotPossible, match="is damaged"):
        load(tmp_path / "mine")


@pytest.mark.parametrize(
    "damage",
    [
        {"rows": np.zeros((1, 1), np.float32)},
        {"first": np.full((65, 32), np.inf, np.float32)},
        {"last": np.zeros((33, 2), np.float32)},
        {"notes": np.array("no json")},
        {},
    ],
)
def test_parse_rejects_a_damaged_network_in_one_line(damage: dict[str, Any], tmp_path: Path) -> None:
    with (FOLDER / "light.npz").open("rb") as file:
        arrays = dict(np.load(file))
    path = tmp_path / "mine.npz"
    np.savez(path, **{**arrays, **damage})
    if not damage:
        path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(NotPossible, match=r"mine\.npz (cannot be played: not a network|holds no network): ") as refused:
        players.parse(f"network:{path}")
    assert "\n" not in str(refused.value)
