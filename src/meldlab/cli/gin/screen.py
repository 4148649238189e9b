"""Gin rummy as a person sees it in the terminal, and the short forms of moves."""

from meldlab.cards import Card
from meldlab.cli.gin.advise import print_advice
from meldlab.cli.gin.hints import expected_turns, hint
from meldlab.cli.pictures import arrangement_text, cards_text
from meldlab.cli.table import Screen
from meldlab.errors import NotLegalHere
from meldlab.gin import Match, Move, Phase, Verb, View
from meldlab.gin.advice import advise
from meldlab.melds import arrange
from meldlab.play import Result, Step

__all__ = ["GinScreen"]


class GinScreen(Screen):
    """The own hand in melds, the upcard, what may be done, and how each round ended."""

    help = """  draw       take a card from the stock
  take       take the upcard; pass leaves the first one
  drop KD    discard a card
  knock KD   discard it and knock; melds are arranged for you,
             or say so yourself: knock KD | 5H 6H 7H | 9C 9D 9S
  big gin    eleven melded cards
  show       show your melds after a knock
  ?          advice, with reasons
  undo       take back your last move, before the other acts
  quit       stop here"""
    round = -1
    """The round whose start was last told."""

    def show(self, view: View) -> None:
        """Print the own hand, the upcard, and what may be done."""
        self._begin(view)
        best = arrange(view.hand)
        self.console.print("  your hand ", arrangement_text(best), f"  deadwood {best.deadwood}")
        if view.phase is Phase.SHOW and view.knock is not None:
            self.say(f"  the other knocked with {' | '.join(map(str, view.knock.melds))}")
        else:
            upcard = [view.upcard] if view.upcard else []
            known = f"  known to be the other's: {view.known}" if view.known else ""
            self.console.print("  upcard    ", cards_text(upcard), f"  stock {view.stock}{known}")
        may = [str(move) if not move.melds and move.index < 0 else str(move.verb) for move in view.legal_actions()]
        self.say(f"  you may: {', '.join(dict.fromkeys(may))}")

    def _begin(self, view: View) -> None:
        if view.number != self.round:
            self.round = view.number
            starter = "you start" if view.starter == self.seat else "the other starts"
            self.say(f"\nRound {view.number + 1}, you {view.scores[self.seat]}, the other {view.scores[1 - self.seat]}; {starter}.")

    def read(self, view: View, text: str) -> Move:
        """Read what a person types; short forms are filled in, and the move must be legal."""
        words = text.lower().split()
        legal = view.legal_actions()
        if words[0] in ("draw", "stock", "d") and len(words) == 1:
            text = "draw stock"
        elif words[0] in ("take", "t") and len(words) == 1:
            text = f"take {view.upcard}"
        elif (words[0] in ("knock", "show") or text.lower().startswith("big gin")) and "|" not in text and len(words) <= 2:
            verb = Verb.BIG_GIN if words[0] == "big" else Verb(words[0])
            wanted = Card.parse(words[1]).index if verb is Verb.KNOCK and len(words) > 1 else -1
            fitting = [move for move in legal if move.verb is verb and move.index == wanted]
            if not fitting:
                raise NotLegalHere(f"{text} is not possible now: {', '.join(dict.fromkeys(str(move.verb) for move in legal))}")
            return fitting[-1] if verb is Verb.SHOW else fitting[0]
        return view.parse(text)

    def hint(self, view: View) -> None:
        """Give the light player's advice, and how far the hand is from a knock where that is known."""
        print_advice(self.console, advise(view))
        turns = expected_turns(view.hand) if len(view.hand) == 10 else {}
        if turns:
            self.say(f"  {hint(turns)}")

    def asks_again(self, step: Step[Match]) -> bool:
        """Ask before the other acts, unless the round is over."""
        return step.after.seat == 1 - self.seat and step.after.number == step.before.number

    def tell(self, step: Step[Match]) -> None:
        """Say what the other does, what the person draws, and how a round ended."""
        self._begin(step.before.view(self.seat))
        if step.seat != self.seat:
            self.say(f"  {step.forfeit or f'the other: {step.action}'}")
        elif step.action.verb is Verb.DRAW:
            self.say(f"  you draw {step.line.split()[-1]}")
        if len(step.after.outcomes) > len(step.before.outcomes):
            outcome = step.after.outcomes[-1]
            both = f", deadwood {outcome.deadwood[self.seat]} and {outcome.deadwood[1 - self.seat]}" if outcome.deadwood else ""
            who = "" if outcome.winner is None else "you win" if outcome.winner == self.seat else "the other wins"
            self.say(f"  {who} {outcome.points} by {outcome.kind}{both}." if who else f"  {outcome.kind}{both}.")

    def end(self, result: Result) -> None:
        """Say who has won the match."""
        won = "You win" if result.winners == (self.seat,) else "You lose" if result.winners else "Nobody wins"
        self.say(f"{won}, {result.scores[self.seat]} to {result.scores[1 - self.seat]}.")
