"""Nothing that a stranger can write leads a kernel out of its arrays.

Under NUMBA_BOUNDSCHECK=1 an index outside raises; without it, these games must at least end and tell results that can be.
"""

from dataclasses import fields, replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from meldlab.errors import MeldlabError, NotLegalHere, NotPossible
from meldlab.gin import Gin, Rules, kernel_round, players
from meldlab.gin.batch import pair_of, play_batch, rule_vector, seat, trace
from meldlab.gin.book import NO_NETWORK, NO_VALUES
from meldlab.gin.kernel_layout import COMPUTED, ENSEMBLE, KIND, LIGHT, PARAMETERS
from meldlab.gin.players import ComputedPlayer, Ensemble, EnsemblePlayer, LightPlayer, SimplePlayer
from meldlab.gin.players.ensemble import BOUNDS, PRESETS
from meldlab.gin.players.light import FOLDER
from meldlab.gin.values.folder import load, save
from meldlab.lab.arena.contest import contest
from meldlab.lab.arena.shards import play_shard
from meldlab.lab.runs.shards import Shard
from meldlab.lab.tuning.space import DIMENSIONS, player_at
from meldlab.lab.tuning.tracking import play_shard as track_shard
from tests.gin.test_tables import FACTS, small_book

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
        most_upcard_draws=chance.choice((0, 1, 2, 7)),
        most_draws=chance.choice((1, 2, 9, 60, 1000)),
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
def test_random_ensembles_under_random_rules_stay_inside(portion: int) -> None:
    chance = Random(portion)
    others = [SimplePlayer(), SimplePlayer.parse("knock:10,0,6"), players.parse("computed:light"), EnsemblePlayer(PRESETS["best"])]
    for number in range(40):
        first, second = random_ensemble(chance), chance.choice([*others, random_ensemble(chance)])
        rules = random_rules(chance)
        counts = play_batch(first, second, rules, number, 0, 4, threads=1)
        assert (counts[:, kernel_round.ROUNDS] >= 1).all()
        assert (counts[:, kernel_round.ROUNDS] <= kernel_round.MOST_ROUNDS).all()
        won, void = counts[:, kernel_round.WON] + counts[:, kernel_round.WON + 1], counts[:, kernel_round.VOIDS]
        assert (won + void <= counts[:, kernel_round.ROUNDS]).all()
        assert np.isin(counts[:, kernel_round.WINNER_SEAT], (-1, 0, 1)).all()


def test_every_preset_and_the_whole_space_of_the_search_lie_within_the_bounds() -> None:
    chance = Random(1)
    for _ in range(300):
        player_at({each.name: between(chance, each.low, each.high) for each in DIMENSIONS})
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
def test_numbers_that_mean_nothing_are_refused_in_one_line(line: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(line)
    with pytest.raises(MeldlabError) as refused:
        contest(Gin(), [f"ensemble:{path}", "simple"], 200, seed=1)
    said = str(refused.value).splitlines()[0]
    assert line.partition(" ")[0] in said or "not TOML" in said
    assert len(said) < 200


def vector(**changes: float) -> tuple[float, ...]:
    numbers = Ensemble().vector()
    for at, value in changes.items():
        numbers[int(at.removeprefix("at"))] = value
    return tuple(numbers.tolist())


@pytest.mark.parametrize(
    ("numbers", "why"),
    [
        ((0.0,) * (PARAMETERS - 1), f"{PARAMETERS} parameters, not {PARAMETERS - 1}"),
        (vector(at0=float(COMPUTED)), "a simple player (0) or an ensemble (1), not of kind 2"),
        (vector(at0=float(LIGHT)), "not of kind 3"),
        (vector(at0=0.5), "not of kind 0.5"),
        (vector(at0=float("nan")), "not of kind nan"),
        (vector(at41=float("inf")), "parameter 41 of a player is a number up to 1,000,000, not inf"),
        (vector(at41=float("nan")), "parameter 41"),
        (vector(at41=1e12), "parameter 41"),
    ],
)
def test_bare_numbers_are_looked_at(numbers: tuple[float, ...], why: str) -> None:
    with pytest.raises(NotLegalHere) as refused:
        play_shard(Shard("gin.contest", numbers, "simple", games=2))
    assert why in str(refused.value)


def test_bare_numbers_play_as_the_player_they_are() -> None:
    named, bare = (play_shard(Shard("gin.contest", who, "simple", games=20)) for who in ("ensemble", vector()))
    assert named == bare


@pytest.mark.parametrize("player", ["random", "mc:4"])
def test_players_of_the_table_are_not_seated_in_the_kernel(player: str) -> None:
    with pytest.raises(NotLegalHere, match=f"{player} does not play in the batch kernel"):
        seat(players.parse(player))
    with pytest.raises(NotLegalHere, match=player):
        play_shard(Shard("gin.contest", player, "simple", games=2))


def test_a_kernel_player_without_its_book_is_refused() -> None:
    with pytest.raises(NotLegalHere, match="no network: rows"):
        LightPlayer(NO_NETWORK)
    with pytest.raises(NotLegalHere, match="no book of values"):
        ComputedPlayer(NO_VALUES)


def test_a_tracked_opponent_brings_its_book() -> None:
    shard = Shard("gin.track", (0.5,) * 9, "computed:light", games=4)
    totals = np.array(track_shard(shard)["totals"])
    assert np.isfinite(totals).all()
    # The opponent that is played is the one that was asked for: it plays otherwise than the simple player.
    assert not np.array_equal(totals, np.array(track_shard(replace(shard, opponent="simple"))["totals"]))


@pytest.mark.parametrize(
    ("rules", "why"),
    [("openspiel", "most_upcard_draws"), ('{"preset": "eaai", "wall_knock": true}', "wall_knock, a last knock at the wall")],
)
def test_rules_that_cannot_be_tracked_are_named(rules: str, why: str) -> None:
    with pytest.raises(NotLegalHere, match=why):
        track_shard(Shard("gin.track", (0.5,) * 9, "simple", rules=rules, games=2))


def test_rules_that_the_kernels_do_not_play_are_named_everywhere() -> None:
    rules, simple = replace(Rules(), wall_knock=True), SimplePlayer()
    for call in (
        lambda: rule_vector(rules),
        lambda: play_batch(simple, simple, rules, 1, 0, 2),
        lambda: trace(simple, simple, rules, 1, 0),
    ):
        with pytest.raises(NotLegalHere, match="wall_knock, a last knock at the wall"):
            call()


def test_every_rule_is_in_the_vector_or_refused_or_does_not_concern_the_kernels() -> None:
    plain = rule_vector(Rules())
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
                rule_vector(changed)
        elif np.array_equal(rule_vector(changed), plain):
            unseen.add(field.name)
    assert unseen == {"lay_off", "game_bonus", "shutout_bonus", "box_bonus"}


@pytest.mark.parametrize("value", [-1, 10_001, 2**40, 10**30])
def test_rules_have_bounds(value: int) -> None:
    for name in ("gin_bonus", "match_points", "knock_limit"):
        with pytest.raises(NotLegalHere, match=f"{name} must be a whole number from 0 to 10000"):
            Rules.read({name: value})


def test_a_kernel_chooses_a_card_whatever_it_computes() -> None:
    # Numbers that are none never pass the doors; should one arise inside, a card of the hand is still what is discarded.
    spoilt = Ensemble().vector()
    spoilt[41:43] = np.nan
    assert spoilt[KIND] == ENSEMBLE
    network = players.parse("computed:light")
    assert isinstance(network, LightPlayer)
    pair = pair_of(EnsemblePlayer(), network)
    pair.vectors[0] = spoilt
    bad = pair.books[1]._replace(network=network.network._replace(last=np.full_like(network.network.last, np.nan)))
    counts, log = np.zeros((10, kernel_round.COUNTS), np.int32), np.empty((0, kernel_round.LOG_WIDTH), np.int64)
    kernel_round.play_some(pair._replace(books=(pair.books[0], bad)), rule_vector(Rules(match_points=0)), 1, 0, 10, log, counts)
    assert (counts[:, kernel_round.ROUNDS] == 1).all()


@pytest.mark.parametrize("slot", [1e9, 2.0, -1.0, 0.5, np.nan, np.inf])
def test_a_damaged_folder_is_one_line(slot: float, tmp_path: Path) -> None:
    save(small_book(np.uint8), FACTS, tmp_path / "mine")
    with np.load(tmp_path / "mine" / "book.npz") as kept:
        arrays = dict(kept)
    arrays["turns"][:, 0] = slot
    np.savez(tmp_path / "mine" / "book.npz", **arrays)
    with pytest.raises(NotPossible, match="is damaged: no book of values: turns") as refused:
        load(tmp_path / "mine")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", ["odds", "knock", "caught", "turns", "deck"])
def test_a_book_is_finite_and_of_its_shape(name: str, tmp_path: Path) -> None:
    save(small_book(np.uint8), FACTS, tmp_path / "mine")
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
def test_a_damaged_network_is_one_line(damage: dict[str, Any], tmp_path: Path) -> None:
    with (FOLDER / "light.npz").open("rb") as file:
        arrays = dict(np.load(file))
    path = tmp_path / "mine.npz"
    np.savez(path, **{**arrays, **damage})
    if not damage:
        path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(NotPossible, match=r"mine\.npz (cannot be played: no network|holds no network): ") as refused:
        players.parse(f"computed:{path}")
    assert "\n" not in str(refused.value)
