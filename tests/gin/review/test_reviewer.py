"""Decisions valued anew: as exact as worlds allow, from what the seat knew, and found where somebody blunders."""

import pickle
from collections import Counter
from itertools import permutations

import numpy as np
import pytest

from meldlab.cards import CARDS, Deck, Hand
from meldlab.chance import Purpose
from meldlab.chance.kernel import address
from meldlab.errors import NotLegalHere
from meldlab.gin import Gin, Move, Phase, Round, Rules, Verb, View, players, worlds
from meldlab.gin.advice import imagined_view
from meldlab.gin.kernel_worlds import imagine
from meldlab.gin.move import DRAW
from meldlab.gin.players import SimplePlayer
from meldlab.gin.review import GOOD, Decision, Kind, Reviewer, steps_of
from meldlab.gin.review import reviewer as reviewing
from meldlab.gin.review.candidates import candidates_of, kind_of, same
from meldlab.gin.worlds import situation_of
from meldlab.melds import discards
from meldlab.play import Chance, Deal, Player, RandomPlayer, Table

SIMPLE = SimplePlayer()
QUICK = Reviewer.named("simple", worlds=60)
STEPS = steps_of(Table(Gin(), [RandomPlayer(), SIMPLE]).play(Deal(9)).record)


def world(view: View, theirs: tuple[int, ...], stock: tuple[int, ...], history: tuple[tuple[int, Move], ...]) -> Round:
    """The round of a view from seat 0, with the unseen cards where a world has them."""
    hands, masks = (view.card_indices, theirs), (view.mask, sum(1 << card for card in theirs))
    places = (*[0] * (52 - len(stock)), *stock), len(stock), view.pile_indices, hands, masks, history, (view.drawn_indices, ())
    draws = sum(move.verb in (Verb.DRAW, Verb.TAKE) for _, move in view.history)
    return Round(view.rules, view.limit, view.phase, 0, view.starter, *places, taken=view.taken_index, draws=draws)


def points(round: Round) -> int:
    """What seat 0 has won, coded as in the kernel."""
    assert round.outcome is not None
    winner, won = round.outcome.winner, round.outcome.points + 1
    return 0 if winner is None else won if winner == 0 else -won


def played_out(round: Round, move: Move, player: Player[View, Move], root: int, scores: tuple[int, int] = (0, 0)) -> int:
    round, step = round.apply(move), 1
    while round.outcome is None:
        round, step = round.apply(player.choose(round.view(round.seat, scores), Chance(root, step, round.seat))), step + 1
    return points(round)


MELDS = "2C 3C 4C | 9D 9H 9S | 5H 6H 7H"
# Eleven cards, three in stock, and all but two of the opponent's ten known: sixty worlds in all.
FULL_PILE = imagined_view(
    "2C 3C 4C 9D 9H 9S 5H 6H 7H 8S AD",
    discards="TC KC KD QC QD KH KS TD JD QH JC QS TS JS 8C 8D 7C 7D 5C 6C 4D 2D 3D 2S 3S 4S 5S 6S",
    opponent="AC AH AS JH TH 4H 3H 2H",
)
# The other has taken eight cards and drawn none: its hand is developed for one turn.
NARROW = FULL_PILE._replace(scores=(60, 70), history=tuple(one for one in FULL_PILE.history if one != (1, DRAW)))


def exact(view: View, move: Move) -> float:
    """The chance to win by all worlds there are, each played out at the table; ties of the simple player fall a few ways."""
    gone = view.mask | view.known_mask | sum(1 << card for card in view.pile_indices)
    unseen, known = [card for card in CARDS if not gone >> card.index & 1], tuple(card.index for card in view.known)
    many: Counter[tuple[tuple[int, ...], tuple[int, ...]]] = Counter()
    for order in permutations(unseen):
        for at in range(len(unseen) - 2):
            # One turn: a card comes, and the worst goes.
            hidden, stock = list(order[:2]), list(order[2:])
            left = discards(Hand([*view.known, *hidden, stock[at]]))
            goes = min([stock[at], *hidden], key=left.__getitem__)
            if goes != stock[at] and left[goes] > view.limit:
                hidden[hidden.index(goes)], stock[at] = stock[at], goes
            many[tuple(sorted(card.index for card in hidden)), tuple(card.index for card in stock)] += 1
    found = [[played_out(world(view, (*held, *known), stock, ()), move, SIMPLE, root) for root in range(3)] for held, stock in many]
    chances = QUICK.equity(view.rules).after((60, 70), 0, np.array(found)).mean(axis=1)
    return float(np.average(chances, weights=list(many.values())))


@pytest.mark.parametrize(
    "done", ["drop 8S", "drop AD", "knock 8S | 2C 3C 4C | 9D 9H 9S | 5H 6H 7H", "knock AD | 2C 3C 4C | 9D 9H 9S | 5H 6H 7H"]
)
def test_values_are_those_of_all_worlds(done: str) -> None:
    reviewer = Reviewer.named("simple", worlds=2000)
    decision = reviewer.weigh(NARROW, Move.parse(done))
    assert decision is not None
    own = decision.own
    assert abs(own.chance - exact(NARROW, own.move)) < 3 * 0.5 / np.sqrt(decision.worlds)
    loss = exact(NARROW, decision.best.move) - exact(NARROW, own.move)
    assert abs(own.cost - loss) <= 3 * own.error + 1e-9


@pytest.mark.parametrize("name", ["computed:light-ensemble", "ensemble:best", "simple"])
def test_a_world_is_played_out_as_at_the_table(name: str) -> None:
    # Whoever plays on remembers what both have done in the open: turns, cards taken and dropped, beliefs, the score.
    reviewer, player, tried = Reviewer.named(name, worlds=4), players.parse(name), 0
    steps = steps_of(Table(Gin(), [player, SIMPLE]).play(Deal(12)).record)
    for step in [step for step in steps if step.seat == 0 and step.before.round.phase is not Phase.SHOW][3:60:4]:
        view: View = step.before.view(0)
        moves = [move for move in candidates_of(view, step.action) if move.verb is not Verb.KNOCK]
        key = np.uint64(Deal(0).chance(step.number, 0).key(Purpose.REVIEW))
        outcomes = reviewer._played(view, moves, step.number, range(4))
        for nth in range(4):
            mask, stock = imagine(situation_of(view), key, nth, reviewer.seated.vector, view.limit)
            hidden = Hand.from_mask(int(mask)) - view.known
            theirs = (*sorted(card.index for card in hidden), *(card.index for card in view.known))
            root = int(address(key, nth, 0, 0, int(Purpose.PLAYOUT)))
            history = () if name == "simple" else view.history  # the simple player remembers its own pairs only, and forgets them here
            round = world(view, theirs, tuple(stock.tolist()), history)
            slow = [played_out(round, move, player, root, view.scores) for move in moves]
            assert outcomes[nth].tolist() == slow, (step.number, nth)
            tried += len(slow)
    assert tried > 100


def test_hidden_cards_change_nothing() -> None:
    looked = [step for step in STEPS if step.before.round.phase is not Phase.OVER][::17]
    for step in looked:
        other = step._replace(before=step.before.redeal(step.seat, Deal(5).chance(step.number, 0)), after=STEPS[0].before)
        assert QUICK.look(other) == QUICK.look(step)
    assert any(QUICK.look(step) for step in looked)


def test_the_same_seed_gives_the_same_numbers_on_any_cores_and_in_any_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    some = STEPS[:24]
    one = list(QUICK.decisions(some))
    monkeypatch.setattr(worlds, "CHUNK", 1)
    assert list(Reviewer.named("simple", worlds=60, threads=2).decisions(some)) == one
    assert list(Reviewer.named("simple", worlds=60, seed=1).decisions(some)) != one
    # It may be stopped, and taken up again.
    begun = next(QUICK.decisions(some))
    assert [begun, *QUICK.decisions(some, since=begun.number + 1)] == one


def test_an_error_says_how_much_costs_differ_from_seed_to_seed() -> None:
    found = []
    for seed in range(60):
        decision = weighed(GIN, "drop KS", Reviewer.named("simple", worlds=50, seed=seed, least=1))
        assert decision.worlds == 50
        found.append((decision.own.cost, decision.own.error))
    costs, errors = np.array(found).T
    assert 0.75 < costs.std(ddof=1) / errors.mean() < 1.3


def test_luck_with_the_worlds_is_seldom_called_a_mistake() -> None:
    # Eleven candidates that are all worth the same: against the luckiest of them one in seven loses more than two errors.
    chance, called, lucky = np.random.default_rng(7), 0, 0
    for _ in range(400):
        worth = chance.normal(0.5, 0.3, (800, 11))
        losses = worth[:, worth.mean(axis=0).argmax()] - worth[:, 0]
        lucky += losses.mean() > 2 * losses.std() / np.sqrt(len(losses))
        called += reviewing._is_sure(worth, 0)
    assert called < 0.07 * 400
    assert lucky > 0.11 * 400
    # What is truly worse is called so nearly always.
    worse = [chance.normal(0.5, 0.3, (800, 11)) - 0.06 * (np.arange(11) == 0) for _ in range(100)]
    assert sum(reviewing._is_sure(worth, 0) for worth in worse) > 90


def test_forced_decisions_are_left_out() -> None:
    seen = {decision.number for decision in QUICK.decisions(STEPS)}
    for step in STEPS:
        view: View = step.before.view(step.seat)
        if len(view.legal_actions()) == 1 and view.phase in (Phase.FORCED, Phase.SHOW):
            assert step.number not in seen
        if view.phase is Phase.DROP:
            assert step.number in seen


def weighed(view: View, done: str, reviewer: Reviewer = QUICK) -> Decision:
    decision = reviewer.weigh(view, Move.parse(done))
    assert decision is not None
    return decision


GIN = imagined_view("2C 3C 4C 9D 9H 9S KC KD KH KS 5H")


def test_a_gin_that_is_not_knocked_is_found() -> None:
    decision = weighed(GIN, "drop 5H")
    assert (decision.kind, decision.is_mistake(), decision.worlds) == (Kind.LATE, True, 240)
    assert decision.best.move.verb is Verb.KNOCK
    assert decision.best.points > 25
    assert weighed(GIN, str(decision.best.move)).own.cost == 0


def test_a_discard_out_of_a_meld_is_found() -> None:
    decision = weighed(imagined_view("2C 3C 4C 9D 9H 9S KC QD JH 8S 7H"), "drop 9H")
    assert (decision.kind, decision.is_mistake()) == (Kind.DISCARD, True)
    assert decision.own.cost > 5 * decision.own.error
    assert not Hand.parse("2C 3C 4C 9D 9H 9S").mask >> decision.best.move.index & 1
    assert [one.cost for one in decision.candidates] == sorted(one.cost for one in decision.candidates)


def test_an_upcard_that_makes_gin_is_to_be_taken() -> None:
    decision = weighed(imagined_view("2C 3C 4C 9D 9H 9S KC KD KH 5H", "KS", discards="QC"), "draw stock")
    assert (decision.kind, decision.is_mistake(), str(decision.best.move)) == (Kind.DRAW, True, "take KS")


def test_a_knock_can_come_too_early() -> None:
    # Ten points against somebody who is known to hold gin but for one card, of which two are left to come: it would be undercut.
    view = imagined_view("2C 3C 4C TD TH TS 4H 2D 3H AS KD", discards="QC", opponent="7C 7D 7S 8C 8D 8S AC AD AH")
    decision = weighed(view, "knock KD | 2C 3C 4C | TD TH TS")
    assert decision.own.points < -20
    assert decision.kind is Kind.EARLY


KNOCK = Move.parse("knock KD | 3H 4H 5H | 9C 9D 9H | JC JD JS")


def shown(rules: str) -> View:
    """The defender's view of a knock with AS left, on whose melds 6H and 9S go."""
    mask = Hand.parse("3H 4H 5H 9C 9D 9H JC JD JS AS").mask
    hand = Hand.parse("6H 9S 2C 3C 4C KC KH KS QD TD")
    hands = tuple(card.index for card in hand), ()
    return Round(Rules.preset(rules), 10, Phase.SHOW, 0, 1, (), 20, (51,), hands, (hand.mask, mask), ((1, KNOCK),), knock=KNOCK).view(
        0, (60, 80)
    )


def test_a_lay_off_that_was_missed_is_found_without_any_error() -> None:
    decision = weighed(shown("pagat"), "show 2C 3C 4C | KC KH KS")
    assert (decision.kind, decision.worlds, decision.own.error, decision.own.points) == (Kind.LAY_OFF, 0, 0, -34)
    assert same(decision.best.move, Move.parse("show 2C 3C 4C | KC KH KS lay off 6H 9S"))
    assert decision.best.points == -19
    assert decision.is_mistake()


def test_melds_that_were_not_shown_are_found() -> None:
    for rules, best in (("eaai", "show 2C 3C 4C | KC KH KS"), ("pagat", "show 2C 3C 4C | KC KH KS lay off 6H 9S")):
        decision = weighed(shown(rules), "show 2C 3C 4C")
        assert (decision.kind, decision.is_mistake(), same(decision.best.move, Move.parse(best))) == (Kind.MELDS, True, True)
    # In another order they are the same, and there is nothing else to show.
    assert QUICK.weigh(shown("eaai"), Move.parse("show KC KH KS | 2C 3C 4C")) is None


def test_kinds() -> None:
    wanted = [
        ("draw stock", "take 5H", Kind.DRAW),
        ("pass", "take 5H", Kind.DRAW),
        ("drop KD", "drop KC", Kind.DISCARD),
        ("drop KD", "knock KD", Kind.LATE),
        ("drop KD", "big gin | 2C 3C 4C", Kind.LATE),
        ("knock KD", "drop KD", Kind.EARLY),
        ("knock KD", "knock KC", Kind.DISCARD),
        ("knock KD | 2C 3C 4C | 4D 4H 4S", "knock KD | 2C 3C 4C | 4H 4S 4D", Kind.MELDS),
    ]
    for done, best, kind in wanted:
        assert kind_of(Move.parse(done), Move.parse(best), as_good=False) is kind


def test_a_second_try_is_judged_with_tolerance() -> None:
    decision = weighed(GIN, "drop 5H")
    best, worst = decision.best, decision.candidates[-1]
    assert QUICK.judge(decision, best.move).good
    assert not QUICK.judge(decision, worst.move).good
    for one in decision.candidates:
        assert QUICK.judge(decision, one.move).good is (one.cost < GOOD or one.cost <= 2 * one.error)
    # Melds in another order are the same move; fewer melds are another, which is valued now.
    turned = Move(best.move.verb, best.move.index, best.move.melds[::-1])
    assert QUICK.judge(decision, turned).candidate == best
    fewer = QUICK.judge(decision, Move.parse("knock 5H | KC KD KH KS | 9D 9H 9S"))
    assert fewer.candidate.points < best.points - 20
    assert not fewer.good
    with pytest.raises(NotLegalHere, match="QC is not in the hand"):
        QUICK.judge(decision, Move.parse("drop QC"))


def test_who_plays_like_the_reviewer_makes_few_mistakes() -> None:
    name = "computed:light-ensemble"
    player = players.parse(name)
    steps = steps_of(Table(Gin(), [player, player]).play(Deal(6)).record)[:50]
    found = list(Reviewer.named(name, worlds=40).decisions(steps))
    careless = [one for one in QUICK.decisions(STEPS) if one.seat == 0]
    assert len(found) > 40
    assert sum(one.is_mistake() for one in found) / len(found) < 0.06
    assert sum(one.is_mistake() for one in careless) / len(careless) > 0.08


@pytest.mark.parametrize("rules", ["pagat", "oklahoma", "openspiel"])
def test_every_decision_of_every_table_can_be_weighed(rules: str) -> None:
    reviewer, seen = Reviewer.named("simple", worlds=2), set()
    for number in range(6):
        steps = steps_of(Table(Gin(Rules.preset(rules)), [RandomPlayer(), SIMPLE]).play(Deal(3, number)).record)
        for decision in reviewer.decisions(steps[:400]):
            seen.add(decision.view.phase)
            assert decision.own in decision.candidates
            assert decision.best.cost == 0
            assert (decision.kind is None) == (decision.own is decision.best)
    assert {Phase.OFFER, Phase.DRAW, Phase.DROP} <= seen


def test_the_wall_is_weighed_too() -> None:
    # Ten cards that knock with the upcard, and no stock left: passing ends the round, taking wins it against high cards.
    hand, pile = (Deck.parse(text).cards for text in ("2C 3C 4C 9D 9H 9S KC KD AD 2H", "QC QD QH KH"))
    hands, masks = (tuple(card.index for card in hand), ()), (Hand(hand).mask, 0)
    lying = tuple(card.index for card in pile)
    view = Round(Rules.preset("openspiel"), 10, Phase.WALL, 0, 1, (), 28, lying, hands, masks).view(0)
    decision = weighed(view, "pass")
    assert (decision.kind, str(decision.best.move), decision.own.points) == (Kind.DRAW, "take KH", 0)
    assert decision.is_mistake()


def test_big_gin_is_weighed_beside_gin() -> None:
    eleven = imagined_view("2C 3C 4C 9D 9H 9S KC KD KH KS 5C", rules=Rules.preset("oklahoma"))._replace(limit=5)
    decision = weighed(eleven, "drop KS")
    assert (decision.best.move.verb, decision.kind, decision.is_mistake()) == (Verb.BIG_GIN, Kind.LATE, True)
    gin = max(one.points for one in decision.candidates if one.move.verb is Verb.KNOCK)
    assert decision.best.points == gin + 6


def test_decisions_and_reviewers_can_be_sent_elsewhere() -> None:
    decision = weighed(GIN, "drop 5H", pickle.loads(pickle.dumps(QUICK)))
    assert pickle.loads(pickle.dumps(decision)) == decision == weighed(GIN, "drop 5H")


def test_a_position_that_cannot_be_is_refused() -> None:
    with pytest.raises(NotLegalHere, match="31 cards would be in stock in this position, not 40"):
        weighed(GIN._replace(stock=40), "drop 5H")


def test_who_cannot_review_is_named() -> None:
    with pytest.raises(NotLegalHere, match="mc:8 cannot review"):
        Reviewer.named("mc:8")
    with pytest.raises(NotLegalHere, match="number of worlds must be a whole number from 2"):
        Reviewer.named("simple", worlds=1)
