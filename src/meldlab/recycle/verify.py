"""Cases of a rule book: positions and actions with what must be legal, what must not, and the score.

A file of cases is TOML; each case starts from a deal, whose cards and storage can be set, and takes the actions.

>>> from meldlab.recycle.game import RecycleGame
>>> cases = read_cases('''
... [[case]]
... name = "a bet that is folded"
... cards = {"HAND of p1" = ["JACK"], "HAND of p2" = ["KING"]}
... actions = ["bet", "fold"]
... scores = [1, -1]
... ''')
>>> [verify_case(RecycleGame.load("kuhn_poker"), case) for case in cases]
[[]]
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from meldlab.errors import BadText, MeldlabError, NoSuchThing, NotLegalHere
from meldlab.play import Deal
from meldlab.play.record import Fields, read_toml
from meldlab.recycle.card_names import match_option, standard_card
from meldlab.recycle.game import RecycleGame
from meldlab.recycle.language.settings import with_settings
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.state import Option, State, View


@dataclass(frozen=True)
class Case:
    """One case: the start, the actions, and what must hold after them."""

    name: str
    seed: int = 0
    settings: Mapping[str, int] = field(default_factory=dict)
    """Numbers that the program declares, by name."""
    cards: Mapping[str, list[str]] = field(default_factory=dict)
    """Cards of a location at the first decision, from the bottom up, by its name as it is printed."""
    storage: Mapping[str, int | str] = field(default_factory=dict)
    """Contents of storage at the first decision, by its name as it is printed."""
    actions: tuple[str, ...] = ()
    """Actions: the words of an option, some of them that only one option has, or its number."""
    player: int | None = None
    """The player that must decide then, from 1; 0 if the game must be over."""
    options: int | None = None
    """The number of options that there must be."""
    legal: tuple[str, ...] = ()
    not_legal: tuple[str, ...] = ()
    scores: tuple[int, ...] | None = None
    """The scores of all players, at the end or as if the game ended there."""


def read_cases(text: str) -> list[Case]:
    """Return the cases of a text; an error names the case and the field."""
    fields = Fields(read_toml(text), text)
    tables = fields.take("case", list)
    fields.check_empty()
    return [_read_case(table, number, text) for number, table in enumerate(tables, 1)]


def _read_case(table: Any, number: int, text: str) -> Case:
    if not isinstance(table, dict):
        raise BadText(f"case {number} is not a table [[case]]", text, 0)
    fields = Fields(table, text)
    name = fields.take("name", str, f"case {number}")
    values: dict[str, Any] = {"seed": fields.take("seed", int, 0)}
    values |= {of: fields.take(of, dict, {}) for of in ("settings", "cards", "storage")}
    values |= {of: fields.take_texts(of, optional=True) for of in ("actions", "legal", "not_legal")}
    values |= {of: fields.take(of, int) for of in ("player", "options") if of in table}
    if "scores" in table:
        values["scores"] = tuple(fields.take("scores", list))
    fields.check_empty()
    if not {"player", "options", "legal", "not_legal", "scores"} & table.keys():
        raise BadText(f"case {number}, {name}: nothing is required (player, options, legal, not_legal or scores)", text, 0)
    return Case(name, **values)


def verify_case(game: RecycleGame, case: Case) -> list[str]:
    """Return what does not hold in a case, as text; empty if all does."""
    if case.settings:
        game = RecycleGame(game.name, with_settings(game.text, case.settings, game.dialect), game.dialect, game.limits)
    state = game.start(game.machine.players, Deal(case.seed))
    state = _arranged(state, case) if case.cards or case.storage else state
    for number, text in enumerate(case.actions, 1):
        seat = state.seat
        if seat is None:
            return [f"action {number}, {text!r}: the game is over"]
        try:
            state = state.apply(_read(state.view(seat), text))
        except MeldlabError as error:
            return [f"action {number}, {text!r} of p{seat + 1}: {error}"]
    return _failures(state, case)


def _read(view: View, text: str) -> Option:
    """Return the option of a text: its number, its words, or some words that only this option has."""
    try:
        return view.parse(text)
    except NoSuchThing:
        options = view.legal_actions()
        return options[match_option(list(map(str, options)), text)]


def _failures(state: State, case: Case) -> list[str]:
    failures = []
    player = 0 if state.seat is None else state.seat + 1
    if case.player is not None and case.player != player:
        required, actual = (f"p{number} decides" if number else "the game is over" for number in (case.player, player))
        failures.append(f"expected that {required}, but {actual}")
    options = 0 if state.seat is None else len(state.view(state.seat or 0).legal_actions())
    if case.options is not None and case.options != options:
        failures.append(f"expected {case.options} options, got {options}")
    failures += [f"{text!r} is not legal: {error}" for text in case.legal if (error := _illegal(state, text))]
    failures += [f"{text!r} is legal" for text in case.not_legal if not _illegal(state, text)]
    if case.scores is not None and (scores := state.position.check().scores) != case.scores:
        failures.append(f"expected the scores {_numbers(case.scores)}, got {_numbers(scores)}")
    return failures


def _illegal(state: State, text: str) -> str:
    """Return why an action is not legal; empty if it is. A text that fits several options is legal."""
    if state.seat is None:
        return "the game is over"
    try:
        _read(state.view(state.seat), text)
    except MeldlabError as error:
        return "" if " fits the options " in str(error) else str(error)
    return ""


def _numbers(scores: tuple[int, ...]) -> str:
    return ", ".join(map(str, scores))


def _arranged(state: State, case: Case) -> State:
    """Return the state with the cards and the storage of a case; cards change places, so all others are somewhere else."""
    position, describer = state.position, state.describer
    storage, words = position.machine.storage, position.words.copy()

    def address(card: int) -> int:
        return storage.cards + k.NODE * card + k.TYPE

    locations = {describer.location_name(location): cards for location, cards in position.locations()}
    placed: set[int] = set()
    for name, cards in case.cards.items():
        places = locations.get(name, ())
        if len(places) != len(cards):
            raise NotLegalHere(f"case {case.name!r}: {name} has {len(places)} cards at the first decision, not {len(cards)}")
        for place, card_name in zip(places, cards, strict=True):
            free = (card for card in range(int(words[k.CARDS])) if card not in placed)
            candidates = [card for card in free if _same(describer.card_names[int(words[address(card)])], card_name)]
            if not candidates:
                raise NotLegalHere(f"case {case.name!r}: no card {card_name!r} is left for {name}")
            other = place if place in candidates else candidates[0]
            words[[address(place), address(other)]] = words[[address(other), address(place)]]
            placed.add(place)
    cells = {name + describer.owner_text(category, owner): (kind, address) for kind, category, owner, name, address in storage.cells()}
    for name, value in case.storage.items():
        kind, cell = cells.get(name, ("", 0))
        if kind not in ("sto", "str") or isinstance(value, str) != (kind == "str"):
            raise NotLegalHere(f"case {case.name!r}: no storage {name!r} for {value!r}")
        if isinstance(value, str) and value not in storage.strings:
            raise NotLegalHere(f"case {case.name!r}: the program has no word {value!r}")
        words[cell] = storage.strings.index(value) if isinstance(value, str) else value
    return type(state)(position.with_words(words), state.known, describer)


def _same(name: str, text: str) -> bool:
    """Return whether a text names a card, in full or as a standard card."""
    card = standard_card(name)
    return name == text.upper() or (card is not None and text.upper() in (str(card), str(card).replace("T", "10")))
