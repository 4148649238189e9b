"""Retired words: the number of uses that are left in each package, exactly; none may come back.

``tests/retired_words.txt`` has the words and what to write instead. ``python -m tests.test_words`` writes the counts of today into
``tests/retired_words_counts.txt``.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.docs.filling import FILE_BLOCK

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src" / "meldlab"
WORDS, COUNTS = ROOT / "tests" / "retired_words.txt", ROOT / "tests" / "retired_words_counts.txt"
GENERATED = ("analysed", "notes", "reproduced", "searched")  # folders of docs: output, and studies as they were
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
COMMAND = "python -m tests.test_words"


@cache
def retired() -> dict[str, str]:
    """Return the replacement of each retired word, the word with its kind: ``told``, ``name many``, ``prefix MOST_``."""
    table: dict[str, str] = {}
    for line in WORDS.read_text().splitlines():
        if not line.startswith("#"):
            words, _, replacement = line.partition(" | ")
            kind = next((kind for kind in ("name ", "prefix ", "except ") if words.startswith(kind)), "")
            table |= {kind + word: replacement for word in words.removeprefix(kind).split(", ")}
    return table


def bound_names(tree: ast.AST) -> Iterator[str]:
    """Return every name where it is bound: assigned, imported as, or that of an argument, function, class or caught error."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()) | ast.arg(arg=name):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.alias(asname=str(name)) | ast.MatchAs(name=str(name)):
                yield name
            case ast.ExceptHandler(name=str(name)):
                yield from (name, f"except {name}")


def count_uses(path: Path) -> Counter[str]:
    """Return how often a file uses each retired word."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":  # programs are counted in their own files
        text = FILE_BLOCK.sub("", text)
    words = " ".join(WORD.findall(text)).lower()
    parts, uses = Counter(words.split()), Counter[str]()
    names = Counter(name.lstrip("_") for name in bound_names(ast.parse(text))) if path.suffix == ".py" else Counter[str]()
    for word in retired():
        if word.startswith(("name ", "except ")):
            uses[word] = names[word.removeprefix("name ")]
        elif word.startswith("prefix "):
            uses[word] = sum(count for name, count in names.items() if name.startswith(word.removeprefix("prefix ")))
        else:
            uses[word] = len(re.findall(rf"\b{word}\b", words)) if " " in word else parts[word]
    return +uses


def counted_files() -> Iterator[tuple[str, Path]]:
    """Return every file with the part of the project that it counts for: a package, ``meldlab`` for its own modules, or ``docs``."""
    for path in sorted([*SRC.rglob("*.py"), *SRC.rglob("*.jinja")]):
        yield ("meldlab" if path.parent == SRC else path.relative_to(SRC).parts[0]), path
    for path in sorted([*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]):
        if path.relative_to(ROOT).parts[1:2] not in [(folder,) for folder in GENERATED]:
            yield "docs", path


def count_all() -> dict[str, Counter[str]]:
    """Return the uses of each retired word in each part of the project."""
    counts: dict[str, Counter[str]] = {}
    for part, path in counted_files():
        counts[part] = counts.get(part, Counter()) + count_uses(path)
    return counts


def stored_counts() -> dict[str, Counter[str]]:
    """Return the counts of the file: a line for each part, such as ``play: told 2, name many 1``; marks of a merge are left out."""
    counts = {}
    for line in re.findall(r"^\w.*", COUNTS.read_text(), re.MULTILINE):
        part, _, uses = line.partition(":")
        counts[part] = Counter(
            {word.strip(): int(number) for word, _, number in (use.rpartition(" ") for use in uses.split(",") if use.strip())}
        )
    return counts


def as_text(counts: dict[str, Counter[str]]) -> str:
    """Return counts as the text of the file."""
    return "".join(f"{part}:{','.join(f' {word} {count}' for word, count in sorted(counts[part].items()))}\n" for part in sorted(counts))


def changes() -> tuple[list[str], list[str]]:
    """Return which counts are larger and which are smaller than those of the file, one line each."""
    now, before = count_all(), stored_counts()
    more, fewer = [], []
    for part in sorted({*now, *before}):
        for word in retired():
            old, new = before.get(part, Counter())[word], now.get(part, Counter())[word]
            if new > old:
                more.append(f"{part}: {word!r} {new} times, {old} before; write {retired()[word]}")
            elif new < old:
                fewer.append(f"{part}: {word!r} {new} times, {old} before")
    return more, fewer


def test_retired_words_do_not_come_back() -> None:
    more, _ = changes()
    assert not more, "\n".join(["use the words of tests/retired_words.txt:", *more])


def test_counts_of_retired_words_are_exact() -> None:
    _, fewer = changes()
    assert not fewer, "\n".join([f"fewer retired words: run {COMMAND}, which lowers the counts", *fewer])
    assert as_text(stored_counts()) == COUNTS.read_text(), f"run {COMMAND}"


def test_words_are_counted_in_identifiers_and_prose(tmp_path: Path) -> None:
    path = tmp_path / "sample.py"
    path.write_text(
        '"""Nobody told us. It goes\n    on."""\nMOST_LAPS, seatedPlayer = 1, TOLD\nfor at in many: found = at.many\nhow_many = lapse\n'
    )
    expected = {"nobody": 1, "told": 2, "goes on": 1, "laps": 1, "seated": 1, "prefix MOST_": 1, "name at": 1, "name found": 1}
    assert count_uses(path) == expected


if __name__ == "__main__":
    larger, _ = changes() if COUNTS.exists() else ([], [])
    COUNTS.write_text(as_text(count_all()))
    print("\n".join(larger))
