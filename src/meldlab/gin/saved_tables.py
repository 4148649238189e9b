"""Whether saved tables can be: kernels look cards up without asking whether they are there, and anybody can write a file."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meldlab.errors import NotLegalHere
from meldlab.gin.kernel_layout import HAND, N_DRAWS, PILE, PILED, STEP, STOCK_LEFT, TURN, UPCARDS
from meldlab.gin.kernel_round import MOST_ROUNDS
from meldlab.gin.kernel_vector import DREW, GAME, OWN, PHASE, RETURNED, ROUND, SEED, STARTED, TO_MOVE, TOOK
from meldlab.gin.view import HAND_CARDS, Phase

__all__ = ["check_tables"]

# The least and the most of each note that a kernel counts or looks up with.
BOUNDS = {
    PHASE: (Phase.OFFER, Phase.LAST),
    TO_MOVE: (0, 1),
    STARTED: (0, 1),
    OWN: (-1, 1),
    ROUND: (0, MOST_ROUNDS - 1),
    SEED: (0, 2**63 - 1),
    GAME: (0, 2**62),
    STEP: (0, 2**31),
    STOCK_LEFT: (0, 31),
    PILED: (0, 32),
    DREW: (-1, 51),
    TOOK: (-1, 51),
    RETURNED: (-1, 51),
    TURN: (0, 20_000),
    TURN + 1: (0, 20_000),
    N_DRAWS: (0, 20_000),
    UPCARDS: (0, 20_000),
}
CARDS = np.arange(52)


def check_tables(saved: Mapping[str, NDArray[Any]]) -> None:
    """Raise unless every card is in one place, and all that is looked up with lies where it can."""
    notes, deck, pile, order, belief = (saved[name] for name in ("notes", "deck", "pile", "order", "belief"))
    for place, (least, most) in BOUNDS.items():
        _check(((notes[:, place] >= least) & (notes[:, place] <= most)).all())
    _check((np.sort(deck, 1) == CARDS).all())
    piled, stock, to_move, phase = (notes[:, place] for place in (PILED, STOCK_LEFT, TO_MOVE, PHASE))
    lying = np.arange(pile.shape[1]) < piled[:, None]
    _check(((pile & 63)[lying] < 52).all() and (pile[lying] < 64 * 3).all())
    rows = np.arange(len(notes))
    where = np.zeros((len(notes), 52), np.int64)  # in how many places each card is
    np.add.at(where, (np.nonzero(lying)[0], (pile & 63)[lying]), 1)
    _check((where == _cards(notes[:, PILE])).all())
    where += np.take_along_axis(CARDS[None, :] >= 52 - stock[:, None], np.argsort(deck, 1), 1)
    hands = np.stack([_cards(notes[:, HAND]), _cards(notes[:, HAND + 1])], 1)
    _check((where + hands.sum(1) == 1).all() and (notes[:, [HAND, HAND + 1, PILE]] >> 52 == 0).all())
    dropping = np.isin(phase, (Phase.DROP, Phase.LAST))
    _check((hands[rows, to_move].sum(1) == HAND_CARDS + dropping).all() and (hands[rows, 1 - to_move].sum(1) == HAND_CARDS).all())
    drawn = notes[:, DREW]
    _check((hands[rows, to_move][dropping, drawn[dropping]] == 1).all() and (drawn[dropping] >= 0).all())
    _check((piled[~dropping] > 0).all() and (stock[np.isin(phase, (Phase.FORCED, Phase.DRAW))] > 0).all())
    _check(((order >= 0) & (order < 52)).all() and np.isfinite(belief).all())
    if belief.size:
        # An ensemble goes through its hand in the order in which it came; it is never to move in what is saved.
        held = np.sort(order[rows, 1 - to_move, :HAND_CARDS], 1)
        _check((np.take_along_axis(hands[rows, 1 - to_move], held, 1) == 1).all() and (np.diff(held, axis=1) > 0).all())


def _cards(masks: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return [n, 52], 1 for each card of a hand."""
    return masks[:, None] >> CARDS & 1


def _check(holds: Any) -> None:
    if not holds:
        raise NotLegalHere("no tables of gin")
