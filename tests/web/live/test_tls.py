"""TLS and HTTP/2, with certificates made for the test."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest
import trustme
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import RequestReceived

from shoal.model import Cut, Failure, FailureKind, Request, Response
from shoal.url import parse_url
from tests.web.live.asking import LOCAL, ask, live_web, wait_for
from tests.web.live.servers import raw_server, says, whole


class Authority:
    """A certificate authority, and servers it vouches for."""

    def __init__(self, folder: Path) -> None:
        self._authority = trustme.CA()
        self.file = folder / "authority.pem"
        self._authority.cert_pem.write_to_path(str(self.file))

    def server(self, *protocols: str, name: str = "127.0.0.1") -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._authority.issue_cert(name).configure_cert(context)
        if protocols:
            context.set_alpn_protocols(list(protocols))
        return context


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("tls"))


def h2_answer(
    headers: list[tuple[str, str]], body: bytes, *, is_whole: bool = True
) -> Callable[[socket.socket], None]:
    """Serve one HTTP/2 connection: the same answer to every request."""

    def serve(connection: socket.socket) -> None:
        h2 = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8"))
        h2.initiate_connection()
        connection.sendall(h2.data_to_send())
        while data := connection.recv(65_536):
            for event in h2.receive_data(data):
                if isinstance(event, RequestReceived):
                    h2.send_headers(event.stream_id, headers)
                    h2.send_data(event.stream_id, body, end_stream=is_whole)
                    if not is_whole:
                        h2.reset_stream(event.stream_id, ErrorCodes.INTERNAL_ERROR)
            connection.sendall(h2.data_to_send())

    return serve


@contextmanager
def h2_server(
    context: ssl.SSLContext, serve: Callable[[socket.socket], None]
) -> Iterator[tuple[str, list[socket.socket]]]:
    connections: list[socket.socket] = []

    def one(connection: socket.socket) -> None:
        with suppress(OSError), context.wrap_socket(connection, server_side=True) as secured:
            connections.append(secured)
            serve(secured)

    def accept() -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=one, args=(listener.accept()[0],), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        try:
            yield f"https://127.0.0.1:{listener.getsockname()[1]}", connections
        finally:
            with suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            thread.join(5)
            for connection in connections:
                connection.close()


def test_an_unknown_authority_is_a_tls_failure(authority: Authority) -> None:
    with raw_server(says(whole(b"words")), authority.server()) as server, live_web() as web:
        answer = ask(web, server.url)
    assert isinstance(answer, Failure), answer
    assert answer.kind is FailureKind.TLS, answer
    assert "certificate" in answer.message


def test_another_hosts_certificate_is_a_tls_failure(authority: Authority) -> None:
    tls = authority.server(name="other.example")
    with (
        raw_server(says(whole(b"words")), tls) as server,
        live_web(certificates=authority.file) as web,
    ):
        answer = ask(web, server.url)
    assert isinstance(answer, Failure), answer
    assert answer.kind is FailureKind.TLS, answer


def test_no_tls_where_tls_was_asked_for_is_a_tls_failure() -> None:
    with raw_server(says(b"nonsense")) as server, live_web() as web:

        def speak_first() -> None:
            with suppress(OSError):
                server.connections[0].sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        web.start(Request(parse_url(server.url.replace("http:", "https:"))))
        web.poll(0.2)
        speak_first()
        [answer] = wait_for(web)
    assert isinstance(answer, Failure), answer
    assert answer.kind is FailureKind.TLS, answer


def test_a_known_authority_is_trusted(authority: Authority) -> None:
    with (
        raw_server(says(whole(b"words"), stays=True), authority.server()) as server,
        live_web(certificates=authority.file) as web,
    ):
        for _ in range(3):
            answer = ask(web, server.url)
            assert isinstance(answer, Response), answer
            assert answer.body == b"words"
            assert answer.http_version == "1.1"
            assert answer.request_head == server.requests[-1]


def test_http2_is_spoken_where_it_is_offered(authority: Authority) -> None:
    serve = h2_answer([(":status", "200"), ("content-type", "text/html"), ("x-odd", "a")], b"words")
    with (
        h2_server(authority.server("h2", "http/1.1"), serve) as (url, connections),
        live_web(certificates=authority.file) as web,
    ):
        for _ in range(3):
            answer = ask(web, url + "/page")
            assert isinstance(answer, Response), answer
            assert answer.http_version == "2"
            assert answer.head == b"HTTP/2 200 \r\ncontent-type: text/html\r\nx-odd: a\r\n\r\n"
            assert answer.header("x-odd") == "a"
            assert answer.body == b"words"
            assert answer.request_head.startswith(b"GET /page HTTP/2\r\nHost: 127.0.0.1:")
        for _ in range(5):
            web.start(Request(parse_url(url + "/page")))
        assert all(isinstance(answer, Response) for answer in wait_for(web, 5))
        assert len(connections) == 1


def test_http2_bodies_and_types_are_bounded_too(authority: Authority) -> None:
    headers = [(":status", "200"), ("content-type", "text/html")]
    with (
        h2_server(authority.server("h2"), h2_answer(headers, b"w" * 10_000)) as (url, _),
        live_web(replace(LOCAL, body_limit_bytes=100), certificates=authority.file) as web,
    ):
        answer = ask(web, url)
        assert isinstance(answer, Response), answer
        assert (answer.body, answer.cut) == (b"w" * 100, Cut.LENGTH)
        web.start(Request(parse_url(url), accept=("image/png",)))
        [answer] = wait_for(web)
        assert isinstance(answer, Failure), answer
        assert answer.kind is FailureKind.UNWANTED_TYPE, answer


def test_an_http2_stream_that_is_reset_keeps_what_came(authority: Authority) -> None:
    serve = h2_answer([(":status", "200"), ("content-type", "text/html")], b"wor", is_whole=False)
    with (
        h2_server(authority.server("h2"), serve) as (url, _),
        live_web(certificates=authority.file) as web,
    ):
        answer = ask(web, url)
    assert isinstance(answer, Response), answer
    assert answer.cut is Cut.DISCONNECT


def test_http2_can_be_turned_off(authority: Authority) -> None:
    tls = authority.server("h2", "http/1.1")
    with (
        raw_server(says(whole(b"words")), tls) as server,
        live_web(replace(LOCAL, http2=False), certificates=authority.file) as web,
    ):
        answer = ask(web, server.url)
    assert isinstance(answer, Response), answer
    assert answer.http_version == "1.1"


def test_a_tunnel_through_a_proxy_is_used_again(authority: Authority) -> None:
    def relay(source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                target.sendall(data)

    def tunnel(connection: socket.socket, head: bytes) -> bool:
        host, _, port = head.split(b" ", 2)[1].decode().rpartition(":")
        with socket.create_connection((host, int(port))) as upstream:
            connection.sendall(b"HTTP/1.1 200 Tunnel\r\nContent-Type: video/mp4\r\n\r\n")
            threading.Thread(target=relay, args=(upstream, connection), daemon=True).start()
            relay(connection, upstream)
        return False

    with (
        raw_server(says(whole(b"words", b"X-Site: 1"), stays=True), authority.server()) as site,
        raw_server(tunnel) as proxy,
        live_web(
            replace(LOCAL, proxy=f"http://127.0.0.1:{proxy.port}"), certificates=authority.file
        ) as web,
    ):
        for _ in range(3):
            answer = ask(web, site.url)
            assert isinstance(answer, Response), answer
            assert answer.body == b"words"
            assert answer.header("x-site") == "1"
            assert b"Tunnel" not in answer.head
            assert answer.request_head == site.requests[-1]
        assert len(proxy.requests) == 1
