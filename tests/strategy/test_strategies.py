"""The strategies of this project keep the contract, and compute what their pages say."""

from __future__ import annotations

import pytest

from shoal.model import Judgement, Lease, Link, Page, Part
from shoal.ports import Strategy
from shoal.strategy.best_first import BestFirst
from shoal.strategy.breadth_first import BreadthFirst
from shoal.testing.strategy import StrategyContract
from shoal.topic.keywords import KeywordTopic
from shoal.topic.rarity import Rarity
from shoal.url import parse_url

RARITY = Rarity()


class TestBreadthFirst(StrategyContract):
    def make_strategy(self) -> Strategy:
        return BreadthFirst()


class TestBestFirst(StrategyContract):
    def make_strategy(self) -> Strategy:
        return BestFirst(KeywordTopic(("abc fish",), RARITY))


def test_best_first_is_the_mean_of_content_and_anchor() -> None:
    """Equation 7, by hand: (0.4 + 1) / 2 for an anchor that is the topic itself."""
    topic = KeywordTopic(("dengue fever",), RARITY)
    source = parse_url("http://a.example/")
    links = [
        Link(source, parse_url("http://a.example/1"), anchor="Dengue fever"),
        Link(source, parse_url("http://a.example/2"), anchor="contact us"),
        Link(source, parse_url("http://a.example/3")),
    ]
    page = Page(url=source, media_type="text/html", links=tuple(links))
    lease = Lease(1, source, 1.0, depth=0, redirects=0, attempts=0)
    first, second, third = BestFirst(topic).priorities(page, Judgement(0.9, 0.4), links, lease)
    assert first.value == pytest.approx(0.7)
    assert [part.name for part in first.parts] == ["content", "anchor"]
    assert second == third
    assert third.parts == (Part("content", 0.2),)
