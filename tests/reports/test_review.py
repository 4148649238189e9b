"""The page of a review: all decisions with all candidates, nothing from elsewhere, the same bytes each time."""

import re
from html.parser import HTMLParser

import pytest

from meldlab.gin import Gin, players
from meldlab.gin.review import Review, Reviewer, steps_of
from meldlab.play import Deal, RandomPlayer, Table
from meldlab.reports.review import draw_curve, review_page

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


def test_every_decision_is_there_with_every_candidate(review: Review) -> None:
    page, reader = review_page(review), Reader()
    reader.feed(page)
    assert not reader.open
    assert len(reader.ids) == len(set(reader.ids))
    assert {f"action-{one.number + 1}" for one in review.decisions} <= set(reader.ids)
    assert reader.seen["details"] == len(review.decisions)
    rows = sum(len(one.candidates) for one in review.decisions) + len(review.decisions)
    assert reader.seen["tr"] == rows + 1 + len(review.kinds())
    shown = [int(number) for number in re.findall(r'id="action-(\d+)"', page)]
    assert shown[: len(review.mistakes())] == [one.number + 1 for one in review.mistakes()]


def test_nothing_comes_from_elsewhere_and_the_bytes_stay(review: Review) -> None:
    page = review_page(review)
    assert not re.search(r'(?:src|href)="(?!#)|@import|<script|url\((?!#)', page)
    assert page == review_page(review)
    assert "No decision lost 100.0 %" in review_page(review, least=1)


def test_names_are_escaped(review: Review) -> None:
    from dataclasses import replace

    page = review_page(replace(review, players=("<b>you</b>", "simple")))
    assert "<b>you" not in page


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
    _, data = draw_curve(review)
    assert len(data["action"]) == sum(len(review.curve(seat)) for seat in range(2))


def test_a_review_that_has_not_begun_has_a_page_too() -> None:
    empty = Review.of(REVIEWER, RECORD, [], seats=[1])
    assert "p2 simple" in review_page(empty)
    assert "There are no others." in review_page(empty)
