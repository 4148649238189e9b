"""Digests of what a result depends on: a changed file is noticed, wherever it is."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from meldlab import sources
from meldlab.sources import code_digest, content_digest, files_named
from meldlab.waiting.game import Waiting
from meldlab.waiting.kept import cached_path

PACKAGE = Path(sources.__file__).parent


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the package, whose digest is asked for."""
    copy = tmp_path / "meldlab"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(sources, "ROOT", copy)
    code_digest.cache_clear()
    yield copy
    code_digest.cache_clear()


def changed(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\n")
    code_digest.cache_clear()


def test_a_copy_of_the_package_is_the_same_code(package: Path) -> None:
    (package / "__pycache__").mkdir(exist_ok=True)
    (package / "__pycache__" / "x.pyc").write_bytes(b"compiled")
    there = code_digest()
    sources.ROOT = PACKAGE
    code_digest.cache_clear()
    assert there == code_digest()


@pytest.mark.parametrize(
    "file",
    [
        "gin/kernel_round.py",
        "gin/players/ensemble.py",  # presets of players
        "gin/rules.py",  # presets of rules
        "gin/players/networks/light.npz",
        "lab/arena/shards.py",
        "recycle/language/recycle.lark",
        "recycle/library/hearts.rcy",
        "recycle/language/checker.py",
    ],
)
def test_whatever_decides_a_result_is_in_the_digest(package: Path, file: str) -> None:
    before = code_digest("cli")
    changed(package / file)
    assert code_digest("cli") != before


def test_a_file_that_comes_or_goes_or_changes_its_name_is_noticed(package: Path) -> None:
    seen = {code_digest()}
    (package / "gin" / "players" / "networks" / "new.npz").write_bytes(b"a network")
    code_digest.cache_clear()
    seen.add(code_digest())
    (package / "gin" / "players" / "networks" / "new.npz").rename(package / "gin" / "players" / "networks" / "other.npz")
    code_digest.cache_clear()
    seen.add(code_digest())
    assert len(seen) == 3


def test_doors_decide_nothing(package: Path) -> None:
    before = code_digest("cli")
    changed(package / "cli" / "runs" / "look.py")
    assert code_digest("cli") == before


@pytest.mark.parametrize("file", ["waiting/solver.py", "waiting/kernel.py", "melds/kernel.py", "cards/classes.py"])
def test_a_changed_solver_finds_no_table_of_the_old_one(package: Path, file: str) -> None:
    before = cached_path(Waiting(3))
    assert cached_path(Waiting(3)) == before
    changed(package / file)
    assert cached_path(Waiting(3)) != before


def test_another_room_leaves_the_tables_alone(package: Path) -> None:
    before = cached_path(Waiting(3))
    changed(package / "gin" / "rules.py")
    assert cached_path(Waiting(3)) == before


def test_names_lead_to_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    toml, own = tmp_path / "mine.toml", tmp_path / "mine.py"
    toml.write_text("x")
    own.write_text("x")
    monkeypatch.syspath_prepend(tmp_path)
    assert files_named(f"ensemble:{toml}") == [toml]
    assert files_named(f"computed:{tmp_path}") == [tmp_path]
    assert files_named(f"{own}:Mine") == [own]
    assert files_named("mine:Mine") == [own]
    for name in ("simple", "ensemble:best", "knock:10,0,6", "mc:64", "meldlab.lab.arena.shards:play_shard", "nowhere:nobody"):
        assert files_named(name) == []


def test_a_digest_is_of_what_a_file_or_folder_holds(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for folder in (one, other):
        folder.mkdir()
        (folder / "values").write_bytes(b"1234")
    assert content_digest(one) == content_digest(other)
    (other / "values").write_bytes(b"12345")
    assert content_digest(one) != content_digest(other)
