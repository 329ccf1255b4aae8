"""The contract of ``ports.Web``, to be run against any implementation.

Subclass :class:`WebContract` in a test module, give it ``open_web``, and pytest does the rest::

    class TestFrozenWeb(WebContract):
        def open_web(self, pages, settings):
            shelf = ...                    # holds ``pages`` under some base address
            clock = VirtualClock()
            return OpenedWeb(FrozenWeb(shelf, settings, clock), "http://example.test", clock)

The five guarantees of the port are the five groups below, in their order. What an implementation
must do beyond the port (time-outs, TLS, a server that misbehaves) is for its own tests.
"""

from __future__ import annotations

import gzip
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import NamedTuple

import pytest

from shoal.model import Cut, Failure, FailureKind, Fetched, Request, Response
from shoal.ports import Clock, Web
from shoal.settings import FetchSettings
from shoal.url import parse_url

PATIENCE_S = 40.0
"""Longer than any answer in this contract can take, on the Web's Clock."""

HTML = ("Content-Type", "text/html; charset=utf-8")


class Served(NamedTuple):
    """What a path answers. ``headers`` need no Content-Length: the server adds what it must."""

    status: int
    headers: Sequence[tuple[str, str]]
    body: bytes


class OpenedWeb(NamedTuple):
    """A Web, where it has its pages, and the Clock by which its ``poll`` waits."""

    web: Web
    base_url: str
    """Scheme, host and port of the pages, without a trailing slash."""
    clock: Clock


SMALL = FetchSettings(
    allow_private=True,
    body_limit_bytes=100_000,
    header_limit_bytes=16_384,
    connect_timeout_s=10.0,
    read_timeout_s=10.0,
    total_timeout_s=20.0,
)
"""The settings of every test that does not say otherwise."""

PRIVATE_HOSTS = (
    "127.0.0.1",
    "localhost",
    "2130706433",
    "0x7f.1",
    "0177.0.0.1",
    "0.0.0.0",
    "[::1]",
    "[::ffff:127.0.0.1]",
)
"""Spellings of this machine, one of which any careless check lets through."""


class WebContract:
    """Five guarantees, checked. Subclasses give ``open_web`` and end what it began."""

    def open_web(self, pages: Mapping[str, Served], settings: FetchSettings) -> OpenedWeb:
        """A fresh Web that answers ``pages`` (absolute path, with its query, to answer).

        It must obey ``settings``. A path that is not in ``pages`` answers 404 or fails. The
        contract closes the Web; whatever stands behind it (a server, a file) is for the
        subclass to end, after each test.
        """
        raise NotImplementedError

    @contextmanager
    def opened(
        self, pages: Mapping[str, Served], settings: FetchSettings = SMALL
    ) -> Iterator[OpenedWeb]:
        opened = self.open_web(pages, settings)
        try:
            yield opened
        finally:
            opened.web.close()

    def fetch(self, served: Served, settings: FetchSettings = SMALL) -> Fetched:
        with self.opened({"/page": served}, settings) as opened:
            return fetch(opened, "/page")

    # 1. Every started Request comes back exactly once.

    def test_a_page_comes_back_as_it_was_served(self) -> None:
        answer = self.fetch(Served(200, (HTML, ("X-Odd", "a")), b"<p>words</p>"))
        assert isinstance(answer, Response)
        assert answer.status == 200
        assert answer.payload == answer.body == b"<p>words</p>"
        assert answer.header("content-type") == "text/html; charset=utf-8"
        assert answer.header("x-odd") == "a"
        assert answer.cut is None
        assert answer.elapsed_s >= 0

    def test_the_head_is_a_status_line_and_headers(self) -> None:
        answer = self.fetch(Served(200, (HTML,), b"words"))
        assert isinstance(answer, Response)
        assert answer.head.startswith(b"HTTP/")
        assert b" 200" in answer.head.splitlines()[0]
        assert answer.head.endswith(b"\r\n\r\n")
        assert all(name == name.lower() for name, _ in answer.headers)

    def test_repeated_headers_stay_repeated(self) -> None:
        answer = self.fetch(Served(200, (HTML, ("X-Two", "a"), ("X-Two", "b")), b"words"))
        assert isinstance(answer, Response)
        assert answer.header_values("x-two") == ("a", "b")

    def test_every_request_comes_back_once(self) -> None:
        paths = [f"/{number}" for number in range(40)]
        pages = {path: Served(200, (HTML,), path.encode()) for path in paths}
        with self.opened(pages) as opened:
            for path in paths:
                opened.web.start(Request(parse_url(opened.base_url + path)))
            assert opened.web.in_flight == len(paths)
            answers = drain(opened, len(paths))
            assert opened.web.in_flight == 0
            assert not opened.web.poll(0.0)
        assert sorted(answer.url.path for answer in answers) == sorted(paths)
        for answer in answers:
            assert isinstance(answer, Response)
            assert answer.body == answer.url.path.encode()

    def test_the_same_url_twice_comes_back_twice(self) -> None:
        with self.opened({"/page": Served(200, (HTML,), b"words")}) as opened:
            for _ in range(2):
                opened.web.start(Request(parse_url(opened.base_url + "/page")))
            assert len(drain(opened, 2)) == 2

    def test_in_flight_counts_until_the_answer_is_polled(self) -> None:
        with self.opened({"/page": Served(200, (HTML,), b"words")}) as opened:
            assert opened.web.in_flight == 0
            opened.web.start(Request(parse_url(opened.base_url + "/page")))
            assert opened.web.in_flight == 1
            drain(opened, 1)
            assert opened.web.in_flight == 0

    @pytest.mark.parametrize("status", [200, 204, 304, 404, 410, 429, 500, 503])
    def test_every_status_is_a_response(self, status: int) -> None:
        body = b"" if status in (204, 304) else b"words"
        answer = self.fetch(Served(status, (HTML,), body))
        assert isinstance(answer, Response)
        assert (answer.status, answer.body) == (status, body)

    def test_a_path_that_is_not_there_comes_back_too(self) -> None:
        with self.opened({}) as opened:
            answer = fetch(opened, "/nothing")
        assert isinstance(answer, Failure) or answer.status == 404

    def test_a_body_that_is_not_what_its_header_says_is_kept(self) -> None:
        mislabelled = (HTML, ("Content-Encoding", "gzip"))
        answer = self.fetch(Served(200, mislabelled, b"never was gzip"))
        assert isinstance(answer, Response)
        assert answer.payload == answer.body == b"never was gzip"

    def test_nothing_comes_after_close(self) -> None:
        with self.opened({"/page": Served(200, (HTML,), b"words")}) as opened:
            opened.web.start(Request(parse_url(opened.base_url + "/page")))
            opened.web.close()
            opened.web.close()
            assert opened.web.in_flight == 0
            assert not opened.web.poll(0.0)

    # 2. ``start`` does not block; ``poll`` keeps its time.

    def test_poll_with_nothing_under_way_ends_in_time(self) -> None:
        with self.opened({}) as opened:
            began_s = opened.clock.now_s()
            assert not opened.web.poll(0.05)
            assert opened.clock.now_s() - began_s < 5.0

    def test_poll_returns_as_soon_as_anything_is_there(self) -> None:
        with self.opened({"/page": Served(200, (HTML,), b"words")}) as opened:
            opened.web.start(Request(parse_url(opened.base_url + "/page")))
            began_s = opened.clock.now_s()
            answers: list[Fetched] = []
            while not answers:
                answers += opened.web.poll(PATIENCE_S)
            assert opened.clock.now_s() - began_s < PATIENCE_S / 2

    # 3. Redirects are not followed.

    @pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
    def test_a_redirect_is_a_response(self, status: int) -> None:
        pages = {
            "/old": Served(status, (("Location", "/new"),), b""),
            "/new": Served(200, (HTML,), b"words"),
        }
        with self.opened(pages) as opened:
            answer = fetch(opened, "/old")
        assert isinstance(answer, Response)
        assert answer.status == status
        assert answer.header("location") == "/new"
        assert answer.url.path == "/old"

    # 4. A Response is bounded.

    def test_a_long_body_is_cut(self) -> None:
        answer = self.fetch(Served(200, (HTML,), b"x" * 300_000))
        assert isinstance(answer, Response)
        assert answer.body == answer.payload == b"x" * SMALL.body_limit_bytes
        assert answer.cut is Cut.LENGTH

    def test_a_body_of_exactly_the_limit_is_whole(self) -> None:
        answer = self.fetch(Served(200, (HTML,), b"x" * SMALL.body_limit_bytes))
        assert isinstance(answer, Response)
        assert len(answer.body) == SMALL.body_limit_bytes
        assert answer.cut is None

    def test_a_request_may_ask_for_less(self) -> None:
        with self.opened({"/page": Served(200, (HTML,), b"x" * 300_000)}) as opened:
            answer = fetch(opened, "/page", body_limit_bytes=5_000)
        assert isinstance(answer, Response)
        assert len(answer.body) == len(answer.payload) == 5_000
        assert answer.cut is Cut.LENGTH

    def test_a_decoded_body_is_cut_too(self) -> None:
        packed = gzip.compress(bytes(5_000_000))
        assert len(packed) < SMALL.body_limit_bytes
        answer = self.fetch(Served(200, (HTML, ("Content-Encoding", "gzip")), packed))
        assert isinstance(answer, Response)
        assert answer.payload == packed
        assert answer.body == bytes(SMALL.body_limit_bytes)
        assert answer.cut is Cut.LENGTH

    def test_a_coded_body_is_decoded(self) -> None:
        packed = gzip.compress(b"<p>words</p>" * 100)
        answer = self.fetch(Served(200, (HTML, ("Content-Encoding", "gzip")), packed))
        assert isinstance(answer, Response)
        assert answer.payload == packed
        assert answer.body == b"<p>words</p>" * 100

    def test_a_head_beyond_the_limit_is_a_failure(self) -> None:
        flood = tuple((f"X-Flood-{number}", "x" * 500) for number in range(80))
        answer = self.fetch(Served(200, (HTML, *flood), b"words"))
        assert isinstance(answer, Failure)
        assert answer.kind is FailureKind.HEADERS_TOO_LARGE

    def test_an_unwanted_type_is_a_failure_with_its_status(self) -> None:
        answer = self.fetch(Served(200, (("Content-Type", "video/mp4"),), b"x" * 50_000))
        assert isinstance(answer, Failure)
        assert (answer.kind, answer.status) == (FailureKind.UNWANTED_TYPE, 200)

    def test_an_unwanted_type_of_an_error_page_does_not_matter(self) -> None:
        answer = self.fetch(Served(404, (("Content-Type", "application/json"),), b"{}"))
        assert isinstance(answer, Response)
        assert answer.status == 404

    def test_a_request_may_want_another_type(self) -> None:
        with self.opened({"/x": Served(200, (("Content-Type", "image/png"),), b"png")}) as opened:
            assert isinstance(fetch(opened, "/x", accept=("image/*",)), Response)
            assert isinstance(fetch(opened, "/x", accept=("*",)), Response)
            assert isinstance(fetch(opened, "/x", accept=("text/html",)), Failure)

    # 5. An address that is not allowed is never sent a byte.

    @pytest.mark.parametrize("host", PRIVATE_HOSTS)
    def test_a_private_address_is_never_connected_to(self, host: str) -> None:
        with (
            listening() as (port, was_reached),
            self.opened({}, replace(SMALL, allow_private=False)) as opened,
        ):
            opened.web.start(Request(parse_url(f"http://{host}:{port}/page")))
            [answer] = drain(opened, 1)
            assert not was_reached()
        if isinstance(answer, Failure):
            # A frozen Web sends nothing to anybody, so for it the page is merely not there.
            assert answer.kind in (FailureKind.FORBIDDEN_ADDRESS, FailureKind.NOT_IN_WEB)
        else:
            assert answer.status == 404


def fetch(
    opened: OpenedWeb,
    path: str,
    *,
    accept: tuple[str, ...] | None = None,
    body_limit_bytes: int | None = None,
) -> Fetched:
    """One page, asked for and waited for."""
    url = parse_url(opened.base_url + path)
    opened.web.start(Request(url, accept=accept, body_limit_bytes=body_limit_bytes))
    return drain(opened, 1)[0]


def drain(opened: OpenedWeb, count: int) -> list[Fetched]:
    """Poll until ``count`` answers are there. Fails when they do not come."""
    answers: list[Fetched] = []
    end_s = opened.clock.now_s() + PATIENCE_S
    while len(answers) < count:
        assert opened.clock.now_s() < end_s, f"{len(answers)} of {count} answers came"
        answers += opened.web.poll(1.0)
    assert len(answers) == count
    return answers


@contextmanager
def listening() -> Iterator[tuple[int, Callable[[], bool]]]:
    """A port of this machine, on every address it has, and whether anybody connected to it."""
    family = socket.AF_INET6 if socket.has_dualstack_ipv6() else socket.AF_INET
    with socket.create_server(
        ("", 0), family=family, dualstack_ipv6=family is socket.AF_INET6
    ) as listener:
        listener.setblocking(False)

        def was_reached() -> bool:
            try:
                listener.accept()[0].close()
            except BlockingIOError:
                return False
            return True

        yield listener.getsockname()[1], was_reached
