"""One pydantic model per answer, for ``--json`` on the command line and for the API of the web app."""

from fractions import Fraction
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict

__all__ = ["Answer", "Number", "Text"]

Text = Annotated[str, BeforeValidator(str)]
"""A card, hand, tile or move as text."""
Number = Annotated[float, BeforeValidator(lambda value: float(value) if isinstance(value, Fraction) else value)]
"""A number; fractions become floats."""


class Answer(BaseModel):
    """An answer that is read from the attributes of a result."""

    model_config = ConfigDict(from_attributes=True, populate_by_name=True)
