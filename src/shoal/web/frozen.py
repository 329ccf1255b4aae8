"""The frozen Web: a Shelf behind the same port as the live Web, on any Clock.

What is promised, beyond a Web's own guarantees:

1. The same Requests at the same times bring the same answers in the same order.
2. On a VirtualClock ``poll`` jumps to the end of the next answer, never beyond its time-out; how
   long an answer takes is its ``elapsed_s`` on the Shelf.
3. Media types, limits, time-outs and conditional requests work as on the live Web, so a crawl of
   a frozen Web meets every case that a live one does.
4. What is not on the Shelf is a 404, robots.txt included. Not one byte leaves the machine.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import replace
from email.utils import parsedate_to_datetime
from typing import Final

from shoal.http.coding import decode
from shoal.http.headers import is_accepted
from shoal.http.heads import make_head
from shoal.model import Cut, Failure, FailureKind, Fetched, Request, Response
from shoal.ports import Clock, Shelf
from shoal.settings import FetchSettings
from shoal.url import Url
from shoal.web.terms import Terms

_KEPT_OF_UNMODIFIED: Final = frozenset(
    {"cache-control", "content-location", "date", "etag", "expires", "last-modified", "vary"}
)
_ABSENT: Final = b"This page is not in the frozen web.\n"


class FrozenWeb:
    """``ports.Web`` over a Shelf. The Shelf stays the caller's, who closes it afterwards."""

    def __init__(
        self, shelf: Shelf, clock: Clock, settings: FetchSettings, *, absent_s: float = 0.05
    ) -> None:
        """``absent_s`` is how long a 404 takes for what is not on the Shelf."""
        self._shelf = shelf
        self._clock = clock
        self._settings = settings
        self._absent_s = absent_s
        self._terms = Terms.of(settings, None)
        self._under_way: list[tuple[float, int, Fetched]] = []
        self._started = 0
        self._is_closed = False

    @property
    def in_flight(self) -> int:
        return len(self._under_way)

    def start(self, request: Request) -> None:
        if self._is_closed:
            raise RuntimeError("this Web is closed")
        now_s = self._clock.now_s()
        fetched = self._fetched(request, now_s)
        self._started += 1
        # The number decides between answers of one moment: first asked, first answered.
        heapq.heappush(self._under_way, (now_s + fetched.elapsed_s, self._started, fetched))

    def poll(self, timeout_s: float) -> Sequence[Fetched]:
        now_s = self._clock.now_s()
        end_s = now_s + timeout_s
        next_s = min(self._under_way[0][0], end_s) if self._under_way else end_s
        if next_s > now_s and not self._is_closed:
            self._clock.wait_until(next_s)
            now_s = self._clock.now_s()
        done: list[Fetched] = []
        while self._under_way and self._under_way[0][0] <= now_s:
            done.append(heapq.heappop(self._under_way)[2])
        return done

    def close(self) -> None:
        self._is_closed = True
        self._under_way.clear()

    # ------------------------------------------------------------------ one answer

    def _fetched(self, request: Request, now_s: float) -> Fetched:
        url, settings = request.url, self._settings
        found = self._shelf.find(url) or absent(url, self._absent_s)
        patience_s = min(settings.read_timeout_s, settings.total_timeout_s)
        if found.elapsed_s > patience_s:
            why = f"no answer for {patience_s:g} s"
            return Failure(url, FailureKind.TIMEOUT, why, now_s, patience_s, found.ip)
        if len(found.head) > settings.header_limit_bytes:
            why = f"more than {settings.header_limit_bytes} bytes of headers"
            return self._failure(found, FailureKind.HEADERS_TOO_LARGE, why, now_s)
        accept = settings.accept if request.accept is None else request.accept
        kind = found.header("content-type")
        if 200 <= found.status < 300 and not is_accepted(kind, accept):
            why = f"{kind} is not among the accepted types"
            return self._failure(found, FailureKind.UNWANTED_TYPE, why, now_s)
        if is_unmodified(found, request.etag, request.last_modified):
            found = unmodified(found)
        payload, body, cut = self._bounded(found, request.body_limit_bytes)
        return replace(
            found,
            payload=payload,
            body=body,
            cut=cut,
            started_s=now_s,
            request_head=self._request_head(request),
        )

    def _failure(self, found: Response, kind: FailureKind, why: str, now_s: float) -> Failure:
        return Failure(found.url, kind, why, now_s, found.elapsed_s, found.ip, found.status)

    def _bounded(
        self, found: Response, own_limit_bytes: int | None
    ) -> tuple[bytes, bytes, Cut | None]:
        limit_bytes = self._settings.body_limit_bytes
        if own_limit_bytes is not None:
            limit_bytes = min(limit_bytes, own_limit_bytes)
        if len(found.payload) > limit_bytes:
            payload = found.payload[:limit_bytes]
            codings = ", ".join(found.header_values("content-encoding"))
            return payload, decode(payload, codings, limit_bytes).body, Cut.LENGTH
        if len(found.body) > limit_bytes:
            return found.payload, found.body[:limit_bytes], found.cut or Cut.LENGTH
        return found.payload, found.body, found.cut

    def _request_head(self, request: Request) -> bytes:
        """What the live Web would have sent."""
        url = request.url
        first = f"GET {url.target} HTTP/1.1\r\nHost: {url.host_key}\r\n".encode()
        return first + b"\r\n".join(self._terms.request_headers(request)) + b"\r\n\r\n"


def absent(url: Url, elapsed_s: float = 0.0) -> Response:
    """The answer for what a frozen Web does not have."""
    headers = (("content-type", "text/plain"), ("content-length", str(len(_ABSENT))))
    return Response(
        url=url,
        status=404,
        head=make_head(404, headers),
        headers=headers,
        payload=_ABSENT,
        body=_ABSENT,
        started_s=0.0,
        elapsed_s=elapsed_s,
    )


def is_unmodified(response: Response, etag: str | None, last_modified: str | None) -> bool:
    """Whether a conditional request is answered 304 (RFC 9110): by its ETag where it has one, else
    by its date."""
    if response.status != 200 or (etag is None and last_modified is None):
        return False
    if etag is not None:
        own = response.header("etag")
        wanted = {_opaque(tag) for tag in etag.split(",")}
        return "*" in wanted or (own is not None and _opaque(own) in wanted)
    own = response.header("last-modified")
    if own is None or last_modified is None:
        return False
    return own == last_modified or _is_not_after(own, last_modified)


def unmodified(response: Response) -> Response:
    """The 304 that stands for a Response."""
    headers = tuple(pair for pair in response.headers if pair[0] in _KEPT_OF_UNMODIFIED)
    return replace(
        response,
        status=304,
        head=make_head(304, headers),
        headers=headers,
        payload=b"",
        body=b"",
        cut=None,
    )


def _opaque(tag: str) -> str:
    return tag.strip().removeprefix("W/")


def _is_not_after(date: str, other: str) -> bool:
    try:
        return parsedate_to_datetime(date) <= parsedate_to_datetime(other)
    except (ValueError, TypeError):
        # Not dates, or one without a zone: no ground to say that nothing has changed.
        return False
