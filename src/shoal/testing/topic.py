"""What any Topic must keep to. Subclass TopicContract and give ``make_topic``."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from shoal.model import Page
from shoal.ports import Topic
from shoal.url import parse_url

_COUNTS = st.dictionaries(st.text(min_size=1, max_size=12), st.integers(1, 500), max_size=40)


class TopicContract:
    def make_topic(self) -> Topic:
        raise NotImplementedError("give the contract a topic to look at")

    @given(counts=_COUNTS)
    def test_a_judgement_lies_between_0_and_1_and_is_the_same_again(
        self, counts: dict[str, int]
    ) -> None:
        page = Page(url=parse_url("http://a.example/"), media_type="text/html", terms=counts)
        topic = self.make_topic()
        judgement = topic.judge(page)
        assert 0.0 <= judgement.relevance <= 1.0
        assert 0.0 <= judgement.similarity <= 1.0
        assert topic.judge(page) == judgement
        assert self.make_topic().judge(page) == judgement

    @given(words=st.text(max_size=200))
    def test_a_similarity_lies_between_0_and_1_and_is_the_same_again(self, words: str) -> None:
        topic = self.make_topic()
        similarity = topic.similarity(words)
        assert 0.0 <= similarity <= 1.0
        assert topic.similarity(words) == similarity

    def test_a_page_without_words_is_irrelevant(self) -> None:
        page = Page(url=parse_url("http://a.example/"), media_type="text/html")
        assert self.make_topic().judge(page).relevance < 0.5
