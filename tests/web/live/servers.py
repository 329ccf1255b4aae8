"""Servers on loopback that say exactly what a test wants them to say."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from shoal.testing.web import Served

Answer = Callable[[socket.socket, bytes], bool]
"""Gets a connection and a request head; says whether the connection stays open."""


@dataclass
class RawServer:
    """A thread a connection; each request head is handed to ``answer``."""

    listener: socket.socket
    answer: Answer
    tls: ssl.SSLContext | None = None
    requests: list[bytes] = field(default_factory=list)
    connections: list[socket.socket] = field(default_factory=list)

    @property
    def port(self) -> int:
        port: int = self.listener.getsockname()[1]
        return port

    @property
    def url(self) -> str:
        return f"{'https' if self.tls else 'http'}://127.0.0.1:{self.port}"

    def accept_for_ever(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                self.connections.append(connection)
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        # A client that hangs up on a hostile server is what most tests want to see.
        with suppress(OSError):
            if self.tls is not None:
                connection = self.tls.wrap_socket(connection, server_side=True)
                self.connections.append(connection)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            goes_on = True
            while goes_on:
                head = read_head(connection)
                if not head:
                    break
                self.requests.append(head)
                goes_on = self.answer(connection, head)
        connection.close()


def read_head(connection: socket.socket) -> bytes:
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        byte = connection.recv(1)
        if not byte:
            return b""
        head += byte
    return head


@contextmanager
def raw_server(answer: Answer, tls: ssl.SSLContext | None = None) -> Iterator[RawServer]:
    with socket.create_server(("127.0.0.1", 0), backlog=256) as listener:
        server = RawServer(listener, answer, tls)
        thread = threading.Thread(target=server.accept_for_ever, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            with suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            thread.join(5)
            for connection in server.connections:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
                connection.close()


def says(*parts: bytes, stays: bool = False) -> Answer:
    """Send these parts, whatever was asked."""

    def answer(connection: socket.socket, _head: bytes) -> bool:
        for part in parts:
            connection.sendall(part)
        return stays

    return answer


def whole(body: bytes, *headers: bytes, status: bytes = b"200 OK") -> bytes:
    """A well-formed answer."""
    lines = (b"HTTP/1.1 " + status, b"Content-Length: %d" % len(body), *headers)
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


def pages_answer(pages: Mapping[str, Served]) -> Answer:
    """Answers pages as an ordinary, kind server does."""

    def answer(connection: socket.socket, head: bytes) -> bool:
        target = head.split(b" ", 2)[1].decode("latin-1")
        page = pages.get(target, Served(404, (), b"not here"))
        lines = [f"HTTP/1.1 {page.status} Said"]
        lines += [f"{name}: {value}" for name, value in page.headers]
        if page.status not in (204, 304):
            lines.append(f"Content-Length: {len(page.body)}")
        connection.sendall("\r\n".join([*lines, "", ""]).encode("latin-1") + page.body)
        return True

    return answer
