"""Instructions, registers and constants, as the compiler lays them down.

>>> code = Assembler(first_register=100)
>>> end = code.label()
>>> code.emit(k.JEQ, code.constant(7), code.constant(7), end)
>>> code.put(end)
>>> code.emit(k.HALT)
>>> code.finish(), code.constants
([1, 100, 100, 6, 0, 0, 93, 0, 0, 0, 0, 0], {100: 7})
"""

from dataclasses import dataclass, field

from meldlab.recycle.machine import kernel_layout as k

__all__ = ["Assembler", "Label"]


@dataclass(eq=False)
class Label:
    """A place in the code that may not be known yet."""

    at: int = -1


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
    _known: dict[tuple[int, ...], int] = field(default_factory=dict)

    @property
    def at(self) -> int:
        """Return the address of the next instruction."""
        return len(self.words)

    def emit(self, operation: int, *operands: int | Label) -> None:
        """Add an instruction."""
        self.words += [operation, *operands, *[0] * (k.STRIDE - 1 - len(operands))]
        self.offsets.append(self.here)

    def label(self) -> Label:
        """Return a place to jump to, put later."""
        return Label()

    def put(self, label: Label) -> None:
        """Let a label stand here."""
        label.at = self.at

    def register(self, many: int = 1) -> int:
        """Return the first address of fresh registers."""
        self.registers += many
        return self.first_register + self.registers - many

    def constant(self, value: int) -> int:
        """Return the address of a word with this value."""
        return self.listed((value,))

    def listed(self, values: tuple[int, ...]) -> int:
        """Return the address of words with these values."""
        if values not in self._known:
            at = self._known[values] = self.register(len(values))
            self.constants |= {at + i: value for i, value in enumerate(values)}
        return self._known[values]

    def table(self, values: list[int]) -> int:
        """Return the address of new words in the data."""
        self.data += values
        return len(self.data) - len(values)

    def finish(self) -> list[int]:
        """Return the code, with every label in its place."""
        code = [word.at if isinstance(word, Label) else word for word in self.words]
        # What leads to the end of an option only through releases ends it: what it leaves behind is dropped there anyway.
        for at in range(len(code) - 2 * k.STRIDE, -1, -k.STRIDE):
            after = code[at + k.STRIDE]
            if after == k.LEAF and code[at] == k.RELEASE:
                code[at : at + k.STRIDE] = [k.LEAF] + [0] * (k.STRIDE - 1)
            elif after == k.LEAF and code[at] == k.MOVE:
                # Nothing looks at the cards any more: exploring only tests whether they could be moved.
                code[at] = k.MOVE_LAST
        return code
