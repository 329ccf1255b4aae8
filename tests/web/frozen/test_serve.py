"""The server: as a proxy, as a plain server, and against clients that mean no good."""

from __future__ import annotations

import http.client
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.web.serve import Address, ServerDown, running_server
from tests.web.frozen.shelf_of import HOST, PAGES, broken_shelf, small_shelf


@pytest.fixture(scope="module")
def address() -> Iterator[Address]:
    with running_server(small_shelf) as address:
        yield address


@pytest.fixture
def client(address: Address) -> Iterator[http.client.HTTPConnection]:
    connection = http.client.HTTPConnection(address.host, address.port, timeout=10)
    yield connection
    connection.close()


def ask(
    client: http.client.HTTPConnection, target: str, method: str = "GET", **headers: str
) -> tuple[int, bytes, http.client.HTTPMessage]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    client.request(method, target, headers=named)
    answer = client.getresponse()
    return answer.status, answer.read(), answer.headers


def exchange(address: Address, sent: bytes) -> bytes:
    """Everything that comes back until the server hangs up."""
    with socket.create_connection(address, timeout=10) as connection:
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        pieces = []
        while piece := connection.recv(65_536):
            pieces.append(piece)
    return b"".join(pieces)


def test_as_a_proxy_and_as_a_server(client: http.client.HTTPConnection) -> None:
    with_port = f"{HOST}:{client.port}"
    for target, headers in (
        (f"http://{HOST}/", {}),
        ("/", {"Host": HOST}),
        ("/", {"Host": with_port}),
    ):
        status, body, answered = ask(client, target, **headers)
        assert (status, body) == (200, PAGES["/"].body)
        assert answered["content-type"] == "text/html"
        assert answered["content-length"] == str(len(body))


def test_redirects_and_absences_pass(client: http.client.HTTPConnection) -> None:
    status, _, headers = ask(client, f"http://{HOST}/moved")
    assert (status, headers["location"]) == (301, "/2")
    assert ask(client, f"http://{HOST}/robots.txt")[0] == 404
    assert ask(client, "http://elsewhere.test/")[0] == 404


def test_a_browser_on_the_bare_address_is_told_how_to_ask(
    client: http.client.HTTPConnection,
) -> None:
    status, body, _ = ask(client, "/")
    assert status == 404
    assert b"HTTP proxy" in body


def test_head_has_a_length_and_no_body(client: http.client.HTTPConnection) -> None:
    status, body, headers = ask(client, f"http://{HOST}/2", "HEAD")
    assert (status, body, headers["content-length"]) == (200, b"", "36000")
    assert ask(client, f"http://{HOST}/2")[1] == PAGES["/2"].body


def test_conditional_requests(client: http.client.HTTPConnection) -> None:
    status, body, headers = ask(client, f"http://{HOST}/", If_None_Match='"one"')
    assert (status, body, headers["etag"]) == (304, b"", '"one"')


def test_https_and_other_methods_are_told_what_to_do(
    client: http.client.HTTPConnection, address: Address
) -> None:
    answer = exchange(
        address, b"CONNECT example.test:443 HTTP/1.1\r\nHost: example.test:443\r\n\r\n"
    )
    assert answer.startswith(b"HTTP/1.1 501")
    assert b"with http: instead" in answer
    status, _, headers = ask(client, f"http://{HOST}/", "DELETE")
    assert (status, headers["allow"]) == (405, "GET, HEAD")


def test_captured_headers_that_http_forbids_are_left_out(
    client: http.client.HTTPConnection,
) -> None:
    status, body, headers = ask(client, f"http://{HOST}/odd")
    assert (status, body) == (200, b"odd headers")
    assert headers["transfer-encoding"] is None
    assert headers["x-odd"] is None
    assert headers["content-type"] == "text/html"


def test_pipelined_requests_are_answered_in_order(address: Address) -> None:
    one = f"GET http://{HOST}/2 HTTP/1.1\r\nHost: x\r\n\r\n".encode()
    two = f"GET http://{HOST}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode()
    answer = exchange(address, one * 20 + two)
    assert answer.count(b"HTTP/1.1 200") == 21
    assert answer.endswith(PAGES["/"].body)


@pytest.mark.parametrize(
    "sent",
    [
        b"nonsense\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nA: " + b"x" * 100_000,
        b"GET http:///// HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9000000\r\n\r\n" + b"x" * 2_000_000,
        b"\x16\x03\x01\x02\x00",
    ],
)
def test_bad_requests_are_refused(
    address: Address, client: http.client.HTTPConnection, sent: bytes
) -> None:
    try:
        answer = exchange(address, sent)
    except OSError:
        answer = b""  # the server hung up while we were still talking
    assert answer == b"" or answer.startswith(b"HTTP/1.1 4")
    assert ask(client, f"http://{HOST}/")[0] == 200


def test_silent_and_vanishing_clients_disturb_nobody(
    address: Address, client: http.client.HTTPConnection
) -> None:
    silent = [socket.create_connection(address, timeout=10) for _ in range(20)]
    for connection in silent[:10]:
        connection.sendall(f"GET http://{HOST}/2 HTTP/1.1\r\nHost: x\r\n\r\n".encode() * 50)
        connection.close()
    assert ask(client, f"http://{HOST}/")[0] == 200
    for connection in silent[10:]:
        connection.close()


def test_an_answer_waits_as_long_as_it_took() -> None:
    with running_server(small_shelf, delay_max_s=0.2) as address:
        began_s = time.monotonic()
        threads = [
            threading.Thread(
                target=exchange,
                args=(
                    address,
                    f"GET http://{HOST}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode(),
                ),
            )
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert 0.2 <= time.monotonic() - began_s < 1.5  # side by side, not one after another


def test_the_server_is_gone_afterwards() -> None:
    with running_server(small_shelf) as address:
        exchange(address, b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(address, timeout=5)


def test_a_shelf_that_cannot_be_opened_says_why() -> None:
    with pytest.raises(ServerDown, match="no such shelf here"), running_server(broken_shelf):
        pass


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_server_in_the_foreground_ends_when_told(number: signal.Signals) -> None:
    program = """
from shoal.web.serve import serve_shelf
from tests.web.frozen.shelf_of import small_shelf
serve_shelf(
    small_shelf(),
    on_ready=lambda address: print(address.port, flush=True),
    on_access=lambda access: print(access.method, access.target, access.status, flush=True),
)
"""
    with subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[3],
        text=True,
    ) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        request = f"GET http://{HOST}/2 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        exchange(Address("127.0.0.1", port), request.encode())
        assert process.stdout.readline() == f"GET http://{HOST}/2 200\n"
        process.send_signal(number)
        assert process.wait(10) == 0
