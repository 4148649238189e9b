"""The other games of the library against their rules, written down a second time, and what holds for every game."""

from collections import Counter
from itertools import combinations

import pytest

from meldlab.recycle import library
from tests.recycle.oracle_board import TABLE, Owner, Player
from tests.recycle.playing import Face, new_game, play_out

RANKS = ("ACE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE", "TEN", "JACK", "QUEEN", "KING")
ACE_HIGH = (*RANKS[1:], "ACE")


def pip(card: Face) -> int:
    return min(10, RANKS.index(card.rank) + 1)


@pytest.mark.parametrize("name", library.names())
def test_no_card_is_lost_or_doubled(name: str) -> None:
    game = new_game(name, 3)
    for decision, index in game.decisions(3, 0):
        board = game.oracle.board
        lying = [card for spot, cards in board.spots.items() if spot[1] != "mem" for card in cards]
        assert sorted(lying) == sorted(board.home)
        assert all(card in board.spots[spot] for card, spot in board.home.items())
        assert 1 <= decision.seat <= library.entry(name).players
        assert 0 <= index < len(decision.options)
    assert len(game.scores) == library.entry(name).players


@pytest.mark.parametrize("number", range(6))
def test_crazy_eights(number: int) -> None:
    game = new_game("crazy_eights", 1, number)
    for decision, _ in game.decisions(1, number):
        top, suit = game.cards(TABLE, "vloc", "PILE")[-1], game.cell(TABLE, "str", "SUIT")
        hand = game.hand(decision.seat)
        fitting = [card for card in hand if card.rank != "EIGHT" and (card.suit == suit or card.rank == top.rank)]
        eights = [card for card in hand if card.rank == "EIGHT"]
        assert len(decision.options) == len(fitting) + 4 * len(eights) + 1
        assert top.suit == suit or top.rank == "EIGHT"
    assert game.scores == [sum(50 if card.rank == "EIGHT" else pip(card) for card in game.hand(seat)) for seat in (1, 2, 3, 4)]
    assert min(game.scores) == 0


@pytest.mark.parametrize("number", range(12))
def test_go_fish(number: int) -> None:
    game = new_game("go_fish", 1, number)
    for decision, _ in game.decisions(1, number):
        hands = {seat: Counter(card.rank for card in game.hand(seat)) for seat in (1, 2, 3, 4)}
        assert len(decision.options) == 3 * len(hands[decision.seat])
        assert all(count < 4 for hand in hands.values() for count in hand.values()) or len(game.options) == 1
    books = [Counter(card.rank for card in game.cards(Player(seat), "vloc", "BOOKS")) for seat in (1, 2, 3, 4)]
    assert all(count == 4 for book in books for count in book.values())
    assert game.scores == [len(book) for book in books]


def blackjack_total(cards: list[Face]) -> int:
    hard = sum(map(pip, cards))
    return hard + 10 if hard <= 11 and any(card.rank == "ACE" for card in cards) else hard


@pytest.mark.parametrize("number", range(12))
def test_blackjack(number: int) -> None:
    game = new_game("blackjack", 1, number)
    doubled: list[set[int]] = [set() for _ in range(6)]
    for decision, index in game.decisions(1, number):
        cards = game.cards(Player(decision.seat), "vloc", "HAND")
        assert len(decision.options) == (3 if len(cards) == 2 else 2)
        assert blackjack_total(cards) < 21
        if index == 2:
            doubled[game.cell(TABLE, "sto", "ROUND")].add(decision.seat)

    # A round is what is dealt until the cards go back into the shoe.
    rounds: list[list[tuple[Face, Owner]]] = [[]]
    for card, _, (owner, kind, name, _) in game.oracle.moves:
        if name == "SHOE" and rounds[-1]:
            rounds.append([])
        elif name != "SHOE" and kind == "vloc":
            rounds[-1].append((game.face(card), owner))
    chips, step = [0, 0, 0], [2, 2, 2]
    for dealt, twice in zip(rounds[:-1], doubled[1:], strict=True):
        bank, *hands = ([card for card, owner in dealt if owner == whose] for whose in (TABLE, Player(1), Player(2), Player(3)))
        assert blackjack_total(bank) >= 17 > blackjack_total(bank[:-1]) or len(bank) == 2
        for n, hand in enumerate(hands):
            stake = 2 * (1, 2, 3, 5, 8, 13, 21)[step[n] - 2] * (2 if n + 1 in twice else 1)
            ours, theirs = (0 if blackjack_total(cards) > 21 else blackjack_total(cards) for cards in (hand, bank))
            natural, banked = (blackjack_total(cards) == 21 and len(cards) == 2 for cards in (hand, bank))
            result = (natural > banked) - (natural < banked) or (ours > theirs) - (ours < theirs) or -(ours == 0)
            chips[n] += result * (stake * 3 // 2 if natural and result else stake)
            step[n] = max(2, step[n] - 2) if result > 0 else step[n] - result
    assert game.scores == chips


@pytest.mark.parametrize("number", range(30))
def test_leduc_poker(number: int) -> None:
    game = play_out("leduc_poker", 1, number)
    paid = [game.cell(Player(seat), "sto", "PAID") for seat in (1, 2)]
    assert sum(game.scores) == 0
    folded = [game.cell(Player(seat), "str", "SAYS") == "FOLD" for seat in (1, 2)]
    if any(folded):
        loser = folded.index(True)
        assert game.scores[loser] == -paid[loser]
    else:
        (board,) = game.cards(TABLE, "vloc", "BOARD")
        one, two = (game.hand(seat)[0].rank for seat in (1, 2))
        strength = [(rank == board.rank, RANKS.index(rank)) for rank in (one, two)]
        assert paid[0] == paid[1] <= 13
        assert game.scores[0] == paid[0] * ((strength[0] > strength[1]) - (strength[0] < strength[1]))


@pytest.mark.parametrize("number", range(12))
def test_golf(number: int) -> None:
    game = play_out("golf", 1, number)
    strokes = {rank: n + 1 for n, rank in enumerate(RANKS)} | {"TWO": -2, "JACK": 10, "QUEEN": 10, "KING": 0}
    for seat in (1, 2, 3, 4):
        spots = [game.cards(Player(seat), "vloc", "SPOT", i) for i in range(6)]
        assert all(len(spot) == 1 for spot in spots)
        columns = [(spots[i][0].rank, spots[i + 3][0].rank) for i in range(3)]
        assert game.scores[seat - 1] == sum(strokes[one] + strokes[two] for one, two in columns if one != two)


@pytest.mark.parametrize("number", range(12))
def test_golf_solitaire(number: int) -> None:
    game = play_out("golf_solitaire", 1, number)
    waste = [card for card, _, _ in game.moves("WASTE")]
    columns = [target for _, source, target in game.oracle.moves if source[2] == "COLUMN"]
    assert len(columns) == 35 - game.scores[0]  # the stock is used up in every game we see
    for n, (_, source, target) in enumerate([move for move in game.oracle.moves if move[2][2] == "WASTE"]):
        if source[2] == "COLUMN":
            below, card = waste[n - 1], waste[n]
            assert below.rank != "KING"
            assert abs(RANKS.index(below.rank) - RANKS.index(card.rank)) == 1
        assert target[2] == "WASTE"


@pytest.mark.parametrize("number", range(20))
def test_goofspiel(number: int) -> None:
    game = play_out("goofspiel", 1, number)
    ranks = ("ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN")
    prizes = [ranks.index(card.rank) + 1 for card, _, _ in game.moves("PRIZE")]
    bids = [[ranks.index(card.rank) + 1 for card, _, owner in game.moves("SHOWN") if owner == Player(seat)] for seat in (1, 2, 3)]
    won = [0, 0, 0]
    for prize, *bid in zip(prizes, *bids, strict=True):
        if bid.count(max(bid)) == 1:
            won[bid.index(max(bid))] += prize
    assert game.scores == won


@pytest.mark.parametrize("number", range(40))
def test_indian_poker(number: int) -> None:
    game = play_out("indian_poker", 1, number)
    paid = [game.cell(Player(seat), "sto", "PAID") for seat in (1, 2, 3)]
    cards = [ACE_HIGH.index(card.rank) for card, _, _ in game.moves("FOREHEAD")]
    staying = [n for n in range(3) if game.cell(Player(n + 1), "str", "SAYS") == "IN"]
    winners = [n for n in staying if cards[n] == max(cards[m] for m in staying)]
    assert len({paid[n] for n in staying}) == 1
    assert game.scores == [(sum(paid) // len(winners) if n in winners else 0) - paid[n] for n in range(3)]


@pytest.mark.parametrize("number", range(60))
def test_three_card_brag(number: int) -> None:
    game = play_out("three_card_brag", 1, number)
    cuts = {owner: ACE_HIGH.index(card.rank) for card, _, owner in game.moves("CUT")}
    first = next(seat for seat in (1, 2, 3) if seat == game.oracle.board.players[0].current)
    assert cuts[Player((first - 2) % 3 + 1)] == min(cuts.values())

    def strength(hand: list[Face]) -> tuple[int, list[int]]:
        heights = sorted((ACE_HIGH.index(card.rank) for card in hand), reverse=True)
        run, flush = heights == list(range(heights[0], heights[0] - 3, -1)), len({card.suit for card in hand}) == 1
        kinds = {3: 0, 2: 1, 1: 5}[len(set(heights))]
        if kinds == 1:
            heights.sort(key=lambda height: (heights.count(height), height), reverse=True)
        return (kinds or (4 if run and flush else 3 if run else 2 if flush else 0)), heights

    staying = [n for n in range(3) if game.cell(Player(n + 1), "str", "SAYS") == "IN"]
    best = max(strength(game.hand(n + 1)) for n in staying)
    winners = [n for n in staying if strength(game.hand(n + 1)) == best]
    paid = [game.cell(Player(seat), "sto", "PAID") for seat in (1, 2, 3)]
    assert game.scores == [(sum(paid) // len(winners) if n in winners else 0) - paid[n] for n in range(3)]


@pytest.mark.parametrize("number", range(8))
def test_president(number: int) -> None:
    game = new_game("president", 1, number)
    order = (*RANKS[2:], "ACE", "TWO")
    gone: dict[int, list[int]] = {1: [], 2: []}  # who was rid of all cards, in order, by deal
    for decision, _ in game.decisions(1, number):
        hand, deal = Counter(card.rank for card in game.hand(decision.seat)), game.cell(TABLE, "sto", "DEAL")
        need, best, scum = (game.cell(TABLE, "sto", name) for name in ("NEED", "BEST", "SCUM"))
        if scum and (gift := game.cards(Player(scum), "iloc", "GIFT")):
            assert decision.seat == gone[1][0]
            assert scum not in gone[1]
            assert len(decision.options) == hand.total()
            assert min(order.index(card.rank) for card in gift) >= max(order.index(card.rank) for card in game.hand(scum))
            continue
        leads = hand.total()  # one option for every number of cards of every rank
        beats = sum(count >= need and order.index(rank) + 1 > best for rank, count in hand.items())
        assert len(decision.options) == (leads if need == 0 else beats + 1) > 0
        gone[deal] += [seat for seat in (1, 2, 3, 4) if not game.hand(seat) and seat not in gone[deal]]
    # The third to finish ends a deal, so that he is not seen here; it is the fourth whose cards are left.
    assert sum(game.scores) == 12
    for seat in (1, 2, 3, 4):
        least = sum(3 - places.index(seat) for places in gone.values() if seat in places)
        assert least <= game.scores[seat - 1] <= least + sum(seat not in places for places in gone.values())


@pytest.mark.parametrize("number", range(12))
def test_scopa(number: int) -> None:
    ranks = ("ACE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "KNAVE", "KNIGHT", "KING")
    prime = dict(zip(ranks, (16, 12, 13, 14, 15, 18, 21, 10, 10, 10), strict=True))
    game = new_game("scopa", 1, number)
    score = [0, 0]
    before: tuple[int, int] | None = None
    for decision, _ in game.decisions(1, number):
        table, hand = game.cards(TABLE, "vloc", "TABLE"), game.hand(decision.seat)
        if before and not table:
            score[before[0] - 1] += 1
        before = decision.seat, len(table)
        options = 0
        for card in hand:
            twins = sum(other.rank == card.rank for other in table)
            worth = [ranks.index(other.rank) + 1 for other in table]
            sums = sum(sum(some) == ranks.index(card.rank) + 1 for n in range(2, len(table) + 1) for some in combinations(worth, n))
            options += twins or sums or 1
        assert len(decision.options) == options
    won = [game.cards(Player(seat), "vloc", "WON") for seat in (1, 2)]
    assert sum(map(len, won)) == 40
    primes = [
        sum(max(prime[card.rank] for card in pile if card.suit == suit) for suit in {card.suit for card in pile})
        if len({card.suit for card in pile}) == 4
        else 0
        for pile in won
    ]
    coins = [sum(card.suit == "COINS" for card in pile) for pile in won]
    for me, other in ((0, 1), (1, 0)):
        score[me] += (len(won[me]) > 20) + (coins[me] > 5) + (Face("SEVEN", "COINS") in won[me]) + (primes[me] > primes[other])
    assert game.scores == score
