"""The small rules of a crawl: budgets, idle windows, and what an answer means."""

from __future__ import annotations

from datetime import datetime

import pytest

from shoal.crawl import outcome
from shoal.crawl.budget import Budget
from shoal.crawl.idle import IdleWindow
from shoal.crawl.outcome import Patience
from shoal.crawl.stop import StopReason
from shoal.crawl.tally import Tally
from shoal.model import Failure, FailureKind, Judgement, Outcome, Response, Ruling, Visit
from shoal.url import parse_url

URL = parse_url("http://a.example/")
PATIENCE = Patience(attempts=3, retry_delay_s=10)


def response(status: int, *headers: tuple[str, str]) -> Response:
    return Response(URL, status, b"", headers, b"body", b"body", 0.0, 0.1)


def test_budgets_stop_at_what_was_asked_for() -> None:
    assert Budget().spent(Tally(pages=10**9)) is None
    for budget, reason in (
        (Budget(pages=5), StopReason.PAGES),
        (Budget(time_s=5), StopReason.TIME),
        (Budget(bytes=5), StopReason.BYTES),
    ):
        assert budget.spent(Tally(4, 0, 4, 4.0)) is None
        stop = budget.spent(Tally(5, 0, 5, 5.0))
        assert stop is not None
        assert stop.reason is reason


def test_requests_under_way_do_not_overshoot_the_pages_asked_for() -> None:
    budget = Budget(pages=10)
    assert budget.room(Tally(pages=0), 0, 64) == 10
    assert budget.room(Tally(pages=7), 2, 64) == 1
    assert budget.room(Tally(pages=7), 3, 64) == 0
    assert Budget().room(Tally(), 60, 64) == 4


def test_a_tally_survives_being_written_down() -> None:
    tally = Tally()
    relevant, irrelevant = Judgement(0.5, 0.1), Judgement(0.49, 0.1)
    tally.count(Visit(0.0, Outcome.PAGE, size_bytes=3, judgement=relevant), 0.5)
    tally.count(Visit(0.0, Outcome.PAGE, size_bytes=3, judgement=irrelevant), 0.5)
    tally.count(Visit(0.0, Outcome.DUPLICATE, size_bytes=3, judgement=relevant), 0.5)
    assert (tally.pages, tally.relevant, tally.bytes) == (2, 1, 9)
    assert Tally.load(tally.dump()) == tally
    assert Tally.load(None) == Tally()


@pytest.mark.parametrize(
    ("window", "hour", "end_hour"),
    [
        ("08:00-18:00", 7, None),
        ("08:00-18:00", 8, 18),
        ("08:00-18:00", 18, None),
        ("22:00-06:00", 23, 6),
        ("22:00-06:00", 3, 6),
        ("22:00-06:00", 12, None),
    ],
)
def test_idle_windows_are_local_and_may_pass_midnight(
    window: str, hour: int, end_hour: int | None
) -> None:
    now = datetime(2026, 3, 4, hour, 30 if hour != 18 else 0).astimezone()
    until_s = IdleWindow.parse(window).until(now.timestamp())
    if end_hour is None:
        assert until_s is None
        return
    assert until_s is not None
    end = datetime.fromtimestamp(until_s).astimezone()
    assert end > now
    assert (end.hour, end.minute) == (end_hour, 0)


def test_a_body_is_looked_at_only_when_the_status_says_so() -> None:
    assert outcome.of_status(response(200), 0, PATIENCE, 1.0) is None
    for status, headers, expected in (
        (301, [("location", "/x")], Outcome.REDIRECT),
        (301, [], Outcome.HTTP_ERROR),
        (304, [], Outcome.NOT_MODIFIED),
        (404, [], Outcome.HTTP_ERROR),
        (503, [], Outcome.RETRY),
        (429, [], Outcome.RETRY),
    ):
        visit = outcome.of_status(response(status, *headers), 0, PATIENCE, 1.0)
        assert visit is not None
        assert visit.outcome is expected


def test_attempts_end_and_waits_grow() -> None:
    times = []
    for attempts in range(3):
        visit = outcome.of_status(response(500), attempts, PATIENCE, 100.0)
        assert visit is not None
        times.append(visit.retry_at_s)
    assert times == [110.0, 140.0, None]


@pytest.mark.parametrize("kind", list(FailureKind))
def test_only_passing_failures_are_tried_again(kind: FailureKind) -> None:
    visit = outcome.of_failure(Failure(URL, kind, "why", 0.0, 0.0), 0, PATIENCE, 1.0)
    lasting = {
        FailureKind.FORBIDDEN_ADDRESS,
        FailureKind.UNWANTED_TYPE,
        FailureKind.HEADERS_TOO_LARGE,
        FailureKind.NOT_IN_WEB,
        FailureKind.CANCELLED,
    }
    assert (visit.outcome is Outcome.FAILED) == (kind in lasting)
    assert visit.detail == "why"


def test_a_robots_txt_out_of_reach_is_asked_again() -> None:
    passing = Ruling(False, "robots", "robots.txt answered 503", passing=True)
    assert outcome.of_refusal(passing, 0, PATIENCE, 1.0).outcome is Outcome.RETRY
    assert outcome.of_refusal(passing, 2, PATIENCE, 1.0).outcome is Outcome.ROBOTS
    lasting = Ruling(False, "robots", "line 2")
    assert outcome.of_refusal(lasting, 0, PATIENCE, 1.0).outcome is Outcome.ROBOTS
