"""Topics of every kind, as people give them to `shoal crawl` and `shoal topic`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from shoal.compose.reading import open_ledger
from shoal.directory import CrawlDirectory
from tests.classify.pages import FARM, SEA
from tests.classify.webs import english, html, make_folders, make_web
from tests.cli.command import refused, shoal, well

SEED = "http://essays.example/sea/0.html"


@pytest.fixture(scope="module")
def essays(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``web`` with the pages of two subjects, and ``subjects`` with other pages of the same."""
    root = tmp_path_factory.mktemp("essays")
    make_web(root)
    make_folders(root / "subjects", seed=300)
    well("model", "train", root / "subjects", "--out", root / "subjects.model")
    return root


@pytest.fixture(scope="module")
def fresh(essays: Path) -> dict[str, Path]:
    """A page of each subject that nothing was learnt from."""
    found = {}
    for name, words in (("sea", SEA), ("farm", FARM)):
        found[name] = essays / f"{name}.html"
        found[name].write_text(html(f"A {name} page", english(words, 900)), encoding="utf-8")
    return found


def judge(essays: Path, text: str, page: Path | str, *more: str | Path) -> dict[str, object]:
    file = essays / "topic.toml"
    file.write_text(text, encoding="utf-8")
    ran = well("topic", "check", file, "--page", page, "--json", *more)
    told = json.loads(ran.out)
    assert isinstance(told, dict)
    return told


EVERY_KIND = {
    "words": 'words = ["harbour sailor", "tide"]\nterms = { anchor = 0.5 }\nborder = 0.06',
    "like": 'like = "subjects/sea"',
    "unlike": 'like = "subjects/sea"\nunlike = "subjects/farm"',
    "web": 'like = ["http://essays.example/sea/1.html", "http://essays.example/sea/2.html"]\n'
    'web = "web"',
    "category": 'category = "sea"\nmodel = "subjects.model"\nleast_terms = 10',
    "all": '[[all]]\nlanguage = "en"\n[[all]]\nwords = "harbour"',
    "any": '[[any]]\nwords = "comet"\n[[any]]\nwords = "harbour"',
    "not": '[[all]]\nwords = "harbour"\n[[all]]\n[all.not]\nwords = "barley"',
    "mean": '[[mean]]\nwords = "harbour"\n[[mean]]\nweight = 2\nlike = "subjects/sea"',
}


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_a_topic_file_of_every_kind_judges(essays: Path, fresh: dict[str, Path], kind: str) -> None:
    sea = judge(essays, EVERY_KIND[kind], fresh["sea"])
    farm = judge(essays, EVERY_KIND[kind], fresh["farm"])
    assert sea["relevant"] is True
    assert farm["relevant"] is False
    assert sea["reasons"]


def test_a_judgement_for_people(essays: Path, fresh: dict[str, Path]) -> None:
    file = essays / "people.toml"
    file.write_text('[[all]]\ncategory = "sea"\nmodel = "subjects.model"\nleast_terms = 9\n')
    ran = well("topic", "check", file, "--page", fresh["sea"])
    assert "relevant" in ran.out
    assert "beliefs: sea" in ran.out
    assert any(word in ran.out for word in SEA)
    address = well(
        "topic",
        "check",
        file,
        "--web",
        essays / "web",
        "--page",
        "http://essays.example/farm/3.html",
    )
    assert "not relevant" in address.out
    assert "is sound" in well("topic", "check", file).out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('wrods = "a b"', "unknown key wrods; did you mean 'words'"),
        ('[[all]]\nwords = "harbour"\nweigth = 2', r"unknown key all\[1\].weigth.*'weight'"),
        ('[[all]]\nwords = "harbour"\nweight = 2', r"weight counts in a table of \[\[mean\]\]"),
        ('[[mean]]\nwords = "harbour"\nweight = -1', "must be more than 0"),
        ('words = "harbour"\nlanguage = "en"', "words and language: a table is of one kind"),
        ('name = "nothing"', "says nothing of what is wanted"),
        ("words = 7", "words: Expected `?array`?, got `?int`?"),
        ('words = "7"', "words has no word in it"),
        ("words = [", "is not valid TOML"),
        ("all = []", "all is empty"),
        ('not = "harbour"', r"not is a table: write \[not\]"),
        ('language = "english"', "'english' is no ISO 639 code"),
        ('words = "harbour"\nborder = 2.0', "border is a cosine between 0 and 1"),
        ('words = "harbour"\nterms = { tide = 0.0 }', "terms.tide must be more than 0"),
        ("like = []", "like is empty"),
        ('like = "nowhere/"', "like: .*nowhere: no such file, folder or WARC file"),
        ('like = "empty"', "the folder .*empty is empty"),
        ('like = "blank.html"', "no example page has words in it"),
        ('like = "subjects/sea/0.html"', "1 wanted example: give at least 2"),
        ('like = "http://a.example/"', "is an address; say with --web"),
        ('category = "see"\nmodel = "subjects.model"', "no category 'see'; did you mean 'sea'"),
        ('category = "sea"\nmodel = "no.model"', "no.model: no such file"),
        ('category = "sea"\nmodel = "blank.html"', "is no model"),
        (
            '[[all]]\nlanguage = "de"\n[[all]]\ncategory = "sea"\nmodel = "subjects.model"',
            "was made for pages in 'en', and the topic wants pages in de",
        ),
    ],
)
def test_mistakes_in_a_topic_file_are_named(essays: Path, text: str, message: str) -> None:
    (essays / "empty").mkdir(exist_ok=True)
    (essays / "blank.html").write_text("<html></html>")
    file = essays / "mistaken.toml"
    file.write_text(text)
    refused(shoal("topic", "check", file), 2, message)


def test_a_topic_file_that_is_not_there(tmp_path: Path) -> None:
    refused(shoal("topic", "check", tmp_path / "no.toml"), 2, "there is no topic file")


# --------------------------------------------------------------------------- crawling


def crawl(essays: Path, out: Path, *given: str | Path) -> None:
    web = essays / "web"
    well("crawl", *given, "--seeds", SEED, "--web", web, "--out", out, "--log", "none")


@pytest.mark.parametrize("kind", ["file", "like", "category", "words and language"])
def test_a_crawl_takes_a_topic_of_every_kind(essays: Path, tmp_path: Path, kind: str) -> None:
    file = tmp_path / "topic.toml"
    file.write_text('words = ["harbour sailor", "tide"]')
    subjects = essays / "subjects"
    given: dict[str, tuple[str | Path, ...]] = {
        "file": ("--topic-file", file),
        "like": ("--like", subjects / "sea", "--unlike", subjects / "farm"),
        "category": ("--model", essays / "subjects.model", "--category", "sea"),
        "words and language": ("harbour sailor", "--language", "en"),
    }
    crawl(essays, tmp_path / "out", *given[kind])
    pages = json.loads(well("pages", tmp_path / "out", "--json").out)
    about: dict[str, list[float]] = {"sea": [], "farm": []}
    for page in pages:
        about[page["url"].split("/")[3]].append(page["relevance"])
    assert min(about["sea"]) >= 0.5
    assert max(about["farm"]) < 0.5


def test_a_crawl_goes_on_with_the_same_topic_only(essays: Path, tmp_path: Path) -> None:
    likes = tmp_path / "likes"
    likes.mkdir()
    for number in range(3):
        text = html(f"Page {number}", english(SEA, number))
        (likes / f"{number}.html").write_text(text, encoding="utf-8")
    out = tmp_path / "out"
    crawl(essays, out, "--like", likes, "--pages", "3")
    well("crawl", "--out", out, "--pages", "5", "--accept-changes")
    (likes / "3.html").write_text(html("Page 3", english(FARM, 3)), encoding="utf-8")
    refused(shoal("crawl", "--out", out), 2, "what the topic is made of has other contents")
    well("crawl", "--out", out, "--accept-changes")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((), "no topic: name it in words"),
        (("--unlike", "a.html"), "no topic: name it in words|crawl.unlike needs crawl.like"),
        (("word", "--category", "sea"), "crawl.category needs crawl.model"),
        (("--model", "{root}/subjects.model"), "which category of .*farm, sea"),
        (("--model", "{root}/subjects.model", "--category", "farn"), "did you mean 'farm'"),
        (("--topic-file", "{root}/none.toml"), "there is no topic file"),
    ],
)
def test_topics_that_cannot_be_crawled_for(
    essays: Path, tmp_path: Path, given: tuple[str, ...], message: str
) -> None:
    words = [one.replace("{root}", str(essays)) for one in given]
    out = tmp_path / "out"
    ran = shoal("crawl", *words, "--seeds", SEED, "--web", essays / "web", "--out", out)
    refused(ran, 2, message)
    assert not out.exists()


# --------------------------------------------------------------------------- suggesting


@pytest.fixture(scope="module")
def marked(essays: Path) -> tuple[Path, Path]:
    """A crawl for one poor word, and marks of what was meant."""
    out = essays / "poor"
    crawl(essays, out, "sailor")
    pages = json.loads(well("pages", out, "--limit", "50", "--json").out)
    marks = essays / "marks.tsv"
    kinds = {"sea": "relevant", "farm": "not"}
    marks.write_text("".join(f"{one['url']}\t{kinds[one['url'].split('/')[3]]}\n" for one in pages))
    return out, marks


def test_marks_make_a_better_topic(
    essays: Path, marked: tuple[Path, Path], fresh: dict[str, Path], tmp_path: Path
) -> None:
    out, marks = marked
    target = tmp_path / "better.toml"
    ran = well("topic", "suggest", out, "--marks", marks, "--out", target, "--json")
    told = json.loads(ran.out)
    assert set(told["terms"]) & set(SEA)
    assert not set(told["terms"]) & {"sailor", *FARM}
    assert told["held_out"]["suggestion"]["agreement"] == 1.0
    assert told["held_out"]["old topic"]["agreement"] <= 1.0
    for name, page in fresh.items():
        judged = json.loads(well("topic", "check", target, "--page", page, "--json").out)
        assert judged["relevant"] is (name == "sea")
    refused(
        shoal("topic", "suggest", out, "--marks", marks, "--out", target), 2, "is there already"
    )
    people = well("topic", "suggest", out, "--marks", marks, "--out", tmp_path / "other.toml")
    assert "The held-out marks agree with it" in people.out


@pytest.mark.parametrize(
    ("marks", "message"),
    [
        ("http://essays.example/sea/0.html\trelevent\n", "is marked 'relevent'; did you mean"),
        ("http://essays.example/sea/0.html\trelevant; not\n", "both relevant and not"),
        ("http://essays.example/sea/0.html\trelevant\n", "1 pages of the crawl are marked"),
        ("nonsense\n", "is not an address, a tab and labels"),
    ],
)
def test_marks_that_nothing_can_be_learnt_from(
    marked: tuple[Path, Path], tmp_path: Path, marks: str, message: str
) -> None:
    file = tmp_path / "marks.tsv"
    file.write_text(marks)
    out = tmp_path / "out.toml"
    refused(shoal("topic", "suggest", marked[0], "--marks", file, "--out", out), 2, message)
    assert not out.exists()


def test_probabilities_are_kept_and_travel_with_links(essays: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    model = essays / "subjects.model"
    crawl(essays, out, "--model", model, "--category", "sea")
    well("export", out, "--format", "jsonl", "--out", tmp_path / "pages.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "pages.jsonl").read_text().splitlines()]
    for row in rows:
        beliefs = json.loads(row["beliefs"])
        assert beliefs["sea"] == row["relevance"]
        assert sum(beliefs.values()) == pytest.approx(1.0, abs=0.01)
    listed = json.loads(well("pages", out, "--json").out)
    assert all(page["beliefs"]["sea"] == page["relevance"] for page in listed)
    assert "believed to be" in well("why", out, SEED).out
    with open_ledger(CrawlDirectory(out)) as ledger:
        settled = {known.url: (known, visit) for known, visit in ledger.best(0.0, None)}
    assert {row["url"] for row in rows if row["outcome"] == "page"} == settled.keys()
    for known, _ in settled.values():
        if known.source is None:
            assert known.source_relevance is None
        else:
            judgement = settled[known.source][1].judgement
            assert judgement is not None
            assert known.source_relevance == judgement.relevance
            assert known.source_beliefs == judgement.beliefs[: len(known.source_beliefs)]
            assert known.source_beliefs
