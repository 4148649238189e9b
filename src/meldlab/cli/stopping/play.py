"""``meldlab stopping play``: a person against the pile."""

from typing import TYPE_CHECKING

from meldlab.cli.options import NewDealOption, need_input, new_seed, taking
from meldlab.cli.stopping.options import advice_text, read_urn
from meldlab.errors import NotPossible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from meldlab.stopping import Round, Urn

HELP = """  draw, d or Enter   turn the next card up
  stop or s          keep what you have won (quit does the same)
  hint or ?          advice: draw or stop, and why
  rules              what the cards are worth"""
# What every table understands and this one has no use for: it has no hand, and the seed is the whole record.
NOT_HERE = {
    "undo": "nothing to take back: a card that was seen cannot be unseen",
    "sort": "there is no hand to sort",
    "save": "there is nothing to save: the same seed gives the same pile",
}


@taking(urn=read_urn)
def play(urn: "Urn", seed: NewDealOption = None) -> None:
    """Play against the pile: draw, stop, or ask for advice.

    Example: meldlab stopping play --seed 7
    """
    from rich.console import Console

    from meldlab.stopping import Round

    need_input()
    if not urn.exact_at_once:
        raise NotPossible(f"{urn.black},{urn.red} is too large a deck for advice at once; play with a smaller one")
    seed = new_seed(seed)
    table = Round.shuffled(urn, seed)
    console = Console(highlight=False)
    _say(console, f"{_rules(urn)} Seed {seed}.")
    _say(console, "d or Enter draws, s stops, ? gives advice; 'help' lists all that you can type.")
    table = _played(table, console)
    _end(table, seed, console)


def _say(console: "Console", text: str) -> None:
    """Print a text; on a terminal lines are broken between words."""
    from rich.text import Text

    from meldlab.cli.screen import hanging

    console.print(hanging(Text(text), console) if console.is_terminal else text, markup=False, soft_wrap=True)


def _rules(urn: "Urn") -> str:
    return f"{urn.black} black cards win {urn.gain} each, {urn.red} red cards lose {urn.loss} each."


def _played(table: "Round", console: "Console") -> "Round":
    """Return where the player stops, or the empty pile."""
    from meldlab.cli.lines import Lines
    from meldlab.cli.screen import common_word
    from meldlab.stopping.notation import amount_text

    lines = Lines(console)
    while not table.over:
        rest = table.remaining
        prompt = f"won {amount_text(table.urn.won(rest))}; {rest.black} black and {rest.red} red left> "
        asked = lines.ask(prompt, ("draw", "stop", "hint", "rules", "help", "quit")).lower()
        word, _ = common_word(asked)
        if asked in ("", "d", "draw"):
            table = table.draw()
            console.print(" ", _card_text(table))
        elif asked in ("s", "stop") or word == "quit":
            return table
        elif word in NOT_HERE:
            _say(console, f"  {NOT_HERE[word]}")
        elif word:
            _say(console, {"hint": f"  {advice_text(table.advice())}", "rules": f"  {_rules(table.urn)}"}.get(word, HELP))
        else:
            _say(console, f"  no move {asked!r}; you may draw, stop or ask for a hint")
    return table


def _card_text(table: "Round") -> "Text | str":
    from meldlab.cli.pictures import cards_text

    card = table.last_card
    return card if isinstance(card, str) else cards_text([card])


def _end(table: "Round", seed: int, console: "Console") -> None:
    from meldlab.stopping import Round
    from meldlab.stopping.notation import amount_text

    urn = table.urn
    best = Round.shuffled(urn, seed).finish()
    why = "The pile is empty" if table.over else "You stop"
    _say(console, f"{why}: you won {amount_text(urn.won(table.remaining))} with {table.drawn} cards.")
    here, average = amount_text(urn.won(best.remaining)), amount_text(urn.value())
    _say(console, f"The best policy wins {here} on this pile, with {best.drawn} cards, and {average} on average.")
