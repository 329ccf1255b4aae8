"""What an answer means for the Url that was asked: pure rules, one table."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.model import (
    HOST_FAILURES,
    Cut,
    Failure,
    FailureKind,
    Outcome,
    Page,
    Response,
    Ruling,
    Visit,
)

REDIRECTS = frozenset({301, 302, 303, 307, 308})
TRANSIENT = frozenset({408, 425, 429, 500, 502, 503, 504, 507, 509})
"""Answers that another day may change."""
_TRANSIENT_FAILURES = HOST_FAILURES | {FailureKind.PROTOCOL}
NOT_KEPT = "not archived: the page asks for noarchive"


@dataclass(frozen=True, slots=True)
class Patience:
    """How often and how late a Url is tried again."""

    attempts: int
    retry_delay_s: float

    def retry_at_s(self, attempts_before: int, now_s: float) -> float | None:
        """When to try again after one more failed attempt; None when that was the last."""
        if attempts_before + 1 >= self.attempts:
            return None
        return now_s + self.retry_delay_s * 4.0**attempts_before


def of_failure(failure: Failure, attempts: int, patience: Patience, now_s: float) -> Visit:
    retry_at_s = None
    if failure.kind in _TRANSIENT_FAILURES:
        retry_at_s = patience.retry_at_s(attempts, now_s)
    return Visit(
        at_s=now_s,
        outcome=Outcome.FAILED if retry_at_s is None else Outcome.RETRY,
        status=failure.status,
        failure=failure.kind,
        detail=failure.message,
        elapsed_s=failure.elapsed_s,
        retry_at_s=retry_at_s,
    )


def of_status(response: Response, attempts: int, patience: Patience, now_s: float) -> Visit | None:
    """What the status alone decides; None for an answer whose body must be looked at."""
    status = response.status
    if 200 <= status < 300:
        return None
    retry_at_s = None
    detail = ""
    if status == 304:
        outcome = Outcome.NOT_MODIFIED
    elif status in REDIRECTS and response.header("location"):
        outcome = Outcome.REDIRECT
        detail = response.header("location") or ""
    else:
        outcome = Outcome.HTTP_ERROR
        detail = f"HTTP {status}"
        if status in TRANSIENT:
            retry_at_s = patience.retry_at_s(attempts, now_s)
            outcome = outcome if retry_at_s is None else Outcome.RETRY
    return Visit(
        at_s=now_s,
        outcome=outcome,
        status=status,
        detail=detail,
        size_bytes=len(response.payload),
        elapsed_s=response.elapsed_s,
        media_type=response.header("content-type"),
        retry_at_s=retry_at_s,
    )


def of_refusal(ruling: Ruling, attempts: int, patience: Patience, now_s: float) -> Visit:
    """robots.txt says no: for good, or only because it cannot be had at present."""
    retry_at_s = patience.retry_at_s(attempts, now_s) if ruling.passing else None
    return Visit(
        at_s=now_s,
        outcome=Outcome.ROBOTS if retry_at_s is None else Outcome.RETRY,
        detail=ruling.detail,
        retry_at_s=retry_at_s,
    )


def of_handing_over(response: Response, page: Page, owner: str, now_s: float) -> Visit:
    """The Page belongs to another Crawler: what it says is for that one to tell."""
    return Visit(
        at_s=now_s,
        outcome=Outcome.HANDED_OVER,
        status=response.status,
        detail=owner,
        size_bytes=len(response.payload),
        elapsed_s=response.elapsed_s,
        media_type=page.media_type,
    )


def cut_note(cut: Cut | None) -> str:
    return f"body cut: {cut.value}" if cut else ""
