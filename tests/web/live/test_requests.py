"""What LiveWeb sends, and what it keeps of its connections."""

from __future__ import annotations

import socket
import threading
import time
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import pytest

from shoal.clock import SystemClock
from shoal.model import Failure, FailureKind, Request, Response
from shoal.settings import FetchSettings
from shoal.url import parse_url
from shoal.web.live import LiveWeb
from shoal.web.terms import user_agent
from tests.web.live.asking import LOCAL, ask, live_web, response, wait_for
from tests.web.live.servers import raw_server, says, whole

HTML = b"Content-Type: text/html"


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir())) if Path("/proc/self/fd").exists() else 0


def test_the_request_head_is_what_was_sent() -> None:
    with raw_server(says(whole(b"words"), stays=True)) as server, live_web() as web:
        for path in ("/", "/a/../b?x=1&y=%20", "/%C3%A9", "/a|b", "/%7Euser/"):
            answer = ask(web, server.url + path)
            assert isinstance(answer, Response)
            assert answer.request_head == server.requests[-1]
            assert answer.request_head.startswith(f"GET {answer.url.target} HTTP/1.1\r\n".encode())


def test_every_coding_we_undo_is_offered() -> None:
    with raw_server(says(whole(b"words"))) as server:
        answer = response(server.url)
    assert b"\r\nAccept-Encoding: gzip, br, zstd, deflate\r\n" in answer.request_head


def test_a_conditional_request_is_one_and_the_next_is_not() -> None:
    with raw_server(says(whole(b"words"), stays=True)) as server, live_web(parallel=1) as web:
        url = parse_url(server.url)
        for request in (
            Request(url, etag='W/"a\xe9"', last_modified="Mon, 01 Jan 2024 00:00:00 GMT"),
            Request(url, etag='"x\r\nX-Injected: yes"', last_modified="caf€"),
            Request(url, accept=("image/*",)),
            Request(url),
        ):
            web.start(request)
            [answer] = wait_for(web)
            assert isinstance(answer, Response)
            assert answer.request_head == server.requests[-1]
    first, unsendable, image, plain = server.requests
    assert b'\r\nIf-None-Match: W/"a\xe9"\r\n' in first
    assert b"\r\nIf-Modified-Since: Mon, 01 Jan 2024 00:00:00 GMT\r\n" in first
    assert unsendable == plain
    assert b"\r\nAccept: image/*, */*;q=0.1\r\n" in image
    assert b"If-" not in plain


@pytest.mark.parametrize(
    ("settings", "agent"),
    [
        (FetchSettings(), "Shoal/{version}"),
        (FetchSettings(contact="me@a.example"), "Shoal/{version} (+me@a.example)"),
        (FetchSettings(user_agent="Own ({contact}) x"), "Own () x"),
        (FetchSettings(user_agent="Own/1 {odd}"), "Own/1 {odd}"),
    ],
)
def test_the_user_agent_is_filled_in(settings: FetchSettings, agent: str) -> None:
    assert user_agent(settings) == agent.replace("{version}", version("shoal"))


def test_a_connection_is_used_again() -> None:
    with raw_server(says(whole(b"words"), stays=True)) as server, live_web() as web:
        for _ in range(10):
            assert isinstance(ask(web, server.url), Response)
        assert len(server.connections) == 1


def test_a_connection_that_was_closed_is_opened_anew() -> None:
    with raw_server(says(whole(b"words"))) as server, live_web() as web:
        for _ in range(5):
            assert isinstance(ask(web, server.url), Response)
        assert len(server.requests) == 5


def test_no_more_than_parallel_are_under_way() -> None:
    most = now = 0
    lock = threading.Lock()

    def answer(connection: socket.socket, _head: bytes) -> bool:
        nonlocal most, now
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.01)
        with lock:
            now -= 1
        connection.sendall(whole(b"words"))
        return True

    with raw_server(answer) as server, live_web(parallel=3) as web:
        for _ in range(20):
            web.start(Request(parse_url(server.url)))
        assert web.in_flight == 20
        wait_for(web, 20)
    assert most == 3


def test_a_body_limit_of_a_request_does_not_outlive_it() -> None:
    with raw_server(says(whole(b"w" * 1000), stays=True)) as server, live_web(parallel=1) as web:
        web.start(Request(parse_url(server.url), body_limit_bytes=10))
        assert [len(answer.body) for answer in wait_for(web) if isinstance(answer, Response)] == [
            10
        ]
        answer = ask(web, server.url)
        assert isinstance(answer, Response)
        assert (len(answer.body), answer.cut) == (1000, None)


def test_an_answer_knows_its_time_and_place() -> None:
    before_s = SystemClock().now_s()

    def slow(connection: socket.socket, _head: bytes) -> bool:
        time.sleep(0.1)
        connection.sendall(whole(b"words"))
        return False

    with raw_server(slow) as server:
        answer = response(server.url)
    assert 0.1 <= answer.elapsed_s < 1.0
    assert before_s - 0.1 <= answer.started_s <= SystemClock().now_s()
    assert answer.ip == "127.0.0.1"
    assert answer.http_version == "1.1"


def test_ip_of_learns_in_the_background() -> None:
    with live_web(resolver=lambda _host: ("192.0.2.7",)) as web:
        assert web.ip_of("127.0.0.1") == "127.0.0.1"
        assert web.ip_of("[::1]") == "::1"
        assert web.ip_of("a.example") is None
        end_s = time.monotonic() + 5
        while web.ip_of("a.example") is None and time.monotonic() < end_s:
            time.sleep(0.01)
        assert web.ip_of("a.example") == "192.0.2.7"


def test_a_name_server_that_hangs_is_given_up_and_holds_nobody_up() -> None:
    go_on = threading.Event()

    def lookup(host: str) -> tuple[str, ...]:
        if host == "slow.example":
            go_on.wait(10)
        return ("127.0.0.1",)

    settings = replace(LOCAL, connect_timeout_s=1.0)
    with raw_server(says(whole(b"words"))) as server:
        with live_web(settings, resolver=lookup) as web:
            web.start(Request(parse_url(f"http://slow.example:{server.port}/")))
            answer = ask(web, f"http://quick.example:{server.port}/")
            assert isinstance(answer, Response)
            [answer] = wait_for(web)
            assert isinstance(answer, Failure)
            assert answer.kind is FailureKind.DNS
            web.start(Request(parse_url(f"http://slow.example:{server.port}/")))
            began_s = time.monotonic()
            web.close()
            assert time.monotonic() - began_s < 0.5
        go_on.set()


def test_close_ends_everything_at_once_and_leaves_nothing_open() -> None:
    def silent(connection: socket.socket, _head: bytes) -> bool:
        return bool(connection.recv(1))

    before = descriptors()
    with raw_server(silent) as server:
        web = LiveWeb(LOCAL, SystemClock(), 20)
        for _ in range(30):
            web.start(Request(parse_url(server.url)))
        web.poll(0.1)
        began_s = time.monotonic()
        web.close()
        web.close()
        assert time.monotonic() - began_s < 1.0
        assert web.in_flight == 0
        with pytest.raises(RuntimeError):
            web.start(Request(parse_url(server.url)))
    end_s = time.monotonic() + 5
    while descriptors() > before and time.monotonic() < end_s:
        time.sleep(0.01)
    assert descriptors() <= before


def test_an_exception_in_between_leaves_a_web_that_works_and_closes() -> None:
    class Impatient(SystemClock):
        is_tired = False

        def now_s(self) -> float:
            if self.is_tired:
                raise KeyboardInterrupt
            return super().now_s()

    before = descriptors()
    clock = Impatient()
    with raw_server(says(whole(b"words"), stays=True)) as server:
        web = LiveWeb(LOCAL, clock, 4)
        for _ in range(8):
            web.start(Request(parse_url(server.url)))
        clock.is_tired = True
        with pytest.raises(KeyboardInterrupt):
            web.poll(1.0)
        clock.is_tired = False
        assert len(wait_for(web, 8)) == 8
        web.close()
    end_s = time.monotonic() + 5
    while descriptors() > before and time.monotonic() < end_s:
        time.sleep(0.01)
    assert descriptors() <= before


def test_poll_keeps_its_time_while_others_are_silent() -> None:
    def silent(connection: socket.socket, _head: bytes) -> bool:
        return bool(connection.recv(1))

    with raw_server(silent) as server, live_web() as web:
        web.start(Request(parse_url(server.url)))
        for timeout_s in (0.0, 0.05, 0.7):
            began_s = time.monotonic()
            assert not web.poll(timeout_s)
            assert timeout_s - 0.02 <= time.monotonic() - began_s < timeout_s + 1.0


def test_waiting_costs_no_cpu() -> None:
    with live_web() as web:
        began_s = time.process_time()
        web.poll(0.5)
        assert time.process_time() - began_s < 0.1
