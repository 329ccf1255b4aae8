"""Teams whose Crawlers tell one another how many pages link to a Url."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import pytest

from shoal import config
from shoal.crawl.share import Share
from shoal.errors import UsageError
from shoal.model import Link, LinkParcel, Parcel, Priority, Waiting
from shoal.ports import Courier, LinkCounter
from shoal.strategy.backlink_count import BacklinkCount
from shoal.url import parse_url
from tests.team.small_team import TeamCrawled, team_crawl
from tests.team.test_inline import PAGES, PARTITIONS, address, web

COUNTS = ("team.carries=counts", "crawl.strategy=backlink-count")
URLS = [parse_url(address(number)) for number in range(PAGES)]


def crawl(name: str, *more: str) -> TeamCrawled:
    return team_crawl(web(), PARTITIONS[name], *COUNTS, *more, seeds=[address(0)])


def links_to(number: int) -> int:
    """How many pages of the web link to one."""
    return sum(number in (2 * other + 1, 2 * other + 2, other + 5) for other in range(PAGES))


def counters(crawled: TeamCrawled) -> dict[str, BacklinkCount]:
    found = {}
    for name, crawler in crawled.crawlers.items():
        strategy = crawler.links.strategy
        assert isinstance(strategy, BacklinkCount)
        found[name] = strategy
    return found


def known_to(strategy: BacklinkCount) -> list[int]:
    """How many links to each page of the web it goes by."""
    waiting = [Waiting(number, url, Priority(-1.0), 0) for number, url in enumerate(URLS)]
    return [int(priority.value) for priority in strategy.rescore(waiting)]


@pytest.mark.parametrize("name", ["url", "host", "combination"])
def test_an_owner_knows_every_page_of_the_team_that_links_to_its_urls(name: str) -> None:
    """Each page counts once, wherever it is kept."""
    crawled = crawl(name, "crawl.batch_pages=1")
    assert set(crawled.kept()) == {url.text for url in URLS}
    known = {who: known_to(strategy) for who, strategy in counters(crawled).items()}
    owners = PARTITIONS[name].owners_of_links([Link(None, url) for url in URLS], "fever")
    for number, owner in enumerate(owners):
        assert owner is not None
        assert known[owner][number] == links_to(number)


@pytest.mark.parametrize("name", ["topic", "content"])
def test_a_page_that_is_handed_over_brings_the_numbers_of_its_neighbours(name: str) -> None:
    crawled = crawl(name)
    assert set(crawled.kept()) == {url.text for url in URLS}
    strategies = counters(crawled).values()
    here = [sum(column) for column in zip(*(one.counted(URLS) for one in strategies), strict=True)]
    assert here == [links_to(number) for number in range(PAGES)]
    told = 0
    for strategy in strategies:
        for number, (known, own) in enumerate(
            zip(known_to(strategy), strategy.counted(URLS), strict=True)
        ):
            assert own <= known <= links_to(number)
            told += known - own
    assert told > 0


def test_a_link_is_sent_once_and_then_counted_in_batches() -> None:
    """Three pages link to one Url of another: one Offer, and its number when it is asked for."""
    sent: list[Parcel] = []

    class Noted:
        def send(self, to: str, parcel: Parcel) -> None:
            sent.append(parcel)

    partition = PARTITIONS["host"]
    crawled = crawl("host", "crawl.pages=1")
    links = next(iter(crawled.crawlers.values())).links
    owners = partition.owners_of_links([Link(None, url) for url in URLS], "fever")
    url, owner = next(zip(URLS, owners, strict=True))
    name = next(one for one in partition.crawlers if one != owner)
    strategy = BacklinkCount()
    courier = cast(Courier, Noted())  # nothing else is asked of it here
    share = Share(name, partition, courier, True, lambda: False, counter=strategy)
    for number in range(3):
        _told_page(strategy, f"http://x.example/{number}", [url.text])
        assert share.keep(links.seeds([url])) == []
    (first,) = sent
    assert isinstance(first, LinkParcel)
    assert [count.pages for count in first.counts] == [1]
    share.flush()
    share.flush()
    (_, second) = sent
    assert isinstance(second, LinkParcel)
    assert (second.offers, second.sent_by, second.counts) == ((), name, ((url.key, 3),))


def _told_page(strategy: BacklinkCount, source: str, targets: Sequence[str]) -> None:
    from shoal.model import Judgement, Lease, Page

    url = parse_url(source)
    links = [Link(url, parse_url(target)) for target in targets]
    lease = Lease(1, url, 0.0, 0, 0, 0)
    strategy.priorities(Page(url, "text/html"), Judgement(0.0, 0.0), links, lease)


def test_without_a_counter_nothing_is_counted() -> None:
    crawled = team_crawl(web(), PARTITIONS["topic"], seeds=[address(0)])
    assert all(one.share and one.share.counter is None for one in crawled.crawlers.values())
    assert isinstance(BacklinkCount(), LinkCounter)


def test_counts_want_a_strategy_that_goes_by_them() -> None:
    with pytest.raises(UsageError, match=r"'best-first' does not go by that; backlink-count does"):
        config.check({"team": {"carries": "counts"}, "crawl": {"strategy": "best-first"}})
