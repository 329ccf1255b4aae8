"""Training sets from lists, HAR files, WARC files and crawls, as `shoal record` makes them."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from shoal.training.har import BadHar, read_har
from shoal.training.path_file import BadPath, read_path_file
from shoal.training.set_file import load_training_set
from shoal.training.training_set import TrainingSet
from tests.cli.command import Ran, refused, shoal, well
from tests.cli.webs import PAGES, SEED, TOPIC, make_folder, make_warc

ONE, TWO, TOMATOES = SEED + "dengue/one.html", SEED + "dengue/two.html", SEED + "tomatoes.html"


@pytest.fixture
def web(tmp_path: Path) -> Path:
    return make_folder(tmp_path)


def recorded(tmp_path: Path, source: Path, *more: object) -> TrainingSet:
    out = tmp_path / "made.training"
    well("record", source, "--out", out, *map(str, more))
    return load_training_set(out)


def listed(tmp_path: Path, text: str, name: str = "path.txt") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def marks(made: TrainingSet) -> list[tuple[str, bool, tuple[int, ...]]]:
    return [(page.url, page.relevant, page.links) for page in made.pages]


# --------------------------------------------------------------------------- lists


def test_a_list_of_addresses_and_marks(tmp_path: Path, web: Path) -> None:
    path = listed(tmp_path, f"# today\n{SEED} not\n\n{ONE}\trelevant\n{TOMATOES} no\n")
    made = recorded(tmp_path, path, "--web", web)
    assert marks(made) == [(SEED, False, (1, 2)), (ONE, True, ()), (TOMATOES, False, ())]
    assert made.pages[2].terms["tomatoes"] > 3


def test_what_it_made_is_told(tmp_path: Path, web: Path) -> None:
    path = listed(tmp_path, f"{SEED} not\n{ONE} yes\n{SEED}gone.html no\n")
    out = tmp_path / "set"
    ran = well("record", path, "--web", web, "--out", out)
    assert "2 pages, 1 of them relevant, with 1 links between them, are in" in ran.out
    assert f"1 visits have no page: {SEED}gone.html" in ran.out
    told = json.loads(well("record", path, "--web", web, "--out", out, "--json").out)
    assert told["missing"] == [f"{SEED}gone.html"]
    assert (told["pages"], told["relevant"], told["links"]) == (2, 1, 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no addresses in it"),
        (f"{ONE} yes\n{SEED}\n", "line 2: .* is not an address and then 'relevant' or 'not'"),
        (f"{ONE} perhaps\n", "line 1: "),
        (f"{ONE} yes no\n", "line 1: "),
    ],
)
def test_a_list_that_is_none(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(BadPath, match=message):
        read_path_file(listed(tmp_path, text))


def test_what_cannot_be_recorded_is_said_and_nothing_is_written(tmp_path: Path, web: Path) -> None:
    out = tmp_path / "set"

    def ran(source: Path, *more: object) -> Ran:
        return shoal("record", source, "--out", out, *map(str, more))

    path = listed(tmp_path, f"{SEED} not\n")
    warc = make_warc(tmp_path / "some.warc.gz")
    refused(ran(tmp_path / "absent"), 2, "no such file; give a list of addresses and marks")
    refused(ran(path), 2, "lists addresses; say with --web")
    refused(ran(path, "--web", web), 2, "none of its 1 pages is marked as relevant")
    refused(ran(path, "--web", tmp_path / "no"), 2, "no such file or folder")
    refused(ran(warc), 2, "does not say which pages are relevant")
    gone = listed(tmp_path, f"{SEED}gone.html yes\n", "gone.txt")
    refused(ran(gone, "--web", web), 2, "none of its 1 pages is kept anywhere, such as http")
    elsewhere = listed(tmp_path, "http://elsewhere.example/\n", "elsewhere.txt")
    refused(ran(warc, "--relevant", elsewhere), 2, "none of its 8 pages is listed in .*elsewhere")
    bad = listed(tmp_path, "mailto:me\n", "bad.txt")
    refused(ran(warc, "--relevant", bad), 2, "'mailto:me' is no address")
    two = listed(tmp_path, f"{ONE} {TWO}\n", "two.txt")
    refused(ran(warc, "--relevant", two), 2, "line 1: .* is not one address")
    refused(ran(tmp_path, "--web", web), 2, "holds no crawl")
    damaged = tmp_path / "damaged.warc.gz"
    damaged.write_bytes(warc.read_bytes()[:900])
    refused(ran(damaged, "--relevant", elsewhere), 2, "is not a whole WARC file")
    refused(
        shoal("record", path, "--web", web, "--out", tmp_path / "no" / "set"), 2, "there is no fold"
    )
    assert not out.exists()


# --------------------------------------------------------------------------- WARC, crawls


def test_a_warc_file_and_a_list_of_the_relevant(tmp_path: Path) -> None:
    found = listed(tmp_path, f"{ONE}\n{TWO}\n")
    made = recorded(tmp_path, make_warc(tmp_path / "seen.warc.gz"), "--relevant", found)
    # In the order of the file; robots.txt is plain text and was fetched like any page.
    assert [page.url for page in made.pages][:3] == [SEED + "robots.txt", SEED, ONE]
    assert [page.url for page in made.pages if page.relevant] == [ONE, TWO]
    assert len(made.pages) == len(PAGES)


def test_a_crawl_by_what_it_judged(tmp_path: Path, web: Path) -> None:
    crawl = tmp_path / "crawl"
    well("crawl", TOPIC, "--seeds", SEED, "--web", web, "--out", crawl)
    made = recorded(tmp_path, crawl)
    told = {page.url: page.relevant for page in made.pages}
    assert told[SEED] is told[ONE] is told[TWO] is True
    assert told[TOMATOES] is False
    assert made.pages[0].url == SEED
    assert len(made.pages[0].links) == len(made.pages) - 1
    other = recorded(tmp_path, crawl, "--relevant", listed(tmp_path, TOMATOES))
    assert [page.url for page in other.pages if page.relevant] == [TOMATOES]


# --------------------------------------------------------------------------- HAR


def entry(url: str, text: str | None, **changes: Any) -> dict[str, Any]:
    content: dict[str, Any] = {"mimeType": "text/html; charset=latin-1", "size": 1}
    if text is not None:
        content["text"] = text
    made = {
        "startedDateTime": changes.pop("started", "2024-05-01T12:00:00Z"),
        "request": {
            "method": changes.pop("method", "GET"),
            "url": url,
            "headers": [{"name": "Referer", "value": changes.pop("referer", "about:blank")}],
        },
        "response": {
            "status": changes.pop("status", 200),
            "content": {**content, **changes.pop("content", {})},
        },
    }
    return {**made, **changes}


def har(tmp_path: Path, *entries: dict[str, Any]) -> Path:
    return listed(
        tmp_path, json.dumps({"log": {"version": "1.2", "entries": entries}}), "session.har"
    )


def test_a_har_file_and_a_list_of_the_relevant(tmp_path: Path, web: Path) -> None:
    path = har(
        tmp_path,
        entry(ONE, PAGES["dengue/one.html"], started="2024-05-01T12:00:09Z", referer=TOMATOES),
        entry(TOMATOES, "<title>Tomatoes</title>Pizzería", started="2024-05-01T12:00:01Z"),
        entry(SEED + "x.js", "alert()", content={"mimeType": "text/javascript"}),
        entry(SEED + "frame", "<p>frame", _resourceType="document", method="POST"),
        entry(SEED + "ad", "<p>buy", _resourceType="sub_frame"),
        entry(SEED + "lost", "<p>lost", status=404),
        entry(TWO, None, started="2024-05-01T12:00:30Z"),
        entry("about:blank", "<p>"),
    )
    made = recorded(tmp_path, path, "--web", web, "--relevant", listed(tmp_path, f"{ONE}\n{TWO}\n"))
    # By time; the page that was not kept comes from the frozen web, the link from the referrer.
    assert marks(made) == [(TOMATOES, False, (1,)), (ONE, True, ()), (TWO, True, ())]
    assert "pizzería" in made.pages[0].terms


def test_a_body_in_base64(tmp_path: Path) -> None:
    text = base64.b64encode("<p>Überall Öl".encode("latin-1")).decode()
    path = har(tmp_path, entry(ONE, text, content={"encoding": "base64"}))
    assert read_har(path)[0].body == "<p>Überall Öl".encode("latin-1")
    made = recorded(tmp_path, path, "--relevant", listed(tmp_path, ONE))
    assert set(made.pages[0].terms) == {"überall", "öl"}
    assert read_har(har(tmp_path, entry(ONE, "x", content={"encoding": "base64"})))[0].body is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is no HAR file"),
        ("{}", "is no HAR file: .*log"),
        ('{"log": {"entries": [{"startedDateTime": 3}]}}', "is no HAR file"),
        ('{"log": {"entries": []}}', "none of its 0 entries is a page"),
    ],
)
def test_a_har_file_that_is_none(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(BadHar, match=message):
        read_har(listed(tmp_path, text, "bad.har"))
