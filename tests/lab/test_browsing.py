"""The simulated user: what is seen, what is held out, and training sets that come of it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from shoal.compose.lab import Lab, open_lab
from shoal.lab.browsing import CannotBrowse, Eyes, browse, path_key
from shoal.lab.experiment import BrowsingSpec
from shoal.lab.experiment_file import BadExperiment, read_experiment
from shoal.lab.plan import Quest
from shoal.model import Page
from shoal.training.set_file import load_training_set
from shoal.training.training_set import TrainingSet
from shoal.url import parse_url
from tests.cli.command import refused, shoal, well
from tests.lab.conftest import write_experiment

LEARNING = {'"breadth-first", "best-first"': '"hmm", "best-first"'}


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


def opened(experiment: Path, cache: Path) -> Lab:
    """A lab, closed again: its plan is what matters."""
    with open_lab(read_experiment(experiment), cache, lambda *_: None) as lab:
        return lab


def made_in(lab: Lab) -> TrainingSet:
    (path,) = {
        cell.set["strategy"]["training"] for cell in lab.plan.cells if cell.strategy.name == "hmm"
    }
    return load_training_set(Path(path))


def eyes(lab_cache: Path, experiment: Path, seen: list[int]) -> tuple[Quest, Eyes]:
    """Eyes that remember what they saw, and find nothing like the topic."""
    lab = opened(experiment, lab_cache)
    (quest,) = lab.plan.quests
    survey = quest.terrain.survey

    def see(number: int) -> Page:
        seen.append(number)
        return Page(url=parse_url(survey.urls[number]), media_type="text/html", terms={"word": 1})

    return quest, Eyes(see, lambda _: 0.0, lambda _: 0.0)


def test_a_strategy_that_learns_is_given_a_path(web: Path, cache: Path, tmp_path: Path) -> None:
    lab = opened(write_experiment(tmp_path, web, **LEARNING), cache)
    plain = [cell for cell in lab.plan.cells if cell.strategy.name == "best-first"]
    assert plain
    assert not any("training" in cell.set.get("strategy", {}) for cell in plain)
    made = made_in(lab)
    # A twentieth of 39 pages is two; the one that is told of comes with a session of its own.
    assert made.relevant >= 1
    assert made.links >= 1


def test_a_path_is_the_same_every_time(web: Path, cache: Path, tmp_path: Path) -> None:
    experiment = write_experiment(tmp_path, web, **LEARNING)
    once = made_in(opened(experiment, cache))
    assert made_in(opened(experiment, tmp_path / "other")) == once
    other = write_experiment(
        tmp_path, web, **LEARNING, **{"[webs.small]": "[browsing]\nseed = 2\n[webs.small]"}
    )
    assert made_in(opened(other, cache)) != once


def test_the_user_opens_so_many_pages(web: Path, cache: Path, tmp_path: Path) -> None:
    few = write_experiment(
        tmp_path, web, **LEARNING, **{"[webs.small]": "[browsing]\npages = 12\n[webs.small]"}
    )
    made = made_in(opened(few, cache))
    assert len(made.pages) >= 12
    assert len({page.url for page in made.pages}) == len(made.pages)


def test_the_seeds_of_the_test_are_never_opened(web: Path, cache: Path, tmp_path: Path) -> None:
    experiment = write_experiment(
        tmp_path, web, **LEARNING, **{"[webs.small]": "[browsing]\npages = 39\n[webs.small]"}
    )
    lab = opened(experiment, cache)
    (quest,) = lab.plan.quests
    seeds = {quest.terrain.survey.urls[n] for one in quest.sets for n in one.numbers}
    found = {page.url for page in made_in(lab).pages}
    assert len(found) > 25
    assert not found & seeds


def test_of_the_half_that_is_tested_no_relevant_page_is_opened(
    web: Path, cache: Path, tmp_path: Path
) -> None:
    experiment = write_experiment(
        tmp_path,
        web,
        **LEARNING,
        **{
            "[webs.small]": "[browsing]\npages = 39\n[webs.small]",
            'targets = "weather"': 'targets = "weather"\nhalf = 1',
        },
    )
    lab = opened(experiment, cache)
    (quest,) = lab.plan.quests
    urls = quest.terrain.survey.urls
    tested = {urls[n] for n in quest.targets.nonzero()[0].tolist()}
    found = {page.url: page.relevant for page in made_in(lab).pages}
    assert tested
    assert not found.keys() & tested
    # Those of the other half that were opened are marked as what they are.
    assert {url for url, mark in found.items() if mark} == {url for url in found if "storm" in url}


def test_nothing_is_marked_but_what_was_opened(web: Path, cache: Path, tmp_path: Path) -> None:
    """A user who sees no Links opens starts alone, and is told of one relevant page at last."""
    seen: list[int] = []
    quest, sight = eyes(cache, write_experiment(tmp_path, web), seen)
    made = browse(quest, BrowsingSpec(pages=5), sight)
    assert [page.url for page in made.pages] == [quest.terrain.survey.urls[n] for n in seen]
    assert [page.relevant for page in made.pages] == [False] * 5 + [True]
    assert all("bread" in page.url for page in made.pages[:5])


def test_where_everything_relevant_is_held_out_it_is_said(
    web: Path, cache: Path, tmp_path: Path
) -> None:
    quest, sight = eyes(cache, write_experiment(tmp_path, web), [])
    seeds = tuple(n for n, url in enumerate(quest.terrain.survey.urls) if "storm" in url)
    told = replace(quest, sets=(replace(quest.sets[0], numbers=seeds),))
    with pytest.raises(CannotBrowse, match=r"topics\.storms on webs\.small: every relevant page"):
        browse(told, BrowsingSpec(), sight)


def test_what_decides_a_path_decides_its_name(web: Path, cache: Path, tmp_path: Path) -> None:
    quest, _ = eyes(cache, write_experiment(tmp_path, web), [])
    spec = BrowsingSpec()
    assert path_key(quest, spec) == path_key(quest, BrowsingSpec())
    others = [
        path_key(quest, replace(spec, clicks=5)),
        path_key(replace(quest, sets=quest.sets[:1]), spec),
        path_key(replace(quest, spec=replace(quest.spec, words="tempest")), spec),
    ]
    assert len({path_key(quest, spec), *others}) == 4


def test_every_learning_strategy_runs_without_a_file(
    web: Path, cache: Path, tmp_path: Path
) -> None:
    names = '"context-graph", "hmm", "hmm-x-means", "hmm-content", "hmm-content-anchor"'
    experiment = write_experiment(
        tmp_path, web, **{'"breadth-first", "best-first"': names, "sets = 2": "sets = 1"}
    )
    out = tmp_path / "out"
    well("lab", "run", experiment, "--out", out, "--cache", cache, "--processes", "1")
    runs = json.loads((out / "results.json").read_text())["runs"]
    assert {run["fetched"] for run in runs} == {20}
    assert len(runs) == 5
    again = shoal("lab", "run", experiment, "--out", out, "--cache", cache, "--processes", "1")
    assert "5 runs, 0 of them made now" in again.err


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("[browsing]\npage = 3", r"unknown key browsing\.page; did you mean 'pages'"),
        ("[browsing]\npages = 0", r"browsing\.pages: 0"),
        ("[browsing]\npages = 1.5", r"browsing\.pages: 1\.5 is neither a whole number"),
        ("[browsing]\nclicks = 0", r"browsing\.clicks must be at least 1"),
    ],
)
def test_a_wrong_browsing_table_is_named(
    web: Path, tmp_path: Path, table: str, message: str
) -> None:
    experiment = write_experiment(tmp_path, web, **{"[webs.small]": f"{table}\n[webs.small]"})
    with pytest.raises(BadExperiment, match=message):
        read_experiment(experiment)


def test_a_set_that_is_given_is_taken(web: Path, cache: Path, tmp_path: Path) -> None:
    experiment = write_experiment(
        tmp_path,
        web,
        **LEARNING,
        **{"[webs.small]": '[options]\ntraining = "mine-{topic}.training"\n[webs.small]'},
    )
    refused(
        shoal("lab", "run", experiment, "--out", tmp_path / "out", "--cache", cache),
        2,
        "hmm for storms: .*mine-storms.training: no such file",
    )
