"""A finished crawl that the tests of reading commands share. They must not change it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import well
from tests.cli.webs import SEED, TOPIC, make_folder


@pytest.fixture(scope="session")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_folder(tmp_path_factory.mktemp("web"))


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory, web: Path) -> Path:
    """A crawl of the whole small web."""
    directory = tmp_path_factory.mktemp("crawls") / "garden"
    well("crawl", TOPIC, "--seeds", SEED, "--web", web, "--out", directory)
    return directory


@pytest.fixture
def unfinished(tmp_path: Path, web: Path) -> Path:
    """A crawl that stopped after two pages, for the test alone."""
    directory = tmp_path / "two"
    well("crawl", TOPIC, "--seeds", SEED, "--web", web, "--out", directory, "--pages", "2")
    return directory
