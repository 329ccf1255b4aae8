"""The Retry-After header: how long a busy server wants to be left alone."""

from __future__ import annotations

import re
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Final

_SECONDS: Final = re.compile(r"\d{1,300}(?:\.\d{1,300})?")
_DATE_LENGTH: Final = 100


def retry_after_s(value: str | None, date: str | None, now_s: float) -> float | None:
    """Seconds to wait from now on, 0 at least; None where ``value`` says nothing.

    A date is counted from the response's own ``date``, where it has one, so that a server whose
    clock is wrong, or a crawl whose clock is not the world's, waits as long as was meant.
    """
    if value is None:
        return None
    value = value.strip()
    if _SECONDS.fullmatch(value):
        return float(value)
    until_s = _http_date_s(value)
    if until_s is None:
        return None
    sent_s = _http_date_s(date) if date is not None else None
    return max(0.0, until_s - (now_s if sent_s is None else sent_s))


def _http_date_s(text: str) -> float | None:
    if len(text) > _DATE_LENGTH:
        return None
    try:
        moment = parsedate_to_datetime(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        # Not a date by any reading; what parsedate raises for garbage depends on the garbage.
        return None
