"""Compilation of a checked program: phases, items and actions as instructions.

>>> from meldlab.recycle.language.checker import check
>>> text = "(game (setup (create players 1) (create deck (game iloc S) (deck (A (X))))) (do ((turn pass))) (scoring max 1))"
>>> compiled = compile_program(check(text).program, Limits())
>>> [k.NAMES[op] for op in compiled.code[:: k.STRIDE]]
['HALT', 'PASS', 'HALT', 'COPY', 'SCORED']
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meldlab.recycle.language import syntax as s
from meldlab.recycle.language.limits import Limits
from meldlab.recycle.language.syntax import Class
from meldlab.recycle.language.tree import children
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.analysis import BRANCH, FORGET
from meldlab.recycle.machine.assembler import Assembler, Label
from meldlab.recycle.machine.expressions import ExpressionCompiler
from meldlab.recycle.machine.storage import StorageLayout

__all__ = ["Compiled", "compile_program"]

WORDS_OF_ENTRY = 5  # of memory, for each entry of a list of numbers


@dataclass(frozen=True)
class Compiled:
    """A program ready to run: its instructions, tables, and where everything lies."""

    storage: StorageLayout
    code: list[int]
    offsets: list[int]  # in the text, of each instruction
    data: list[int]
    layout: list[int]
    initial: NDArray[np.int64]
    constants: dict[int, int]
    size: int  # words of a state


def compile_program(program: s.Program, limits: Limits, text: str = "") -> Compiled:
    """Compile a checked program; raise ``BadText``, which shows a place in ``text``, if it takes too much memory."""
    storage = StorageLayout(program, limits, text)
    code = Assembler(storage.dynamic_end)
    # The values of one attribute after the other, first of all in the data.
    code.table(storage.attributes.T.ravel().tolist())
    columns = {key: number * len(storage.types) for number, key in enumerate(storage.keys)}
    column_of = code.table([columns.get(name, -1) for name in storage.strings])
    memories = [address for address, location in storage.locations.items() if location.kind == "mem"]
    compiler = ProgramCompiler(storage, code, code.table([len(memories), *memories]))
    start, score = compiler.program(program)
    layout = [0] * k.LAYOUT
    address = storage.dynamic_end
    layout[k.L_LISTS_FROM], address = address, address + code.registers
    for first, end, size in (
        (k.L_LISTS, k.L_LISTS_END, limits.lists),
        (k.L_TRAIL, k.L_TRAIL_END, 2 * limits.lists),
        (k.L_OPEN, k.L_OPEN_END, limits.branches * k.OPEN),
        (k.L_PATH, k.L_PATH_END, limits.branches),
        (k.L_OPTION, k.L_OPTION_END, limits.options),
        (k.L_OPTION_WORDS, k.L_OPTION_WORDS_END, 8 * limits.options),
        (k.L_LOG, k.L_LOG_END, 100_000),
    ):
        if first == k.L_LOG:
            layout[k.L_ACTION_KEYS], address = address, address + limits.options
        layout[first], layout[end] = address, address + size
        address += size
    layout[k.L_SAVED_EFFECTS], address = address, address + k.EFFECTS * k.SAVED_OPTIONS
    layout[k.L_TALLY], address = address, address + len(storage.strings)
    # The arrays and the lists they are made of; a game with searching players has three workspaces.
    storage.reserve(WORDS_OF_ENTRY * (len(code.words) + len(code.data)) + 3 * address)
    words = code.finish()
    code.constants[compiler.nothing] = layout[k.L_LISTS]
    for field, value in (
        (k.L_PLAYERS, storage.players),
        (k.L_TYPES, len(storage.types)),
        (k.L_COLUMN_OF, column_of),
        (k.L_CARDS, storage.cards),
        (k.L_CARDS_LIMIT, storage.card_limit),
        (k.L_FIXED, storage.fixed),
        (k.L_INDEX_LIMIT, limits.locations),
        (k.L_MEMORY_LIMIT, limits.memories),
        (k.L_STEP_LIMIT, limits.steps),
        (k.L_WORK_LIMIT, limits.work),
        (k.L_GAME_WORK_LIMIT, limits.game_work),
        (k.L_TEAM_OF, storage.team_of),
        (k.L_TEAM_LISTS, storage.team_lists),
        (k.L_TEAM_CYCLES, storage.team_cycle),
        (k.L_TEAM_DEPTH, storage.team_depth),
        (k.L_PLAYER_CYCLE, storage.player_cycle),
        (k.L_SCORE_AT, score.offset),
        (k.L_SCORES, storage.scores),
        (k.L_AWARDS, limits.awards if storage.updates else 0),
        (k.L_AWARD_WIDTH, storage.award_width),
        (k.L_PENDING, storage.pending),
        (k.L_PENDING_WIDTH, storage.pending_width),
        (k.L_TEAM_CELLS, storage.team_cells),
        (k.L_TEAM_CELLS_END, storage.team_cells_end),
        (k.L_DYNAMIC_END, storage.dynamic_end),
        (k.L_START, start.offset),
    ):
        layout[field] = value
    return Compiled(storage, words, code.offsets, code.data, layout, storage.initial(), code.constants, address)


def _is_known(award: s.Award) -> bool:
    """Return whether an award is fixed before the game."""
    return isinstance(award.points, s.Number) and all(isinstance(word, s.Name) for pair in award.pairs for word in pair)


class ProgramCompiler(ExpressionCompiler):
    """Compiler of phases, items and actions."""

    def __init__(self, storage: StorageLayout, code: Assembler, memories: int) -> None:
        super().__init__(storage, code)
        self.memories = memories
        self.ready: dict[int, int] = {}  # registers of collections that were found before they are due, by identity
        self.repeating = False  # whether an option may come by here more than once
        self.nothing = code.register()  # holds the address of the empty heap

    def program(self, node: s.Program) -> tuple[Label, Label]:
        """Compile everything; return where the game and where its scoring start."""
        self.code.emit(k.HALT)  # address 0 is no label
        start, score = self.code.label(), self.code.label()
        self.code.put(start)
        if self.storage.decks is None:
            everyone = s.CreateTeams(tuple((player,) for player in range(1, self.storage.players + 1)))
            self.item(node.setup.teams or everyone)
            for deck in node.setup.decks:
                self.deck(deck)
        self.code.emit(k.RELEASE, self.nothing)
        for phase in node.phases:
            self.phase(phase)
        self.code.emit(k.HALT)
        self.code.put(score)
        self.code.emit(k.COPY, self.storage.scores, self.value(node.score))
        self.code.emit(k.SCORED)
        return start, score

    def deck(self, node: Any) -> None:
        if isinstance(node, s.RepeatDeck):
            self.counted(self.value(node.count), lambda: self.deck(node.deck), (node.deck,))
        else:
            self.item(node)

    # --- phases

    def phase(self, node: s.Phase) -> None:
        self.code.here = node.offset
        match node:
            case s.Stage():
                self.stage(node)
            case s.Choice():
                self.choice(node, k.CHOICE, 0)
            case _:
                self.item(node)
                self.code.emit(k.RELEASE, self.nothing)

    def choice(self, node: s.Choice, operation: int, counter: int) -> Label:
        """Compile a choice: every item an alternative. Return its address."""
        after, address = self.code.label(), self.code.label()
        self.code.put(address)
        self.code.emit(operation, after, counter, self.cycle("player"))
        self.choosing = node.items
        with self.hoist_players(2, *node.items):
            for i, item in enumerate(node.items):
                other = self.code.label()
                self.code.here = item.offset
                self.code.emit(k.ALTERNATIVE, i, other if i + 1 < len(node.items) else 0)
                self.item(item)
                self.code.emit(k.LEAF)
                self.code.put(other)
        self.choosing = ()
        self.code.put(after)
        return address

    @contextmanager
    def cycling(self, of: str) -> Iterator[int]:
        """Open a cycle for a stage, and close it behind; give its address."""
        self.code.emit(k.PUSH, self.cycle(of))
        self.depth[of] += 1
        yield self.cycle(of)
        self.code.emit(k.RELEASE, self.nothing)
        self.code.emit(k.POP, self.cycle(of))
        self.depth[of] -= 1

    def stage(self, node: s.Stage) -> None:
        with self.cycling(node.of) as cycle:
            if node.end == "simultaneous":
                for phase in node.phases:
                    self.joint(phase, cycle, node.of)
            elif node.end == "once":
                self.passes(cycle, node.of, node.phases)
            else:
                self.until(node, cycle)

    def until(self, node: s.Stage, cycle: int) -> None:
        assert isinstance(node.end, s.Expr)
        body, out = self.code.label(), self.code.label()
        self.code.emit(k.STEP)
        self.jump(node.end, True, out)
        self.code.put(body)
        self.code.emit(k.RELEASE, self.nothing)
        for phase in node.phases:
            self.phase(phase)
        self.code.here = node.end.offset
        self.code.emit(k.STEP)
        self.jump(node.end, True, out)
        self.code.emit(k.NEXT_TURN, cycle, self.count(node.of), body)
        self.code.put(out)

    def passes(self, cycle: int, of: str, phases: tuple[s.Phase, ...]) -> None:
        body, out = self.code.label(), self.code.label()
        self.code.put(body)
        for phase in phases:
            self.phase(phase)
        self.code.emit(k.ADD, cycle + k.PASSES, cycle + k.PASSES, self.code.constant(1))
        self.code.emit(k.JGE, cycle + k.PASSES, self.count(of), out)
        self.code.emit(k.NEXT_TURN, cycle, self.count(of), body)
        self.code.put(out)

    def joint(self, phase: s.Phase, cycle: int, of: str) -> None:
        """Compile a phase that every member does in turn; in a choice all choose before anything is carried out."""
        counter, member, choice = cycle + k.PASSES, cycle + k.MEMBER, self.code.label()

        @contextmanager
        def in_turn() -> Iterator[None]:
            body = self.code.label()
            self.code.emit(k.COPY, counter, self.code.constant(0))
            self.code.emit(k.COPY, member, cycle + k.CURRENT)
            self.code.put(body)
            yield
            # Whichever player was made current meanwhile, the next one in turn comes after this member.
            self.code.emit(k.ZERO_QUEUE, cycle)
            self.code.emit(k.COPY, cycle + k.CURRENT, member)
            self.code.emit(k.ADVANCE, cycle, self.count(of))
            self.code.emit(k.COPY, member, cycle + k.CURRENT)
            self.code.emit(k.ADD, counter, counter, self.code.constant(1))
            self.code.emit(k.JLT, counter, self.count(of), body)
            self.code.emit(k.COPY, member, self.code.constant(0))

        with in_turn():
            if isinstance(phase, s.Choice):
                choice = self.choice(phase, k.JOINT, counter)
            else:
                self.phase(phase)
        if isinstance(phase, s.Choice):
            with in_turn():
                self.code.emit(k.CARRY_OUT, choice, counter)
                self.code.emit(k.RELEASE, self.nothing)

    # --- items

    def item(self, node: Any) -> None:
        here, self.code.here = self.code.here, node.offset
        mark = self.marked(node)
        self.bare_item(node)
        self.release(mark)
        self.code.here = here

    def bare_item(self, node: Any) -> None:
        match node:
            case s.Do():
                for item in node.items:
                    self.item(item)
            case s.Condition():
                other = self.code.label()
                self.jump(node.test, False, other)
                self.item(node.body)
                self.code.put(other)
            case s.Let():
                self.let(node)
            case s.Loop():
                self.loop(node)
            case _:
                self.action(node)

    def let(self, node: s.Let) -> None:
        if node.value.cls is Class.BOOL:
            after = self.code.label()
            self.jump(node.value, True, after)
            self.code.put(after)
            self.item(node.body)
            return
        slot = self.value(node.value)
        if (self.repeating and self.branches(node.body)) or not self.code.is_register(slot):
            value, slot = slot, self.code.register()
            self.code.emit(self.copies(), slot, value)
        is_location = isinstance(node.value, s.Location) or (isinstance(node.value, s.Var) and node.value.name in self.locations)
        with self.bound(node.var, slot, self.origin(node.value, node.body), is_location):
            self.item(node.body)

    def loop(self, node: s.Loop) -> None:
        variable, origin = self.code.register(), self.origin(node.coll, node.body)
        members, index = self.ready.pop(id(node.coll), 0) or self.members(node.coll), self.code.register()
        inner = node.body
        if (
            self.choosing
            and not self.repeating
            and isinstance(inner, s.Loop)
            and node.quantifier == inner.quantifier == "any"
            and self.is_still(inner.coll, node.var)
        ):
            # Options do not change what other options find.
            self.ready[id(inner.coll)] = self.members(inner.coll)
        after, body = self.code.label(), self.code.label()
        following = 0
        repeating = self.repeating
        with self.hoist_players(1, node.body):
            if self.choosing and node.quantifier == "any":
                self.code.emit(k.ANY, variable, members, after, int(self.repeating))
            elif self.branches(node.body):
                # Held in registers of their own, which backtracking restores.
                held, following, self.repeating = self.code.register(), k.NEXT_ITEM, True
                self.code.emit(k.COPY_ITEM, held, members)
                self.code.emit(k.COPY_ITEM, index, self.code.constant(0))
                members = held
                self.code.emit(following, variable, members, index, after, body)
            else:
                following = k.NEXT
                self.code.emit(k.FIRST, variable, members, index, after)
            self.code.put(body)
            with self.bound(node.var, variable, origin):
                self.item(node.body)
        if following:
            self.code.emit(following, variable, members, index, after, body)
        self.code.put(after)
        self.repeating = repeating

    def copies(self) -> int:
        """Return the instruction that copies what is held while items are done: more than once in an option, it is to be restored."""
        return k.COPY_ITEM if self.repeating else k.COPY

    def is_still(self, coll: s.Expr, var: str) -> bool:
        """Return whether a collection is a location, or one by an attribute, that does not depend on a variable."""
        parts = coll.parts if isinstance(coll, s.Partition) and isinstance(coll.key, s.Name) else (coll,)
        return all(isinstance(part, s.Location) and self.analysis.is_invariant(part, {var}) for part in parts)

    def branches(self, *nodes: s.Node) -> bool:
        """Return whether options part inside of constructs, so that what is held around them must be restored."""
        return bool(self.choosing) and bool(self.analysis.flags(*nodes) & BRANCH)

    def origin(self, coll: s.Expr, body: s.Item) -> int:
        """Return a register with the memory that a collection is drawn from, if something in the body forgets."""
        if not self.analysis.flags(body) & FORGET:
            return 0
        memory = self.memory_of(coll)
        if memory:
            slot = self.code.register()
            self.code.emit(self.copies(), slot, memory)
            return slot
        return 0

    def memory_of(self, cards: s.Expr) -> int:
        match cards:
            case s.Location(kind="mem"):
                return self.value(cards)
            case s.Filter():
                return self.memory_of(cards.coll)
            case s.Sort() | s.Take() | s.LongestRun():
                return self.memory_of(cards.cards)
            case s.Var():
                return self.origins.get(cards.name, 0)
        return 0

    # --- actions

    def action(self, node: Any) -> None:
        match node:
            case s.MoveCard():
                self.move(node, 0)
            case s.Remember():
                card = self.value(node.card)
                memory, end, index = self.target(node.place)
                self.code.emit(k.REMEMBER, card, memory, end, index)
            case s.Forget():
                self.forget(node, 0)
            case s.Swap():
                operation = k.SWAP_LISTS if node.left.cls is Class.CARDS else k.SWAP_CARDS
                self.code.emit(operation, self.value(node.left), self.value(node.right))
            case s.Shuffle():
                self.code.emit(k.SHUFFLE, self.value(node.cards))
            case s.Faro():
                self.code.emit(k.FARO, self.value(node.lower), self.value(node.upper))
            case s.Pass():
                self.code.emit(k.PASS)
            case s.Cycle():
                operation = k.CYCLE_NEXT if node.when == "next" else k.CYCLE_CURRENT
                self.code.emit(operation, self.cycle("player"), self.value(node.player))
            case s.Set():
                self.assign(node)
            case s.Adjust():
                self.adjust(node)
            case s.SetPoints():
                self.points(node)
            case s.Repeat():
                self.repeat(node)
            case s.RepeatAll():
                self.repeat_all(node)
            case s.CreateTeams():
                self.code.emit(
                    k.CREATE_TEAMS, self.code.table([len(node.teams), *(word for team in node.teams for word in (len(team), *team))])
                )
            case s.CreateDeck():
                first, count = self.storage.deck_types[id(node)]
                self.code.emit(k.CREATE_CARDS, self.value(node.location), first, count)

    def move(self, node: s.MoveCard, source: int) -> None:
        card, cards, source_end = self.taken(node.card, source)
        home, end, index = self.target(node.place)
        self.code.emit(k.MOVE, card, cards, home, source_end + 4 * end, index)

    def taken(self, card: s.Expr, source: int) -> tuple[int, int, int]:
        """Return registers of a card and the list it is found in, and at which end; ``source`` is that list, if it is held already."""
        nowhere = self.code.constant(0)
        match card:
            case s.Pick():
                if self.analysis.is_end(card):
                    return self.end_of(card), nowhere, k.NOWHERE
                index = nowhere if isinstance(card.end, str) else self.value(card.end)
                cards = source or self.value(card.of)
                return self.picked(card.end, cards, index), cards, self.end(card.end)
            case s.Best():
                cards = source or self.value(card.cards)
                return self.best(card, cards), cards, k.AT_INDEX
        return self.value(card), nowhere, k.NOWHERE

    def target(self, node: s.Expr) -> tuple[int, int, int]:
        """Return the registers of a location and an index, and which end of it is meant."""
        assert isinstance(node, s.Pick)
        index = self.code.constant(0) if isinstance(node.end, str) else self.value(node.end)
        return self.value(node.of), self.end(node.end), index

    def forget(self, node: s.Forget, source: int) -> None:
        nowhere = self.code.constant(0)
        card = node.card
        if isinstance(card, s.Pick) and not self.memory_behind(card.of):
            index = nowhere if isinstance(card.end, str) else self.value(card.end)
            self.code.emit(k.FORGET_AT, source or self.value(card.of), self.end(card.end), index)
            return
        memory = nowhere
        if isinstance(card, s.Var):
            memory = self.origins.get(card.name, 0) or nowhere
        elif isinstance(card, (s.Pick, s.Best)):
            memory = self.memory_of(card.of if isinstance(card, s.Pick) else card.cards) or nowhere
        address, cards, end = self.taken(card, source)
        self.code.emit(k.FORGET_CARD, address, memory, self.memories, cards, end)

    def memory_behind(self, cards: s.Expr) -> bool:
        """Return whether a list is computed from a memory, rather than being one."""
        if isinstance(cards, s.Var):
            return bool(self.origins.get(cards.name)) and cards.name not in self.locations
        return isinstance(cards, s.COMPUTED)

    def assign(self, node: s.Set) -> None:
        assert isinstance(node.cell, s.Cell)
        string = 1 if node.cell.kind == "str" else 0
        base, owner = self.cell(node.cell)
        value = self.value(node.value)
        if base is not None:
            self.code.emit(k.PUT, base, owner, value, string)
        else:
            self.code.emit(k.PUT_AT, owner, value, 0, string)

    def adjust(self, node: s.Adjust) -> None:
        assert isinstance(node.cell, s.Cell)
        base, owner = self.cell(node.cell)
        amount = self.code.constant(1) if node.amount is None else self.value(node.amount)
        if base is not None:
            self.code.emit(k.ADJUST, base, owner, amount, 1 if node.which == "inc" else -1)
        else:
            new = self.emitted(k.ADD if node.which == "inc" else k.SUB, self.emitted(k.LOAD_AT, owner), amount)
            self.code.emit(k.PUT_AT, owner, new)

    def points(self, node: s.SetPoints) -> None:
        """Compile a point map: what is fixed as one table, the rest award by award."""
        table, rows = self.value(node.cell), []
        keep = self.storage.updates
        known = [] if keep else [award for award in node.awards if _is_known(award)]
        fixed = sum((self.storage.awarded(award) for award in known), np.zeros(len(self.storage.types), np.int64))
        if len(fixed) and abs(fixed).max() >= 2**31:
            # The machine fails at the award with such a number.
            known, fixed = [], 0 * fixed
        folded = set(map(id, known))
        for award in node.awards:
            if id(award) in folded:
                continue
            first = self.code.register(2 * len(award.pairs))
            for i, word in enumerate(word for pair in award.pairs for word in pair):
                self.code.emit(k.COPY, first + i, self.value(word))
            rows.append((first, len(award.pairs), self.value(award.points)))
        if not node.update:
            if keep:
                self.code.emit(k.CLEAR_POINTS, table)
            else:
                self.code.emit(k.TABLE_POINTS, table, self.code.table(fixed.tolist()))
        for first, pairs, worth in rows:
            self.code.emit(k.UPDATE if node.update else k.AWARD, table, first, pairs, worth)
        if node.update:
            self.code.emit(k.RECOUNT, table)

    def repeat(self, node: s.Repeat) -> None:
        self.counted(self.value(node.count), lambda: self.item(node.body), (node.body,))

    def repeat_all(self, node: s.RepeatAll) -> None:
        card = node.body.card
        cards = card.of if isinstance(card, s.Pick) else card.cards  # type: ignore[attr-defined]  # the checker wants a list
        held = self.value(cards)
        size = self.emitted(k.SIZE, held)
        body = node.body
        # The list itself is evaluated once, before.
        inside = [part for part in children(body) if part is not card] + [part for part in children(card) if part is not cards]
        self.counted(size, lambda: self.move(body, held) if isinstance(body, s.MoveCard) else self.forget(body, held), inside)

    def counted(self, count: int, body: Any, inside: Sequence[s.Node]) -> None:
        """Compile a body, with some constructs inside it, that is done as often as the register ``count`` says now."""
        held, done, repeating = count, self.code.register(), self.repeating
        branches = self.branches(*inside)
        if branches or not self.code.is_register(count):
            held = self.code.register()
            self.code.emit(k.COPY_ITEM if branches else self.copies(), held, count)
        self.repeating = repeating or branches
        again, after, counts = self.code.label(), self.code.label(), k.COUNT_ITEM if branches else k.COUNT
        self.code.emit(k.COPY_ITEM if branches else k.COPY, done, self.code.constant(0))
        with self.hoist_players(1, *inside):
            self.code.emit(counts, done, held, after, again)
            self.code.put(again)
            mark = self.code.register()
            makes_lists = any(map(self.analysis.makes_lists, inside))
            if makes_lists:
                self.code.emit(k.MARK, mark)
            body()
            if makes_lists:
                self.code.emit(k.RELEASE, mark)
        self.code.emit(counts, done, held, after, again)
        self.code.put(after)
        self.repeating = repeating
