"""What any Strategy must keep to. Subclass StrategyContract and give ``make_strategy``."""

from __future__ import annotations

from math import isfinite

from hypothesis import given
from hypothesis import strategies as st

from shoal.model import Judgement, Lease, Link, LinkKind, Page
from shoal.ports import Strategy
from shoal.url import parse_url

_WORDS = st.text(alphabet="abcdefghij ", max_size=40)


class StrategyContract:
    def make_strategy(self) -> Strategy:
        """A fresh Strategy that knows nothing yet."""
        raise NotImplementedError("give the contract a strategy to look at")

    @given(
        anchors=st.lists(_WORDS, max_size=30),
        relevance=st.floats(0, 1),
        similarity=st.floats(0, 1),
    )
    def test_one_finite_priority_a_link_in_their_order(
        self, anchors: list[str], relevance: float, similarity: float
    ) -> None:
        page, links = _page_with(anchors)
        judgement = Judgement(relevance, similarity)
        together = self.make_strategy().priorities(page, judgement, links, _lease_of(page))
        assert len(together) == len(links)
        for priority in together:
            assert isfinite(priority.value)
            assert all(isfinite(part.value) for part in priority.parts)

    @given(anchors=st.lists(_WORDS, max_size=10), similarity=st.floats(0, 1))
    def test_the_same_evidence_gives_the_same_priorities(
        self, anchors: list[str], similarity: float
    ) -> None:
        page, links = _page_with(anchors)
        judgement = Judgement(similarity, similarity)
        once = self.make_strategy().priorities(page, judgement, links, _lease_of(page))
        again = self.make_strategy().priorities(page, judgement, links, _lease_of(page))
        assert list(once) == list(again)

    def test_seeds_have_a_finite_priority(self) -> None:
        assert isfinite(self.make_strategy().seed(parse_url("http://seed.example/")).value)


def _page_with(anchors: list[str]) -> tuple[Page, list[Link]]:
    source = parse_url("http://source.example/")
    links = [
        Link(source, parse_url(f"http://target.example/{number}"), LinkKind.ANCHOR, anchor)
        for number, anchor in enumerate(anchors)
    ]
    return Page(url=source, media_type="text/html", links=tuple(links)), links


def _lease_of(page: Page) -> Lease:
    return Lease(1, page.url, 1.0, depth=0, redirects=0, attempts=0, kind=LinkKind.SEED)
