"""What every Frontier must do. Subclass FrontierContract in your tests and say how one is made."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import replace

import pytest

from shoal.model import (
    ArchiveMark,
    Judgement,
    Lease,
    Link,
    LinkKind,
    Offer,
    Outcome,
    Part,
    Position,
    Priority,
    Ruling,
    Visit,
)
from shoal.ports import Frontier
from shoal.url import parse_url

IN = Ruling(True, "default")
OUT = Ruling(False, "scope.exclude", "*/private/*")
MARK = ArchiveMark((("a.warc.gz", 123),))


def offer_of(
    address: str,
    priority: float = 0.0,
    ruling: Ruling = IN,
    *,
    source: str | None = None,
    anchor: str = "",
    depth: int = 0,
) -> Offer:
    link = Link(
        source=None if source is None else parse_url(source),
        target=parse_url(address),
        kind=LinkKind.SEED if source is None else LinkKind.ANCHOR,
        anchor=anchor,
        context=f"around {anchor}" if anchor else "",
    )
    return Offer(link, ruling, Priority(priority, (Part("link", priority),)), depth)


def visit_of(outcome: Outcome = Outcome.PAGE, at_s: float = 1.0, **more: object) -> Visit:
    return Visit(at_s=at_s, outcome=outcome, **more)  # type: ignore[arg-type]  # the caller's fields


def page_visit(
    at_s: float, relevance: float, digest: str = "sha1:A", simhash: int | None = None
) -> Visit:
    return Visit(
        at_s=at_s,
        outcome=Outcome.PAGE,
        status=200,
        detail="kept",
        size_bytes=1234,
        elapsed_s=0.25,
        media_type="text/html",
        language="en",
        title="Dengue – an overview",
        judgement=Judgement(relevance, relevance / 2, (Part("title", 0.5),)),
        digest=digest,
        simhash=simhash,
        position=Position("a.warc.gz", 10, 99),
        etag='"e"',
        last_modified="Mon, 01 Jan 2024 00:00:00 GMT",
    )


class FrontierContract(ABC):
    """The guarantees of ports.Frontier, as tests."""

    @abstractmethod
    def make_frontier(self, per_host: int = 1) -> Frontier:
        """A Frontier over this test's own store: a new one at first, and after the one made before
        was closed, one that finds what that one committed."""

    @pytest.fixture
    def frontier(self) -> Iterator[Frontier]:
        frontier = self.make_frontier()
        yield frontier
        frontier.close()

    # ----------------------------------------------------------------- 1. known once

    def test_a_url_is_known_once(self, frontier: Frontier) -> None:
        count = frontier.offer(None, [offer_of("http://a.org/1"), offer_of("http://a.org/1")])
        assert (count.new, count.known, count.raised, count.refused) == (1, 1, 0, 0)
        assert frontier.offer(None, [offer_of("http://a.org/1")]).known == 1
        assert frontier.standing().known == 1
        assert len(frontier.lease(0.0, 10)) == 1

    def test_a_lease_brings_the_evidence_of_its_link(self, frontier: Frontier) -> None:
        frontier.offer(None, [offer_of("http://a.org/1", 0.4, source="http://b.org/", anchor="x")])
        (lease,) = frontier.lease(0.0, 1)
        assert (lease.anchor, lease.context) == ("x", "around x")
        assert lease.parts == (Part("link", 0.4),)
        assert lease.source == parse_url("http://b.org/")

    def test_a_lease_knows_its_source_by_number_too(self, frontier: Frontier) -> None:
        frontier.offer(None, [offer_of("http://b.org/")])
        (hub,) = frontier.lease(0.0, 1)
        assert hub.source is None
        frontier.offer(hub.id, [offer_of("http://a.org/1", source="http://b.org/")])
        (lease,) = frontier.lease(0.0, 1)
        assert lease.source == parse_url("http://b.org/")

    def test_what_the_source_was_believed_to_be_travels_with_the_link(
        self, frontier: Frontier
    ) -> None:
        beliefs = (Part("sea", 0.8), Part("farm", 0.2))
        offer = offer_of("http://a.org/1", 0.4, source="http://b.org/")
        frontier.offer(None, [replace(offer, source_relevance=0.8, source_beliefs=beliefs)])
        (waiting,) = frontier.foremost(1)
        assert (waiting.source_relevance, waiting.source_beliefs) == (0.8, beliefs)
        frontier.reprioritise([(waiting.id, Priority(0.9))])
        (lease,) = frontier.lease(0.0, 1)
        assert (lease.source_relevance, lease.source_beliefs) == (0.8, beliefs)

    def test_every_offer_is_counted_once(self, frontier: Frontier) -> None:
        offers = [
            offer_of("http://a.org/1", 0.1),
            offer_of("http://a.org/2", 0.1, OUT),
            offer_of("http://a.org/1", 0.5),
            offer_of("http://a.org/1", 0.2),
        ]
        assert frontier.offer(None, offers) == (1, 1, 1, 1)
        assert frontier.host_known("a.org") == 1

    def test_nothing_offered_is_nothing_known(self, frontier: Frontier) -> None:
        assert frontier.offer(None, []) == (0, 0, 0, 0)
        assert frontier.lease(0.0, 5) == []
        assert frontier.next_ready(0.0) is None
        assert frontier.standing() == (0, 0, 0, 0, 0, 0, 0)
        assert frontier.host_known("nobody.org") == 0

    def test_a_refused_url_never_waits(self, frontier: Frontier) -> None:
        assert frontier.offer(None, [offer_of("http://a.org/private/", 1.0, OUT)]).refused == 1
        assert frontier.offer(None, [offer_of("http://a.org/private/", 2.0, OUT)]).known == 1
        assert frontier.lease(0.0, 1) == []
        assert frontier.standing().refused == 1
        assert frontier.host_known("a.org") == 0

    def test_a_refused_url_waits_once_a_link_admits_it(self, frontier: Frontier) -> None:
        frontier.offer(None, [offer_of("http://a.org/x", 1.0, OUT)])
        assert frontier.offer(None, [offer_of("http://a.org/x", 0.5)]).new == 1
        standing = frontier.standing()
        assert (standing.known, standing.waiting, standing.refused) == (1, 1, 0)
        assert frontier.lease(0.0, 1)[0].priority == 0.5

    # ----------------------------------------------------------------- what was fetched elsewhere

    def test_what_is_taken_is_leased_whatever_else_is(self, frontier: Frontier) -> None:
        frontier.offer(None, [offer_of("http://a.org/1", 0.9)])
        (first,) = frontier.lease(0.0, 1)
        frontier.rest("a.org", 1000.0, "a pause")
        taken = frontier.take(offer_of("http://a.org/2", 0.5, anchor="two", depth=3))
        assert taken is not None
        assert (taken.url.text, taken.depth, taken.anchor) == ("http://a.org/2", 3, "two")
        frontier.settle(taken, visit_of())
        frontier.settle(first, visit_of())
        assert frontier.standing().settled == 2

    def test_what_waits_can_be_taken(self, frontier: Frontier) -> None:
        frontier.offer(None, [offer_of("http://a.org/1", 0.9), offer_of("http://a.org/2", 0.5)])
        taken = frontier.take(offer_of("http://a.org/1", 0.1))
        assert taken is not None
        assert frontier.standing().waiting == 1
        frontier.release(taken)
        assert [lease.url.text for lease in frontier.lease(0.0, 1)] == ["http://a.org/1"]

    def test_what_is_leased_or_settled_cannot_be_taken(self, frontier: Frontier) -> None:
        frontier.offer(None, [offer_of("http://a.org/1")])
        (lease,) = frontier.lease(0.0, 1)
        assert frontier.take(offer_of("http://a.org/1")) is None
        frontier.settle(lease, visit_of())
        assert frontier.take(offer_of("http://a.org/1")) is None

    def test_what_was_left_to_another_crawler_can_be_taken(self, frontier: Frontier) -> None:
        frontier.offer(None, [offer_of("http://a.org/1")])
        (lease,) = frontier.lease(0.0, 1)
        frontier.settle(lease, visit_of(Outcome.ELSEWHERE))
        taken = frontier.take(offer_of("http://a.org/1"))
        assert taken is not None
        frontier.settle(taken, visit_of())
        assert frontier.take(offer_of("http://a.org/1")) is None
        assert (frontier.standing().settled, frontier.standing().waiting) == (1, 0)

    def test_what_was_handed_over_can_be_taken_where_it_has_come_back(
        self, frontier: Frontier
    ) -> None:
        frontier.offer(None, [offer_of("http://a.org/1")])
        (lease,) = frontier.lease(0.0, 1)
        frontier.settle(lease, visit_of(Outcome.HANDED_OVER))
        assert frontier.take(offer_of("http://a.org/1")) is None
        taken = frontier.take(offer_of("http://a.org/1"), back=True)
        assert taken is not None
        frontier.settle(taken, visit_of())
        assert frontier.take(offer_of("http://a.org/1"), back=True) is None
        assert (frontier.standing().settled, frontier.standing().waiting) == (1, 0)

    def test_what_was_refused_or_waits_for_another_attempt_can_be_taken(
        self, frontier: Frontier
    ) -> None:
        frontier.offer(None, [offer_of("http://a.org/1", 0.0, OUT), offer_of("http://a.org/2")])
        (lease,) = frontier.lease(0.0, 1)
        frontier.settle(lease, visit_of(Outcome.RETRY, retry_at_s=100.0))
        for address in ("http://a.org/1", "http://a.org/2"):
            taken = frontier.take(offer_of(address, 0.0, OUT))
            assert taken is not None
            frontier.settle(taken, visit_of())
        standing = frontier.standing()
        assert (standing.settled, standing.refused, standing.later) == (2, 0, 0)
        assert frontier.next_ready(200.0) is None

    # ----------------------------------------------------------------- 2. and 3. leases

    def test_a_leased_url_is_leased_to_nobody_else(self, frontier: Frontier) -> None:
        frontier.offer(None, [offer_of("http://a.org/1"), offer_of("http://b.org/1")])
        first = frontier.lease(0.0, 1) + frontier.lease(0.0, 1)
        assert [lease.url.text for lease in first] == ["http://a.org/1", "http://b.org/1"]
        frontier.offer(None, [offer_of("http://a.org/1", 9.0)])
        assert frontier.lease(0.0, 5) == []
        assert (frontier.standing().leased, frontier.standing().waiting) == (2, 0)

    def test_a_released_url_waits_as_before(self, frontier: Frontier) -> None:
        frontier.offer(None, [offer_of("http://a.org/1", 0.5), offer_of("http://a.org/2", 0.4)])
        lease = frontier.lease(0.0, 1)[0]
        frontier.release(lease)
        assert frontier.lease(0.0, 1) == [lease]

    def test_a_url_is_settled_once(self, frontier: Frontier) -> None:
        frontier.offer(None, [offer_of("http://a.org/1")])
        lease = frontier.lease(0.0, 1)[0]
        frontier.settle(lease, visit_of())
        with pytest.raises(ValueError, match=r"http://a\.org/1"):
            frontier.settle(lease, visit_of())
        with pytest.raises(ValueError, match=r"http://a\.org/1"):
            frontier.release(lease)
        frontier.offer(None, [offer_of("http://a.org/1", 5.0)])
        assert frontier.lease(0.0, 1) == []
        assert frontier.standing().settled == 1

    def test_retry_waits_until_its_time(self, frontier: Frontier) -> None:
        frontier.offer(None, [offer_of("http://a.org/1")])
        lease = frontier.lease(0.0, 1)[0]
        frontier.settle(lease, visit_of(Outcome.RETRY, retry_at_s=50.0, etag='"7"'))
        assert (frontier.standing().later, frontier.standing().settled) == (1, 0)
        assert frontier.lease(49.9, 1) == []
        wait = frontier.next_ready(1.0)
        assert wait is not None
        assert wait.until_s == 50.0
        again = frontier.lease(50.0, 1)[0]
        assert (again.id, again.attempts, again.etag) == (lease.id, 1, '"7"')
        frontier.settle(again, visit_of())
        assert frontier.standing() == (1, 0, 0, 0, 1, 0, 0)
        assert frontier.next_ready(99.0) is None

    def test_a_lease_carries_what_was_offered(self, frontier: Frontier) -> None:
        given = offer_of("https://a.org:8443/x?y=1", 0.25, depth=3)
        frontier.offer(None, [Offer(given.link, IN, given.priority, depth=3, redirects=2)])
        lease = frontier.lease(0.0, 1)[0]
        assert (lease.url.text, lease.url.host_key) == ("https://a.org:8443/x?y=1", "a.org:8443")
        assert (lease.priority, lease.depth, lease.redirects, lease.attempts) == (0.25, 3, 2, 0)

    # ----------------------------------------------------------------- 4. order

    def test_the_highest_priority_comes_first(self, frontier: Frontier) -> None:
        frontier.offer(None, [offer_of(f"http://h{n}.org/", p) for n, p in enumerate((1, 3, 2))])
        assert [frontier.lease(0.0, 1)[0].priority for _ in range(3)] == [3, 2, 1]

    def test_one_lease_at_a_time_follows_the_best_across_hosts(self, frontier: Frontier) -> None:
        offers = [offer_of(f"http://h{n % 3}.org/{n}", (n * 7) % 11) for n in range(11)]
        frontier.offer(None, offers)
        seen = []
        while leases := frontier.lease(0.0, 1):
            seen.append(leases[0].priority)
            frontier.settle(leases[0], visit_of())
        assert seen == sorted(seen, reverse=True)
        assert len(seen) == 11

    def test_equal_priorities_leave_in_the_order_they_entered(self, frontier: Frontier) -> None:
        addresses = [f"http://h{n % 4}.org/{n}" for n in range(12)]
        frontier.offer(None, [offer_of(address) for address in addresses])
        seen = []
        while leases := frontier.lease(0.0, 1):
            seen.append(leases[0].url.text)
            frontier.settle(leases[0], visit_of())
        assert seen == addresses

    def test_what_was_just_offered_counts_at_once(self, frontier: Frontier) -> None:
        frontier.offer(None, [offer_of("http://a.org/1", 0.1)])
        lease = frontier.lease(0.0, 1)[0]
        frontier.offer(lease.id, [offer_of("http://b.org/1", 0.1), offer_of("http://c.org/", 0.9)])
        assert frontier.lease(0.0, 1)[0].url.text == "http://c.org/"

    def test_a_raised_url_comes_sooner(self, frontier: Frontier) -> None:
        frontier.offer(None, [offer_of("http://a.org/1", 0.5), offer_of("http://b.org/2", 0.4)])
        assert frontier.offer(None, [offer_of("http://b.org/2", 0.6, depth=1)]).raised == 1
        assert frontier.offer(None, [offer_of("http://b.org/2", 0.1)]).raised == 0
        lease = frontier.lease(0.0, 1)[0]
        assert (lease.url.text, lease.priority) == ("http://b.org/2", 0.6)

    def test_a_refused_offer_raises_nothing(self, frontier: Frontier) -> None:
        frontier.offer(None, [offer_of("http://a.org/1", 0.5)])
        assert frontier.offer(None, [offer_of("http://a.org/1", 0.9, OUT)]).known == 1
        assert frontier.lease(0.0, 1)[0].priority == 0.5

    @pytest.mark.parametrize("per_host", [1, 2, 3])
    def test_never_more_than_per_host_of_one_host(self, per_host: int) -> None:
        frontier = self.make_frontier(per_host)
        frontier.offer(None, [offer_of(f"http://a.org/{n}", 10 - n) for n in range(9)])
        frontier.offer(None, [offer_of("http://b.org/", -5)])
        leases = frontier.lease(0.0, 20)
        assert [lease.priority for lease in leases] == [10 - n for n in range(per_host)] + [-5]
        assert frontier.lease(0.0, 20) == []
        wait = frontier.next_ready(0.0)
        assert wait is not None
        assert wait.until_s == math.inf
        frontier.settle(leases[0], visit_of())
        assert [lease.priority for lease in frontier.lease(0.0, 20)] == [10 - per_host]
        frontier.close()

    # ----------------------------------------------------------------- hosts

    def test_a_resting_host_is_left_alone(self, frontier: Frontier) -> None:
        frontier.offer(None, [offer_of("http://a.org/1", 0.9), offer_of("http://b.org/1", 0.1)])
        frontier.rest("a.org", 10.0, "Retry-After")
        assert [lease.url.host for lease in frontier.lease(0.0, 5)] == ["b.org"]
        wait = frontier.next_ready(0.0)
        assert wait is not None
        assert wait.until_s == 10.0
        assert "Retry-After" in wait.why
        assert frontier.lease(9.99, 5) == []
        assert [lease.url.host for lease in frontier.lease(10.0, 5)] == ["a.org"]

    def test_both_rests_of_a_host_are_kept(self, frontier: Frontier) -> None:
        frontier.offer(None, [offer_of("http://a.org/1")])
        frontier.rest("a.org", 10.0, "first")
        assert frontier.lease(1.0, 1) == []
        frontier.rest("a.org", 20.0, "second")
        frontier.rest("a.org", 15.0, "third")
        wait = frontier.next_ready(0.0)
        assert wait is not None
        assert wait.until_s == 20.0
        assert frontier.lease(19.0, 1) == []
        assert len(frontier.lease(20.0, 1)) == 1

    def test_a_host_may_rest_before_it_is_known(self, frontier: Frontier) -> None:
        frontier.rest("a.org", 10.0, "robots.txt")
        frontier.offer(None, [offer_of("http://a.org/1")])
        assert frontier.lease(0.0, 1) == []
        assert len(frontier.lease(10.0, 1)) == 1

    def test_another_attempt_waits_for_its_host_too(self, frontier: Frontier) -> None:
        frontier.offer(None, [offer_of("http://a.org/1")])
        frontier.settle(frontier.lease(0.0, 1)[0], visit_of(Outcome.RETRY, retry_at_s=5.0))
        frontier.rest("a.org", 30.0, "parked")
        wait = frontier.next_ready(0.0)
        assert wait is not None
        assert wait.until_s == 30.0
        assert frontier.lease(6.0, 1) == []
        assert len(frontier.lease(30.0, 1)) == 1

    def test_giving_up_refuses_what_waits_now_and_later(self, frontier: Frontier) -> None:
        frontier.offer(None, [offer_of(f"http://a.org/{n}", 9 - n) for n in range(4)])
        frontier.offer(None, [offer_of("http://b.org/", -1)])
        frontier.settle(frontier.lease(0.0, 1)[0], visit_of(Outcome.RETRY, retry_at_s=5.0))
        lease = frontier.lease(0.0, 1)[0]
        assert frontier.give_up("a.org", "no route") == 3
        assert frontier.give_up("a.org", "no route") == 0
        frontier.release(lease)
        assert frontier.offer(None, [offer_of("http://a.org/new", 9)]).refused == 1
        assert frontier.offer(None, [offer_of("http://a.org/2", 99)]).known == 1
        assert [lease.url.host for lease in frontier.lease(100.0, 9)] == ["b.org"]
        assert frontier.standing() == (6, 0, 1, 0, 0, 5, 0)
        assert frontier.next_ready(100.0) is None

    def test_a_retry_of_a_given_up_host_is_refused(self, frontier: Frontier) -> None:
        frontier.offer(None, [offer_of("http://a.org/1")])
        lease = frontier.lease(0.0, 1)[0]
        assert frontier.give_up("a.org", "gone") == 0
        frontier.settle(lease, visit_of(Outcome.RETRY, retry_at_s=5.0))
        assert frontier.lease(9.0, 1) == []
        assert frontier.standing().refused == 1

    # ----------------------------------------------------------------- another order

    def test_what_waits_is_told_with_its_evidence(self, frontier: Frontier) -> None:
        frontier.offer(
            None, [offer_of("http://a.org/1", 0.4, source="http://b.org/", anchor="x", depth=2)]
        )
        (told,) = frontier.foremost(5)
        assert (told.url.text, told.anchor, told.context) == ("http://a.org/1", "x", "around x")
        assert (told.depth, told.kind) == (2, LinkKind.ANCHOR)
        assert told.priority == Priority(0.4, (Part("link", 0.4),))
        assert frontier.waiting(0, 5) == ((told,), None)

    def test_the_foremost_are_the_best_of_all_hosts(self, frontier: Frontier) -> None:
        frontier.offer(
            None, [offer_of(f"http://h{n % 3}.org/{n}", (n * 7) % 11) for n in range(11)]
        )
        frontier.rest("h0.org", 99.0, "busy")
        lease = frontier.lease(0.0, 1)[0]
        told = [waiting.priority.value for waiting in frontier.foremost(4)]
        assert told == sorted(set(range(11)) - {lease.priority}, reverse=True)[:4]
        assert len(frontier.foremost(99)) == 10

    def test_slices_tell_everything_that_waits_once(self, frontier: Frontier) -> None:
        frontier.offer(None, [offer_of(f"http://h{n % 3}.org/{n}", n) for n in range(10)])
        frontier.offer(None, [offer_of("http://a.org/private/", 1.0, OUT)])
        frontier.settle(frontier.lease(0.0, 1)[0], visit_of())
        leased = frontier.lease(0.0, 1)[0]
        told: list[str] = []
        after: int | None = 0
        while after is not None:
            urls, after = frontier.waiting(after, 3)
            assert len(urls) <= 3
            told += [waiting.url.text for waiting in urls]
        assert leased.url.text == "http://h2.org/8"
        assert told == [f"http://h{n % 3}.org/{n}" for n in range(8)]

    def test_slices_tell_what_waits_for_another_attempt_where_they_are_asked_to(
        self, frontier: Frontier
    ) -> None:
        frontier.offer(None, [offer_of(f"http://h{n}.org/", n) for n in range(3)])
        lease = frontier.lease(0.0, 1)[0]
        frontier.settle(lease, visit_of(Outcome.RETRY, retry_at_s=50.0))
        assert [waiting.id for waiting in frontier.waiting(0, 9).urls] == [1, 2]
        told = frontier.waiting(0, 9, later=True).urls
        assert [waiting.id for waiting in told] == [1, 2, lease.id]
        taken = frontier.take(offer_of(lease.url.text, 2.0))
        assert taken is not None
        assert taken.attempts == 1
        assert frontier.waiting(0, 9, later=True).urls == told[:2]

    def test_another_priority_is_another_place(self, frontier: Frontier) -> None:
        frontier.offer(None, [offer_of(f"http://h{n % 2}.org/{n}", n) for n in range(6)])
        ids = {waiting.url.text[-1]: waiting.id for waiting in frontier.foremost(6)}
        changes = [(ids["5"], 0.5), (ids["4"], -1.0), (ids["0"], 9.0), (ids["2"], 2.0)]
        assert frontier.reprioritise([(key, Priority(value)) for key, value in changes]) == 4
        assert [w.url.text[-1] for w in frontier.foremost(9)] == ["0", "3", "2", "1", "5", "4"]
        seen = []
        while leases := frontier.lease(0.0, 1):
            seen.append(leases[0].url.text[-1])
            frontier.settle(leases[0], visit_of())
        assert seen == ["0", "3", "2", "1", "5", "4"]

    def test_a_lowered_url_is_raised_from_where_it_is_now(self, frontier: Frontier) -> None:
        frontier.offer(None, [offer_of("http://a.org/1", 0.9)])
        number = frontier.foremost(1)[0].id
        frontier.reprioritise([(number, Priority(0.1, (Part("cool", 0.1),)))])
        assert frontier.foremost(1)[0].priority == Priority(0.1, (Part("cool", 0.1),))
        assert frontier.offer(None, [offer_of("http://a.org/1", 0.05)]).raised == 0
        assert frontier.offer(None, [offer_of("http://a.org/1", 0.3)]).raised == 1
        frontier.reprioritise([(number, Priority(0.8))])
        assert frontier.offer(None, [offer_of("http://a.org/1", 0.7)]).raised == 0
        assert frontier.lease(0.0, 1)[0].priority == 0.8

    def test_what_does_not_wait_keeps_its_priority(self, frontier: Frontier) -> None:
        frontier.offer(None, [offer_of("http://a.org/1", 0.9), offer_of("http://b.org/1", 0.8)])
        first, second = frontier.foremost(2)
        lease = frontier.lease(0.0, 1)[0]
        assert frontier.reprioritise([(first.id, Priority(0.1))]) == 0
        frontier.release(lease)
        assert frontier.lease(0.0, 1)[0] == lease
        frontier.settle(lease, visit_of())
        assert frontier.reprioritise([(first.id, Priority(5.0)), (second.id, Priority(0.2))]) == 1
        assert [waiting.priority.value for waiting in frontier.foremost(5)] == [0.2]

    def test_another_order_is_durable_with_its_batch(self) -> None:
        frontier = self.make_frontier()
        frontier.offer(None, [offer_of("http://a.org/1", 0.9), offer_of("http://a.org/2", 0.8)])
        first = frontier.foremost(1)[0].id
        frontier.reprioritise([(first, Priority(0.5))])
        frontier.commit(MARK, 1.0)
        frontier.reprioritise([(first, Priority(2.0))])
        frontier.close()
        again = self.make_frontier()
        assert [waiting.priority.value for waiting in again.foremost(9)] == [0.8, 0.5]
        assert again.lease(0.0, 1)[0].priority == 0.8
        again.close()

    # ----------------------------------------------------------------- 5. commit

    def test_an_uncommitted_batch_is_gone_whole(self) -> None:
        frontier = self.make_frontier()
        frontier.offer(None, [offer_of("http://a.org/1"), offer_of("http://b.org/1")])
        frontier.commit(MARK, 1.0)
        lease = frontier.lease(0.0, 1)[0]
        frontier.offer(lease.id, [offer_of("http://c.org/1"), offer_of("http://b.org/1", 7.0)])
        frontier.settle(lease, page_visit(1.0, 0.9))
        frontier.rest("b.org", 99.0, "busy")
        frontier.close()
        again = self.make_frontier()
        assert again.standing() == (2, 2, 0, 0, 0, 0, 2)
        assert again.twin("sha1:A", None) is None
        assert [item.url.text for item in again.lease(0.0, 9)] == [
            "http://a.org/1",
            "http://b.org/1",
        ]
        again.close()

    def test_a_committed_batch_is_there_whole(self) -> None:
        frontier = self.make_frontier()
        frontier.offer(None, [offer_of(f"http://h{n}.org/", n) for n in range(6)])
        for outcome in (Outcome.PAGE, Outcome.RETRY, Outcome.HTTP_ERROR):
            lease = frontier.lease(0.0, 1)[0]
            retry_at_s = 500.0 if outcome is Outcome.RETRY else None
            frontier.settle(
                lease, visit_of(outcome, digest="sha1:X", simhash=5, retry_at_s=retry_at_s)
            )
        frontier.lease(0.0, 1)
        frontier.rest("h1.org", 60.0, "busy")
        frontier.give_up("h0.org", "gone")
        frontier.commit(MARK, 1.0)
        frontier.close()
        frontier.close()
        again = self.make_frontier()
        assert again.standing() == (6, 2, 0, 1, 2, 1, 2)
        twin = again.twin("sha1:X", None)
        assert twin is not None
        assert twin == ("http://h5.org/", True)
        assert [item.url.host for item in again.lease(1.0, 9)] == ["h2.org"]
        assert [item.url.host for item in again.lease(60.0, 9)] == ["h1.org"]
        assert [item.url.host for item in again.lease(500.0, 9)] == ["h4.org"]
        assert again.host_known("h0.org") == 1
        again.close()

    # ----------------------------------------------------------------- twins

    def _settle_page(self, frontier: Frontier, address: str, visit: Visit) -> Lease:
        frontier.offer(None, [offer_of(address)])
        lease = frontier.lease(0.0, 1)[0]
        frontier.settle(lease, visit)
        return lease

    def test_the_same_digest_is_an_exact_twin(self, frontier: Frontier) -> None:
        self._settle_page(frontier, "http://a.org/1", page_visit(1.0, 0.5, "sha1:A", 7))
        assert frontier.twin("sha1:A", None) == ("http://a.org/1", True)
        assert frontier.twin("sha1:B", None) is None

    def test_only_a_page_makes_a_twin(self, frontier: Frontier) -> None:
        for n, outcome in enumerate((Outcome.HTTP_ERROR, Outcome.SOFT_404, Outcome.DUPLICATE)):
            visit = visit_of(outcome, digest="sha1:A", simhash=7)
            self._settle_page(frontier, f"http://a.org/{n}", visit)
        assert frontier.twin("sha1:A", 7) is None

    @pytest.mark.parametrize("bits", [(), (0,), (63,), (3, 20), (15, 16, 47), (1, 33, 62)])
    def test_up_to_three_bits_away_is_a_near_twin(
        self, frontier: Frontier, bits: tuple[int, ...]
    ) -> None:
        simhash = 0xF00D_FACE_CAFE_BEEF
        self._settle_page(frontier, "http://a.org/1", page_visit(1.0, 0.5, "sha1:A", simhash))
        other = simhash
        for bit in bits:
            other ^= 1 << bit
        assert frontier.twin("sha1:B", other) == ("http://a.org/1", False)

    def test_four_bits_away_is_no_twin(self, frontier: Frontier) -> None:
        self._settle_page(frontier, "http://a.org/1", page_visit(1.0, 0.5, "sha1:A", 0))
        assert frontier.twin("sha1:B", 0b1111) is None
        assert frontier.twin("sha1:B", (1 << 63) | 0b111) is None

    def test_the_nearest_twin_is_told(self, frontier: Frontier) -> None:
        for n, simhash in enumerate((0b111, 0b100, 0b10)):
            visit = page_visit(1.0, 0.5, f"sha1:{n}", simhash)
            self._settle_page(frontier, f"http://a.org/{n}", visit)
        assert frontier.twin("sha1:other", 0) == ("http://a.org/1", False)
