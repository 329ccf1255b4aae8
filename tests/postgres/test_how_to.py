"""Every command of the page on PostgreSQL works, those of PostgreSQL's own programs too."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tests.docs import test_examples
from tests.docs.pages import DOCS, Block, blocks
from tests.postgres.server import Server

OURS = {"createuser", "createdb", "psql", "pg_dump", "mkdir", "cp"}


def test_the_examples_of_the_page(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PGHOST", str(server.folder))
    monkeypatch.setenv("PATH", f"{server.binaries}:{os.environ['PATH']}")
    for name, text in test_examples.FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (page,) = test_examples.WITH_A_SERVER
    for block in blocks(DOCS / "how-to" / page):
        if block.kind == "console":
            for command in re.split(r"^(?=\$ )", block.text, flags=re.MULTILINE):
                _run(replace(block, text=command))
    assert "CREATE TABLE dengue.url" in Path("dengue.sql").read_text(encoding="utf-8")


def _run(block: Block) -> None:
    line = block.text.partition("\n")[0].removeprefix("$ ")
    words = line.removeprefix("sudo -u postgres ").split()
    if words and words[0] in OURS:
        user = "postgres" if line.startswith("sudo") else "shoal"
        command = line.removeprefix("sudo -u postgres ")
        environment = {**os.environ, "PGUSER": user}
        done = subprocess.run(command, shell=True, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    elif words:
        test_examples.run(block)
