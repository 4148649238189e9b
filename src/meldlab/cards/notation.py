"""Reading cards the way people type them: ``5H``, ``5h``, ``10S``, ``♠10``; hands are separated by blanks or commas."""

import re
from collections.abc import Iterator

from meldlab.cards.card import Card, Rank, Suit
from meldlab.errors import BadText, NotLegalHere

__all__ = ["read_card", "read_cards", "read_rank", "read_suit"]

RANKS = {**{str(rank): rank for rank in Rank}, "10": Rank.TEN, "1": Rank.ACE}
SUITS: dict[str, Suit] = {**{str(suit): suit for suit in Suit}, **dict(zip("♣♦♥♠♧♢♡♤", [*Suit, *Suit], strict=True))}
WORD = re.compile(r"[^\s,]+")


def read_rank(text: str) -> Rank:
    """Read one rank."""
    word = _text(text).strip().upper()
    if word not in RANKS:
        raise BadText(f"no rank {text.strip()!r} (use {' '.join(map(str, Rank))})", text, _start(text))
    return RANKS[word]


def read_suit(text: str) -> Suit:
    """Read one suit."""
    word = _text(text).strip().upper()
    if word not in SUITS:
        raise BadText(f"no suit {text.strip()!r} (use {' '.join(map(str, Suit))})", text, _start(text))
    return SUITS[word]


def read_card(text: str) -> Card:
    """Read one card and nothing else."""
    found = list(read_cards(text))
    if len(found) != 1:
        at = found[1][1] if found else len(text)
        raise BadText("one card wanted" if found else "no card", text, at)
    return found[0][0]


def read_cards(text: str) -> Iterator[tuple[Card, int]]:
    """Read the cards of ``text``, each with the place where it starts."""
    for match in WORD.finditer(_text(text)):
        yield _card(match.group(), match.start(), text), match.start()


def _card(word: str, at: int, text: str) -> Card:
    # Emoji suits carry an invisible selector; dropping it cannot move the caret, since it comes last or after the suit.
    upper = word.upper().replace("\N{VARIATION SELECTOR-16}", "")
    if upper[:1] in SUITS:
        suit, rank, suit_at, rank_at = upper[0], upper[1:], at, at + 1
    else:
        cut = 2 if upper.startswith("10") else 1
        rank, suit, rank_at, suit_at = upper[:cut], upper[cut:], at, at + cut
    if rank not in RANKS:
        if not rank:
            raise BadText(f"no rank beside {word!r}", text, rank_at)
        raise BadText(f"no rank {word[rank_at - at : rank_at - at + len(rank)]!r} (use {' '.join(map(str, Rank))})", text, rank_at)
    if suit not in SUITS:
        if not suit:
            raise BadText(f"no suit behind {word!r} (use {' '.join(map(str, Suit))})", text, suit_at)
        raise BadText(f"no suit {word[suit_at - at :]!r} (use {' '.join(map(str, Suit))})", text, suit_at)
    return Card(RANKS[rank], SUITS[suit])


def _text(text: object) -> str:
    if not isinstance(text, str):
        raise NotLegalHere(f"cards are read from text, not from {text!r}")
    return text


def _start(text: str) -> int:
    return len(text) - len(text.lstrip())
