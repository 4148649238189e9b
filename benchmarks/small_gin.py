"""Choose how to teach by play where everything can be computed: ways to learn the mini gin, and how exploitable what they learn is.

python benchmarks/small_gin.py [--save FILE.json] [--game GAME] [--steps N] [--seeds K] [--jobs J]

Each way learns by play against itself, with a row of numbers for every information state; the exploitability of what it would play is
exact. Finished runs are kept in the JSON file and are not run again; the figure beside it is drawn anew each time.
"""

import argparse
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np

GAME = "python_meldlab_mini_gin(knock_limit=9,undercut_bonus=10,gin_bonus=10)"  # whether to knock is a question there
PLACE = Path("docs/pictures/training-small-gin.json")
TERMINAL, CHANCE, FIRST = 0, 1, 2  # what a node is; FIRST + seat for one at which a seat decides
LONGEST = 64  # decisions of a round, more than there can be
CLIPPED, MAGNET, VALUES, SCATTERED, MIRROR = 0, 1, 2, 3, 4


class Tree(NamedTuple):
    """A game as arrays, nodes before their children; a row is an information state."""

    kind: Any  # [nodes] int64
    row: Any  # [nodes] int64, of a decision
    start: Any  # [nodes] int64, where its children begin in ``child``
    many: Any  # [nodes] int64
    child: Any  # [edges] int64
    likely: Any  # [edges] float64, of chance
    worth: Any  # [nodes] float64, what seat 0 wins at the end
    place: Any  # [rows + 1] int64, where the actions of a row begin in a policy
    depth: Any  # [rows] int64, own decisions before it


def tree_of(text: str) -> Tree:
    """Read the tree that GameTree writes for OpenSpiel: one line for each node, a node before its children, the first child first."""
    kind, number, many, worth, likely = [], [], [], [], []
    names: dict[tuple[int, int], int] = {}
    for line in text.splitlines()[2:]:
        words = line.split()
        if line[0] == "t":
            kind.append(TERMINAL), number.append(-1), many.append(0), likely.append([]), worth.append(float(words[-3]))
        elif line[0] == "c":
            chances = [float(word) for word in words[6:-2:2]]
            kind.append(CHANCE), number.append(-1), many.append(len(chances)), likely.append(chances), worth.append(0.0)
        else:
            seat = int(words[2]) - 1
            actions = len(words) - 8
            kind.append(FIRST + seat), number.append(names.setdefault((seat, int(words[3])), len(names)))
            many.append(actions), likely.append([1.0] * actions), worth.append(0.0)
    start = np.concatenate([[0], np.cumsum(many)])
    child, depth, options = np.zeros(start[-1], np.int64), np.zeros(len(names), np.int64), np.zeros(len(names), np.int64)
    open_places: list[tuple[int, tuple[int, int]]] = []  # edges that wait for their node, the next one last
    for node in range(len(kind)):
        own = (0, 0)
        if node:
            edge, own = open_places.pop()
            child[edge] = node
        if kind[node] >= FIRST:
            seat = kind[node] - FIRST
            depth[number[node]], options[number[node]] = own[seat], many[node]
            own = (own[0] + (seat == 0), own[1] + (seat == 1))
        open_places += [(edge, own) for edge in range(start[node + 1] - 1, start[node] - 1, -1)]
    place = np.concatenate([[0], np.cumsum(options)])
    arrays = (np.array(each) for each in (kind, number, start[:-1], many))
    return Tree(*arrays, child, np.array([chance for node in likely for chance in node]), np.array(worth), place, depth)


@numba.njit(nogil=True, cache=True)
def best_response(tree, policy, seat):
    """Return what the best response of a seat to a policy, [actions] float64, wins in the mean."""
    nodes = len(tree.kind)
    reach, value = np.zeros(nodes), np.zeros(nodes)  # reach: how likely chance and the other bring the node about
    reach[0] = 1.0
    for node in range(nodes):
        for i in range(tree.many[node]):
            edge = tree.start[node] + i
            if tree.kind[node] == CHANCE:
                part = tree.likely[edge]
            else:
                part = 1.0 if tree.kind[node] == FIRST + seat else policy[tree.place[tree.row[node]] + i]
            reach[tree.child[edge]] = reach[node] * part
    gains, choice = np.zeros(tree.place[-1]), np.zeros(len(tree.depth), np.int64)
    # The last decisions first: what an action brings is known once all own decisions after it are made.
    for level in range(tree.depth.max(), -2, -1):
        for node in range(nodes - 1, -1, -1):
            kind, first = tree.kind[node], tree.start[node]
            if kind == TERMINAL:
                value[node] = tree.worth[node] if seat == 0 else -tree.worth[node]
            elif kind == FIRST + seat:
                row = tree.row[node]
                value[node] = value[tree.child[first + choice[row]]]
                if tree.depth[row] == level:
                    for i in range(tree.many[node]):
                        gains[tree.place[row] + i] += reach[node] * value[tree.child[first + i]]
            else:
                value[node] = 0.0
                for i in range(tree.many[node]):
                    part = tree.likely[first + i] if kind == CHANCE else policy[tree.place[tree.row[node]] + i]
                    value[node] += part * value[tree.child[first + i]]
        for row in range(len(tree.depth)):
            if tree.depth[row] == level:
                choice[row] = np.argmax(gains[tree.place[row] : tree.place[row + 1]])
    return value[0]


def exploitability(tree: Tree, policy: Any) -> float:
    """Return what a best response wins in the mean of both seats; the game is zero-sum."""
    return float(best_response(tree, policy, 0) + best_response(tree, policy, 1)) / 2


@numba.njit(nogil=True, cache=True)
def mixed(tree, logits, policy):
    """Write the policy of logits."""
    for row in range(len(tree.depth)):
        first, last = tree.place[row], tree.place[row + 1]
        weights = np.exp(logits[first:last] - logits[first:last].max())
        policy[first:last] = weights / weights.sum()


@numba.njit(nogil=True, cache=True)
def greedy(tree, values, policy, noise):
    """Write the policy that takes the largest value, and with a chance of ``noise`` anything."""
    for row in range(len(tree.depth)):
        first, last = tree.place[row], tree.place[row + 1]
        policy[first:last] = noise / (last - first)
        policy[first + np.argmax(values[first:last])] += 1 - noise


@numba.njit(nogil=True, cache=True)
def play(tree, own, past, share, critic, trace, dice, record):
    """Play rounds until ``record`` is full: node, action, chance of the action, advantage, what came; return (decisions, rows written).

    ``own`` and ``past``: policies; in a ``share`` of the rounds a past self has one of the seats, whose decisions are not written.
    ``critic``: [nodes] float64, what a seat expects where it decides, all cards seen; it learns on the way. ``record``: [rows, 5] float64.
    """
    written = decisions = rounds = 0
    nodes, actions, chances = np.zeros(LONGEST, np.int64), np.zeros(LONGEST, np.int64), np.zeros(LONGEST)
    while written + LONGEST < len(record):
        learner = -1 if dice.random() >= share else rounds % 2
        node = count = 0
        rounds += 1
        while tree.kind[node] != TERMINAL:
            first, many, kind = tree.start[node], tree.many[node], tree.kind[node]
            luck, i = dice.random(), 0
            if kind == CHANCE:
                luck -= tree.likely[first]
                while luck >= 0 and i < many - 1:
                    i += 1
                    luck -= tree.likely[first + i]
            elif many > 1:
                place, seat = tree.place[tree.row[node]], kind - FIRST
                whose = own if learner < 0 or seat == learner else past
                luck -= whose[place]
                while luck >= 0 and i < many - 1:
                    i += 1
                    luck -= whose[place + i]
                nodes[count], actions[count], chances[count] = node, i, whose[place + i]
                count += 1
            node = tree.child[first + i]
        decisions += count
        following, better = np.zeros(2), np.zeros(2)
        following[0], following[1] = tree.worth[node], -tree.worth[node]
        for at in range(count - 1, -1, -1):
            here = nodes[at]
            seat = tree.kind[here] - FIRST
            advantage = following[seat] - critic[here] + trace * better[seat]
            following[seat], better[seat] = critic[here], advantage
            if learner < 0 or seat == learner:
                record[written, 0], record[written, 1], record[written, 2] = here, actions[at], chances[at]
                record[written, 3], record[written, 4] = advantage, critic[here] + advantage
                written += 1
            critic[here] += 0.05 * advantage
    return decisions, written


@numba.njit(nogil=True, cache=True)
def study(tree, record, logits, old, way, passes, rate, mixing, hold):
    """Take policy steps from what was played, each row by the mean over its visits.

    ``way``: CLIPPED steps of at most ``hold``, or with a pull of ``hold`` towards the policy that played (``old``); ``mixing``: the pull
    towards equal chances.
    """
    spread = max(record[:, 3].std(), 1e-9)
    policy, gradient, visits = np.empty_like(logits), np.empty_like(logits), np.zeros(len(tree.depth), np.int64)
    for _ in range(passes):
        mixed(tree, logits, policy)
        gradient[:], visits[:] = 0.0, 0
        for at in range(len(record)):
            row = tree.row[int(record[at, 0])]
            first, last, chosen = tree.place[row], tree.place[row + 1], int(record[at, 1])
            visits[row] += 1
            better, ratio = record[at, 3] / spread, policy[first + chosen] / record[at, 2]
            if way == CLIPPED and ((better > 0 and ratio > 1 + hold) or (better < 0 and ratio < 1 - hold)):
                continue
            for place in range(first, last):
                gradient[place] -= better * ratio * policy[place]
            gradient[first + chosen] += better * ratio
        for row in range(len(tree.depth)):
            if visits[row]:
                first, last = tree.place[row], tree.place[row + 1]
                entropy = distance = 0.0
                for place in range(first, last):
                    sure = np.log(max(policy[place], 1e-12))
                    entropy -= policy[place] * sure
                    distance += policy[place] * (sure - np.log(max(old[place], 1e-12)))
                for place in range(first, last):
                    sure = np.log(max(policy[place], 1e-12))
                    step = gradient[place] / visits[row] - mixing * policy[place] * (sure + entropy)
                    if way == MAGNET:
                        step -= hold * policy[place] * (sure - np.log(max(old[place], 1e-12)) - distance)
                    logits[place] += rate * step


@numba.njit(nogil=True, cache=True)
def study_values(tree, record, values, rate):
    """Move the value of each action that was done towards what came of it."""
    for at in range(len(record)):
        place = tree.place[tree.row[int(record[at, 0])]] + int(record[at, 1])
        values[place] += rate * (record[at, 4] - values[place])


@numba.njit(nogil=True, cache=True)
def mirror(tree, record, values, logits, rate, mixing):
    """Take a step of mirror descent wherever something was decided, by the values of all actions, pulled towards equal chances."""
    spread, visited = max(record[:, 3].std(), 1e-9), np.zeros(len(tree.depth), np.bool_)
    for at in range(len(record)):
        visited[tree.row[int(record[at, 0])]] = True
    for row in range(len(tree.depth)):
        if visited[row]:
            for place in range(tree.place[row], tree.place[row + 1]):
                logits[place] = (logits[place] + rate * values[place] / spread) / (1 + rate * mixing)


@dataclass(frozen=True)
class Way:
    """One way to learn; ``mixing`` and ``rate`` fall geometrically to the last ones.

    ``mixing`` is the pull towards equal chances. Who learns values mixes while it learns only: it does anything with that chance, or adds
    noise of so many points to its values (SCATTERED).
    """

    name: str
    way: int
    mixing: float = 0.0
    last_mixing: float = 0.0
    hold: float = 0.2
    rate: float = 1.0
    last_rate: float = 0.05
    passes: int = 4
    trace: float = 0.9
    share: float = 0.0
    """Of the rounds against past selves."""


LAP = 50_000  # decisions between two changes
RING, SNAPSHOT, KEEP = 8, 12, 0.9  # past selves, laps between them, and how slowly the running mean follows
POINTS = 24  # of a curve
VALUE_RATE = 0.05  # with which values are learned at first, where a policy is learned from them


def learn(tree: Tree, way: Way, steps: int, seed: int, lap: int = LAP) -> Iterator[tuple[int, float, float]]:
    """Learn by play; give, now and then, the decisions so far and the exploitability of the last policy and of the running mean."""
    dice, laps = np.random.default_rng([seed, 18]), max(1, steps // lap)
    weights, values, critic = np.zeros(tree.place[-1]), np.zeros(tree.place[-1]), np.zeros(len(tree.kind))
    mean, policy, past = weights.copy(), np.zeros(tree.place[-1]), np.zeros(tree.place[-1])
    ring: list[Any] = []
    record, done = np.empty((lap + LONGEST, 5)), 0
    told = {int(at) for at in np.unique(np.round(np.geomspace(1, laps, POINTS)))}
    for number in range(laps):
        part = number / laps
        rate, mixing = way.rate * (way.last_rate / way.rate) ** part, way.mixing
        if mixing:
            mixing *= (way.last_mixing / way.mixing) ** part
        express(tree, way, weights, policy, mixing)
        if way.share:
            if number % SNAPSHOT == 0:
                ring = [*ring, mean.copy()][-RING:]
            express(tree, way, ring[dice.integers(len(ring))], past, mixing)
        decisions, written = play(tree, policy, past, way.share, critic, way.trace, dice, record)
        done += decisions
        if way.way in (VALUES, SCATTERED):
            study_values(tree, record[:written], weights, rate)
        elif way.way == MIRROR:
            study_values(tree, record[:written], values, VALUE_RATE * rate / way.rate)
            mirror(tree, record[:written], values, weights, rate, mixing)
        else:
            study(tree, record[:written], weights, policy, way.way, way.passes, rate, mixing, way.hold)
        mean += (1 - KEEP) * (weights - mean)
        if number + 1 in told:
            found = []
            for each in (weights, mean):
                express(tree, way, each, policy, 0.0)
                found.append(exploitability(tree, policy))
            yield done, found[0], found[1]


def express(tree: Tree, way: Way, weights: Any, policy: Any, noise: float) -> None:
    """Write what somebody with these weights plays; noise is for those who have values only, while they learn."""
    if way.way == SCATTERED and noise:
        mixed(tree, weights / noise, policy)  # the largest of values to each of which noise is added
    elif way.way in (VALUES, SCATTERED):
        greedy(tree, weights, policy, noise)
    else:
        mixed(tree, weights, policy)


LEARN_VALUES = {"rate": 0.05, "last_rate": 0.005, "trace": 0.6}
CALM = {"rate": 0.3, "last_rate": 0.03}
ALONE = (
    Way("values, greedy, anything at times", VALUES, 0.3, 0.1, **LEARN_VALUES),
    Way("values, greedy, noise on values", SCATTERED, 1.5, 0.5, **LEARN_VALUES),
    Way("clipped steps, mixing 0.01 falling", CLIPPED, 0.01, 0.001, rate=1.0, last_rate=0.03),
    Way("clipped steps, mixing 0.05", CLIPPED, 0.05, 0.05, rate=1.0, last_rate=0.03),
    Way("mirror descent, magnet 0.05", MAGNET, 0.05, 0.05, hold=0.1, **CALM),
    Way("mirror descent, magnet 0.1", MAGNET, 0.1, 0.1, hold=0.1, **CALM),
    Way("mirror descent, magnet 0.2", MAGNET, 0.2, 0.2, hold=0.1, **CALM),
    Way("mirror descent by values, magnet 0.2", MIRROR, 0.2, 0.2, trace=0.6, **CALM),
)
WAYS = tuple(each for way in ALONE for each in (way, replace(way, name=f"{way.name}, past selves", share=0.5)))


def run(tree: Tree, way: Way, steps: int, seed: int) -> dict[str, Any]:
    """Return one run as it is kept."""
    curve = list(learn(tree, way, steps, seed))
    return {"way": asdict(way), "seed": seed, "steps": steps, "curve": [[at, round(last, 5), round(mean, 5)] for at, last, mean in curve]}


def draw(runs: list[dict[str, Any]], path: Path) -> None:
    """Draw the mean of the seeds for each way, with the lowest and the highest; past selves are dashed."""
    from meldlab.reports.plot import new_figure, save

    colours = dict(
        zip(
            (way.name for way in ALONE),
            ("#000000", "#999999", "#0072B2", "#56B4E9", "#E69F00", "#D55E00", "#CC79A7", "#009E73"),
            strict=True,
        )
    )
    figure, (axes,) = new_figure(size=(8.0, 5.5))
    columns: dict[str, list[Any]] = {name: [] for name in ("way", "seed", "decisions", "last", "mean")}
    for way in WAYS:
        curves = np.array([one["curve"] for one in runs if one["way"]["name"] == way.name])
        for seed, curve in enumerate(curves):
            for decisions, last, mean in curve.tolist():
                for name, value in zip(columns, (way.name, seed, int(decisions), last, mean), strict=True):
                    columns[name].append(value)
        if len(curves):
            plain, at = way.name.removesuffix(", past selves"), curves[:, :, 0].mean(0)
            axes.plot(at, curves[:, :, 2].mean(0), "--" if way.share else "-", color=colours[plain], label=way.name, linewidth=1.4)
            axes.fill_between(at, curves[:, :, 2].min(0), curves[:, :, 2].max(0), color=colours[plain], alpha=0.12, linewidth=0)
    axes.set(xscale="log", yscale="log", xlabel="decisions played", ylabel="exploitability, points a round")
    axes.set_title("A mini gin: exact exploitability of what was learned")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=7)
    save(figure, columns, path)


def main() -> None:
    words = argparse.ArgumentParser()
    words.add_argument("--save", type=Path, default=PLACE)
    words.add_argument("--game", default=GAME)
    words.add_argument("--steps", type=int, default=8_000_000)
    words.add_argument("--seeds", type=int, default=3)
    words.add_argument("--jobs", type=int, default=2)
    given = words.parse_args()
    import pyspiel

    from meldlab.adapters.openspiel.trees import GameTree
    from meldlab.cache import replace_file

    tree = tree_of(GameTree.of(pyspiel.load_game(given.game)).text)
    kept = json.loads(given.save.read_text()) if given.save.is_file() else {}
    runs = kept["runs"] if kept.get("game") == given.game else []
    there = {json.dumps([one["way"], one["seed"], one["steps"]]) for one in runs}
    tasks = [(way, given.steps, seed) for seed in range(given.seeds) for way in WAYS]
    tasks = [task for task in tasks if json.dumps([asdict(task[0]), task[2], task[1]]) not in there]
    print(f"{len(tree.depth):,} information states, {len(tree.kind):,} nodes, {len(tasks)} runs to do", flush=True)
    with ThreadPoolExecutor(given.jobs) as pool:
        for future in as_completed([pool.submit(run, tree, *task) for task in tasks]):
            runs.append(future.result())
            with replace_file(given.save) as file:
                file.write((json.dumps({"game": given.game, "runs": runs}) + "\n").encode())
    draw(runs, given.save.with_suffix(".svg"))
    for way in WAYS:
        ends = np.array([one["curve"][-1][1:] for one in runs if one["way"]["name"] == way.name and one["steps"] == given.steps])
        shown = " ".join(f"{one:.4f}" for one in ends[:, 1])
        print(f"{way.name:50} running mean {ends[:, 1].mean():.4f} ({shown}), last {ends[:, 0].mean():.4f}")


if __name__ == "__main__":
    main()
