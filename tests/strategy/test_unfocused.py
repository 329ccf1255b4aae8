"""The unfocused strategies keep the contract, and compute what their pages say."""

from __future__ import annotations

from typing import Any

import pytest

from shoal.model import Judgement, Lease, Link, Page, Waiting
from shoal.ports import Strategy
from shoal.strategy.backlink_count import BacklinkCount
from shoal.strategy.opic import Opic
from shoal.strategy.pagerank_order import PageRankOptions, PageRankOrder
from shoal.strategy.random_order import RandomOrder
from shoal.testing.strategy import StrategyContract
from shoal.url import Url, parse_url


class TestRandom(StrategyContract):
    def make_strategy(self) -> Strategy:
        return RandomOrder(7)


class TestBacklinkCount(StrategyContract):
    def make_strategy(self) -> Strategy:
        return BacklinkCount()


class TestPageRank(StrategyContract):
    def make_strategy(self) -> Strategy:
        return PageRankOrder(PageRankOptions())


class TestPageRankThatSweepsAllTheTime(StrategyContract):
    def make_strategy(self) -> Strategy:
        return PageRankOrder(PageRankOptions(iterations=2, growth=0.001))


class TestOpic(StrategyContract):
    def make_strategy(self) -> Strategy:
        return Opic()


def tell(strategy: Strategy, source: str, targets: str, priority: float = 0.0) -> list[float]:
    """The values of the Links of a page; addresses are single letters."""
    url = address(source)
    links = [Link(url, address(target)) for target in targets]
    page = Page(url=url, media_type="text/html", links=tuple(links))
    lease = Lease(1, url, priority, depth=0, redirects=0, attempts=0)
    found = strategy.priorities(page, Judgement(0.5, 0.5), links, lease)
    return [one.value for one in found]


def address(letter: str) -> Url:
    return parse_url(f"http://{letter}.example/")


def test_a_lot_depends_on_the_address_and_the_random_seed_alone() -> None:
    once, other = RandomOrder(1), RandomOrder(2)
    assert tell(once, "a", "bcd") == tell(once, "e", "bcd")
    assert tell(once, "a", "bcd") != tell(other, "a", "bcd")
    assert once.seed(address("b")).value == tell(once, "a", "b")[0]


def test_lots_are_spread_evenly() -> None:
    lots = [RandomOrder(3).seed(parse_url(f"http://a.example/{n}")).value for n in range(2000)]
    assert sum(lots) / len(lots) == pytest.approx(0.5, abs=0.03)
    assert min(lots) >= 0.0
    assert max(lots) < 1.0


def test_a_backlink_is_a_page_and_counts_once() -> None:
    strategy = BacklinkCount()
    assert tell(strategy, "a", "bcb") == [1, 1, 1]
    assert tell(strategy, "b", "cab") == [2, 1, 1]
    assert tell(strategy, "c", "b") == [2]


def test_cash_by_hand() -> None:
    """A seed holds 1: half of it for b and c. What b shares out is what it was leased with."""
    strategy = Opic()
    assert strategy.seed(address("a")).value == 1.0
    assert tell(strategy, "a", "bc", 1.0) == [0.5, 0.5]
    assert tell(strategy, "b", "cd", 0.5) == [0.75, 0.25]
    assert tell(strategy, "c", "dddd", 0.75) == [1.0] * 4


def test_pagerank_rises_by_what_a_page_gives() -> None:
    """With d = 0.5 and no sweep yet worth its while: 0.5 + 0.5 * 0.5 / 2."""
    strategy = PageRankOrder(PageRankOptions(damping=0.5, growth=10))
    assert tell(strategy, "a", "bc") == pytest.approx([0.625, 0.625])
    assert tell(strategy, "b", "c") == pytest.approx([0.625 + 0.5 * 0.625])


def test_pagerank_weighs_anew_what_waits_and_leaves_what_it_does_not_know() -> None:
    strategy = PageRankOrder(PageRankOptions())
    for number in range(50):
        assert not strategy.rescore_due()
        tell(strategy, f"page{number}", "bbc" if number else "b")
    assert strategy.rescore_due()
    waiting = [waiting_at("b"), waiting_at("c"), waiting_at("z")]
    first, second, unknown = strategy.rescore(waiting)
    assert first.value > second.value > strategy.seed(address("b")).value
    assert unknown is waiting[2].priority
    assert not strategy.rescore_due()


def waiting_at(letter: str) -> Waiting:
    strategy = RandomOrder(0)
    return Waiting(ord(letter), address(letter), strategy.seed(address(letter)), 1)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"damping": 1.0}, "damping is 1; it must be from 0.01 to 0.99"),
        ({"iterations": 0}, "iterations is 0; it must be from 1 to 1000"),
        ({"growth": -1.0}, "growth is -1; it must be from 0.001 to 10"),
    ],
)
def test_options_out_of_range(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        PageRankOptions(**options)


def test_many_pieces_are_kept_and_told_again() -> None:
    """Three hundred pages are five pieces, the last of which is not full."""
    whole, resumed = BacklinkCount(), BacklinkCount()
    kept: dict[str, bytes] = {}
    for number in range(300):
        tell(whole, f"page{number}", "b")
        if number % 37 == 0:
            changed = whole.knowledge()
            assert len(changed) <= 2
            kept.update(changed)
    kept.update(whole.knowledge())
    assert len(kept) == 5
    resumed.recall(kept.get)
    assert resumed.knowledge() == {}
    assert tell(resumed, "another", "b") == tell(whole, "another", "b") == [301]
    assert resumed.knowledge() == whole.knowledge()
