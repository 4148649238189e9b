"""A RECYCLE game as an environment: a table of values learns to play Leduc poker against a random player, with numpy alone.

    python examples/recycle_environment.py 1000

Any other game of the library, or a file of your own, goes in the same way: ``env.features.names`` tells what each feature says, and
``env.state(0).view(seat).legal_actions()`` the options of a table in words.
"""

import sys

import numpy as np

from meldlab.recycle import RecycleVector

TABLES, OPTIONS, POSITIONS, LONGEST = 1024, 3, 1 << 16, 8


def main(steps: int = 1000) -> None:
    """Learn for so many steps, then play as many and tell what came of them."""
    env = RecycleVector("leduc_poker", TABLES, seed=1, options=OPTIONS, reward="score")
    chance = np.random.default_rng(1)
    scramble = chance.integers(1 << 62, size=env.features.width)  # what a seat sees, as one number
    value, visits = np.zeros((POSITIONS, OPTIONS)), np.zeros((POSITIONS, OPTIONS))
    places, chosen = np.zeros((2, TABLES, LONGEST), int)
    length, everyone, won = np.zeros(TABLES, int), np.arange(TABLES), list[float]()
    for step in range(2 * steps):
        learning = step < steps
        seen = env.observe()
        seat = env.games // TABLES % 2  # the learner takes both seats in turn
        position = (seen.features @ scramble >> 40) % POSITIONS
        best = np.where(seen.mask, value[position], -np.inf).argmax(1)
        tries = chance.random(TABLES) < 0.2 * learning
        mine = seen.to_move == seat
        actions = np.where(mine & ~tries, best, env.random_actions())
        places[everyone[mine], length[mine]], chosen[everyone[mine], length[mine]] = position[mine], actions[mine]
        length[mine] += 1
        told = env.step(actions)
        for table in np.flatnonzero(told.done):
            reward = told.rewards[table, seat[table]]
            where = places[table, : length[table]], chosen[table, : length[table]]
            if learning:  # the value of a choice is the mean of what came of it
                visits[where] += 1
                value[where] += (reward - value[where]) / visits[where]
            else:
                won.append(reward)
        length[told.done] = 0
    print(f"{(visits.sum(1) > 0).sum()} positions met; the learner wins {np.mean(won):.2f} chips a game from a random player", end=" ")
    print(f"(+- {1.96 * np.std(won) / len(won) ** 0.5:.2f}, {len(won)} games)")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
