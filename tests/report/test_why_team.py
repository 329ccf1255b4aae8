"""What ``why`` tells of a Url that several Crawlers of a Team know."""

from __future__ import annotations

from io import StringIO

from rich.console import Console

from shoal.model import Known, Outcome, UrlState, Visit
from shoal.report.why import Story, explain
from shoal.report.why_terminal import render_story
from shoal.team.ledger import TeamLedger
from shoal.testing.memory_ledger import MemoryLedger
from shoal.url import parse_url
from tests.report.crawls import START_S, known, page_visit

URL = "https://a.example.org/"
HANDED_OVER = Visit(START_S + 5, Outcome.HANDED_OVER, status=200, detail="keeper", size_bytes=9)
LEFT = Visit(START_S + 9, Outcome.ELSEWHERE, detail="fetcher")


def story(**crawlers: Known) -> Story:
    ledgers = {name: MemoryLedger([one], {}) for name, one in crawlers.items()}
    return explain(TeamLedger(ledgers, lambda name, file: f"{name}/{file}"), parse_url(URL))


def told(of: Story) -> str:
    out = StringIO()
    render_story(of, Console(file=out, width=120))
    return out.getvalue()


def test_who_left_it_to_another_made_no_attempt() -> None:
    # Clocks of machines differ: the page may be older than its handing over.
    kept = page_visit(START_S + 4, 0.8, fetched_by="fetcher")
    found = story(keeper=known(1, URL, LEFT, kept), fetcher=known(1, URL, HANDED_OVER))
    assert [attempt.outcome for attempt in found.attempts] == [Outcome.HANDED_OVER, Outcome.PAGE]
    assert found.answer == (
        "It was fetched and kept as a page, relevance 0.80, by keeper; fetcher fetched it."
    )
    assert "attempt 1  2026-09-21 14:13:25 UTC  handed over to keeper, HTTP 200" in told(found)
    assert "left to" not in told(found)


def test_a_page_on_its_way_says_who_has_yet_to_take_it_in() -> None:
    found = story(fetcher=known(1, URL, HANDED_OVER), other=known(1, URL, LEFT))
    assert found.answer == "It was fetched and handed to keeper, which has yet to take it in."


def test_what_its_crawler_has_yet_to_fetch_is_waiting() -> None:
    found = story(other=known(1, URL, LEFT), fetcher=known(1, URL, state=UrlState.WAITING))
    assert (found.crawler, found.attempts) == ("fetcher", ())
    assert found.answer == "Waiting: it has not been tried yet."


def test_what_was_only_left_to_another_is_told() -> None:
    found = story(other=known(1, URL, LEFT))
    assert found.answer == "It was left to the crawler that has it already: fetcher."
    assert "left to fetcher" in told(found)
