"""Strangers: hosts, other sites, sizes, headers."""

import pytest
from starlette.testclient import TestClient


def test_pages_carry_a_policy_with_a_fresh_nonce(client: TestClient) -> None:
    first, second = (client.get("/").headers["content-security-policy"] for _ in range(2))
    assert "default-src 'none'" in first
    assert first != second


def test_other_names_are_refused(client: TestClient) -> None:
    assert client.get("/", headers={"host": "evil.example"}).status_code == 400


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"sec-fetch-site": "same-origin"}, 422),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://testserver"}, 422),
        ({}, 422),
    ],
)
def test_unsafe_methods_are_taken_from_here_only(client: TestClient, headers: dict[str, str], status: int) -> None:
    assert client.post("/api/v1/matches", json={}, headers=headers).status_code == status


def test_a_large_body_is_refused_whatever_its_header_says(client: TestClient) -> None:
    assert client.post("/api/v1/matches", content=b"x" * 300_000).status_code == 413
    assert client.post("/api/v1/matches", content=(b"x" * 100_000 for _ in range(3))).status_code == 413


def test_refusals_have_one_shape(client: TestClient) -> None:
    for path in ("/api/v1/matches/nobodyhasthisid0", "/api/v1/nothing", "/api/v1/jobs/x"):
        answer = client.get(path)
        assert answer.status_code in (404, 422)
        assert list(answer.json()) == ["error", "code"]


@pytest.mark.parametrize("path", ["/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static//etc/passwd"])
def test_no_path_leaves_the_folder(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404
