"""Every kind of Topic keeps the contract, and means by 0.5 what the others mean."""

from __future__ import annotations

import pytest

from shoal.compose.topic import why_unsortable
from shoal.model import Judgement, Language, Part
from shoal.ports import Topic
from shoal.testing.topic import TopicContract
from shoal.topic.category import CategoryTopic
from shoal.topic.combined import AllOf, AnyOf, MeanOf, Member, Not
from shoal.topic.examples import BadExamples, learn_examples
from shoal.topic.keywords import KeywordTopic
from shoal.topic.language import LanguageTopic
from tests.classify.pages import FARM, SEA, SKY, essay, page_of
from tests.topic.kinds import RARITY, counts, fresh_examples, sea_examples, sea_words, subjects

GERMAN = Language("de", 0.98)
SEA_WORDS = tuple(SEA)


def sea_category() -> CategoryTopic:
    model = subjects()
    return CategoryTopic(model.classifier, "sea", lambda page: why_unsortable(model, page, 1))


class TestWeightedWords(TopicContract):
    known_words = SEA_WORDS

    def make_topic(self) -> Topic:
        return KeywordTopic(("harbour",), RARITY, {"tide": 0.5}, 0.08)


class TestExamples(TopicContract):
    known_words = SEA_WORDS

    def make_topic(self) -> Topic:
        return fresh_examples(unlike=False)


class TestExamplesAndCounterExamples(TopicContract):
    known_words = SEA_WORDS

    def make_topic(self) -> Topic:
        return fresh_examples(unlike=True)


class TestCategory(TopicContract):
    known_words = SEA_WORDS

    def make_topic(self) -> Topic:
        return sea_category()


class TestLanguage(TopicContract):
    requirement = True

    def make_topic(self) -> Topic:
        return LanguageTopic(frozenset({"en"}))


class TestAll(TopicContract):
    known_words = SEA_WORDS

    def make_topic(self) -> Topic:
        parts = {"words": sea_words(), "en": LanguageTopic(frozenset({"en"}))}
        return AllOf(tuple(Member(*part) for part in parts.items()))


class TestAny(TopicContract):
    known_words = SEA_WORDS

    def make_topic(self) -> Topic:
        return AnyOf((Member("words", sea_words()), Member("sea", sea_category())))


class TestMean(TopicContract):
    known_words = SEA_WORDS

    def make_topic(self) -> Topic:
        return MeanOf((Member("words", sea_words(), 1.0), Member("sea", sea_category(), 3.0)))


class TestNot(TopicContract):
    requirement = True

    def make_topic(self) -> Topic:
        return Not(Member("words", sea_words()))


# --------------------------------------------------------------------------- examples


@pytest.mark.parametrize("unlike", [False, True])
def test_examples_tell_other_pages_of_their_subject(unlike: bool) -> None:
    topic = sea_examples(unlike)
    for seed in range(500, 510):
        assert topic.judge(page_of(essay(SEA, seed))).relevance > 0.5
        assert topic.judge(page_of(essay(FARM, seed))).relevance < 0.5
        assert topic.judge(page_of(essay(SKY, seed))).relevance < 0.5
    assert topic.similarity("a sailor at the harbour") > topic.similarity("barley")


def test_examples_name_the_terms_that_carried_it() -> None:
    judged = sea_examples(True).judge(page_of(essay(SEA, 600)))
    assert {part.name for part in judged.reasons[:4]} <= set(SEA)
    against = sea_examples(True).judge(page_of(essay(FARM, 600)))
    assert {part.name for part in against.reasons[:4] if part.value < 0} <= set(FARM)


def test_the_order_of_examples_and_their_copies_do_not_matter() -> None:
    likes = [counts(SEA, seed) for seed in range(6)]
    unlikes = [counts(FARM, seed) for seed in range(20, 26)]
    other = learn_examples([*reversed(likes), likes[0]], unlikes[::-1], RARITY)
    page = page_of(essay(SEA, 700))
    assert other.judge(page) == sea_examples(True).judge(page)


def test_examples_that_teach_nothing_are_refused() -> None:
    one = counts(SEA, 1)
    with pytest.raises(BadExamples, match="1 wanted example: give at least 2"):
        learn_examples([one], [], RARITY)
    with pytest.raises(BadExamples, match="2 wanted examples, all with the same words"):
        learn_examples([one, one], [], RARITY)
    with pytest.raises(BadExamples, match="1 unwanted example"):
        learn_examples([one, counts(SEA, 2)], [counts(FARM, 1)], RARITY)
    with pytest.raises(BadExamples, match="no words in common"):
        learn_examples([{"harbour": 1}, {"barley": 1}], [], RARITY)


# --------------------------------------------------------------------------- categories


def test_relevance_to_a_category_is_its_probability_and_all_are_kept() -> None:
    page = page_of(essay(SEA, 800))
    judged = sea_category().judge(page)
    row = subjects().classifier.probabilities([page])[0]
    assert judged.relevance == pytest.approx(row[subjects().categories.index("sea")])
    assert judged.beliefs[0].name == "sea"
    assert sum(part.value for part in judged.beliefs) == pytest.approx(1.0, abs=0.01)
    assert judged.reasons[0].name in SEA


def test_what_belongs_to_no_category_is_irrelevant_and_the_rule_is_named() -> None:
    foreign = page_of(essay(SEA, 801), language=GERMAN)
    assert sea_category().judge(foreign) == Judgement(0.0, 0.0, (Part("language de", 0.0),))
    model = subjects()
    assert why_unsortable(model, page_of("harbour tide"), 50) == "few_terms"
    assert why_unsortable(model, page_of(""), 50) == "no_text"


def test_words_that_a_model_does_not_know_are_like_nothing() -> None:
    assert sea_category().similarity("qzxqzx") == 0.0
    assert sea_category().similarity("harbour tide sailor") > 0.3


# --------------------------------------------------------------------------- the others


@pytest.mark.parametrize(
    ("language", "low", "high"),
    [
        (Language("en", 0.9), 0.9, 0.9),
        (Language("en", 0.2), 0.5, 0.5),
        (Language("de", 0.9), 0.0, 0.2),
        (Language("de", 0.2), 0.5, 0.5),
        (Language("und", 0.0), 0.5, 0.5),
    ],
)
def test_a_language_is_required_as_far_as_it_can_be_told(
    language: Language, low: float, high: float
) -> None:
    judged = LanguageTopic(frozenset({"en"})).judge(page_of("a text", language=language))
    assert low <= judged.relevance <= high


def test_combinations_keep_the_border() -> None:
    sea, farm = sea_examples(True), KeywordTopic(("barley tractor",), RARITY)
    members = (Member("sea", sea, 3.0), Member("farm", farm, 1.0))
    page = page_of(essay(SEA, 900))
    one, other = sea.judge(page).relevance, farm.judge(page).relevance
    assert one > 0.5 > other
    assert AllOf(members).judge(page).relevance == min(one, other)
    assert AnyOf(members).judge(page).relevance == max(one, other)
    assert Not(members[0]).judge(page).relevance == 1.0 - one
    assert MeanOf(members).judge(page).relevance == pytest.approx((3 * one + other) / 4)


def test_a_combination_says_what_each_member_thought() -> None:
    topic = AllOf((Member("words", sea_words()), Member("subject", sea_category())))
    judged = topic.judge(page_of(essay(SEA, 901)))
    assert [part.name for part in judged.reasons[:2]] == ["words", "subject"]
    beliefs = dict(judged.beliefs)
    assert beliefs["words"] == judged.reasons[0].value
    assert beliefs["sea"] == judged.reasons[1].value
