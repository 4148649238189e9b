"""The studio: write, see what is wrong, run, step, play, analyse; by hand and by keys alone."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

Look = Callable[[str], None]
PATIENCE = 60_000  # a busy machine loads the workers' modules slowly


def written(page: Page) -> None:
    expect(page.locator(".cm-editor")).to_be_visible()
    expect(page.locator("#verdict")).to_contain_text("A game for", timeout=PATIENCE)
    expect(page.locator("#graph svg")).to_be_visible(timeout=PATIENCE)


def test_from_the_library_to_games_and_steps(page: Page, server: str, tidy: Look, size: str) -> None:
    page.goto(f"{server}/studio")
    tidy("studio-start")
    page.get_by_role("link", name="Block Rummy").click()
    written(page)
    tidy("studio-editor")
    page.get_by_role("button", name="Run").click()
    expect(page.locator("#shown h2")).to_contain_text("1,000 games", timeout=PATIENCE)
    tidy("studio-run")
    page.get_by_role("button", name="Step through one game").click()
    expect(page.locator("#shown h2")).to_contain_text("the beginning", timeout=PATIENCE)
    page.get_by_role("link", name="Next →").click()
    expect(page.locator("#shown h2")).to_contain_text("decision 1 of")
    expect(page).to_have_url(f"{server}/studio/block_rummy?show=steps&players=random&seed=0&at=1#shown")
    written(page)
    tidy("studio-steps")


def test_one_seat_is_played_to_the_end(page: Page, server: str, tidy: Look, size: str) -> None:
    page.goto(f"{server}/studio/block_rummy")
    written(page)
    page.get_by_role("button", name="Play").click()
    expect(page.get_by_role("heading", name="Your options")).to_be_visible(timeout=PATIENCE)
    tidy("studio-match")
    page.locator(".options button").first.click()
    expect(page.locator(".log li").first).to_contain_text(":")
    tidy("studio-match-later")
    page.goto(f"{server}/studio/kuhn_poker")
    written(page)
    page.get_by_role("button", name="Play").click()
    for _ in range(4):
        expect(page.locator("main")).to_contain_text("What happened", timeout=PATIENCE)
        if page.get_by_role("button", name="Play again").is_visible():
            break
        before = page.locator("[data-turn]").get_attribute("data-turn") or ""
        page.locator(".options button").first.click()
        expect(page.locator("[data-turn]")).not_to_have_attribute("data-turn", before)
    expect(page.get_by_role("button", name="Play again")).to_be_visible()
    tidy("studio-match-over")


def test_an_analysis_follows_by_itself(page: Page, server: str, tidy: Look, size: str) -> None:
    page.goto(f"{server}/studio/kuhn_poker")
    written(page)
    page.get_by_label("Games").nth(1).fill("4")
    page.get_by_role("button", name="Analyse").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Kuhn Poker")
    expect(page.get_by_role("heading", name="Branching factor")).to_be_visible(timeout=PATIENCE)
    tidy("studio-analysis")


def test_mistakes_are_told_while_one_writes(page: Page, server: str, tidy: Look) -> None:
    page.goto(f"{server}/studio/kuhn_poker")
    written(page)
    page.keyboard.press("e")
    page.keyboard.press("Control+End")
    page.keyboard.type("(stag")
    expect(page.locator(".findings .error")).to_contain_text("E00", timeout=PATIENCE)
    expect(page.locator(".cm-lintRange-error")).to_be_attached()
    tidy("studio-mistake")
    page.reload()
    expect(page.locator("#draft")).to_be_visible()
    # The editor renders the lines in view only.
    page.locator(".cm-content").press("Control+End")
    expect(page.locator(".cm-content")).to_contain_text("(stag")
    page.get_by_role("button", name="Back to the kept text").click()
    expect(page.locator("#draft")).to_be_hidden()
    expect(page.locator("#verdict")).to_contain_text("A game for 2 players", timeout=PATIENCE)


def test_all_of_it_by_keys_alone(page: Page, server: str, tidy: Look) -> None:
    page.goto(f"{server}/studio")
    page.keyboard.press("n")
    written(page)
    page.keyboard.press("e")
    expect(page.locator(".cm-content")).to_be_focused()
    page.keyboard.press("Control+Home")
    page.keyboard.type(";; By keys alone\n")
    expect(page.locator("#draft")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("r")
    expect(page.locator("#shown h2")).to_contain_text("games in", timeout=PATIENCE)
    expect(page.get_by_role("heading", level=1)).to_have_text("By keys alone")
    expect(page.locator("#draft")).to_be_hidden()
    page.keyboard.press("e")
    for _ in range(8):  # what was typed slowly is undone in parts
        page.keyboard.press("Control+z")
    expect(page.locator(".cm-content")).not_to_contain_text("By keys alone")
    page.keyboard.press("Escape")
    page.keyboard.press("t")
    expect(page.locator("#shown h2")).to_contain_text("the beginning", timeout=PATIENCE)
    expect(page).to_have_url(re.compile("/studio/new[?]show=steps"))
    page.keyboard.press("ArrowRight")
    expect(page.locator("#shown h2")).to_contain_text("decision 1 of")
    page.keyboard.press("End")
    expect(page.locator("#shown .note")).to_contain_text("score wins")
    page.keyboard.press("p")
    expect(page.get_by_role("heading", name="Your options")).to_be_visible(timeout=PATIENCE)
    page.keyboard.press("1")
    expect(page.locator(".log li").nth(1)).to_be_visible()
    before = page.locator(".log li").count()
    page.keyboard.press("u")
    expect(page.locator(".log li")).not_to_have_count(before)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("Type a move")
