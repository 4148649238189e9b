"""What a program becomes, for people: its tree, its instructions, and where its storage lies."""

from meldlab.recycle.language.formatter import format_program
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.machine import Machine


def tree(machine: Machine) -> list[str]:
    """Return the checked program, laid out: declared values in place, what the language implies written out."""
    return format_program(machine.checked.program).splitlines()


def instructions(machine: Machine) -> list[str]:
    """Return each instruction with its operands and its line in the text."""
    code, text = machine.compiled.code, machine.checked.text
    lines = []
    for i, offset in enumerate(machine.compiled.offsets):
        operation, *operands = code[i * k.STRIDE : (i + 1) * k.STRIDE]
        line = text.count("\n", 0, offset) + 1
        lines.append(f"{i * k.STRIDE:6}  {k.NAMES[operation]:14} {' '.join(f'{operand:6}' for operand in operands)}   line {line}")
    return lines


def storage(machine: Machine) -> list[str]:
    """Return the address of every cell, point map and location by name, and the sizes of the state."""
    storage = machine.storage
    lines = []
    for (kind, category, name), base in storage.addresses.items():
        width = k.LOCATION if kind not in ("sto", "str", "points") else storage.map_width if kind == "points" else 1
        first = base if category == "game" else base + width
        lines.append(f"{first:6}  {kind:6} {name} ({'table' if category == 'game' else f'each {category}'})")
    lines += [
        f"{storage.cards:6}  {storage.card_limit} cards of {len(storage.types)} types",
        f"{storage.fixed:6}  locations by index, memories",
    ]
    lines += [f"{machine.compiled.layout[k.L_LISTS_FROM]:6}  constants and registers", f"{machine.compiled.size:6}  words in all"]
    return lines
