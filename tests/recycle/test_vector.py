"""Many tables of RECYCLE games: equal to the Table, nothing hidden in the features, nonsense refused."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from meldlab.errors import MeldlabError, NoSuchThing, NotLegalHere, NotPossible
from meldlab.play import Deal, RandomPlayer, Table
from meldlab.recycle import RecycleVector, library
from meldlab.recycle.features import Features
from meldlab.recycle.game import RecycleGame
from meldlab.recycle.language.limits import Limits
from meldlab.recycle.machine import kernel_drive
from meldlab.recycle.state import State
from tests.recycle.test_pauses import with_fuel

GAMES = {name: RecycleGame.load(name) for name in library.names()}
WIDE: dict[str, Any] = {"options": 4096}
DECK = "(create deck (game vloc A) (deck (R (X, Y))))"


def seen_by_hand(state: State, seat: int, features: Features) -> dict[str, int]:
    """Return what a seat sees by name of the feature, read from its view; what is 0 is left out."""
    view, storage = state.view(seat), state.position.machine.storage
    masked, players = view.position, state.position.machine.players
    teams = state.position.teams
    count = len(set(teams))
    seen: Counter[str] = Counter({"seat": seat, "decisions": min(255, state.position.decisions), "team": teams[seat]})
    category_of = {(kind, name): category for kind, category, name in storage.addresses}
    titles = {use: features._title(use) for use in storage.addresses}

    def whose(category: str, owner: int) -> str:
        if category == "player":
            return f" of seat + {(owner - 1 - seat) % players}"
        own = teams[seat]
        return f" of team + {(owner - own) % count if own else owner - 1}" if category == "team" else ""

    for location, cards in masked.locations():
        category, owner = category_of[location.kind, location.name], location.owner
        title = titles[location.kind, category, location.name] + (f" {location.index}" if location.index else "") + whose(category, owner)
        if title not in features.planes:
            title = titles[location.kind, category, location.name] + " beyond" + whose(category, owner)
        names = [view.describer.card_names[masked.type_of(card)] for card in cards]
        if location.visible_to(seat):
            seen.update(f"{title}: {name}" for name in names)
            seen[f"{title}: top"] = masked.type_of(cards[-1]) + 1
            continue
        for card, name in zip(cards, names, strict=True):
            back = storage.backs[masked.type_of(card)]
            unseen = "unseen" if back == "DEFAULT" else f"unseen {back}"
            seen[f"{title}: {name if card in view.remembered else unseen}"] += 1
    for kind, category, owner, name, value in masked.cells():
        title = titles[kind, category, name] + whose(category, owner)
        number = value if isinstance(value, int) else storage.strings.index(value)
        seen[title if number > 0 else f"{title} below 0"] = min(255, abs(number))
    return {name: number for name, number in seen.items() if number}


def named(features: Features, row: np.ndarray) -> dict[str, int]:
    """Return the features that are not 0 by name; two types of cards may have one name."""
    total: Counter[str] = Counter()
    for at in np.flatnonzero(row).tolist():
        total[features.names[at]] += int(row[at])
    del total["choice"]
    return dict(total)


@pytest.mark.parametrize("name", library.names())
def test_every_game_is_that_of_the_table(name: str) -> None:
    game, n = GAMES[name], 3
    env = RecycleVector(game, n, seed=5, **WIDE)
    played = [
        [list(Table(game, [RandomPlayer()] * env.seats).steps(Deal(5, first + n * later))) for later in range(2)] for first in range(n)
    ]
    at = [(0, 0)] * n
    while min(at) < (2, 0):
        seen, steps = env.observe(), []
        for table, (later, number) in enumerate(at):
            step = played[table][later][number] if later < 2 else None
            steps.append(step)
            if step is None:
                continue
            assert env.games[table] == table + n * later
            assert seen.to_move[table] == step.seat
            assert seen.mask[table].sum() == env.option_counts[table] == len(step.before.view(step.seat).legal_actions())
            if number % 7 == 0:
                assert env.state(table) == step.before
                assert named(env.features, seen.features[table]) == seen_by_hand(step.before, step.seat, env.features)
        actions = env.random_actions()
        assert all(step is None or actions[table] == step.action.index for table, step in enumerate(steps))
        told = env.step(actions)
        for table, step in enumerate(steps):
            if step is None:
                continue
            later, number = at[table]
            over = step is played[table][later][-1]
            assert told.done[table] == over
            at[table] = (later + 1, 0) if over else (later, number + 1)
            if over:
                assert step.result is not None
                assert tuple(told.scores[table]) == step.result.scores
                assert told.failed[table] == (not step.result.winners)


@pytest.mark.parametrize("name", library.names())
def test_features_and_mask_do_not_depend_on_cards_that_the_seat_cannot_see(name: str) -> None:
    env, differed = RecycleVector(GAMES[name], 2, seed=3, action_keys=True, **WIDE), 0
    shown = env.copy()
    for step in range(60):
        actions = env.random_actions()
        if step % 4 == 0:
            for table in range(2):
                state = env.state(table)
                other = state.redeal(state.seat or 0, Deal(1, step).chance(step, table))
                shown.set_state(table, other)
                differed += other != state
            assert (env.action_keys == shown.action_keys).all()
            for mine, theirs in zip(env.observe(), shown.observe(), strict=True):
                assert np.asarray(mine == theirs).all()
        env.step(actions)
    assert differed or name in ("kuhn_poker", "golf_solitaire"), "nothing was ever hidden: the test tested nothing"


@pytest.mark.parametrize("name", ["euchre", "five_hundred_rum", "goofspiel", "block_rummy"])
def test_threads_pauses_and_copies_change_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # So many tables that two cores are worth it.
    one, two = (RecycleVector(GAMES[name], 150, seed=8, threads=threads, **WIDE) for threads in (1, 2))
    for step in range(60):
        if step == 20:
            two = two.copy()
        if step == 40:
            with_fuel(monkeypatch, 50)
        for mine, theirs in zip(one.step(one.random_actions()), two.step(two.random_actions()), strict=True):
            assert np.asarray(mine == theirs).all()
        for mine, theirs in zip(one.observe(), two.observe(), strict=True):
            assert np.asarray(mine == theirs).all()


def played_on(env: RecycleVector, steps: int) -> list[list[object]]:
    return [[part.tolist() for part in (*env.step(env.random_actions()), *env.observe())] for _ in range(steps)]


def test_a_copy_continues_in_the_same_way() -> None:
    env = RecycleVector(
        RecycleGame.load("golf", limits=Limits(decisions=50, work=20_000_000)),
        5,
        seed=2,
        indexes=3,
        reward="score",
        overflow="truncate",
        options=7,
    )
    played_on(env, 30)
    other = env.copy()
    assert played_on(other, 40) == played_on(env, 40)
    assert (other.games == env.games).all()
    assert repr(other) == repr(env) == "RecycleVector('golf', 5, options=7, reward='score', overflow='truncate')"


def test_a_seed_for_each_table_counts_its_own_games() -> None:
    env, alone = RecycleVector("kuhn_poker", 2, seed=[4, 9]), RecycleVector("kuhn_poker", 1, seed=9)
    for _ in range(20):
        env.step(env.random_actions())
        alone.step(alone.random_actions())
        assert env.seeds.tolist() == [4, 9]
        assert env.games[1] == alone.games[0]
        assert (env.observe().features[1] == alone.observe().features[0]).all()
    assert env.games.min() > 3
    fresh = RecycleVector("kuhn_poker", 1, seed=9)
    assert (env.reset([9, 9], first=6).features[1] == fresh.reset(9, first=6).features[0]).all()
    assert env.games.tolist() == [6, 6]
    env.reset()
    assert env.games.tolist() == [7, 7]


@pytest.mark.parametrize(
    ("name", "reward"), [(name, "score") for name in ("hearts", "scopa")] + [(name, "place") for name in library.names()]
)
def test_rewards_follow_the_scores_and_sum_to_nothing(name: str, reward: str) -> None:
    env = RecycleVector(GAMES[name], 40, seed=6, reward=reward, **WIDE)  # type: ignore[arg-type]
    sign, games = 1 if env.game.machine.scoring == "max" else -1, 0
    while games < 10:
        told = env.step(env.random_actions())
        assert not told.rewards[~told.done].any()
        for rewards, scores in zip(told.rewards[told.done].astype(float), told.scores[told.done].astype(float), strict=True):
            games += 1
            if env.seats == 1:
                assert rewards[0] == sign * scores[0]
                continue
            assert abs(rewards.sum()) < 1e-4
            teams = env.game.teams or range(env.seats)
            side = np.array([np.mean([score for score, other in zip(scores, teams, strict=True) if other == team]) for team in teams])
            if reward == "score":
                assert rewards == pytest.approx(sign * (side - scores.mean()))
            else:
                others = env.seats - env.seats // len(set(teams))
                assert rewards == pytest.approx([sum(np.sign(sign * (mine - side))) / others for mine in side])


def test_a_game_without_an_end_is_capped_and_one_that_fails_says_why() -> None:
    capped = RecycleVector(RecycleGame.load("block_rummy", limits=Limits(decisions=5)), 1)
    told = [tuple(map(bool, (t.done, t.capped, t.failed))) for t in (capped.step([0]) for _ in range(5))]
    assert told == [(False, False, False)] * 4 + [(True, True, False)]
    assert capped.step([0]).scores.tolist() == [[0, 0]]
    failing = (
        f"(game (setup (create players 2) {DECK}) (choice ((turn pass))) (do ((set (game sto N) (// 1 (game sto N))))) (scoring max 1))"
    )
    env = RecycleVector(RecycleGame("failing", failing), 1)
    result = env.step([0])
    assert (result.done.tolist(), result.failed.tolist(), result.rewards.tolist()) == ([True], [True], [[0.0, 0.0]])
    assert env.failure(0) == "division by zero"


def test_a_position_with_more_options_than_the_mask_is_refused_or_cut() -> None:
    with pytest.raises(NotPossible, match="table 1 of go_fish has 15 options, its mask 14: ask for options=15 or more"):
        RecycleVector("go_fish", 2, options=14)
    cut = RecycleVector("go_fish", 2, options=2, overflow="truncate")
    assert cut.observe().mask.tolist() == [[1, 1]] * 2
    assert cut.option_counts.tolist() == [12, 15]
    assert max(cut.random_actions()) < 2
    wide = cut.copy(options=20)
    assert wide.state(0).position.options == cut.state(0).position.options
    assert wide.observe().mask.sum(axis=1).tolist() == [12, 15]
    wide.step([11, 14])
    with pytest.raises(NotLegalHere, match="table 1: no option 2; there are 0 to 1"):
        cut.step([1, 2])


def test_an_effect_tells_what_an_option_does_wherever_it_stands() -> None:
    env = RecycleVector("block_rummy", 20, seed=2, options=20, action_keys=True)
    plain, words, numbers = RecycleVector("block_rummy", 20, seed=2), dict[tuple[int, int], set[str]](), Counter[int]()
    for _ in range(25):
        for table in range(20):
            seat = int(env.observe().to_move[table])
            for option in env.state(table).view(seat).legal_actions():
                effect = int(env.action_keys[table, option.index])
                words.setdefault((seat, effect), set()).add(str(option).removeprefix("remember").partition(";")[-1] or str(option))
                numbers[option.index] += 1
        assert not env.action_keys[env.observe().mask == 0].any()
        actions = env.random_actions()
        for mine, theirs in zip(env.step(actions), plain.step(actions), strict=True):
            assert np.asarray(mine == theirs).all()
    discards = {effect: said for effect, said in words.items() if any("to PILE" in each for each in said)}
    assert len(discards) > 50
    assert all(len(said) == 1 for said in discards.values())
    assert (env.copy(options=30).action_keys[:, :20] == env.action_keys).all()
    with pytest.raises(NotLegalHere, match="action_keys=True"):
        _ = plain.action_keys


def test_rows_grow_with_the_game() -> None:
    text = (
        f"(game (setup (create players 1) {DECK}) (stage player (end (== (game sto N) 30)) (choice ("
        " (do ((move (top (game vloc A)) (top (game vloc B (game sto N)))) (move (top (game vloc B (game sto N))) (top (game vloc A)))"
        " (inc (game sto N))))))) (scoring max (game sto N)))"
    )
    game = RecycleGame("growing", text)
    for n in (1, 130):
        env = RecycleVector(game, n)
        for _ in range(30):
            told = env.step([0] * n)
        assert told.done.all()
        assert told.scores.tolist() == [[30]] * n


def test_games_that_end_before_anybody_decides_are_passed_over() -> None:
    text = (
        f"(game (setup (create players 2) {DECK})"
        " (do ((shuffle (game vloc A)))) (stage player (end (or (== (cardatt R (top (game vloc A))) Y) (== (game sto N) 1)))"
        " (choice ((inc (game sto N))))) (scoring max 1))"
    )
    env = RecycleVector(RecycleGame("sometimes", text), 1)
    passed = [int(env.games[0])]
    for _ in range(20):
        env.step([0])
        passed.append(int(env.games[0]))
    assert set(np.diff(passed)) > {1, 2}
    with pytest.raises(NotPossible, match="10,000 games of never in a row end without a decision"):
        RecycleVector(RecycleGame("never", f"(game (setup (create players 2) {DECK}) (do ((set (game sto N) 1))) (scoring max 1))"), 2)


@pytest.mark.parametrize(
    "actions",
    [[0], [0, 0, 0], [0.0, 0.0], [True, True], ["0", "0"], None, [[0, 0]], [0, -1], [0, 2], [2**63, 0], [0, 2**64 - 1], [None, 0]],
    ids=str,
)
def test_actions_that_are_none_are_refused_before_anything_moves(actions: object) -> None:
    env = RecycleVector("kuhn_poker", 2, seed=1)
    before = [part.copy() for part in env.observe()]
    with pytest.raises(NotLegalHere):
        env.step(actions)  # type: ignore[arg-type]
    assert all((mine == theirs).all() for mine, theirs in zip(before, env.observe(), strict=True))
    assert env.state(0).position.decisions == 0


@pytest.mark.parametrize(
    "given",
    [
        {"n": 0},
        {"n": 2.5},
        {"n": 10**12},
        {"seed": -1},
        {"seed": [1, 2]},
        {"seed": [1, 2, "x"]},
        {"seed": None},
        {"options": 0},
        {"indexes": -1},
        {"reward": "luck"},
        {"overflow": "grow"},
        {"threads": -1},
        {"game": "no_such_game"},
        {"game": 7},
    ],
    ids=str,
)
def test_nonsense_is_refused_in_one_line(given: dict[str, object]) -> None:
    with pytest.raises(MeldlabError) as refused:
        RecycleVector(**{"game": GAMES["kuhn_poker"], "n": 3, **given})  # type: ignore[arg-type]
    assert "\n" not in str(refused.value)


def test_tables_and_states_of_others_are_refused() -> None:
    env = RecycleVector("kuhn_poker", 2)
    with pytest.raises(NotLegalHere, match="this is not a state of kuhn_poker"):
        env.set_state(0, GAMES["leduc_poker"].start(2, Deal()))
    *_, last = Table(GAMES["kuhn_poker"], [RandomPlayer()] * 2).steps(Deal())
    with pytest.raises(NotLegalHere, match="game is over"):
        env.set_state(0, last.after)
    for table in (-1, 2):
        with pytest.raises(NotLegalHere, match="table must be a whole number from 0 to 1"):
            env.state(table)
    with pytest.raises(NoSuchThing):
        RecycleVector("kuhn_pokr", 2)


def test_tables_of_a_broken_off_step_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    env = RecycleVector("kuhn_poker", 2, seed=1)

    def interrupted(*arguments: object) -> int:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(kernel_drive, "drive", interrupted)
        with pytest.raises(KeyboardInterrupt):
            env.step([0, 0])
    for use in (env.observe, env.random_actions, env.copy, lambda: env.step([0, 0])):
        with pytest.raises(NotPossible, match="a step was interrupted"):
            use()
    assert (env.reset(1).features == RecycleVector("kuhn_poker", 2, seed=1).observe().features).all()
