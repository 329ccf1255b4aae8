"""The classic strategies keep the contract, and compute what their pages say."""

from __future__ import annotations

import pytest

from shoal.config import SettingsError, check
from shoal.model import Judgement, Lease, Link, Page, Part, Priority, Waiting
from shoal.ports import Strategy
from shoal.strategy.best_first import BestFirst
from shoal.strategy.depth import ABANDONED
from shoal.strategy.fish_search import FishSearch, FishSearchOptions
from shoal.strategy.hard_focus import HardFocus
from shoal.strategy.n_best_first import CHOSEN, NBestFirst
from shoal.strategy.shark_search import SharkSearch, SharkSearchOptions
from shoal.strategy.soft_focus import SoftFocus
from shoal.testing.strategy import StrategyContract, Walk
from shoal.topic.keywords import KeywordTopic
from shoal.topic.rarity import Rarity
from shoal.url import parse_url

TOPIC = KeywordTopic(("abc fish",), Rarity())
SOURCE = parse_url("http://a.example/")
SEED = Priority(1.0, (Part("seed", 1.0),))


class TestNBestFirst(StrategyContract):
    def make_strategy(self) -> Strategy:
        return NBestFirst(BestFirst(TOPIC), 4)


class TestFishSearch(StrategyContract):
    def make_strategy(self) -> Strategy:
        return FishSearch(FishSearchOptions())


class TestSharkSearch(StrategyContract):
    def make_strategy(self) -> Strategy:
        return SharkSearch(TOPIC, SharkSearchOptions())


class TestHardFocus(StrategyContract):
    def make_strategy(self) -> Strategy:
        return HardFocus(0.5)


class TestSoftFocus(StrategyContract):
    def make_strategy(self) -> Strategy:
        return SoftFocus()


def told(
    strategy: Strategy,
    judgement: Judgement,
    anchors: list[str],
    inherited: Priority = SEED,
    context: str = "",
) -> list[Priority]:
    links = [
        Link(SOURCE, parse_url(f"http://a.example/{n}"), anchor=anchor, context=context)
        for n, anchor in enumerate(anchors)
    ]
    page = Page(url=SOURCE, media_type="text/html", links=tuple(links))
    lease = Lease(
        1, SOURCE, inherited.value, depth=0, redirects=0, attempts=0, parts=inherited.parts
    )
    return list(strategy.priorities(page, judgement, links, lease))


GOOD, BAD = Judgement(0.9, 0.4), Judgement(0.1, 0.0)


def test_fish_breed_where_there_is_food() -> None:
    """Width 2: three Links of a relevant page, two of another."""
    fish = FishSearch(FishSearchOptions(width=2, widening=1.5))
    assert [p.value for p in told(fish, GOOD, [""] * 5)] == [1, 1, 1, 0, 0]
    assert [p.value for p in told(fish, BAD, [""] * 5)] == [0.5, 0.5, 0, 0, 0]


def test_fish_die_where_there_is_none() -> None:
    fish = FishSearch(FishSearchOptions(depth=2))
    after_seed = told(fish, BAD, [""])[0]
    assert after_seed.parts == (Part("potential", 0.5), Part("depth", 1.0))
    after_one = told(fish, BAD, [""], after_seed)[0]
    after_two = told(fish, BAD, [""], after_one)[0]
    assert after_two == ABANDONED
    assert told(fish, BAD, [""], after_two)[0] == ABANDONED
    assert told(fish, GOOD, [""], after_two)[0].value == 1.0


def test_a_shark_smells_by_hand() -> None:
    """Page 0.4, anchor 1: 0.5 * (0.5 * 0.4) + 0.5 * (0.8 * 1 + 0.2 * 1) = 0.6."""
    shark = SharkSearch(TOPIC, SharkSearchOptions())
    anchored, bare = told(shark, GOOD, ["abc fish", "hay"])
    assert anchored.value == pytest.approx(0.6)
    assert bare.value == pytest.approx(0.1)
    assert bare.parts == (Part("depth", 3.0), Part("inherited", bare.value))
    in_words = told(shark, GOOD, ["hay"], context="abc fish")[0]
    assert in_words.value == pytest.approx(0.1 + 0.5 * 0.2)


def test_a_shark_hands_down_what_it_inherited() -> None:
    """A page that is not alike to the topic at all hands down half of what it was given."""
    shark = SharkSearch(TOPIC, SharkSearchOptions())
    parent = told(shark, GOOD, ["hay"])[0]
    child = told(shark, BAD, ["hay"], parent)[0]
    assert child.value == pytest.approx(0.05)
    assert told(shark, BAD, ["hay"], child)[0].value == pytest.approx(0.025)


def test_hard_and_soft_focus_ask_the_topic_alone() -> None:
    assert [p.value for p in told(HardFocus(0.5), GOOD, ["abc", ""])] == [1.0, 1.0]
    assert [p.value for p in told(HardFocus(0.5), BAD, ["abc", ""])] == [0.0, 0.0]
    assert [p.value for p in told(SoftFocus(), GOOD, ["abc", ""])] == [0.9, 0.9]


def test_n_best_are_fetched_before_what_they_lead_to() -> None:
    """Two are chosen; a better one found meanwhile must wait for the next choice."""
    strategy = NBestFirst(BestFirst(TOPIC), 2)
    assert strategy.rescore_due()
    waiting = [waits(number, value) for number, value in enumerate((0.1, 0.3, 0.3, 0.2), 1)]
    chosen = strategy.rescore(waiting)
    assert [CHOSEN in priority.parts for priority in chosen] == [False, True, True, False]
    better = told(strategy, GOOD, ["abc fish"], chosen[1])[0]
    assert better.value < chosen[2].value
    assert not strategy.rescore_due()
    told(strategy, GOOD, [], chosen[2])
    assert strategy.rescore_due()


def test_a_choice_ends_when_something_else_was_fetched() -> None:
    strategy = NBestFirst(BestFirst(TOPIC), 3)
    strategy.rescore([waits(1, 0.1)])
    assert not strategy.rescore_due()
    told(strategy, GOOD, [], Priority(0.2))
    assert strategy.rescore_due()


def test_one_best_first_is_best_first() -> None:
    for seed in range(5):
        one, plain = Walk(NBestFirst(BestFirst(TOPIC), 1), seed), Walk(BestFirst(TOPIC), seed)
        one.go(30)
        plain.go(30)
        # Where it is chosen is told as well; what is fetched, and when, is the same.
        assert [w.url for w in one.waiting()] == [w.url for w in plain.waiting()]


def waits(number: int, value: float) -> Waiting:
    return Waiting(number, parse_url(f"http://a.example/{number}"), Priority(value), 1)


@pytest.mark.parametrize(
    ("strategy", "option", "value", "said"),
    [
        ("n-best-first", "choice", 0, "choice is 0; it must be from 1 to 400"),
        ("fish-search", "width", 0, "width is 0"),
        ("fish-search", "depth", -1, "depth is -1; it must be from 0 to 1000"),
        ("shark-search", "decay", 1.5, "decay is 1.5; it must be from 0 to 1"),
        ("shark-search", "inheritance", 1.0, "inheritance is 1; it must be from 0.01 to 0.99"),
        ("hard-focus", "relevant_from", 2.0, "relevant_from is 2; it must be from 0 to 1"),
        ("soft-focus", "relevant_from", 0.5, "soft-focus has no option strategy.relevant_from"),
    ],
)
def test_options_out_of_range(strategy: str, option: str, value: float, said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        check({"crawl": {"strategy": strategy}, "strategy": {option: value}})
