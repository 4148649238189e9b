"""Experiments in a browser: a contest with its progress."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

Look = Callable[[str], None]


def test_a_contest(page: Page, server: str, tidy: Look, size: str) -> None:
    page.goto(f"{server}/gin")
    page.wait_for_selector("text=This machine has not yet compiled", state="detached", timeout=120_000)
    page.goto(f"{server}/experiments")
    page.get_by_label("Games").fill("200")
    page.get_by_role("button", name="Play").click()
    expect(page.get_by_text("computed:light won").first).to_be_visible(timeout=60_000)
    tidy("experiments")
