"""A Topic given by an ontology: its formula by hand, labels in pages, and where idf comes from."""

from __future__ import annotations

from collections import Counter
from math import log, log10
from pathlib import Path
from typing import Any

import pytest

from shoal.compose.topic import make as make_topic_of
from shoal.model import Language, Page
from shoal.ontology.focus import Weights, focus_on
from shoal.ontology.label_index import LabelIndex, Stems
from shoal.ontology.ltm import read_ltm
from shoal.ports import Topic
from shoal.testing.topic import AttentiveContract, TopicContract
from shoal.topic.crawl_counts import PIECE, CrawlCounts
from shoal.topic.keywords import WORD
from shoal.topic.ontology import Idf, MostFrequent, OntologyTopic
from shoal.topic.rarity import Rarity
from shoal.topic.topic_file import read_topic
from shoal.url import parse_url
from tests.ontology.cars import CARS

ONTOLOGY = read_ltm(CARS.encode())
WEIGHTS_SUM = 0.8 + 0.1 + 0.5 + 1.0 + 0.8 + 0.8 + 0.1
"""Of Table 6.1, with Toyota in focus."""


def topic(limit: float = 0.01, idf: Idf = Idf.REFERENCE, **more: Any) -> OntologyTopic:
    focus = focus_on(ONTOLOGY, ("toyota",))
    return OntologyTopic(ONTOLOGY, focus, limit, idf, **more)


def page(text: str, title: str = "", language: str = "en") -> Page:
    words = Counter(WORD.findall(f"{title} {text}".lower()))
    url = parse_url("http://a.example/")
    spoken = Language(language, 0.99)
    return Page(url, "text/html", title=title, text=text, terms=words, language=spoken)


class TestOntology(TopicContract):
    known_words = ("toyota", "corolla", "avensis")

    def make_topic(self) -> Topic:
        return topic()


class TestUnfocused(TopicContract):
    known_words = ("toyota", "corolla", "avensis")

    def make_topic(self) -> Topic:
        return OntologyTopic(ONTOLOGY, focus_on(ONTOLOGY, ()))


class TestIdfOfTheCrawl(TopicContract):
    known_words = ("toyota", "corolla", "avensis")

    def make_topic(self) -> Topic:
        made = topic(idf=Idf.CRAWL)
        for text in ("toyota", "corolla verso", *["of something else"] * 8):
            made.meet(page(text))
        return made


class TestIdfOfACrawlThatBegins(TopicContract):
    known_words = ("toyota", "corolla", "avensis")

    def make_topic(self) -> Topic:
        return topic(idf=Idf.CRAWL)


class TestAttentive(AttentiveContract):
    known_words = ("toyota", "corolla", "avensis")

    def make_attentive(self) -> OntologyTopic:
        return topic(idf=Idf.CRAWL)


def test_the_formula_by_hand_with_idf_from_the_crawl() -> None:
    """The third page is about Toyota twice and Corolla once; so was the first of the three."""
    judge = topic(idf=Idf.CRAWL)
    judge.meet(page("toyota toyota corolla"))
    judge.meet(page("nothing of it"))
    third = page("Toyotas and Toyota, and a Corolla")
    judge.meet(third)
    judged = judge.judge(third)
    idf = log10(3 / 2)
    parts = {"Toyota": 1.0 * idf * 1.0 / WEIGHTS_SUM, "Corolla": 0.5 * idf * 0.8 / WEIGHTS_SUM}
    assert dict(judged.reasons) == pytest.approx(parts)
    assert sum(parts.values()) == pytest.approx(0.060128, abs=1e-6)


def test_table_9_1_says_that_the_logarithm_is_of_base_10() -> None:
    """A term on 6,000 and on 25,000 of 50,000 pages."""
    for pages_with, idf in ((6_000, 0.921), (25_000, 0.301)):
        counts = CrawlCounts(1)
        kept = {"pages": b"50000", "counts/0": pages_with.to_bytes(4, "little")}
        counts.recall(kept.get)
        assert counts.idf(0) == pytest.approx(idf, abs=5e-4)


def test_counts_of_many_concepts_are_kept_in_pieces() -> None:
    counts = CrawlCounts(3 * PIECE - 1)
    counts.meet([0, 3 * PIECE - 2])
    assert set(counts.knowledge()) == {"pages", "counts/0", "counts/2"}
    assert set(counts.knowledge()) == {"pages"}
    counts.meet([PIECE])
    assert counts.idf(PIECE + 1) == counts.idf(PIECE) == pytest.approx(log10(2))


def test_the_limit_is_where_relevance_is_a_half() -> None:
    text = "Toyota Corolla"
    relevancy = sum(part.value for part in topic().judge(page(text)).reasons)
    assert topic(limit=relevancy).judge(page(text)).relevance == pytest.approx(0.5)
    assert topic(limit=relevancy * 1.1).judge(page(text)).relevance < 0.5
    assert topic(limit=relevancy / 1.1).judge(page(text)).relevance > 0.5


def test_the_formula_by_hand_with_idf_from_the_table() -> None:
    idfs = Rarity("en").by_stem(Stems("en").of_words)
    judged = topic().judge(page("Toyota, Toyota and Japanese cars"))
    assert dict(judged.reasons) == pytest.approx(
        {
            "Toyota": idfs["toyota"] / log(10) / WEIGHTS_SUM,
            "Japanese car": 0.5 * max(idfs["japanes"], idfs["car"]) / log(10) * 0.8 / WEIGHTS_SUM,
        }
    )


def test_the_table_judges_the_same_page_the_same_and_the_crawl_does_not() -> None:
    text = page("toyota")
    for idf, same in ((Idf.REFERENCE, True), (Idf.CRAWL, False)):
        judge = topic(idf=idf)
        judge.meet(text)
        before = judge.judge(text)
        judge.meet(page("another"))
        assert (judge.judge(text) == before) is same


def test_the_first_page_of_all_is_worth_nothing_by_the_crawl_and_something_by_the_table() -> None:
    judge, text = topic(idf=Idf.CRAWL), page("toyota")
    assert judge.judge(text) == topic().judge(text)
    judge.meet(text)
    assert judge.judge(text).relevance == 0.0


def test_what_counts_are_divided_by_can_be_the_most_frequent_word() -> None:
    text = page("toyota and and and")
    by_concept = topic().judge(text).reasons[0].value
    by_word = topic(most_frequent=MostFrequent.WORD).judge(text).reasons[0].value
    assert by_word == pytest.approx(by_concept / 3)


def test_focus_tells_pages_apart_that_an_unfocused_topic_does_not() -> None:
    even = OntologyTopic(ONTOLOGY, focus_on(ONTOLOGY, (), Weights()))
    near, far = page("Avensis"), page("Corolla Verso")
    assert topic().judge(near).relevance > topic().judge(far).relevance
    assert even.judge(near).reasons[0].value < topic().judge(near).reasons[0].value
    assert topic().similarity("Toyota cars") > topic().similarity("Kiichiro Toyoda") > 0.0


def test_labels_stand_in_title_and_text_and_never_across_them() -> None:
    assert topic().judge(page("a history", title="Kiichiro Toyoda")).reasons
    assert not topic().judge(page("Toyoda", title="Kiichiro")).reasons


def test_labels_of_several_words_and_stems() -> None:
    labels = [(0, "sailing boat"), (1, "boat"), (2, "boats"), (2, "Sailing"), (3, "C")]
    index = LabelIndex(Stems("en"), labels, lambda stem: float(len(stem)))
    found, most = index.count(["Sailing boats and a boat: C", "sail, Boat"])
    assert found == {0: 2, 1: 3, 2: 5}
    assert most == 3
    assert index.idf(0) == 4.0
    assert index.idf(3) == 0.0


@pytest.mark.parametrize("name", ["chemistry", "storms"])
def test_the_ontologies_of_the_experiments(name: str) -> None:
    folder = Path(__file__).resolve().parents[2] / "experiments" / "ontologies"
    files = sorted(folder.glob(f"{name}-*.toml"))
    made = {file.stem: make_topic_of(read_topic(file)) for file in files}
    assert len(made) >= 8
    text = page(f"All about {name}: the chemical element, tropical cyclones and rain.")
    for one in made.values():
        assert one.topic.judge(text).reasons
    assert [stem for stem, one in made.items() if one.attentive] == [f"{name}-crawl"]


def test_labels_are_stemmed_as_the_page_is_and_languages_can_be_chosen() -> None:
    ltm = (
        '[de @"http://www.topicmaps.org/xtm/1.0/language.xtm#de"] '
        '[en @"http://www.topicmaps.org/xtm/1.0/language.xtm#en"] '
        '[boat = "boats" / en = "Segelschiffe" / de]'
    )
    ontology = read_ltm(ltm.encode())
    both = OntologyTopic(ontology, focus_on(ontology, ("boat",)))
    english = OntologyTopic(ontology, both.focus, languages=frozenset({"en"}))
    german = page("die Segelschiffes", language="de")
    assert both.judge(german).relevance > 0.5
    assert english.judge(german).relevance == 0.0
    assert english.judge(page("a boat")).relevance > 0.5
