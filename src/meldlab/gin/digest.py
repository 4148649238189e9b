"""A digest of the code that plays gin."""

from meldlab.digests import code_digest


def gin_digest() -> str:
    """Return a digest of ``gin`` and of all that it imports."""
    return code_digest(
        *("gin", "play", "melds", "cards", "chance", "cache", "compiling", "cost", "digests", "errors", "formatting"),
        *("gpu", "indexing", "linking", "parallel", "statistics"),
    )
