"""How numbers, times and shares are written for people. Pure functions, imported by every room."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from datetime import UTC, datetime
from difflib import get_close_matches

_BARS = "▁▂▃▄▅▆▇█"
_SIZES = ("B", "kB", "MB", "GB", "TB", "PB")
_OLDEST_DATE_S = 100_000_000.0
_LATEST_DATE_S = 253_402_300_799.0


def count(number: float) -> str:
    """``12345`` as ``12,345``."""
    return f"{number:,.0f}"


def many(number: int, noun: str) -> str:
    """``1 host``, ``2 hosts``."""
    return f"{count(number)} {noun if number == 1 else noun + 's'}"


def size(size_bytes: float) -> str:
    """Decimal units, three significant digits: ``1.23 MB``."""
    amount = float(size_bytes)
    for unit in _SIZES[:-1]:
        if amount < 999.5:
            return f"{amount:.0f} B" if unit == "B" else f"{_three(amount)} {unit}"
        amount /= 1000
    return f"{_three(amount)} {_SIZES[-1]}"


def rate(per_second: float) -> str:
    """``123``, ``12.3``, ``1.23`` or, below one, ``0.12``."""
    return "0" if per_second <= 0 else _three(per_second)


def share(fraction: float) -> str:
    """``0.1234`` as ``12.3 %``."""
    return f"{fraction * 100:.1f} %"


def duration(seconds: float) -> str:
    """The two largest units: ``3 d 4 h``, ``5 min 6 s``, ``7.8 s``. Without end is ``for ever``."""
    if seconds == float("inf"):
        return "for ever"
    if seconds < 10:
        return f"{max(0.0, seconds):.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, second = divmod(whole, 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    if days:
        return f"{days} d {hour} h"
    if hours:
        return f"{hours} h {minute} min"
    return f"{minutes} min {second} s"


def moment(time_s: float) -> str:
    """A time of the crawl's clock: a UTC date, or ``12.0 s`` where the clock began at nought."""
    if not _OLDEST_DATE_S <= time_s <= _LATEST_DATE_S:
        return f"clock {duration(time_s)}"
    return datetime.fromtimestamp(time_s, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def iso(time_s: float) -> str:
    """ISO 8601 in UTC, for programs."""
    bounded = min(max(time_s, 0.0), _LATEST_DATE_S)
    text = datetime.fromtimestamp(bounded, UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


def plain(text: str) -> str:
    """Text from the web on one line, without control and direction characters, safe to print."""
    kept = "".join(
        " " if character.isspace() else character
        for character in text
        if character.isspace() or unicodedata.category(character)[0] != "C"
    )
    return " ".join(kept.split())


def shorten(text: str, width: int) -> str:
    """At most ``width`` characters, with an ellipsis in the middle, so both ends can be read."""
    if len(text) <= width:
        return text
    tail = (width - 1) // 3
    head = max(0, width - 1 - tail)
    return text[:head] + "…" + (text[-tail:] if tail else "")


def clip(text: str, width: int) -> str:
    """At most ``width`` characters, with an ellipsis at the end."""
    return text if len(text) <= width else text[: max(0, width - 1)] + "…"


def nearest(name: str, names: Sequence[str]) -> str:
    """For the end of a message about a name that is none: ``; did you mean 'x'?``, or what there
    is."""
    close = get_close_matches(name, names, n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else f"; there are {', '.join(names)}"


def bar(fraction: float, width: int) -> str:
    """A bar of blocks, to an eighth of a character."""
    eighths = round(min(max(fraction, 0.0), 1.0) * width * 8)
    full, part = divmod(eighths, 8)
    return "█" * full + ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")[part]


def sparkline(values: Sequence[float], width: int, top: float | None = None) -> str:
    """One character a value from nought (blank) to ``top``, else the largest; long rows are
    averaged."""
    if not values:
        return ""
    if len(values) > width:
        step = len(values) / width
        values = [_mean(values[int(i * step) : int((i + 1) * step)]) for i in range(width)]
    highest = max(values) if top is None else top
    if highest <= 0:
        return " " * len(values)
    steps = len(_BARS) - 1
    return "".join(" " if v <= 0 else _BARS[round(min(v / highest, 1.0) * steps)] for v in values)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _three(amount: float) -> str:
    if amount >= 99.95:
        return f"{amount:,.0f}"
    return f"{amount:.1f}" if amount >= 9.995 else f"{amount:.2f}"
