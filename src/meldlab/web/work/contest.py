"""What a process does for a contest that was started on a page."""

from typing import Any

from meldlab.arena.contest import play_contest
from meldlab.gin import Gin


def compete(progress: Any, players: list[str], games: int, seed: int) -> dict[str, Any]:
    """Play gin between two players of the house on one core; return their rates with intervals."""
    result = play_contest(Gin(), players, games, seed, threads=1, progress=lambda done, total, _: progress(done, total, f"{done:,} games"))
    answer = result.as_json()
    return {name: answer[name] for name in ("games", "deals", "players")}
