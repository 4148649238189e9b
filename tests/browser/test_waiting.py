"""Waiting times in a browser: a hand picked card by card."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

Look = Callable[[str], None]


def test_a_hand_is_picked_card_by_card(page: Page, server: str, tidy: Look, size: str) -> None:
    page.goto(f"{server}/waiting")
    page.wait_for_selector("text=This machine has not yet compiled", state="detached", timeout=120_000)
    for card in ("ace of clubs", "queen of hearts", "king of diamonds"):
        page.get_by_role("button", name=card).click()
        expect(page.get_by_role("button", name=card, pressed=True)).to_be_visible()
    expect(page.locator("strong", has_text="19.1801")).to_be_visible()
    expect(page).to_have_url(re.compile(r"hand=AC\+QH\+KD"))
    tidy("waiting")
    page.go_back()
    expect(page.locator("main").get_by_text("2 of 3 cards")).to_be_visible()
