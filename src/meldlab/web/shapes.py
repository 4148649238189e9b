"""Shapes that several rooms answer in."""

from typing import Annotated

from pydantic import Field

# Lists of two rather than tuples: every reader of OpenAPI understands them.
Pair = Annotated[list[float], Field(min_length=2, max_length=2)]
Counts = Annotated[list[int], Field(min_length=2, max_length=2)]
