"""Ontologies, as people give them to `shoal crawl` and `shoal topic`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from shoal import Topic
from shoal.compose.reading import open_ledger
from shoal.directory import CrawlDirectory
from shoal.ontology import draft, reading
from tests.classify.webs import english, html, make_web
from tests.cli.command import refused, shoal, well
from tests.ontology.cars import CARS, TABLE_6_1

SEED = "http://essays.example/sea/0.html"
SEA_MAP = """[kind = "harbour"] [ship = "ship"] [sailor = "sailors"]
sails(sailor : who, ship : what)
kind-of(ship : one, kind : other)
"""
BOMB = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "b"><!ENTITY c "&a;&a;">]><x/>'
OUTSIDE = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>'


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("ontologies")
    make_web(root)
    (root / "cars.ltm").write_text(CARS)
    (root / "sea.ltm").write_text(SEA_MAP)
    return root


def test_a_crawl_by_an_ontology_goes_on(place: Path) -> None:
    out = place / "crawl"
    crawl = ("crawl", "--ontology", place / "sea.ltm", "--focus", "ship,sailors", "--out", out)
    well(*crawl, "--seeds", SEED, "--web", place / "web", "--pages", "5", "--log", "none")
    settings = CrawlDirectory(out).settings().crawl
    assert settings.focus == ("ship", "sailors")
    assert settings.topic_digest
    with open_ledger(CrawlDirectory(out)) as ledger:
        relevances = [visit.judgement.relevance for _, visit in ledger.best(0.0, None)
                      if visit.judgement]  # fmt: skip
    assert max(relevances) > 0.5 > min(relevances)
    well("crawl", "--out", out, "--pages", "8", "--log", "none", "--accept-changes")
    (place / "sea.ltm").write_text(SEA_MAP + '[gull = "gull"]')
    refused(shoal("crawl", "--out", out), 2, "what the topic is made of has other contents")
    (place / "sea.ltm").write_text(SEA_MAP)


def test_a_crawl_that_goes_on_judges_by_the_pages_of_its_first_part(place: Path) -> None:
    """idf is counted in the crawl; how often the command was given makes no difference."""
    (place / "news.ltm").write_text('[a = "dengue"] [b = "fever"] [c = "railway"] [d = "football"]')
    (place / "news.toml").write_text('ontology = "news.ltm"\nidf = "crawl"\n')
    web = ("--web", "synthetic:seed=7,pages=480,hosts=12", "--log", "none")
    exact = ("--set", "crawl.parallel=1", "--set", "politeness.robots=false")
    plain = ("--strategy", "breadth-first", *exact)
    begin = ("crawl", "--topic-file", place / "news.toml", *web, *plain)
    found = []
    for name, *stops in (("once", "40"), ("twice", "15", "40")):
        out = ("--out", place / name, "--delay", "0", "--accept-changes")
        well(*begin, "--seeds", "http://portal.wayfinder.example/", "--pages", stops[0], *out)
        for pages in stops[1:]:
            well("crawl", *out, "--pages", pages, "--log", "none")
        with open_ledger(CrawlDirectory(place / name)) as ledger:
            found.append({known.url: visit.judgement for known, visit in ledger.best(0.0, None)})
    assert found[0] == found[1]
    assert len({judged.relevance for judged in found[0].values() if judged}) > 10


def test_a_topic_file_judges_by_an_ontology(place: Path) -> None:
    file, page = place / "cars.toml", place / "page.html"
    file.write_text('ontology = "cars.ltm"\nfocus = "Toyota"\nlimit = 0.5\nidf = "reference"\n')
    page.write_text(html("Cars", english(["Toyota", "and", "corolla"], 3)))
    told = json.loads(well("topic", "check", file, "--page", page, "--json").out)
    assert told["relevant"] is True
    assert {part["name"] for part in told["reasons"]} >= {"Toyota", "Corolla"}


def test_finding_concepts(place: Path) -> None:
    ran = well("topic", "find", place / "cars.ltm", "corolla")
    assert ran.out.index("corolla") < ran.out.index("verso")
    told = json.loads(
        well("topic", "find", place / "cars.ltm", "toyata", "--json", "--limit", "1").out
    )
    assert told["id"] == "toyota"
    refused(shoal("topic", "find", place / "cars.ltm", "zzz"), 2, "has no concept that is called")


def test_a_topic_of_an_ontology_in_python(place: Path) -> None:
    topic = Topic.ontology(place / "sea.ltm", focus=["ship"]) & Topic.language("en")
    assert topic.focus == ("ship",)
    with pytest.raises(Exception, match="focus is given twice"):
        topic & Topic.ontology(place / "cars.ltm", focus=["toyota"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ontolgy = 'cars.ltm'", "unknown key ontolgy; did you mean 'ontology'"),
        ("ontology = 'none.ltm'", "there is no ontology .*none.ltm"),
        ("ontology = 'cars.ltm'\nfocus = 'corola'", r"no concept 'corola'; the nearest are coroll"),
        ("ontology = 'cars.ltm'\nrest_weight = 2.0", "rest_weight is a weight between 0 and 1"),
        ("ontology = 'cars.ltm'\nlimit = 0", "limit must be more than 0"),
        ("ontology = 'cars.ltm'\nidf = 'corpus'", "idf: Invalid enum value 'corpus'"),
        ("ontology = 'cars.ltm'\nlabel_languages = 'english'", "'english' is no ISO 639 code"),
        ("ontology = 'cars.ltm'\nfocus = 'toyota'\nfocus_weight = 0", "focus_weight is 0"),
    ],
)
def test_mistakes_are_named(place: Path, text: str, message: str) -> None:
    file = place / "mistaken.toml"
    file.write_text(text)
    refused(shoal("topic", "check", file), 2, message)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("bomb.xtm", BOMB, "declares the entity 'c', which could grow; refused"),
        ("outside.owl", OUTSIDE, "declares the entity 'a' as something to be fetched"),
        ("torn.xtm", "<topicMap><topic>", "it is not well-formed XML"),
        ("torn.ttl", ":a :b", "cannot be read as RDF"),
        ("mute.ltm", "[a] [b]", "not one concept in it has a label"),
        ("blank.ltm", "", "not one concept in it has a label"),
    ],
)
def test_bad_ontologies_are_one_message(place: Path, name: str, text: str, message: str) -> None:
    (place / name).write_text(text)
    refused(shoal("topic", "find", place / name, "word"), 2, message)
    crawl = ("crawl", "--ontology", place / name, "--seeds", SEED, "--web", place / "web")
    refused(shoal(*crawl, "--out", place / "none"), 2, message)
    assert not (place / "none").exists()


def test_a_focus_needs_an_ontology() -> None:
    refused(shoal("crawl", "boats", "--focus", "a", "--seeds", SEED), 2, "give it with --ontology")


def test_showing_an_ontology(place: Path) -> None:
    out = place / "cars.html"
    show = ("topic", "show", place / "cars.ltm", "--focus", "TMM Inc.,corolla", "--out", out)
    ran = well(*show)
    assert out.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert ran.out.index("tmm") < ran.out.index("toyota") < ran.out.index("toyoda")
    told = [json.loads(line) for line in well(*show, "--json").out.splitlines()]
    assert {one["name"]: one["weight"] for one in told} == {
        name: both[1] for name, both in TABLE_6_1.items()
    }
    few = well(*show, "--concepts", "2", "--rest-weight", "0.2")
    assert "Drawn (2 of them)" in few.out
    refused(shoal(*show[:3], "--focus", "corola"), 2, "nearest are corolla")
    refused(shoal(*show[:3], "--out", place / "cars.ltm"), 2, "is no page of HTML")
    refused(shoal(*show[:3], "--out", place / "no" / "a.html"), 2, "there is no folder")


def test_comparing_pages(place: Path) -> None:
    for name, word in (("one", "Avensis"), ("other", "Corolla"), ("none", "nothing")):
        (place / f"{name}.html").write_text(html("A page", word), encoding="utf-8")
    compare = ("topic", "compare", "--ontology", place / "cars.ltm", place / "one.html")
    ran = well(*compare, place / "other.html")
    assert "They are alike from level 1 upwards" in ran.out
    told = json.loads(well(*compare, place / "other.html", "--json").out)
    assert [level["likeness"] for level in told["levels"]] == [0.0, 1.0, 1.0]
    assert "speaks of no concept" in well(*compare, place / "none.html").out
    refused(shoal(*compare, place / "web"), 2, "holds 16 pages; compare one with one")


def test_exporting_an_ontology_with_its_pages(place: Path) -> None:
    out = place / "exported"
    crawl = ("--seeds", SEED, "--web", place / "web", "--pages", "4", "--log", "none")
    well("crawl", "--ontology", place / "sea.ltm", "--focus", "ship", *crawl, "--out", out)
    ran = well("export", out, "--format", "xtm")
    assert (place / "exported.xtm").name in ran.out
    found = well("topic", "find", place / "exported.xtm", "ship")
    assert "sailor" not in found.out.splitlines()[1]
    well("crawl", "harbour", *crawl, "--out", place / "worded")
    refused(shoal("export", place / "worded", "--format", "skos"), 2, "has no ontology to write")


def test_what_an_ontology_builds_on_is_told_and_not_fetched(place: Path) -> None:
    (place / "built.ltm").write_text('#MERGEMAP "http://127.0.0.1:9/other.ltm"\n' + CARS)
    ran = well("topic", "show", place / "built.ltm", "--out", place / "built.html")
    assert "which were not read: http://127.0.0.1:9/other.ltm" in ran.out
    assert "builds on others (1)" in (place / "built.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("limit", ["LARGEST", "LARGEST_BYTES"])
def test_a_huge_ontology_is_refused_in_one_message(
    place: Path, limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(draft if limit == "LARGEST" else reading, limit, 10)
    (place / "huge.ttl").write_text(
        "@prefix s: <http://www.w3.org/2004/02/skos/core#> .\n"
        + "".join(f'<http://a.example/{n}> s:prefLabel "thing {n}" .\n' for n in range(20))
    )
    refused(shoal("topic", "show", place / "huge.ttl"), 2, "it has more than 10")
