"""LiveWeb keeps the contract of ports.Web."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack

import pytest

from shoal.clock import SystemClock
from shoal.settings import FetchSettings
from shoal.testing.web import OpenedWeb, Served, WebContract
from shoal.web.live import LiveWeb
from tests.web.live.servers import pages_answer, raw_server


class TestLiveWeb(WebContract):
    @pytest.fixture(autouse=True)
    def _ended(self) -> Iterator[None]:
        with ExitStack() as self.stack:
            yield

    def open_web(self, pages: Mapping[str, Served], settings: FetchSettings) -> OpenedWeb:
        server = self.stack.enter_context(raw_server(pages_answer(pages)))
        clock = SystemClock()
        return OpenedWeb(LiveWeb(settings, clock, parallel=8), server.url, clock)
