"""The parts of the frontier that have laws of their own."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.frontier import StateFile, StateFrontier, StateLedger
from shoal.frontier.hosts import Host, HostQueues
from shoal.frontier.recent import Met, Recent
from shoal.frontier.twins import TwinSearch
from shoal.model import ArchiveMark, Twin
from shoal.testing.frontier import offer_of, page_visit
from shoal.url import Url, parse_url

WORD = st.integers(0, (1 << 64) - 1)


@settings(max_examples=60, deadline=None)
@given(
    pages=st.lists(WORD, min_size=1, max_size=30),
    asked=WORD,
    bits=st.lists(st.integers(0, 63), max_size=5),
    distance=st.integers(0, 3),
)
def test_near_twins_are_those_that_a_full_search_finds(
    pages: list[int], asked: int, bits: list[int], distance: int
) -> None:
    for bit in bits:
        asked = (asked if bit % 2 else pages[0]) ^ (1 << bit)
    state = StateFile.open(":memory:")
    frontier = StateFrontier.open(state, distance=distance)
    for n, simhash in enumerate(pages):
        frontier.offer(None, [offer_of(f"http://a.org/{n}")])
        frontier.settle(frontier.lease(0.0, 1)[0], page_visit(0.0, 0.5, f"sha1:{n}", simhash))
    near = [((simhash ^ asked).bit_count(), n) for n, simhash in enumerate(pages)]
    best = min((pair for pair in near if pair[0] <= distance), default=None)
    expected = None if best is None else Twin(f"http://a.org/{best[1]}", exact=False)
    assert TwinSearch(state, distance).find("", asked) == expected
    frontier.close()


@pytest.mark.parametrize("key", [0, -1, 0xFFFF_FFFF, -(1 << 63), (1 << 63) - 1])
def test_urls_that_share_a_key_are_both_known(key: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Url, "key", property(lambda url: key))
    state = StateFile.open(":memory:")
    frontier = StateFrontier.open(state, recent=0)
    addresses = [f"http://{host}.org/{n}" for n in range(9) for host in "ab"]
    assert frontier.offer(None, [offer_of(address) for address in addresses]).new == 18
    assert frontier.offer(None, [offer_of(address) for address in addresses]).known == 18
    frontier.commit(ArchiveMark(), 0.0)
    ledger = StateLedger(state)
    for address in addresses:
        known = ledger.find(parse_url(address))
        assert known is not None
        assert known.url == address
    assert ledger.find(parse_url("http://a.org/9")) is None
    frontier.close()


@given(st.integers(0, 20), st.lists(st.integers(0, 60), max_size=200))
def test_recent_is_bounded_and_remembers_the_last_ones(size: int, met: list[int]) -> None:
    recent = Recent(size)
    for n in met:
        found = recent.young.get(str(n)) or recent.recall(str(n))
        assert found is None or found.id == n
        recent.young[str(n)] = Met(n, 0.0)
        recent.turn()
        assert len(recent.young) + len(recent._old) <= 2 * size + 2
    last = list(dict.fromkeys(reversed(met)))[:size]
    assert all(str(n) in recent.young or str(n) in recent._old for n in last)


def test_stale_entries_of_the_queues_are_bounded() -> None:
    queues = HostQueues(1, lambda host: None)
    hosts = [Host(n, f"h{n}.org") for n in range(1, 4)]
    for host in hosts:
        queues.load(host)
        queues.add(host, 1, 0.0)
    for n in range(10_000):
        queues.advance(random.Random(n).choice(hosts), n + 2, float(n))
    assert len(queues._ready) < 100
    best = queues.best(0.0)
    assert best is not None
    assert best[1].priority == 9_999.0


def test_hosts_with_nothing_waiting_are_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.frontier.registry._IDLE_HOSTS", 5)
    frontier = StateFrontier.open(StateFile.open(":memory:"))
    frontier.offer(None, [offer_of(f"http://h{n}.org/") for n in range(50)])
    for n, lease in enumerate(frontier.lease(0.0, 40)):
        frontier.settle(lease, page_visit(0.0, 0.5, f"sha1:{n}", n << 8))
    frontier.rest("h3.org", 99.0, "busy")
    frontier.commit(ArchiveMark(), 0.0)
    assert len(frontier._registry._by_name) == 10
    assert frontier.host_known("h3.org") == 1
    assert frontier.offer(None, [offer_of("http://h3.org/more", 5.0)]).new == 1
    assert frontier.host_known("h3.org") == 2
    assert frontier.lease(0.0, 1)[0].url.host == "h40.org"
    assert frontier.lease(99.0, 1)[0].url.text == "http://h3.org/more"
    frontier.close()


def test_what_cannot_be_is_refused() -> None:
    state = StateFile.open(":memory:")
    with pytest.raises(ValueError, match="per_host"):
        StateFrontier.open(state, per_host=0)
    with pytest.raises(ValueError, match="distance"):
        StateFrontier.open(state, distance=4)
    state.close()
