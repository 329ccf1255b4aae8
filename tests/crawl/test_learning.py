"""A Strategy that changes its mind, and one that remembers, in a crawl."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from shoal.crawl.learning import KIND, TOPIC_KIND, Learning
from shoal.frontier import StateFile, StateFrontier, StateNotes
from shoal.model import ArchiveMark, Judgement, Lease, Link, Page, Part, Priority, Waiting
from shoal.ports import Strategy
from shoal.strategy.breadth_first import BreadthFirst
from shoal.testing.frontier import offer_of
from shoal.testing.notes import MemoryNotes
from shoal.url import Url, parse_url


@dataclass
class Fickle:
    """Wants the others first, and counts how often it was asked."""

    due: bool = True
    asked: list[int] = field(default_factory=list)
    count: int = 0

    def seed(self, url: Url) -> Priority:
        return Priority(0.0)

    def priorities(
        self, page: Page, judgement: Judgement, links: Sequence[Link], lease: Lease
    ) -> Sequence[Priority]:
        return [Priority(0.0)] * len(links)

    def rescore_due(self) -> bool:
        return self.due

    def rescore(self, waiting: Sequence[Waiting]) -> Sequence[Priority]:
        self.asked += [item.id for item in waiting]
        return [Priority(-item.priority.value, (Part("turned", 1.0),)) for item in waiting]

    def knowledge(self) -> Mapping[str, bytes]:
        self.count += 1
        return {"count": b"%d" % self.count}

    def recall(self, read: Callable[[str], bytes | None]) -> None:
        self.count = int(read("count") or b"0")


def test_what_waits_is_put_in_the_order_that_the_strategy_wants() -> None:
    frontier = StateFrontier.open(StateFile.open(":memory:"))
    frontier.offer(None, [offer_of(f"http://a.org/{n}", n) for n in range(5)])
    strategy = Fickle()
    learning = Learning(strategy, frontier, None)
    assert learning.rescore() == 5
    assert [waiting.url.text[-1] for waiting in frontier.foremost(9)] == list("01234")
    assert sorted(strategy.asked) == [1, 2, 3, 4, 5]
    strategy.due = False
    assert learning.rescore() == 0
    assert Learning(BreadthFirst(), frontier, None).rescore() == 0


def test_one_rescoring_costs_the_same_in_a_large_frontier() -> None:
    frontier = StateFrontier.open(StateFile.open(":memory:"))
    frontier.offer(None, [offer_of(f"http://a.org/{n}", n % 7 + 1) for n in range(5_000)])
    strategy = Fickle()
    learning = Learning(strategy, frontier, None)
    seen: set[int] = set()
    for _ in range(13):
        strategy.asked.clear()
        learning.rescore()
        assert len(strategy.asked) <= 800
        seen |= set(strategy.asked)
    assert seen == set(range(1, 5_001)), "every stretch has had its turn"


def test_what_was_learnt_is_durable_with_its_batch(tmp_path: Path) -> None:
    def open_state() -> tuple[StateFrontier, StateNotes]:
        state = StateFile.open(tmp_path / "state.sqlite")
        return StateFrontier.open(state), StateNotes(state)

    frontier, notes = open_state()
    learning = Learning(Fickle(), frontier, notes)
    learning.recall()
    learning.keep()
    frontier.commit(ArchiveMark(), 1.0)
    learning.keep()
    frontier.close()
    frontier, notes = open_state()
    strategy = Fickle()
    Learning(strategy, frontier, notes).recall()
    assert strategy.count == 1
    frontier.close()


@dataclass
class Counting:
    """A Topic's attentive side."""

    pages: int = 0

    def meet(self, page: Page) -> None:
        self.pages += 1

    def knowledge(self) -> Mapping[str, bytes]:
        return {"pages": str(self.pages).encode()}

    def recall(self, read: Callable[[str], bytes | None]) -> None:
        self.pages = int(read("pages") or b"0")


def test_what_topics_have_met_is_kept_apart_and_told_again() -> None:
    notes, frontier = MemoryNotes(), StateFrontier.open(StateFile.open(":memory:"))
    first = [Counting(), Counting(4)]
    learning = Learning(BreadthFirst(), frontier, notes, first)
    learning.meet(Page(parse_url("http://a.example/"), "text/html"))
    learning.keep()
    assert set(notes.kept) == {(TOPIC_KIND, "0/pages"), (TOPIC_KIND, "1/pages")}
    second = [Counting(), Counting()]
    Learning(BreadthFirst(), frontier, notes, second).recall()
    assert second == first == [Counting(1), Counting(5)]


def test_a_strategy_that_does_not_learn_writes_nothing() -> None:
    notes = MemoryNotes()
    frontier = StateFrontier.open(StateFile.open(":memory:"))
    strategies: list[Strategy] = [BreadthFirst(), Fickle()]
    for strategy in strategies:
        Learning(strategy, frontier, notes).keep()
    assert notes.kept == {(KIND, "count"): b"1"}
