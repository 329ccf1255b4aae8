"""Short ways to ask a live Web for one thing."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from shoal.clock import SystemClock
from shoal.model import Failure, Fetched, Request, Response
from shoal.settings import FetchSettings
from shoal.url import parse_url
from shoal.web.dns import Lookup, system_lookup
from shoal.web.live import LiveWeb

LOCAL = FetchSettings(
    allow_private=True,
    body_limit_bytes=1_000_000,
    header_limit_bytes=65_536,
    connect_timeout_s=10.0,
    read_timeout_s=10.0,
    total_timeout_s=20.0,
)


@contextmanager
def live_web(
    settings: FetchSettings = LOCAL,
    *,
    parallel: int = 4,
    resolver: Lookup = system_lookup,
    certificates: Path | None = None,
) -> Iterator[LiveWeb]:
    web = LiveWeb(settings, SystemClock(), parallel, resolver, certificates)
    try:
        yield web
    finally:
        web.close()


def wait_for(web: LiveWeb, count: int = 1, patience_s: float = 40.0) -> list[Fetched]:
    answers: list[Fetched] = []
    end_s = time.monotonic() + patience_s
    while len(answers) < count:
        assert time.monotonic() < end_s, f"{len(answers)} of {count} answers came"
        answers += web.poll(0.5)
    assert len(answers) == count
    return answers


def ask(web: LiveWeb, url: str) -> Fetched:
    web.start(Request(parse_url(url)))
    return wait_for(web)[0]


def fetched(url: str, settings: FetchSettings = LOCAL) -> Fetched:
    with live_web(settings) as web:
        return ask(web, url)


def response(url: str, settings: FetchSettings = LOCAL) -> Response:
    answer = fetched(url, settings)
    assert isinstance(answer, Response), answer
    return answer


def failure(url: str, settings: FetchSettings = LOCAL) -> Failure:
    answer = fetched(url, settings)
    assert isinstance(answer, Failure), answer
    return answer
