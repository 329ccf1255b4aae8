"""FrozenWeb: the contract of every Web, and what only a frozen one promises."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from shoal.clock import VirtualClock
from shoal.model import Failure, FailureKind, Request, Response
from shoal.settings import FetchSettings
from shoal.testing.web import OpenedWeb, Served, WebContract
from shoal.url import parse_url
from shoal.web.frozen import FrozenWeb, is_unmodified
from tests.web.frozen.shelf_of import HOST, MemoryShelf, page

HTML = ("Content-Type", "text/html")


class TestFrozenWeb(WebContract):
    def open_web(self, pages: Mapping[str, Served], settings: FetchSettings) -> OpenedWeb:
        clock = VirtualClock(1_000.0)
        return OpenedWeb(
            FrozenWeb(MemoryShelf(pages, {}), clock, settings), f"http://{HOST}", clock
        )


def make(
    elapsed_s: Mapping[str, float], settings: FetchSettings | None = None
) -> tuple[FrozenWeb, VirtualClock]:
    clock = VirtualClock(1_000.0)
    pages = {path: Served(200, (HTML,), path.encode()) for path in elapsed_s}
    return FrozenWeb(MemoryShelf(pages, elapsed_s), clock, settings or FetchSettings()), clock


def ask(
    web: FrozenWeb, path: str, etag: str | None = None, last_modified: str | None = None
) -> None:
    web.start(Request(parse_url(f"http://{HOST}{path}"), etag, last_modified))


def test_answers_come_when_their_time_is_up() -> None:
    web, clock = make({"/slow": 5.0, "/fast": 0.5, "/fast2": 0.5})
    for path in ("/slow", "/fast", "/fast2"):
        ask(web, path)
    assert [answer.url.path for answer in web.poll(60.0)] == ["/fast", "/fast2"]
    assert clock.now_s() == 1_000.5
    assert web.poll(1.0) == []
    assert clock.now_s() == 1_001.5
    [slow] = web.poll(60.0)
    assert clock.now_s() == 1_005.0
    assert (slow.started_s, slow.elapsed_s) == (1_000.0, 5.0)
    assert web.in_flight == 0


def test_nothing_under_way_lets_the_time_pass() -> None:
    web, clock = make({})
    assert web.poll(3.0) == []
    assert clock.now_s() == 1_003.0
    web.close()
    assert web.poll(3.0) == []
    assert clock.now_s() == 1_003.0


def test_what_is_absent_is_a_404_even_robots_txt() -> None:
    web, _ = make({"/here": 0.1})
    ask(web, "/robots.txt")
    [answer] = web.poll(9.0)
    assert isinstance(answer, Response)
    assert (answer.status, answer.url.path) == (404, "/robots.txt")


def test_a_server_slower_than_patience_is_a_timeout() -> None:
    web, clock = make({"/slow": 31.0}, FetchSettings(read_timeout_s=30.0))
    ask(web, "/slow")
    [answer] = web.poll(60.0)
    assert isinstance(answer, Failure)
    assert (answer.kind, answer.elapsed_s) == (FailureKind.TIMEOUT, 30.0)
    assert clock.now_s() == 1_030.0


def test_the_request_head_is_what_the_live_web_sends() -> None:
    web, _ = make({"/a": 0.1}, FetchSettings(contact="me@example.org"))
    ask(web, "/a", etag='"x"')
    [answer] = web.poll(9.0)
    assert isinstance(answer, Response)
    lines = answer.request_head.split(b"\r\n")
    assert lines[:2] == [b"GET /a HTTP/1.1", b"Host: example.test"]
    assert b"+me@example.org" in answer.request_head
    assert b'If-None-Match: "x"' in lines
    assert answer.request_head.endswith(b"\r\n\r\n")


NOON, LATER = "Mon, 06 Nov 2023 12:00:00 GMT", "Mon, 06 Nov 2023 13:00:00 GMT"


@pytest.mark.parametrize(
    ("etag", "last_modified", "expected"),
    [
        ('"one"', None, True),
        ('W/"one"', None, True),
        ('"two", "one"', None, True),
        ("*", None, True),
        ('"two"', None, False),
        ('"two"', LATER, False),
        (None, NOON, True),
        (None, LATER, True),
        (None, "Mon, 06 Nov 2023 11:59:59 GMT", False),
        (None, "yesterday", False),
        (None, None, False),
    ],
)
def test_conditional_requests(etag: str | None, last_modified: str | None, expected: bool) -> None:
    served = Served(200, (HTML, ("ETag", '"one"'), ("Last-Modified", NOON)), b"words")
    assert (
        is_unmodified(page(parse_url(f"http://{HOST}/"), served), etag, last_modified) is expected
    )
    web = FrozenWeb(MemoryShelf({"/": served}, {}), VirtualClock(), FetchSettings())
    ask(web, "/", etag, last_modified)
    [answer] = web.poll(9.0)
    assert isinstance(answer, Response)
    assert answer.status == (304 if expected else 200)
    assert answer.body == (b"" if expected else b"words")
    assert answer.header("etag") == '"one"'
    assert answer.header("content-type") == (None if expected else "text/html")
