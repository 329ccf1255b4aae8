"""Whole experiments: the same numbers however they are made, and mistakes found before any run."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from shoal.compose.lab import with_every_strategy
from shoal.errors import UsageError
from shoal.lab.experiment_file import read_experiment
from shoal.shelf.shelves import open_shelf
from shoal.strategy import registry
from shoal.strategy.breadth_first import BreadthFirst
from shoal.strategy.recipe import Brief, NoOptions, Recipe
from tests.cli.command import Ran, refused, shoal, well
from tests.lab.conftest import write_experiment


@dataclass(frozen=True, slots=True, kw_only=True)
class Trained:
    """Options of a Strategy made for a test."""

    training: str | None = None
    """A file."""


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def ran(web: Path, cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What an experiment left, made in one process."""
    folder = tmp_path_factory.mktemp("ran")
    lab(write_experiment(folder, web), folder / "out", cache)
    return folder / "out"


def lab(experiment: Path, out: Path, cache: Path, *more: str) -> Ran:
    return well("lab", "run", experiment, "--out", out, "--cache", cache, "--processes", "1", *more)


def results(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "results.json").read_text())
    return found


def wrong(experiment: Path, tmp_path: Path, cache: Path, message: str) -> None:
    """It is refused, and nothing was run or written."""
    out = tmp_path / "out"
    refused(shoal("lab", "run", experiment, "--out", out, "--cache", cache), 2, message)
    assert not out.exists()


def test_there_is_an_entry_a_run(ran: Path) -> None:
    runs = results(ran)["runs"]
    assert [(run["strategy"], run["seeds"], run["repetition"]) for run in runs] == [
        ("breadth-first", "random-1", 1),
        ("breadth-first", "random-2", 1),
        ("best-first", "random-1", 1),
        ("best-first", "random-2", 1),
    ]
    for run in runs:
        assert run["topic"] == "storms"
        assert run["fetched"] == 20
        assert run["harvest"] == run["relevant"] / 20
        assert run["recall"] == run["relevant"] / 8
        assert run["curve"]["fetched"] == list(range(1, 21))
        assert run["curve"]["relevant"][-1] == run["relevant"]
        assert [figures["pages"] for figures in run["at"]] == [10, 20]


def test_the_course_ends_in_the_figures(ran: Path) -> None:
    for run in results(ran)["runs"]:
        last, curve = run["at"][-1], run["curve"]
        for name in ("harvest", "recent_50", "recent_500", "own_harvest", "own_recent_50"):
            assert curve[name][-1] == last[name]
            assert len(curve[name]) == len(curve["fetched"])
        assert curve["fetched"][-1] == last["fetched"]
    assert results(ran)["oracle"][0]["curve"]["own_harvest"] == []


def test_best_first_finds_more_than_breadth_first_and_less_than_the_oracle(ran: Path) -> None:
    told = {(run["strategy"], run["seeds"]): run["oracle_ratio"] for run in results(ran)["runs"]}
    for seeds in ("random-1", "random-2"):
        assert told["breadth-first", seeds] < told["best-first", seeds] <= 1


def test_the_same_numbers_bit_for_bit(ran: Path, web: Path, cache: Path, tmp_path: Path) -> None:
    experiment = write_experiment(tmp_path, web)
    lab(experiment, tmp_path / "again", cache)
    well("lab", "run", experiment, "--out", tmp_path / "two", "--cache", cache, "--processes", "2")
    lab(experiment, tmp_path / "anew", tmp_path / "other-cache")
    for name in ("again", "two", "anew"):
        for file in ("results.json", "table.md", "report.html"):
            assert (tmp_path / name / file).read_bytes() == (ran / file).read_bytes()


def test_what_was_run_is_not_run_again(web: Path, cache: Path, tmp_path: Path) -> None:
    few = write_experiment(tmp_path, web, **{'"breadth-first", ': ""})
    assert "2 runs, 2 of them made now" in lab(few, tmp_path / "out", cache).err
    assert "2 runs, 0 of them made now" in lab(few, tmp_path / "out", cache).err
    more = write_experiment(tmp_path, web)
    assert "4 runs, 2 of them made now" in lab(more, tmp_path / "out", cache).err
    assert "4 runs, 4 of them made now" in lab(more, tmp_path / "out", cache, "--fresh").err


def test_a_torn_run_is_made_again(ran: Path, web: Path, cache: Path, tmp_path: Path) -> None:
    experiment = write_experiment(tmp_path, web)
    lab(experiment, tmp_path / "out", cache)
    before = (tmp_path / "out" / "results.json").read_bytes()
    kept = sorted((tmp_path / "out" / "runs").glob("*.json"))
    kept[0].unlink()
    assert "4 runs, 1 of them made now" in lab(experiment, tmp_path / "out", cache).err
    assert (tmp_path / "out" / "results.json").read_bytes() == before


def test_pages_left_out_are_left_out(web: Path, cache: Path, tmp_path: Path) -> None:
    experiment = write_experiment(
        tmp_path, web, **{"[topics.storms]": 'without = ["/index/*"]\n[topics.storms]'}
    )
    lab(experiment, tmp_path / "out", cache)
    assert results(tmp_path / "out")["webs"]["small"]["pages"] == 38


def test_an_open_web_answers_links_that_lead_nowhere(
    ran: Path, web: Path, cache: Path, tmp_path: Path
) -> None:
    opened = write_experiment(
        tmp_path, web, **{"[topics.storms]": "closed = false\n[topics.storms]"}
    )
    lab(opened, tmp_path / "out", cache)
    # A 404 is no page: breadth-first meets some, and fetches what it fetched without them.
    first = [run for run in results(tmp_path / "out")["runs"] if run["strategy"] == "breadth-first"]
    there = [run for run in results(ran)["runs"] if run["strategy"] == "breadth-first"]
    assert [run["curve"] for run in first] == [run["curve"] for run in there]


def test_a_synthetic_web_knows_its_own_labels(cache: Path, tmp_path: Path) -> None:
    path = tmp_path / "experiment.toml"
    path.write_text(
        'title = "s"\nstrategies = ["breadth-first", "best-first"]\npages = [60]\n'
        '[webs.made]\npath = "synthetic:pages=480,hosts=8"\n'
        '[topics.chess]\nwords = "chess openings endgame"\ntargets = "chess"\n'
        "[seeds.random]\nrandom_off_topic = { sets = 2, size = 2 }\n"
    )
    lab(path, tmp_path / "out", cache)
    told = results(tmp_path / "out")
    assert told["webs"]["made"]["targets"]["chess"] > 20
    assert all(run["fetched"] == 60 for run in told["runs"])


def test_the_page_is_one_file_that_runs_nothing(ran: Path) -> None:
    page = (ran / "report.html").read_text()
    assert "<script" not in page
    assert "http://" not in page
    assert page.count("<svg") == 5
    assert 'class="band c0"' in page


def test_compare_finds_no_difference_to_itself(ran: Path) -> None:
    told = json.loads(well("lab", "compare", ran, ran, "--json").out)
    assert [(one["strategy"], one["runs"], one["change"][0]) for one in told] == [
        ("breadth-first", 2, 0.0),
        ("best-first", 2, 0.0),
    ]
    assert "| small | best-first | 2 |" in well("lab", "compare", ran, ran).out


def test_list_tells_experiments_and_what_is_wrong_with_them(web: Path, tmp_path: Path) -> None:
    write_experiment(tmp_path, web)
    (tmp_path / "torn.toml").write_text("pages = 1\n")
    said = well("lab", "list", tmp_path).out
    assert "Storms and bread (2 strategies, 1 topics, 1 webs)" in said
    assert "webs is missing" in said
    told = json.loads(well("lab", "list", tmp_path, "--json").out)
    assert "best-first" in told["strategies"]
    refused(shoal("lab", "list", tmp_path / "none"), 2, "holds no experiment files")


def test_every_strategy_there_is(web: Path, cache: Path, tmp_path: Path) -> None:
    experiment = write_experiment(
        tmp_path,
        web,
        **{'"breadth-first", "best-first"': '"*", { name = "best-first", label = "b" }'},
    )
    names = [*registry.names(), "b"]
    names.remove("best-first")
    made = with_every_strategy(read_experiment(experiment))
    assert [strategy.shown for strategy in made.strategies] == names


def test_options_reach_the_strategies_that_have_them(
    web: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str | None] = []

    def make(brief: Brief, options: Trained) -> BreadthFirst:
        made.append(options.training)
        return BreadthFirst()

    recipe = Recipe("trained", "As it was trained.", Trained, make)
    monkeypatch.setattr(registry, "BUILT_IN", (*registry.BUILT_IN, recipe))
    (tmp_path / "sets").mkdir()
    (tmp_path / "sets" / "small-storms.json").write_text("{}")
    experiment = write_experiment(
        tmp_path,
        web,
        **{
            '"best-first"': '"trained"',
            "[webs.small]": '[options]\ntraining = "sets/{web}-{topic}.json"\n[webs.small]',
        },
    )
    assert "4 runs, 4 of them made now" in lab(experiment, tmp_path / "out", cache).err
    assert set(made) == {str(tmp_path / "sets" / "small-storms.json")}
    # What a run was made of is in the file as much as in the experiment.
    (tmp_path / "sets" / "small-storms.json").write_text('{"more": 1}')
    assert "4 runs, 2 of them made now" in lab(experiment, tmp_path / "out", cache).err


def test_one_half_of_the_targets(ran: Path, web: Path, cache: Path, tmp_path: Path) -> None:
    counts = []
    for half in (0, 1):
        path = write_experiment(tmp_path, web, **{"targets =": f"half = {half}\ntargets ="})
        lab(path, tmp_path / f"half{half}", cache)
        counts.append(results(tmp_path / f"half{half}")["webs"]["small"]["targets"]["storms"])
    assert sum(counts) == 8
    assert 0 < counts[0] < 8


# --------------------------------------------------------------------------- mistakes


def test_an_unknown_strategy(web: Path, cache: Path, tmp_path: Path) -> None:
    experiment = write_experiment(tmp_path, web, **{'"best-first"]': '"best-frist"]'})
    wrong(experiment, tmp_path, cache, "no 'best-frist'; did you mean 'best-first'")


def test_a_strategy_whose_resource_is_not_there(
    web: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make(brief: Brief, options: NoOptions) -> BreadthFirst:
        raise UsageError("WordNet is not there: get it")

    recipe = Recipe("semantic", "What WordNet says.", NoOptions, make)
    monkeypatch.setattr(registry, "BUILT_IN", (*registry.BUILT_IN, recipe))
    experiment = write_experiment(tmp_path, web, **{'"best-first"': '"semantic"'})
    wrong(experiment, tmp_path, cache, "semantic for storms: WordNet is not there: get it")


def test_a_topic_with_no_relevant_page(web: Path, cache: Path, tmp_path: Path) -> None:
    experiment = write_experiment(tmp_path, web, **{'"weather"': '"whether"'})
    wrong(experiment, tmp_path, cache, "topics.storms on webs.small: no page .* label whether")


def test_seeds_outside_the_web(web: Path, cache: Path, tmp_path: Path) -> None:
    experiment = write_experiment(
        tmp_path,
        web,
        **{"random_off_topic = { sets = 2, size = 2 }": 'urls = ["http://other.example/"]'},
    )
    wrong(experiment, tmp_path, cache, "seeds.random: http://other.example/ is not on this frozen")


def test_too_few_pages_to_draw_seeds_from(web: Path, cache: Path, tmp_path: Path) -> None:
    experiment = write_experiment(tmp_path, web, **{"size = 2": "size = 50"})
    wrong(experiment, tmp_path, cache, "30 off-topic pages with links for storms, too few")


def test_labels_of_another_web(web: Path, cache: Path, tmp_path: Path) -> None:
    (tmp_path / "other.tsv").write_text("url\tlabels\nhttp://other.example/\tweather\n")
    experiment = write_experiment(tmp_path, web, **{str(web / "labels.tsv"): "other.tsv"})
    wrong(experiment, tmp_path, cache, "none of its 1 addresses is on this web")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("address\tlabel\n", "must name the columns url and labels"),
        ("url\tlabels\nnowhere\tweather\n", "line 2"),
    ],
)
def test_labels_that_are_none(web: Path, cache: Path, tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "other.tsv").write_text(text)
    experiment = write_experiment(tmp_path, web, **{str(web / "labels.tsv"): "other.tsv"})
    wrong(experiment, tmp_path, cache, said)


def test_labels_that_are_missing(web: Path, cache: Path, tmp_path: Path) -> None:
    experiment = write_experiment(tmp_path, web, **{str(web / "labels.tsv"): "none.tsv"})
    wrong(experiment, tmp_path, cache, "cannot be read")


def test_a_web_that_is_not_there(web: Path, cache: Path, tmp_path: Path) -> None:
    experiment = write_experiment(tmp_path, web, **{str(web / "web"): "none.warc.gz"})
    wrong(experiment, tmp_path, cache, "none.warc.gz")


def test_settings_that_are_the_labs_own(web: Path, cache: Path, tmp_path: Path) -> None:
    experiment = write_experiment(
        tmp_path, web, **{"[topics.storms]": "[set.crawl]\nparallel = 8\n[topics.storms]"}
    )
    wrong(experiment, tmp_path, cache, "set.crawl.parallel: that is not to be set")


def test_a_setting_that_is_not_there(web: Path, cache: Path, tmp_path: Path) -> None:
    experiment = write_experiment(
        tmp_path, web, **{"[topics.storms]": "[set.scope]\ndephth = 8\n[topics.storms]"}
    )
    wrong(experiment, tmp_path, cache, "scope.dephth; did you mean 'scope.depth'")


def test_a_pattern_that_leaves_nothing_out(web: Path, cache: Path, tmp_path: Path) -> None:
    experiment = write_experiment(
        tmp_path, web, **{"[topics.storms]": 'without = ["/indx/*"]\n[topics.storms]'}
    )
    wrong(experiment, tmp_path, cache, "no address of the web matches")


def test_a_folder_that_is_somebody_elses(web: Path, cache: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.txt").write_text("mine")
    experiment = write_experiment(tmp_path, web)
    ran = shoal("lab", "run", experiment, "--out", tmp_path / "out", "--cache", cache)
    refused(ran, 2, "not empty and holds no experiment")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["thesis.txt"]


# --------------------------------------------------------------------------- freezing


def test_a_finished_crawl_becomes_a_frozen_web(web: Path, cache: Path, tmp_path: Path) -> None:
    crawl = tmp_path / "crawl"
    seed = "http://web.example/bread4.html"
    well(
        "crawl", "hurricane storm", "--seeds", seed, "--web", web / "web", "--out", crawl,
        "--log", "none",
    )  # fmt: skip
    said = well("lab", "freeze", crawl, "--out", tmp_path / "frozen").out
    assert "39 pages (12 relevant) in 1 WARC files" in said
    lab(tmp_path / "frozen" / "experiment.toml", tmp_path / "out", cache)
    told = results(tmp_path / "out")["webs"]["crawl"]
    assert told == {"pages": 39, "budgets": [4, 8], "targets": {"topic": 12}}
    refused(shoal("lab", "freeze", crawl, "--out", tmp_path / "frozen"), 2, "is not a new folder")


@pytest.mark.parametrize("where", ["here", "store"])
def test_what_a_team_crawled_becomes_a_frozen_web(where: str, web: Path, tmp_path: Path) -> None:
    crawl = tmp_path / "crawl"
    store = f"archive.store=file://{tmp_path}/store" if where == "store" else "archive.store="
    well(
        "crawl", "hurricane storm", "--seeds", "http://web.example/bread4.html", "--web",
        web / "web", "--out", crawl, "--log", "none", "--crawlers", "2", "--partition", "url",
        "--set", store,
    )  # fmt: skip
    frozen = tmp_path / "frozen"
    said = well("lab", "freeze", crawl, "--out", frozen, XDG_CACHE_HOME=str(tmp_path / "cache")).out
    assert "39 pages (12 relevant) in 2 WARC files" in said
    assert len({path.stat().st_ino for path in (frozen / "web").iterdir()}) == 2
    with closing(open_shelf(frozen / "web")) as shelf:
        assert len({url for url in shelf.urls() if not url.endswith("robots.txt")}) >= 39


def test_a_crawl_without_relevant_pages_is_no_web_to_measure_on(web: Path, tmp_path: Path) -> None:
    crawl = tmp_path / "crawl"
    well(
        "crawl", "submarine", "--seeds", "http://web.example/bread4.html", "--web",
        web / "web", "--out", crawl, "--log", "none", "--pages", "3",
    )  # fmt: skip
    refused(
        shoal("lab", "freeze", crawl, "--out", tmp_path / "frozen"), 2, "no page .* is relevant"
    )
    assert not (tmp_path / "frozen").exists()
