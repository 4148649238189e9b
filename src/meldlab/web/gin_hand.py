"""A hand of gin on a page: its order, and the buttons for a chosen card."""

from meldlab.cards import Card


def sorted_hand(hand: list[str], sort: str, melds: list[list[str]]) -> list[str]:
    """Return a hand as the person wants it."""
    cards = {text: Card.parse(text) for text in hand}
    if sort == "rank":
        return sorted(hand, key=lambda text: (cards[text].rank, cards[text].suit))
    if sort == "suit":
        return sorted(hand, key=lambda text: (cards[text].suit, cards[text].rank))
    if sort == "melds":
        melded = [card for meld in melds for card in meld]
        return [*melded, *sorted((card for card in hand if card not in melded), key=lambda text: cards[text].rank)]
    return hand


def moves_with(legal: list[str], chosen: str) -> list[dict[str, str]]:
    """Return the buttons that do something now: with a card chosen, what can be done with it."""
    result = []
    for move in legal:
        head = move.partition(" | ")[0]
        verb, _, card = head.rpartition(" ")
        melds = move.partition(" | ")[2]
        if verb in ("drop", "knock"):
            if card == chosen:
                result.append({"action": move, "verb": verb, "card": card, "melds": melds if verb == "knock" else ""})
        elif not head.startswith(("draw", "take")):
            result.append({"action": move, "verb": head if head in ("pass",) else move.split()[0], "card": "", "melds": move})
    return result
