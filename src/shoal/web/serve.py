"""A Shelf as a real HTTP server, and as an HTTP proxy, so that any client can crawl it.

What is promised:

1. As a proxy (``GET http://host/path``) and as a plain server (``Host: host``) every page of the
   Shelf is answered as it was captured, payload and content coding included; the headers of the
   one connection (lengths, chunks, keep-alive) are this server's own.
2. HEAD, conditional requests, keep-alive and pipelining work; HTTPS cannot (nobody has the hosts'
   keys), and CONNECT is told so.
3. Whatever a client sends, memory stays bounded and other clients are served.
4. ``running_server`` serves from a process of its own, which is gone when the block ends, or when
   the process that began it dies.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from typing import NamedTuple

from shoal.ports import Shelf
from shoal.web.serve_connection import Access, Serving, ShelfConnection

__all__ = ["Access", "Address", "ServerDown", "running_server", "serve_shelf"]

_STARTING_S = 60.0
_ENDING_S = 5.0


class Address(NamedTuple):
    """Where a server listens."""

    host: str
    port: int

    @property
    def url(self) -> str:
        """As a client's proxy setting takes it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"


def serve_shelf(
    shelf: Shelf,
    host: str = "127.0.0.1",
    port: int = 0,
    *,
    delay_max_s: float = 0.0,
    on_ready: Callable[[Address], None] | None = None,
    on_access: Callable[[Access], None] | None = None,
) -> None:
    """Serve until interrupted (SIGINT or SIGTERM). Port 0 is any free one: ``on_ready`` is told.

    An answer waits as long as its ``elapsed_s`` says, ``delay_max_s`` at most; 0 is no waiting.
    Raises OSError where the address cannot be had. Call it in the main thread.
    """
    serving = Serving(shelf, delay_max_s, on_access)
    asyncio.run(_serve_until_signalled(serving, host, port, on_ready))


@contextlib.contextmanager
def running_server(
    make_shelf: Callable[[], Shelf], host: str = "127.0.0.1", *, delay_max_s: float = 0.0
) -> Iterator[Address]:
    """A server in a process of its own, for tests and demonstrations.

    ``make_shelf`` opens the Shelf over there, so it must be picklable and importable:
    ``functools.partial(open_shelf, "wiki.warc.gz")``. Raises ServerDown with the reason where it
    does not come up.
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    with tempfile.TemporaryFile() as complaints:
        process = subprocess.Popen(
            [sys.executable, "-m", "shoal.web.serve_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=complaints,
            env=environment,
        )
        try:
            address = _begun(process, pickle.dumps((make_shelf, host, delay_max_s)))
            if address is None:
                process.wait(_ENDING_S)
                complaints.seek(0)
                raise ServerDown(complaints.read().decode("utf-8", "replace").strip())
            yield address
        finally:
            _end(process)


class ServerDown(RuntimeError):
    """The server's own process did not come up; the message is what it said."""


def _begun(process: subprocess.Popen[bytes], task: bytes) -> Address | None:
    """Hand the task over and wait for the address; None where there comes none."""
    assert process.stdin is not None
    assert process.stdout is not None
    too_late = threading.Timer(_STARTING_S, process.kill)
    too_late.start()
    try:
        process.stdin.write(len(task).to_bytes(8, "big") + task)
        process.stdin.flush()
        line = process.stdout.readline().decode()
    except BrokenPipeError:
        return None
    finally:
        too_late.cancel()
    name, _, port = line.strip().rpartition(" ")
    return Address(name, int(port)) if port.isdigit() else None


def _end(process: subprocess.Popen[bytes]) -> None:
    # The end of its input is the sign to end; a process that does not see it is killed.
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(BrokenPipeError):
                pipe.close()
    try:
        process.wait(_ENDING_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


async def serve(
    serving: Serving,
    host: str,
    port: int,
    on_ready: Callable[[Address], None] | None,
    ended: asyncio.Event,
) -> None:
    """Serve until ``ended`` is set."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: ShelfConnection(serving), host, port, backlog=1024)
    try:
        if on_ready is not None:
            name, number = server.sockets[0].getsockname()[:2]
            on_ready(Address(name, number))
        await ended.wait()
    finally:
        server.close()


async def _serve_until_signalled(
    serving: Serving, host: str, port: int, on_ready: Callable[[Address], None] | None
) -> None:
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    await serve(serving, host, port, on_ready, ended)
