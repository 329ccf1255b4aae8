"""The vector space model of a Topic by words, against cases worked out by hand."""

from __future__ import annotations

from collections import Counter
from math import exp, log, sqrt

import pytest

from shoal.model import Page
from shoal.ports import Topic
from shoal.testing.topic import TopicContract
from shoal.topic.keywords import BORDER, KeywordTopic, relevance_of
from shoal.topic.rarity import DOCUMENT_WORDS, FLOOR, Rarity
from shoal.url import parse_url

RARITY = Rarity()


def idf(word: str) -> float:
    return RARITY.stem(word).idf


def page_of(text: str) -> Page:
    return Page(
        url=parse_url("http://a.example/"), media_type="text/html", terms=Counter(text.split())
    )


class TestKeywordTopic(TopicContract):
    def make_topic(self) -> Topic:
        return KeywordTopic(("dengue fever", "mosquito"), RARITY)


def test_similarity_is_the_cosine_of_equation_2() -> None:
    """Two stems in the page, one of them the topic: cos = w1 / sqrt(w1^2 + w2^2)."""
    topic = KeywordTopic(("fever",), RARITY)
    fever = idf("fever") * 1.0
    cat = RARITY.idf("cat") * 0.5
    judgement = topic.judge(page_of("fever fever cat"))
    assert judgement.similarity == pytest.approx(fever / sqrt(fever**2 + cat**2))
    assert [part.name for part in judgement.reasons] == ["fever"]


def test_a_text_that_is_the_topic_has_similarity_1() -> None:
    topic = KeywordTopic(("dengue fever",), RARITY)
    assert topic.similarity("Fever, dengue!") == pytest.approx(1.0)
    assert topic.judge(page_of("dengue fever")).similarity == pytest.approx(1.0)


def test_forms_of_a_word_share_a_stem() -> None:
    assert KeywordTopic(("crawling",), RARITY).similarity("crawls") == pytest.approx(1.0)


def test_a_rare_word_tells_more_than_a_common_one() -> None:
    assert idf("dengue") > idf("fever") > idf("the")


def test_idf_of_an_unknown_word_is_that_of_the_floor() -> None:
    share = 1 - exp(-FLOOR * DOCUMENT_WORDS)
    assert idf("qzxqzx") == pytest.approx(-log(share), rel=1e-6)


def test_the_border_is_where_relevance_is_one_half() -> None:
    assert relevance_of(BORDER) == pytest.approx(0.5)
    assert relevance_of(0.0) == 0.0
    assert relevance_of(1.0) < 1.0


def test_words_beyond_the_table_are_told_apart_and_weigh_the_same() -> None:
    topic = KeywordTopic(("qzxqzx",), RARITY)
    assert topic.similarity("qzxqzx") == pytest.approx(1.0)
    assert topic.similarity("xzqxzq") == 0.0
    assert topic.similarity("qzxqzx xzqxzq") == pytest.approx(sqrt(0.5))


def test_forms_of_a_topics_word_are_one_dimension_of_a_page_too() -> None:
    """A page of nothing but forms of the topic's word has similarity 1, not more."""
    topic = KeywordTopic(("train",), RARITY)
    assert topic.judge(page_of("train trains training trained")).similarity == pytest.approx(1.0)
    apart = RARITY.idf("cat")
    together = 3 * idf("train")
    judgement = topic.judge(page_of("train trains trains cat"))
    assert judgement.similarity == pytest.approx(together / sqrt(together**2 + apart**2))


def test_a_word_that_is_named_twice_weighs_twice() -> None:
    once, twice = KeywordTopic(("fever cat",), RARITY), KeywordTopic(("fever fevers cat",), RARITY)
    assert twice.similarity("fever") > once.similarity("fever")
    assert len(twice.wanted) == 2
