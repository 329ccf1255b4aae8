"""State on a server, from the command line: what is refused, with which words and exit code."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from unittest import mock

import pytest

from tests.cli.command import Ran, refused, shoal, well
from tests.postgres.server import Server

WEB = "synthetic:seed=7,pages=600,hosts=8"
SEED = "http://portal.wayfinder.example/"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("seeds.txt").write_text(f"{SEED}\n", encoding="utf-8")


def crawl(out: str, address: str, *more: str, **environment: str) -> Ran:
    return shoal(
        "crawl", "dengue fever", "--seeds", "seeds.txt", "--web", WEB, "--pages", "10",
        "--out", out, "--log", "none", "--set", f"crawl.state={address}", *more, **environment,
    )  # fmt: skip


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://me:s3cret@host/db",
        "postgres://me:s3cret@one:5432,two:5432/db",
        "postgresql://host/db?password=s3cret",
        "postgresql://host/db?sslmode=require&pass%77ord=s3cret",
        "postgresql://host/db?sslpassword=s3cret",
        "mysql://me:s3cret@host/db",
    ],
)
def test_a_password_is_refused_and_never_repeated(address: str) -> None:
    ran = crawl("c", address)
    refused(ran, 2, "PGPASSWORD")
    assert "s3cret" not in ran.out + ran.err
    assert not Path("c").exists()
    refused(shoal("config", "show", SHOAL_CRAWL_STATE=address), 2, "PGPASSWORD")
    Path("shoal.toml").write_text(f'[crawl]\nstate = "{address}"\n', encoding="utf-8")
    ran = shoal("config", "show", "--config", "shoal.toml")
    refused(ran, 2, "PGPASSWORD")
    assert "s3cret" not in ran.out + ran.err


@pytest.mark.parametrize(
    ("assignments", "message"),
    [
        (("crawl.state=/var/state",), "an address such as postgresql://"),
        (("crawl.state=mysql://host/db",), "an address such as postgresql://"),
        (("crawl.state=", "crawl.state_name=a"), "needs crawl.state"),
        (("crawl.state_name=Two Words",), "not a name"),
        (("crawl.state_name=pg_mine",), "not a name"),
        (("crawl.state_name=1st",), "not a name"),
        (("crawl.state_wait_s=-1",), "must not be negative"),
    ],
)
def test_what_is_no_state(assignments: tuple[str, ...], message: str) -> None:
    given = [word for one in assignments for word in ("--set", one)]
    refused(crawl("c", "postgresql://me@host/db", *given), 2, message)
    assert not Path("c").exists()


def test_without_the_client_it_is_told_how_to_get_it() -> None:
    hidden = {name: None for name in sys.modules if name.startswith("shoal.postgres.")}
    with mock.patch.dict(sys.modules, {**hidden, "shoal.postgres.house": None}):
        refused(crawl("c", "postgresql://me@host/db"), 2, r"pip install 'shoal\[postgres\]'")
    assert not Path("c").exists()


def test_a_server_that_is_away_is_told_before_anything_is_made(server: Server) -> None:
    refused(crawl("c", "postgresql://me@/db?host=/nowhere"), 3, "/nowhere.*repeat the command")
    refused(crawl("c", "postgresql://me@127.0.0.1:9/db"), 3, "127.0.0.1.*repeat the command")
    refused(crawl("c", server.address.replace("/postgres?", "/nix?")), 3, '"nix" does not exist')
    assert not Path("c").exists()


def test_reading_says_so_too_when_the_server_is_away(server: Server) -> None:
    assert crawl("c", server.address).code == 0
    server.end()
    try:
        for command in (
            ["report", "c"],
            ["pages", "c"],
            ["why", "c", SEED],
            ["crawl", "--out", "c"],
        ):
            refused(shoal(*command), 3, "does not let us in")
    finally:
        server.start()
    well("report", "c")


def test_the_name_is_told_by_the_directory_and_kept(server: Server) -> None:
    well("config", "show")
    assert crawl("My Crawl", server.address).code == 0
    settings = Path("My Crawl/crawl.toml").read_text(encoding="utf-8")
    assert 'state_name = "my_crawl_' in settings
    assert crawl("My Crawl", server.address, "--pages", "20", "--accept-changes").code == 0
    known = settings.partition("state_name")[2].splitlines()[0]
    assert known in Path("My Crawl/crawl.toml").read_text(encoding="utf-8")
    assert not list(Path("My Crawl").glob("*.sqlite*"))
    shutil.copytree("My Crawl", "elsewhere")
    assert "20 pages" in well("report", "elsewhere").out


def test_two_crawls_do_not_get_one_name(server: Server, name: str) -> None:
    named = ("--set", f"crawl.state_name={name}")
    assert crawl("one", server.address, *named).code == 0
    refused(crawl("two", server.address, *named), 2, "another crawl's state in")
    assert not Path("two").exists()
    assert crawl("one", server.address, *named).code == 0


def test_a_crawl_that_has_begun_leaves_its_state_where_it_is(server: Server, name: str) -> None:
    assert crawl("file", "").code == 0
    refused(crawl("file", server.address, "--accept-changes"), 2, "is kept in its directory")
    named = ("--set", f"crawl.state_name={name}")
    assert crawl("server", server.address, *named).code == 0
    refused(crawl("server", "", "--accept-changes"), 2, "is kept on a PostgreSQL server")
    other = ("--set", f"crawl.state_name={name}_other", "--accept-changes")
    refused(crawl("server", server.address, *other), 3, "is missing, but .* holds")
    assert crawl("server", server.address, *named).code == 0


def test_a_lone_crawl_s_pages_and_export_are_those_of_a_file(server: Server) -> None:
    assert crawl("file", "").code == 0
    assert crawl("server", server.address).code == 0
    assert well("pages", "file").out == well("pages", "server").out
    told = []
    for out in ("file", "server"):
        well("export", out, "--format", "jsonl")
        rows = [json.loads(line) for line in Path(f"{out}.jsonl").read_text().splitlines()]
        told.append([(row["url"], row["text"], row["relevance"]) for row in rows])
    assert told[0] == told[1]
    assert len(told[0]) == 10
