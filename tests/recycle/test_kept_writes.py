"""What an option did when it was found is done again: the same games as if every option were followed from its beginning."""

import numpy as np
import pytest

from meldlab.recycle import library
from meldlab.recycle.language.limits import Limits
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.kernel_drive import new_job, run_job
from meldlab.recycle.machine.kernel_search import Results
from meldlab.recycle.machine.machine import Machine

CARDS = "(create deck (game iloc S) (deck (A (V, W, X, Y, Z)) (B (I, J, K, L))))"
LOOKS = "(scoring max (+ (size (game vloc HEAP 1)) (* 10 (score (top (game vloc HEAP 2)) using (game points P)))))"
POINTS = "(do ((set (game points P) (((A : V) 1) ((A : W) 2) ((A : X) 3) ((B : J) 10) ((B : K) 20) ((B : L) 30)))))"


def program_text(*items: str) -> str:
    """Return a game of thirty decisions, which end where cards lie that the score tells apart."""
    return f"""(game (setup (create players 2) {CARDS}) {POINTS}
     (do ((move (top (game iloc S)) (top (game vloc HEAP 2)))))
     (stage player (end (== (game sto N) 30)) (do ((inc (game sto N)))) (choice ({" ".join(items)}))) {LOOKS})"""


ANY_CARD = "(any (game iloc S) 'C (do ({} (move 'C (bottom (game iloc S))) (move (top (game iloc S)) (1 (game iloc S))))))"
GAMES = {
    "shuffles": program_text("(do ((shuffle (game iloc S)) (move (top (game iloc S)) (top (game vloc HEAP 2)))))", "(turn pass)"),
    "new locations": program_text(
        "(do ((move (top (game iloc S)) (top (game vloc HEAP (game sto N)))) (inc (game sto M))))", "(turn pass)"
    ),
    "chance": program_text("(do ((set (game sto M) (random 5)) (move (top (game iloc S)) (bottom (game iloc S)))))", "(turn pass)"),
    "many writes": program_text(ANY_CARD.format("(swap (top (game iloc S)) (bottom (game iloc S)))"), "(turn pass)"),
    "few writes": program_text(ANY_CARD.format("(inc (game sto M))"), "(any (range 1 .. 40) 'I (set (game sto M) 'I))"),
    "nothing moved last": program_text("((== (game sto M) 0) (inc (game sto M)))", "(move (top (game iloc S)) (bottom (game iloc S)))"),
}


def played(machine: Machine, logging: int) -> list[list[int]]:
    # A game that is written down follows every option.
    statuses, errors, decisions, options = np.zeros((4, 20), np.int64)
    columns = Results(statuses, errors, decisions, options, np.zeros((20, machine.players), np.int64))
    words = machine.workspace().words
    words[k.LOGGING] = logging
    run_job(machine.program, words.reshape(1, -1), new_job(k.PLAY, seed=4, games=20, limit=machine.limits.decisions), columns)
    words[k.LOGGING] = 0
    return [column.tolist() for column in (columns.statuses, columns.decisions, columns.options, columns.scores)]


@pytest.mark.parametrize("name", library.names())
def test_games_are_the_same_without_following_options(name: str) -> None:
    machine = Machine.compile(library.entry(name).text, limits=Limits(decisions=200))
    assert played(machine, logging=0) == played(machine, logging=1)


@pytest.mark.parametrize("text", GAMES.values(), ids=GAMES)
def test_what_cannot_be_done_again_is_followed(text: str) -> None:
    machine = Machine.compile(text, limits=Limits(decisions=200))
    kept, followed = played(machine, logging=0), played(machine, logging=1)
    assert set(kept[0]) <= {k.FINISHED, k.NO_CARD}
    assert kept == followed
