"""The commands, as somebody uses them one after another."""

from __future__ import annotations

import csv
import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet
import pytest
from fastwarc.warc import ArchiveIterator, WarcRecordType
from typer.main import get_command

from shoal.cli import app
from tests.cli.command import Ran, refused, shoal, well
from tests.cli.webs import HOST, SEED, TOPIC, make_warc

COMMANDS = (
    "crawl",
    "record",
    "report",
    "why",
    "pages",
    "export",
    "serve-frozen",
    "demo",
    "config show",
    "config check",
    "config schema",
    "strategies",
    "topic check",
    "topic compare",
    "topic find",
    "topic show",
    "topic suggest",
    "lab run",
    "lab list",
    "lab compare",
    "lab freeze",
    "model train",
    "model test",
    "model show",
    "model classify",
    "model locality",
    "team status",
    "team add",
    "team split",
    "team drain",
    "team move",
    "language",
)


# --------------------------------------------------------------------------- help


def test_the_commands_are_these() -> None:
    found = []
    for name, command in vars(get_command(app))["commands"].items():
        inner = vars(command).get("commands")
        found += [f"{name} {key}" for key in inner] if inner else [name]
    assert sorted(found) == sorted(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_an_example_in_its_help(command: str) -> None:
    ran = well(*command.split(), "--help")
    assert f"Example: shoal {command}" in ran.out


def test_no_command_waits_for_what_another_one_needs() -> None:
    heavy = {"scipy", "sklearn", "pyarrow", "asyncio", "fasttext", "prometheus_client"}
    code = f"import sys, shoal.cli; sys.exit(', '.join({heavy} & set(sys.modules)) or 0)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_without_a_command_there_is_help() -> None:
    assert "Usage: shoal" in shoal().out


# --------------------------------------------------------------------------- crawl, and go on


def crawl(directory: Path, web: object, *more: str) -> Ran:
    return shoal("crawl", TOPIC, "--seeds", SEED, "--web", str(web), "--out", directory, *more)


def report(directory: Path) -> dict[str, object]:
    found = json.loads(well("report", directory, "--json").out)
    assert isinstance(found, dict)
    return found


def test_the_same_command_goes_on_and_then_says_that_it_is_done(tmp_path: Path, web: Path) -> None:
    directory = tmp_path / "garden"
    assert crawl(directory, web, "--pages", "2").code == 0
    assert report(directory)["stop_reason"] == "pages"
    assert crawl(directory, web, "--accept-changes").code == 0
    done = report(directory)
    assert (done["pages"], done["stop_reason"]) == (5, "finished")
    again = crawl(directory, web)
    assert again.code == 0
    assert "every known Url is settled or refused" in again.err
    assert report(directory) | {"ended": 0} == done | {"ended": 0}


def test_a_crawl_goes_on_by_its_directory_alone(
    unfinished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "stopped, pages: 2 pages, as asked for" in well("crawl", "--out", unfinished).err
    well("crawl", "--out", unfinished, "--pages", "3", "--accept-changes")
    assert report(unfinished)["pages"] == 3


def test_it_goes_on_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seeds and web that were given by a relative path are found again."""
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    (here / "seeds.txt").write_text(f"{SEED}\n", encoding="utf-8")
    make_warc(here / "web.warc.gz")
    monkeypatch.chdir(here)
    well("crawl", TOPIC, "--seeds", "seeds.txt", "--web", "web.warc.gz", "--out", "c")
    monkeypatch.chdir(there)
    well("crawl", "--out", "../here/c")


def test_changed_settings_are_shown_and_refused(unfinished: Path, web: Path) -> None:
    before = (unfinished / "crawl.toml").read_bytes()
    ran = crawl(unfinished, web, "--pages", "4", "--delay", "3")
    refused(ran, 2, r"crawl\.pages: 2 -> 4\n  politeness\.delay_s: 1\.0 -> 3\.0")
    assert "--accept-changes" in ran.err
    assert (unfinished / "crawl.toml").read_bytes() == before
    assert crawl(unfinished, web, "--pages", "4", "--delay", "3", "--accept-changes").code == 0
    assert report(unfinished)["pages"] == 4


@pytest.mark.parametrize(
    ("flag", "value", "reason"),
    [("--pages", "1", "pages"), ("--time", "3s", "time"), ("--bytes", "1K", "bytes")],
)
def test_what_was_asked_for_is_why_it_stops(
    tmp_path: Path, web: Path, flag: str, value: str, reason: str
) -> None:
    assert crawl(tmp_path / "c", web, flag, value).code == 0
    assert report(tmp_path / "c")["stop_reason"] == reason


def test_a_warc_of_another_program_is_a_web(tmp_path: Path) -> None:
    assert crawl(tmp_path / "c", make_warc(tmp_path / "web.warc.gz")).code == 0
    assert (report(tmp_path / "c")["pages"], report(tmp_path / "c")["hosts"]) == (5, 2)


def test_a_crawl_is_itself_a_web(tmp_path: Path, finished: Path) -> None:
    assert crawl(tmp_path / "c", finished).code == 0
    assert report(tmp_path / "c")["pages"] == 5


def test_settings_come_from_file_environment_and_flags(tmp_path: Path, web: Path) -> None:
    (tmp_path / "shoal.toml").write_text(
        "[crawl]\npages = 4\nstrategy = 'breadth-first'\n[politeness]\ndelay_s = 4.0\n"
        "[archive]\nlevel = 4\n",
        encoding="utf-8",
    )
    given = ("--config", str(tmp_path / "shoal.toml"), "--set", "politeness.delay_s=2")
    ran = shoal(
        *("crawl", TOPIC, "--seeds", SEED, "--web", web, "--out", tmp_path / "c"),
        *(*given, "--pages", "1"),
        SHOAL_ARCHIVE_LEVEL="9",
        SHOAL_POLITENESS_DELAY_S="3",
    )
    assert ran.code == 0, ran.err
    shown = well("config", "show", tmp_path / "c").out
    for line in ("pages = 1", 'strategy = "breadth-first"', "delay_s = 2.0", "level = 9"):
        assert line in shown.splitlines()


def test_a_settings_file_may_be_the_one_argument(tmp_path: Path, web: Path) -> None:
    file = tmp_path / "team.toml"
    file.write_text(
        f"[crawl]\ntopic = [{TOPIC!r}]\nseeds = [{SEED!r}]\nweb = {str(web)!r}\npages = 3\n",
        encoding="utf-8",
    )
    assert well("crawl", file, "--out", tmp_path / "c", "--log", "none").code == 0
    assert report(tmp_path / "c")["pages"] == 3
    assert well("crawl", file, "--out", tmp_path / "d", "--pages", "2", "--log", "none").code == 0
    assert report(tmp_path / "d")["pages"] == 2
    refused(shoal("crawl", file, "fever"), 2, "a settings file stands alone")
    refused(shoal("crawl", tmp_path / "no.toml"), 2, "there is no settings file")
    refused(shoal("crawl", file, "--config", file), 2, "are two settings files")


def test_logs_can_be_json_or_nothing(tmp_path: Path, web: Path) -> None:
    assert crawl(tmp_path / "silent", web, "--log", "none").err == ""
    lines = crawl(tmp_path / "json", web, "--log", "json").err.splitlines()
    said = [json.loads(line)["event"] for line in lines]
    assert said.count("started") == 1
    assert said[-1] == "stopped"
    assert said.count("settled") == 10


# --------------------------------------------------------------------------- report, pages


def test_report_counts(finished: Path) -> None:
    found = report(finished)
    wanted = {"pages", "relevant", "harvest", "bytes", "hosts", "errors", "duplicates"}
    assert wanted | {"stop_reason"} <= set(found)
    assert (found["pages"], found["relevant"], found["hosts"]) == (5, 3, 2)
    assert found["harvest"] == pytest.approx(0.6)
    assert found["errors"] == {"http_404": 2, "robots": 1}
    assert found["duplicates"] == {"exact": 1, "near": 0}
    assert found["stop_reason"] == "finished"


def test_report_in_words_and_as_a_page(finished: Path) -> None:
    ran = well("report", finished)
    for words in ("5 pages", "60.0 % harvest", "every known Url is settled", "report.html"):
        assert words in ran.out
    page = (finished / "report.html").read_text(encoding="utf-8")
    assert "dengue fever" in page
    assert "<svg" in page
    assert "src=" not in page, "the page stands alone"


def test_pages_are_sorted_and_limited(finished: Path) -> None:
    found = json.loads(well("pages", finished, "--limit", "3", "--json").out)
    assert len(found) == 3
    relevances = [row["relevance"] for row in found]
    assert relevances == sorted(relevances, reverse=True)
    assert len(json.loads(well("pages", finished, "--json").out)) == 5
    assert "The garden" in well("pages", finished).out


# --------------------------------------------------------------------------- why


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("", ("kept as a page", "it is a seed", "archived in shoal-00001.warc.gz")),
        ("dengue/two.html", ("anchor 0", "content 0", "way here", "Dengue fever, part two")),
        ("archive.zip", ("Refused by the rule extension", "ends in .zip")),
        ("private/diary.html", ("forbidden by robots.txt", 'line 2: "Disallow: /private/"')),
        ("folder", ("redirects elsewhere: /folder/", "HTTP 301")),
        ("folder/", ("kept as a page",)),
        ("dengue/copy.html", ("says exactly what an earlier page says", "dengue/one.html")),
        ("gone.html", ("answered with an error: HTTP 404",)),
        ("nobody/links/here", ("Unknown", "above it, was fetched")),
        ("film.mp4", ("Unknown", "The scope would refuse it")),
        ("private/more", ("Unknown", "robots.txt forbids it")),
    ],
)
def test_why_has_an_answer(finished: Path, path: str, words: tuple[str, ...]) -> None:
    said = well("why", finished, SEED + path).out
    for wanted in words:
        assert wanted in said


def test_why_of_a_url_that_waits(unfinished: Path) -> None:
    said = well("why", unfinished, f"{SEED}tomatoes.html").out
    assert "Waiting: it has not been tried yet." in said


def test_why_of_an_unknown_host(finished: Path) -> None:
    assert "Nothing of its host unheard.example is known" in well(
        "why", finished, "unheard.example/x"
    ).out.replace("\n", " ")


def test_why_as_json(finished: Path) -> None:
    story = json.loads(well("why", finished, f"{SEED}dengue/two.html", "--json").out)
    assert story["known"]
    assert story["ruling"]["admitted"] is True
    assert story["source"] == SEED
    assert [part["name"] for part in story["parts"]] == ["content", "anchor"]
    assert story["attempts"][0]["outcome"] == "page"


# --------------------------------------------------------------------------- export


def test_export_in_every_format(finished: Path, tmp_path: Path) -> None:
    def export(form: str, *more: str) -> Path:
        target = tmp_path / f"out.{form}"
        well("export", finished, "--format", form, "--out", target, *more)
        return target

    urls = {row["url"] for row in map(json.loads, export("jsonl").read_text().splitlines())}
    assert len(urls) == 6
    assert f"{SEED}dengue/copy.html" in urls
    table = pyarrow.parquet.read_table(export("parquet"))
    assert set(table.column("url").to_pylist()) == urls
    assert all("fever" in text or "stake" in text for text in table.column("text").to_pylist())
    with export("csv").open(encoding="utf-8", newline="") as file:
        assert {row["url"] for row in csv.DictReader(file)} == urls
    with export("warc").open("rb") as warc:
        records = ArchiveIterator(warc, record_types=WarcRecordType.response, parse_http=False)
        named = {record.headers["WARC-Target-URI"] for record in records}
        assert named <= urls
        assert named >= urls - {f"{SEED}dengue/copy.html"}
    assert len(list(export("txt").rglob("*.txt"))) == 6


def test_export_of_relevant_and_unique_pages(finished: Path, tmp_path: Path) -> None:
    target = tmp_path / "best.jsonl"
    ran = well(
        *("export", finished, "--format", "jsonl", "--out", target),
        *("--relevant", "0.5", "--unique"),
    )
    assert "3 pages" in ran.out
    rows = [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]
    assert all(row["relevance"] >= 0.5 and row["outcome"] == "page" for row in rows)


def test_export_goes_beside_the_crawl(unfinished: Path) -> None:
    well("export", unfinished, "--format", "csv")
    assert (unfinished.parent / "two.csv").is_file()


# --------------------------------------------------------------------------- config


def test_config_show_prints_what_config_check_takes(tmp_path: Path) -> None:
    file = tmp_path / "shoal.toml"
    shown = well("config", "show", "--set", "scope.hosts=a.example,b.example").out
    assert 'hosts = ["a.example", "b.example"]' in shown
    file.write_text(shown, encoding="utf-8")
    assert "all settings are right" in well("config", "check", file).out


def test_config_check_names_the_nearest_key(tmp_path: Path) -> None:
    file = tmp_path / "shoal.toml"
    file.write_text("[politeness]\ndelay = 2.0\n", encoding="utf-8")
    ran = shoal("config", "check", file)
    refused(ran, 2, r"unknown setting politeness\.delay; did you mean 'politeness.delay_s'\?")


def test_config_schema_is_json_schema() -> None:
    schema = json.loads(well("config", "schema").out)
    assert schema["$defs"]["PolitenessSettings"]["properties"]["delay_s"]["description"]


# --------------------------------------------------------------------------- the state itself


def test_reading_commands_leave_the_state_as_it_is(unfinished: Path) -> None:
    before = (unfinished / "state.sqlite").read_bytes()
    for command in (("report",), ("pages",), ("why", SEED)):
        well(command[0], unfinished, *command[1:])
    well("export", unfinished, "--format", "txt")
    assert (unfinished / "state.sqlite").read_bytes() == before
    with sqlite3.connect(unfinished / "state.sqlite") as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


def test_the_host_is_the_small_web(finished: Path) -> None:
    assert HOST in well("report", finished).out
