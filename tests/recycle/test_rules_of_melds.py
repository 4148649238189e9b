"""The rummies and cribbage of the library against their rules, written down a second time."""

from itertools import combinations

import pytest

from meldlab.recycle import library
from meldlab.recycle.language.parser import parse
from tests.recycle.block_rummy_by_hand import Deal
from tests.recycle.oracle_board import SHUFFLE, TABLE, Addressed, Event, Owner, Player
from tests.recycle.playing import Face, Game, game_of, new_game, play_out

RANKS = ("ACE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE", "TEN", "JACK", "QUEEN", "KING")


def height(card: Face) -> int:
    return RANKS.index(card.rank) + 1


def pips(cards: list[Face]) -> int:
    return sum(min(10, height(card)) for card in cards)


def is_set(cards: list[Face]) -> bool:
    return len(cards) in (3, 4) and len({card.rank for card in cards}) == 1


def is_run(cards: list[Face], ranks: tuple[str, ...] = RANKS) -> bool:
    heights = [ranks.index(card.rank) for card in cards]
    return len(cards) >= 3 and len({card.suit for card in cards}) == 1 and heights == list(range(heights[0], heights[0] + len(cards)))


def piles(game: Game, owner: Owner, kind: str, name: str) -> list[list[Face]]:
    spots = [spot for spot in game.oracle.board.spots if spot[:3] == (owner, kind, name)]
    return [pile for spot in spots if (pile := game.cards(*spot))]


@pytest.mark.parametrize("number", range(25))
def test_block_rummy_is_the_game_written_by_hand(number: int) -> None:
    game, chance = play_out("block_rummy", 1, number), Addressed(1, number)
    deck = [(suit, rank) for suit in range(4) for rank in range(1, 14)]
    for last in range(51, 0, -1):
        other = chance.below(Event((), 0, 0, SHUFFLE), last, last + 1)
        deck[last], deck[other] = deck[other], deck[last]
    deal = Deal(deck, lambda options: chance.option(len(deal.asked) - 1, deal.seat, options))
    assert list(deal.play()) == game.scores
    assert deal.asked == game.options


@pytest.mark.parametrize("number", [0, 2, 6, 50, 57, 263])
def test_gin_rummy(number: int) -> None:
    game = new_game("gin_rummy", 2, number)
    for decision, _ in game.decisions(2, number, eager=True):
        loose, apart = game.hand(decision.seat), piles(game, Player(decision.seat), "iloc", "MELD")
        assert all(is_set(meld) or is_run(meld[::-1]) for meld in apart)
        assert len(loose) + sum(map(len, apart)) <= 11
    assert check_gin_score(game, limit=10) == ("gin" if number == 263 else "knock")


def test_gin_rummy_with_easy_knocks() -> None:
    # Random players hardly ever knock; with the limit raised they do, and all ways to settle a deal occur.
    easy = parse(library.entry("gin_rummy").text.replace("(declare 10 'LIMIT)", "(declare 60 'LIMIT)"))
    outcomes = set()
    for number in range(30):
        game = game_of(easy, 2, number)
        for _ in game.decisions(2, number, eager=True):
            pass
        outcomes.add(check_gin_score(game, limit=60))
    assert {"knock", "undercut"} <= outcomes


def check_gin_score(game: Game, limit: int) -> str:
    knocker = game.cell(TABLE, "sto", "KNOCKER")
    if not knocker:
        assert game.scores == [0, 0]
        assert len(game.cards(TABLE, "iloc", "STOCK")) == 2
        return "void"
    other = 3 - knocker
    spread, deadwood = piles(game, TABLE, "vloc", "SPREAD"), game.cards(Player(knocker), "vloc", "DEADWOOD")
    assert all(is_set(meld) or is_run(meld) for meld in spread)
    assert pips(deadwood) <= limit
    laid_off = len(game.moves("SPREAD")) - sum(source == Player(knocker) for _, source, _ in game.moves("SPREAD"))
    theirs = len(game.hand(other)) + len(game.cards(Player(other), "vloc", "MELDED")) + laid_off
    assert theirs == 10
    held = pips(game.hand(other))
    if not deadwood:
        big = sum(map(len, spread)) == 11
        assert laid_off == 0
        assert game.scores[knocker - 1] == held + (31 if big else 25)
        return "gin"
    won = held - pips(deadwood)
    assert game.scores[knocker - 1] == max(won, 0)
    assert game.scores[other - 1] == (0 if won > 0 else 25 - won)
    return "knock" if won > 0 else "undercut"


@pytest.mark.parametrize("number", range(12))
def test_five_hundred_rum(number: int) -> None:
    game = new_game("five_hundred_rum", 1, number)
    upwards = (*RANKS[1:], "ACE")
    for decision, _ in game.decisions(1, number, eager=True):
        assert all(is_set(meld) for meld in piles(game, TABLE, "vloc", "SET"))
        assert all(is_run(meld, upwards) for meld in piles(game, TABLE, "vloc", "RUN"))
        assert len(game.oracle.board.spots.get((Player(decision.seat), "mem", "DUG", 0), [])) <= 1

    def worth(cards: list[Face]) -> int:
        return sum(15 if card.rank == "ACE" else min(10, height(card)) for card in cards)

    def laid(seat: int) -> list[Face]:
        return [card for name in ("SET", "RUN") for card, source, _ in game.moves(name) if source == Player(seat)]

    assert game.scores == [worth(laid(seat)) - worth(game.hand(seat)) for seat in (1, 2, 3)]
    assert not game.cards(TABLE, "iloc", "STOCK") or any(not game.hand(seat) for seat in (1, 2, 3))


def show(hand: list[Face], starter: Face, crib: bool) -> int:
    """Count a cribbage hand from scratch."""
    cards = [*hand, starter]
    points = sum(2 for n in range(2, 6) for some in combinations(cards, n) if pips(list(some)) == 15)
    points += sum(2 for one, two in combinations(cards, 2) if one.rank == two.rank)
    for length in (5, 4, 3):
        runs = [some for some in combinations(cards, length) if spans(list(some))]
        points += length * len(runs)
        if runs:
            break
    if len({card.suit for card in cards}) == 1:
        points += 5
    elif len({card.suit for card in hand}) == 1 and not crib:
        points += 4
    return points + (Face("JACK", starter.suit) in hand)


def spans(cards: list[Face]) -> bool:
    heights = sorted(map(height, cards))
    return heights == list(range(heights[0], heights[0] + len(cards)))


def peg(series: list[Face]) -> int:
    """Count what the last card of a series scores in the play, last-card points apart."""
    points = 2 * (pips(series) in (15, 31))
    alike = next((n for n, card in enumerate(series[::-1]) if card.rank != series[-1].rank), len(series))
    points += alike * (alike - 1)
    return points + next((n for n in range(len(series), 2, -1) if spans(series[-n:])), 0)


@pytest.mark.parametrize("number", range(40))
def test_cribbage(number: int) -> None:
    game = new_game("cribbage", 1, number)
    scores, series, hands, last, goes = {1: 0, 2: 0}, [], {1: [], 2: []}, 0, 0  # type: ignore[var-annotated]
    crib: list[Face] = []
    for decision, index in game.decisions(1, number):
        hand, me = game.hand(decision.seat), decision.seat
        if len(hand) == 6:
            assert len(decision.options) == 15
            hands, crib = ({1: [], 2: []}, []) if me == game.cell(TABLE, "sto", "DEALS") + 1 else (hands, crib)
            continue
        (starter,) = game.cards(TABLE, "vloc", "STARTER")
        dealer = 2 - game.cell(TABLE, "sto", "DEALS")
        if not hands[1] and not hands[2] and not series:
            crib = game.cards(TABLE, "hloc", "CRIB")
            scores[dealer] += 2 * (starter.rank == "JACK")
        playable = [card for card in hand if pips([*series, card]) <= 31]
        assert len(decision.options) == max(1, len(playable))
        if playable:
            series, last, goes = [*series, playable[index]], me, 0
            hands[me].append(playable[index])
            scores[me] += peg(series)
        else:
            goes += 1
        finished = len(hands[1]) == len(hands[2]) == 4
        if goes == 2 or finished or pips(series) == 31:
            scores[last] += pips(series) != 31
            series, goes = [], 0
        if finished:
            for seat in (1, 2):
                scores[seat] += show(hands[seat], starter, crib=False)
            scores[dealer] += show(crib, starter, crib=True)
    assert game.scores == [scores[1], scores[2]]
