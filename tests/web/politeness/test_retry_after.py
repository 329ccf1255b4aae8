"""The Retry-After header, as servers write it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.web.retry_after import retry_after_s

NOW_S = 1_445_412_480.0  # Wed, 21 Oct 2015 07:28:00 GMT


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        (" 0 ", 0.0),
        ("1.5", 1.5),
        ("9" * 300, float("9" * 300)),
        ("9" * 301, None),
        ("-1", None),
        ("1e9", None),
        ("", None),
        ("soon", None),
        ("Wed, 21 Oct 2015 07:30:00 GMT", 120.0),
        ("Wednesday, 21-Oct-15 07:30:00 GMT", 120.0),
        ("Wed Oct 21 07:30:00 2015", 120.0),
        ("Wed, 21 Oct 2015 09:30:00 +0200", 120.0),
        ("Wed, 21 Oct 2015 07:00:00 GMT", 0.0),
        ("Wed, 99 Oct 2015 07:00:00 GMT", None),
        ("Wed, 21 Oct 99999 07:00:00 GMT", None),
    ],
)
def test_values(value: str, seconds: float | None) -> None:
    assert retry_after_s(value, None, NOW_S) == seconds


def test_a_date_is_counted_from_the_responses_own_date() -> None:
    value, date = "Wed, 21 Oct 2015 07:30:00 GMT", "Wed, 21 Oct 2015 07:29:30 GMT"
    assert retry_after_s(value, date, 0.0) == 30.0
    assert retry_after_s(value, "garbage", NOW_S) == 120.0


def test_none_is_none() -> None:
    assert retry_after_s(None, None, NOW_S) is None


@given(st.text(max_size=120), st.none() | st.text(max_size=40))
def test_any_text_is_borne(value: str, date: str | None) -> None:
    seconds = retry_after_s(value, date, NOW_S)
    assert seconds is None or seconds >= 0.0
