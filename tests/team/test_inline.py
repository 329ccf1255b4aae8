from __future__ import annotations

from io import StringIO
from itertools import pairwise

import pytest
from rich.console import Console

from shoal.crawl.stop import StopReason
from shoal.events import Committed
from shoal.model import LinkKind, Outcome, Page
from shoal.partition.by_address import AddressPartition
from shoal.partition.by_content import CombinationPartition, ContentPartition
from shoal.partition.by_topic import TopicPartition
from shoal.ports import Partition
from shoal.report.why import explain
from shoal.report.why_terminal import render_story
from shoal.team.ledger import TeamLedger
from shoal.url import parse_url
from tests.crawl.small_web import START, Answer, page
from tests.team.small_team import team_crawl

TEAM = ("fever", "fish", "fog")
PAGES = 60


def word(number: int) -> str:
    return TEAM[number * 7 % 3]


def address(number: int) -> str:
    return f"http://{'abc'[number % 3]}.example/{number}"


def web() -> dict[str, Answer]:
    """Pages of three topics on three hosts, each linked by its number's half and by others."""
    answers = {}
    for number in range(PAGES):
        targets = [address(to) for to in (2 * number + 1, 2 * number + 2, number + 5) if to < PAGES]
        text = f"{word(number)} {word(number)} number {number} says something of its own {number}"
        answers[address(number)] = page(*targets, text=text)
    return answers


def topic_of(page: Page) -> str | None:
    return max(TEAM, key=lambda name: page.terms.get(name, 0)) if page.terms else None


def by_topic() -> TopicPartition:
    return TopicPartition(TEAM, topic_of, {name: name for name in TEAM}, "words")


PARTITIONS: dict[str, Partition] = {
    "url": AddressPartition(TEAM, "url"),
    "host": AddressPartition(TEAM, "host"),
    "content": ContentPartition(TEAM),
    "combination": CombinationPartition(TEAM),
    "topic": by_topic(),
}


@pytest.mark.parametrize("name", PARTITIONS)
@pytest.mark.parametrize("carries_pages", [True, False])
def test_a_team_finds_what_one_crawler_finds_and_each_page_once(
    name: str, carries_pages: bool
) -> None:
    partition = PARTITIONS[name]
    # Urls that are fetched again by their owners need leave to be.
    crawled = team_crawl(
        web(),
        partition,
        seeds=[address(0)],
        claims=carries_pages,
        carries_pages=carries_pages,
    )
    assert crawled.stop.reason is StopReason.FINISHED
    kept = crawled.kept()
    assert set(kept) == {address(number) for number in range(PAGES)}
    if carries_pages:
        assert set(crawled.asked().values()) == {1}
    if name == "topic":
        assert all(kept[address(number)] == word(number) for number in range(PAGES))


def test_without_claims_each_crawler_fetches_what_it_meets() -> None:
    crawled = team_crawl(web(), by_topic(), seeds=[address(0)], claims=False)
    assert len(crawled.kept()) == PAGES
    assert max(crawled.asked().values()) > 1


def test_what_was_handed_over_says_so_on_both_sides() -> None:
    crawled = team_crawl(web(), by_topic(), seeds=[address(0)])
    handed = [
        (sender, known.url, visit.detail)
        for sender, ledger in crawled.ledgers.items()
        for known, visit in ledger.visits(frozenset({Outcome.HANDED_OVER}))
    ]
    assert handed
    for sender, url, receiver in handed:
        received = crawled.known(receiver, url).visits[-1]
        assert (received.outcome, received.fetched_by) == (Outcome.PAGE, sender)


def test_the_story_of_a_page_goes_from_crawler_to_crawler() -> None:
    crawled = team_crawl(web(), by_topic(), seeds=[address(0)])
    ledger = TeamLedger(crawled.ledgers, lambda name, file: f"{name}/{file}")
    kept = crawled.kept()
    handed = [
        (known, visit)
        for known, visit in ledger.visits(frozenset({Outcome.PAGE}))
        if visit.fetched_by is not None and known.url != address(0)
    ]
    assert handed
    for known, visit in handed:
        story = explain(ledger, parse_url(known.url))
        assert story.source is not None
        assert story.source_crawler == kept[story.source]
        assert story.crawler == kept[known.url]
        assert story.attempts[-1].fetched_by == visit.fetched_by != story.crawler
        assert story.chain[0].kind == LinkKind.SEED
        assert story.chain[0].url == address(0)
        assert [step.crawler for step in story.chain] == [kept[step.url] for step in story.chain]
        out = StringIO()
        render_story(story, Console(file=out, width=110))
        assert f"anchor on {story.source}, kept by {kept[story.source]}" in out.getvalue()
        assert f"fetched by {visit.fetched_by}" in out.getvalue()
        assert f"handed over to {story.crawler}, HTTP 200" in out.getvalue()
        assert "it is a seed" not in out.getvalue()


def test_a_page_that_was_handed_over_keeps_what_its_source_was_believed_to_be() -> None:
    crawled = team_crawl(web(), by_topic(), seeds=[address(0)])
    for name, ledger in crawled.ledgers.items():
        for known, visit in ledger.visits(frozenset({Outcome.PAGE})):
            if known.source is None:
                continue
            source = crawled.known(crawled.kept()[known.source], known.source)
            judgement = source.visits[-1].judgement
            assert judgement is not None
            assert known.source_relevance == judgement.relevance, (name, visit)


def test_a_team_stops_at_the_pages_asked_for_together() -> None:
    crawled = team_crawl(web(), PARTITIONS["host"], "crawl.pages=20", seeds=[address(0)])
    assert crawled.stop.reason is StopReason.PAGES
    assert len(crawled.kept()) == 20


def test_a_host_is_asked_by_one_crawler_at_a_time() -> None:
    """The pause between two requests holds, whichever Crawlers they come from."""
    answers = {f"http://a.example/{n}": page(text=f"page {n} of its own") for n in range(9)}
    crawled = team_crawl(answers, PARTITIONS["url"], "politeness.delay_s=5", seeds=list(answers))
    times = sorted(
        visit.at_s for ledger in crawled.ledgers.values() for _, visit in ledger.visits()
    )
    assert len(times) == 9
    assert all(later - earlier >= 5.0 for earlier, later in pairwise(times))


def test_a_slow_receiver_slows_its_senders() -> None:
    """With next to no room for what is under way, everything is found all the same."""
    crawled = team_crawl(web(), by_topic(), seeds=[address(0)], full_bytes=1)
    assert len(crawled.kept()) == PAGES
    assert set(crawled.asked().values()) == {1}


def test_what_goes_out_comes_in() -> None:
    crawled = team_crawl(web(), by_topic(), seeds=[address(0)])
    traffic = [courier.traffic for courier in crawled.couriers.values()]
    assert sum(one.pages_out for one in traffic) == sum(one.pages_in for one in traffic) > 0
    assert sum(one.bytes_out for one in traffic) == sum(one.bytes_in for one in traffic) > 0


def test_a_pause_between_two_pages_is_no_reason_to_commit() -> None:
    urls = [f"http://a.example/{number}" for number in range(40)]
    crawled = team_crawl(
        {START: page(*urls), **{url: page() for url in urls}},
        AddressPartition(("x", "y"), "host"),
        batch_s=10.0,
    )
    assert crawled.stop.reason is StopReason.FINISHED
    assert crawled.asked().total() == len(urls) + 1
    commits = [event.at_s for event in crawled.ear.events if isinstance(event, Committed)]
    # A page a second: at each crawler's beginning and end, and every ten seconds.
    assert len(commits) <= 2 * 2 + len(urls) / 10 + 1
