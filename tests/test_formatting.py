"""What a notebook shows of a value: well-formed, with the numbers of the value, and no text that could be more than text."""

from dataclasses import replace
from xml.etree import ElementTree

from meldlab.arena.contest import play_contest
from meldlab.arena.round_robin import round_robin
from meldlab.formatting import html_table
from meldlab.gin import Gin
from meldlab.reports.stopping import draw_value
from meldlab.stopping import Urn
from meldlab.waiting import WaitingGame, solve

HOSTILE = "<script>alert(1)</script>&\"'"


def rows(html: str) -> list[list[str]]:
    return [["".join(cell.itertext()) for cell in row] for row in ElementTree.fromstring(html).iter("tr")]


def test_every_text_is_escaped() -> None:
    html = html_table([HOSTILE], [[HOSTILE], [HOSTILE]], HOSTILE)
    assert "<script" not in html
    assert rows(html) == [[HOSTILE]] * 3
    assert ElementTree.fromstring(html).findtext("caption") == HOSTILE


def test_a_contest_shows_every_player_with_its_interval() -> None:
    found = play_contest(Gin(), ["simple", "random"], games=20, seed=1)
    assert rows(found._repr_html_())[1] == ["simple", "1", str(found.win_rate(0)), "0.500", str(found.mean_score(0))]
    assert ElementTree.fromstring(found._repr_html_()).findtext("caption") == "gin: 20 games, 10 deals"
    named = replace(found, players=(HOSTILE, "random"))
    assert rows(named._repr_html_())[1][0] == HOSTILE


def test_all_against_all_show_ratings_and_pairings() -> None:
    robin = round_robin(Gin(), ["simple", "gin-only", "ensemble"], games=100, seed=2)
    head, first, *_ = rows(robin._repr_html_())
    names = [one.name for one in robin.ratings.players]
    assert head == ["player", "rating", *names]
    # Nobody meets itself.
    assert first[0] == names[0]
    assert [bool(cell) for cell in first[2:]] == [False, True, True]


def test_a_solution_shows_its_summary() -> None:
    solution = solve(WaitingGame(3))
    shown = dict(rows(solution._repr_html_()))
    assert shown["hands"] == "22,100"
    assert shown["mean turns"] == "17.514273"
    assert shown["worst hand"].endswith("one of 48 as bad")
    assert "kinds of hands" not in dict(rows(solution.summary()._repr_html_()))


def test_the_stopping_game_shows_where_to_stop_and_what_one_wins() -> None:
    policy = Urn(4, 4).policy()
    picture = ElementTree.fromstring(policy._repr_svg_())
    [stops] = [path.get("d", "") for path in picture.iter("{http://www.w3.org/2000/svg}path")]
    heights = [float(step.split("H")[0]) for step in stops.split("V")[1:-1]]
    assert [round(5 - height / 64) - 1 for height in heights] == list(policy.boundary)
    assert len(Urn(5000, 5000).fastest.policy()._repr_svg_()) < 10_000
    assert rows(Urn(2, 2).winnings()._repr_html_()) == [["winnings", "chance"], ["0", "0.3333"], ["1", "0.6667"]]


def test_a_figure_shows_itself_as_it_is_saved() -> None:
    figure, _ = draw_value(Urn(3, 3))
    shown = figure._repr_svg_()  # type: ignore[attr-defined]
    assert ElementTree.fromstring(shown).tag == "{http://www.w3.org/2000/svg}svg"
    assert "Value of each position" in shown
