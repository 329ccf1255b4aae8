"""What is wrong with what was given is one message and an exit code, and nothing is damaged."""

from __future__ import annotations

import gzip
import shutil
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.cli.command import Ran, refused, shoal, well
from tests.cli.webs import SEED, TOPIC, make_warc


def crawl(directory: Path, web: object, *more: object, seeds: object = SEED) -> Ran:
    given = ("--web", str(web), "--out", str(directory), *map(str, more))
    return shoal("crawl", TOPIC, "--seeds", str(seeds), *given)


def contents(directory: Path) -> dict[str, bytes]:
    """Every file of a crawl but those that SQLite and the lock make by looking."""
    return {
        path.name: path.read_bytes()
        for path in directory.rglob("*")
        if path.is_file() and path.name not in {"lock", "state.sqlite-shm", "state.sqlite-wal"}
    }


# --------------------------------------------------------------------------- seeds and topic


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "no such file"),
        ("", "has no addresses in it"),
        ("# only a comment\n", "has no addresses in it"),
        ("http://garden.example/\nwhat is this\n", r"seeds\.txt, line 2: 'what is this'"),
        ("ftp://garden.example/\n", r"seeds\.txt, line 1: "),
        ("http://\n", r"seeds\.txt, line 1: "),
    ],
)
def test_seeds_that_are_none(tmp_path: Path, web: Path, text: str | None, message: str) -> None:
    seeds = tmp_path / "seeds.txt"
    if text is not None:
        seeds.write_text(text, encoding="utf-8")
    refused(crawl(tmp_path / "c", web, seeds=seeds), 2, message)
    assert not (tmp_path / "c").exists()


def test_no_seeds_and_no_topic(tmp_path: Path, web: Path) -> None:
    out = tmp_path / "c"
    refused(shoal("crawl", TOPIC, "--web", web, "--out", out), 2, "no seeds")
    refused(shoal("crawl", "--seeds", SEED, "--web", web, "--out", out), 2, "no topic")
    assert not out.exists()


# --------------------------------------------------------------------------- settings


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--strategy", "best-frist"], "did you mean 'best-first'"),
        (["--set", "crawl.pagse=3"], "unknown setting crawl.pagse; did you mean 'crawl.pages'"),
        (["--set", "craw.pages=3"], "unknown section 'craw'; did you mean 'crawl'"),
        (["--set", "crawl.pages=many"], r"crawl\.pages: "),
        (["--set", "pages=3"], "write section.key=value"),
        (["--set", "politeness.delay_s=90"], "is longer than politeness.delay_max_s"),
        (["--set", "fetch.proxy=http://127.0.0.1:3128"], "cannot go through fetch.proxy"),
        (["--set", "watch.metrics_port=70000"], "watch.metrics_port is a port"),
        (["--pages", "0"], "crawl.pages must be more than 0"),
        (["--delay", "-1"], "politeness.delay_s must not be negative"),
        (["--time", "soon"], "'soon' is not a time"),
        (["--bytes", "lots"], "is not a size"),
        (["--log", "loud"], r"watch\.log: there is no 'loud'"),
        (["--config", "absent.toml"], "there is no settings file absent.toml"),
    ],
)
def test_settings_that_are_wrong(
    tmp_path: Path, web: Path, arguments: list[str], message: str
) -> None:
    refused(crawl(tmp_path / "c", web, *arguments), 2, message)
    assert not (tmp_path / "c").exists()


def test_a_settings_file_that_is_no_toml(tmp_path: Path, web: Path) -> None:
    file = tmp_path / "shoal.toml"
    file.write_text("[crawl\npages = 3", encoding="utf-8")
    refused(crawl(tmp_path / "c", web, "--config", file), 2, "is not valid TOML")


def test_the_environment_is_checked_as_well(tmp_path: Path) -> None:
    ran = shoal("config", "show", SHOAL_CRAWL_PAGSE="3")
    refused(ran, 2, "unknown setting crawl.pagse")


# --------------------------------------------------------------------------- directories


def test_a_foreign_directory_is_left_alone(tmp_path: Path, web: Path) -> None:
    (tmp_path / "thesis.doc").write_text("years of work", encoding="utf-8")
    refused(crawl(tmp_path, web), 2, "is not empty and holds no crawl")
    refused(crawl(tmp_path / "thesis.doc", web), 2, "is a file")
    assert contents(tmp_path) == {"thesis.doc": b"years of work"}


def test_a_place_that_takes_no_directory(tmp_path: Path, web: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    refused(crawl(tmp_path / "file" / "c", web), 3, "cannot write to")


@pytest.mark.parametrize("command", ["report", "pages", "why", "export"])
def test_reading_what_is_no_crawl(tmp_path: Path, command: str) -> None:
    more = {"why": [SEED], "export": ["--format", "csv"]}.get(command, [])
    refused(shoal(command, tmp_path / "absent", *more), 2, "there is no directory")
    refused(shoal(command, tmp_path, *more), 2, "holds no crawl")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", [["report"], ["crawl", "--out"]])
@pytest.mark.parametrize("damage", ["not SQLite", "torn", "empty page", "absent"])
def test_a_state_file_that_is_damaged(unfinished: Path, arguments: list[str], damage: str) -> None:
    file = unfinished / "state.sqlite"
    data = file.read_bytes()
    if damage == "not SQLite":
        file.write_bytes(b"\x00nothing of ours" * 500)
    elif damage == "torn":
        file.write_bytes(data[: len(data) // 2])
    elif damage == "empty page":
        file.write_bytes(data[:4096] + bytes(8 * 4096) + data[9 * 4096 :])
    else:
        file.unlink()
    before = contents(unfinished)
    ran = shoal(*arguments, unfinished)
    refused(ran, 3, r"state\.sqlite")
    assert contents(unfinished) == before


def test_a_crawl_toml_that_is_damaged(unfinished: Path) -> None:
    file = unfinished / "crawl.toml"
    file.write_text("[crawl]\nlikes = 'cats'\n", encoding="utf-8")
    refused(shoal("crawl", "--out", unfinished), 2, "unknown setting crawl.likes")
    refused(shoal("report", unfinished), 2, "unknown setting crawl.likes")


def test_an_archive_shorter_than_the_state_vouches_for(unfinished: Path) -> None:
    file = next((unfinished / "archive").glob("*.warc.gz"))
    file.write_bytes(file.read_bytes()[:-40])
    before = contents(unfinished)
    ran = shoal("crawl", "--out", unfinished)
    refused(ran, 3, "the archive is not what the state vouches for.*Nothing was changed")
    assert contents(unfinished) == before


# --------------------------------------------------------------------------- no page at all


def test_seeds_that_are_refused(tmp_path: Path) -> None:
    out = tmp_path / "c"
    given = ("--seeds", "http://localhost:9/", "--out", out, "--pages", "5")
    ran = well("crawl", TOPIC, *given)
    assert "There is no page." in ran.err
    assert "private-host (localhost is not on the public network" in ran.err
    assert f"why {out} http://localhost:9/" in ran.err


def test_seeds_that_nobody_answers_for(tmp_path: Path) -> None:
    with closing(socket.socket()) as nobody:
        nobody.bind(("127.0.0.1", 0))
        seed = f"http://127.0.0.1:{nobody.getsockname()[1]}/"
        given = (
            "--seeds",
            seed,
            "--out",
            tmp_path / "c",
            "--pages",
            "5",
            "--time",
            "1s",
            "--delay",
            "0",
        )
        ran = well("crawl", TOPIC, *given, "--allow-private")
    assert "another attempt, since robots.txt could not be had (connect)" in ran.err
    assert "It failed and waits for another attempt" in ran.err


# --------------------------------------------------------------------------- frozen webs


def test_webs_that_are_none(tmp_path: Path) -> None:
    empty_folder = tmp_path / "folder"
    empty_folder.mkdir()
    empty = tmp_path / "empty.warc"
    empty.write_bytes(b"")
    empty_gzip = tmp_path / "empty.warc.gz"
    empty_gzip.write_bytes(gzip.compress(b""))
    torn = make_warc(tmp_path / "torn.warc.gz")
    torn.write_bytes(torn.read_bytes()[:-30])
    text = tmp_path / "notes.txt"
    text.write_text("no archive", encoding="utf-8")
    garbage = tmp_path / "garbage.warc.gz"
    garbage.write_bytes(b"\x1f\x8b garbage")
    for given, message in (
        (tmp_path / "absent", "no such file or folder"),
        (empty_folder, "an empty folder"),
        (empty, "empty|no page|holds no"),
        (empty_gzip, "empty|no page|holds no"),
        (torn, r"torn\.warc\.gz"),
        (text, "not a WARC file"),
        (garbage, r"garbage\.warc\.gz"),
        ("synthetic:pagse=9", "pagse"),
        ("synthetic:pages=1", "must be from"),
    ):
        refused(crawl(tmp_path / "c", given), 2, message)
        refused(shoal("serve-frozen", given, "--port", "0"), 2, message)
        assert not (tmp_path / "c").exists()


# --------------------------------------------------------------------------- ports and exports


@contextmanager
def taken_port() -> Iterator[int]:
    with closing(socket.socket()) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield int(listener.getsockname()[1])


def test_ports_that_are_taken(tmp_path: Path, web: Path) -> None:
    with taken_port() as port:
        ran = crawl(tmp_path / "c", web, "--set", f"watch.metrics_port={port}")
        refused(ran, 2, f"cannot serve metrics on port {port}")
        assert not (tmp_path / "c").exists()
        refused(shoal("serve-frozen", web, "--port", str(port)), 2, f"cannot listen on port {port}")


def test_an_export_onto_something_else(finished: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "diary.txt").write_text("dear diary", encoding="utf-8")
    for form, target, message in (
        ("csv", folder, "is a folder"),
        ("txt", folder, "holds something else"),
        ("txt", folder / "diary.txt", "is a file"),
        ("csv", tmp_path / "absent" / "x.csv", "there is no folder"),
    ):
        ran = shoal("export", finished, "--format", form, "--out", target)
        refused(ran, 2, message)
    assert contents(tmp_path) == {"diary.txt": b"dear diary"}


def test_an_export_of_an_archive_with_holes(unfinished: Path, tmp_path: Path) -> None:
    """What cannot be read is counted and named; the rest is there."""
    shutil.rmtree(unfinished / "archive")
    (unfinished / "archive").mkdir()
    ran = well("export", unfinished, "--format", "jsonl", "--out", tmp_path / "x.jsonl")
    assert "2 pages could not be read from the archive" in ran.out


@pytest.mark.parametrize("address", ["http://", "http://[::1"])
def test_why_of_what_is_no_address(finished: Path, address: str) -> None:
    ran = shoal("why", finished, address)
    refused(ran, 2, "")
