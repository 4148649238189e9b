"""A real browser before a real server; without Chromium these tests say what is missing and are skipped."""

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.processes import start

expect.set_options(timeout=30_000)  # a busy machine may take its time
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SIZES = {"desktop": {"width": 1280, "height": 800}, "phone": {"width": 320, "height": 640}}
PICTURES = os.environ.get("MELDLAB_PICTURES")
"""A folder for pictures of what the tests saw, to be looked at."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.slow)
            if CHROMIUM is None:
                item.add_marker(pytest.mark.skip(reason="no browser: apt-get install chromium"))


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    return {**browser_type_launch_args, "executable_path": CHROMIUM}


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Give the address of a laboratory in a process of its own."""
    store = tmp_path_factory.mktemp("browser") / "store.sqlite"
    process = start("serve", "--port", "0", "--store", str(store), stdout=subprocess.PIPE)
    assert process.stdout is not None
    found = re.search(r"http://\S+", process.stdout.readline())
    assert found is not None
    yield found[0]
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 0


@pytest.fixture(params=list(SIZES))
def size(request: pytest.FixtureRequest) -> str:
    """Give the name of a size of window, one after the other."""
    return str(request.param)


@pytest.fixture
def browser_context_args(browser_context_args: dict[str, Any], request: pytest.FixtureRequest) -> dict[str, Any]:
    size = request.getfixturevalue("size") if "size" in request.fixturenames else "desktop"
    return {**browser_context_args, "viewport": SIZES[size], "has_touch": size == "phone"}


@pytest.fixture
def tidy(page: Any, request: pytest.FixtureRequest) -> Iterator[Callable[[str], None]]:
    """Give a function that keeps a picture and asks axe; at the end no error was on the console, and no request has failed."""
    from axe_playwright_python.sync_playwright import Axe

    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda problem: wrong.append(str(problem)))
    # A page that is left drops what it was still asking for.
    page.on("requestfailed", lambda failed: wrong.append(failed.url) if "ABORTED" not in (failed.failure or "") else None)
    page.on("response", lambda answer: wrong.append(f"{answer.status} {answer.url}") if answer.status >= 400 else None)

    def look(name: str) -> None:
        if PICTURES:
            size = "phone" if page.viewport_size["width"] < 500 else "desktop"
            page.screenshot(path=str(Path(PICTURES, f"{name}-{size}.png")), full_page=True)
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, f"{name} is {wide} px wider than its window"
        found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
        assert [(one["id"], one["nodes"][0]["html"][:200]) for one in found if one["impact"] in ("serious", "critical")] == []

    yield look
    assert wrong == []
