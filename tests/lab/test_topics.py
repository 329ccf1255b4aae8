"""Topics of other kinds than words in the lab, and what makes a run another run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import refused, shoal, well
from tests.lab.conftest import storm_page, write_experiment

WORDS = 'words = "hurricane tropical storm cyclone"'


def write(folder: Path, web: Path, crawl: str) -> Path:
    """The experiment of the other tests with a Topic of another kind."""
    experiment = write_experiment(folder, web, **{WORDS: ""})
    with experiment.open("a", encoding="utf-8") as file:
        file.write(f"[topics.storms.set.crawl]\n{crawl}\n")
    return experiment


def results(experiment: Path, cache: Path, out: Path) -> dict[str, float]:
    well("lab", "run", experiment, "--out", out, "--cache", cache, "--processes", "1")
    runs = json.loads((out / "results.json").read_text())["runs"]
    assert len(runs) == 4
    return {f"{run['strategy']} {run['seeds']}": run["harvest"] for run in runs}


@pytest.mark.parametrize(
    "crawl",
    [
        'topic_file = "storms.toml"',
        'like = ["one.html", "two.html"]',
        'like = ["http://web.example/storm1.html", "one.html"]',
    ],
)
def test_a_topic_of_another_kind_is_looked_for(web: Path, tmp_path: Path, crawl: str) -> None:
    (tmp_path / "storms.toml").write_text(WORDS, encoding="utf-8")
    for name, more in (("one", "Ships stayed in port."), ("two", "Roofs flew off.")):
        (tmp_path / f"{name}.html").write_text(f"<p>{storm_page(90)} {more}</p>")
    found = results(write(tmp_path, web, crawl), tmp_path / "cache", tmp_path / "out")
    for seeds in ("random-1", "random-2"):
        assert found[f"best-first {seeds}"] > found[f"breadth-first {seeds}"]


def test_a_topic_file_that_changed_makes_other_runs(web: Path, tmp_path: Path) -> None:
    file = tmp_path / "storms.toml"
    file.write_text(WORDS, encoding="utf-8")
    experiment = write(tmp_path, web, 'topic_file = "storms.toml"')
    storms = results(experiment, tmp_path / "cache", tmp_path / "out")
    assert results(experiment, tmp_path / "cache", tmp_path / "out") == storms
    file.write_text('words = "bread flour"', encoding="utf-8")
    bread = results(experiment, tmp_path / "cache", tmp_path / "out")
    assert bread["best-first random-1"] < storms["best-first random-1"]


def test_a_topic_that_cannot_be_made_is_named_before_any_run(web: Path, tmp_path: Path) -> None:
    experiment = write(tmp_path, web, 'topic_file = "storms.toml"')
    ran = shoal("lab", "run", experiment, "--out", tmp_path / "out", "--cache", tmp_path / "cache")
    refused(ran, 2, "topics.storms on webs.small: there is no topic file .*storms.toml")
    experiment = write(tmp_path, web, "parallel = 1")
    ran = shoal("lab", "run", experiment, "--out", tmp_path / "out", "--cache", tmp_path / "cache")
    refused(ran, 2, "topics.storms: give its words, or a Topic of another kind")
