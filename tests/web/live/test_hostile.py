"""Servers that do wrong: each comes back as one Response or Failure, within its bounds."""

from __future__ import annotations

import gzip
import resource
import socket
import struct
import time
import zlib
from dataclasses import replace

import brotli
import pytest
import zstandard

from shoal.model import Cut, FailureKind, Response
from tests.web.live.asking import LOCAL, ask, failure, fetched, live_web, response
from tests.web.live.servers import Answer, raw_server, says, whole

HTML = b"Content-Type: text/html"
HASTY = replace(LOCAL, read_timeout_s=1.0, total_timeout_s=1.5)


def endless(first: bytes, again: bytes, pause_s: float = 0.0) -> Answer:
    def answer(connection: socket.socket, _head: bytes) -> bool:
        connection.sendall(first)
        while True:
            connection.sendall(again)
            time.sleep(pause_s)

    return answer


def silent(first: bytes = b"") -> Answer:
    def answer(connection: socket.socket, _head: bytes) -> bool:
        connection.sendall(first)
        return bool(connection.recv(1))

    return answer


def resets(first: bytes) -> Answer:
    def answer(connection: socket.socket, _head: bytes) -> bool:
        connection.sendall(first)
        time.sleep(0.05)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return False

    return answer


# --------------------------------------------------------------------------- time


def test_headers_that_drip_end_in_time() -> None:
    with raw_server(endless(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n", 0.05)) as server:
        answer = failure(server.url, HASTY)
    assert answer.kind is FailureKind.TIMEOUT
    assert 0.9 < answer.elapsed_s < 3


def test_silence_ends_in_time() -> None:
    with raw_server(silent()) as server:
        answer = failure(server.url, replace(LOCAL, read_timeout_s=1.0))
    assert answer.kind is FailureKind.TIMEOUT
    assert answer.elapsed_s < 4
    assert answer.ip == "127.0.0.1"


def test_a_body_that_stops_keeps_what_came() -> None:
    with raw_server(silent(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nsome")) as server:
        answer = response(server.url, replace(LOCAL, read_timeout_s=1.0))
    assert (answer.body, answer.cut) == (b"some", Cut.TIME)


def test_a_body_that_drips_keeps_what_came() -> None:
    dripping = endless(b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n", b"ab", 0.05)
    with raw_server(dripping) as server:
        answer = response(server.url, replace(LOCAL, total_timeout_s=1.0))
    assert answer.cut is Cut.TIME
    assert 10 < len(answer.body) < 60


def test_nobody_listening_is_a_connect_failure() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert failure(f"http://127.0.0.1:{port}/").kind is FailureKind.CONNECT


def test_a_name_that_does_not_exist_is_a_dns_failure() -> None:
    def nowhere(host: str) -> tuple[str, ...]:
        raise OSError(f"no {host}")

    with live_web(resolver=nowhere) as web:
        answer = ask(web, "http://nowhere.example/")
    assert not isinstance(answer, Response)
    assert answer.kind is FailureKind.DNS
    assert "no nowhere.example" in answer.message


# --------------------------------------------------------------------------- size


def test_endless_headers_are_refused() -> None:
    with raw_server(endless(b"HTTP/1.1 200 OK\r\n", b"X-Flood: yes\r\n" * 100)) as server:
        assert failure(server.url).kind is FailureKind.HEADERS_TOO_LARGE


def test_one_endless_header_is_refused() -> None:
    with raw_server(endless(b"HTTP/1.1 200 OK\r\nX-Flood: ", b"x" * 10_000)) as server:
        assert failure(server.url).kind is FailureKind.HEADERS_TOO_LARGE


def test_endless_informational_heads_are_refused() -> None:
    with raw_server(endless(b"", b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" * 50)) as server:
        answer = failure(server.url)
    assert answer.kind in (FailureKind.HEADERS_TOO_LARGE, FailureKind.PROTOCOL)


def test_endless_trailers_keep_the_body() -> None:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nwords\r\n0\r\n"
    with raw_server(endless(head, b"X-Trailer: yes\r\n" * 100)) as server:
        answer = response(server.url)
    assert answer.body == b"words"
    assert answer.cut is not None
    assert b"Trailer" not in answer.head


@pytest.mark.parametrize(
    ("first", "again"),
    [
        (b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 10_000),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n", b"x" * 10_000),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n" * 1_000),
        (
            b"HTTP/1.1 500 Oh\r\nTransfer-Encoding: chunked\r\n\r\n",
            b"3e8\r\n" + b"x" * 1000 + b"\r\n",
        ),
    ],
)
def test_endless_bodies_are_cut(first: bytes, again: bytes) -> None:
    with raw_server(endless(first, again)) as server:
        answer = response(server.url, replace(LOCAL, body_limit_bytes=100_000))
    assert answer.body == b"x" * 100_000
    assert answer.cut is Cut.LENGTH


def gzip_bomb() -> bytes:
    """1 GB of zeros in 1 MB: after a full flush a deflate block may stand any number of times."""
    packer = zlib.compressobj(9, wbits=31)
    header = packer.compress(b"") + packer.flush(zlib.Z_FULL_FLUSH)
    return header + 1_000 * (packer.compress(bytes(1_000_000)) + packer.flush(zlib.Z_FULL_FLUSH))


def test_bombs_stop_at_the_limit() -> None:
    bombs = {
        b"gzip": gzip_bomb(),
        b"zstd": zstandard.compress(bytes(10_000_000)) * 100,
        b"br": brotli.compress(bytes(100_000_000), quality=3),
    }
    before_bytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    for coding, bomb in bombs.items():
        with raw_server(says(whole(bomb, HTML, b"Content-Encoding: " + coding))) as server:
            began_s = time.process_time()
            answer = response(server.url, replace(LOCAL, body_limit_bytes=10_000_000))
            assert time.process_time() - began_s < 4.0
        assert len(answer.payload) == len(bomb)
        assert answer.body == bytes(10_000_000)
        assert answer.cut is Cut.LENGTH
    after_bytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    assert after_bytes - before_bytes < 100_000_000


# --------------------------------------------------------------------------- nonsense


@pytest.mark.parametrize(
    "sent",
    [
        b"nonsense\r\n\r\nwords",
        b"<html>HTTP/0.9 words</html>",
        b"HTTP/9.9 200 OK\r\n\r\nwords",
        b"HTTP/1.1 abc OK\r\n\r\nwords",
        b"\x00\x01\x02\x03" * 100,
        b"\x16\x03\x01\x02\x00\x01",
        b"HTTP/1.1 200 OK\r\nX-Nul: a\x00b\r\nContent-Length: 5\r\n\r\nwords",
        b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nwords",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nwords",
        b"HTTP/1.1 200 OK\r\nno colon here\r\nContent-Length: 5\r\n\r\nwords",
        b"HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nwords",
        b"HTTP/1.1 200 OK\nContent-Length: 5\n\nwords",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nwords",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n5\r\nwords\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: odd\r\n\r\nwords",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nwords",
        b"HTTP/1.1 100 Continue\r\n\r\n",
        b"\r\n\r\n\r\n",
        b"",
    ],
)
def test_nonsense_is_one_answer(sent: bytes) -> None:
    with raw_server(says(sent)) as server:
        answer = fetched(server.url)
    if isinstance(answer, Response):
        assert answer.status == 200
        assert answer.head.startswith(b"HTTP/1.1 200")
        assert answer.body in (b"words", b"")
    else:
        assert answer.kind in (FailureKind.PROTOCOL, FailureKind.DISCONNECT)
        assert answer.message


@pytest.mark.parametrize("first", [b"", b"HTTP/1.1 200 OK\r\nContent-Ty"])
def test_a_reset_before_the_body_is_a_failure(first: bytes) -> None:
    with raw_server(resets(first)) as server:
        assert failure(server.url).kind is FailureKind.DISCONNECT


@pytest.mark.parametrize(
    "sent",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nwords",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n32\r\nwords",
    ],
)
def test_a_disconnect_within_the_body_keeps_what_came(sent: bytes) -> None:
    for answer_with in (says(sent), resets(sent)):
        with raw_server(answer_with) as server:
            answer = response(server.url)
        assert (answer.body, answer.cut) == (b"words", Cut.DISCONNECT)


def test_a_content_length_that_is_too_small_gives_the_beginning() -> None:
    with raw_server(says(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwords and more")) as server:
        answer = response(server.url)
    assert answer.body == b"words"


def test_a_gzip_stream_that_breaks_gives_its_beginning() -> None:
    packed = gzip.compress(bytes(range(256)) * 400)
    with raw_server(says(whole(packed[:-300], b"Content-Encoding: gzip"))) as server:
        answer = response(server.url)
    assert answer.payload == packed[:-300]
    assert (bytes(range(256)) * 400).startswith(answer.body)
    assert answer.body


def test_informational_heads_are_skipped() -> None:
    early = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
    with raw_server(says(early + whole(b"words", HTML))) as server:
        answer = response(server.url)
    assert answer.head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b"Link" not in answer.head
    assert answer.body == b"words"


def test_a_redirect_to_itself_is_a_plain_response() -> None:
    with raw_server(says(whole(b"", b"Location: /", status=b"302 Found"))) as server:
        answer = response(server.url)
        assert len(server.requests) == 1
    assert answer.status == 302


def test_odd_headers_are_read_as_they_are() -> None:
    odd = (b"X-Latin: caf\xe9", b"Set-Cookie: a=1", b"Set-Cookie: b=2", b"X-Folded: one\r\n two")
    with raw_server(says(whole(b"words", *odd))) as server:
        answer = response(server.url)
    assert answer.header("x-latin") == "café"
    assert answer.header_values("set-cookie") == ("a=1", "b=2")
    assert answer.header("x-folded") == "one two"
    assert b"caf\xe9" in answer.head


def test_an_unwanted_type_ends_the_transfer_early() -> None:
    video = b"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\n"
    with raw_server(endless(video, b"x" * 10_000)) as server:
        answer = failure(server.url)
    assert (answer.kind, answer.status) == (FailureKind.UNWANTED_TYPE, 200)
    assert "video/mp4" in answer.message
