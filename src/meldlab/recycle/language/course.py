"""What is known of the table when a choice is reached: which locations may be empty, and what storage holds.

A turn is followed by the names of locations, without counting: a location is thought to have cards unless something in the same turn may
have taken the last one and nothing has put one there since.

>>> from meldlab.recycle.language.reader import read
>>> program = read("(game (setup (create players 1) (create deck (game iloc S) (deck (A (X, Y)))))"
...                " (do ((repeat all (move (top (game iloc S)) (top (game vloc T))))))"
...                " (choice ((any (game iloc S) 'C (move 'C (top (game vloc T)))))) (scoring max 1))")
>>> [known.emptied for _, known in choices(program)]
[frozenset({('iloc', 'S')})]
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from meldlab.recycle.language import syntax as s
from meldlab.recycle.language.folding import constant
from meldlab.recycle.language.tree import children, walk

__all__ = ["Facts", "choices", "named", "roots"]

Place = tuple[str, str]  # kind and name; the owner does not count
Scope = dict[str, s.Expr]  # of a variable, the value or the collection that it is bound to


@dataclass(frozen=True)
class Facts:
    """What holds at a point of the course."""

    emptied: frozenset[Place] = frozenset()  # locations from which something may have taken the last card
    noted: frozenset[Place] = frozenset()  # memories that an earlier choice of the turn wrote
    fixed: tuple[tuple[s.Expr, s.Expr], ...] = ()  # cells and the number or name that they hold


def choices(program: s.Program) -> Iterator[tuple[s.Choice, Facts]]:
    """Yield every choice with what is known there."""
    yield from _phases(program.phases, Facts(), {declare.var: declare.value for declare in program.declares})


def _phases(phases: Iterable[s.Phase], known: Facts, scope: Scope) -> Iterator[tuple[s.Choice, Facts]]:
    for phase in phases:
        match phase:
            case s.Choice():
                yield phase, known
                outcomes = [_done(item, known, scope, sure=True).emptied for item in phase.items]
                known = Facts(frozenset().union(*outcomes), known.noted | _noted(phase), _unwritten(known.fixed, phase))
            case s.Stage():
                # A turn may be the first or any later one, of anybody; whether cards are left is the business of its END.
                kept = _unwritten(known.fixed, phase)
                yield from _phases(phase.phases, Facts(noted=known.noted, fixed=kept), scope)
                taken = {place for node, inner in _bound(phase, scope) for place in _taken(node, inner)}
                known = Facts(known.emptied | taken, known.noted | _noted(phase), kept)
            case _:
                known = _done(phase, known, scope, sure=True)


def _noted(phase: s.Phase) -> set[Place]:
    remembered = [
        node.place for choice in walk(phase) if isinstance(choice, s.Choice) for node in walk(choice) if isinstance(node, s.Remember)
    ]
    return {place for target in remembered for node in walk(target) for place in named(node)}


def _done(item: s.Node, known: Facts, scope: Scope, sure: bool) -> Facts:
    """Return what is known after an item, which is carried out for ``sure`` or perhaps."""
    match item:
        case s.Do():
            for each in item.items:
                known = _done(each, known, scope, sure)
            return known
        case s.Loop():
            sure = sure and isinstance(item.coll, (s.Everyone, s.Strings))
            return _done(item.body, known, {**scope, item.var: item.coll}, sure)
        case s.Let():
            return _done(item.body, known, {**scope, item.var: item.value}, sure)
        case s.Condition():
            return _done(item.body, known, scope, sure and constant(item.test) == 1)
        case s.Repeat():
            return _done(item.body, known, scope, sure and (constant(item.count) or 0) > 0)
        case s.RepeatAll():
            return _done(item.body, known, scope, sure=False)
    emptied, fixed = known.emptied | set(_taken(item, scope)), known.fixed
    if isinstance(item, s.MoveCard) and sure and isinstance(item.place, s.Pick):
        emptied -= set(roots(item.place.of, scope))
    if isinstance(item, (s.Set, s.SetPoints, s.Adjust)):
        fixed = _unwritten(fixed, item)
    if isinstance(item, s.Set) and sure and (constant(item.value) is not None or isinstance(item.value, s.Name)):
        fixed += ((item.cell, item.value),)
    return replace(known, emptied=emptied, fixed=fixed)


def _bound(node: s.Node, scope: Scope) -> Iterator[tuple[s.Node, Scope]]:
    """Yield all constructs inside one, each with what its variables are bound to."""
    yield node, scope
    if isinstance(node, s.Loop):
        scope = {**scope, node.var: node.coll}
    elif isinstance(node, s.Let):
        scope = {**scope, node.var: node.value}
    for child in children(node):
        yield from _bound(child, scope)


def _taken(node: s.Node, scope: Scope) -> list[Place]:
    """Return the locations that an action takes a card from, unless it also puts one there."""
    if not isinstance(node, s.MoveCard):
        return []
    target = roots(node.place.of, scope) if isinstance(node.place, s.Pick) else []
    return [place for place in roots(node.card, scope) if place not in target]


def _unwritten(fixed: tuple[tuple[s.Expr, s.Expr], ...], node: s.Node) -> tuple[tuple[s.Expr, s.Expr], ...]:
    written = {place for each in walk(node) if isinstance(each, (s.Set, s.SetPoints, s.Adjust)) for place in named(each.cell)}
    return tuple((cell, value) for cell, value in fixed if not set(named(cell)) & written)


def named(node: s.Node) -> list[Place]:
    """Return the storage that a construct itself names."""
    if isinstance(node, (s.Cell, s.Location, s.Indexed)):
        return [(node.kind, node.name.text if isinstance(node.name, s.Name) else "")]
    return []


def roots(node: s.Expr, scope: Scope) -> list[Place]:
    """Return the locations in which the cards of a card or list lie.

    >>> from meldlab.recycle.language.reader import read_expression
    >>> roots(read_expression("(top (filter 'L 'C (== 1 1)))"), {"L": read_expression("(game vloc T)")})
    [('vloc', 'T')]
    """
    match node:
        case s.Location() | s.Indexed():
            return named(node)
        case s.Var():
            # A name that is bound again inside what it is bound to would lead round and round.
            return roots(scope[node.name], {key: value for key, value in scope.items() if key != node.name}) if node.name in scope else []
        case s.Pick():
            return roots(node.of, scope)
        case s.Filter():
            return roots(node.coll, scope)
        case s.Each():
            return roots(node.body, {**scope, node.var: node.coll})
        case s.Combine() | s.Partition():
            return [place for part in node.parts for place in roots(part, scope)]
        case s.Best() | s.Sort() | s.Take() | s.LongestRun() | s.Runs() | s.Subsets():
            return roots(node.cards, scope)
    return []
