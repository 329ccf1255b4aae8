"""Reads heads as servers really send them."""

from __future__ import annotations


def parse_headers(head: bytes) -> tuple[tuple[str, str], ...]:
    """The headers below a status line: names in lower case, in order, repeated names repeated.

    Never raises: folded lines are joined, and a line without a colon is left out.
    """
    headers: list[tuple[str, str]] = []
    for line in head.decode("latin-1").split("\n")[1:]:
        if line[:1] in (" ", "\t"):
            more = line.strip()
            if more and headers:
                name, value = headers[-1]
                headers[-1] = (name, f"{value} {more}")
            continue
        name, colon, value = line.partition(":")
        name = name.strip().lower()
        if colon and name:
            headers.append((name, value.strip()))
    return tuple(headers)


def parse_status(head: bytes) -> int | None:
    """The code of a status line; None where there is none."""
    words = head[:64].split(None, 2)
    if len(words) < 2 or len(words[1]) != 3 or not words[1].isdigit():
        return None
    return int(words[1])


def media_type(content_type: str | None) -> str:
    """The media type of a Content-Type header in lower case; empty where there is none."""
    return (content_type or "").partition(";")[0].strip().lower()


def is_accepted(content_type: str | None, accept: tuple[str, ...]) -> bool:
    """Whether a Content-Type is among the wanted media types (``*``, ``text/*``, ``text/html``).

    A missing one is accepted: what the body is will be seen in the body.
    """
    kind = media_type(content_type)
    if not kind or kind in accept or "*" in accept or "*/*" in accept:
        return True
    return kind.partition("/")[0] + "/*" in accept
