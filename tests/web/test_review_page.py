"""The page of a review: as a file with all decisions and candidates, and in the web app with the same decisions, kinds and costs."""

import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from starlette.testclient import TestClient

from meldlab.gin import Gin, players
from meldlab.gin.review import MIN_LOSS, Review, Reviewer, steps_of
from meldlab.play import Deal, RandomPlayer, Table
from meldlab.web.review_models import Reviewed
from meldlab.web.review_page import review_document
from tests.web.ending import ended

RECORD = Table(Gin(), [RandomPlayer(), players.parse("simple")]).play(Deal(8)).record
REVIEWER = Reviewer.from_name("simple", samples=30)


@pytest.fixture(scope="module")
def review() -> Review:
    return Review.of(REVIEWER, RECORD, REVIEWER.decisions(steps_of(RECORD)))


class Reader(HTMLParser):
    """Keeps which elements are open, how many there were of each, and all ids."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: dict[str, int] = {}
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.seen[tag] = self.seen.get(tag, 0) + 1
        self.ids += [value for name, value in attributes if name == "id" and value]
        if tag not in ("meta", "path", "use", "rect", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("meta", "path", "use", "rect", "br"):
            assert self.open.pop() == tag


def page_of(review: Review, least: float = MIN_LOSS) -> str:
    return review_document(Reviewed.from_review(review, RECORD, least=least))


def test_document_has_every_decision_with_every_candidate(review: Review) -> None:
    page, reader = page_of(review), Reader()
    reader.feed(page)
    assert not reader.open
    assert len(reader.ids) == len(set(reader.ids))
    shown = [int(number) for number in re.findall(r'id="action-(\d+)"', page)]
    assert sorted(shown) == [decision.number + 1 for decision in review.decisions]
    assert shown[: len(review.mistakes())] == [decision.number + 1 for decision in review.mistakes()]
    assert reader.seen["details"] == len(review.decisions)
    assert reader.seen["tr"] == sum(len(decision.candidates) + 1 for decision in review.decisions)


def test_document_loads_nothing_and_has_the_same_bytes(review: Review) -> None:
    page = page_of(review)
    assert not re.search(r'(?:src|href)="(?!#)|@import|<script|url\((?!#)', page)
    assert page == page_of(review)
    assert "No decision lost 100.0 points" in page_of(review, least=1)


def test_document_escapes_names(review: Review) -> None:
    assert "<b>you" not in page_of(replace(review, players=("<b>you</b>", "simple")))


def test_document_of_an_empty_review() -> None:
    empty = Review.of(REVIEWER, RECORD, [], seats=[1])
    assert "<strong>simple</strong>: 0 decisions, no mistake" in page_of(empty)


@pytest.mark.slow
def test_document_needs_no_web_framework() -> None:
    code = (
        "import sys; sys.modules.update(fastapi=None, starlette=None)\n"
        "from meldlab.web.review_page import review_document\nfrom meldlab.web.review_models import Reviewed\n"
        "from meldlab.gin.review import Review\nfrom meldlab.play import Record, Deal\n"
        "review = Review(('you', 'simple'), (0,), (), (), 'simple', 200, 0)\n"
        "print(len(review_document(Reviewed.from_review(review, Record('gin', {}, ('you', 'simple'), Deal(1))))))"
    )
    job = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert job.returncode == 0, job.stderr
    assert int(job.stdout) > 1000


LINE = re.compile(r'<li id="action-(\d+)">\s*<div><strong>([\d.]+)</strong>.*?points lost: (.*?)</div>', re.DOTALL)


def lines_of(page: str) -> list[tuple[str, ...]]:
    """Return action, cost and text of the decisions that a page lists."""
    return [match.groups() for match in LINE.finditer(page)]


@pytest.mark.slow
def test_document_and_page_list_the_same_decisions(client: TestClient) -> None:
    stored = client.post("/api/v1/review/records", json={"text": str(RECORD)}).json()["match"]
    id = client.post("/api/v1/review", json={"match": stored, "player": "simple", "worlds": 30}).json()["id"]
    assert ended(client, id, "/api/v1/review")["state"] == "finished"
    review = Review.of(REVIEWER, RECORD, REVIEWER.decisions(steps_of(RECORD)))
    document = lines_of(page_of(review))
    assert lines_of(client.get(f"/review/{id}").text) == document[: len(review.mistakes())]
    every = lines_of(client.get(f"/review/{id}?least=0&unsure=true").text)
    assert len(every) == 50
    assert set(every) <= set(document)
    assert len(review.mistakes()) > 3


def test_the_curve_goes_from_even_to_the_end(review: Review) -> None:
    result = RECORD.result
    assert result is not None
    for seat in range(2):
        curve = review.curve(seat)
        assert curve[0].action == 0
        assert curve[0].win_probability == pytest.approx(0.5, abs=0.02)
        assert (curve[-1].action, curve[-1].win_probability) == (len(RECORD.actions), float(seat in result.winners))
        assert [point.action for point in curve] == sorted(point.action for point in curve)
        decided = {point.number for point in curve if point.number is not None}
        assert decided == {one.number for one in review.decisions if one.seat == seat}
