r"""Gin rummy as games of OpenSpiel, with every card that is dealt or drawn a chance node: ``python_meldlab_gin_rummy`` and a mini gin.

A hand is dealt in the order of its cards, so each deal is one history, and ``chance_outcomes`` weighs what may still come. Actions below
108 are those of the vector environment; 108 and following choose a way to show melds and lay off, where there are several: the knocker's,
then the defender's. Ways are those that leave the least deadwood.

>>> game = pyspiel.load_game("python_meldlab_mini_gin")
>>> state = game.new_initial_state()
>>> state.chance_outcomes()[0]
(0, 0.375)
>>> while state.is_chance_node():
...     state.apply_action(state.legal_actions()[-1])
>>> print(state.information_state_string(0).partition("\n")[2])
hand 2D 3D 4D
upcard 2C, stock 1
p1 is to take the upcard or pass
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from math import comb
from typing import Any, Literal

import numpy as np
import pyspiel

from meldlab.adapters.openspiel.game_type import game_type
from meldlab.cards import CARDS, Deck
from meldlab.errors import NoSuchThing, NotPossible
from meldlab.gin import MINI, Gin, Match, Move, Phase, Round, Rules, Verb
from meldlab.gin.kernel_state import MAX_ROUNDS
from meldlab.gin.move import DRAW
from meldlab.gin.observation import features_of, text_of
from meldlab.gin.vector import ACTIONS, FEATURES, action_of, action_text
from meldlab.play import Deal

WAYS = 64  # to show a hand, more than any has
EVENT = 2 + len(Verb) + 52  # who, what and which card, of one move in an information state
REWARDS = ("", "win", "points")


def _values(rules: Rules) -> dict[str, Any]:
    """Return the fields of rules as parameters; what is true or false is 1 or 0, so that -1 can say that it is not given."""
    values = {field.name: getattr(rules, field.name) for field in fields(rules)}
    return {name: value if isinstance(value, str) else int(value) for name, value in values.items()}


def _changed(rules: Rules, given: Mapping[str, Any]) -> Rules:
    """Return rules with the parameters that are given."""
    kinds = {name: type(getattr(rules, name)) for name in given}
    return replace(rules, **{name: kinds[name](value) for name, value in given.items() if value not in ("", UNSAID)})


UNSAID = -1  # OpenSpiel fills in what is not given, so what is not given must say so itself
GIN_RUMMY = game_type(
    "python_meldlab_gin_rummy",
    "Gin rummy of meldlab",
    {"rules": "eaai", **{name: "" if isinstance(value, str) else UNSAID for name, value in _values(Rules()).items()}, "reward": ""},
)
MINI_GIN = game_type("python_meldlab_mini_gin", "Mini gin of meldlab", {**_values(MINI), "reward": ""}, tensor=True)


@dataclass(frozen=True)
class Position:
    """A node of a game: a match whose unseen cards are not yet ordered, and the kind of the next decision or chance event."""

    match: Match
    node: Literal["starter", "deal", "draw", "knock", "ways", "seat", "over"]
    dealt: tuple[int, ...] = ()
    """Cards of a round that is being dealt."""
    ways: tuple[Move, ...] = ()
    past: tuple[Round, ...] = ()
    """The rounds that are over."""

    def __deepcopy__(self, memo: Any) -> "Position":
        return self  # frozen: OpenSpiel copies a state at every node

    @classmethod
    def first(cls, rules: Rules) -> "Position":
        """Return the position before anything is dealt."""
        return cls(Gin(rules).start(2, Deal()), "starter" if rules.first_starter == "random" else "deal")

    @property
    def seat(self) -> int:
        """Return who acts: a seat, or OpenSpiel's number for chance or the end."""
        if self.node == "over":
            return int(pyspiel.PlayerId.TERMINAL)
        return int(pyspiel.PlayerId.CHANCE) if self.node in ("starter", "deal", "draw") else self.match.round.seat

    @property
    def lead(self) -> tuple[int, int]:
        """Return the points of seat 0 above seat 1 at the end, and 1, 0 or -1 for a win, a draw or a loss of seat 0."""
        result = self.match.result
        assert result is not None
        return result.scores[0] - result.scores[1], int(result.winners == (0,)) - int(result.winners == (1,))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return what chance may do and how likely each is."""
        if self.node == "starter":
            return [(0, 0.5), (1, 0.5)]
        round = self.match.round
        if self.node == "draw":
            return [(card, 1 / round.stock) for card in sorted(round.deck[-round.stock :])]
        hand_size, num_dealt = self.match.rules.cards, len(self.dealt)
        free = [card for card in self.match.rules.pack if card not in self.dealt]
        if num_dealt == 2 * hand_size:
            return [(card, 1 / len(free)) for card in free]
        # The cards of a hand come in order: the next is the lowest that is still missing, from those above the last.
        missing = hand_size - num_dealt % hand_size
        above = [card for card in free if num_dealt % hand_size == 0 or card > self.dealt[-1]]
        ways = [comb(len(above) - index - 1, missing - 1) for index in range(len(above))]
        return [(card, way / comb(len(above), missing)) for card, way in zip(above, ways, strict=True) if way]

    @cached_property
    def legal(self) -> list[int]:
        """Return what the seat may do, in ascending order."""
        if self.node in ("knock", "ways"):
            return list(range(ACTIONS, ACTIONS + len(self.ways)))
        return sorted({action_of(move) for move in self.match.view(self.match.round.seat).legal_actions()})

    def after(self, action: int) -> "Position":
        """Return the position after an action of a seat or of chance."""
        match, round = self.match, self.match.round
        if self.node == "starter":
            return replace(self, match=match._replace(round=round._replace(starter=action)), node="deal")
        if self.node == "deal":
            return self._dealt((*self.dealt, action))
        if self.node == "draw":
            first = len(round.deck) - round.stock
            rest = (action, *(card for card in round.deck[first:] if card != action))
            return self._moved(match._replace(round=round._replace(deck=round.deck[:first] + rest)), DRAW)
        if self.node in ("knock", "ways"):
            return self._moved(match, self.ways[action - ACTIONS])
        moves = [move for move in match.view(round.seat).legal_actions() if action_of(move) == action]
        if moves[0].verb is Verb.DRAW:
            return replace(self, node="draw")
        return self._moved(match, moves[0]) if len(moves) == 1 else replace(self, node="knock", ways=_ways(moves))

    def _dealt(self, dealt: tuple[int, ...]) -> "Position":
        match, rules = self.match, self.match.rules
        if len(dealt) <= 2 * rules.cards:
            return replace(self, dealt=dealt)
        deck = Deck(tuple(CARDS[card] for card in (*dealt, *(card for card in rules.pack if card not in dealt))))
        round = Round.deal(rules, deck, match.round.starter)
        return Position(match._replace(round=round, seat=round.seat), "seat", past=self.past)

    def _moved(self, match: Match, move: Move) -> "Position":
        after = match.apply(move)
        if len(after.outcomes) > len(match.outcomes):
            past = (*self.past, match.round.apply(move))
            return Position(after, "over" if after.seat is None else "deal", past=past)
        if after.round.phase is Phase.SHOW:
            ways = _ways(after.view(after.round.seat).legal_actions())
            waiting = Position(after, "ways", ways=ways, past=self.past)
            return waiting if len(ways) > 1 else waiting._moved(after, ways[0])
        return Position(after, "seat", past=self.past)


def _ways(moves: Any) -> tuple[Move, ...]:
    ways = tuple(dict.fromkeys(moves))
    if len(ways) > WAYS:
        raise NotPossible(f"{len(ways)} ways to show a hand, more than the {WAYS} that have a number")
    return ways


class GinState(pyspiel.State):  # type: ignore[misc]  # a class of C++
    """A state of gin; ``position`` is where it stands."""

    def __init__(self, game: Any, position: Position) -> None:
        super().__init__(game)
        self.position = position

    def current_player(self) -> int:
        """Return who acts."""
        return self.position.seat

    def _legal_actions(self, player: int) -> list[int]:
        return self.position.legal

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the cards that may come, each with its probability."""
        return self.position.chance_outcomes()

    def _apply_action(self, action: int) -> None:
        self.position = self.position.after(action)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"p{action + 1} starts" if self.position.node == "starter" else f"card {CARDS[action]}"
        if action < ACTIONS:
            return action_text(action)
        known = action - ACTIONS < len(self.position.ways) and player == self.position.seat
        return str(self.position.ways[action - ACTIONS]) if known else f"way {action - ACTIONS + 1}"

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.position.node == "over"

    def returns(self) -> list[float]:
        """Return what each seat has won: the points of a round, or 1 for a match, and the other has lost it."""
        points, won = self.position.lead if self.is_terminal() else (0, 0)
        value = float(points if self.get_game().by_points else won)
        return [value, -value]

    def __str__(self) -> str:
        return "\n\n".join(information_text(self.position, seat) for seat in range(2))


def information_text(position: Position, seat: int, *, recall: bool = True) -> str:
    """Return what a seat knows: of the round as it stands and, with recall, of all rounds before it."""
    match, node = position.match, position.node
    past = [text_of(round.view(seat, number=number)) for number, round in enumerate(position.past)] if recall else []
    if node == "over":
        return "\n\n".join([*past, f"over, {match.scores[0]} : {match.scores[1]}"])
    if node in ("starter", "deal"):
        return "\n\n".join([*past, f"round {match.number + 1} is dealt, {match.scores[0]} : {match.scores[1]}"])
    text = text_of(match.view(seat))
    if node == "draw":
        text += "\nand draws"
    if node == "knock" and seat == position.seat:
        text += f"\nand knocks with {position.ways[0].card or 'all cards'}"
    return "\n\n".join([*past, text])


class GinObserver:
    """The observation of a seat as a tensor: features of the vector environment, the knock to be shown and the knocker's cards.

    With perfect recall, every move of the round is added, one row for each.
    """

    def __init__(self, recall: bool, rows: int) -> None:
        pieces = {"features": (FEATURES,), "knock": (52,), "knocker": (52,), **({"moves": (rows, EVENT)} if recall and rows else {})}
        self.recall, self.dict = recall, {}
        self.tensor = np.zeros(sum(int(np.prod(shape)) for shape in pieces.values()), np.float32)
        start = 0
        for name, shape in pieces.items():
            size = int(np.prod(shape))
            self.dict[name] = self.tensor[start : start + size].reshape(shape)
            start += size

    def set_from(self, state: GinState, player: int) -> None:
        """Write what a seat sees; nothing while cards are dealt and at the end."""
        self.tensor.fill(0)
        position = state.position
        if position.node in ("starter", "deal", "over"):
            return
        view = position.match.view(player)
        self.dict["features"][:] = features_of(view)
        if position.node == "knock" and player == position.seat and position.ways[0].index >= 0:
            self.dict["knock"][position.ways[0].index] = 1
        for card in range(52):
            self.dict["knocker"][card] = view.knocker_mask >> card & 1
        for number, meld in enumerate(view.knock.melds if view.knock else (), 2):
            self.dict["knocker"][[card.index for card in meld.cards]] = number
        if "moves" in self.dict:
            drawn = iter(view.drawn_indices)
            for row, (seat, move) in zip(self.dict["moves"], view.history, strict=False):
                row[[seat != player, 2 + list(Verb).index(move.verb)]] = 1
                card = next(drawn) if move.verb is Verb.DRAW and seat == player else move.index
                if card >= 0:
                    row[2 + len(Verb) + card] = 1

    def string_from(self, state: GinState, player: int) -> str:
        """Return the information of a seat as text."""
        return information_text(state.position, player, recall=self.recall)


class GinGame(pyspiel.Game):  # type: ignore[misc]  # a class of C++
    """Gin rummy under any rules: ``rules`` names a preset, and every field of the rules is a parameter that changes it."""

    kind: Any = GIN_RUMMY

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        given = dict(params or {})
        reward, preset = given.pop("reward", ""), given.pop("rules", "")
        if reward not in REWARDS:
            raise NoSuchThing("reward", reward, REWARDS[1:])
        plain = self.preset(preset)
        self.rules = _changed(plain, given)
        self.by_points = reward == "points" or (not reward and not self.rules.match_points)
        worst = float(Gin(self.rules).start(2, Deal()).forfeit(1, "").scores[0]) if self.by_points else 1.0
        moves = 2 * self.rules.max_draws + 6  # of a round: two passes, draws and discards, a way to knock and one to show
        self.rows = moves if self.kind.provides_information_state_tensor else 0
        info = pyspiel.GameInfo(
            num_distinct_actions=ACTIONS + WAYS,
            max_chance_outcomes=52,
            num_players=2,
            min_utility=-worst,
            max_utility=worst,
            utility_sum=0.0,
            max_game_length=moves * (MAX_ROUNDS if self.rules.match_points else 1),
        )
        said = {name: value for name, value in {"rules": preset, "reward": reward}.items() if value}
        said |= {name: value for name, value in _values(self.rules).items() if value != _values(plain)[name]}
        super().__init__(self.kind, info, said)
        self.first = Position.first(self.rules)  # stored: OpenSpiel starts a state anew whenever it copies one

    def preset(self, name: str) -> Rules:
        """Return the rules that parameters change."""
        return Rules.preset(name)

    def new_initial_state(self) -> GinState:
        """Return the state before anything is dealt."""
        return GinState(self, self.first)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> GinObserver:
        """Return what tells of a state as a seat sees it."""
        return GinObserver(bool(iig_obs_type and iig_obs_type.perfect_recall), self.rows)


class MiniGinGame(GinGame):
    """A gin so small that OpenSpiel walks all of it: eight cards, three in a hand; the same parameters make it another one."""

    kind: Any = MINI_GIN

    def preset(self, name: str) -> Rules:
        """Return the rules of the mini gin."""
        return MINI


pyspiel.register_game(GIN_RUMMY, GinGame)
pyspiel.register_game(MINI_GIN, MiniGinGame)
