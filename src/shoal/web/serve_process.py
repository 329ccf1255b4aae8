"""What runs in the process that ``running_server`` begins: ``python -m shoal.web.serve_process``.

It reads its task (a length and a pickle, from the process that began it and nobody else) from
standard input, prints its address as one line, and ends when its input ends.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
import sys
from collections.abc import Callable

from shoal.ports import Shelf
from shoal.web.serve import Address, serve
from shoal.web.serve_connection import Serving


def main() -> None:
    # Ctrl-C reaches every process of a terminal; ours ends when the one that began it does.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    source = sys.stdin.buffer
    size_bytes = int.from_bytes(source.read(8), "big")
    task: tuple[Callable[[], Shelf], str, float] = pickle.loads(source.read(size_bytes))  # noqa: S301 - from our own parent
    make_shelf, host, delay_max_s = task
    shelf = make_shelf()
    try:
        asyncio.run(_serve(Serving(shelf, delay_max_s, None), host))
    finally:
        shelf.close()


async def _serve(serving: Serving, host: str) -> None:
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, ended.set)
    loop.add_reader(0, lambda: None if os.read(0, 4096) else ended.set())
    await serve(serving, host, 0, _announce, ended)


def _announce(address: Address) -> None:
    print(address.host, address.port, flush=True)


if __name__ == "__main__":
    main()
