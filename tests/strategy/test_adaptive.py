"""Strategies that learn while they crawl: they keep the contract, and they do learn."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.errors import UsageError
from shoal.model import Judgement, Lease, Link, LinkKind, Page, Priority, Waiting
from shoal.ports import Learner, Rescorer, Strategy
from shoal.strategy import intelligent, learned
from shoal.strategy.intelligent import IntelligentOptions
from shoal.strategy.learned import LearnedOptions
from shoal.strategy.learning.hosts import Hosts
from shoal.strategy.learning.learner import HARDLY
from shoal.strategy.recipe import Brief
from shoal.testing.strategy import StrategyContract
from shoal.topic.keywords import KeywordTopic
from shoal.topic.rarity import Rarity
from shoal.url import parse_url

RARITY = Rarity()
CONTRACT = Brief(KeywordTopic(("abc fish",), RARITY), ("abc fish",), RARITY.idf)
DENGUE = Brief(KeywordTopic(("dengue",), RARITY), ("dengue",), RARITY.idf)


class TestIntelligent(StrategyContract):
    def make_strategy(self) -> Strategy:
        return intelligent.RECIPE.make(CONTRACT, IntelligentOptions())


class TestLearned(StrategyContract):
    def make_strategy(self) -> Strategy:
        return learned.RECIPE.make(CONTRACT, LearnedOptions())


class TestLearnedWithoutWords(StrategyContract):
    """A Topic of another kind than words."""

    def make_strategy(self) -> Strategy:
        return learned.RECIPE.make(Brief(CONTRACT.topic), LearnedOptions(explore=0.0))


def told(strategy: Strategy, address: str, relevance: float, links: list[Link]) -> list[float]:
    """Tell a page, and return the Priorities of its Links."""
    url = parse_url(address)
    terms = {"mosquito": 5, "fever": 3} if relevance > 0.5 else {"railway": 5, "timetable": 3}
    page = Page(url=url, media_type="text/html", terms=terms, links=tuple(links))
    lease = Lease(1, url, 0.5, depth=1, redirects=0, attempts=0)
    found = strategy.priorities(page, Judgement(relevance, relevance / 4), links, lease)
    return [priority.value for priority in found]


def link(address: str, anchor: str = "") -> Link:
    return Link(parse_url("http://from.example/"), parse_url(address), anchor=anchor)


def after_a_walk(strategy: Strategy) -> list[float]:
    """A hub links to twenty pages: those of one directory, and with one word in their anchors, are
    relevant. Returns the Priorities of one more of each kind, on a page that is neither."""
    targets = [
        link(f"http://a.example/{kind}/{number}", f"{kind} {number}")
        for number in range(10)
        for kind in ("insects", "trains")
    ]
    told(strategy, "http://hub.example/", 0.4, targets)
    for target in targets:
        told(strategy, target.target.text, 0.95 if "insects" in target.anchor else 0.01, [])
    more = [
        link("http://a.example/insects/99", "insects 99"),
        link("http://a.example/trains/99", "trains 99"),
    ]
    return told(strategy, "http://other.example/", 0.4, more)


@pytest.mark.parametrize(
    "strategy",
    [
        intelligent.RECIPE.make(DENGUE, IntelligentOptions()),
        learned.RECIPE.make(DENGUE, LearnedOptions()),
    ],
    ids=["intelligent", "learned"],
)
def test_what_led_to_relevant_pages_comes_first(strategy: Strategy) -> None:
    better, worse = after_a_walk(strategy)
    assert better > worse


def test_learned_begins_as_best_first_does() -> None:
    """Before anything is learnt the anchor and the page decide."""
    links = [link("http://a.example/1", "dengue"), link("http://a.example/2", "contact us")]
    first, second = told(
        learned.RECIPE.make(DENGUE, LearnedOptions()), "http://b.example/", 0.5, links
    )
    assert first > second
    poor = told(learned.RECIPE.make(DENGUE, LearnedOptions()), "http://b.example/", 0.01, links)
    assert first > poor[0]


def test_several_recommendations_count_more_than_one() -> None:
    strategy = learned.RECIPE.make(DENGUE, LearnedOptions())
    shared, alone = link("http://a.example/shared"), link("http://a.example/alone")
    told(strategy, "http://b.example/", 0.9, [shared])
    both = told(strategy, "http://c.example/", 0.9, [shared, alone])
    assert both[0] > both[1]


def test_what_waits_is_weighed_anew() -> None:
    strategy = learned.RECIPE.make(DENGUE, LearnedOptions())
    assert isinstance(strategy, Rescorer)
    target = link("http://a.example/insects/99", "insects 99")
    before = told(strategy, "http://b.example/", 0.4, [target])[0]
    waiting = [Waiting(1, target.target, strategy.seed(target.target), 1, anchor=target.anchor)]
    after_a_walk(strategy)
    while not strategy.rescore_due():
        told(strategy, "http://c.example/", 0.4, [])
    after = strategy.rescore(waiting)[0]
    assert after.value > before
    assert [part.name for part in after.parts] == ["pages", "list", "words", "site", "uncertain"]


def test_seeds_stay_first() -> None:
    strategy = learned.RECIPE.make(DENGUE, LearnedOptions())
    assert isinstance(strategy, Rescorer)
    seed = parse_url("http://a.example/insects/1")
    priority = strategy.seed(seed)
    assert max(after_a_walk(strategy)) < priority.value
    assert strategy.rescore([Waiting(1, seed, priority, 0, LinkKind.SEED)]) == [priority]


def test_only_what_is_new_is_kept() -> None:
    strategy = learned.RECIPE.make(DENGUE, LearnedOptions())
    assert isinstance(strategy, Learner)
    told(strategy, "http://a.example/", 0.4, [link("http://a.example/1")])
    assert set(strategy.knowledge()) == {"0", "head"}
    assert strategy.knowledge() == {}
    told(strategy, "http://b.example/", 0.4, [])
    assert set(strategy.knowledge()) == {"1", "head"}


def test_a_lost_piece_is_an_error() -> None:
    strategy = learned.RECIPE.make(DENGUE, LearnedOptions())
    assert isinstance(strategy, Learner)
    told(strategy, "http://a.example/", 0.4, [])
    kept = dict(strategy.knowledge())
    del kept["0"]
    fresh = learned.RECIPE.make(DENGUE, LearnedOptions())
    assert isinstance(fresh, Learner)
    with pytest.raises(ValueError, match="page 0 of 1 is missing"):
        fresh.recall(kept.get)


@pytest.mark.parametrize("options", [LearnedOptions(pull=0.0), LearnedOptions(explore=-1.0)])
def test_options_of_learned_are_checked(options: LearnedOptions) -> None:
    with pytest.raises(UsageError, match=r"strategy\.(pull|explore)"):
        learned.RECIPE.make(DENGUE, options)


def test_options_of_intelligent_are_checked() -> None:
    with pytest.raises(UsageError, match=r"strategy\.significance"):
        intelligent.RECIPE.make(DENGUE, IntelligentOptions(significance=-1.0))


def counted(outcomes: list[tuple[int, float]], hosts: int, mean: float) -> Hosts:
    """What is known after these outcomes of pages of hosts, of which there are ``hosts``."""
    known = [host for host, _ in outcomes]
    found = Hosts()
    found.renew(
        np.array([*known, *range(hosts)]),
        np.array([*(worth for _, worth in outcomes), *[np.nan] * hosts]),
        mean,
    )
    return found


def test_the_hope_for_a_host_is_gone_after_a_page_or_two() -> None:
    hosts = counted([(0, 0.0)] * 5, hosts=2, mean=0.1)
    before = hosts.rates(np.array([1]))[0]
    hosts.add(1, 0.0)
    hosts.add(1, 0.0)
    untried = counted([], hosts=1, mean=0.1).rates(np.array([0]))[0]
    assert before == pytest.approx(untried, abs=0.1)
    assert hosts.rates(np.array([1]))[0] < 0.0 < before


def test_a_good_host_is_not_left_for_one_that_nothing_is_known_of() -> None:
    outcomes = [(0, 0.9)] * 30 + [(1, 0.0), (2, 0.0), (3, 0.0)]
    good, untried = counted(outcomes, hosts=5, mean=0.8).rates(np.array([0, 4]))
    assert good > untried
    nothing_good = counted([(host, 0.0) for host in range(4)] * 8, hosts=5, mean=0.02)
    bad, untried = nothing_good.rates(np.array([0, 4]))
    assert untried > bad


def test_what_hardly_changes_is_left_as_it_is() -> None:
    strategy = learned.RECIPE.make(DENGUE, LearnedOptions())
    assert isinstance(strategy, Rescorer)
    target = link("http://a.example/insects/99", "insects 99")
    told(strategy, "http://b.example/", 0.4, [target])
    after_a_walk(strategy)
    exact = strategy.rescore([Waiting(1, target.target, Priority(0.0), 1)])[0]
    near = Priority(exact.value * (1.0 + HARDLY / 2))
    far = Priority(exact.value * (1.0 + HARDLY * 2))
    waiting = [Waiting(1, target.target, near, 1), Waiting(2, target.target, far, 1)]
    assert strategy.rescore(waiting) == [near, exact]
