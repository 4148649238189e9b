"""A person who is told the steps of a turn: reads each sentence, does it with the tiles as they lie, and refuses what is forbidden then.

No code of the solvers is in it but the reading of tiles. Every tile is a thing that remembers where it came from; a pile is what lies
together. A sentence names a pile by what lies in it; where two piles look alike either may be meant.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from meldlab.rummikub import Position, Rules
from meldlab.rummikub.tiles import Tile, read_tiles
from tests.rummikub.by_hand import Face, legal

RACK, HAND = -1, -2
SENTENCE = re.compile(
    r"take (?P<tiles>.+?) from (?P<source>.+?), (?:"
    r"lay (?:it|them) down as (?P<laid>.+)|begin (?P<begun>.+) with (?:it|them)(?: as (?P<first>.+))?"
    r"|put (?:it|them) in the place of (?P<freed>.+) in (?P<exchange>.+?)(?: to make (?P<set>.+))?"
    r"|add (?:it|them) to (?P<target>.+?)(?: to make (?P<made>.+)| as (?P<meant>.+))?)"
)
LET = re.compile(r"let (?P<joker>\S+) stand for (?P<face>\S+) in (?P<target>.+) to make (?P<made>.+)")


class Refused(AssertionError):
    """A step that cannot be done, or may not be."""


@dataclass(frozen=True)
class Thing:
    """A tile: what is printed on it (nothing on a joker), what it shows, which old set or the rack it came from."""

    nth: int
    printed: Face | None
    shows: Face | None
    origin: int

    @property
    def old_joker(self) -> bool:
        return self.printed is None and self.origin != RACK


@dataclass(frozen=True)
class Scene:
    """The turn so far: things by pile, the rack, the jokers in the hand; ``promised`` are piles that were begun as some set."""

    piles: tuple[tuple[Thing, ...], ...]
    rack: tuple[Thing, ...]
    hand: tuple[Thing, ...] = ()
    freed: frozenset[int] = frozenset()
    promised: tuple[tuple[int, str], ...] = ()


def face(tile: Tile) -> Face:
    return tile.colour, tile.number


def begin(position: Position) -> Scene:
    everything = [(i, tile) for i, one in enumerate(position.table) for tile in one.tiles] + [(RACK, tile) for tile in position.rack]
    things = [
        Thing(nth, None if tile.joker else face(tile), None if tile.joker and i == RACK else face(tile), i)
        for nth, (i, tile) in enumerate(everything)
    ]
    piles = tuple(tuple(thing for thing in things if thing.origin == i) for i in range(len(position.table)))
    return Scene(piles, tuple(thing for thing in things if thing.origin == RACK))


def looks(things: Sequence[Thing]) -> Counter[tuple[Face | None, bool]]:
    return Counter((thing.shows, thing.printed is None) for thing in things)


def named(text: str) -> Counter[tuple[Face | None, bool]]:
    """Return what a name says lies there: 'the run R3-R6', 'the group K9 B9 J=R9', or plain tiles."""
    plain = re.sub(r"^the (run|group) ", "", text)
    return Counter((face(tile), tile.joker) for tile, _ in read_tiles(plain))


def is_called_right(text: str, things: Sequence[Thing], rules: Rules) -> bool:
    """Tell whether 'the run' is a run, 'the group' a group, and what has no such name is neither."""
    faces = [thing.shows for thing in things if thing.shows]
    kind = ("group" if len({number for _, number in faces}) == 1 else "run") if legal(faces, rules) else ""
    found = re.match(r"the (run|group) ", text)
    return (found[1] if found else "") == kind


def carry_out(position: Position, sentences: Sequence[str]) -> Scene:
    """Return the scene after all sentences; Refused, with the first that no reading allows."""
    scenes = [begin(position)]
    for nth, sentence in enumerate(sentences):
        after, why = list[Scene](), list[str]()
        for scene in scenes:
            try:
                after += list(done(position, scene, sentence))
            except Refused as problem:
                why.append(str(problem))
        if not after:
            raise Refused(f"step {nth + 1} of {sentences}: {why}")
        scenes = after[:50]
    problems = []
    for scene in scenes:
        try:
            verify_end(position, scene)
        except Refused as problem:
            problems.append(str(problem))
        else:
            return scene
    raise Refused(f"{sentences}: {problems}")


def done(position: Position, scene: Scene, sentence: str) -> Iterator[Scene]:
    """Give the scenes that one sentence can lead to."""
    let = LET.fullmatch(sentence)
    if let:
        yield from reread(position, scene, let)
        return
    said = SENTENCE.fullmatch(sentence)
    if not said:
        raise Refused(f"{sentence!r} cannot be understood")
    for source, lifted, rest in taken(position, scene, said["source"], [tile for tile, _ in read_tiles(said["tiles"])]):
        if said["laid"] or said["begun"]:
            pile = meant_as(lifted, said["laid"] or said["first"] or "")
            yield with_pile(rest, len(rest.piles), pile, said["begun"])
            continue
        name = said["exchange"] or said["target"]
        for target in found(rest, name, position.rules):
            if target != source:
                pile = rest.piles[target] + lifted
                if said["exchange"]:
                    if len(lifted) != 1:
                        raise Refused(f"{sentence!r} exchanges several tiles at once")
                    yield exchange(position, rest, target, pile, said["freed"], said["set"])
                else:
                    promise = next((what for at, what in rest.promised if at == target), None)
                    pile = rest.piles[target] + meant_as(lifted, said["made"] or promise or "", rest.piles[target])
                    if said["meant"]:
                        pile = rest.piles[target] + meant_as(lifted, said["meant"])
                    if said["made"] and (looks(pile) != named(said["made"]) or not is_called_right(said["made"], pile, position.rules)):
                        raise Refused(f"{pile} is not {said['made']}")
                    yield with_pile(rest, target, pile, None)


def found(scene: Scene, name: str, rules: Rules) -> list[int]:
    """Return the piles that look as named."""
    every = [at for at, pile in enumerate(scene.piles) if pile and looks(pile) == named(name)]
    if not every or not all(is_called_right(name, scene.piles[at], rules) for at in every):
        raise Refused(f"there is no {name} among {scene.piles}")
    return every


def taken(position: Position, scene: Scene, source: str, tiles: list[Tile]) -> Iterator[tuple[int, tuple[Thing, ...], Scene]]:
    """Give the ways to take tiles from where they are said to be: the place, the things and the scene without them."""
    holders = {"the rack": [RACK], "your hand": [HAND]}.get(source) or found(scene, source, position.rules)
    for at in holders:
        holder = {RACK: scene.rack, HAND: scene.hand}.get(at) or scene.piles[at]
        for lifted in choices(holder, tiles):
            rest = tuple(thing for thing in holder if thing not in lifted)
            if position.rules.joker_rule == "strict" and at >= 0 and any(t.old_joker and t.nth not in scene.freed for t in holder) and rest:
                raise Refused(f"{source} holds a joker and is broken")
            if at == RACK:
                yield at, lifted, replace(scene, rack=rest)
            elif at == HAND:
                yield at, lifted, replace(scene, hand=rest)
            else:
                yield at, lifted, with_pile(scene, at, rest, None)


def choices(holder: Sequence[Thing], tiles: Sequence[Tile]) -> Iterator[tuple[Thing, ...]]:
    """Give the ways to pick things that are printed like tiles; equal ones may still differ in where they came from."""
    if not tiles:
        yield ()
        return
    wanted = None if tiles[0].joker else face(tiles[0])
    fit = [thing for thing in holder if thing.printed == wanted and (wanted or not tiles[0].number or thing.shows == face(tiles[0]))]
    if not fit:
        raise Refused(f"{tiles[0]} is not there")
    for thing in fit:
        for more in choices([other for other in holder if other != thing], tiles[1:]):
            yield (thing, *more)


def meant_as(lifted: Sequence[Thing], text: str, lying: Sequence[Thing] = ()) -> tuple[Thing, ...]:
    """Return things with their jokers showing what the set that is made or begun has jokers for."""
    open_faces = sorted((named(text) - looks(lying)).elements()) if text else []
    wanted = [shows for shows, joker in open_faces if joker]
    after = list[Thing]()
    for thing in lifted:
        if thing.printed is not None:
            after.append(thing)
        elif thing.shows in wanted:
            wanted.remove(thing.shows)
            after.append(thing)
        elif wanted:
            after.append(replace(thing, shows=wanted.pop(0)))
        else:
            after.append(thing)
    return tuple(after)


def with_pile(scene: Scene, at: int, pile: tuple[Thing, ...], promise: str | None) -> Scene:
    piles = list(scene.piles) + [()] * (at + 1 - len(scene.piles))
    piles[at] = pile
    return replace(scene, piles=tuple(piles), promised=(*scene.promised, (at, promise)) if promise else scene.promised)


def exchange(position: Position, scene: Scene, at: int, pile: tuple[Thing, ...], freed: str, made: str | None) -> Scene:
    """Return the scene with one joker more in the hand, if this set may give it now.

    Another joker of the set may get another meaning thereby, in 'modern'; it must be freed later (:func:`verify_end`).
    """
    joker = Tile.parse(freed)
    gone = next(thing for thing in pile if thing.printed is None and thing.shows == face(joker))
    left = tuple(thing for thing in pile if thing != gone)
    every = begin(position).piles[at]
    own = {thing.nth for thing in every if thing.nth not in scene.freed} - {gone.nth}
    put_in = [thing for thing in left if thing.nth not in {thing.nth for thing in every}]
    if gone.nth not in {thing.nth for thing in every}:
        raise Refused("the joker did not lie in this set when the turn began")
    if not own <= {thing.nth for thing in left}:
        raise Refused("the set is not whole")
    if len(put_in) != len(every) - len(own) or not all(thing.printed for thing in put_in):
        raise Refused("not as many tiles are put in as jokers taken")
    if made is None:
        raise Refused(f"what {left} is then is not said")
    if position.rules.joker_rule != "strict":
        left = meant_again(left, made)
    if not legal([thing.shows for thing in left if thing.shows], position.rules):
        raise Refused("what is left is no set")
    if position.rules.joker_rule == "strict" and pile[-1].printed != gone.shows:
        raise Refused("it is not the very tile")
    if looks(left) != named(made) or not is_called_right(made, left, position.rules):
        raise Refused(f"{left} is not {made}")
    after = with_pile(scene, at, left, None)
    return replace(after, hand=(*after.hand, gone), freed=after.freed | {gone.nth})


def meant_again(things: Sequence[Thing], text: str) -> tuple[Thing, ...]:
    """Return things with the jokers that a name gives another meaning."""
    wanted = [shows for shows, joker in named(text).elements() if joker]
    kept = {thing for thing in things if thing.printed is None and thing.shows in wanted}
    open_faces = [shows for shows in wanted if shows not in {thing.shows for thing in kept}]
    moved = [thing for thing in things if thing.printed is None and thing not in kept]
    meaning = dict(zip(moved, open_faces, strict=False))
    return tuple(replace(thing, shows=meaning.get(thing, thing.shows)) for thing in things)


def reread(position: Position, scene: Scene, let: re.Match[str]) -> Iterator[Scene]:
    """Give the scenes in which a joker of a pile shows something else."""
    was, shows = Tile.parse(let["joker"]), face(Tile.parse(let["face"]))
    for at in found(scene, let["target"], position.rules):
        for thing in scene.piles[at]:
            if thing.printed is None and thing.shows == face(was):
                pile = tuple(replace(t, shows=shows) if t == thing else t for t in scene.piles[at])
                if looks(pile) != named(let["made"]):
                    raise Refused(f"{pile} is not {let['made']}")
                yield with_pile(scene, at, pile, None)


def verify_end(position: Position, scene: Scene) -> None:
    """Refuse an end that the joker family forbids: what was freed needs a tile from the rack, the rest stands for what it stood for."""
    if scene.hand:
        raise Refused("a joker is left in the hand")
    start = {thing.nth: thing for pile in begin(position).piles for thing in pile}
    held = set[tuple[int, int]]()
    for at, pile in enumerate(scene.piles):
        if pile and not legal([thing.shows for thing in pile if thing.shows], position.rules):
            raise Refused(f"{pile} is no set")
        for thing in pile:
            if not thing.old_joker or position.rules.joker_rule == "free":
                continue
            if thing.nth in scene.freed:
                if not any(other.origin == RACK for other in pile):
                    raise Refused("a freed joker lies without a tile from the rack")
            elif thing.shows != start[thing.nth].shows:
                raise Refused("a joker stands for another tile and was never freed")
            else:
                held.add((thing.origin, at))
    if position.rules.joker_rule == "strict" and len({at for _, at in held}) < len(held):
        raise Refused("two sets that hold jokers were pushed together")
