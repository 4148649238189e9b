"""Forms of pages that were sent by POST, read as strictly as the bodies of the API."""

from email import message_from_bytes
from typing import Any, TypeVar
from urllib.parse import parse_qsl

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError

from meldlab.errors import NotLegalHere

M = TypeVar("M", bound=BaseModel)
FIELDS = 40


async def form(request: Request) -> dict[str, str]:
    """Return what a form has sent, the last value of each field; a file as its text."""
    kind, sent = request.headers.get("content-type", ""), await request.body()
    if kind.startswith("multipart/form-data"):
        parts = message_from_bytes(b"Content-Type: " + kind.encode("latin-1") + b"\r\n\r\n" + sent)
        result = [part for part in parts.walk() if not part.is_multipart()][:FIELDS]
        return {str(part.get_param("name", "", "content-disposition")): _text(part.get_payload(decode=True)) for part in result}
    body = _text(sent)
    try:
        return dict(parse_qsl(body, keep_blank_values=True, max_num_fields=FIELDS))
    except ValueError:
        raise NotLegalHere(f"a form has at most {FIELDS} fields") from None


def _text(sent: Any) -> str:
    return sent.decode("utf-8", errors="replace") if isinstance(sent, bytes) else ""


async def read_form(request: Request, model: type[M]) -> M:
    """Return the fields of a form as a model; a field that was left empty is not there."""
    fields = {name: value for name, value in (await form(request)).items() if value.strip()}
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        raise RequestValidationError([{**error, "loc": ("body", *error["loc"])} for error in error.errors()]) from None
