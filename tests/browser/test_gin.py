"""The gin table in a browser: a round with hints and taking back, by touch, by mouse and by keys alone."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

Look = Callable[[str], None]


def begin(page: Page, server: str, points: int = 0) -> None:
    page.goto(f"{server}/gin")
    page.wait_for_selector("text=This machine has not yet compiled", state="detached", timeout=120_000)
    page.get_by_text("Rules", exact=True).click()
    page.get_by_label("Match to").fill(str(points))
    page.get_by_role("button", name="Play against Simple").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Round 1")
    page.wait_for_load_state()  # the heading comes before the buttons and the log, which tests count


def turn(page: Page) -> int:
    return int(page.locator("[data-turn]").get_attribute("data-turn") or 0)


def a_turn(page: Page) -> None:
    """Act by keys: draw or pass, or discard a card."""
    before = turn(page)
    for key in ("d", "p"):
        if page.locator(f"[data-key='{key}']").count():
            page.keyboard.press(key)
            break
    else:
        if page.locator("[data-for]:not([data-for=''])").count():
            # The last card with a move: the one just taken has none.
            card = page.locator("[data-for]:not([data-for=''])").last.get_attribute("data-for")
            page.keyboard.press(page.locator(f".pick[data-card='{card}']").get_attribute("data-key") or "")
            expect(page.locator(".pick[aria-pressed='true']")).to_have_count(1)
        page.keyboard.press("Enter")
    expect(page.locator(f"[data-turn='{before}']")).to_have_count(0)
    expect(page.locator("[data-turn]")).to_have_count(1)
    page.wait_for_load_state()


def test_a_round_to_its_end(page: Page, server: str, tidy: Look, size: str) -> None:
    page.goto(f"{server}/gin")
    tidy("gin-lobby")
    begin(page, server)
    tidy("gin-table")
    page.get_by_role("link", name="Hint", exact=True).click()
    expect(page.get_by_label("Hint")).to_be_visible()
    page.get_by_role("link", name="All moves").click()
    expect(page.get_by_role("columnheader", name="points")).to_be_visible()
    page.get_by_role("link", name="What may simple hold?").click()
    expect(page.get_by_role("heading", name="What simple may hold")).to_be_visible()
    tidy("gin-hints")
    for _ in range(200):
        if page.get_by_role("link", name="Review this match").count():
            break
        a_turn(page)
    expect(page.get_by_role("link", name="Review this match")).to_be_visible()
    tidy("gin-end")


def test_by_keys_alone(page: Page, server: str, tidy: Look) -> None:
    begin(page, server, points=100)
    for _ in range(2):  # so few that hardly any round is over by then
        a_turn(page)
    page.keyboard.press("u")
    expect(page.get_by_text("Practice:")).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("nonsense")
    tidy("gin-keys")


def test_an_order_of_ones_own_stays(page: Page, server: str, tidy: Look) -> None:
    begin(page, server)
    first = page.locator("[data-hand] [data-card]").first
    card = first.get_attribute("data-card") or ""
    first.focus()
    page.keyboard.press("Shift+ArrowRight")
    expect(page.locator("[data-hand] [data-card]").nth(1)).to_have_attribute("data-card", card)
    page.reload()
    expect(page.locator("[data-hand] [data-card]").nth(1)).to_have_attribute("data-card", card)
    tidy("gin-arranged")


def test_two_windows_stay_together(page: Page, server: str, tidy: Look) -> None:
    begin(page, server)
    other = page.context.new_page()
    other.goto(page.url)
    a_turn(page)
    done = page.locator(".log li").count()
    expect(other.locator(".log li")).to_have_count(done)
    tidy("gin-two-windows")


def test_without_javascript_the_table_can_be_read_and_played(browser: object, server: str) -> None:
    page = browser.new_page(java_script_enabled=False)  # type: ignore[attr-defined]
    begin(page, server)
    before = page.locator(".log li").count()
    if page.get_by_role("button", name="Pass").count():
        page.get_by_role("button", name="Pass").click()
    else:
        page.get_by_role("button", name="Draw from the stock").click()
    expect(page.locator(".log li").nth(before)).to_be_attached()
    page.close()
