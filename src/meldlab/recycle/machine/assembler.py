"""Instructions, registers and constants, as the compiler lays them down.

>>> code = Assembler(first_register=100)
>>> end = code.label()
>>> code.emit(k.JEQ, code.constant(7), code.constant(7), end)
>>> code.put(end)
>>> code.emit(k.HALT)
>>> code.finish() == [k.JEQ, 100, 100, 6, 0, 0, k.HALT, 0, 0, 0, 0, 0], code.constants
(True, {100: 7})
"""

from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from meldlab.recycle.machine import kernel_layout as k

# What drops lists; and what makes none, and marks none.
DROPS = {k.RELEASE, k.LEAF, k.CHOICE, k.JOINT, k.HALT}
QUIET = {
    k.STEP, k.ADVANCE, k.SIZES, k.PUSH, k.POP, k.ZERO_QUEUE, k.MUL, k.JEQ, k.JNE, k.JLT, k.JGE, k.JSIZE, k.JSIZE_AT, k.JCELL,
    k.JATTRIBUTE, k.JANY_ATTRIBUTE, k.JANY_SIZE, k.JANY_CELL, k.JEMPTY, k.MOVE, k.MOVE_LAST, k.PUT, k.ADJUST, k.PUT_AT, k.ADD,
    k.SUB, k.LOAD, k.LOAD_FIELD, k.LOAD_AT, k.ADDRESS, k.ADDRESS_NAME, k.COPY, k.COPY_ITEM, k.ATTRIBUTE, k.ATTRIBUTE_BY, k.SCORE, k.SIZE,
    k.TOP_CARD, k.BOTTOM_CARD, k.CARD_AT, k.REMEMBER, k.FORGET_AT, k.PASS, k.CYCLE_NEXT, k.CYCLE_CURRENT, k.NEXT_SEAT, k.PREVIOUS_SEAT,
    k.SEAT_NUMBER,
}  # fmt: skip


@dataclass(eq=False)
class Label:
    """A place in the code that may not be known yet."""

    offset: int = -1


@dataclass
class Assembler:
    """The code so far."""

    first_register: int
    words: list[int | Label] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)  # of each instruction, in the text
    constants: dict[int, int] = field(default_factory=dict)  # by address
    data: list[int] = field(default_factory=list)
    here: int = 0  # in the text
    registers: int = 0
    labels: list[Label] = field(default_factory=list)
    _known: dict[tuple[int, ...], int] = field(default_factory=dict)

    @property
    def offset(self) -> int:
        """Return the address of the next instruction."""
        return len(self.words)

    def emit(self, operation: int, *operands: int | Label) -> None:
        """Add an instruction."""
        self.words += [operation, *operands, *[0] * (k.STRIDE - 1 - len(operands))]
        self.offsets.append(self.here)

    def label(self) -> Label:
        """Return a place to jump to, put later."""
        self.labels.append(Label())
        return self.labels[-1]

    def put(self, label: Label) -> None:
        """Let a label stand here."""
        label.offset = self.offset

    def register(self, count: int = 1) -> int:
        """Return the first address of fresh registers."""
        self.registers += count
        return self.first_register + self.registers - count

    def constant(self, value: int) -> int:
        """Return the address of a word with this value."""
        return self.listed((value,))

    def listed(self, values: tuple[int, ...]) -> int:
        """Return the address of words with these values."""
        if values not in self._known:
            first = self._known[values] = self.register(len(values))
            self.constants |= {first + i: value for i, value in enumerate(values)}
        return self._known[values]

    def table(self, values: list[int]) -> int:
        """Return the address of new words in the data."""
        self.data += values
        return len(self.data) - len(values)

    def is_register(self, address: int) -> bool:
        """Return whether a word is a register or a constant, which only its own instructions change."""
        return address >= self.first_register

    def finish(self) -> list[int]:
        """Return the code without what it can do without, with every label in its place."""
        rows: list[list[Any]] = [self.words[i : i + k.STRIDE] for i in range(0, len(self.words), k.STRIDE)]
        stays = _shortened(rows)
        places = [0, *accumulate(stays)]
        for label in self.labels:
            label.offset = places[label.offset // k.STRIDE] * k.STRIDE
        self.offsets = [offset for offset, stay in zip(self.offsets, stays, strict=True) if stay]
        return [
            places[word.row] * k.STRIDE if isinstance(word, _Target) else word
            for row, stay in zip(rows, stays, strict=True)
            if stay
            for word in row
        ]


@dataclass(frozen=True)
class _Target:
    """An instruction to jump to, by its number."""

    row: int


def _moves_only(any_member: list[Any], move: list[Any]) -> bool:
    """Return whether the only use of a member is its move by name to the top or bottom of something else."""
    variable, (card, _, home, ends, _) = any_member[1], move[1:]
    return card == variable != home and ends in (k.NOWHERE + 4 * k.AT_TOP, k.NOWHERE + 4 * k.AT_BOTTOM)


def _shortened(rows: list[list[Any]]) -> list[bool]:
    """Shorten jumps and ends of options in instructions, whose labels become targets; return which of them stay."""
    count = len(rows)
    stays = [True] * count
    real = [*range(count), count]  # the first instruction from here on that stays
    frees = [False] * (count + 1)  # whether all paths from here drop the lists before one makes a list
    for i in range(count - 1, -1, -1):
        row = rows[i]
        for i_word, word in enumerate(row):
            if isinstance(word, Label):
                row[i_word] = _Target(word.offset // k.STRIDE)
        onward = [word.row for word in row if isinstance(word, _Target)]
        following = rows[real[i + 1]][0] if real[i + 1] < count else k.HALT
        if row[0] == k.JUMP and onward[0] > i:
            stays[i] = real[onward[0]] != real[i + 1]
            if rows[real[onward[0]]][0] == k.LEAF:
                row[:] = [k.LEAF] + [0] * (k.STRIDE - 1)
        elif row[0] == k.RELEASE:
            # What it drops lies in what the next one drops.
            stays[i] = not frees[i + 1]
        elif row[0] == k.MOVE and following == k.LEAF:
            # Nothing looks at the cards any more: exploring only tests whether they could be moved.
            row[0] = k.MOVE_LAST
        elif row[0] == k.ANY and following == k.MOVE_LAST and _moves_only(row, rows[real[i + 1]]):
            row[0] = k.ANY_LAST
        if row[0] in DROPS:
            frees[i] = True
        elif row[0] in (k.JUMP, k.NEXT_TURN):
            frees[i] = frees[onward[0]] if onward[0] > i else rows[onward[0]][0] == k.RELEASE
        else:
            frees[i] = row[0] in QUIET and all(to > i and frees[to] for to in (i + 1, *onward))
        if not stays[i]:
            real[i] = real[i + 1]
    released = {row[1] for row, stay in zip(rows, stays, strict=True) if stay and row[0] == k.RELEASE}
    return [stay and (row[0] != k.MARK or row[1] in released) for row, stay in zip(rows, stays, strict=True)]
