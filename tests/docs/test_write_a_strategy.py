"""The package that docs/how-to/write-a-strategy.md makes: installed, found, tested and used."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, blocks

PAGE = DOCS / "how-to" / "write-a-strategy.md"
LINES_MAX = 40


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """The folder of the package, with what an installer would write beside it."""
    for block in blocks(PAGE):
        if block.name is not None:
            (tmp_path / block.name).write_text(block.text, encoding="utf-8")
    project = tomllib.loads((tmp_path / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    name, version = project["name"], project["version"]
    info = tmp_path / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    lines = [
        line
        for group, points in project["entry-points"].items()
        for line in (f"[{group}]", *(f"{key} = {value}" for key, value in points.items()))
    ]
    (info / "entry_points.txt").write_text("\n".join(lines))
    return tmp_path


def run(folder: Path, *arguments: str) -> str:
    """In a process of its own, for a package is found when Python starts."""
    done = subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "200", "TERM": "dumb"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_it_is_short() -> None:
    lines = [
        line
        for block in blocks(PAGE)
        if block.name is not None
        for line in block.text.splitlines()
        if line.strip()
    ]
    assert len(lines) < LINES_MAX


def test_it_keeps_the_contract_and_crawls(installed: Path) -> None:
    assert " passed" in run(installed, "pytest", "-q", "-p", "no:cacheprovider", "test_shallow.py")
    assert "The Link nearest to the root of its site." in run(installed, "shoal", "strategies")
    web = "synthetic:seed=7,pages=500,hosts=12"
    seed = "http://portal.wayfinder.example/"
    words = ["crawl", "sharks", "--web", web, "--seeds", seed, "--pages", "20", "--out", "there"]
    run(installed, "shoal", *words, "--strategy", "shallow")
    assert "shallow" in (installed / "there" / "crawl.toml").read_text(encoding="utf-8")
