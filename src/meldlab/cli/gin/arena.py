"""``meldlab gin arena``: many games between players, with intervals."""

from meldlab.cli.contest import Contests, GamesOption, read_contests
from meldlab.cli.gin.options import RulesOption
from meldlab.cli.options import taking


@taking(play=read_contests)
def arena(play: Contests, games: GamesOption = 10_000, rules: RulesOption = "eaai") -> None:
    """Let players meet; every deal is played once for each seating. Three or more meet two by two and are rated.

    Players: simple, gin-only, knock:A,B,T, ensemble:paper, marjj, computed:light, champion, mc:64, random, or FILE.py:CLASS.

    Example: meldlab gin arena ensemble:paper simple --games 20000 --seed 1
    """
    from meldlab.gin import Gin

    play(Gin(rules), games)
