"""What any Topic must keep to. Subclass TopicContract and give ``make_topic``; and
AttentiveContract where it is Attentive."""

from __future__ import annotations

from functools import cache
from math import isfinite
from typing import Protocol

from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.model import Judgement, Language, Page
from shoal.ports import Attentive, Topic
from shoal.url import parse_url

_COUNTS = st.dictionaries(st.text(min_size=1, max_size=12), st.integers(1, 500), max_size=40)
_LANGUAGES = st.builds(Language, st.sampled_from(["en", "de", "und"]), st.floats(0.0, 1.0))
_ENGLISH = Language("en", 0.99)
_REASONS_MAX = 50


class TopicContract:
    requirement = False
    """Whether it only rules something out: such a Topic may let a Page without words pass."""
    known_words: tuple[str, ...] = ()
    """Words that speak for the Topic, to make Pages of."""

    def make_topic(self) -> Topic:
        """The same Topic each time."""
        raise NotImplementedError("give the contract a topic to look at")

    def _both(self) -> tuple[Topic, Topic]:
        return _topics(type(self))  # type: ignore[arg-type]  # mypy reads __hash__ off the instance

    @settings(max_examples=40, deadline=None)
    @given(counts=_COUNTS, language=_LANGUAGES, data=st.data())
    def test_a_judgement_is_sound_and_the_same_again(
        self,
        counts: dict[str, int],
        language: Language,
        data: st.DataObject,
    ) -> None:
        known = st.sampled_from(self.known_words or ("fever",))
        counts = {**counts, **data.draw(st.dictionaries(known, st.integers(1, 100), max_size=5))}
        page = _page(counts, language)
        topic, again = self._both()
        judgement = topic.judge(page)
        assert_sound(judgement)
        assert topic.judge(page) == judgement
        assert again.judge(page) == judgement

    @settings(max_examples=40, deadline=None)
    @given(words=st.text(max_size=200))
    def test_a_similarity_lies_between_0_and_1_and_is_the_same_again(self, words: str) -> None:
        topic, again = self._both()
        similarity = topic.similarity(words)
        assert 0.0 <= similarity <= 1.0
        assert topic.similarity(words) == similarity
        assert again.similarity(words) == similarity

    def test_what_was_judged_before_does_not_matter(self) -> None:
        topic, fresh = self._both()[0], self.make_topic()
        before = _page(dict.fromkeys(self.known_words or ("fever",), 9))
        after = _page({"cat": 3, "tomato": 2})
        topic.judge(before)
        topic.similarity(" ".join(self.known_words))
        assert topic.judge(after) == fresh.judge(after)

    def test_a_page_without_words_is_irrelevant(self) -> None:
        judgement = self._both()[0].judge(_page({}))
        assert_sound(judgement)
        assert self.requirement or judgement.relevance < 0.5

    def test_a_page_of_its_own_words_is_closer_than_one_without_them(self) -> None:
        if not self.known_words:
            return
        topic = self._both()[0]
        fillers = {f"filler{chr(97 + number)}": 2 for number in range(25)}
        own = topic.judge(_page({**fillers, **dict.fromkeys(self.known_words, 9)}))
        other = topic.judge(_page(fillers))
        assert own.relevance > other.relevance
        assert own.similarity >= other.similarity
        assert own.reasons


class AttentiveContract:
    """For a Topic that goes by what the crawl has met. Give ``make_attentive``; let it keep to
    TopicContract as well, fresh and with Pages met."""

    known_words: tuple[str, ...] = ()

    def make_attentive(self) -> AttentiveTopic:
        """A fresh one, which has met nothing."""
        raise NotImplementedError("give the contract a topic to look at")

    def _pages(self) -> list[Page]:
        known = self.known_words or ("fever",)
        return [
            _page({"cat": 3, **dict.fromkeys(known[: place % (len(known) + 1)], 2 + place)})
            for place in range(12)
        ]

    def test_what_is_met_changes_judgements_and_judging_changes_none(self) -> None:
        topic = self.make_attentive()
        pages = self._pages()
        for page in pages[:6]:
            topic.meet(page)
        before = [topic.judge(page) for page in pages]
        assert [topic.judge(page) for page in pages] == before
        for page in pages[6:]:
            topic.meet(page)
        assert [topic.judge(page) for page in pages] != before

    def test_a_fresh_one_that_is_told_everything_judges_alike_from_then_on(self) -> None:
        """Whenever the pieces are taken, in a crash too: those of each batch go over the last."""
        first, notes = self.make_attentive(), dict[str, bytes]()
        pages = self._pages()
        for page in pages[:9]:
            first.meet(page)
            notes.update(first.knowledge())
        second = self.make_attentive()
        second.recall(notes.get)
        for page in pages:
            assert second.judge(page) == first.judge(page)
            assert_sound(second.judge(page))
        for page in pages[9:]:
            first.meet(page)
            second.meet(page)
        assert [second.judge(page) for page in pages] == [first.judge(page) for page in pages]

    def test_nothing_is_recalled_where_nothing_was_kept(self) -> None:
        topic, fresh = self.make_attentive(), self.make_attentive()
        topic.recall(lambda _name: None)
        assert [topic.judge(page) for page in self._pages()] == [
            fresh.judge(page) for page in self._pages()
        ]


class AttentiveTopic(Attentive, Topic, Protocol):
    """Both sides of one object."""


@cache
def _topics(contract: type[TopicContract]) -> tuple[Topic, Topic]:
    """One, and the same made anew."""
    return contract().make_topic(), contract().make_topic()


def assert_sound(judgement: Judgement) -> None:
    assert 0.0 <= judgement.relevance <= 1.0
    assert 0.0 <= judgement.similarity <= 1.0
    assert len(judgement.reasons) <= _REASONS_MAX
    assert all(part.name and isfinite(part.value) for part in judgement.reasons)
    assert all(0.0 <= part.value <= 1.0 for part in judgement.beliefs)
    values = [part.value for part in judgement.beliefs]
    assert values == sorted(values, reverse=True)
    names = [part.name for part in judgement.beliefs]
    assert len(set(names)) == len(names)


def _page(counts: dict[str, int], language: Language = _ENGLISH) -> Page:
    url = parse_url("http://a.example/")
    text = " ".join(counts)
    return Page(url, "text/html", text=text, terms=counts, language=language)
