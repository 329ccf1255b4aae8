"""The contract of ``ports.Shelf``, to be run against any implementation.

Subclass :class:`ShelfContract` and give it ``open_shelf``, with a Shelf that holds a page or more::

    class TestWarcShelf(ShelfContract):
        def open_shelf(self):
            return WarcShelf((path,))

A Shelf may hold much: the contract looks at the first ``SAMPLE`` addresses only.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import islice

from shoal.ports import Shelf
from shoal.url import Url, parse_url

SAMPLE = 50


class ShelfContract:
    """Three guarantees, checked. Subclasses give ``open_shelf`` and end what stands behind it."""

    def open_shelf(self) -> Shelf:
        raise NotImplementedError

    @contextmanager
    def opened(self) -> Iterator[tuple[Shelf, list[Url]]]:
        shelf = self.open_shelf()
        try:
            urls = [parse_url(text) for text in islice(shelf.urls(), SAMPLE)]
            assert urls, "the contract needs a Shelf that holds something"
            yield shelf, urls
        finally:
            shelf.close()

    # 1. find matches by SURT; the Response carries the Url asked for.

    def test_every_address_on_it_is_found(self) -> None:
        with self.opened() as (shelf, urls):
            for url in urls:
                found = shelf.find(url)
                assert found is not None, url
                assert found.url == url

    def test_scheme_and_www_do_not_matter(self) -> None:
        with self.opened() as (shelf, urls):
            for url in urls:
                plain = shelf.find(url)
                host = url.host_key.removeprefix("www.")
                spellings = [f"{s}{w}{host}{url.target}" for s in SCHEMES for w in ("", "www.")]
                if ":" in url.host_key or host[-1].isdigit():
                    continue
                for spelling in spellings:
                    asked = parse_url(spelling)
                    found = shelf.find(asked)
                    assert found is not None, spelling
                    assert plain is not None
                    assert found.url == asked
                    assert (found.status, found.payload) == (plain.status, plain.payload)

    def test_a_response_is_whole(self) -> None:
        with self.opened() as (shelf, urls):
            for url in urls:
                found = shelf.find(url)
                assert found is not None
                assert found.head.startswith(b"HTTP/")
                assert found.head.endswith((b"\r\n\r\n", b"\n\n"))
                assert str(found.status).encode() in found.head.splitlines()[0]
                assert all(name == name.lower() for name, _ in found.headers)
                assert found.elapsed_s >= 0.0

    def test_it_is_the_same_every_time(self) -> None:
        with self.opened() as (shelf, urls), self.opened() as (other, _):
            for url in urls:
                assert shelf.find(url) == shelf.find(url) == other.find(url)

    # 2. What is not there is None.

    def test_what_is_not_there_is_none(self) -> None:
        with self.opened() as (shelf, urls):
            for address in (
                "http://not-here.invalid/",
                "http://not-here.invalid/robots.txt",
                f"{urls[0].origin}/not/here/0123456789abcdef",
                f"{urls[0].origin}/..%2f..%2f..%2fetc%2fpasswd",
            ):
                assert shelf.find(parse_url(address)) is None

    # 3. find may be called from several threads.

    def test_threads_see_the_same(self) -> None:
        with self.opened() as (shelf, urls), ThreadPoolExecutor(4) as threads:
            expected = [shelf.find(url) for url in urls]
            for _ in range(3):
                assert list(threads.map(shelf.find, urls)) == expected

    # urls

    def test_addresses_come_once_and_in_a_stable_order(self) -> None:
        with self.opened() as (shelf, _):
            first, second = (list(islice(shelf.urls(), SAMPLE)) for _ in range(2))
            assert first == second
            assert len(set(first)) == len(first)

    def test_close_is_idempotent(self) -> None:
        shelf = self.open_shelf()
        shelf.close()
        shelf.close()


SCHEMES = ("http://", "https://")
