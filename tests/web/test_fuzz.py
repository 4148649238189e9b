"""Whatever is asked of the API: no answer but those that its description has, and none that is the server's mistake."""

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.specs.openapi import checks
from starlette.testclient import TestClient

from meldlab.web.app import make_app
from meldlab.web.settings import Settings

# Streams have no end to wait for.
schema = schemathesis.openapi.from_dict(make_app().openapi()).exclude(path_regex="/events$")
CHECKS = [checks.status_code_conformance, checks.content_type_conformance, checks.response_schema_conformance]
schema.config.update(base_url="http://testserver")


@pytest.fixture(scope="module")
def asked_anything(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """Give a client of a laboratory that takes on long work and never begins it."""
    store = tmp_path_factory.mktemp("fuzz") / "store.sqlite"
    with TestClient(make_app(Settings(store=str(store), warm=False, jobs=0, hosts=("testserver",)))) as client:
        yield client


@schema.parametrize()
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True, database=None)
def test_the_api_keeps_its_word(case: schemathesis.Case[Any], asked_anything: TestClient) -> None:
    asked = {name: value for name, value in case.as_transport_kwargs(base_url="http://testserver").items() if name != "files"}
    if isinstance(asked.get("data"), bytes | str):
        asked["content"] = asked.pop("data")
    answer = asked_anything.request(**asked)
    # The bounded line may be full, and says so; that is no mistake.
    assert answer.status_code < 500 or "retry-after" in answer.headers, answer.text
    if answer.status_code != 503:
        case.validate_response(answer, checks=CHECKS)
