"""Digests of what a result depends on: a changed file is noticed, wherever it is."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import grimp
import pytest

from meldlab import digests
from meldlab.digests import PACKAGE, content_digest, import_digest, imported_files
from meldlab.runs.store import MODULES, code_version
from meldlab.waiting.game import WaitingGame
from meldlab.waiting.storage import cached_path


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the package, whose digest is asked for."""
    copy = tmp_path / "meldlab"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(digests, "PACKAGE", copy)
    clear_caches()
    yield copy
    clear_caches()


def changed(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\n")
    clear_caches()


def clear_caches() -> None:
    for cached in (import_digest, code_version):
        cached.cache_clear()


def test_a_copy_of_the_package_is_the_same_code(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (package / "cards" / "__pycache__").mkdir()
    (package / "cards" / "__pycache__" / "x.pyc").write_bytes(b"compiled")
    there = import_digest("cards")
    monkeypatch.setattr(digests, "PACKAGE", PACKAGE)
    import_digest.cache_clear()
    assert there == import_digest("cards")


@pytest.mark.parametrize(
    ("experiment", "file", "counts"),
    [
        ("contest", "gin/kernel_round.py", True),
        ("contest", "gin/players/ensemble.py", True),  # presets of players
        ("contest", "gin/rules.py", True),  # presets of rules
        ("contest", "gin/players/networks/light.npz", True),
        ("contest", "arena/contest.py", True),
        ("contest", "rummikub/game.py", True),  # by its path in the registry of games
        ("contest", "recycle/library/hearts.rcy", True),
        ("contest", "analysis/sample.py", False),
        ("contest", "training/ppo.py", False),
        ("contest", "reports/plot.py", False),
        ("track", "reports/plot.py", False),
        ("track", "reproduce/finkle.py", False),
        ("knock", "reproduce/nagai/knocking.py", True),
        ("ensemble", "tuning/halving.py", True),
        ("recycle analyse", "recycle/language/recycle.lark", True),
        ("recycle analyse", "recycle/language/checker.py", True),
        ("recycle analyse", "reports/page.py", False),
        ("recycle search", "web/app.py", False),
        ("train", "training/rollout.py", True),
        ("train", "cli/app.py", False),
        ("an experiment of an example", "training/rollout.py", True),
    ],
)
def test_code_version_counts_the_modules_of_the_experiment(package: Path, experiment: str, file: str, counts: bool) -> None:
    before = code_version(experiment)
    changed(package / file)
    assert (code_version(experiment) != before) == counts


CACHED = {"gin.computing.compute", "gin.equity", "waiting.solver"}  # whose results are cached outside the store


@pytest.mark.parametrize("name", sorted(CACHED.union(*MODULES.values())))
def test_imported_files_reaches_all_modules_that_grimp_finds(name: str) -> None:
    pending, reached = [PACKAGE.joinpath(*name.split(".")).with_suffix(".py")], set[Path]()
    while pending:
        path = pending.pop()
        if path not in reached:
            reached.add(path)
            pending += imported_files(path)
    upstream = grimp.build_graph("meldlab", cache_dir=None).find_upstream_modules(f"meldlab.{name}") - {"meldlab"}
    files = {module: PACKAGE.joinpath(*module.split(".")[1:]) for module in upstream}
    assert [module for module, file in files.items() if not {file.with_suffix(".py"), file / "__init__.py"} & reached] == []


def test_a_file_that_comes_or_goes_or_changes_its_name_is_noticed(package: Path) -> None:
    networks, seen = package / "gin" / "players" / "networks", {import_digest("gin.equity")}
    (networks / "new.npz").write_bytes(b"a network")
    import_digest.cache_clear()
    seen.add(import_digest("gin.equity"))
    (networks / "new.npz").rename(networks / "other.npz")
    import_digest.cache_clear()
    seen.add(import_digest("gin.equity"))
    assert len(seen) == 3


@pytest.mark.parametrize("file", ["waiting/solver.py", "waiting/kernel.py", "melds/kernel.py", "cards/classes.py"])
def test_a_changed_solver_finds_no_table_of_the_old_one(package: Path, file: str) -> None:
    before = cached_path(WaitingGame(3))
    assert cached_path(WaitingGame(3)) == before
    changed(package / file)
    assert cached_path(WaitingGame(3)) != before


@pytest.mark.parametrize("file", ["gin/rules.py", "web/static/table.css", "adapters/gymnasium.py"])
def test_a_file_that_waiting_does_not_import_leaves_its_tables_valid(package: Path, file: str) -> None:
    before = cached_path(WaitingGame(3))
    changed(package / file)
    assert cached_path(WaitingGame(3)) == before


def test_a_digest_is_of_what_a_file_or_folder_holds(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for folder in (one, other):
        folder.mkdir()
        (folder / "values").write_bytes(b"1234")
    assert content_digest(one) == content_digest(other)
    (other / "values").write_bytes(b"12345")
    assert content_digest(one) != content_digest(other)
