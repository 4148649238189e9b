"""Play to learn from: tables in lock step, against oneself, past selves and other players, and what each decision brought.

A lesson is one round. What it brought is the change of the chance to win the match, by the points of both before and after it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor

from meldlab.gin import players
from meldlab.gin.equity import MatchEquity
from meldlab.gin.kernel_state import PRIOR
from meldlab.gin.players.policy import PolicyPlayer
from meldlab.gin.rules import Rules
from meldlab.gin.vector import ACTIONS, FEATURES, GinVector
from meldlab.training.network import PolicyNetwork, inputs_of

__all__ = [
    "PAST",
    "SELF",
    "Device",
    "LessonTables",
    "Lessons",
    "act",
    "advice_for",
    "equity_gain",
    "equity_table",
    "network_of",
    "tensor_of",
]

SELF, PAST = "self", "past"
NEVER = -1e9  # the logit of an action that is not legal
MOST_COUNTED = 200


Device = Literal["cpu", "cuda"]


def tensor_of(array: Any, device: Device) -> Tensor:
    """Return an array of the environment as a tensor that shares its memory."""
    return torch.from_numpy(array) if device == "cpu" else torch.as_tensor(array, device=device)


def act(network: PolicyNetwork, features: Tensor, mask: Tensor, advice: Tensor, dice: torch.Generator | None) -> tuple[Tensor, Tensor]:
    """Return [n] actions drawn from the policy, and the logarithms of their chances; without ``dice`` the likeliest actions."""
    logits, _, _ = network(*inputs_of(features, mask, advice))
    logits = logits.masked_fill(mask == 0, NEVER)
    chances = torch.log_softmax(logits, 1)
    if dice is None:
        chosen = chances.argmax(1)
    else:
        luck = torch.empty_like(chances).exponential_(generator=dice)
        chosen = (chances - luck.log()).argmax(1)
    return chosen, chances.gather(1, chosen[:, None])[:, 0]


def equity_table(equity: MatchEquity, device: Device) -> Tensor:
    """Return the win probability by own score and the other's, [points + 1, points + 1] float32: the mean over who starts."""
    return torch.tensor(equity.table.mean(axis=2), dtype=torch.float32, device=device)


def equity_gain(table: Tensor, scores: Sequence[Tensor], points: Sequence[Tensor]) -> Tensor:
    """Return the change of seat 0's win probability by an ``equity_table``; ``scores``, ``points`` of a round: its own, the other's."""
    last = len(table) - 1
    own, other = (score.clamp(max=last).long() for score in scores)
    own_after, other_after = ((score + won).clamp(max=last).long() for score, won in zip(scores, points, strict=True))
    return table[own_after, other_after] - table[own, other]


def network_of(name: str, device: Device) -> PolicyNetwork | None:
    """Return the network of a player by policy, to be played in batches; None of any other player."""
    if name in (SELF, PAST):
        return None
    player = players.parse(name)
    return PolicyNetwork.load(player.policy._asdict()).to(device).requires_grad_(False) if isinstance(player, PolicyPlayer) else None


@dataclass
class LessonTables:
    """Tables with one kind of opponent: the learner itself, a past self in every other seat, or a player inside the environment."""

    against: str
    env: GinVector
    device: Device
    frozen: PolicyNetwork | None = None
    """Who plays the other seat of each table, where that is a network; a past self changes from lap to lap."""

    def __post_init__(self) -> None:
        seen = self.env.observe()
        self.features, self.mask, self.to_move = (tensor_of(array, self.device) for array in seen)
        self.scores = torch.zeros((self.env.n, 2), dtype=torch.int32, device=self.device)
        self.seat = torch.arange(self.env.n, device=self.device) % 2
        self.none = torch.zeros((self.env.n, PRIOR), dtype=torch.float16, device=self.device)

    def advice(self, network: PolicyNetwork) -> Tensor:
        """Return [n, PRIOR] what the adviser of a network thinks."""
        return advice_for(self.env, network, self.device, self.none)

    @classmethod
    def of(cls, against: str, many: int, rules: Rules, seed: int, device: Device) -> "LessonTables":
        """Return fresh tables."""
        frozen = network_of(against, device)
        opponent = None if against in (SELF, PAST) or frozen else against
        return cls(against, GinVector(many, rules, seed, opponent, device), device, frozen)

    def step(self, actions: Tensor, equity: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Apply actions; return what seat 0 gained by an ``equity_table``, which rounds are over, and their points."""
        done = self.env.step(actions if self.device != "cpu" else actions.numpy())
        over, finished, points, scores = (tensor_of(each, self.device) for each in (done.over, done.done, done.points, done.scores))
        if self.env.rules.match_points:
            gained = 2 * equity_gain(equity, self.scores.unbind(1), points.unbind(1))
        else:
            gained = (points[:, 0] - points[:, 1]).float() / 100
        gained = torch.where(over, gained, 0.0)
        self.scores = torch.where(finished[:, None], 0, scores)
        return gained, over.clone(), points


def advice_for(env: GinVector, network: PolicyNetwork, device: Device, none: Tensor) -> Tensor:
    """Return [n, PRIOR] what the adviser of a network thinks of each table; ``none`` where it has no adviser, as in a small game."""
    if env.rules.small or network.speaker is None:
        return none
    return tensor_of(env.prior(network.speaker), device).half()


class Lessons:
    """What was played since the last time the network changed."""

    def __init__(self, tables: Sequence[LessonTables], length: int, device: Device) -> None:
        self.tables, self.length, self.device = tables, length, device
        many = sum(each.env.n for each in tables)
        shape = length, many
        self.features = torch.empty((*shape, FEATURES), dtype=torch.uint8, device=device)
        self.mask = torch.empty((*shape, ACTIONS), dtype=torch.int8, device=device)
        self.hidden = torch.empty((*shape, 52), dtype=torch.uint8, device=device)
        self.action = torch.empty(shape, dtype=torch.int64, device=device)
        self.chance, self.gained = (torch.empty(shape, device=device) for _ in range(2))
        self.seat = torch.empty(shape, dtype=torch.int64, device=device)
        self.over, self.own = (torch.empty(shape, dtype=torch.bool, device=device) for _ in range(2))
        self.advice = torch.empty((*shape, PRIOR), dtype=torch.float16, device=device)
        self.points = torch.zeros(MOST_COUNTED, device=device)

    @torch.no_grad()
    def play(self, network: PolicyNetwork, past: PolicyNetwork, equity: Tensor, dice: torch.Generator) -> None:
        """Fill all places by play."""
        self.points.zero_()
        for at in range(self.length):
            first = 0
            for each in self.tables:
                part = slice(first, first + each.env.n)
                first += each.env.n
                self.features[at, part], self.mask[at, part] = each.features, each.mask
                self.hidden[at, part] = tensor_of(each.env.hidden(), self.device)
                self.seat[at, part] = each.to_move
                self.advice[at, part] = advice = each.advice(network)
                with torch.autocast(self.device, torch.bfloat16, enabled=self.device != "cpu"):
                    action, chance = act(network, each.features, each.mask, advice, dice)
                    own = torch.ones_like(action, dtype=torch.bool)
                    other = past if each.against == PAST else each.frozen
                    if other is not None:
                        own = each.to_move == each.seat
                        # A past self draws its actions as this one does; a player of a file plays the likeliest, as it does at the table.
                        heard, luck = (advice, dice) if other is past else (each.advice(other), None)
                        action = torch.where(own, action, act(other, each.features, each.mask, heard, luck)[0])
                self.action[at, part], self.chance[at, part], self.own[at, part] = action, chance, own
                gained, over, points = each.step(action, equity)
                self.gained[at, part], self.over[at, part] = gained, over
                if each.against == SELF:
                    most = points.max(1).values.clamp(max=MOST_COUNTED - 1).long()
                    self.points.index_add_(0, most, (over & (most > 0)).float())

    def judged(self, worth: Tensor, trace: float) -> tuple[Tensor, Tensor, Tensor]:
        """Return [length, n] how much better each decision turned out than the ``worth`` [length, n] of its position, what came of it,
        and whether that is known; ``trace``: how much what came later counts against what was expected then.
        """
        many = worth.shape[1]
        tables = torch.arange(many, device=self.device)
        following, better, pending = (torch.zeros((many, 2), device=self.device) for _ in range(3))
        known = torch.zeros((many, 2), dtype=torch.bool, device=self.device)
        advantage, certain = torch.empty_like(worth), torch.empty_like(self.own)
        for at in range(self.length - 1, -1, -1):
            over, seat, gained = self.over[at, :, None], self.seat[at], self.gained[at]
            following, better = following.masked_fill(over, 0.0), better.masked_fill(over, 0.0)
            pending = torch.where(over, torch.stack([gained, -gained], 1), pending)
            known = known | over
            surprise = pending[tables, seat] + following[tables, seat] - worth[at]
            advantage[at] = surprise + trace * better[tables, seat]
            certain[at] = known[tables, seat]
            following[tables, seat], better[tables, seat] = worth[at], advantage[at]
            pending[tables, seat], known[tables, seat] = 0.0, True
        return advantage, advantage + worth, certain & self.own
