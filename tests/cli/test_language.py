"""`shoal language` as people use and misuse it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.classify.webs import html
from tests.cli.command import refused, shoal, well

ENGLISH = "The boat came home last night, and the sailors told us what they had seen on the way"
GERMAN = "Das Boot kam gestern Abend heim, und die Seeleute erzählten, was sie unterwegs sahen"


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "english.html").write_text(html("The boat", ENGLISH), encoding="utf-8")
    (folder / "german.html").write_text(html("Das Boot", GERMAN), encoding="utf-8")
    return folder


@pytest.mark.parametrize("whole", [(), ("--whole",)])
def test_each_page_is_told_in_two_ways(pages: Path, whole: tuple[str, ...]) -> None:
    ran = well("language", pages, "--json", *whole)
    told = {Path(one["page"]).name: one for one in map(json.loads, ran.out.splitlines())}
    assert told["english.html"]["language"] == "en"
    assert told["english.html"]["listed"]
    assert told["german.html"]["language"] == "de"
    assert not told["german.html"]["listed"]


def test_another_list_and_another_cutoff(pages: Path, tmp_path: Path) -> None:
    words = tmp_path / "words"
    words.write_text("\n".join(GERMAN.lower().replace(",", "").split()), encoding="utf-8")
    ran = well("language", pages / "german.html", "--words", words)
    assert ran.out.startswith("de ")
    assert "100.0 % listed  " in ran.out
    ran = well("language", pages / "german.html", "--words", words, "--cutoff", "1")
    assert "listed, too few" in ran.out


def test_what_is_refused(pages: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.write_text("", encoding="utf-8")
    refused(shoal("language", pages, "--words", empty), 2, "has no words in it")
    refused(shoal("language", pages, "--words", tmp_path / "none"), 2, "cannot be read")
    refused(shoal("language", tmp_path / "nowhere"), 2, "no such file")
    ran = shoal("language", pages, "--cutoff", "2")
    assert ran.code == 2
    assert "--cutoff" in ran.err
