"""The computed player: the kernels decide as plain Python does, the table as the kernels do, and the diaries say what happened."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from meldlab.cards import classes
from meldlab.chance.kernel import address, below, shuffle
from meldlab.errors import MeldlabError
from meldlab.gin import PRESETS, Gin, Move, Rules, kernel_round, players
from meldlab.gin import kernel_layout as verbs
from meldlab.gin.batch import pair_of, play_batch, rule_vector, trace
from meldlab.gin.book import NO_VALUES
from meldlab.gin.kernel import MELDS, lay_off, pick_melds
from meldlab.gin.kernel_layout import KNOWNS, TURNS, Values
from meldlab.gin.players import ComputedPlayer, GinPlayer, SimplePlayer
from meldlab.gin.values import kernel_tally as tally
from meldlab.gin.values.folder import dead_cards
from meldlab.gin.values.recursion import Engine, Field, solve, values_of
from meldlab.play import Deal, Table
from tests.gin.small_game import Look, cards_of, deadwood, random_odds
from tests.gin.test_players import move_of
from tests.properties.oracles import GIN

RULES = Rules(knock_limit=4, match_points=0)
CARDS, RANKS = 5, 6
DEAD = dead_cards(RANKS)
PRICE = 3.0


@pytest.fixture(scope="module")
def book() -> Values:
    """Values for odds that are nobody's: decisions must follow them all the same."""
    odds = random_odds(1)
    field = Field(CARDS, DEAD)
    chance = np.random.default_rng(1)
    solved = solve(field, odds, RULES.knock_limit, upcard=0.3, kind=np.uint8, slots=[1, 3, 6, 10, 16])
    return values_of(field, solved, odds, np.full(TURNS + 2, PRICE), chance.normal(0, 0.1, (TURNS + 2, KNOWNS)))


@pytest.fixture(scope="module")
def look(book: Values) -> Look:
    def value(hand: int, turn: int) -> float:
        slot, low, step = book.turns[turn].tolist()
        return float(low + step * int(book.codes[int(slot), int(classes.numbers([hand], CARDS, DEAD)[0])]))

    deck = [13 * suit + rank for suit in range(4) for rank in range(RANKS)]
    arrays = {name: getattr(book, name).tolist() for name in ("odds", "knock", "caught")}
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
    log, counts = np.zeros((400, kernel_round.LOG_WIDTH), np.int64), np.zeros((1, kernel_round.COUNTS), np.int32)
    vector = rule_vector(replace(RULES, cards=CARDS, ranks=RANKS))
    kernel_round.play_some(pair_of(first, second), vector, seed, game, 1, log, counts)
    return log[: counts[0, kernel_round.STEPS]].tolist()  # type: ignore[no-any-return]


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


def test_the_kernels_look_ahead_as_plain_python_does(book: Values, look: Look) -> None:
    asked = takes = knocks = 0
    for game in range(100):
        log = play(ComputedPlayer(book), SimplePlayer(), 3, game)
        for step in replay(log, 3, game):
            if step.seat != 0:
                continue
            asked += 1
            if step.verb in (verbs.DROP, verbs.KNOCK):
                barred = 1 << step.taken if step.taken >= 0 else 0
                found = sorted(look.choices(step.hand, barred, step.turn, step.known, step.pile), reverse=True)
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
        many = int(pick_melds(cards, np.uint64(Deal(seed, game).chance(at, seat).key(MELDS)), arranged))
        loose.append(cards & ~sum(arranged[:many].tolist()))
        melds = arranged[:many].tolist() if seat == step.seat else melds
    own, rest = (sum(GIN[card % 13] for card in cards_of(cards)) for cards in loose)
    if own == 0:
        return rest + RULES.gin_bonus
    shown = np.array([*melds, *[0] * (4 - len(melds))], np.int64)
    rest = sum(GIN[card % 13] for card in cards_of(int(lay_off(loose[1], shown, len(melds)))))
    return rest - own if rest > own else rest - own - RULES.undercut_bonus


def slow_tally(first: GinPlayer, second: GinPlayer, rounds: int, seed: int, look: Look | None) -> np.ndarray[Any, Any]:
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
                add(tally.KNOCK_PART + spot * tally.DEADWOODS + left, points_of_knock(step, rest, seed, game))
            if step.verb == verbs.KNOCK:
                continue
            caught = at == own[-1] and last.verb == verbs.KNOCK
            add(tally.HAZARD_PART + spot, caught)
            if caught:
                add(tally.CAUGHT_PART + spot * tally.DEADWOODS + left, points)
            taken = at + 1 < len(steps) and steps[at + 1].verb == verbs.TAKE
            barred = 1 << step.taken if step.taken >= 0 else 0
            thoughts = look.choices(step.hand, barred, step.turn, step.known, step.pile) if look else []
            expected = next((value for value, card, knock in thoughts if card == step.card and not knock), 0.0)
            risk = look.risk(step.card, step.hand, step.known, step.pile, CARDS) if look else 0.0
            add(tally.SURPRISE_PART + 2 * spot + taken, points - expected)
            add(tally.FEED_PART + min(int(risk * tally.RISKS), tally.RISKS - 1), taken)
    return counts.ravel()


@pytest.mark.parametrize("computed", [True, False])
def test_the_tally_says_what_happened(book: Values, look: Look, computed: bool) -> None:
    first = ComputedPlayer(book) if computed else SimplePlayer()
    found = Engine("cpu").tally(pair_of(first, SimplePlayer()), rule_vector(replace(RULES, cards=CARDS, ranks=RANKS)), 9, 80)
    expected = slow_tally(first, SimplePlayer(), 80, 9, look if computed else None)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)
    assert found[2 * tally.CAUGHT_PART : 2 * tally.SURPRISE_PART : 2].sum() > 10


def test_a_tally_and_a_fight_do_not_depend_on_threads(book: Values) -> None:
    import numba

    pair = pair_of(ComputedPlayer(book), SimplePlayer())
    vector, engine = rule_vector(replace(RULES, cards=CARDS, ranks=RANKS)), Engine("cpu")
    before, found = numba.get_num_threads(), []
    try:
        for threads in (1, before):
            numba.set_num_threads(threads)
            found.append((engine.tally(pair, vector, 2, 20_000), engine.won(pair, vector, 2, 500)))
    finally:
        numba.set_num_threads(before)
    assert np.array_equal(found[0][0], found[1][0])
    assert np.array_equal(found[0][1], found[1][1])


def full_book(seed: int) -> Values:
    """A book for ten cards with values of no meaning: all weights 1, so that millions of classes share a few million values."""
    tables, odds, chance = classes.numbering(10), random_odds(seed), np.random.default_rng(seed)
    patterns = tables.patterns.copy()
    patterns[:, 0], patterns[:, 1:5] = 0, 1
    turns = np.zeros((TURNS + 2, 3))
    turns[:, 0], turns[:, 1], turns[:, 2] = np.arange(TURNS + 2) % 2, -10.0, chance.uniform(0.05, 0.1, TURNS + 2)
    table = np.stack([odds.hazard, np.full_like(odds.hazard, 4.0), chance.normal(0, 0.1, odds.hazard.shape)], 2)
    deck = np.array([(1 << 52) - 1, 10], np.int64)
    codes = chance.integers(0, 256, (2, 1 << 23), np.uint8)
    return NO_VALUES._replace(
        codes=codes, turns=turns, keys=tables.keys, patterns=patterns, odds=table, knock=odds.knock, caught=odds.caught, deck=deck
    )


@pytest.mark.parametrize(("second", "preset"), [("simple", "eaai"), ("ensemble", "oklahoma"), ("self", "pagat")])
def test_the_table_plays_the_same_actions_as_the_kernel(second: str, preset: str) -> None:
    rules, mine = PRESETS[preset], ComputedPlayer(full_book(5), "mine")
    seated: list[Any] = [mine, mine if second == "self" else players.parse(second)]
    knocks = 0
    for own, both in enumerate((seated, seated[::-1])):
        counts = play_batch(both[0], both[1], rules, 5, 0, 2, threads=1)
        for game in range(2):
            played = Table(Gin(rules), both).play(Deal(5, game))
            assert not played.forfeit
            log = trace(both[0], both[1], rules, 5, game).tolist()
            state, told = played.first, []
            for move in played.actions:
                assert isinstance(move, Move)
                assert state.seat is not None
                told.append((state.seat, move.verb, move.index, tuple(meld.hand.mask for meld in move.melds)))
                state = state.apply(move)
            assert told == [move_of(row) for row in log]
            knocks += sum(row[0] == own and row[1] == verbs.KNOCK for row in log)
            assert tuple(counts[game].tolist()[5:7]) == played.last.scores
    assert knocks >= 3


def test_players_of_different_bits_do_not_meet_in_the_kernel() -> None:
    coarse = full_book(1)
    fine = coarse._replace(codes=coarse.codes.astype(np.uint16))
    with pytest.raises(MeldlabError, match="8 bits and one of 16"):
        play_batch(ComputedPlayer(coarse), ComputedPlayer(fine), Rules(), 1, 0, 2)


@pytest.mark.parametrize(("text", "why"), [("computed:", "a folder wanted"), ("computed:nowhere", "no computed player in nowhere")])
def test_a_computed_player_needs_its_folder(text: str, why: str) -> None:
    with pytest.raises(MeldlabError, match=why):
        players.parse(text)


def test_a_small_player_does_not_sit_at_the_full_table(book: Values, tmp_path: Path) -> None:
    from meldlab.gin.values.folder import save

    save(book, {"cards": CARDS, "ranks": RANKS}, tmp_path / "small")
    with pytest.raises(MeldlabError, match="computed for 5 cards of 24; the table deals 10 of 52"):
        players.parse(f"computed:{tmp_path / 'small'}")
