"""Share of single-token mutations of library games that ``recycle check`` or ``recycle differ`` reports.

A mutation changes one token: a name of storage or a location, an attribute or a value gets a typing error or becomes another name of the
program, a number changes by one, or two neighbouring arguments swap places. Whether it changes behaviour is measured apart from both
commands: 200 games with random options are replayed option by option in both programs, and seats, options, cards and scores compared.

    python benchmarks/recycle_mutations.py [--mutations 200] [--seed 35]
"""

import argparse
from collections import Counter
from dataclasses import dataclass
from random import Random

from meldlab.errors import MeldlabError
from meldlab.play import Deal
from meldlab.recycle import library
from meldlab.recycle.check import check_program
from meldlab.recycle.describe import Describer
from meldlab.recycle.differ import differ
from meldlab.recycle.game import RecycleGame
from meldlab.recycle.language.lexer import tokenize
from meldlab.recycle.machine.machine import Machine

GAMES = 200


@dataclass(frozen=True)
class Mutation:
    """A changed program: the game, the kind and the text of the change."""

    game: str
    kind: str
    change: str
    text: str


def typing_error(word: str, rng: Random) -> str:
    """Return a word with two letters swapped, one left out or one doubled."""
    i = rng.randrange(max(1, len(word) - 1))
    errors = [word[:i] + word[i + 1 : i + 2] + word[i : i + 1] + word[i + 2 :], word[:i] + word[i + 1 :], word[: i + 1] + word[i:]]
    return rng.choice([error for error in errors if error and error != word] or [word + word[-1]])


def mutation(name: str, rng: Random) -> Mutation:
    """Return a mutation of a game."""
    text = library.entry(name).text
    tokens = tokenize(text)
    names = [i for i, token in enumerate(tokens) if token.kind == "name"]
    numbers = [i for i, token in enumerate(tokens) if token.kind == "number"]
    kind = rng.choice(["typing error", "other name", "number", "swapped"])
    if kind == "number":
        token = tokens[rng.choice(numbers)]
        new = str(max(0, int(token.text) + rng.choice((-1, 1))))
        start, end = token.offset, token.offset + len(token.text)
    elif kind == "swapped":
        pairs = [(a, b) for a, b in zip(names + numbers, names[1:] + numbers[1:], strict=False) if 0 < b - a <= 3]
        first, second = (tokens[i] for i in rng.choice(pairs))
        start, end = first.offset, second.offset + len(second.text)
        new = second.text + text[first.offset + len(first.text) : second.offset] + first.text
    else:
        token = tokens[rng.choice(names)]
        others = sorted({tokens[i].text for i in names} - {token.text})
        new = typing_error(token.text, rng) if kind == "typing error" else rng.choice(others)
        start, end = token.offset, token.offset + len(token.text)
    line = text.count("\n", 0, start) + 1
    return Mutation(name, kind, f"line {line}: {text[start:end]} -> {new}", text[:start] + new + text[end:])


def behaviour_changes(original: RecycleGame, changed: RecycleGame) -> bool:
    """Return whether any of 200 random games differs; a program that cannot run differs."""
    try:
        machines = original.machine, changed.machine
    except MeldlabError:
        return True
    return machines[0].players != machines[1].players or any(_game_differs(*machines, Deal(0, game)) for game in range(GAMES))


def _game_differs(first: Machine, second: Machine, deal: Deal) -> bool:
    positions = [machine.start(deal.seed, deal.number) for machine in (first, second)]
    describers = [Describer(machine) for machine in (first, second)]
    for step in range(10_000):
        seen = []
        for position, describer in zip(positions, describers, strict=True):
            cards = {
                describer.location_name(location): (location.kind, [describer.card_names[position.type_of(card)] for card in cards])
                for location, cards in position.locations()
            }
            end: tuple[object, ...]
            try:
                end = position.scores if position.over else (position.to_move, len(position.options))
            except MeldlabError as error:
                end = (str(error),)
            seen.append((position.over, position.status, end, cards))
        if seen[0] != seen[1]:
            return True
        if positions[0].over:
            return first.scoring != second.scoring
        index = deal.chance(step, positions[0].to_move).below(len(positions[0].options))
        positions = [position.take(index) for position in positions]
    return False


def main() -> None:
    """Print the shares, and the mutations that neither command reports."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutations", type=int, default=200)
    parser.add_argument("--seed", type=int, default=35)
    arguments = parser.parse_args()
    rng, counts = Random(arguments.seed), Counter[str]()
    known = {name: {item.message for item in check_program(library.entry(name).text).diagnostics} for name in library.names()}
    by_kind: Counter[tuple[str, str]] = Counter()
    for _ in range(arguments.mutations):
        changed = mutation(rng.choice(library.names()), rng)
        original, mutant = RecycleGame.load(changed.game), RecycleGame("mutant", changed.text)
        if not behaviour_changes(original, mutant):
            counts["no change"] += 1
            continue
        report = check_program(changed.text)
        checked = any(item.message not in known[changed.game] for item in report.diagnostics)
        compared = not report.ok or differ(original, mutant).difference is not None
        counts.update(["changed"] + ["check"] * checked + ["differ"] * compared + ["either"] * (checked or compared))
        by_kind.update([(changed.kind, "changed")] + [(changed.kind, "check")] * checked)
        if not (checked and compared):
            missed = ", ".join(["not by check"] * (not checked) + ["not by differ"] * (not compared))
            print(f"{changed.game:16} {changed.kind:12} {changed.change:50} {missed}")
    total = counts["changed"]
    print(f"{arguments.mutations} mutations, seed {arguments.seed}: {total} change behaviour in {GAMES} random games")
    for name in ("check", "differ", "either"):
        print(f"{name:8} {counts[name]:4} of {total}  {counts[name] / total:.1%}")
    for kind in sorted({kind for kind, _ in by_kind}):
        print(f"check, {kind}: {by_kind[kind, 'check']} of {by_kind[kind, 'changed']}")


if __name__ == "__main__":
    main()
