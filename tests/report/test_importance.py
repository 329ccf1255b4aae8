"""What links make important, from the Ledger alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from shoal.report.html import html_page
from shoal.report.importance import LinkAnalysis, LinkOptions, analyse_links
from shoal.report.summary import Report, report_json, summarise
from shoal.team.ledger import TeamLedger
from shoal.testing.memory_ledger import MemoryLedger
from tests.report.crawls import HOSTILE, START_S, known, page_visit
from tests.report.test_summary import printed

A, B, C = (f"https://{letter}.example/" for letter in "abc")
ALL = LinkOptions(relevant_from=0.0)
GOLDEN = (5**0.5 - 1) / 2


def triangle(first: int = 1) -> MemoryLedger:
    """a links to b and c, b links to c, and c was not fetched."""
    knowns = [
        known(first, A, page_visit(START_S, 0.9, title=HOSTILE)),
        known(first + 1, B, page_visit(START_S + 1, 0.2, title="b")),
        replace(known(first + 2, C), visits=()),
    ]
    return MemoryLedger(knowns, edges=[(A, B), (A, C), (A, B), (A, A), (B, C)])


def urls(analysis: LinkAnalysis) -> list[list[str]]:
    lists = (analysis.important, analysis.authorities, analysis.hubs)
    return [[one.url for one in ranked] for ranked in lists]


def test_three_urls_by_hand() -> None:
    found = analyse_links(triangle(), ALL)
    assert (found.pages, found.links, found.urls, found.whole) == (2, 3, 3, True)
    assert urls(found) == [[C, B, A], [C, B], [A, B]]
    assert [one.score for one in found.authorities] == pytest.approx([1.0, GOLDEN], abs=1e-4)
    assert [one.score for one in found.hubs] == pytest.approx([1.0, GOLDEN], abs=1e-4)
    # With d = 0.85 and scores that sum to 3: a = x, b = x + 0.425 a, c = x + 0.425 a + 0.85 b.
    x = 3 / (1 + 1.425 + 1.425 + 0.85 * 1.425)
    expected = [x * (1.425 + 0.85 * 1.425), x * 1.425, x]
    assert [one.score for one in found.important] == pytest.approx(expected, abs=1e-4)
    assert [one.title for one in found.hubs] == [HOSTILE, "b"]
    assert [one.relevance for one in found.authorities] == [None, 0.2]


def test_lists_and_links_are_as_many_as_asked_for() -> None:
    found = analyse_links(
        triangle(), LinkOptions(top=1, links_max=1, iterations=3, relevant_from=0.0)
    )
    assert [len(ranked) for ranked in urls(found)] == [1, 1, 1]
    assert (found.pages, found.links, found.whole) == (1, 2, False)


def test_links_of_relevant_pages_alone_count_unless_all_are_asked_for() -> None:
    found = analyse_links(triangle(), LinkOptions())
    assert (found.relevant_from, found.pages, found.links, found.urls) == (0.5, 1, 2, 3)
    assert [one.score for one in found.authorities] == [1.0, 1.0]
    assert [one.url for one in found.hubs] == [A]
    assert analyse_links(triangle(), LinkOptions(relevant_from=0.95)).links == 0


def test_a_crawl_without_links_has_no_lists() -> None:
    for ledger in (MemoryLedger([]), MemoryLedger([known(1, A, page_visit(START_S, 0.5))])):
        assert urls(analyse_links(ledger, ALL)) == [[], [], []]
        report = summarise(ledger, links=ALL)
        assert "PageRank" not in printed(report)
        assert "PageRank" not in html_page(report)


def test_a_url_that_two_crawlers_know_is_one() -> None:
    other = MemoryLedger([known(7, C, page_visit(START_S, 0.7, title="c")), known(9, A, source=C)])
    team = TeamLedger({"one": triangle(20), "two": other}, lambda _name, file: file)
    found = analyse_links(team, ALL)
    assert (found.pages, found.links, found.urls) == (3, 4, 3)
    assert {one.url: one.relevance for one in found.important} == {A: 0.9, B: 0.2, C: 0.7}


def test_every_form_of_the_report_shows_them(tmp_path: Path) -> None:
    report: Report = summarise(triangle(), links=ALL)
    text, page = printed(report), html_page(report)
    for name in ("PageRank", "Authorities", "Hubs"):
        assert name in text
        assert name in page
    assert "\x1b" not in text
    assert HOSTILE not in page
    assert f'"url": "{C}"' in report_json(report)
    assert '"links": null' in report_json(summarise(triangle()))
