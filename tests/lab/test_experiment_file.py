"""Reading experiment files: what they may say, and what is said of those that may not."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from shoal.lab.experiment_file import BadExperiment, parse_experiment, read_experiment
from shoal.lab.team_experiment_file import read_any_experiment

GOOD = """
strategies = ["breadth-first", { name = "best-first", label = "both" }]
pages = [0.1, 500]
[webs.wiki]
path = "wiki.warc.gz"
labels = "labels.tsv"
without = ["/index/*"]
[topics.storms]
words = "hurricane storm"
targets = "subject.Storms"
[seeds.random]
random_off_topic = { sets = 2, size = 3 }
"""


def test_everything_it_says_is_kept() -> None:
    made = parse_experiment(tomllib.loads(GOOD), Path("/there"))
    assert [strategy.shown for strategy in made.strategies] == ["breadth-first", "both"]
    assert made.strategies[1].name == "best-first"
    assert list(made.pages) == [0.1, 500.0]
    assert made.webs["wiki"].path == "/there/wiki.warc.gz"
    assert made.webs["wiki"].labels == "/there/labels.tsv"
    assert made.topics["storms"].targets == ("subject.Storms",)
    drawn = made.seeds["random"].random_off_topic
    assert drawn is not None
    assert (drawn.sets, drawn.size, drawn.seed) == (2, 3, 1)


def test_a_synthetic_web_is_no_path() -> None:
    text = GOOD.replace('"wiki.warc.gz"', '"synthetic:pages=600"')
    made = parse_experiment(tomllib.loads(text), Path("/there"))
    assert made.webs["wiki"].path == "synthetic:pages=600"


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("pages =", "page =", "unknown key page; did you mean 'pages'?"),
        ("without =", "witout =", "unknown key webs.wiki.witout; did you mean 'without'?"),
        ("words =", "word =", "unknown key topics.storms.word; did you mean 'words'?"),
        ("sets = 2", "set = 2", "unknown key seeds.random.random_off_topic.set; did you mean"),
        ('label = "both"', 'lable = "both"', "unknown key strategies.lable; did you mean 'label'"),
        ("[0.1, 500]", "[1.5]", "1.5 is neither a whole number nor a share"),
        ("[0.1, 500]", "[]", "pages is empty"),
        ("[0.1, 500]", '"many"', "pages: Expected array, got str"),
        ("[0.1, 500]", "[0.1]\nrepetitions = 0", "repetitions must be at least 1"),
        ("[0.1, 500]", "[0.1]\nsimilar_from = 1", "similar_from is a cosine"),
        ("[0.1, 500]", "[0.1]\npositive_pages = 0", "positive_pages must be at least 1"),
        ('"breadth-first", {', '"best-first", { name = "best-first" }, {', "is there twice"),
        ('targets = "subject.Storms"', "targets = []", "topics.storms.targets is empty"),
        ('words = "hurricane storm"', "", "give its words, or a Topic of another kind"),
        ("targets =", 'webs = ["wikki"]\ntargets =', "no 'wikki'; did you mean 'wiki'?"),
        ("targets =", 'seeds = ["rnd"]\ntargets =', "no 'rnd'; did you mean 'random'?"),
        ("random_off_topic = {", 'urls = ["http://a.example/"]\nrandom_off_topic = {', "not 2"),
        ("sets = 2", "sets = 0", "sets and size must be at least 1"),
        ("[webs.wiki]", '[webs."a/b"]', "a name is letters, digits"),
        ('strategies = ["breadth-first",', 'other = ["breadth-first",', "unknown key other"),
        ("[seeds.random]", "[seeds]\nrandom = 1\n[seeds.other]", "seeds.random is a table"),
    ],
)
def test_a_mistake_is_named(before: str, after: str, said: str) -> None:
    assert before in GOOD
    with pytest.raises(BadExperiment) as caught:
        parse_experiment(tomllib.loads(GOOD.replace(before, after)), Path())
    assert said in str(caught.value)


@pytest.mark.parametrize("missing", ["strategies", "webs", "topics", "seeds"])
def test_what_is_missing_is_named(missing: str) -> None:
    given = tomllib.loads(GOOD)
    del given[missing]
    with pytest.raises(BadExperiment, match=f"{missing} is missing"):
        parse_experiment(given, Path())


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(BadExperiment, match="there is no experiment file"):
        read_experiment(tmp_path / "none.toml")
    (tmp_path / "torn.toml").write_text("pages = [", encoding="utf-8")
    with pytest.raises(BadExperiment, match="is not valid TOML"):
        read_experiment(tmp_path / "torn.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(BadExperiment, match="cannot read"):
        read_experiment(tmp_path / "binary.toml")


@pytest.mark.parametrize(
    "path",
    sorted((Path(__file__).resolve().parents[2] / "experiments").glob("*.toml")),
    ids=lambda path: path.name,
)
def test_the_experiments_that_come_with_shoal_are_experiments(path: Path) -> None:
    assert read_any_experiment(path).title
