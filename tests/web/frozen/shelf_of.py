"""A Shelf of a few pages, for the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from shoal.http.coding import decode
from shoal.http.heads import make_head
from shoal.model import Response
from shoal.testing.web import Served
from shoal.url import Url

HOST = "example.test"
PAGES = {
    "/": Served(200, (("Content-Type", "text/html"), ("ETag", '"one"')), b"<a href=/2>two</a>"),
    "/2": Served(200, (("Content-Type", "text/plain"),), b"two " * 9_000),
    "/moved": Served(301, (("Location", "/2"),), b""),
    "/odd": Served(
        200,
        (
            ("Content-Type", "text/html"),
            ("bad name", "x"),
            ("X-Odd", "a\x01b"),
            ("Transfer-Encoding", "chunked"),
            ("Connection", "close"),
        ),
        b"odd headers",
    ),
}


def page(url: Url, served: Served, elapsed_s: float = 0.25) -> Response:
    headers = tuple((name.lower(), value) for name, value in served.headers)
    codings = ", ".join(value for name, value in headers if name == "content-encoding")
    return Response(
        url=url,
        status=served.status,
        head=make_head(served.status, tuple(served.headers)),
        headers=headers,
        payload=served.body,
        body=decode(served.body, codings, 10_000_000).body,
        started_s=0.0,
        elapsed_s=elapsed_s,
    )


class MemoryShelf:
    """Pages of one host by path and query."""

    def __init__(self, pages: Mapping[str, Served], elapsed_s: Mapping[str, float]) -> None:
        self._pages = pages
        self._elapsed_s = elapsed_s

    def find(self, url: Url) -> Response | None:
        served = self._pages.get(url.target)
        if served is None or url.host != HOST:
            return None
        return page(url, served, self._elapsed_s.get(url.target, 0.25))

    def urls(self) -> Iterator[str]:
        return (f"http://{HOST}{path}" for path in self._pages)

    def close(self) -> None:
        """Nothing is held open."""


def small_shelf() -> MemoryShelf:
    """What a server in another process opens."""
    return MemoryShelf(PAGES, {})


def broken_shelf() -> MemoryShelf:
    raise ValueError("no such shelf here")
