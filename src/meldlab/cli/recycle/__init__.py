"""``meldlab recycle``: card games described in RECYCLE, checked, run and played."""

from meldlab.cli.options import door
from meldlab.cli.recycle import analyse, arena, check, layout, new, play, run, search

__all__ = ["app"]

app = door(
    "Card games described in RECYCLE: check, run and play them.",
    list=check.list_games,
    new=new.new,
    check=check.check,
    show=check.show,
    format=layout.format_program,
    migrate=layout.migrate,
    run=run.run,
    play=play.play,
    transcript=run.transcript,
    perft=run.perft,
    arena=arena.arena,
    analyse=analyse.analyse,
    compare=analyse.compare,
    search=search.search,
)
