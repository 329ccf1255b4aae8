"""What the documentation tells somebody to type works, in the order in which it stands there.

Blocks of a page run one after another in a folder of their own. ``python`` blocks are executed.
``console`` blocks give lines that begin with ``$``: those of ``shoal`` that work without a network
are run, and what the page shows of their output must be there, numbers and times aside. A command
for the live web, or that never ends by itself, is only checked: it must be one that Shoal takes.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from shoal.cli import app
from tests.cli.command import shoal
from tests.docs.pages import DOCS, ROOT, Block, blocks, name_of

WITH_A_SERVER = {"keep-state-in-postgresql.md"}
"""Pages that are run beside a server: tests/postgres/test_how_to.py."""
PAGES = [
    ROOT / "README.md",
    DOCS / "tutorial" / "first-crawl.md",
    *sorted(path for path in (DOCS / "how-to").glob("*.md") if path.name not in WITH_A_SERVER),
]
OTHERS = {"make", "curl", "pip", "wayback", "wb-manager", "warcio", "duckdb", "wget", "kill"}
OTHERS |= {"ray", "kubectl", "rsync"}
"""Commands of others, which are not run here."""
REDIRECTIONS = {"|", ">", "2>"}
FILES = {
    "seeds.txt": "http://portal.wayfinder.example/\n",
    "my-seeds.txt": "http://portal.wayfinder.example/\n",
}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_examples_of_a_page(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    names: dict[str, object] = {"__name__": "__main__"}
    for block in blocks(page):
        if block.name is not None:
            (tmp_path / block.name).write_text(block.text, encoding="utf-8")
        elif block.kind == "python":
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(block.text, name_of(page), "exec"), names)
        elif block.kind == "console":
            run(block)
        else:
            assert block.kind in {"text", "json", "toml", "sql", "turtle", "yaml"}, (
                f"what is {block.kind!r}?"
            )
    asyncio.set_event_loop_policy(None)


def run(block: Block) -> None:
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        line, _, shown = part.partition("\n")
        while line.endswith("\\"):
            more, _, shown = shown.partition("\n")
            line = line.removesuffix("\\") + more.removeprefix(">")
        words = shlex.split(line, comments=True)
        assignments = [word for word in words if re.match(r"(SHOAL|RAY)_\w+=", word)]
        words = words[len(assignments) :]
        if words[0] in OTHERS:
            continue
        assert words[0] == "shoal", f"what is {words[0]!r}?"
        if any(word in REDIRECTIONS for word in words):
            cut = next(at for at, word in enumerate(words) if word in REDIRECTIONS)
            words, shown = words[:cut], ""
        if is_offline(words):
            ran = shoal(*words[1:], **dict(item.split("=", 1) for item in assignments))
            compare(line, shown, ran.out + ran.err)
        else:
            check(words[1:])


def is_offline(words: list[str]) -> bool:
    """Whether a command needs no network and ends by itself."""
    command = words[1]
    if command in {"lab", "language", "model", "team"}:
        return True
    if command == "topic" and words[2] in {"find", "show", "compare"}:
        return True
    if command == "record":
        return Path(words[2]).exists()
    if command == "crawl":
        goes_on = [Path(words[words.index("--out") + 1])] if "--out" in words else []
        given = Path(words[2]) if words[2].endswith(".toml") else None
        if given is not None and "\nweb = " in given.read_text(encoding="utf-8"):
            return True
        return "--web" in words or any((path / "crawl.toml").is_file() for path in goes_on)
    if command in {"serve-frozen", "demo"}:
        return False
    return command == "config" or (Path(words[2]) / "crawl.toml").is_file()


def check(words: list[str]) -> None:
    """Raises what the command line would say of words that it does not take."""
    group = get_command(app)
    assert isinstance(group, TyperGroup)
    group.commands[words[0]].make_context(words[0], list(words[1:]))


def compare(line: str, shown: str, said: str) -> None:
    """Each line that the page shows was said, whatever the numbers, times and bars."""
    there = {plain(text) for text in said.splitlines()}
    for text in shown.splitlines():
        if plain(text) not in {"", "..."}:
            assert plain(text) in there, f"{line!r} no longer says {text!r} but:\n{said[:2_000]}"


def plain(text: str) -> str:
    text = re.sub(r"[^\x20-\x7e]", "", text)
    text = re.sub(r"\d[\d:.,TZ-]*( ?(ms|s|min|h|B|kB|MB))?\b", "#", text)
    return re.sub(r"[\s#]+", " ", text).strip()
