"""The pages that all crawlers of the comparison fetch: real ones from nginx on loopback."""

from __future__ import annotations

import html
import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

from shoal.archive.reader import iter_responses

CORPUS = Path(
    os.environ.get("SHOAL_SHARED", Path(__file__).resolve().parents[2].parent / "shared")
).joinpath("corpora", "wiki.warc.gz")

_CONFIG = """
daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log; worker_processes 1; user root;
events {{ worker_connections 1024; }}
http {{
  include /etc/nginx/mime.types; default_type text/html; access_log off; sendfile on;
  keepalive_requests 1000000; tcp_nodelay on;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  server {{ listen 127.0.0.1:{port} backlog=1024; root {folder}/pages; }}
}}
"""


_HREF = re.compile(rb'href="([^"#]*)(#[^"]*)?"')


def write_pages(folder: Path) -> int:
    """Every HTML page of the corpus as a file under its own path. Returns how many.

    Links to what the corpus does not hold (60,000 descriptions of images, other sites) become
    ``#``, so that every request of every crawler is a page and pages per second mean one thing.
    """
    pages = {
        urlsplit(response.url.text).path: response.body
        for response in iter_responses(CORPUS)
        if response.status == 200
        and (response.header("content-type") or "").startswith("text/html")
        and b"<html" in response.body[:2000].lower()
    }
    for path, body in pages.items():
        target = folder / unquote(path).lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(_HREF.sub(partial(_closed, path, pages), body))
    return len(pages)


def _closed(path: str, pages: dict[str, bytes], link: re.Match[bytes]) -> bytes:
    address = urlsplit(urljoin(path, html.unescape(link[1].decode("utf-8", "replace"))))
    return link[0] if not address.netloc and address.path in pages else b'href="#"'


@contextmanager
def running_nginx(folder: Path) -> Iterator[str]:
    """nginx over ``folder/pages`` on a free loopback port; ended when the block ends."""
    program = shutil.which("nginx")
    if program is None:
        raise SystemExit("the comparison needs nginx: apt-get install nginx-light")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    config = folder / "nginx.conf"
    config.write_text(_CONFIG.format(folder=folder, port=port), encoding="utf-8")
    process = subprocess.Popen([program, "-c", str(config), "-p", str(folder)])
    try:
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(10)
