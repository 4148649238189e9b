"""Pictures of the laboratory in a browser, from the real pages: ``python -m tests.docs.browser_pictures [NAME ...]`` takes them anew.

It needs Chromium. Look at every picture that has changed.
"""

import io
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
SIZE = (1100, 760)
MOST_BYTES = 150_000
PATIENCE = 240_000  # a busy machine that compiles takes its time


def front(page: Page, server: str) -> None:
    page.goto(server)


def gin(page: Page, server: str) -> None:
    page.goto(f"{server}/gin")
    page.get_by_role("button", name="Play against Simple").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Round 1")
    page.get_by_role("link", name="Hint", exact=True).click()
    expect(page.get_by_label("Hint")).to_be_visible()


def rummikub(page: Page, server: str) -> None:
    page.goto(f"{server}/rummikub?rack=R5+B6+B7+O1&table=R3-5+%7C+K5+B5+O5+%7C+K6-8")
    page.get_by_role("button", name="Best move").click()
    expect(page.locator("#answer")).to_contain_text("3 tiles")
    page.locator("#answer").evaluate("answer => answer.scrollIntoView()")


def waiting(page: Page, server: str) -> None:
    page.goto(f"{server}/waiting?hand=AC+QH+KD")
    expect(page.locator("main")).to_contain_text("19.18")


def stopping(page: Page, server: str) -> None:
    page.goto(f"{server}/stopping")


def studio(page: Page, server: str) -> None:
    page.goto(f"{server}/studio/block_rummy")
    expect(page.locator("#verdict")).to_contain_text("A game for")
    expect(page.locator("#graph svg")).to_be_visible()


SHOTS: dict[str, Callable[[Page, str], None]] = {
    "front": front,
    "gin": gin,
    "rummikub": rummikub,
    "waiting": waiting,
    "stopping": stopping,
    "studio": studio,
}


@contextmanager
def laboratory() -> Iterator[str]:
    """Give the address of a laboratory in which nothing has happened."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "meldlab", "serve", "--port", "0", "--store", str(Path(folder, "store.sqlite"))]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found is not None
        try:
            yield found[0]
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(20)


def main(names: list[str]) -> None:
    """Take the pictures of these names, or all."""
    expect.set_options(timeout=PATIENCE)
    with laboratory() as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        for name in names or SHOTS:
            page = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]}, color_scheme="light", reduced_motion="reduce")
            page.set_default_timeout(PATIENCE)
            page.goto(f"{server}/{name if name != 'front' else ''}")
            page.wait_for_selector("text=This machine has not yet compiled", state="detached")
            SHOTS[name](page, server)
            picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB").quantize(64, dither=Image.Dither.NONE)
            picture.save(FOLDER / f"web-{name}.png", optimize=True)
            print(f"web-{name}.png", (FOLDER / f"web-{name}.png").stat().st_size)
            page.close()
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
