"""The semantic strategies: each equation by hand over a tiny WordNet, the contract, real anchors
over the real WordNet, and what is said where there is none."""

from __future__ import annotations

from math import exp, sqrt, tanh
from pathlib import Path

import pytest

from shoal.errors import UsageError
from shoal.model import Judgement, Lease, Link, Page, Part
from shoal.ports import Strategy
from shoal.strategy import ehrig, ssrm, synset_expansion
from shoal.strategy.ehrig import EhrigOptions
from shoal.strategy.ehrig_ontology import Variant
from shoal.strategy.recipe import Brief
from shoal.strategy.semantic import ByAnchor
from shoal.strategy.semantic_terms import TermReader
from shoal.strategy.ssrm import Ssrm, SsrmOptions
from shoal.strategy.synset_expansion import ExpansionOptions, SynsetExpansion
from shoal.testing.strategy import StrategyContract
from shoal.topic.keywords import KeywordTopic
from shoal.topic.rarity import Rarity
from shoal.url import parse_url
from shoal.wordnet.similarity import PathAndDepth, PathDecay
from tests.cli.command import refused, shoal
from tests.shared_data import shared
from tests.wordnet.tiny import lexicon, write_lmf

TINY = lexicon()
IDF = {"train": 2.0, "car": 3.0, "hurricane": 4.0, "the": 0.1, "and": 0.1}


def idf(word: str) -> float:
    return IDF.get(word, 5.0)


SOURCE = parse_url("http://a.example/")
LEASE = Lease(1, SOURCE, 1.0, depth=0, redirects=0, attempts=0)


def links(*anchors: str) -> list[Link]:
    return [
        Link(SOURCE, parse_url(f"http://a.example/{number}"), anchor=anchor)
        for number, anchor in enumerate(anchors)
    ]


def page(**terms: int) -> Page:
    return Page(url=SOURCE, media_type="text/html", terms=terms)


class TestEhrig(StrategyContract):
    def make_strategy(self) -> Strategy:
        return ByAnchor(("abc train",), ehrig_of("abc train").score, 0.0)


class TestSsrmWithContent(StrategyContract):
    def make_strategy(self) -> Strategy:
        return ByAnchor(("abc train",), ssrm_of("abc train").score, 0.5)


class TestSynsetExpansion(StrategyContract):
    def make_strategy(self) -> Strategy:
        return SynsetExpansion(TINY, ("abc train",), TermReader(idf))


def ehrig_of(topic: str) -> ehrig.Ehrig:
    return ehrig.Ehrig(TINY, (topic,), TermReader(idf), PathDecay(0.5))


def ssrm_of(topic: str) -> Ssrm:
    return Ssrm(TINY, (topic,), TermReader(idf), PathAndDepth(0.2, 0.6))


@pytest.mark.parametrize(
    ("topic", "anchor", "expected"),
    [
        ("train", "trains", 1.0),
        ("train", "car", 0.25),
        ("train", "the train", 1.0),
        ("train", "car car hurricane", 0.25 + 0.5**6 / 2),
        ("train train hurricane", "car", 0.25 + 0.5**6 / 2),
        ("train car", "auto", 0.25 + 1.0),
        ("train", "linux", 0.0),
        ("linux", "Linux", 1.0),
        ("train", "", 0.0),
        ("train", "teaching", 1.0),
    ],
)
def test_equation_8(topic: str, anchor: str, expected: float) -> None:
    """tf is the count divided by the largest: of two words, the rarer one's is a half."""
    assert ehrig_of(topic).score(anchor) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("anchor", "direct", "is_a"),
    [
        ("trains", 1.0, 1.0),
        ("vehicle", 1.0, 1.0),
        ("car", 0.0, 1.0),
        ("person", 0.0, 0.0),
        ("vehicle vehicle car", 1.0, 1.5),
        ("hurricane", 0.0, 0.0),
        ("linux", 0.0, 0.0),
    ],
)
def test_the_other_two_variants(anchor: str, direct: float, is_a: float) -> None:
    """A train is one step from a vehicle and two from a car; a person is three away."""
    for variant, expected in ((Variant.DIRECT, direct), (Variant.IS_A, is_a)):
        measure = ehrig.measure_of(variant, 0.5)
        scored = ehrig.Ehrig(TINY, ("train",), TermReader(idf), measure)
        assert scored.score(anchor) == pytest.approx(expected)


def test_equation_9() -> None:
    """Topic "train hurricane": w = 2, 4, length sqrt(20). Anchor "car": w = 3, length 3.

    sim(car, train) = e^-0.4 tanh 1.2; car and hurricane share nothing but the root.
    """
    alike = exp(-0.4) * tanh(1.2)
    expected = (alike * 3 * 2) / (3 * sqrt(20))
    assert ssrm_of("train hurricane").score("car") == pytest.approx(expected, abs=1e-6)


def test_equation_9_of_two_words() -> None:
    """Anchor "car train": lengths sqrt(9 + 4) and 2; the anchor's train is the topic's."""
    alike = exp(-0.4) * tanh(1.2)
    expected = (alike * 3 * 2 + 1.0 * 2 * 2) / (sqrt(13) * 2)
    assert ssrm_of("train").score("car train") == pytest.approx(expected, abs=1e-6)
    assert ssrm_of("train").score("linux") == 0.0
    assert ssrm_of("linux train").score("linux linux") == pytest.approx(5 / sqrt(29))


def test_equation_10() -> None:
    """Topic "car": with auto, weights 3 and 5, length sqrt(34). Page: car 1, linux 1, the 9:
    weights 3 and 5, the same length. Anchor "auto": with car, 3 and 5 as well: the topic itself."""
    strategy = SynsetExpansion(TINY, ("car",), TermReader(idf))
    first, second = strategy.priorities(
        page(car=1, linux=1, the=9), Judgement(0.0, 0.0), links("auto", "storm"), LEASE
    )
    assert first.value == pytest.approx((9 / 34 + 1.0) / 2)
    assert [part.name for part in first.parts] == ["content", "anchor"]
    assert [part.value for part in first.parts] == pytest.approx([9 / 68, 0.5])
    assert second.parts == first.parts[:1]


def test_an_added_word_counts_as_often_as_the_word_that_brought_it() -> None:
    strategy = SynsetExpansion(TINY, ("car",), TermReader(idf))
    assert strategy.expanded(["Cars, and a car"]) == {"car": 2 * 5.0, "auto": 2 * 5.0}
    assert strategy.expanded(["auto"]) == {"auto": 5.0, "car": 3.0}
    assert strategy.expanded(["auto car car"]) == {"auto": 2 * 5.0, "car": 2 * 3.0}


def test_a_share_of_the_page_and_the_worth_of_a_seed() -> None:
    strategy = ByAnchor(("train car",), ehrig_of("train car").score, 0.5)
    # By hand: 1 + 0.25 from each of the two words.
    assert strategy.seed(SOURCE).value == pytest.approx(0.5 * 2.5 + 0.5)
    first, second = strategy.priorities(page(), Judgement(0.9, 0.4), links("hurricane", ""), LEASE)
    assert second.parts == (Part("content", 0.2),)
    assert first.value == pytest.approx(0.2 + 0.5 * 2 * 0.5**6)
    assert [part.name for part in first.parts] == ["content", "anchor"]


@pytest.mark.parametrize(
    ("recipe", "options", "message"),
    [
        (ehrig.RECIPE, EhrigOptions(senses=0), r"strategy\.senses must be at least 1"),
        (ehrig.RECIPE, EhrigOptions(decay=1.5), r"strategy\.decay lies between 0 and 1"),
        (ehrig.RECIPE, EhrigOptions(content_share=-1.0), r"strategy\.content_share lies"),
        (ssrm.RECIPE, SsrmOptions(path_weight=0.0), r"strategy\.path_weight must be more than 0"),
        (ssrm.RECIPE, SsrmOptions(depth_weight=-1.0), r"strategy\.depth_weight must be"),
        (ssrm.RECIPE, SsrmOptions(wordnet="/nowhere"), "there is no WordNet at /nowhere"),
        (synset_expansion.RECIPE, ExpansionOptions(senses=-2), r"strategy\.senses must be"),
    ],
)
def test_wrong_options_are_named(recipe: object, options: object, message: str) -> None:
    brief = Brief(KeywordTopic(("train",)), ("train",), idf)
    with pytest.raises(UsageError, match=message):
        recipe.make(brief, options)  # type: ignore[attr-defined]  # a Recipe of any options


@pytest.mark.parametrize("words", [(), ("the",)])
def test_a_topic_without_words_is_refused(words: tuple[str, ...]) -> None:
    brief = Brief(KeywordTopic(("train",)), words, idf)
    for recipe in (ehrig.RECIPE, ssrm.RECIPE, synset_expansion.RECIPE):
        with pytest.raises(UsageError, match="give the topic by words"):
            recipe.make(brief, recipe.options())  # type: ignore[arg-type]  # its own options


def test_a_crawl_without_a_wordnet_begins_nothing(tmp_path: Path) -> None:
    arguments = ("crawl", "train", "--seeds", "http://site0.example/", "--strategy", "ssrm")
    web = ("--web", "synthetic:pages=480,hosts=12", "--out", str(tmp_path / "out"))
    ran = shoal(*arguments, *web, "--set", f"strategy.wordnet={tmp_path / 'absent'}")
    refused(ran, 2, "strategy.wordnet: there is no WordNet at .*apt-get install wordnet-base")


def test_a_crawl_with_one(tmp_path: Path) -> None:
    path = write_lmf(tmp_path / "tiny.xml.gz")
    for name in ("ehrig", "ssrm", "synset-expansion"):
        out = tmp_path / name
        ran = shoal(
            *("crawl", "train", "--seeds", "http://portal.wayfinder.example/", "--strategy", name),
            *("--web", "synthetic:seed=7,pages=480,hosts=12", "--pages", "5", "--out", out),
            *("--set", f"strategy.wordnet={path}"),
            XDG_CACHE_HOME=str(tmp_path / "cache"),
        )
        assert ran.code == 0, ran.err


def test_the_real_wordnet_orders_anchors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(shared("wordnet", "wn30.tar.xz"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    rarity = Rarity()
    words = ("railway train locomotive rail",)
    brief = Brief(KeywordTopic(words, rarity), words, rarity.idf)
    for strategy in (
        ehrig.RECIPE.make(brief, EhrigOptions(wordnet=path)),
        ssrm.RECIPE.make(brief, SsrmOptions(wordnet=path)),
        synset_expansion.RECIPE.make(brief, ExpansionOptions(wordnet=path)),
    ):
        there = links("trains", "steam engine", "geology of Mars")
        found = strategy.priorities(page(music=3), Judgement(0.0, 0.0), there, LEASE)
        first, second, third = (priority.value for priority in found)
        assert first > second > third


def test_real_similarities() -> None:
    """WordNet 3.0 by its own files: car and motorcar are one synset; from bicycle to car it is up
    to wheeled vehicle and down by self-propelled vehicle and motor vehicle."""
    from shoal.wordnet.lexicon import Lexicon
    from shoal.wordnet.sources import read_source

    real = Lexicon(read_source(shared("wordnet", "wn30.tar.xz")))
    assert len(real.words) == 155_287
    assert real.taxonomy.size == 117_659
    assert "motorcar" in real.synonyms_of("cars")
    first = real.synsets_of(real.entries_of("bicycle"), 1)
    alike = real.best_of_entries(PathDecay(0.5).to_all(real.taxonomy, first))
    assert alike[real.entries_of("bicycle")[0]] == 1.0
    (motorcar,) = real.entries_of("motorcar")
    assert alike[motorcar] == 0.5**4
