"""Gin rummy on the terminal."""

from typing import Any, ClassVar

from rich.text import Text

from meldlab.cards import Hand
from meldlab.cli.gin.advise import print_advice
from meldlab.cli.pictures import arrangement_text, cards_drawn, cards_text
from meldlab.cli.screen import Screen
from meldlab.gin import Match, Move, Phase, Rules, View
from meldlab.gin.advice import advise
from meldlab.gin.outcome import Outcome
from meldlab.gin.turn_estimate import turns_after, turns_text
from meldlab.gin.typed_moves import possible_now, read_move
from meldlab.melds import arrange
from meldlab.play import Deal, Game, Step
from meldlab.waiting.storage import table_turns


class GinScreen(Screen):
    """The own hand in melds, the upcard, the legal moves, and the result of each round."""

    help = """  draw or d    take a card from the stock
  take or t    take the upcard; pass or p leaves the first one
  drop KD      discard a card (also: discard KD, or just KD)
  knock KD     discard it and knock (also: k KD; k alone picks the card); to arrange your melds yourself: knock KD | 5H 6H 7H | 9C 9D 9S
  big gin      eleven melded cards
  show or s    show your melds after a knock"""
    sorts: ClassVar[tuple[str, ...]] = ("by melds", "by suit", "by rank")
    round = -1
    """Number of the round whose start was printed last."""
    explained = False
    """Whether a hint has explained its columns."""

    def begin(self, game: Game[Any], deal: Deal, state: Match) -> None:
        """Print the target of the match."""
        self.say(_rules_text(state.rules))

    def rules(self, view: View) -> None:
        """Print the rules in force."""
        less = "as little as the knocker, or less," if view.rules.equal_deadwood == "undercut" else "less than the knocker"
        self.say(
            "Ten cards each. In turn, draw from the stock or take the upcard, then discard one. Melds are three or four of a rank, or "
            "three or more of a suit in order, aces low; a card is in one meld. Deadwood is the rest: court cards count 10, aces 1. "
            "Who knocks ends the round and wins the difference; the other first lays off deadwood on the knocker's melds, unless that "
            f"is gin. Who is left with {less} undercuts."
        )
        self.say(f"{_rules_text(view.rules)} In this round: {_limit_text(view)}.")

    def show(self, view: View) -> None:
        """Print the own hand, the upcard, and the legal moves."""
        self._begin_round(view)
        best = arrange(view.hand)
        by_rank = sorted(view.hand)
        ways = (arrangement_text(best), cards_text(sorted(by_rank, key=lambda card: card.suit)), cards_text(by_rank))
        self.say(Text("  your hand  ").append_text(ways[self.sorting]).append(f"   deadwood {best.deadwood}"))
        if view.phase is not Phase.SHOW:
            upcard = cards_text([view.upcard]) if view.upcard else Text("none")
            known = Text("   the other holds ").append_text(cards_text(view.known)) if view.known else Text()
            self.say(Text("  upcard     ").append_text(upcard).append(f"   stock {view.stock}").append_text(known))
        self.say(f"  you may {possible_now(view)}" if view.acting == view.seat else "  the other is to move")

    def _begin_round(self, view: View) -> None:
        if view.number == self.round:
            return
        self.round = view.number
        who, scores = "you begin" if view.starter == self.seat else "the other begins", view.scores
        self.say(f"\nRound {view.number + 1}: you {scores[self.seat]}, the other {scores[1 - self.seat]}; {_limit_text(view)}; {who}.")

    def words(self, view: View) -> list[str]:
        """Return the moves and the cards."""
        moves = [cards_drawn(str(move).partition(" | ")[0]).plain for move in view.legal_actions()]
        return list(dict.fromkeys([*moves, *(cards_text([card]).plain for card in view.hand)]))

    def read(self, view: View, text: str) -> Move:
        """Return the move of a text."""
        return read_move(view, text)

    def hint(self, view: View) -> None:
        """Print the value of each move, best first, and the expected turns to a knock and to gin."""
        with self.waiting("evaluating every move ..."):
            advice = advise(view)
        print_advice(self.console, view, advice, legend=not self.explained)
        self.explained |= bool(advice.candidates)
        if text := turns_text(turns_after(view, advice.move, table_turns)):
            self.say(f"  {text}")

    def tell(self, step: Step[Match]) -> None:
        """Print the move, and the result of a round."""
        self._begin_round(step.before.view(self.seat))
        super().tell(step)
        if len(step.after.outcomes) > len(step.before.outcomes):
            self._end_round(step, step.after.outcomes[-1])

    def _end_round(self, step: Step[Match], outcome: Outcome) -> None:
        if outcome.deadwood:
            for seat, whose in ((self.seat, "your hand  "), (1 - self.seat, "the other's")):
                dropped = 1 << step.action.index if seat == step.seat and step.action.index >= 0 else 0
                best = arrange(Hand.from_mask(step.before.round.masks[seat] & ~dropped))
                laid = " after laying off" if outcome.deadwood[seat] < best.deadwood else ""
                self.say(Text(f"  {whose}  ").append_text(arrangement_text(best)).append(f"   left with {outcome.deadwood[seat]}{laid}"))
        if outcome.winner is None:
            self.say(f"  The round is {outcome.kind}: no points.")
        else:
            self.say(f"  {'You win' if outcome.winner == self.seat else 'The other wins'} {outcome.points} points by {outcome.kind}.")

    def drawn(self, text: str) -> Text:
        """Return a text with its cards drawn."""
        return cards_drawn(text)


def _limit_text(view: View) -> str:
    return f"knock with {view.limit} or less" if view.limit else "knock with gin only"


def _rules_text(rules: Rules) -> str:
    """Return the target and what is scored."""
    target = f"The first to reach {rules.match_points} points wins" if rules.match_points else "One round is played"
    limit = "the first upcard limits the deadwood to knock with" if rules.oklahoma else f"knock with {rules.knock_limit} or less"
    big = f", big gin {rules.big_gin_bonus}" if rules.big_gin_bonus else ""
    end = {"to the winner": rules.game_bonus, "more if the loser has none": rules.shutout_bonus, "for each round won": rules.box_bonus}
    bonuses = ", ".join(f"{points} {what}" for what, points in end.items() if points) if rules.match_points else ""
    more = f" At the end of the match: {bonuses}." if bonuses else ""
    return f"{target}; {limit}; gin scores {rules.gin_bonus} more{big}, an undercut {rules.undercut_bonus}.{more}"
