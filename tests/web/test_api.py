"""The API as its description says: a version in every path, sentences as summaries, examples that are accepted."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from meldlab.web.app import make_app
from meldlab.web.routes.matches import MoveIndex, MoveRequest, NewMatch, TypedAction

SCHEMA = make_app().openapi()
OPERATIONS = [(method, path, operation) for path, methods in SCHEMA["paths"].items() for method, operation in methods.items()]


def test_every_path_has_the_version() -> None:
    assert [path for path in SCHEMA["paths"] if not path.startswith("/api/v1/")] == []


@pytest.mark.parametrize(("method", "path", "operation"), OPERATIONS, ids=lambda value: value if isinstance(value, str) else "")
def test_summaries_are_sentences(method: str, path: str, operation: dict[str, Any]) -> None:
    words = operation["summary"].split()
    assert len(words) > 1
    assert words[0][0].isupper()
    # Not the name of the function in capitals, such as "Take Back".
    assert any(word.islower() for word in words[1:])


@pytest.mark.parametrize(
    ("method", "old", "new"),
    [
        ("GET", "/api/matches", "/api/v1/matches"),
        ("POST", "/api/matches", "/api/v1/matches"),
        ("DELETE", "/api/jobs/abc", "/api/v1/jobs/abc"),
        ("GET", "/api/rummikub/check?rack=R5", "/api/v1/rummikub/check?rack=R5"),
    ],
)
def test_paths_without_a_version_redirect(client: TestClient, method: str, old: str, new: str) -> None:
    answer = client.request(method, old, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (308, new)


def test_body_of_a_redirected_request_is_kept(client: TestClient) -> None:
    assert client.post("/api/matches", json={"game": "gin", "opponents": ["simple"]}).status_code == 201


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_unknown_path_of_the_version_is_not_found(client: TestClient, method: str) -> None:
    answer = client.request(method, "/api/v1/nothing", follow_redirects=False)
    assert answer.status_code == 404
    assert answer.json()["error"]


@pytest.mark.parametrize("model", [NewMatch, MoveRequest, MoveIndex, TypedAction])
def test_example_of_a_body_is_accepted_and_in_the_description(model: Any) -> None:
    (example,) = SCHEMA["components"]["schemas"][model.__name__]["examples"]
    assert model.model_validate(example).model_dump(exclude_defaults=True) == example
