"""The cap on what a whole crawl receives."""

from __future__ import annotations

import time
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from shoal.model import Cut, Request, Response
from shoal.url import parse_url
from shoal.web.bandwidth import Bandwidth
from tests.web.live.asking import LOCAL, live_web, wait_for
from tests.web.live.servers import raw_server, says, whole


@given(st.lists(st.tuples(st.integers(1, 5_000), st.floats(0, 3)), max_size=50))
def test_no_stretch_of_time_gets_more_than_its_share(takes: list[tuple[int, float]]) -> None:
    bandwidth = Bandwidth(1_000)
    now_s = 100.0
    taken_bytes = 0
    for size_bytes, pause_s in takes:
        now_s += pause_s + bandwidth.wait_s(now_s + pause_s)
        assert taken_bytes <= 1_000 * (now_s - 100.0) + 100 + 1
        bandwidth.take(size_bytes, now_s)
        taken_bytes += size_bytes


def test_what_is_not_used_is_not_saved_up() -> None:
    bandwidth = Bandwidth(1_000)
    assert bandwidth.wait_s(0.0) == 0.0
    bandwidth.take(1_100, 1_000.0)
    assert bandwidth.wait_s(1_000.0) == 1.0
    assert bandwidth.wait_s(1_000.5) == 0.5


def test_a_crawl_keeps_to_its_bandwidth() -> None:
    limit_bytes_s = 2_000_000
    page = bytes(100_000)
    settings = replace(LOCAL, bandwidth_bytes_s=limit_bytes_s)
    with (
        raw_server(says(whole(page), stays=True)) as server,
        live_web(settings, parallel=8) as web,
    ):
        began_s = time.monotonic()
        for _ in range(40):
            web.start(Request(parse_url(server.url)))
        answers = wait_for(web, 40)
        took_s = time.monotonic() - began_s
    assert all(isinstance(answer, Response) and answer.body == page for answer in answers)
    assert 0.9 * limit_bytes_s < 40 * len(page) / took_s < 1.1 * limit_bytes_s


def test_a_body_limit_holds_under_a_bandwidth_too() -> None:
    settings = replace(LOCAL, bandwidth_bytes_s=1_000_000, body_limit_bytes=150_000)
    with raw_server(says(whole(bytes(400_000)))) as server, live_web(settings) as web:
        for _ in range(4):
            web.start(Request(parse_url(server.url)))
        for answer in wait_for(web, 4):
            assert isinstance(answer, Response)
            assert (len(answer.body), answer.cut) == (150_000, Cut.LENGTH)


def test_waiting_for_bandwidth_costs_little_cpu() -> None:
    settings = replace(LOCAL, bandwidth_bytes_s=100_000)
    with raw_server(says(whole(bytes(100_000)))) as server, live_web(settings, parallel=8) as web:
        for _ in range(8):
            web.start(Request(parse_url(server.url)))
        web.poll(0.2)
        began_s = time.process_time()
        web.poll(0.5)
        assert time.process_time() - began_s < 0.3
