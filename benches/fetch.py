"""Requests per second of CPU time: LiveWeb against a bare loop over pycurl's multi handle.

Both fetch the same 16 KB pages from one nginx on loopback, in turns, in this process. CPU time is
this process's own (``time.process_time``), so the figure is requests per second per core.

    python benches/fetch.py [--requests 20000] [--parallel 64] [--rounds 5]
"""

from __future__ import annotations

import argparse
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pycurl

from shoal.clock import SystemClock
from shoal.model import Request, Response
from shoal.settings import FetchSettings
from shoal.url import Url, parse_url
from shoal.web.live import LiveWeb

PAGE_BYTES = 16_384
PAGES = 100

NGINX = """
daemon off;
master_process off;
pid {folder}/pid;
error_log {folder}/errors;
events {{ worker_connections 1024; }}
http {{
  access_log off;
  keepalive_requests 10000000;
  types {{ text/html html; }}
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{ listen 127.0.0.1:{port}; root {folder}/pages; }}
}}
"""


@contextmanager
def nginx() -> Iterator[str]:
    """An nginx of our own on a private port; its base address."""
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if program is None:
        sys.exit("this bench needs nginx: apt-get install nginx-light")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "pages").mkdir()
        for number in range(PAGES):
            text = f"<p>page {number}</p>".encode().ljust(PAGE_BYTES, b"x")
            (folder / "pages" / f"{number}.html").write_bytes(text)
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        config = folder / "nginx.conf"
        config.write_text(NGINX.format(folder=folder, port=port))
        server = subprocess.Popen([program, "-c", config, "-p", folder, "-e", folder / "errors"])
        try:
            wait_for(port)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait(10)


def wait_for(port: int) -> None:
    for _ in range(100):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    sys.exit("nginx did not start")


def bare(urls: list[Url], requests: int, parallel: int, *, is_told: bool = False) -> None:
    """The least that a program can do with pycurl: keep every byte, look at none."""
    multi = pycurl.CurlMulti()
    multi.setopt(pycurl.M_MAXCONNECTS, parallel)
    kept: dict[pycurl.Curl, tuple[list[bytes], list[bytes]]] = {}
    texts = [url.text for url in urls]

    def begin(curl: pycurl.Curl, number: int) -> None:
        kept[curl] = ([], [])
        curl.setopt(pycurl.URL, texts[number % PAGES])
        curl.setopt(pycurl.HEADERFUNCTION, kept[curl][0].append)
        curl.setopt(pycurl.WRITEFUNCTION, kept[curl][1].append)
        if is_told:
            curl.setopt(pycurl.VERBOSE, 1)
            curl.setopt(pycurl.DEBUGFUNCTION, lambda _kind, _data: None)
        multi.add_handle(curl)

    started = ended = 0
    for _ in range(parallel):
        begin(pycurl.Curl(), started)
        started += 1
    while ended < requests:
        multi.perform()
        _, good, bad = multi.info_read()
        assert not bad, bad
        for curl in good:
            assert sum(map(len, kept.pop(curl)[1])) == PAGE_BYTES
            multi.remove_handle(curl)
            ended += 1
            if started < requests:
                begin(curl, started)
                started += 1
        if not good:
            multi.select(1.0)
    multi.close()


def told(urls: list[Url], requests: int, parallel: int) -> None:
    """The same, with libcurl telling which request head it sent, and all else that it tells."""
    bare(urls, requests, parallel, is_told=True)


def live(urls: list[Url], requests: int, parallel: int) -> None:
    """LiveWeb, with a Response made of every answer."""
    web = LiveWeb(FetchSettings(allow_private=True), SystemClock(), parallel)
    started = ended = 0
    while ended < requests:
        while started < requests and web.in_flight < parallel:
            web.start(Request(urls[started % PAGES]))
            started += 1
        for fetched in web.poll(1.0):
            assert isinstance(fetched, Response), fetched
            assert len(fetched.body) == PAGE_BYTES
            ended += 1
    web.close()


def rate(fetch: Callable[[list[Url], int, int], None], urls: list[Url], *sizes: int) -> float:
    """Requests per second of CPU time."""
    began_s = time.process_time()
    fetch(urls, *sizes)
    return sizes[0] / (time.process_time() - began_s)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--parallel", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    sizes = (asked.requests, asked.parallel)
    with nginx() as base:
        urls = [parse_url(f"{base}/{number}.html") for number in range(PAGES)]
        rounds = [
            [rate(fetch, urls, *sizes) for fetch in (bare, told, live)] for _ in range(asked.rounds)
        ]
    bare_rate, told_rate, live_rate = map(statistics.median, zip(*rounds, strict=True))
    print(f"bare pycurl multi   {bare_rate:9.0f} requests per CPU second")
    print(f"with DEBUGFUNCTION  {told_rate:9.0f}")
    print(f"LiveWeb             {live_rate:9.0f}")
    print(f"LiveWeb / bare      {live_rate / bare_rate:9.2f}")
    print(f"DEBUGFUNCTION costs {1e6 / told_rate - 1e6 / bare_rate:9.1f} µs a request")
    print(f"LiveWeb costs       {1e6 / live_rate - 1e6 / bare_rate:9.1f} µs a request")


if __name__ == "__main__":
    main()
