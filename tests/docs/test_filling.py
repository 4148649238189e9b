"""README and the pages show the programs of today; text that ``tests.docs.filling`` writes."""

from pathlib import Path

import pytest

from tests.docs.filling import ROOT, filled, pages


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_page_shows_the_files_of_today(page: Path) -> None:
    text = page.read_text()
    assert filled(text) == text, "run make figures"
    assert "--8<--" not in text


def test_filled_replaces_a_block_with_the_file_it_names() -> None:
    block = "<!-- file: examples/dask_cluster.py -->\n```python\nold\n```"
    program = (ROOT / "examples" / "dask_cluster.py").read_text()
    assert filled(f"before\n\n{block}\n\n```python\nkept\n```\n") == (
        f"before\n\n<!-- file: examples/dask_cluster.py -->\n```python\n{program}```\n\n```python\nkept\n```\n"
    )
