"""Forms of pages that were sent by POST, read as strictly as the bodies of the API."""

from typing import TypeVar

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError

from meldlab.errors import NotLegalHere

M = TypeVar("M", bound=BaseModel)
FIELDS = 40
PART_BYTES = 1 << 18


async def form(request: Request) -> dict[str, str]:
    """Return the fields of a form, the last value of each; a file as its text."""
    async with request.form(max_files=1, max_fields=FIELDS, max_part_size=PART_BYTES) as fields:
        if len(fields) > FIELDS:
            raise NotLegalHere(f"a form has at most {FIELDS} fields")
        return {
            name: value if isinstance(value, str) else (await value.read()).decode("utf-8", "replace") for name, value in fields.items()
        }


async def read_form(request: Request, model: type[M]) -> M:
    """Return the fields of a form as a model; a field that was left empty is not there."""
    fields = {name: value for name, value in (await form(request)).items() if value.strip()}
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        raise RequestValidationError([{**error, "loc": ("body", *error["loc"])} for error in error.errors()]) from None
