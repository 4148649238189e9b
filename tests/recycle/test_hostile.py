"""Programs that mean harm, in a process of their own: a crash there is a failed test here."""

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from meldlab.errors import BadText, NotLegalHere
from meldlab.recycle.language.limits import Limits
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.machine import Machine
from meldlab.recycle.machine.position import Position
from tests.recycle.hostile import ATTACKS, CARDS, Attack, game, many_times, names

ROOT = Path(__file__).parents[2]
GIGABYTE = 2**30


@cache
def endings() -> dict[str, dict[str, Any]]:
    """Run every attack, one after the other; those after a crash have no ending."""
    done = subprocess.run([sys.executable, "-m", "tests.recycle.hostile"], cwd=ROOT, capture_output=True, text=True, timeout=600)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return {row["name"]: row for row in rows} | {"": {"returncode": done.returncode, "stderr": done.stderr}}


@pytest.mark.slow
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_an_attack_ends_by_its_limit_and_soon(attack: Attack) -> None:
    assert attack.name in endings(), endings()[""]
    ending = endings()[attack.name]
    assert ending.get("status") == attack.status, (ending, k.REASONS[attack.status])
    assert ending["seconds"] < 20


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_an_attack_is_checked_by_playing_soon(attack: Attack) -> None:
    ending = endings()[attack.name]
    assert "W113" in ending["codes"]
    # At most 1 second on an idle core.
    assert ending["check_seconds"] < 10


def test_the_process_survived() -> None:
    assert endings()[""]["returncode"] == 0, endings()[""]


SWAP = "(swap (top (game iloc S)) (bottom (game iloc S)))"
FILLING = {
    "a shuffled list": many_times("(do ((move (top (game iloc S)) (top (game vloc T))) (inc (game sto X)) (shuffle 'L)))"),
    "a shuffled location": f"(all (range 1 .. 90000) 'N (do ((shuffle (game iloc S)) {SWAP})))",
    "new locations": f"(all (range 1 .. 60) 'N (do ((repeat 9999 {SWAP}) (move (top (game iloc S)) (top (game iloc T 'N))))))",
}


@pytest.mark.parametrize("item", FILLING)
def test_what_was_done_before_the_trail_was_full_is_taken_back(item: str) -> None:
    text = game(FILLING[item], choice=True)
    machine = Machine.compile(text)
    position = machine.start(seed=3)
    with pytest.raises(BadText, match="takes too much room"):
        assert position.options
    assert machine.workspace().words[k.STATUS] == k.OUT_OF_TRAIL
    after = machine.workspace().words[: len(position.words)]
    assert np.array_equal(after[k.HEADER :], position.words[k.HEADER :])
    kept = [k.PC, k.DECISION, k.EVENT, k.KEY, k.CARDS, k.INDEXED, k.REMEMBERED, k.FREE, k.TOP, k.TEAMS]
    assert after[kept].tolist() == position.words[kept].tolist()


# --- memory


def decks_never_made(many: int) -> str:
    return "".join(f"((== 1 2) (create deck (game vloc A) (deck ({key} (A, B, C, D, E, F, G, H, I, J)))))" for key in names(many))


def named(many: int) -> str:
    return ", ".join(names(many))


KEYS = "".join(f"({key} (A))" for key in names(3000))
UPDATES = " ".join(f"(update ((1 player) points {name}) (((A : A) 1)))" for name in names(150))
SETS = " ".join(f"(set ((1 player) points {name}) (((A : A) 1)))" for name in names(500))
WIDE = f"(set (game points P) (({' '.join(['(A : A)'] * 500)} 1)))"
MOVES = "(do ((move 'C (top ((1 player) vloc 'N))) (move 'C (top ((1 player) hloc 'N)))))"
GREEDY = {
    "decks": (game(f"(do ({decks_never_made(300)}))", players=64), "cards"),
    "attributes": (game("(turn pass)", deck=f"(create deck (game vloc A) (deck {KEYS} (Q ({named(1500)}))))"), "words of memory"),
    "awards": (game(UPDATES + WIDE, players=64), "words of memory"),
    "points": (game(SETS, players=64, deck=f"(create deck (game iloc S) (deck (A ({named(1900)}))))"), "words of memory"),
    "names": (game(f"(all ({named(6000)}) 'N (all (top 1 (game iloc S)) 'C {MOVES}))", players=64), "words of memory"),
}


@pytest.mark.parametrize("asks", GREEDY)
def test_a_program_that_asks_for_too_much_memory_is_refused_before_it_gets_any(asks: str) -> None:
    text, why = GREEDY[asks]
    script = (
        "import sys; from meldlab.recycle.machine.compiler import compile_program;"
        "from meldlab.recycle.language.checker import check;"
        "from meldlab.recycle.language.limits import Limits; from meldlab.errors import BadText\n"
        "text = sys.stdin.read()\n"
        "try: compile_program(check(text).raise_errors().program, Limits(), text)\n"
        # What getrusage says begins with the memory of the process that started this one.
        "except BadText as problem: print(open('/proc/self/status').read().split('VmHWM:')[1].split()[0], problem.problem)"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, input=text, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    kilobytes, problem = done.stdout.split(" ", 1)
    assert why in problem
    assert "[E112]" in problem
    assert int(kilobytes) * 1024 < GIGABYTE


def test_the_limit_on_words_is_the_users_to_raise_and_to_lower() -> None:
    text = game("(turn pass)", choice=True)
    with pytest.raises(BadText, match=r"raise the limit 'words'.*E112"):
        Machine.compile(text, limits=Limits(words=1000))
    with pytest.raises(BadText, match="words of memory"):
        Machine.compile(text, limits=Limits(lists=10_000_000))
    assert Machine.compile(text, limits=Limits(lists=10_000_000, words=200_000_000)).compiled.size > 30_000_000


def test_a_name_that_is_computed_often_has_one_table() -> None:
    once = "(set (game sto (cardatt A (top (game iloc S)))) 1)"
    sizes = [len(Machine.compile(game(" ".join([once] * many))).compiled.data) for many in (1, 50)]
    assert sizes[0] == sizes[1]


# --- an address may be 0


@pytest.mark.parametrize(("players", "cells"), [(2, 0), (3, 6), (4, 1)])
def test_point_maps_of_players_lie_where_they_should_whatever_the_deck(players: int, cells: int) -> None:
    bases = []
    for types in range(30, 110):
        deck = f"(create deck (game vloc A) (deck (R ({', '.join(names(types))}))))"
        sets = " ".join(f"(set (game sto {name}) 1)" for name in names(cells))
        text = (
            f"(game (setup (create players {players}) {deck}) (do ((turn pass) {sets} (set ((1 player) points P) (((R : AAB) 7)))))"
            f" (stage player once (choice ((set ((current player) sto GOT) (sum (game vloc A) using ((1 player) points P))))))"
            f" (scoring max ((current player) sto GOT)))"
        )
        machine = Machine.compile(text, limits=Limits(lists=1000, options=100))
        bases.append(machine.storage.addresses["points", "player", "P"])
        played = machine.random_games(games=1, seed=1)
        assert (played.statuses.tolist(), played.scores.tolist()) == ([k.FINISHED], [[7] * players])
    assert 0 in bases, "no deck of these has its map where a base of 0 is wanted"


# --- work


def fails(position: Position) -> bool:
    """Tell whether diagnostic the options of a position is too much for its game."""
    try:
        return not position.options
    except BadText as problem:
        return "'game_work'" in str(problem)


def test_work_is_charged_the_same_at_the_table_and_in_the_kernel() -> None:
    text = (
        f"(game (setup (create players 1) {CARDS}) (stage player (end (== 1 2))"
        " (choice ((any (range 1 .. 30) 'N (set (game sto X) (sum (game iloc S) using (game points P))))))) (scoring max 1))"
    )
    machine = Machine.compile(text, limits=Limits(game_work=100_000))
    played = machine.random_games(games=1, seed=1)
    position = machine.start(seed=1)
    while position.status == k.DECIDING and not fails(position):
        position = position.take(0)
    assert played.statuses.tolist() == [k.OVERLONG]
    assert played.decisions.tolist() == [position.decisions]
    assert position.decisions > 3


def test_what_cannot_be_told_any_more_stops_the_telling_and_not_the_game() -> None:
    machine = Machine.compile(game("(repeat 30000 (inc (game sto X)))"))
    with pytest.raises(NotLegalHere, match="too much happens"):
        machine.first_transition(seed=1)
    position, known = machine.start_with_known(seed=1)
    assert position.status == k.FINISHED
    assert not known.any()
    assert machine.random_games(games=1, seed=1).statuses.tolist() == [k.FINISHED]
