"""The review in a browser: a record that is dropped, its mistakes, a second try, practice."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from playwright.sync_api import Page, expect

from meldlab.gin import Gin, Rules, players
from meldlab.gin.review import Review, Reviewer, steps_of
from meldlab.play import Deal, Table
from meldlab.web.review_models import Reviewed
from meldlab.web.review_page import review_document

Look = Callable[[str], None]
PLAYED = Table(Gin(Rules(match_points=60)), [players.parse("random"), players.parse("simple")]).play(Deal(23)).record
RECORD = replace(PLAYED, players=("you", "simple"), actions=PLAYED.actions[:36], result=None)  # enough for some mistakes


def ready(page: Page, server: str) -> None:
    page.goto(f"{server}/review")
    page.wait_for_selector("text=This machine has not yet compiled", state="detached", timeout=120_000)


def bring(page: Page, server: str) -> None:
    """Paste a record that was played at random, and wait for its review."""
    ready(page, server)
    entry = page.locator("form[data-drop]")
    entry.get_by_text("How closely").click()
    entry.get_by_label("Worlds for each decision").fill("40")
    entry.get_by_label("Rollouts by").select_option("simple")
    entry.locator("textarea").fill(str(RECORD))
    entry.get_by_role("button", name="Review the record").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("you against simple", timeout=60_000)


def test_from_a_record_to_practice(page: Page, server: str, tidy: Look, size: str) -> None:
    ready(page, server)
    tidy("review-home")
    bring(page, server)
    tidy("review-done")
    every = page.get_by_role("link", name="all").inner_text()
    page.get_by_role("slider").focus()
    for _ in range(12):
        page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"least=8.5"))
    expect(page.get_by_role("link", name="all")).not_to_have_text(every)
    page.go_back()
    page.locator(".chart a").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("What would be better?")
    page.get_by_role("link", name="Back to the list").click()
    page.get_by_role("checkbox").check()
    expect(page).to_have_url(re.compile(r"unsure=true"))
    page.get_by_role("link", name="Try them again").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("What would be better?")
    tidy("review-decision")
    page.get_by_role("link", name="Show the answer").click()
    expect(page.get_by_role("columnheader", name="win %")).to_be_visible()
    tidy("review-answer")
    best = page.locator(".candidates tbody tr").first.get_attribute("data-move") or ""
    page.get_by_role("link", name="Try again").click()
    page.get_by_label("Or type a move").fill(best)
    page.get_by_role("button", name="Try it").click()
    expect(page.get_by_text("✓ Good")).to_be_visible()
    page.keyboard.press("n")
    expect(page.get_by_text("✓ Good")).to_have_count(0)
    page.goto(f"{server}/review/practice")
    expect(page.get_by_text("✓ solved")).to_have_count(1)
    tidy("review-practice")


def test_the_document_of_a_review_is_accessible(page: Page, tidy: Look, size: str, tmp_path: Path) -> None:
    reviewer = Reviewer.from_name("simple", samples=20)
    review = Review.of(reviewer, RECORD, reviewer.decisions(steps_of(RECORD), [0]), [0])
    file = tmp_path / "review.html"
    file.write_text(review_document(Reviewed.from_review(review, RECORD)))
    page.goto(file.as_uri())
    page.locator("details").first.locator("summary").click()
    expect(page.get_by_role("columnheader", name="win %").first).to_be_visible()
    tidy("review-document")


def test_a_match_just_left_is_reviewed_at_once(page: Page, server: str, tidy: Look) -> None:
    ready(page, server)
    text = str(replace(RECORD, actions=RECORD.actions[:6], result=None))
    kept = page.request.post(f"{server}/api/v1/review/records", data={"text": text}, headers={"Origin": server})
    page.goto(f"{server}/review?match={kept.json()['match']}")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Looking back")
    tidy("review-running")
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("It was cancelled.")).to_be_visible()


def test_a_file_is_sent_as_it_is_chosen_and_a_broken_one_says_where(page: Page, server: str, tmp_path: Path) -> None:
    ready(page, server)
    file = tmp_path / "broken.toml"
    file.write_text(str(RECORD).replace(RECORD.actions[4], "p9 fly", 1), encoding="utf-8")
    page.locator("input[type=file]").set_input_files(file)
    expect(page.get_by_role("alert")).to_contain_text("action 5, 'p9 fly'")
    expect(page.locator("textarea")).to_have_value(re.compile("p9 fly"))


def test_without_javascript_decisions_can_be_read_and_tried(browser: object, server: str) -> None:
    page = browser.new_page(java_script_enabled=False)  # type: ignore[attr-defined]
    bring(page, server)
    page.get_by_role("link", name="Try them again").click()
    page.get_by_label("Or type a move").fill("nonsense")
    page.get_by_role("button", name="Try it").click()
    expect(page.get_by_role("alert")).to_contain_text("no move 'nonsense'")
    page.close()
