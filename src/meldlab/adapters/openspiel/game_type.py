"""The type under which a game is registered with OpenSpiel."""

from collections.abc import Mapping
from typing import Any

import pyspiel


def game_type(name: str, long_name: str, parameters: Mapping[str, Any], *, max_players: int = 2, tensor: bool = False) -> Any:
    """Return the type of a zero-sum game with hidden cards and chance nodes; ``tensor``: its information states are tensors, too."""
    return pyspiel.GameType(
        short_name=name,
        long_name=long_name,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=max_players,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=tensor,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=dict(parameters),
    )
