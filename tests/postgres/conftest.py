"""One server for all tests of a worker; each test has a schema of its own."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest

from tests.postgres.server import Server, find_binaries, running

_NUMBERS = count(1)


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    binaries = find_binaries()
    if binaries is None:
        pytest.skip("NOT RUN: no PostgreSQL server here (apt-get install postgresql)")
    with running(binaries) as started:
        yield started


@pytest.fixture
def name() -> str:
    """Of a crawl that no other test has."""
    return f"crawl_{next(_NUMBERS)}"
