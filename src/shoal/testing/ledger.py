"""What every Ledger must do. Subclass LedgerContract and say how one and its Frontier are made."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

import pytest

from shoal.model import (
    ArchiveMark,
    Offer,
    Outcome,
    Part,
    Priority,
    Ruling,
    UrlState,
)
from shoal.ports import Frontier, Ledger, Notes
from shoal.testing.frontier import IN, OUT, offer_of, page_visit, visit_of
from shoal.url import parse_url


class LedgerContract(ABC):
    """The guarantees of ports.Ledger, as tests."""

    @abstractmethod
    def make_frontier(self) -> Frontier:
        """A Frontier over this test's own store."""

    @abstractmethod
    def make_notes(self) -> Notes:
        """The Notes beside the Frontier just made."""

    @abstractmethod
    def make_ledger(self) -> Ledger:
        """A Ledger of what that Frontier has committed."""

    @pytest.fixture
    def frontier(self) -> Iterator[Frontier]:
        frontier = self.make_frontier()
        yield frontier
        frontier.close()

    @pytest.fixture
    def ledger(self, frontier: Frontier) -> Iterator[Ledger]:
        frontier.commit(ArchiveMark(), 0.0)
        ledger = self.make_ledger()
        yield ledger
        ledger.close()

    def _settle(self, frontier: Frontier, address: str, relevance: float, at_s: float) -> int:
        frontier.offer(None, [offer_of(address)])
        lease = frontier.lease(at_s, 1)[0]
        frontier.settle(lease, page_visit(at_s, relevance))
        return lease.id

    def test_it_sees_only_what_is_committed(self, frontier: Frontier, ledger: Ledger) -> None:
        url = parse_url("http://a.org/1")
        frontier.offer(None, [offer_of(url.text)])
        assert ledger.find(url) is None
        assert ledger.standing().known == 0
        frontier.commit(ArchiveMark(), 5.0)
        assert ledger.find(url) is not None
        assert ledger.standing() == (1, 1, 0, 0, 0, 0, 1)
        assert ledger.fact("clock_s") == "5.0"
        assert ledger.fact("stop_reason") is None

    def test_everything_of_a_url_is_told(self, frontier: Frontier, ledger: Ledger) -> None:
        first = offer_of("http://a.org/1", 0.5)
        second = offer_of("http://b.org/x", 0.25, source="http://a.org/1", anchor="dengue – 登革")
        frontier.offer(None, [first])
        source = frontier.lease(0.0, 1)[0]
        frontier.offer(source.id, [Offer(second.link, IN, second.priority, 1, 2)])
        visit = page_visit(1.5, 0.9, "sha1:Q", (1 << 64) - 5)
        frontier.settle(source, visit)
        frontier.commit(ArchiveMark(), 5.0)
        known = ledger.find(first.link.target)
        assert known is not None
        assert (known.state, known.source, known.visits) == (UrlState.SETTLED, None, (visit,))
        other = ledger.find(second.link.target)
        assert other is not None
        assert (other.url, other.state, other.source) == (
            "http://b.org/x",
            UrlState.WAITING,
            "http://a.org/1",
        )
        assert (other.depth, other.redirects, other.kind) == (1, 2, second.link.kind)
        assert (other.anchor, other.context) == (second.link.anchor, second.link.context)
        assert (other.ruling, other.priority) == (IN, Priority(0.25, (Part("link", 0.25),)))

    def test_a_source_elsewhere_is_told_too(self, frontier: Frontier, ledger: Ledger) -> None:
        frontier.offer(None, [offer_of("http://b.org/x", source="http://far.org/")])
        frontier.commit(ArchiveMark(), 5.0)
        known = ledger.find(parse_url("http://b.org/x"))
        assert known is not None
        assert known.source == "http://far.org/"

    def test_raising_replaces_the_evidence(self, frontier: Frontier, ledger: Ledger) -> None:
        frontier.offer(None, [offer_of("http://b.org/x", 0.1, source="http://s.org/1", anchor="a")])
        frontier.offer(None, [offer_of("http://b.org/x", 0.9, source="http://s.org/2", anchor="b")])
        frontier.offer(None, [offer_of("http://b.org/x", 0.5, source="http://s.org/3", anchor="c")])
        frontier.commit(ArchiveMark(), 5.0)
        known = ledger.find(parse_url("http://b.org/x"))
        assert known is not None
        assert (known.source, known.anchor, known.priority.value) == ("http://s.org/2", "b", 0.9)

    def test_a_refusal_names_its_rule(self, frontier: Frontier, ledger: Ledger) -> None:
        frontier.offer(None, [offer_of("http://a.org/private/", 0.0, OUT)])
        frontier.offer(None, [offer_of("http://b.org/1")])
        frontier.give_up("b.org", "no route to host")
        frontier.offer(None, [offer_of("http://b.org/2")])
        frontier.commit(ArchiveMark(), 5.0)
        known = ledger.find(parse_url("http://a.org/private/"))
        assert known is not None
        assert (known.state, known.ruling) == (UrlState.REFUSED, OUT)
        for address in ("http://b.org/1", "http://b.org/2"):
            known = ledger.find(parse_url(address))
            assert known is not None
            assert known.state is UrlState.REFUSED
            assert known.ruling == Ruling(False, "given_up", "no route to host")

    def test_every_attempt_is_told(self, frontier: Frontier, ledger: Ledger) -> None:
        frontier.offer(None, [offer_of("http://a.org/1")])
        first = visit_of(Outcome.RETRY, 1.0, status=503, retry_at_s=2.0, detail="busy")
        frontier.settle(frontier.lease(0.0, 1)[0], first)
        frontier.commit(ArchiveMark(), 5.0)
        known = ledger.find(parse_url("http://a.org/1"))
        assert known is not None
        assert (known.state, known.visits) == (UrlState.LATER, (first,))
        last = visit_of(Outcome.HTTP_ERROR, 3.0, status=404)
        frontier.settle(frontier.lease(3.0, 1)[0], last)
        frontier.commit(ArchiveMark(), 6.0)
        known = ledger.find(parse_url("http://a.org/1"))
        assert known is not None
        assert (known.state, known.visits) == (UrlState.SETTLED, (first, last))

    def test_visits_come_in_the_order_of_settling(self, frontier: Frontier, ledger: Ledger) -> None:
        for n in range(5):
            self._settle(frontier, f"http://a.org/{n}", n / 5, n)
        frontier.offer(None, [offer_of("http://a.org/gone")])
        frontier.settle(frontier.lease(9.0, 1)[0], visit_of(Outcome.HTTP_ERROR, 9.0, status=404))
        frontier.commit(ArchiveMark(), 5.0)
        told = list(ledger.visits())
        assert [visit.at_s for _, visit in told] == [0, 1, 2, 3, 4, 9]
        assert [known.url for known, _ in told][:2] == ["http://a.org/0", "http://a.org/1"]
        assert all(known.visits == () for known, _ in told)
        assert [v.status for _, v in ledger.visits(frozenset({Outcome.HTTP_ERROR}))] == [404]
        assert list(ledger.visits(frozenset())) == []

    def test_best_is_the_most_relevant_first(self, frontier: Frontier, ledger: Ledger) -> None:
        for n, relevance in enumerate((0.2, 0.9, 0.5, 0.9, 0.7)):
            self._settle(frontier, f"http://a.org/{n}", relevance, n)
        frontier.commit(ArchiveMark(), 5.0)
        told = [(known.url[-1], visit.judgement) for known, visit in ledger.best(0.5, None)]
        assert [name for name, _ in told] == ["1", "3", "4", "2"]
        assert [known.url[-1] for known, _ in ledger.best(0.0, 2)] == ["1", "3"]

    def test_links_are_told_by_number(self, frontier: Frontier, ledger: Ledger) -> None:
        frontier.offer(None, [offer_of("http://a.org/", 9.0)])
        for n, targets in enumerate(("bcb", "a", "")):
            lease = frontier.lease(float(n), 1)[0]
            offers = [
                offer_of(f"http://{t}.org/", 5.0 - n, OUT if t == "c" else IN) for t in targets
            ]
            frontier.offer(lease.id, offers)
            frontier.settle(lease, page_visit(n, 0.5))
            frontier.offer(None, [offer_of("http://d.org/", 1.0)])
        assert list(ledger.urls()) == []
        assert list(ledger.links()) == []
        frontier.commit(ArchiveMark(), 5.0)
        names = {number: url.text for number, url in ledger.urls()}
        assert sorted(names.values()) == [f"http://{letter}.org/" for letter in "abcd"]
        told = [(names[source], [names[n] for n in ids]) for source, ids in ledger.links()]
        a, b, c = (f"http://{letter}.org/" for letter in "abc")
        assert told == [(a, [b, c, b]), (b, [a])]
        assert all(ledger.find(url) is not None for _, url in ledger.urls())

    def test_the_pages_that_link_to_a_url(self, frontier: Frontier, ledger: Ledger) -> None:
        frontier.offer(None, [offer_of(f"http://s.org/{n}", 9 - n) for n in range(4)])
        wanted = "http://t.org/x"
        for n in range(4):
            lease = frontier.lease(float(n), 1)[0]
            others = [offer_of(f"http://t.org/{n}-{k}", -9) for k in range(300)]
            linked = [offer_of(wanted, -9, OUT)] if n != 1 else []
            frontier.offer(lease.id, others[:150] + linked + others[150:] + linked)
            frontier.settle(lease, page_visit(n, 0.5))
        frontier.commit(ArchiveMark(), 5.0)
        known = ledger.find(parse_url(wanted))
        assert known is not None
        found = [source.url for source in ledger.linked_from(known, 10)]
        assert found == ["http://s.org/0", "http://s.org/2", "http://s.org/3"]
        assert len(list(ledger.linked_from(known, 2))) == 2
        assert list(ledger.linked_from(known, 0)) == []
        seed = ledger.find(parse_url("http://s.org/0"))
        assert seed is not None
        assert list(ledger.linked_from(seed, 10)) == []

    def test_hosts(self, frontier: Frontier, ledger: Ledger) -> None:
        frontier.offer(None, [offer_of("http://a.org/1"), offer_of("http://a.org/2")])
        frontier.offer(None, [offer_of("http://a.org/3", 0.0, OUT), offer_of("http://b.org/")])
        frontier.settle(frontier.lease(0.0, 1)[0], visit_of())
        frontier.rest("a.org", 7.0, "polite")
        frontier.give_up("b.org", "silent")
        frontier.commit(ArchiveMark(), 5.0)
        assert ledger.host("nobody.org") is None
        told = list(ledger.hosts())
        assert told == [ledger.host("a.org"), ledger.host("b.org")]
        first, second = told
        assert (first.known, first.waiting, first.settled) == (2, 1, 1)
        assert (first.rest_until_s, first.rest_why, first.given_up) == (7.0, "polite", None)
        assert (second.known, second.waiting, second.given_up) == (1, 0, "silent")

    def test_notes_are_read_once_committed(self, frontier: Frontier, ledger: Ledger) -> None:
        notes = self.make_notes()
        notes.write("robots", "http://a.org", b"\x00\xff")
        assert ledger.note("robots", "http://a.org") is None
        frontier.commit(ArchiveMark(), 5.0)
        assert ledger.note("robots", "http://a.org") == b"\x00\xff"
        assert ledger.note("delay", "http://a.org") is None

    def test_an_iterator_stays_at_its_moment(self, frontier: Frontier, ledger: Ledger) -> None:
        for n in range(3):
            self._settle(frontier, f"http://a.org/{n}", 0.5, n)
        frontier.commit(ArchiveMark(), 5.0)
        told = ledger.visits()
        next(told)
        self._settle(frontier, "http://a.org/late", 0.5, 9)
        frontier.commit(ArchiveMark(), 6.0)
        assert ledger.find(parse_url("http://a.org/0")) is not None
        assert len(list(told)) == 2
        assert len(list(ledger.visits())) == 4
