"""``meldlab demo``: a tour of the package, ending with published and computed numbers."""

from math import comb

from meldlab.cli.options import JsonOption
from meldlab.cli.output import print_json

Row = tuple[str, str, str]
HAND, TABLE, RACK = "4H 5H 6H 7H 7C 7D 9S TS QC QD KD", "R3-5 | K5 B5 O5 | K6-8", "R5 B6 B7 O1"
NEXT = ["meldlab deadwood 4H 5H 6H 7H 7C 7D KS", 'meldlab waiting hand "AC QH KD"', "meldlab serve --open", "meldlab --help"]


def demo(json: JsonOption = False) -> None:
    """Tour the package in under two minutes; ends with a table of published and computed numbers.

    Example: meldlab demo
    """
    rows = [*meld_rows(), *waiting_rows(), *stopping_rows(), *gin_rows(), *rummikub_rows(), *recycle_rows()]
    if json:
        print_json({"rows": [{"what": what, "published": published, "computed": computed} for what, published, computed in rows]})
        return
    from rich.console import Console
    from rich.table import Table

    from meldlab.cli.hands import deadwood
    from meldlab.cli.rummikub.solve import show
    from meldlab.rummikub import Position, solve

    print(f"$ meldlab deadwood {HAND}")
    deadwood([HAND])
    print(f'\n$ meldlab rummikub solve --table "{TABLE}" --rack "{RACK}" --rules paper')
    show(solve(Position.parse(TABLE, RACK)))
    print()
    console = Console(highlight=False)
    table = Table(title="published / computed here", title_justify="left")
    for column in ("what", "published", "computed here"):
        table.add_column(column)
    for row in rows:
        table.add_row(*row)
    console.print(table)
    console.print("Try next:")
    for command in NEXT:
        console.print(f"  {command}", soft_wrap=True)


def meld_rows() -> list[Row]:
    """Count complete hands of three and four cards under the three ace rules (Finkle 2017, sections 3 and 4)."""
    from meldlab.cards import classes
    from meldlab.melds import Aces, deadwoods

    rows: list[Row] = []
    # The thesis lists the classes of all 22,004 three-card hands that are not complete, of 22,100, with aces low only.
    published = {3: ("96", "-", "-"), 4: ("53", "57", "65")}
    for cards, known in published.items():
        hands = classes.hands(cards)
        for rule, figure in zip(Aces, known, strict=True):
            complete = hands[deadwoods(hands, rule, (1,) * 13) == 0]
            count = int(classes.orbit_sizes(complete, cards).sum())
            rows.append((f"complete among {comb(52, cards):,} hands of {cards}, aces {rule}", figure, str(count)))
    return rows


def waiting_rows() -> list[Row]:
    """Solve the games of three and four cards (Finkle 2017, sections 3.2, 4.2, 5.4 and 5.5)."""
    from meldlab.waiting import WaitingGame
    from meldlab.waiting.storage import solve_cached

    rows: list[Row] = []
    published = {3: ("19.180055096", "18.861678332", "18.244248540"), 4: ("41.88666 (t = 0.001)", "41.3925 (t = 0.001)", "38.6563243418")}
    for cards, bounds in published.items():
        for rule, bound in zip(("low", "both", "round"), bounds, strict=True):
            most = solve_cached(WaitingGame(cards, rule)).summary().max
            rows.append((f"most turns to wait with {cards} cards, aces {rule}", bound, f"{most:.10f}"))
    return rows


def stopping_rows() -> list[Row]:
    """Value the stopping game: the full deck, and Shepp's constant (1969) from the values of two large ones."""
    from meldlab.stopping import Urn, equal_decks
    from meldlab.stopping.shepp import fitted

    constant, _ = fitted(equal_decks(10_000))
    return [
        ("stopping game, 26 black and 26 red", "2.62", f"{float(Urn(26, 26).value()):.2f}"),
        ("stopping game, value over root of the cards", "0.3691", f"{constant:.4f}"),
    ]


def rummikub_rows() -> list[Row]:
    """Count the sets of Rummikub (den Hertog and Hulshof 2006, Table 1, which counts one run of five too many)."""
    from meldlab.rummikub import columns

    return [("different sets in Rummikub, jokers included", "1174 (one too many)", str(len(columns())))]


def gin_rows() -> list[Row]:
    """Let the ensemble of Nagai et al. (2021) and its betters play the simple player; the paper's rate is the best of 3,003 noisy ones."""
    from meldlab.arena.contest import play_contest
    from meldlab.chance import Purpose, derive_seed
    from meldlab.gin import Gin

    published = {"ensemble": "0.739 (0.723 re-measured)", "ensemble:best": "-", "network:light": "-"}
    deals = derive_seed(1, Purpose.FRESH)  # the search that found ensemble:best has not seen them
    rates = {name: play_contest(Gin(), [name, "simple"], 4_000, seed=deals).win_rate() for name in published}
    return [(f"gin rummy, {name} against simple, games won", published[name], str(rate)) for name, rate in rates.items()]


def recycle_rows() -> list[Row]:
    """Play Block Rummy at random, as on the page of the Valet testbed: one or two options to draw, ten or eleven to discard."""
    from meldlab.recycle import library
    from meldlab.recycle.machine import kernel_layout
    from meldlab.recycle.machine.machine import Machine

    games = 500
    played = Machine.compile(library.entry("block_rummy").text).random_games(games=games, seed=1)
    return [(f"Block Rummy in RECYCLE, {games} random games finished", "-", str(int((played.statuses == kernel_layout.FINISHED).sum())))]
