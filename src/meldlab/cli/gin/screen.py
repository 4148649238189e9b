"""Gin rummy as a person sees it in the terminal, and the short forms of moves."""

from typing import Any, ClassVar

from rich.text import Text

from meldlab.cards import Card, Hand
from meldlab.cli.gin.advise import print_advice
from meldlab.cli.gin.hints import expected_turns, hint
from meldlab.cli.pictures import arrangement_text, cards_drawn, cards_text
from meldlab.cli.screen import Screen
from meldlab.errors import BadText, MeldlabError, NotLegalHere
from meldlab.gin import Match, Move, Phase, Rules, Verb, View
from meldlab.gin.advice import advise
from meldlab.gin.round import Outcome
from meldlab.melds import arrange, discards
from meldlab.play import Deal, Game, Result, Step

__all__ = ["GinScreen"]

VERBS = {
    **dict.fromkeys(("draw", "stock", "d"), Verb.DRAW),
    **dict.fromkeys(("take", "t"), Verb.TAKE),
    **dict.fromkeys(("pass", "p"), Verb.PASS),
    **dict.fromkeys(("drop", "discard", "throw"), Verb.DROP),
    **dict.fromkeys(("knock", "k", "gin"), Verb.KNOCK),
    **dict.fromkeys(("show", "s"), Verb.SHOW),
    "big": Verb.BIG_GIN,
}
TOO_EARLY = {Phase.OFFER: "take the upcard or pass first", Phase.DRAW: "draw or take a card first", Phase.FORCED: "draw a card first"}


class GinScreen(Screen):
    """The own hand in melds, the upcard, what may be done, and how each round ended."""

    help = """  draw or d    take a card from the stock
  take or t    take the upcard; pass or p leaves the first one
  drop KD      discard a card (also: discard KD, or just KD)
  knock KD     discard it and knock (also: k KD; k alone picks the card); to arrange your melds yourself: knock KD | 5H 6H 7H | 9C 9D 9S
  big gin      eleven melded cards
  show or s    show your melds after a knock"""
    sorts: ClassVar[tuple[str, ...]] = ("by melds", "by suit", "by rank")
    round = -1
    """The round whose start was last told."""
    last: Outcome | None = None
    """How the round before it ended."""
    explained = False
    """Whether a hint has said what its columns are."""

    def begin(self, game: Game[Any], deal: Deal, state: Match) -> None:
        """Say what the match goes to."""
        self.say(_rules_text(state.rules))

    def rules(self, view: View) -> None:
        """Tell the rules in force."""
        less = "as little as the knocker, or less," if view.rules.equal_deadwood == "undercut" else "less than the knocker"
        self.say(
            "Ten cards each. In turn, draw from the stock or take the upcard, then discard one. Melds are three or four of a rank, or "
            "three or more of a suit in order, aces low; a card lies in one meld. Deadwood is the rest: court cards count 10, aces 1. "
            "Who knocks ends the round and wins the difference; the other first lays off deadwood on the knocker's melds, unless that "
            f"is gin. Who is left with {less} undercuts."
        )
        self.say(f"{_rules_text(view.rules)} In this round: {_limit_text(view)}.")

    def show(self, view: View) -> None:
        """Print the own hand, the upcard, and what may be done."""
        self._begin_round(view)
        best = arrange(view.hand)
        by_rank = sorted(view.hand)
        ways = (arrangement_text(best), cards_text(sorted(by_rank, key=lambda card: card.suit)), cards_text(by_rank))
        self.say(Text("  your hand  ").append_text(ways[self.sorting]).append(f"   deadwood {best.deadwood}"))
        if view.phase is not Phase.SHOW:
            upcard = cards_text([view.upcard]) if view.upcard else Text("none")
            known = Text("   the other holds ").append_text(cards_text(view.known)) if view.known else Text()
            self.say(Text("  upcard     ").append_text(upcard).append(f"   stock {view.stock}").append_text(known))
        self.say(f"  you may {_may(view)}")

    def _begin_round(self, view: View) -> None:
        if view.number == self.round:
            return
        self.round = view.number
        who = "you begin" if view.starter == self.seat else "the other begins"
        if not view.number:
            why = " by lot" if view.rules.first_starter == "random" else ", as the first seat does"
        elif self.last is None:
            why = ""
        elif self.last.winner is None:
            why = " again, as nobody won"
        else:
            why = {"alternates": " in turn", "winner": ", as the winner does", "loser": ", as the loser does"}[view.rules.next_starter]
        knock = _limit_text(view)
        self.say(f"\nRound {view.number + 1}: you {view.scores[self.seat]}, the other {view.scores[1 - self.seat]}; {knock}; {who}{why}.")

    def words(self, view: View) -> list[str]:
        """Return the moves and the cards."""
        moves = [cards_drawn(str(move).partition(" | ")[0]).plain for move in view.legal_actions()]
        return list(dict.fromkeys([*moves, *(cards_text([card]).plain for card in view.hand)]))

    def read(self, view: View, text: str) -> Move:
        """Read what a person types; short forms are filled in, and the move must be possible now."""
        head, bar, melds = text.partition("|")
        word, _, rest = head.strip().partition(" ")
        verb = VERBS.get(word.lower())
        if verb is None:
            verb, rest = _by_card(view, head), head
        if verb is Verb.DRAW and view.phase is Phase.DROP and word.lower() == "d" and rest.strip():
            verb = Verb.DROP
        legal = [move for move in view.legal_actions() if move.verb is verb]
        if not legal:
            raise NotLegalHere(f"{_why_not(view, verb)}; you may {_may(view)}")
        if verb is Verb.SHOW and (rest or bar):
            return view.parse(f"show {rest}{bar}{melds}")
        if verb in (Verb.DROP, Verb.KNOCK) and rest.strip():
            card = Card.parse(rest)
            if bar:
                return view.parse(f"{verb} {card} | {melds}")
            fitting = [move for move in legal if move.index == card.index]
            if not fitting and verb is Verb.KNOCK and card in view.hand and card != view.taken:
                raise NotLegalHere(f"{_too_much(discards(view.hand)[card], view.limit)}; you may {_may(view)}")
            return fitting[0] if fitting else Move(verb, card.index)
        if verb is Verb.DROP:
            raise NotLegalHere("which card? (drop KD)")
        if verb is Verb.TAKE and rest.strip():
            return view.parse(f"take {rest}")
        if verb is Verb.KNOCK:
            left = discards(view.hand)
            return min(legal, key=lambda move: left[Card.from_index(move.index)])
        return legal[-1] if verb is Verb.SHOW else legal[0]

    def hint(self, view: View) -> None:
        """Say what each move leads to, the best first, and how far the hand is from a knock where that is known."""
        with self.waiting("playing every move out ..."):
            advice = advise(view)
        print_advice(self.console, view, advice, legend=not self.explained)
        self.explained |= bool(advice.prospects)
        turns = expected_turns(view.hand) if len(view.hand) == 10 else {}
        if turns:
            self.say(f"  {hint(turns)}")

    def tell(self, step: Step[Match]) -> None:
        """Say what the other does, what the person draws, and how a round ended."""
        self._begin_round(step.before.view(self.seat))
        move, mine = step.action, step.seat == self.seat
        if step.forfeit:
            self.say(f"  {step.forfeit}")
        elif mine and move.verb is Verb.DRAW:
            self.say(f"  you draw {step.line.split()[-1]}")
        elif not mine:
            self.say(f"  the other {_did(move)}")
        if len(step.after.outcomes) > len(step.before.outcomes):
            self._end_round(step, step.after.outcomes[-1])

    def _end_round(self, step: Step[Match], outcome: Outcome) -> None:
        self.last = outcome
        if outcome.deadwood:
            for seat, whose in ((self.seat, "your hand  "), (1 - self.seat, "the other's")):
                dropped = 1 << step.action.index if seat == step.seat and step.action.index >= 0 else 0
                best = arrange(Hand.from_mask(step.before.round.masks[seat] & ~dropped))
                laid = " after laying off" if outcome.deadwood[seat] < best.deadwood else ""
                self.say(Text(f"  {whose}  ").append_text(arrangement_text(best)).append(f"   left with {outcome.deadwood[seat]}{laid}"))
        if outcome.winner is None:
            self.say(f"  The round is {outcome.kind}: nobody scores.")
        else:
            self.say(f"  {'You win' if outcome.winner == self.seat else 'The other wins'} {outcome.points} points by {outcome.kind}.")

    def end(self, result: Result) -> None:
        """Say who has won the match."""
        won = "You win" if result.winners == (self.seat,) else "You lose" if result.winners else "Nobody wins"
        self.say(f"{won}, {result.scores[self.seat]} to {result.scores[1 - self.seat]} ({result.reason}).")

    def drawn(self, text: str) -> Text:
        """Return a text with its cards drawn."""
        return cards_drawn(text)


def _by_card(view: View, text: str) -> Verb:
    """Return what is done with a card that is typed alone: it is discarded, or taken."""
    try:
        Card.parse(text)
    except (BadText, MeldlabError):
        raise NotLegalHere(f"no move {text.strip()!r}; you may {_may(view)}") from None
    return Verb.DROP if view.phase in (Phase.DROP, Phase.LAST) else Verb.TAKE


def _may(view: View) -> str:
    """Return what is possible now, in short."""
    moves = [f"{move}" if not move.melds and move.verb is not Verb.DROP else str(move.verb) for move in view.legal_actions()]
    return " or ".join(dict.fromkeys(move.removesuffix(" stock") for move in moves))


def _why_not(view: View, verb: Verb) -> str:
    """Say by the rules why a verb is not possible now."""
    dropping = view.phase in (Phase.DROP, Phase.LAST)
    if view.phase is Phase.SHOW:
        return "the other has knocked"
    if verb in (Verb.DRAW, Verb.TAKE, Verb.PASS) and dropping:
        return "you have drawn already" if verb is not Verb.PASS else "a turn ends with a discard"
    if verb is Verb.KNOCK and dropping:
        return _too_much(min(discards(view.hand).values()), view.limit)
    if verb is Verb.BIG_GIN and dropping:
        return "these rules know no big gin" if not view.rules.big_gin_bonus else "big gin is eleven melded cards"
    if verb is Verb.SHOW:
        return "nobody has knocked"
    if verb is Verb.PASS:
        return "only the first upcard can be passed"
    if verb is Verb.TAKE:
        return "the upcard cannot be taken now"
    if verb is Verb.DRAW:
        return "the upcard is offered first" if view.phase is Phase.OFFER else "nothing can be drawn now"
    return TOO_EARLY.get(view.phase, f"{verb} is not possible now")


def _too_much(left: int, limit: int) -> str:
    return f"{left} is more than the {limit} you may knock with" if limit else f"{left} is left, and you may knock with gin only"


def _did(move: Move) -> str:
    """Say what the other did, with the cards that lie open."""
    melds = "  ".join(f"[{meld}]" for meld in move.melds)
    match move.verb:
        case Verb.PASS:
            return "passes"
        case Verb.DRAW:
            return "draws from the stock"
        case Verb.TAKE:
            return f"takes {move.card}"
        case Verb.DROP:
            return f"discards {move.card}"
        case Verb.KNOCK:
            return f"discards {move.card} and knocks with {melds}"
        case Verb.BIG_GIN:
            return f"has big gin: {melds}"
    return f"shows {melds or 'no melds'}" + (f" and lays off {move.laid}" if move.laid else "")


def _limit_text(view: View) -> str:
    return f"knock with {view.limit} or less" if view.limit else "knock with gin only"


def _rules_text(rules: Rules) -> str:
    """Return the target and what is scored."""
    target = f"The first to reach {rules.match_points} points wins" if rules.match_points else "One round is played"
    limit = "the first upcard says with how much one may knock" if rules.oklahoma else f"one may knock with {rules.knock_limit} or less"
    big = f", big gin {rules.big_gin_bonus}" if rules.big_gin_bonus else ""
    end = {"to the winner": rules.game_bonus, "more if the other has nothing": rules.shutout_bonus, "for each round won": rules.box_bonus}
    bonuses = ", ".join(f"{points} {what}" for what, points in end.items() if points) if rules.match_points else ""
    more = f" At the end of the match: {bonuses}." if bonuses else ""
    return f"{target}; {limit}; gin scores {rules.gin_bonus} more{big}, an undercut {rules.undercut_bonus}.{more}"
