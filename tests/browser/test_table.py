"""The table of any game in a browser: pressed twice, without a server for a while, watched by others."""

import re
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.processes import start

Look = Callable[[str], None]
MOVE = "button[name='move']:visible >> nth=0"
GAMES = {"gin": "/gin", "hearts": "/studio/hearts", "block_rummy": "/studio/block_rummy"}


def open_table(page: Page, server: str, game: str) -> None:
    """Start a match and wait for its table."""
    page.goto(server + GAMES[game])
    if game == "gin":
        page.wait_for_selector("text=This machine has not yet compiled", state="detached", timeout=120_000)
        page.get_by_role("button", name="Play against Simple").click()
    else:
        expect(page.locator("#verdict")).to_contain_text("A game for", timeout=60_000)
        page.get_by_role("button", name="Play").click()
    expect(page.locator("[data-turn]")).to_be_visible(timeout=60_000)
    assert "/play/" in page.url
    expect(page.locator("[data-hand] [draggable='true']").first).to_be_attached()


def own_actions(page: Page) -> int:
    """Return the number of own actions in the log."""
    return page.locator(".log li", has_text=re.compile("^You:")).count()


@pytest.mark.parametrize("game", GAMES)
def test_a_double_click_is_one_move_and_ends_at_the_table(page: Page, server: str, tidy: Look, game: str) -> None:
    open_table(page, server, game)
    address, before = page.url, own_actions(page)
    turn = page.locator("[data-turn]").get_attribute("data-turn") or ""
    page.locator(MOVE).dblclick()
    expect(page.locator("[data-turn]")).not_to_have_attribute("data-turn", turn)
    page.wait_for_load_state("networkidle")
    assert own_actions(page) == before + 1
    assert page.url == address
    tidy(f"table-{game}")


def test_two_fast_key_presses_are_one_move(page: Page, server: str, tidy: Look) -> None:
    open_table(page, server, "block_rummy")
    before, turn = own_actions(page), page.locator("[data-turn]").get_attribute("data-turn") or ""
    page.evaluate("for (let i = 0; i < 2; i++) document.dispatchEvent(new KeyboardEvent('keydown', {key: '1', bubbles: true}))")
    expect(page.locator("[data-turn]")).not_to_have_attribute("data-turn", turn)
    page.wait_for_load_state("networkidle")
    assert own_actions(page) == before + 1
    tidy("table-keys")


def test_controls_are_disabled_while_a_move_is_on_its_way(page: Page, server: str) -> None:
    open_table(page, server, "hearts")
    held: list[Route] = []
    page.route("**/play/*", lambda route: held.append(route) if route.request.method == "POST" else route.continue_())
    page.locator(MOVE).click()
    expect(page.locator("main button:not(:disabled)")).to_have_count(0)
    held[0].continue_()
    expect(page.locator("main button:not(:disabled)").first).to_be_visible()


def test_a_busy_server_leaves_the_table_where_it_is(page: Page, server: str) -> None:
    open_table(page, server, "hearts")
    turn = page.locator("[data-turn]").get_attribute("data-turn") or ""
    page.route("**/play/*", lambda route: route.fulfill(status=503, body="<main>busy</main>", headers={"Retry-After": "2"}))
    page.locator(MOVE).click()
    expect(page.get_by_role("alert")).to_have_text("The server is busy. Try again in a moment.")
    expect(page.locator("[data-turn]")).to_have_attribute("data-turn", turn)
    page.unroute("**/play/*")
    page.locator(MOVE).click()
    expect(page.locator("[data-turn]")).not_to_have_attribute("data-turn", turn)
    expect(page.get_by_role("alert")).to_be_hidden()


@contextmanager
def serving(store: Path, port: int) -> Iterator[str]:
    """Run a server of its own; it is killed at the end."""
    process = start("serve", "--port", str(port), "--store", str(store), stdout=subprocess.PIPE)
    assert process.stdout is not None
    address = re.search(r"http://\S+", process.stdout.readline())
    assert address is not None
    try:
        yield address[0]
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait(20)


def test_the_page_reconnects_when_the_server_is_back(page: Page, tmp_path: Path) -> None:
    with serving(tmp_path / "store.sqlite", 0) as address:
        open_table(page, address, "gin")
        turn = page.locator("[data-turn]").get_attribute("data-turn") or ""
    page.locator(MOVE).click()
    expect(page.get_by_role("alert")).to_have_text("Reconnecting …")
    with serving(tmp_path / "store.sqlite", int(address.rpartition(":")[2])):
        expect(page.get_by_role("alert")).to_be_hidden(timeout=60_000)
        expect(page.locator("[data-turn]")).to_have_attribute("data-turn", turn)
        page.locator(MOVE).click()
        expect(page.locator("[data-turn]")).not_to_have_attribute("data-turn", turn, timeout=60_000)


@pytest.mark.parametrize("game", ["gin", "hearts"])
def test_a_shared_link_shows_the_table_without_the_hand(page: Page, server: str, browser: Browser, game: str) -> None:
    open_table(page, server, game)
    with browser.new_context() as context:
        other = context.new_page()
        other.goto(page.url)
        expect(other.get_by_text("You are watching.")).to_be_visible()
        assert other.locator("[data-hand], button[name='move']").count() == 0
        turn = page.locator("[data-turn]").get_attribute("data-turn") or ""
        page.locator(MOVE).click()
        expect(other.locator("[data-turn]")).not_to_have_attribute("data-turn", turn)
