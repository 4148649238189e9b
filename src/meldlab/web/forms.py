"""Forms of pages that were sent by POST, read as strictly as the bodies of the API."""

from typing import TypeVar
from urllib.parse import parse_qsl

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import RedirectResponse, Response
from pydantic import BaseModel, ValidationError

__all__ = ["go_to", "read_form"]

M = TypeVar("M", bound=BaseModel)
FIELDS = 40


async def read_form(request: Request, model: type[M]) -> M:
    """Return the fields of a form as a model; a field that was left empty is not there."""
    body = (await request.body()).decode("utf-8", "replace")
    try:
        fields = {name: value for name, value in parse_qsl(body, keep_blank_values=True, max_num_fields=FIELDS) if value.strip()}
        return model.model_validate(fields)
    except ValidationError as problem:
        raise RequestValidationError([{**one, "loc": ("body", *one["loc"])} for one in problem.errors()]) from None
    except ValueError:
        raise RequestValidationError([{"loc": ("body",), "msg": f"a form may have {FIELDS} fields"}]) from None


def go_to(address: str, given: Response) -> RedirectResponse:
    """Return a redirection after something was done, with the cookie that was given on the way."""
    answer = RedirectResponse(address, 303)
    answer.headers.raw.extend((name, value) for name, value in given.headers.raw if name == b"set-cookie")
    return answer
