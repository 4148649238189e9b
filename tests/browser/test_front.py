"""The first page: doors, keys, looks."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

Look = Callable[[str], None]


def test_the_doors(page: Page, server: str, tidy: Look, size: str) -> None:
    page.goto(server)
    expect(page.get_by_role("heading", level=1)).to_contain_text("One laboratory")
    tidy("front")


def test_a_key_lists_the_keys(page: Page, server: str, tidy: Look) -> None:
    page.goto(server)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("Keys of this page")
    tidy("keys")


def test_looks_stay(page: Page, server: str, tidy: Look) -> None:
    page.goto(server)
    dark = page.get_by_role("button", name="Light or dark")
    dark.click()
    dark.click()
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    tidy("front-dark")


def test_the_api_explains_itself(page: Page, server: str, tidy: Look, size: str) -> None:
    page.goto(f"{server}/api")
    expect(page.get_by_text("POST /api/v1/matches", exact=True)).to_be_visible()
    tidy("api")
