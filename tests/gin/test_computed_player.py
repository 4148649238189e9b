"""The computed player: the kernels decide as plain Python does, the table as the kernels do, and tallies count what happened."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from meldlab.cards import classes
from meldlab.chance.kernel import address, below, shuffle
from meldlab.errors import MeldlabError
from meldlab.gin import PRESETS, Rules, kernel_round, players
from meldlab.gin.batch import batch_rules, kernel_parameters, play_batch
from meldlab.gin.computing import kernel_tally as tally
from meldlab.gin.computing import playing
from meldlab.gin.computing.solver import HandClasses, solve, values_of
from meldlab.gin.kernel_hand import MELDS_PURPOSE, lay_off, pick_melds
from meldlab.gin.kernel_state import BIAS, DEADWOODS, KNOWNS, TURNS, ValueTable
from meldlab.gin.players import ComputedPlayer, GinPlayer, SimplePlayer
from meldlab.gin.value_tables import dead_cards, save
from meldlab.gpu import Device
from meldlab.play import Deal
from tests.gin import tracing as verbs
from tests.gin.small_game import Look, cards_of, deadwood, random_odds
from tests.gin.tracing import play_and_compare, trace, trace_numbers
from tests.properties.oracles import GIN

RULES = Rules(knock_limit=4, match_points=0)
CARDS, RANKS = 5, 6
SMALL = batch_rules(replace(RULES, cards=CARDS, ranks=RANKS))
DEAD = dead_cards(RANKS)
PRICE = 3.0


@pytest.fixture(scope="module")
def table() -> ValueTable:
    """Values for random odds: decisions must follow them all the same."""
    odds = random_odds(1)
    hands = HandClasses(CARDS, DEAD)
    chance = np.random.default_rng(1)
    solved = solve(hands, odds, RULES.knock_limit, upcard=0.3, kind=np.uint8, slots=[1, 3, 6, 10, 16])
    values = values_of(hands, solved, odds, PRICE)
    values.odds[:, :, BIAS] = chance.normal(0, 0.1, (TURNS + 2, KNOWNS))
    return values


@pytest.fixture(scope="module")
def look(table: ValueTable) -> Look:
    def value(hand: int, turn: int) -> float:
        slot, low, step = table.turns[turn].tolist()
        return float(low + step * int(table.codes[int(slot), int(classes.numbers([hand], CARDS, DEAD)[0])]))

    deck = [13 * suit + rank for suit in range(4) for rank in range(RANKS)]
    arrays = {name: getattr(table, name).tolist() for name in ("odds", "knock", "caught")}
    return Look(value, arrays, deck, RULES.knock_limit)


class Step(NamedTuple):
    """A decision of a seat, what it knew, and what it did."""

    number: int
    seat: int
    hand: int
    other: int
    upcard: int
    taken: int
    turn: int
    known: int
    pile: int
    verb: int
    card: int


def play(first: GinPlayer, second: GinPlayer, seed: int, game: int) -> list[list[int]]:
    return trace_numbers(first, second, SMALL, seed, game).tolist()  # type: ignore[no-any-return]


def replay(log: list[list[int]], seed: int, game: int) -> Iterator[Step]:
    """Go through a round that was played, from the deal on, and give every decision to draw or to discard."""
    deck = np.array([13 * suit + rank for suit in range(4) for rank in range(RANKS)])
    shuffle(deck, address(seed, game, 0, 0, kernel_round.DEAL))
    starter = int(below(address(seed, game, 0, 0, kernel_round.STARTER), 0, 2))
    halves = [sum(1 << int(card) for card in deck[start : start + CARDS]) for start in (0, CARDS)]
    hands, known, turns = [halves[starter], halves[1 - starter]], [0, 0], [0, 0]
    pile, passes, taken = [int(deck[2 * CARDS])], 0, -1
    for number, (seat, verb, card, *_) in enumerate(log):
        other = 1 - seat
        top, mask = pile[-1] if pile else -1, sum(1 << one for one in pile)
        now = Step(number, seat, hands[seat], hands[other], top, taken, turns[seat], known[seat], mask, verb, card)
        if verb == verbs.PASS:
            yield now
            passes += 1
        elif verb in (verbs.TAKE, verbs.DRAW):
            if not (verb == verbs.DRAW and passes == 2):
                yield now
            passes, taken = 3, -1
            hands[seat] |= 1 << card
            turns[seat] += 1
            if verb == verbs.TAKE:
                taken = pile.pop()
                known[other] |= 1 << card
        elif verb in (verbs.DROP, verbs.KNOCK):
            yield now
            hands[seat] ^= 1 << card
            pile.append(card)
            known[other] &= ~(1 << card)


@pytest.mark.slow
def test_computed_player_decides_in_kernels_as_plain_python_does(table: ValueTable, look: Look) -> None:
    asked = takes = knocks = 0
    for game in range(100):
        log = play(ComputedPlayer(table), SimplePlayer(), 3, game)
        for step in replay(log, 3, game):
            if step.seat != 0:
                continue
            asked += 1
            if step.verb in (verbs.DROP, verbs.KNOCK):
                forbidden = 1 << step.taken if step.taken >= 0 else 0
                found = sorted(look.choices(step.hand, forbidden, step.turn, step.known, step.pile), reverse=True)
                chosen = next(one for one in found if one[1:] == (step.card, step.verb == verbs.KNOCK))
                assert chosen[0] == pytest.approx(found[0][0], abs=1e-9)
                knocks += step.verb == verbs.KNOCK
            else:
                gain = look.takes(step.hand, step.upcard, step.turn, step.known, step.pile)
                assert abs(gain) < 1e-9 or (gain > 0) == (step.verb == verbs.TAKE)
                takes += step.verb == verbs.TAKE
    assert asked > 300
    assert min(takes, knocks) > 20


def points_of_knock(step: Step, hand: int, seed: int, game: int) -> int:
    """What a knock with ``hand`` wins at this step, negative if undercut."""
    melds: list[int] = []
    loose: list[int] = []
    arranged = np.zeros(4, np.int64)
    for seat, cards, at in ((step.seat, hand, step.number), (1 - step.seat, step.other, step.number + 1)):
        many = int(pick_melds(cards, np.uint64(Deal(seed, game).chance(at, seat).key(MELDS_PURPOSE)), arranged))
        loose.append(cards & ~sum(arranged[:many].tolist()))
        melds = arranged[:many].tolist() if seat == step.seat else melds
    own, rest = (sum(GIN[card % 13] for card in cards_of(cards)) for cards in loose)
    if own == 0:
        return rest + RULES.gin_bonus
    shown = np.array([*melds, *[0] * (4 - len(melds))], np.int64)
    rest = sum(GIN[card % 13] for card in cards_of(int(lay_off(loose[1], shown, len(melds)))))
    return rest - own if rest > own else rest - own - RULES.undercut_bonus


def slow_tally(first: GinPlayer, second: GinPlayer, rounds: int, seed: int) -> np.ndarray[Any, Any]:
    counts = np.zeros((tally.CELLS, 2))

    def add(cell: int, amount: float) -> None:
        counts[cell] += 1, amount

    for game in range(rounds):
        steps = list(replay(play(first, second, seed, game), seed, game))
        last = steps[-1]
        result = points_of_knock(last, last.hand ^ 1 << last.card, seed, game) if last.verb == verbs.KNOCK else 0
        points = result if last.seat == 0 else -result
        own = [at for at, step in enumerate(steps) if step.seat == 0 and step.verb in (verbs.DROP, verbs.KNOCK)]
        for at in own:
            step = steps[at]
            rest = step.hand ^ 1 << step.card
            spot, left = min(step.turn, TURNS) * KNOWNS + min(step.known.bit_count(), KNOWNS - 1), deadwood(rest)
            if left <= RULES.knock_limit:
                add(tally.KNOCK_PART + spot * DEADWOODS + left, points_of_knock(step, rest, seed, game))
            if step.verb == verbs.KNOCK:
                continue
            caught = at == own[-1] and last.verb == verbs.KNOCK
            add(tally.HAZARD_PART + spot, caught)
            if caught:
                add(tally.CAUGHT_PART + spot * DEADWOODS + left, points)
    return counts.ravel()


@pytest.mark.parametrize("computed", [True, False])
def test_tally_counts_what_happened(table: ValueTable, computed: bool) -> None:
    first = ComputedPlayer(table) if computed else SimplePlayer()
    found = playing.tally(Device("cpu"), (kernel_parameters(first), kernel_parameters(SimplePlayer())), SMALL, 9, 80)
    expected = slow_tally(first, SimplePlayer(), 80, 9)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)
    assert found[2 * tally.CAUGHT_PART : 2 * tally.CELLS : 2].sum() > 10


def test_tally_and_mirrored_wins_do_not_depend_on_threads(table: ValueTable) -> None:
    import numba

    pair, device = (table, SimplePlayer().parameters()), Device("cpu")
    before, found = numba.get_num_threads(), []
    try:
        for threads in (1, before):
            numba.set_num_threads(threads)
            found.append((playing.tally(device, pair, SMALL, 2, 20_000), playing.mirrored_wins(device, pair, SMALL, 2, 500)))
    finally:
        numba.set_num_threads(before)
    assert np.array_equal(found[0][0], found[1][0])
    assert np.array_equal(found[0][1], found[1][1])


def full_table(seed: int) -> ValueTable:
    """A table for ten cards with values of no meaning: all weights 1, so that millions of classes share a few million values."""
    numbering, odds, chance = classes.numbering(10), random_odds(seed), np.random.default_rng(seed)
    patterns = numbering.patterns.copy()
    patterns[:, 0], patterns[:, 1:5] = 0, 1
    turns = np.zeros((TURNS + 2, 3))
    turns[:, 0], turns[:, 1], turns[:, 2] = np.arange(TURNS + 2) % 2, -10.0, chance.uniform(0.05, 0.1, TURNS + 2)
    by_known = np.stack([odds.hazard, np.full_like(odds.hazard, 4.0), chance.normal(0, 0.1, odds.hazard.shape)], 2)
    deck = np.array([(1 << 52) - 1, 10], np.int64)
    codes = chance.integers(0, 256, (2, 1 << 23), np.uint8)
    return ValueTable(
        codes=codes, turns=turns, keys=numbering.keys, patterns=patterns, odds=by_known, knock=odds.knock, caught=odds.caught, deck=deck
    )


@pytest.mark.slow
@pytest.mark.parametrize(("second", "preset"), [("simple", "eaai"), ("ensemble", "oklahoma"), ("self", "pagat")])
def test_computed_player_acts_at_the_table_as_in_the_batch(second: str, preset: str) -> None:
    rules, mine = PRESETS[preset], ComputedPlayer(full_table(5), "mine")
    seated: list[Any] = [mine, mine if second == "self" else players.parse(second)]
    knocks = 0
    for own, both in enumerate((seated, seated[::-1])):
        matches = play_batch(both[0], both[1], rules, 5, 0, 2, threads=1)
        for game in range(2):
            played = play_and_compare(both[0], both[1], rules, 5, game)
            log = trace(both[0], both[1], rules, 5, game).tolist()
            knocks += sum(row[0] == own and row[1] == verbs.KNOCK for row in log)
            assert tuple(matches[game]["points"].tolist()) == played.last.scores
    assert knocks >= 3


def test_play_batch_reads_codes_of_8_and_of_16_bits_alike() -> None:
    coarse = full_table(1)
    fine = coarse._replace(codes=coarse.codes.astype(np.uint16))
    both, mixed = (play_batch(ComputedPlayer(coarse), ComputedPlayer(other), Rules(), 1, 0, 2) for other in (coarse, fine))
    assert np.array_equal(both, mixed)


@pytest.mark.parametrize(("text", "why"), [("tables:", "expected a folder"), ("tables:nowhere", "no computed player in nowhere")])
def test_parse_of_a_computed_player_names_a_missing_folder(text: str, why: str) -> None:
    with pytest.raises(MeldlabError, match=why):
        players.parse(text)


def test_parse_rejects_a_computed_player_of_a_small_game(table: ValueTable, tmp_path: Path) -> None:
    save(table, {"cards": CARDS, "ranks": RANKS}, tmp_path / "small")
    with pytest.raises(MeldlabError, match="computed for 5 cards of 24; the table deals 10 of 52"):
        players.parse(f"tables:{tmp_path / 'small'}")
