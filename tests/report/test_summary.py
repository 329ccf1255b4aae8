from __future__ import annotations

import json
import re
from dataclasses import fields, replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from shoal.errors import StorageError
from shoal.model import FailureKind, Known, Outcome, UrlState, Visit
from shoal.report.crawlers import CrawlerShare
from shoal.report.curves import Activity, HarvestCurve
from shoal.report.html import html_page, write_html
from shoal.report.summary import Report, report_json, summarise
from shoal.report.terminal import render_report
from shoal.testing.memory_ledger import MemoryLedger
from tests.report.crawls import HOSTILE, START_S, known, made_up, page_visit

PROMISED = {
    "pages", "relevant", "harvest", "bytes", "hosts", "errors", "duplicates", "stop_reason",
}  # fmt: skip


def printed(report: Report, width: int = 80) -> str:
    out = StringIO()
    render_report(report, Console(file=out, width=width))
    return out.getvalue()


def test_counts_are_those_of_the_visits() -> None:
    visits = [
        page_visit(START_S, 0.9, size_bytes=100),
        page_visit(START_S + 1, 0.2, size_bytes=100, language="es"),
        Visit(START_S + 2, Outcome.HTTP_ERROR, status=404, media_type="Text/HTML; charset=x"),
        Visit(START_S + 3, Outcome.RETRY, failure=FailureKind.DNS, retry_at_s=START_S + 300),
        Visit(START_S + 4, Outcome.FAILED, failure=FailureKind.DNS),
        Visit(START_S + 5, Outcome.ROBOTS, detail="Disallow: /"),
        Visit(START_S + 6, Outcome.DUPLICATE, status=200, size_bytes=50),
        Visit(START_S + 7, Outcome.NEAR_DUPLICATE, status=200, size_bytes=50),
        Visit(START_S + 10, Outcome.SOFT_404, status=200, size_bytes=50),
    ]
    urls = [f"https://h{number % 2}.example.org/{number}" for number in range(len(visits))]
    knowns = [known(i, url, visit) for i, (url, visit) in enumerate(zip(urls, visits, strict=True))]
    knowns.append(known(99, "https://w.example.org/", state=UrlState.WAITING))

    report = summarise(MemoryLedger(knowns, {"started_s": repr(START_S), "stop_reason": "time"}))

    assert (report.pages, report.relevant, report.harvest) == (2, 1, 0.5)
    assert report.bytes == 350
    assert report.errors == {"http_404": 1, "dns": 1, "robots": 1, "soft_404": 1}
    assert (report.duplicates.exact, report.duplicates.near) == (1, 1)
    assert (report.retries, report.visits) == (1, 9)
    assert report.hosts == 2
    assert report.waiting == 1
    assert report.stop_reason == "time"
    assert report.seconds == 10
    assert report.pages_per_second == 0.2
    assert report.media_types == {"text/html": 3}
    assert report.languages == {"en": 1, "es": 1}
    assert sum(report.relevance_histogram) == 2
    assert report.relevance_histogram[18] == 1


def team() -> MemoryLedger:
    """Two pages of a: one that it fetched, one that b handed over; one of b's own; one page that is
    still on its way; a Url that both know and b fetched."""
    handed = {"status": 200, "media_type": "text/html", "size_bytes": 100}
    knowns = [
        by("a", known(1, "https://h.org/1", page_visit(START_S, 0.9, size_bytes=100))),
        by("b", known(2, "https://h.org/2", ended(START_S + 1, Outcome.HANDED_OVER, **handed))),
        by(
            "a",
            known(
                2, "https://h.org/2", page_visit(START_S + 5, 0.1, size_bytes=100, fetched_by="b")
            ),
        ),
        by("b", known(3, "https://i.org/3", page_visit(START_S + 2, 0.8, size_bytes=100))),
        by("b", known(4, "https://i.org/4", ended(START_S + 3, Outcome.HANDED_OVER, **handed))),
        by("b", known(5, "https://j.org/5", ended(START_S + 4, Outcome.HTTP_ERROR, status=404))),
        by("a", known(5, "https://j.org/5", ended(START_S + 4, Outcome.ELSEWHERE, detail="b"))),
        by("a", known(6, "https://k.org/6", ended(START_S + 4, Outcome.ELSEWHERE, detail="b"))),
    ]
    return MemoryLedger(knowns, {"started_s": repr(START_S)})


def by(name: str, found: Known) -> Known:
    return replace(found, crawler=name)


def ended(at_s: float, outcome: Outcome, **other: Any) -> Visit:
    return Visit(at_s, outcome, **other)


def test_what_is_handed_over_counts_once() -> None:
    report = summarise(team())
    assert (report.pages, report.relevant) == (3, 2)
    assert report.statuses == {"200": 4, "404": 1}
    assert report.media_types == {"text/html": 4}
    assert (report.visits, report.bytes, report.hosts) == (5, 400, 3)
    assert report.outcomes == {"page": 3, "handed_over": 1, "http_error": 1}
    assert sum(interval.bytes for interval in report.activity) == 400
    assert sum(interval.visits for interval in report.activity) == 5
    hosts = {share.host: (share.visits, share.pages, share.bytes) for share in report.top_hosts}
    assert hosts["h.org"] == (2, 2, 200)


def test_a_report_of_a_team_tells_who_did_what() -> None:
    report = summarise(team())
    assert report.crawlers == (
        CrawlerShare("a", 2, 1, 1, 100, handed_over=0, taken_in=1),
        CrawlerShare("b", 1, 1, 4, 300, handed_over=2, taken_in=0),
    )
    said = printed(report, 100)
    assert re.search(r"crawler +pages +relevant +fetched +received +handed over +taken in", said)
    assert re.search(r"b +1 +1 +4 +300 B +2 +0\b", said)
    page = html_page(report)
    assert "<h2>Crawlers</h2>" in page
    assert "2 crawlers" in page
    assert "Crawlers" not in printed(summarise(made_up()))
    assert "<h2>Crawlers</h2>" not in html_page(summarise(made_up()))


def test_an_empty_crawl_has_a_report() -> None:
    report = summarise(MemoryLedger([]))
    assert (report.pages, report.harvest, report.stop_reason) == (0, 0.0, None)
    assert report.harvest_curve == ()
    assert "0 pages" in printed(report)
    assert "Nothing has been fetched" in html_page(report)


def test_time_between_two_runs_is_not_crawl_time() -> None:
    visits = [page_visit(START_S, 0.9), page_visit(START_S + 86_400, 0.9)]
    knowns = [known(i, f"https://a.example.org/{i}", visit) for i, visit in enumerate(visits)]
    facts = {"started_s": repr(START_S), "tally": '{"pages":2,"active_s":20.0,"other":1}'}
    assert summarise(MemoryLedger(knowns, facts)).seconds == 20.0


def test_json_has_the_promised_keys() -> None:
    data = json.loads(report_json(summarise(made_up())))
    assert set(data) == {field.name for field in fields(Report)}
    assert set(data) >= PROMISED
    assert data["duplicates"].keys() == {"exact", "near"}
    assert 0 <= data["harvest"] <= 1


def test_the_reference_names_every_key() -> None:
    page = Path(__file__).parents[2] / "docs" / "reference" / "report.md"
    named = re.findall(r"^\| `(\w+)`", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert named == [field.name for field in fields(Report)]


@given(st.lists(st.booleans(), max_size=3_000), st.integers(20, 200))
def test_the_curve_is_short_rising_and_ends_at_the_end(pages: list[bool], window: int) -> None:
    curve = HarvestCurve(window)
    for number, relevant in enumerate(pages):
        curve.add(float(number), relevant)
    points = curve.points()
    assert len(points) <= 200
    assert [point.pages for point in points] == sorted({point.pages for point in points})
    if pages:
        assert points[-1].pages == len(pages)
        assert points[-1].relevant == sum(pages)
        last = pages[-window:]
        assert points[-1].recent == pytest.approx(sum(last) / len(last))


@given(st.lists(st.floats(0, 1e6), max_size=300))
def test_activity_counts_each_visit_once(times: list[float]) -> None:
    activity = Activity(0.0)
    for time_s in times:
        activity.add(time_s, True, True, 3)
    intervals = activity.intervals(max(times, default=0.0))
    assert len(intervals) <= 120
    assert sum(interval.visits for interval in intervals) == len(times)
    assert sum(interval.bytes for interval in intervals) == 3 * len(times)


@pytest.mark.parametrize("width", [80, 100, 200])
def test_the_terminal_report_fits_and_is_plain(width: int) -> None:
    text = printed(summarise(made_up()), width)
    assert max(len(line.rstrip()) for line in text.splitlines()) <= width
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "[bold]red" in text, "markup of the web is text"


def test_the_page_needs_nothing_and_escapes_everything(tmp_path: Path) -> None:
    write_html(summarise(made_up()), tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert HOSTILE not in text
    assert "<script" not in text
    assert "&lt;script&gt;" in text
    assert "\x1b" not in text
    loaded = re.findall(r"""(?:src|href|url)\s*[=(]\s*["']?([^"')\s>]+)""", text)
    assert all(address.startswith("https://") for address in loaded)
    assert text.count("<a ") == text.count('rel="noopener noreferrer nofollow"') > 0
    assert "<link" not in text
    assert "<img" not in text
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"], "no draft is left"


def test_every_plot_says_what_it_shows() -> None:
    text = html_page(summarise(made_up()))
    assert text.count("<svg ") == text.count('role="img"') == text.count("<title>") - 1 == 4


@pytest.mark.parametrize(("relevant", "top"), [({99}, "2 %"), (set(range(70)), "100 %")])
def test_the_harvest_fills_its_plot(relevant: set[int], top: str) -> None:
    knowns = [
        known(number, f"https://a.example.org/{number}", page_visit(START_S + number, relevance))
        for number in range(100)
        for relevance in [0.9 if number in relevant else 0.1]
    ]
    plot = html_page(summarise(MemoryLedger(knowns))).partition("Share of pages")[2]
    assert f">{top}<" in plot.partition("</figure>")[0].partition("<details>")[0]


def test_a_report_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.mkdir()
    with pytest.raises(StorageError, match=r"report\.html"):
        write_html(summarise(MemoryLedger([])), path)
    assert [found.name for found in tmp_path.iterdir()] == ["report.html"]
