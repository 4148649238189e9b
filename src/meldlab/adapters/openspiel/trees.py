"""A small gin walked once and handed to OpenSpiel as a tree of its own, on which its solvers run in C++.

A game in Python answers OpenSpiel node by node; solvers that walk the whole tree again and again wait for it. The tree is written in
Gambit's format (``efg_game``), so other programs read it too.

>>> tree = GameTree.of(pyspiel.load_game("python_meldlab_mini_gin(max_draws=1,offer_upcard=0)"))
>>> len(tree.seen), round(pyspiel.exploitability(tree.game, tree.policy(lambda position: dict.fromkeys(position.legal, 1.0))), 3)
(1680, 2.295)
"""

from collections.abc import Callable, Mapping
from typing import Any

import pyspiel

from meldlab.adapters.openspiel.gin import Position, information_text
from meldlab.errors import NotPossible

MAX_NODES = 3_000_000


class GameTree:
    """All of a game: ``game`` is OpenSpiel's own, ``seen`` a position for each of its information states, by their names.

    An action of ``game`` is the place of ours among the legal ones, from 0: its table wants them in ascending order at every node.
    """

    def __init__(self, text: str, seen: Mapping[str, Position]) -> None:
        self.text, self.seen = text, seen
        self.game: Any = pyspiel.load_efg_game(text)

    @classmethod
    def of(cls, game: Any) -> "GameTree":
        """Walk a game of this package, such as ``python_meldlab_mini_gin``."""
        lines = ['EFG 2 R "meldlab" { "p1" "p2" } ""', ""]
        numbers: tuple[dict[str, int], dict[str, int]] = ({}, {})
        seen = dict[str, Position]()
        waiting = [game.new_initial_state().get_game().first]
        by_points, outcomes, num_chance_nodes = game.new_initial_state().get_game().by_points, 0, 0
        while waiting:
            position = waiting.pop()
            seat = position.seat
            if len(lines) > MAX_NODES:
                raise NotPossible(f"this game has more than {MAX_NODES:,} nodes; a smaller one can be walked")
            if position.node == "over":
                outcomes += 1
                value = position.lead[not by_points]
                lines.append(f't "" {outcomes} "" {{ {value} {-value} }}')
                continue
            if seat < 0:
                num_chance_nodes += 1
                likely = position.chance_outcomes()
                outcome_text = " ".join(f'"{index}" {chance!r}' for index, (_, chance) in enumerate(likely))
                lines.append(f'c "" {num_chance_nodes} "" {{ {outcome_text} }} 0')
                waiting += [position.after(card) for card, _ in reversed(likely)]
                continue
            number = numbers[seat].setdefault(information_text(position, seat), len(numbers[seat]) + 1)
            seen.setdefault(f"{seat}-{seat}-{number}-{number}", position)
            actions = " ".join(f'"{index}"' for index in range(len(position.legal)))
            lines.append(f'p "" {seat + 1} {number} "{number}" {{ {actions} }} 0')
            waiting += [position.after(action) for action in reversed(position.legal)]
        return cls("\n".join(lines) + "\n", seen)

    def policy(self, choose: Callable[[Position], Mapping[int, float]]) -> Any:
        """Return a player as OpenSpiel's tabular policy: ``choose`` gives each action its weight."""
        table = {}
        for name, position in self.seen.items():
            weights = choose(position)
            total = sum(weights.values())
            table[name] = [(index, weights.get(action, 0.0) / total) for index, action in enumerate(position.legal)]
        return pyspiel.TabularPolicy(table)
