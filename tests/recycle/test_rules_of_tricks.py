"""The trick games of the library against their rules, written down a second time: who may play what, who takes it, what it scores."""

from collections.abc import Callable

import pytest

from tests.recycle.oracle_board import TABLE, Player, Team
from tests.recycle.playing import Face, Game, new_game

RANKS = ("TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE", "TEN", "JACK", "QUEEN", "KING", "ACE")
SAME_COLOUR = {"CLUBS": "SPADES", "SPADES": "CLUBS", "HEARTS": "DIAMONDS", "DIAMONDS": "HEARTS"}
Trick = list[tuple[int, Face]]  # seat and card, in order of play


def highest(trick: Trick, trump: str) -> int:
    """Return the seat that takes a trick."""
    led = trick[0][1].suit
    return max(trick, key=lambda play: (play[1].suit == trump, play[1].suit == led, RANKS.index(play[1].rank)))[0]


def following(hand: list[Face], trick: Trick) -> list[Face]:
    suited = [card for card in hand if trick and card.suit == trick[0][1].suit]
    return suited or hand


def play_tricks(
    game: Game, seed: int, number: int, legal: Callable[[list[Face], Trick, list[Trick]], list[Face]], winner: Callable[[Trick], int]
) -> list[Trick]:
    """Play a game to its end, checking each card played; return the tricks, all deals in one list."""
    tricks: list[Trick] = []
    for decision, _ in game.decisions(seed, number):
        plays = [(source.seat, card) for card, source, _ in game.moves("TRICK") if isinstance(source, Player)]
        tricks = [plays[i : i + 4] for i in range(0, len(plays), 4)]
        full = [trick for trick in tricks if len(trick) == 4]
        trick = tricks[-1] if tricks and len(tricks[-1]) < 4 else []
        hand = game.hand(decision.seat)
        if is_bidding(game, len(decision.options)):
            continue
        before = full[len(full) - (13 - len(hand)) :] if len(game.oracle.board.attributes) == 52 else full
        if trick:
            assert decision.seat == trick[-1][0] % 4 + 1
        elif before:
            assert decision.seat == winner(before[-1])
        assert len(decision.options) == len(legal(hand, trick, before)), (hand, trick)
    plays = [(source.seat, card) for card, source, _ in game.moves("TRICK") if isinstance(source, Player)]
    return [plays[i : i + 4] for i in range(0, len(plays), 4)]


def is_bidding(game: Game, options: int) -> bool:
    """Tell a decision before the first card; in Spades it has fourteen options, in Euchre trump or the dealer's hand is not settled."""
    if len(game.oracle.board.attributes) == 24:
        return not game.cell(TABLE, "sto", "MAKER") or any(len(game.hand(seat)) == 6 for seat in range(1, 5))
    return options == 14


@pytest.mark.parametrize("number", range(12))
def test_hearts(number: int) -> None:
    def legal(hand: list[Face], trick: Trick, before: list[Trick]) -> list[Face]:
        costly = [card for card in hand if card.suit == "HEARTS" or card == Face("QUEEN", "SPADES")]
        broken = any(card.suit == "HEARTS" for done in before for _, card in done)
        if not before and not trick:
            return [Face("TWO", "CLUBS")]
        if not trick:
            return hand if broken else [card for card in hand if card.suit != "HEARTS"] or hand
        free = following(hand, trick)
        if free is hand and not before:
            return [card for card in hand if card not in costly] or hand
        return free

    def winner(trick: Trick) -> int:
        return highest(trick, "none")

    game = new_game("hearts", 1, number)
    tricks = play_tricks(game, 1, number, legal, winner)
    taken = dict.fromkeys(range(1, 5), 0)
    for trick in tricks:
        taken[winner(trick)] += sum(1 for _, card in trick if card.suit == "HEARTS")
        taken[winner(trick)] += 13 * sum(1 for _, card in trick if card == Face("QUEEN", "SPADES"))
    assert len(tricks) == 13
    assert sum(taken.values()) == 26
    assert game.scores == [(26 - cost if 26 in taken.values() else cost) for cost in taken.values()]


@pytest.mark.parametrize("number", range(8))
def test_whist(number: int) -> None:
    game = new_game("whist", 1, number)

    def winner(trick: Trick) -> int:
        return highest(trick, game.cell(TABLE, "str", "TRUMP"))

    tricks = play_tricks(game, 1, number, lambda hand, trick, _: following(hand, trick), winner)
    ours = sum(winner(trick) in (1, 3) for trick in tricks)
    assert len(tricks) == 13
    assert game.scores == [max(0, ours - 6), max(0, 7 - ours)] * 2


@pytest.mark.parametrize("number", range(30))
def test_euchre(number: int) -> None:
    game = new_game("euchre", 1, number)

    def trump() -> str:
        return str(game.cell(TABLE, "str", "TRUMP"))

    def suit(card: Face) -> str:
        return trump() if card == Face("JACK", SAME_COLOUR[trump()]) else card.suit

    def legal(hand: list[Face], trick: Trick, _: list[Trick]) -> list[Face]:
        return [card for card in hand if trick and suit(card) == suit(trick[0][1])] or hand

    def winner(trick: Trick) -> int:
        def power(play: tuple[int, Face]) -> tuple[int, int]:
            card = play[1]
            if suit(card) == trump():
                bowers = [Face("JACK", SAME_COLOUR[trump()]), Face("JACK", trump())]
                return 2, 20 + bowers.index(card) if card in bowers else RANKS.index(card.rank)
            return int(suit(card) == suit(trick[0][1])), RANKS.index(card.rank)

        return max(trick, key=power)[0]

    tricks = play_tricks(game, 1, number, legal, winner)
    makers = game.cell(TABLE, "sto", "MAKER") % 2
    made = sum(winner(trick) % 2 == makers for trick in tricks)
    points = [2 if made == 5 else 1 if made >= 3 else 0, 2 if made < 3 else 0]
    assert len(tricks) == 5
    assert game.scores == (points if makers == 1 else points[::-1]) * 2


@pytest.mark.parametrize("number", range(6))
def test_spades(number: int) -> None:
    def legal(hand: list[Face], trick: Trick, before: list[Trick]) -> list[Face]:
        broken = any(card.suit == "SPADES" for done in before for _, card in done)
        if not trick and not broken:
            return [card for card in hand if card.suit != "SPADES"] or hand
        return following(hand, trick)

    game = new_game("spades", 1, number)
    tricks = play_tricks(game, 1, number, legal, lambda trick: highest(trick, "SPADES"))
    bids = [taken for options, taken in zip(game.options, game.taken, strict=True) if options == 14]
    score, bags = [0, 0], [0, 0]
    for deal in range(len(tricks) // 13):
        assert not any(abs(points) >= 200 and (points <= -200 or points >= 250) for points in score)
        seats = [(deal + k) % 4 + 1 for k in range(4)]
        bid = dict(zip(seats, bids[4 * deal : 4 * deal + 4], strict=True))
        took = {seat: sum(highest(trick, "SPADES") == seat for trick in tricks[13 * deal : 13 * deal + 13]) for seat in seats}
        for side in (0, 1):
            team = (side + 1, side + 3)
            score[side] += sum(100 if took[seat] == 0 else -100 for seat in team if bid[seat] == 0)
            wanted, made = sum(bid[seat] for seat in team), sum(took[seat] for seat in team)
            if made < wanted:
                score[side] -= 10 * wanted
            elif wanted:
                score[side] += 9 * wanted + made
                bags[side] += made - wanted
                if bags[side] >= 10:
                    bags[side], score[side] = bags[side] - 10, score[side] - 100
    assert game.scores == score * 2
    assert game.cell(Team(1), "sto", "SCORE") == score[0]
    assert any(points >= 250 or points <= -200 for points in score)
