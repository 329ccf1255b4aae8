"""Experiments with teams: what may stand in their files, and what their runs come to."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from shoal.lab.experiment_file import BadExperiment
from shoal.lab.team_experiment_file import parse_team_experiment, read_any_experiment
from shoal.lab.team_score import rank_agreement, team_curve, team_figures_at
from shoal.lab.team_walk import Mark, TeamWalk
from tests.classify.pages import FARM, SEA, SKY, essay
from tests.cli.command import refused, shoal, well
from tests.lab.small import survey

HOST = "http://pages.example"
PAGES = 36
WORDS = {"sea": SEA, "farm": FARM, "sky": SKY}

EXPERIMENT = """
kind = "partition"
title = "Three subjects"
partitions = ["url", "content", "topic", "predicted-topic"]
crawlers = [3]
pages = [12, inf]
claims = [true, false]
[webs.small]
path = "web"
labels = "labels.tsv"
[seeds.random]
random = { sets = 1, size = 3 }
[set.team]
model = "subjects.model"
[set.duplicates]
near = false
"""


def subject(number: int) -> str:
    return list(WORDS)[number % 3]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pages of three subjects, which link two of their own and one of the next; and a model."""
    there = tmp_path_factory.mktemp("teams")
    root = there / "web" / "pages.example"
    root.mkdir(parents=True)
    rows = ["url\tlabels"]
    for number in range(PAGES):
        targets = [(number + step) % PAGES for step in (3, 9, 1)]
        links = "".join(
            f'<p><a href="/{to}.html">{" ".join(WORDS[subject(to)])}</a></p>' for to in targets
        )
        text = essay(WORDS[subject(number)], number, 90)
        (root / f"{number}.html").write_text(
            f'<!doctype html><html lang="en"><head><title>Page {number}</title></head>'
            f"<body><p>{text}</p>{links}</body></html>"
        )
        rows.append(f"{HOST}/{number}.html\t{subject(number)}")
    (there / "labels.tsv").write_text("\n".join(rows) + "\n")
    (there / "teams.toml").write_text(EXPERIMENT)
    well("model", "train", there / "labels.tsv", "--web", there / "web", "--out", there / "m")
    (there / "m").rename(there / "subjects.model")
    return there


@pytest.fixture(scope="module")
def ran(place: Path) -> Path:
    lab(place, "out", "--processes", "1")
    return place / "out"


def lab(place: Path, out: str, *more: str) -> str:
    command = ("lab", "run", place / "teams.toml", "--out", place / out)
    return well(*command, "--cache", place / "cache", *more).err


def runs(folder: Path) -> dict[tuple[str, bool], dict[str, Any]]:
    found = json.loads((folder / "results.json").read_text())
    return {(run["partition"], run["claims"]): run for run in found["runs"]}


def test_a_team_finds_the_whole_web_under_every_partition(ran: Path) -> None:
    told = runs(ran)
    assert len(told) == 8
    for run in told.values():
        last = run["at"][-1]
        assert (run["stopped"], last["pages"]) == ("finished", None)
        assert (last["distinct"], last["coverage"]) == (PAGES, 1.0)
        assert run["curve"]["fetched"][-1] == last["fetched"]
        assert run["curve"]["coverage"][-1] == 1.0
        assert sum(map(sum, last["matrix"])) == last["fetched"]
        assert len(last["matrix"]) == run["crawlers"] == len(run["names"])
        assert run["at"][0]["fetched"] == 12


def test_claims_leave_each_page_to_one_crawler_and_without_them_pages_are_met_twice(
    ran: Path,
) -> None:
    told = runs(ran)
    for name in ("url", "content", "topic", "predicted-topic"):
        assert told[name, True]["fetched_by"][0] == 1.0
    assert told["topic", False]["fetched_by"][0] < 1.0
    assert told["topic", False]["at"][-1]["overlap"] > 0.0


def test_address_partitions_keep_every_page_and_topics_more_links_than_chance(ran: Path) -> None:
    told = runs(ran)
    url, topic, predicted = (told[name, True] for name in ("url", "topic", "predicted-topic"))
    assert (url["local_page"], url["at"][-1]["handed_bytes"]) == (1.0, 0)
    assert 0.0 < url["local_url"] < 1.0
    assert topic["local_url"] == 1.0
    assert told["content", True]["local_page"] < topic["local_page"] <= predicted["local_page"]
    # One of the names is WORLD's, one that of pages without text.
    assert topic["crawlers"] == 5
    assert topic["at"][-1]["chance_even"] == 0.2
    assert topic["at"][-1]["chance_squares"] == pytest.approx(1 / 3, abs=0.01)


def test_what_is_sent_is_received(ran: Path) -> None:
    for run in runs(ran).values():
        assert run["exported_bytes"] == run["imported_bytes"] > 0


def test_the_same_files_bit_for_bit_and_nothing_is_run_twice(place: Path, ran: Path) -> None:
    assert "8 runs, 8 of them made now" in lab(place, "two", "--processes", "2")
    for file in ("results.json", "table.md", "report.html"):
        assert (place / "two" / file).read_bytes() == (ran / file).read_bytes()
    assert "8 runs, 0 of them made now" in lab(place, "two")


def test_topic_files_share_a_web_in_the_lab(place: Path) -> None:
    for name, words in (("sea", SEA), ("farm", FARM)):
        # The words of a Link to another subject are not to be enough.
        (place / f"{name}.toml").write_text(f"words = {json.dumps(words)}\nborder = 0.5\n")
    file = place / "files.toml"
    file.write_text(
        EXPERIMENT.replace('model = "subjects.model"', 'topics = ["sea.toml", "farm.toml"]')
    )
    command = ("lab", "run", file, "--out", place / "files", "--cache", place / "cache")
    assert "8 runs, 8 of them made now" in well(*command).err
    run = runs(place / "files")["topic", True]
    assert run["names"] == ["sea", "farm", "WORLD", "NO-TEXT"]
    received = [sum(column) for column in zip(*run["at"][-1]["matrix"], strict=True)]
    assert received == [PAGES / 3, PAGES / 3, PAGES / 3, 0]
    assert "8 runs, 0 of them made now" in well(*command).err
    (place / "farm.toml").write_text(f"words = {json.dumps(FARM[1:])}\n")
    assert "8 runs, 4 of them made now" in well(*command).err


def test_its_page_and_table_tell_every_team(ran: Path) -> None:
    table, page = (ran / "table.md").read_text(), (ran / "report.html").read_text()
    assert "### After 12 pages" in table
    assert "### When nothing is left" in table
    assert "| predicted-topic | 5 | no | pages |" in table
    assert page.count('role="img"') == 4 + 8
    assert "Who fetched for whom" in page
    assert "<script" not in page


# --------------------------------------------------------------------------- figures by hand

WALK = TeamWalk(
    crawlers=["a", "b"],
    pages=[0, 1, 2, 1, 3],
    by=[0, 0, 1, 1, 1],
    to=[0, 1, 1, 1, 0],
    sizes=[10, 20, 30, 20, 20],
    odd={3: "no_text"},
    marks=[Mark(2, 4, 3, 5, 5, 0, 0), Mark(5, 8, 4, 40, 40, 1, 2)],
    stopped="finished",
)
WEB = survey([[1, 2], [2], [0], [0], []])


def test_figures_by_hand() -> None:
    told = team_figures_at(WEB, WALK, float("inf"), None)
    assert (told.fetched, told.distinct) == (5, 4)
    assert (told.coverage, told.overlap) == (0.8, 0.25)
    # Of the classifiable: 0 stays with a, 1 goes from a to b, 2 and 1 stay with b.
    assert told.local_page == 0.75
    assert told.local_url == 0.5
    assert (told.chance_even, told.chance_squares) == (0.5, 0.625)
    assert told.fetched_by == [0.75, 0.25]
    assert (told.downloaded_bytes, told.handed_bytes) == (100, 40)
    assert (told.plain_per_byte, told.per_byte) == (0.8, 0.8)
    assert told.unclassifiable == {"empty": 1, "invalid": 2, "no_text": 1}
    assert told.matrix == [[1, 1], [1, 2]]
    first = team_figures_at(WEB, WALK, 2, None)
    assert (first.fetched, first.local_page, first.local_url) == (2, 0.5, 0.75)


def test_the_course_of_a_run_by_hand() -> None:
    curve = team_curve(WEB, WALK, None)
    assert curve.fetched == [2, 5]
    assert curve.coverage == [0.4, 0.8]
    assert curve.overlap == [0.0, 0.25]
    assert curve.local_page == [0.5, 0.75]


def test_a_crawler_with_all_pages_ranks_them_as_the_team_does() -> None:
    import numpy as np

    everything = np.arange(4)
    agreement = rank_agreement(WEB, everything, np.zeros(4, np.int64), 2, outward=False)
    assert agreement[0] == pytest.approx(1.0)
    assert agreement[1] is None


# --------------------------------------------------------------------------- the file


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("claims =", "claim =", "unknown key claim; did you mean 'claims'?"),
        ("crawlers = [3]", "crawlers = [0]", "crawlers: a team has at least 1"),
        ("crawlers = [3]", "crawlers = [3, 3]", "crawlers: 3 is there twice"),
        ("crawlers = [3]", 'crawlers = ["many"]', "crawlers[0]: Expected int, got str"),
        ("[12, inf]", "[1.5]", "1.5 is neither a whole number"),
        ("[12, inf]", "[nan]", "nan is neither a whole number"),
        ("[12, inf]", "[]", "pages is empty"),
        ("[true, false]", "[]", "claims is empty"),
        ("[true, false]", '[true]\ncarries = ["urls"]', "which claims forbid"),
        ("[true, false]", '[true]\ncarries = ["url"]', "no 'url'; did you mean 'urls'?"),
        ("[true, false]", "[true]\nhalf = 2", "half is 0 or 1"),
        ('"content"', '"url"', "partitions: 'url' is there twice"),
        ('"content"', '{ name = "url", lable = "u" }', "partitions.lable; did you mean 'label'?"),
        ("random = {", 'urls = ["http://pages.example/"]\nrandom = {', "either urls or random"),
        ("sets = 1", "set = 1", "unknown key seeds.random.random.set"),
        ("path =", "paths =", "unknown key webs.small.paths; did you mean 'path'?"),
    ],
)
def test_what_may_not_stand_there(before: str, after: str, said: str) -> None:
    assert before in EXPERIMENT
    with pytest.raises(BadExperiment) as error:
        parse_team_experiment(tomllib.loads(EXPERIMENT.replace(before, after)), Path("/there"))
    assert said in str(error.value)


def test_there_are_two_kinds(tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    file.write_text(EXPERIMENT.replace('"partition"', '"partitions"'))
    with pytest.raises(BadExperiment, match='write kind = "partition"'):
        read_any_experiment(file)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('"url"', '"urls"', "team.partition: there is no 'urls'; did you mean 'url'?"),
        ("crawlers = [3]", "", "crawlers is missing"),
        ("subjects.model", "no.model", "there is no file"),
        ('model = "subjects.model"', 'topics = ["sky.toml"]', "there is no topic file"),
        ("[set.team]", '[set.team]\ntopics = ["skies"]', "has no topic 'skies'; did you mean"),
        ("[set.team]", "[set.team]\nclaims = true", "set.team.claims: that is not to be set"),
        ("size = 3", "size = 99", "too few for seed sets of 99"),
    ],
)
def test_what_is_found_before_any_run(place: Path, before: str, after: str, said: str) -> None:
    file = place / "wrong.toml"
    assert before in EXPERIMENT
    file.write_text(EXPERIMENT.replace(before, after))
    out = place / "wrong"
    command = ("lab", "run", file, "--out", out, "--cache", place / "cache")
    refused(shoal(*command), 2, said)
    assert not out.exists()
