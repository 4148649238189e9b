"""Traversal of a syntax tree.

>>> from meldlab.recycle.language.parser import parse_expression
>>> from meldlab.recycle.language.syntax import Number
>>> [node.value for node in walk(parse_expression("(+ 1 (* 2 3))")) if isinstance(node, Number)]
[1, 2, 3]
"""

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any

from meldlab.recycle.language.syntax import Node

_FIELDS: dict[type[Node], tuple[str, ...]] = {}  # of each class of construct, looked up once


def children(node: Node) -> Iterator[Node]:
    """Yield the constructs directly inside one, in source order."""
    names = _FIELDS.get(type(node))
    if names is None:
        names = _FIELDS[type(node)] = tuple(part.name for part in fields(node))
    for name in names:
        yield from _nodes(getattr(node, name))


def _nodes(value: Any) -> Iterator[Node]:
    if isinstance(value, Node):
        yield value
    elif isinstance(value, tuple) and not (value and isinstance(value[0], str)):
        for member in value:
            yield from _nodes(member)


def walk(node: Node) -> Iterator[Node]:
    """Yield a construct and all inside it, in source order."""
    stack = [node]
    while stack:
        node = stack.pop()
        yield node
        stack += reversed(list(children(node)))


def transform(node: Any, change: Callable[[Any], Any]) -> Any:
    """Return a tree in which every construct, from the leaves up, is replaced by the result of ``change``."""
    if isinstance(node, tuple):
        return tuple(transform(member, change) for member in node)
    if not isinstance(node, Node):
        return node
    parts = {part.name: transform(getattr(node, part.name), change) for part in fields(node) if part.init}
    return change(replace(node, **parts))
