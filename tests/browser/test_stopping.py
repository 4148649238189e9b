"""The stopping game in a browser."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

Look = Callable[[str], None]


def test_a_game_by_keys(page: Page, server: str, tidy: Look, size: str) -> None:
    page.goto(f"{server}/stopping?seed=12")
    page.wait_for_selector("text=This machine has not yet compiled", state="detached", timeout=120_000)
    for drawn in range(1, 5):
        page.keyboard.press("d")
        expect(page.locator(".drawn .lying")).to_have_count(drawn)
    page.keyboard.press("h")
    expect(page.get_by_text("The game is worth", exact=False).first).to_be_visible()
    page.get_by_role("button", name="Play them").click()
    expect(page.get_by_text("games by the best policy won")).to_be_visible()
    tidy("stopping")
    page.keyboard.press("s")
    expect(page.get_by_text("would have stopped after")).to_be_visible()
    tidy("stopping-end")
