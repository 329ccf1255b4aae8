from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from shoal import wording


def test_numbers_are_short() -> None:
    assert wording.count(1234567) == "1,234,567"
    assert [wording.many(n, "host") for n in (0, 1, 2)] == ["0 hosts", "1 host", "2 hosts"]
    assert [wording.size(n) for n in (0, 999, 1_000, 12_345, 999_999, 1_234_567_890)] == [
        "0 B", "999 B", "1.00 kB", "12.3 kB", "1.00 MB", "1.23 GB",
    ]  # fmt: skip
    assert [wording.rate(n) for n in (0, 0.123, 1.234, 12.34, 1234)] == [
        "0", "0.12", "1.23", "12.3", "1,234",
    ]  # fmt: skip
    assert wording.share(0.1234) == "12.3 %"


def test_durations_have_two_units() -> None:
    assert [wording.duration(s) for s in (-1, 7.84, 59.6, 306, 7_260, 273_600)] == [
        "0.0 s", "7.8 s", "1 min 0 s", "5 min 6 s", "2 h 1 min", "3 d 4 h",
    ]  # fmt: skip
    assert wording.duration(float("inf")) == "for ever"


def test_moments() -> None:
    assert wording.moment(1_790_000_000.0) == "2026-09-21 14:13:20 UTC"
    assert wording.moment(12.0) == "clock 12 s"
    assert wording.iso(1_790_000_000.5) == "2026-09-21T14:13:20.500Z"


def test_sparklines() -> None:
    assert wording.sparkline([0.0, 0.5, 1.0], 10) == " ▅█"
    assert wording.sparkline([0.0, 0.0], 10) == "  "
    assert wording.sparkline([], 10) == ""
    assert wording.sparkline([1.0] * 100, 10, 2.0) == "▅" * 10


@given(st.text(), st.integers(1, 40))
def test_what_is_printed_is_one_plain_line(text: str, width: int) -> None:
    plain = wording.plain(text)
    assert plain == wording.plain(plain)
    assert plain.isprintable()
    assert len(wording.shorten(plain, width)) <= width
    assert len(wording.clip(plain, width)) <= width


@given(st.floats(-1, 2), st.integers(1, 40))
def test_bars_fill_their_width(fraction: float, width: int) -> None:
    drawn = wording.bar(fraction, width)
    assert len(drawn) <= width
    assert (len(drawn) == width) or fraction < 1
