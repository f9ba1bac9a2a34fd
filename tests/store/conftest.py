"""A database to try things on: an SQLite file, or a PostgreSQL server of the tests' own."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store.server import Server

_numbers = itertools.count()


@pytest.fixture(scope="session")
def server_of_session() -> Iterator[Server]:
    made = Server()
    try:
        made.start()
        yield made
    finally:
        made.remove()


@pytest.fixture(
    params=[
        "sqlite",
        pytest.param("postgresql", marks=pytest.mark.needs("initdb", "postgres", "pg_isready")),
    ]
)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty database."""
    if request.param == "sqlite":
        return str(tmp_path / "samples.db")
    server: Server = request.getfixturevalue("server_of_session")
    name = f"test{next(_numbers)}"
    server.create(name)
    return server.url.replace("/postgres?", f"/{name}?")
