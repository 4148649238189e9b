"""The folder where compiled kernels and solved tables are kept between runs."""

import os
from pathlib import Path

from meldlab.errors import NotLegalHere

__all__ = ["cache_folder"]


def cache_folder(*parts: str) -> Path:
    """Return a folder below the cache, created if need be; ``MELDLAB_CACHE`` moves it elsewhere."""
    chosen = os.environ.get("MELDLAB_CACHE")
    root = Path(chosen) if chosen else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "meldlab"
    folder = root.joinpath(*parts)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise NotLegalHere(f"no cache can be kept in {folder} ({problem.strerror}); set MELDLAB_CACHE to another folder") from None
    return folder
