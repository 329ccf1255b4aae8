"""The pages that all crawlers of the comparison fetch, and the nginx that serves them on loopback.

    python benches/peers/website.py FOLDER PAGES [BYTES]

writes them: ``FOLDER/pages`` is the root of the site, ``FOLDER/site.json`` says where to start.

The site is closed: the first PAGES pages that a breadth-first walk from the start page finds, with
every link to anything else (60,000 descriptions of images, other sites) turned into ``#``, and no
frames. With BYTES each page is cut off before the first tag that would go beyond. So each request
of each crawler is a page, a crawl ends when it has fetched all of them, and all crawlers fetch the
same pages, whatever their order.
"""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

from shoal.archive.reader import iter_responses
from shoal.lab.synthetic import open_synthetic
from shoal.model import Response
from shoal.url import BadUrl, Url, parse_url

SHARED = Path(os.environ.get("SHOAL_SHARED", Path(__file__).resolve().parents[2].parent / "shared"))
CORPUS = SHARED / "corpora" / "wiki.warc.gz"
CORPUS_START = "/wp/index/subject.htm"
LONELY = "/one-page-without-links.htm"
"""What a crawl of one page fetches: the start page with every link closed."""
# Duplicates and pages that forbid to follow them would end Shoal's way, but not its peers'.
SYNTHETIC = (
    "synthetic:seed=1,pages={pages},hosts=40,duplicates=0,near_duplicates=0,soft_404=0,"
    "empty_pages=0,nofollow_pages=0,tunnel_min=0"
)

_HREF = re.compile(rb'href="([^"#]*)(#[^"]*)?"')
# Shoal follows frames and its peers do not, so there are none.
_FRAME = re.compile(rb"<i?frame\b[^>]*>", re.IGNORECASE)
_CONFIG = """
daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log; worker_processes 1; {user}
events {{ worker_connections 1024; }}
http {{
  include /etc/nginx/mime.types; default_type text/html; sendfile on; tcp_nodelay on;
  log_format asked '$status $uri'; access_log {folder}/access.log asked;
  keepalive_requests 1000000;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  server {{ listen 127.0.0.1:{port} backlog=1024; root {folder}/pages; }}
}}
"""

Find = Callable[[str], bytes | None]
"""The body of the HTML page at an address; None where there is none."""


# --------------------------------------------------------------------------- writing the site


def write_site(folder: Path, limit: int, page_bytes: int | None) -> None:
    find: Find
    if CORPUS.is_file():
        source, start, find = f"{CORPUS.name}, real pages", CORPUS_START, _corpus().get
    else:
        shelf = open_synthetic(SYNTHETIC.format(pages=limit * 2))
        source = f"made-up pages, because {CORPUS.name} is absent"
        start, find = shelf.start_url.text, _synthetic(shelf.find)
    if page_bytes is not None:
        source += f", each cut off after {page_bytes:,} bytes"
        find = _cut(find, page_bytes)
    pages = _walk(start, find, limit)
    for address, body in pages.items():
        closed = _HREF.sub(partial(_closed, address, pages), _FRAME.sub(b"", body))
        _write(folder, _local(address), closed)
    _write(folder, LONELY, _HREF.sub(b'href="#"', _FRAME.sub(b"", pages[start])))
    size_bytes = sum(map(len, pages.values()))
    site = {"source": source, "start": _local(start), "pages": len(pages), "bytes": size_bytes}
    (folder / "site.json").write_text(json.dumps(site), encoding="utf-8")


def _corpus() -> dict[str, bytes]:
    return {
        urlsplit(response.url.text).path: response.body
        for response in iter_responses(CORPUS)
        if _is_page(response) and b"<html" in response.body[:2000].lower()
    }


def _is_page(response: Response) -> bool:
    media_type = response.header("content-type") or ""
    return response.status == 200 and media_type.startswith("text/html")


def _synthetic(find: Callable[[Url], Response | None]) -> Find:
    def body(address: str) -> bytes | None:
        try:
            response = find(parse_url(address))
        except BadUrl:
            return None
        if response is None or not _is_page(response):
            return None
        return response.body

    return body


def _cut(find: Find, page_bytes: int) -> Find:
    def beginning(address: str) -> bytes | None:
        body = find(address)
        if body is None or len(body) <= page_bytes:
            return body
        return body[: body.rfind(b"<", 0, page_bytes)]

    return beginning


def _walk(start: str, find: Find, limit: int) -> dict[str, bytes]:
    """The first ``limit`` pages from ``start``, breadth first."""
    pages: dict[str, bytes] = {}
    seen, queue = {start}, [start]
    for address in queue:
        body = find(address)
        if body is None:
            continue
        pages[address] = body
        if len(pages) == limit:
            break
        for link in _HREF.finditer(body):
            target = _target(address, link[1])
            if target not in seen:
                seen.add(target)
                queue.append(target)
    return pages


def _target(address: str, href: bytes) -> str:
    return _join(address.rpartition("/")[0] + "/", href) if href else address


@lru_cache(maxsize=500_000)
def _join(folder: str, href: bytes) -> str:
    try:
        return urljoin(folder, html.unescape(href.decode("utf-8", "replace")))
    except ValueError:
        return "not an address"


def _closed(address: str, pages: dict[str, bytes], link: re.Match[bytes]) -> bytes:
    target = _target(address, link[1])
    if not link[1] or target not in pages:
        return b'href="#"'
    return link[0] if target.startswith("/") else f'href="{_local(target)}"'.encode()


def _local(address: str) -> str:
    """The path of an address on our one host."""
    if address.startswith("/"):
        return address
    parts = urlsplit(address)
    tail = parts.path + (f"-{parts.query}" if parts.query else "")
    return f"/{parts.hostname}{tail}".rstrip("/") + "/page.htm"


def _write(folder: Path, path: str, body: bytes) -> None:
    target = folder / "pages" / unquote(path).lstrip("/")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(body)


# --------------------------------------------------------------------------- serving it


@contextmanager
def running_nginx(folder: Path) -> Iterator[str]:
    """nginx over ``folder/pages`` on a free loopback port; ended when the block ends.

    ``folder/access.log`` gets a line a request: the status and the path.
    """
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if program is None:
        raise SystemExit("the comparison needs nginx: apt-get install nginx-light")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    # The worker of a privileged nginx would be another user, who may not read a temporary folder.
    user = "user root;" if os.geteuid() == 0 else ""
    config = folder / "nginx.conf"
    config.write_text(_CONFIG.format(folder=folder, port=port, user=user), encoding="utf-8")
    process = subprocess.Popen([program, "-c", config, "-p", folder, "-e", folder / "error.log"])
    try:
        _wait_for(port)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(10)


def _wait_for(port: int) -> None:
    for _ in range(100):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise SystemExit("nginx did not start")


if __name__ == "__main__":
    write_site(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]) if sys.argv[3:] else None)
