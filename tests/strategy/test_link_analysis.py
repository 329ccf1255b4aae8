"""Importance and text together: the contract, and the formulas by hand."""

from __future__ import annotations

from typing import Any

import pytest

from shoal.model import Judgement, Lease, Link, Page, Part, Priority, Waiting
from shoal.ports import Strategy
from shoal.strategy.best_first import BestFirst
from shoal.strategy.link_analysis import (
    CHOSEN,
    PAUSE_PAGES,
    SEED,
    LinkAnalysis,
    LinkAnalysisOptions,
    Score,
)
from shoal.testing.strategy import StrategyContract
from shoal.topic.keywords import KeywordTopic
from shoal.topic.rarity import Rarity
from shoal.url import Url, parse_url

TOPIC = KeywordTopic(("abc fish",), Rarity())


def strategy_of(**options: Any) -> LinkAnalysis:
    return LinkAnalysis(BestFirst(TOPIC), LinkAnalysisOptions(**options))


class TestLinkAnalysis(StrategyContract):
    def make_strategy(self) -> Strategy:
        return strategy_of()


class TestLinkAnalysisThatChoosesAllTheTime(StrategyContract):
    def make_strategy(self) -> Strategy:
        return strategy_of(
            frontier_min=5, top_size=3, host_max=2, relevant_from=0.0, growth=0.001, iterations=2
        )


class TestLinkAnalysisByAuthority(StrategyContract):
    def make_strategy(self) -> Strategy:
        return strategy_of(score=Score.AUTHORITY, relevant_from=0.0, growth=0.001, iterations=2)


def address(name: str) -> Url:
    return parse_url(f"http://{name[0]}.example/{name[1:]}")


def tell(
    strategy: Strategy, source: str, targets: list[str], relevance: float, *parts: Part
) -> list[Priority]:
    """The Priorities of the Links of a page, whose similarity is half its relevance."""
    url = address(source)
    links = [Link(url, address(target)) for target in targets]
    page = Page(url=url, media_type="text/html", links=tuple(links))
    lease = Lease(1, url, 0.0, depth=0, redirects=0, attempts=0, parts=parts)
    return list(strategy.priorities(page, Judgement(relevance, relevance / 2), links, lease))


def waits(name: str, priority: Priority, number: int) -> Waiting:
    return Waiting(number, address(name), priority, 1)


def test_importance_and_text_by_hand() -> None:
    """With d = 0.5 each score begins at 0.5. A relevant page of 0.5 gives its two Links
    0.5 * 0.5 / 2 each: rank 0.625, importance 1 - 0.5 / 0.625 = 0.2. Its similarity is 0.4, so
    without anchors the text is 0.2."""
    strategy = strategy_of(damping=0.5, growth=10, text_share=0.25)
    first, second = tell(strategy, "a", ["b", "c"], 0.8)
    assert first == second
    assert [part.name for part in first.parts] == ["importance", "text"]
    assert [part.value for part in first.parts] == pytest.approx([0.75 * 0.2, 0.25 * 0.2])
    assert first.value == pytest.approx(0.2)
    # b gives c half of its 0.625: 0.9375, importance 1 - 0.5 / 0.9375.
    (again,) = tell(strategy, "b", ["c"], 0.8)
    assert again.parts[0].value == pytest.approx(0.75 * (1 - 0.5 / 0.9375))


def test_authority_by_hand() -> None:
    """a links to b and c, and b to c: after many sweeps c is the greatest authority, and b has
    (sqrt 5 - 1) / 2 of it."""
    strategy = strategy_of(score=Score.AUTHORITY, iterations=40, growth=0.01, text_share=0.0)
    tell(strategy, "a", ["b", "c"], 0.8)
    tell(strategy, "b", ["c"], 0.8)
    found = tell(strategy, "d", ["b", "c", "e"], 0.1)
    assert [priority.value for priority in found] == pytest.approx([(5**0.5 - 1) / 2, 1.0, 0.0])


def test_links_of_pages_that_are_not_relevant_do_not_count() -> None:
    strategy = strategy_of(damping=0.5, growth=10)
    (ignored,) = tell(strategy, "a", ["c"], 0.4)
    assert [part.value for part in ignored.parts] == pytest.approx([0.0, 0.05])
    (counted,) = tell(strategy, "b", ["c"], 0.8)
    assert counted.parts[0].value == pytest.approx(0.5 * (1 - 0.5 / 0.75))
    (known,) = tell(strategy, "d", ["c"], 0.4)
    assert known.parts[0].value == counted.parts[0].value


def test_the_best_are_chosen_when_few_are_left_and_few_of_a_host() -> None:
    strategy = strategy_of(frontier_min=2, top_size=3, host_max=2)
    for number in range(PAUSE_PAGES):
        assert not strategy.rescore_due()
        tell(strategy, f"a{number}", [], 0.0)
    assert strategy.rescore_due()
    texts = {"b1": 0.5, "b2": 0.4, "b3": 0.3, "c1": 0.2, "d1": 0.1}
    waiting = [
        waits(name, Priority(text, (Part("importance", 0.0), Part("text", text))), number)
        for number, (name, text) in enumerate(texts.items(), 1)
    ]
    waiting.append(waits("e", SEED, 9))
    found = strategy.rescore(waiting)
    pairs = zip(waiting, found, strict=True)
    chosen = [item.url.text[7:] for item, priority in pairs if CHOSEN in priority.parts]
    assert chosen == ["b.example/1", "b.example/2", "c.example/1"]
    assert [priority.value for priority in found] == pytest.approx([1.5, 1.4, 0.3, 1.2, 0.1, 2.0])
    assert not strategy.rescore_due()
    # One chosen page is told and two are left, which is enough; with the next one it is not.
    tell(strategy, "b1", [], 0.0, CHOSEN)
    assert strategy.knowledge()["counts"] == b"2 1"
    left = [waits(item.url.host[0] + item.url.path[1:], new, item.id)
            for item, new in zip(waiting[1:], found[1:], strict=True)]  # fmt: skip
    assert strategy.rescore(left) == found[1:]
    tell(strategy, "b2", [], 0.0, CHOSEN)
    last = strategy.rescore(left[1:])
    assert [CHOSEN in priority.parts for priority in last] == [True, True, True, False]


def test_a_page_that_was_not_chosen_brings_on_the_next_choice() -> None:
    strategy = strategy_of(frontier_min=1)
    strategy.rescore([waits(f"b{n}", Priority(0.5), n) for n in range(1, 30)])
    for number in range(PAUSE_PAGES):
        assert not strategy.rescore_due()
        tell(strategy, f"b{number}", [], 0.0, CHOSEN)
    assert not strategy.rescore_due(), "ten of the twenty chosen are left"
    tell(strategy, "c", [], 0.0)
    assert strategy.rescore_due()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"top_size": 381}, "top_size is 381; it must be from 1 to 380"),
        ({"frontier_min": 0}, "frontier_min is 0; it must be from 1 to 200"),
        ({"text_share": 1.5}, "text_share is 1.5; it must be from 0 to 1"),
    ],
)
def test_options_out_of_range(options: dict[str, float], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        strategy_of(**options)
