"""Reviewed decisions: values against all deals there are, from what the seat knew, and mistakes that are found."""

import pickle
from collections import Counter
from itertools import permutations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from meldlab.cards import CARDS, Deck, Hand
from meldlab.chance import Purpose
from meldlab.chance.kernel import address
from meldlab.errors import NotLegalHere
from meldlab.gin import Gin, Move, Phase, Round, Rules, Verb, View, players, sampling
from meldlab.gin.advice import position_view
from meldlab.gin.kernel_sampling import sampled_deal
from meldlab.gin.move import DRAW
from meldlab.gin.players import SimplePlayer
from meldlab.gin.review import ACCEPTABLE_LOSS, Decision, Kind, Reviewer, steps_of
from meldlab.gin.review.candidates import candidates_of, kind_of, same
from meldlab.gin.sampling import position_of, rollouts
from meldlab.gin.seen import packed_from
from meldlab.melds import discards
from meldlab.play import Chance, Deal, Player, RandomPlayer, Table
from tests.gin.histories import with_history

SIMPLE = SimplePlayer()
QUICK = Reviewer.from_name("simple", samples=60)
STEPS = steps_of(Table(Gin(), [RandomPlayer(), SIMPLE]).play(Deal(9)).record)


def round_of(view: View, theirs: tuple[int, ...], stock: tuple[int, ...], history: tuple[tuple[int, Move], ...]) -> Round:
    """The round of a view from seat 0, with the unseen cards where a deal has them."""
    hands, masks = (view.card_indices, theirs), (view.mask, sum(1 << card for card in theirs))
    seen = packed_from(history, view._replace(history=history).first_pile)
    round = Round(view.rules, view.limit, view.starter, view.phase, 0, len(stock), view.pile_indices, history, packed_seen=seen)
    deck, drawn = (*[0] * (52 - len(stock)), *stock), (view.drawn_indices, ())
    return round._replace(deck=deck, hands=hands, masks=masks, drawn=drawn, taken=view.taken_index, draws=view.draws)


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
# Eleven cards, three in stock, and all but two of the opponent's ten known: sixty deals in all.
FULL_PILE = position_view(
    "2C 3C 4C 9D 9H 9S 5H 6H 7H 8S AD",
    discards="TC KC KD QC QD KH KS TD JD QH JC QS TS JS 8C 8D 7C 7D 5C 6C 4D 2D 3D 2S 3S 4S 5S 6S",
    opponent="AC AH AS JH TH 4H 3H 2H",
)
# The other has taken eight cards and drawn none: its hand is developed for one turn.
NARROW = with_history(FULL_PILE, [one for one in FULL_PILE.history if one != (1, DRAW)])._replace(scores=(60, 70))


def exact(view: View, move: Move) -> float:
    """The win probability over all deals there are, each played out at the table; ties of the simple player fall a few ways."""
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
    found = [[played_out(round_of(view, (*held, *known), stock, ()), move, SIMPLE, root) for root in range(3)] for held, stock in many]
    probabilities = QUICK.equity(view.rules).after_round((60, 70), 0, np.array(found)).mean(axis=1)
    return float(np.average(probabilities, weights=list(many.values())))


@pytest.mark.parametrize(
    "done", ["drop 8S", "drop AD", "knock 8S | 2C 3C 4C | 9D 9H 9S | 5H 6H 7H", "knock AD | 2C 3C 4C | 9D 9H 9S | 5H 6H 7H"]
)
def test_evaluate_agrees_with_all_deals(done: str) -> None:
    reviewer = Reviewer.from_name("simple", samples=2000)
    decision = reviewer.evaluate(NARROW, Move.parse(done))
    assert decision is not None
    own = decision.own
    assert abs(own.win_probability - exact(NARROW, own.move)) < 3 * 0.5 / np.sqrt(decision.samples)
    loss = exact(NARROW, decision.best.move) - exact(NARROW, own.move)
    assert abs(own.cost - loss) <= 3 * own.error + 1e-9


@pytest.mark.parametrize("name", ["network:light-ensemble", "ensemble:best", "simple"])
def test_rollouts_of_a_reviewer_agree_with_the_table(name: str) -> None:
    # Players of rollouts remember what both have done in the open: turns, cards taken and discarded, beliefs, the score.
    parameters, player, tried = Reviewer.from_name(name).parameters, players.parse(name), 0
    steps = steps_of(Table(Gin(), [player, SIMPLE]).play(Deal(12)).record)
    for step in [step for step in steps if step.seat == 0 and step.before.round.phase is not Phase.SHOW][3:60:4]:
        view: View = step.before.view(0)
        moves = [move for move in candidates_of(view, step.action) if move.verb is not Verb.KNOCK]
        key = np.uint64(Deal(0).chance(step.number, 0).key(Purpose.REVIEW))
        outcomes = rollouts(view, moves, int(key), range(4), (parameters, parameters)).outcomes
        for nth in range(4):
            mask, stock = sampled_deal(position_of(view), parameters, key, nth)
            hidden = Hand.from_mask(int(mask)) - view.known
            theirs = (*sorted(card.index for card in hidden), *(card.index for card in view.known))
            root = int(address(key, nth, 0, 0, int(Purpose.PLAYOUT)))
            history = () if name == "simple" else view.history  # the simple player remembers its own pairs only, and forgets them here
            round = round_of(view, theirs, tuple(stock.tolist()), history)
            slow = [played_out(round, move, player, root, view.scores) for move in moves]
            assert outcomes[nth].tolist() == slow, (step.number, nth)
            tried += len(slow)
    assert tried > 100


def test_review_step_does_not_depend_on_hidden_cards() -> None:
    looked = [step for step in STEPS if step.before.round.phase is not Phase.OVER][::17]
    for step in looked:
        other = step._replace(before=step.before.redeal(step.seat, Deal(5).chance(step.number, 0)), after=STEPS[0].before)
        assert QUICK.review_step(other) == QUICK.review_step(step)
    assert any(QUICK.review_step(step) for step in looked)


def test_decisions_depend_on_the_seed_and_not_on_cores_or_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    some = STEPS[:24]
    one = list(QUICK.decisions(some))
    monkeypatch.setattr(sampling, "CHUNK", 1)
    assert list(Reviewer.from_name("simple", samples=60, threads=2).decisions(some)) == one
    assert list(Reviewer.from_name("simple", samples=60, seed=1).decisions(some)) != one
    # It may be stopped, and taken up again.
    begun = next(QUICK.decisions(some))
    assert [begun, *QUICK.decisions(some, since=begun.number + 1)] == one


def test_error_is_the_spread_of_the_cost_over_seeds() -> None:
    found = []
    for seed in range(60):
        decision = evaluated(GIN, "drop KS", Reviewer.from_name("simple", samples=50, seed=seed, least=1))
        assert decision.samples == 50
        found.append((decision.own.cost, decision.own.error))
    costs, errors = np.array(found).T
    assert 0.75 < costs.std(ddof=1) / errors.mean() < 1.3


def test_decisions_leave_out_forced_moves() -> None:
    seen = {decision.number for decision in QUICK.decisions(STEPS)}
    for step in STEPS:
        view: View = step.before.view(step.seat)
        if len(view.legal_actions()) == 1 and view.phase in (Phase.FORCED, Phase.SHOW):
            assert step.number not in seen
        if view.phase is Phase.DROP:
            assert step.number in seen


def evaluated(view: View, done: str, reviewer: Reviewer = QUICK) -> Decision:
    decision = reviewer.evaluate(view, Move.parse(done))
    assert decision is not None
    return decision


GIN = position_view("2C 3C 4C 9D 9H 9S KC KD KH KS 5H")


@pytest.mark.parametrize(("win_rate", "share"), [(0.5, (0.0, 0.07)), (0.4, (0.9, 1.0))])
def test_evaluate_seldom_calls_luck_a_mistake(win_rate: float, share: tuple[float, float], monkeypatch: pytest.MonkeyPatch) -> None:
    # Every move wins half of its rounds, the move that is made ``win_rate`` of them.
    chance, done = np.random.default_rng(7), Move.parse("drop KS")
    view = GIN._replace(rules=Rules(match_points=0))

    def outcomes(view: View, moves: list[Move], key: int, samples: range, *_: Any, **options: Any) -> SimpleNamespace:
        rates = np.array([win_rate if same(move, done) else 0.5 for move in moves])
        return SimpleNamespace(outcomes=np.where(chance.random((len(samples), len(moves))) < rates, 2, -2))

    monkeypatch.setattr("meldlab.gin.review.reviewer.rollouts", outcomes)
    reviewer = Reviewer.from_name("simple", samples=200, least=0.0)
    decisions = [evaluated(view, str(done), reviewer) for _ in range(2500 if win_rate == 0.5 else 200)]
    again = [decision for decision in decisions if decision.samples == 800]
    assert len(again) > 100
    assert share[0] <= np.mean([decision.sure for decision in again]) <= share[1]
    # Against the luckiest of eleven moves or more, one in seven loses more than two errors without being worse.
    assert np.mean([decision.own.clear for decision in again]) > 0.11


def test_evaluate_finds_gin_that_is_not_knocked() -> None:
    decision = evaluated(GIN, "drop 5H")
    assert (decision.kind, decision.is_mistake(), decision.samples) == (Kind.LATE, True, 240)
    assert decision.best.move.verb is Verb.KNOCK
    assert decision.best.points > 25
    assert evaluated(GIN, str(decision.best.move)).own.cost == 0


def test_evaluate_finds_a_discard_out_of_a_meld() -> None:
    decision = evaluated(position_view("2C 3C 4C 9D 9H 9S KC QD JH 8S 7H"), "drop 9H")
    assert (decision.kind, decision.is_mistake()) == (Kind.DISCARD, True)
    assert decision.own.cost > 5 * decision.own.error
    assert not Hand.parse("2C 3C 4C 9D 9H 9S").mask >> decision.best.move.index & 1
    assert [one.cost for one in decision.candidates] == sorted(one.cost for one in decision.candidates)


def test_evaluate_finds_an_upcard_that_makes_gin() -> None:
    decision = evaluated(position_view("2C 3C 4C 9D 9H 9S KC KD KH 5H", "KS", discards="QC"), "draw stock")
    assert (decision.kind, decision.is_mistake(), str(decision.best.move)) == (Kind.DRAW, True, "take KS")


def test_evaluate_finds_a_knock_that_comes_too_early() -> None:
    # Ten points against somebody who is known to hold gin but for one card, of which two are left to come: it would be undercut.
    view = position_view("2C 3C 4C TD TH TS 4H 2D 3H AS KD", discards="QC", opponent="7C 7D 7S 8C 8D 8S AC AD AH")
    decision = evaluated(view, "knock KD | 2C 3C 4C | TD TH TS")
    assert decision.own.points < -20
    assert decision.kind is Kind.EARLY


KNOCK = Move.parse("knock KD | 3H 4H 5H | 9C 9D 9H | JC JD JS")


def shown(rules: str) -> View:
    """The defender's view of a knock with AS left, on whose melds 6H and 9S go."""
    mask = Hand.parse("3H 4H 5H 9C 9D 9H JC JD JS AS").mask
    hand = Hand.parse("6H 9S 2C 3C 4C KC KH KS QD TD")
    hands = tuple(card.index for card in hand), ()
    round = Round(Rules.preset(rules), 10, 1, Phase.SHOW, 0, 20, (51,), ((1, KNOCK),), knock=KNOCK, hands=hands, masks=(hand.mask, mask))
    return round.view(0, (60, 80))


def test_evaluate_finds_a_missed_lay_off_without_error() -> None:
    decision = evaluated(shown("pagat"), "show 2C 3C 4C | KC KH KS")
    assert (decision.kind, decision.samples, decision.own.error, decision.own.points) == (Kind.LAY_OFF, 0, 0, -34)
    assert same(decision.best.move, Move.parse("show 2C 3C 4C | KC KH KS lay off 6H 9S"))
    assert decision.best.points == -19
    assert decision.is_mistake()


def test_evaluate_finds_melds_that_were_not_shown() -> None:
    for rules, best in (("eaai", "show 2C 3C 4C | KC KH KS"), ("pagat", "show 2C 3C 4C | KC KH KS lay off 6H 9S")):
        decision = evaluated(shown(rules), "show 2C 3C 4C")
        assert (decision.kind, decision.is_mistake(), same(decision.best.move, Move.parse(best))) == (Kind.MELDS, True, True)
    # In another order they are the same, and there is nothing else to show.
    assert QUICK.evaluate(shown("eaai"), Move.parse("show KC KH KS | 2C 3C 4C")) is None


def test_kind_of_tells_the_kinds_apart() -> None:
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
        assert kind_of(Move.parse(done), Move.parse(best), better_lay_off=False) is kind


def test_judge_accepts_moves_within_a_tolerance() -> None:
    decision = evaluated(GIN, "drop 5H")
    best, worst = decision.best, decision.candidates[-1]
    assert QUICK.judge(decision, best.move).good
    assert not QUICK.judge(decision, worst.move).good
    for one in decision.candidates:
        assert QUICK.judge(decision, one.move).good is (one.cost < ACCEPTABLE_LOSS or one.cost <= 2 * one.error)
    # Melds in another order are the same move; fewer melds are another, which is valued now.
    turned = Move(best.move.verb, best.move.index, best.move.melds[::-1])
    assert QUICK.judge(decision, turned).candidate == best
    fewer = QUICK.judge(decision, Move.parse("knock 5H | KC KD KH KS | 9D 9H 9S"))
    assert fewer.candidate.points < best.points - 20
    assert not fewer.good
    with pytest.raises(NotLegalHere, match="QC is not in the hand"):
        QUICK.judge(decision, Move.parse("drop QC"))


@pytest.mark.slow
def test_decisions_of_the_own_player_have_few_mistakes() -> None:
    name = "network:light-ensemble"
    player = players.parse(name)
    steps = steps_of(Table(Gin(), [player, player]).play(Deal(6)).record)[:50]
    found = list(Reviewer.from_name(name, samples=40).decisions(steps))
    careless = [one for one in QUICK.decisions(STEPS) if one.seat == 0]
    assert len(found) > 40
    assert sum(one.is_mistake() for one in found) / len(found) < 0.06
    assert sum(one.is_mistake() for one in careless) / len(careless) > 0.08


@pytest.mark.parametrize("rules", ["pagat", "oklahoma", "openspiel"])
def test_decisions_cover_every_phase_under_other_rules(rules: str) -> None:
    reviewer, seen = Reviewer.from_name("simple", samples=2), set()
    for number in range(6):
        steps = steps_of(Table(Gin(Rules.preset(rules)), [RandomPlayer(), SIMPLE]).play(Deal(3, number)).record)
        for decision in reviewer.decisions(steps[:400]):
            seen.add(decision.view.phase)
            assert decision.own in decision.candidates
            assert decision.best.cost == 0
            assert (decision.kind is None) == (decision.own is decision.best)
    assert {Phase.OFFER, Phase.DRAW, Phase.DROP} <= seen


def test_evaluate_compares_moves_at_the_wall() -> None:
    # Ten cards that knock with the upcard, and no stock left: passing ends the round, taking wins it against high cards.
    hand, pile = (Deck.parse(text).cards for text in ("2C 3C 4C 9D 9H 9S KC KD AD 2H", "QC QD QH KH"))
    hands, masks = (tuple(card.index for card in hand), ()), (Hand(hand).mask, 0)
    lying = tuple(card.index for card in pile)
    view = Round(Rules.preset("openspiel"), 10, 1, Phase.WALL, 0, 28, lying, hands=hands, masks=masks).view(0)
    decision = evaluated(view, "pass")
    assert (decision.kind, str(decision.best.move), decision.own.points) == (Kind.DRAW, "take KH", 0)
    assert decision.is_mistake()


def test_evaluate_compares_big_gin_with_gin() -> None:
    eleven = position_view("2C 3C 4C 9D 9H 9S KC KD KH KS 5C", rules=Rules.preset("oklahoma"), limit=5)
    decision = evaluated(eleven, "drop KS")
    assert (decision.best.move.verb, decision.kind, decision.is_mistake()) == (Verb.BIG_GIN, Kind.LATE, True)
    gin = max(one.points for one in decision.candidates if one.move.verb is Verb.KNOCK)
    assert decision.best.points == gin + 6


def test_decisions_and_reviewers_can_be_pickled() -> None:
    decision = evaluated(GIN, "drop 5H", pickle.loads(pickle.dumps(QUICK)))
    assert pickle.loads(pickle.dumps(decision)) == decision == evaluated(GIN, "drop 5H")


def test_evaluate_rejects_an_impossible_position() -> None:
    with pytest.raises(NotLegalHere, match="31 cards would be in stock in this position, not 40"):
        evaluated(GIN._replace(stock=40), "drop 5H")


def test_from_name_names_what_cannot_review() -> None:
    with pytest.raises(NotLegalHere, match="mc:8 cannot review"):
        Reviewer.from_name("mc:8")
    with pytest.raises(NotLegalHere, match="number of sampled deals must be a whole number from 2"):
        Reviewer.from_name("simple", samples=1)
