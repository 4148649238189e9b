"""A laboratory without a socket: its own store, its own workers."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from meldlab.web.app import make_app
from meldlab.web.settings import Settings


@pytest.fixture(scope="session")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """Give a client of a laboratory in which nothing has happened."""
    store = tmp_path_factory.mktemp("web") / "store.sqlite"
    with TestClient(make_app(Settings(store=str(store), warm=False, hosts=("testserver",))), base_url="http://testserver") as client:
        yield client


@pytest.fixture
def store(tmp_path: Path) -> str:
    """Give the place of a new store."""
    return str(tmp_path / "store.sqlite")
