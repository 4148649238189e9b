"""One pydantic model per answer, for ``--json`` on the command line and for the API of the web app.

A model reads its fields from the attributes of a result, or has a constructor that names what it reads. An answer of the API that has
more than the one of the command line is a subclass.

>>> from meldlab.stopping import Urn
>>> from meldlab.schemas.stopping import StoppingAdvice
>>> StoppingAdvice.model_validate(Urn(26, 26).advise(20, 13)).model_dump(by_alias=True)
{'value': 6.0, 'stop_value': 6.0, 'continue': False, 'next_black': 0.40625}
"""

from fractions import Fraction
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict

__all__ = ["Answer", "Number", "Pair", "Text"]

Text = Annotated[str, BeforeValidator(str)]
"""A card, hand, tile or move as text."""
Number = Annotated[float, BeforeValidator(lambda value: float(value) if isinstance(value, Fraction) else value)]
"""A number; fractions become floats."""
Pair = tuple[float, float]
"""The ends of an interval."""


class Answer(BaseModel):
    """An answer that is read from the attributes of a result."""

    model_config = ConfigDict(from_attributes=True, populate_by_name=True)
