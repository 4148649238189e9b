"""The tables and pictures of growth are what the kept measurements say; nothing on these pages was typed or is out of date."""

import importlib.util
import shutil
from math import inf, isclose
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def growth_page() -> ModuleType:
    spec = importlib.util.spec_from_file_location("growth_page", ROOT / "benchmarks" / "growth_page.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_pages_tell_what_was_measured(growth_page: ModuleType, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    (folder / "pictures").mkdir(parents=True)
    for name in ("benchmarks.md", "growth.md", "pictures/growth.json", "pictures/growth-gpu.json"):
        shutil.copy(ROOT / "docs" / name, folder / name)
    growth = growth_page.Growth(folder)
    growth_page.write_pages(growth, folder)
    for name in ("benchmarks.md", "growth.md"):
        assert (folder / name).read_text() == (ROOT / "docs" / name).read_text()
    shown = (folder / "benchmarks.md").read_text()
    assert [room for room in growth.rooms if f"pictures/growth-{room}.svg" not in shown] == []
    assert [room for room in growth.rooms if not (ROOT / "docs" / "pictures" / f"growth-{room}.svg").is_file()] == []


def test_a_power_is_found_with_its_interval(growth_page: ModuleType) -> None:
    exact = growth_page.Fit.of([(x, 5 * x**1.5) for x in (1, 10, 100, 1000)])
    assert isclose(exact.slope.value, 1.5)
    assert isclose(exact.at(1e6).value, 5e9, rel_tol=1e-6)
    noisy = growth_page.Fit.of([(1, 1), (10, 13), (100, 80), (1000, 1300)])
    assert noisy.slope.low < 1 < noisy.slope.high
    assert noisy.at(1e6).low < 1e6 < noisy.at(1e6).high
    # Farther away less is known.
    assert noisy.at(1e9).high / noisy.at(1e9).value > noisy.at(1e4).high / noisy.at(1e4).value
    two = growth_page.Fit.of([(1, 2), (10, 20)])
    assert (two.slope.value, two.slope.high) == (pytest.approx(1), inf)


def test_numbers_have_three_digits(growth_page: ModuleType) -> None:
    assert [growth_page.number(each) for each in (0, 0.0123456, 0.5, 7, 999.6, 1234.5)] == ["0", "0.0123", "0.5", "7", "1,000", "1,230"]
