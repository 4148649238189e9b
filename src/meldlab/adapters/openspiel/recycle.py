"""Any RECYCLE game as a game of OpenSpiel: ``python_meldlab_recycle(game=leduc_poker)``.

The machine deals and shuffles by the address of a game, so all its chance is one node: the root, with ``deals`` equally likely outcomes,
the games 0 to ``deals`` - 1 of the ``seed``. A RECYCLE game so becomes one with explicit chance over a sample of its deals, and every
history, copy and serialised state leads to the same cards again; later shuffles belong to the deal. Options are actions by their number
from 0, and ``options`` is the most there may be.

>>> game = pyspiel.load_game("python_meldlab_recycle(game=kuhn_poker,deals=6)")
>>> state = game.new_initial_state()
>>> state.apply_action(3)
>>> [state.action_to_string(action) for action in state.legal_actions()]
['set SAYS of p1 to CHECK', 'set SAYS of p1 to BET; set PAID of p1 to 2']
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyspiel

from meldlab.adapters.openspiel.game_type import game_type
from meldlab.errors import NoSuchThing, NotPossible, whole_number
from meldlab.play import Deal
from meldlab.recycle.features import Features
from meldlab.recycle.game import RecycleGame
from meldlab.recycle.state import Option, State

REWARDS = ("place", "score")
DEFAULTS = {"game": "block_rummy", "deals": 1000, "seed": 0, "options": 256, "reward": "place"}
MAX_DEALS = 1_000_000

RECYCLE = game_type("python_meldlab_recycle", "A game described in RECYCLE", DEFAULTS, max_players=64)


@dataclass(frozen=True)
class Stand:
    """The state of a game and the steps to it; no state before the deal."""

    state: State | None = None
    steps: tuple[tuple[State, Option], ...] = ()

    def __deepcopy__(self, memo: Any) -> "Stand":
        return self  # frozen: OpenSpiel copies a state at every node

    def log(self, seat: int) -> list[str]:
        """Return what a seat has noticed of each decision, its own with what it saw before."""
        lines = []
        for state, option in self.steps:
            own = [str(option.view), str(option)] if state.seat == seat else []
            lines += [*own, f"p{(state.seat or 0) + 1} {state.describe(option, seat)}"]
        return lines


class RecycleState(pyspiel.State):  # type: ignore[misc]  # a class of C++
    """A state of a RECYCLE game."""

    def __init__(self, game: Any) -> None:
        super().__init__(game)
        self.stand = Stand()

    def current_player(self) -> int:
        """Return who acts."""
        state = self.stand.state
        if state is None:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if state.seat is None else state.seat

    def _options(self) -> Any:
        state = self.stand.state
        assert state is not None
        assert state.seat is not None
        options = state.view(state.seat).legal_actions()
        if len(options) > (most := self.num_distinct_actions()):
            raise NotPossible(f"{len(options)} options here, more than {most}: load the game with options={len(options)} or more")
        return options

    def _legal_actions(self, player: int) -> list[int]:
        return list(range(len(self._options())))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the deals, all equally likely."""
        deals = self.get_game().deals
        return [(deal, 1 / deals) for deal in range(deals)]

    def _apply_action(self, action: int) -> None:
        stand, game = self.stand, self.get_game()
        if stand.state is None:
            self.stand = Stand(game.recycle_game.start(game.num_players(), Deal(game.seed, action)))
        else:
            option = self._options()[action]
            self.stand = Stand(stand.state.apply(option), (*stand.steps, (stand.state, option)))

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"deal {action}"
        here = self.stand.state is not None and self.stand.state.seat == player
        return str(self._options()[action]) if here and action < len(self._options()) else f"option {action + 1}"

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.stand.state is not None and self.stand.state.seat is None

    def returns(self) -> list[float]:
        """Return what each seat has won of the others; a game that fails is worth nothing."""
        game, state = self.get_game(), self.stand.state
        seats = range(game.num_players())
        if state is None or state.result is None or not state.result.winners:
            return [0.0 for _ in seats]
        sign = -1 if game.recycle_game.lowest_wins else 1
        scores, teams = [sign * score for score in state.result.scores], state.position.teams
        if game.reward == "score":
            return [score - sum(scores) / len(scores) for score in scores]
        # A team stands by its mean score.
        alike = [[other for other in seats if other == seat or teams[other] == teams[seat] != 0] for seat in seats]
        means = [sum(scores[other] for other in team) / len(team) for team in alike]
        return [sum(float(np.sign(mean - other)) for other in means) / (len(means) - 1) for mean in means]

    def __str__(self) -> str:
        stand = self.stand
        return "not dealt" if stand.state is None else "\n".join(str(stand.state.view(seat)) for seat in range(self.num_players()))


class RecycleObserver:
    """The observation of a seat: features of the vector environment as a tensor; as text, with recall, its whole log."""

    def __init__(self, features: Features, recall: bool) -> None:
        self.features, self.recall = features, recall
        self.tensor = np.zeros(features.width, np.float32)
        self.dict = {"features": self.tensor}

    def set_from(self, state: RecycleState, player: int) -> None:
        """Write what a seat sees; nothing before the deal."""
        self.tensor[:] = 0 if state.stand.state is None else self.features.of(state.stand.state, player)

    def string_from(self, state: RecycleState, player: int) -> str:
        """Return the information of a seat as text."""
        stand = state.stand
        if stand.state is None:
            return "not dealt"
        return "\n".join([*(stand.log(player) if self.recall else []), str(stand.state.view(player))])


class OpenSpielRecycle(pyspiel.Game):  # type: ignore[misc]  # a class of C++
    """A RECYCLE game by the name of the library or of a file."""

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        said = {**DEFAULTS, **(params or {})}
        self.recycle_game, self.seed, self.reward = RecycleGame.load(said["game"]), said["seed"], said["reward"]
        self.deals = whole_number(said["deals"], "number of deals", 1, MAX_DEALS)
        options = whole_number(said["options"], "number of options", 1)
        if self.reward not in REWARDS:
            raise NoSuchThing("reward", self.reward, REWARDS)
        seats = self.recycle_game.machine.players
        if seats < 2:
            raise NotPossible(f"{said['game']} is played alone; OpenSpiel's games here are for two players or more")
        worst = 1.0 if self.reward == "place" else 1e9  # a description does not say what can be scored
        info = pyspiel.GameInfo(
            num_distinct_actions=options,
            max_chance_outcomes=self.deals,
            num_players=seats,
            min_utility=-worst,
            max_utility=worst,
            utility_sum=0.0,
            max_game_length=self.recycle_game.limits.decisions,
        )
        super().__init__(RECYCLE, info, {name: value for name, value in said.items() if value != DEFAULTS[name]})
        self.features = Features(self.recycle_game.machine)

    def new_initial_state(self) -> RecycleState:
        """Return the state before the deal."""
        return RecycleState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> RecycleObserver:
        """Return what tells of a state as a seat sees it."""
        return RecycleObserver(self.features, bool(iig_obs_type and iig_obs_type.perfect_recall))


pyspiel.register_game(RECYCLE, OpenSpielRecycle)
