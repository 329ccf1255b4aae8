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
TOPIC = KeywordTopic(("abc fish",), RARITY)


class TestBreadthFirst(StrategyContract):
    def make_strategy(self) -> Strategy:
        return BreadthFirst()


class TestBestFirst(StrategyContract):
    def make_strategy(self) -> Strategy:
        return BestFirst(TOPIC)


class TestBestFirstOnContent(StrategyContract):
    def make_strategy(self) -> Strategy:
        return BestFirst(TOPIC, 1.0, 0.0)


class TestBestFirstOnAnchors(StrategyContract):
    def make_strategy(self) -> Strategy:
        return BestFirst(TOPIC, 0.0, 1.0)


SOURCE = parse_url("http://a.example/")
LINKS = [
    Link(SOURCE, parse_url("http://a.example/1"), anchor="Dengue fever"),
    Link(SOURCE, parse_url("http://a.example/2"), anchor="contact us"),
    Link(SOURCE, parse_url("http://a.example/3")),
]
PAGE = Page(url=SOURCE, media_type="text/html", links=tuple(LINKS))
LEASE = Lease(1, SOURCE, 1.0, depth=0, redirects=0, attempts=0)


def values(strategy: Strategy) -> list[float]:
    """Of three Links, by anchors of similarity 1, 0 and none, on a page of similarity 0.4."""
    found = strategy.priorities(PAGE, Judgement(0.9, 0.4), LINKS, LEASE)
    return [priority.value for priority in found]


def test_best_first_is_the_mean_of_content_and_anchor() -> None:
    """Equation 7, by hand: (0.4 + 1) / 2 for an anchor that is the topic itself."""
    strategy = BestFirst(KeywordTopic(("dengue fever",), RARITY))
    first, second, third = strategy.priorities(PAGE, Judgement(0.9, 0.4), LINKS, LEASE)
    assert first.value == pytest.approx(0.7)
    assert [part.name for part in first.parts] == ["content", "anchor"]
    assert second == third
    assert third.parts == (Part("content", 0.2),)


def test_the_halves_of_best_first() -> None:
    topic = KeywordTopic(("dengue fever",), RARITY)
    assert values(BestFirst(topic, 1.0, 0.0)) == pytest.approx([0.4, 0.4, 0.4])
    assert values(BestFirst(topic, 0.0, 1.0)) == pytest.approx([1.0, 0.0, 0.0])
