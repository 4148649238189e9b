"""The helper in a browser: by tap, by mouse, by keys only; and the puzzle of a day."""

import json
import re
import time
from collections.abc import Callable
from urllib.request import urlopen

import pytest
from playwright.sync_api import Page, Route, expect

Look = Callable[[str], None]
POSITION = "rack=R5+B6+B7+K9+R13&table=R3+R4+R5+%7C+K5+B5+O5+%7C+K6+K7+K8+%7C+R9+B9+O9"


@pytest.fixture(scope="module", autouse=True)
def kernels(server: str) -> None:
    """Wait until the helper's kernels are compiled; on a cold machine other rooms come first."""
    until = time.monotonic() + 120
    while json.load(urlopen(f"{server}/api/v1/ready"))["rummikub"] and time.monotonic() < until:
        time.sleep(0.5)


def test_tiles_are_tapped_and_the_best_move_appears(page: Page, server: str, tidy: Look, size: str) -> None:
    page.goto(f"{server}/rummikub")
    expect(page.get_by_role("button", name="Undo")).to_be_hidden()
    tidy("rummikub-empty")
    # Quick taps, one upon the other: none of them is lost.
    for name in ("red 5, 2 left", "red 6, 2 left", "red 7, 2 left", "joker, 2 left"):
        page.get_by_role("button", name=name).click()
    expect(page.locator("#summary")).to_contain_text("Play R5 R6 R7 J: 4 tiles, 48 points")
    expect(page.get_by_role("group", name="Rack", exact=True).get_by_role("button")).to_have_count(4)
    expect(page).to_have_url(re.compile(r"\?rack=R5\+R6\+R7\+J$"))
    expect(page.get_by_role("button", name="red 5, 1 left")).to_be_visible()
    page.get_by_role("button", name="New set").click()
    page.get_by_role("button", name="blue 9, 2 left").click()
    # Undo goes back to what was shown, so each of the two is waited for.
    expect(page).to_have_url(re.compile(r"table=B9(&|$)"))
    page.get_by_role("button", name="orange 9, 2 left").click()
    expect(page).to_have_url(re.compile(r"table=B9\+O9"))
    expect(page.locator(".pile.wrong")).to_contain_text("a set has at least 3 tiles")
    expect(page.locator("#answer")).to_contain_text("set 1, B9 O9: a set has at least 3 tiles")
    tidy("rummikub-arranging")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("textbox", name="The table")).to_have_value("B9")
    page.get_by_role("link", name="Clear").click()
    expect(page.get_by_role("textbox", name="Your rack")).to_have_value("")


def test_undo_takes_back_what_is_not_answered_yet(page: Page, server: str, tidy: Look) -> None:
    page.goto(f"{server}/rummikub")
    rack = page.get_by_role("textbox", name="Your rack")
    page.keyboard.press("u")  # there is nothing to undo, and no page before this one
    page.get_by_role("button", name="red 5, 2 left").click()
    expect(page).to_have_url(re.compile(r"rack=R5$"))
    page.get_by_role("button", name="red 6, 2 left").click()
    page.keyboard.press("u")  # before the page has asked
    expect(page.get_by_role("button", name="red 6, 2 left")).to_be_visible()
    expect(rack).to_have_value("R5")
    page.get_by_role("button", name="red 7, 2 left").click()
    expect(page).to_have_url(re.compile(r"rack=R5\+R7$"))
    held: list[Route] = []

    def hold(route: Route) -> None:
        if "R8" in route.request.url:
            held.append(route)
        else:
            route.continue_()

    page.route("**/rummikub?*", hold)
    with page.expect_request(re.compile("R8")):
        page.get_by_role("button", name="red 8, 2 left").click()
    page.keyboard.press("u")  # before the answer
    expect(page.get_by_role("button", name="red 8, 2 left")).to_be_visible()
    expect(rack).to_have_value("R5 R7")
    held[0].abort()
    page.get_by_role("button", name="Undo").click()
    expect(rack).to_have_value("R5")
    expect(page).to_have_url(re.compile(r"rack=R5$"))


def test_a_tile_is_taken_up_and_put_down(page: Page, server: str, tidy: Look, size: str) -> None:
    page.goto(f"{server}/rummikub?rack=R6&table=R3+R4+R5+%7C+K6+B6+O6")
    page.get_by_role("button", name="red 6 of the rack").click()
    expect(page.locator("#says")).to_have_text("red 6 in your hand: choose where it goes")
    tidy("rummikub-held")
    page.get_by_role("button", name="Put here").nth(1).click()
    expect(page.get_by_role("textbox", name="The table")).to_have_value("R3 R4 R5 | R6 K6 B6 O6")
    if size == "desktop":
        page.get_by_role("button", name="red 6 of set 2").drag_to(page.get_by_role("group", name="Set 1"))
        expect(page.get_by_role("textbox", name="The table")).to_have_value("R3 R4 R5 R6 | K6 B6 O6")


def test_the_best_move_step_by_step(page: Page, server: str, tidy: Look, size: str) -> None:
    page.goto(f"{server}/rummikub?{POSITION}")
    expect(page.locator(".still").first).to_be_visible()
    tidy("rummikub-best")
    page.get_by_role("link", name="Next ›").click()
    expect(page.locator(".steps [aria-current=step]")).to_contain_text("take B5 from the group K5 B5 O5")
    expect(page).to_have_url(re.compile("step=1$"))
    page.emulate_media(color_scheme="dark")
    tidy("rummikub-step-dark")
    page.emulate_media(color_scheme="light")
    page.get_by_role("link", name="Why not red 13?").click()
    expect(page.locator("#why")).to_contain_text("No legal move plays it.")
    page.get_by_role("link", name="Other best moves").click()
    page.locator("#others").get_by_role("link").nth(1).click()
    expect(page.locator(".steps")).to_contain_text("add it to the run K6-K8")
    tidy("rummikub-others")
    page.get_by_role("link", name="My next turn").click()
    expect(page.get_by_role("textbox", name="Your rack")).to_have_value("R13")


def test_by_keys_only(page: Page, server: str, tidy: Look) -> None:
    page.goto(f"{server}/rummikub")
    press = page.keyboard.press
    press("e")
    page.keyboard.type("r3-5 | k5 b5 o5 | k6-8")
    press("Escape")
    press("r")
    page.keyboard.type("R5 b6-7")
    press("Enter")
    expect(page.locator("#says")).to_contain_text("Play R5 B6 B7: 3 tiles, 18 points")
    press("Escape")
    press("n")
    expect(page.locator("#says")).to_contain_text("Step 1: take B5")
    press("ArrowRight")
    expect(page.locator("#says")).to_contain_text("Step 2:")
    press("p")
    expect(page.locator("#says")).to_contain_text("Step 1:")
    press("u")
    expect(page.locator("#says")).to_contain_text("Step 2:")
    press("m")
    expect(page.get_by_role("textbox", name="The table")).to_have_value("R3 R4 R5 | K6 K7 K8 | R5 K5 O5 | B5 B6 B7")
    press("?")
    expect(page.get_by_role("dialog")).to_contain_text("Best move")
    tidy("rummikub-keys")


def test_what_cannot_be_read_stays_beside_its_reason(page: Page, server: str, tidy: Look, size: str) -> None:
    page.goto(f"{server}/rummikub?rack=R5+X9&table=R5-7")
    expect(page.get_by_role("alert")).to_contain_text("no colour 'X'")
    expect(page.get_by_role("textbox", name="Your rack")).to_have_value("R5 X9")
    tidy("rummikub-mistake")


def test_the_puzzle_of_a_day(page: Page, server: str, tidy: Look, size: str) -> None:
    page.goto(f"{server}/rummikub/puzzle?day=2026-11-15")
    tidy("rummikub-puzzle")
    page.get_by_role("button", name="Judge").click()
    expect(page.locator(".verdict")).to_contain_text("That is legal and plays 0 tiles")
    page.get_by_role("link", name="Show the solution").click()
    expect(page.locator("#answer .steps")).to_be_visible()
    solution = page.evaluate("fetch('/api/v1/rummikub/puzzle?day=2026-11-15&solution=1').then((found) => found.json())")["solution"][
        "table"
    ]
    page.get_by_role("textbox", name="Your table").fill(solution)
    page.get_by_role("textbox", name="Your table").press("Enter")
    expect(page.locator(".verdict")).to_contain_text("Right: 2 tiles")
    tidy("rummikub-puzzle-right")


@pytest.mark.parametrize("size", ["desktop"], indirect=True)
def test_pages_are_light(page: Page, server: str, tidy: Look, size: str) -> None:
    sizes: list[int] = []
    page.on("response", lambda answer: sizes.append(len(answer.body())))
    page.goto(f"{server}/rummikub?{POSITION}", wait_until="networkidle")
    assert sum(sizes) < 300_000
