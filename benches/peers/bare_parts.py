"""The least that a crawl of some pages must do, each part alone: CPU milliseconds a page, as JSON.

Arguments: the address of the site, and the folder that it is served from. Every page is

- fetched by a bare loop over pycurl's multi handle with keep-alive, keeping every byte;
- parsed: selectolax (tree, addresses and texts of all links), resiliparse (tree, main text);
- tokenised: the words of its main text in lower case, counted;
- written: a WARC request and response, one gzip member each, by fastwarc at level 1.

What is for comparison only and no part of the sum begins with an asterisk.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeVar
from urllib.parse import quote

import pycurl
from fastwarc.stream_io import GzipWriter
from fastwarc.warc import WarcRecord, WarcRecordType
from isal import isal_zlib
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import HTMLTree
from selectolax.lexbor import LexborHTMLParser

PARALLEL = 64
LEVEL = 1
ASKED = b"GET %b HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: bare\r\nAccept: */*\r\n\r\n"
_WORD = re.compile(r"\w+")

Kept = TypeVar("Kept")
Answer = tuple[str, bytes, bytes]
"""An address, its header, its body."""


def fetch(urls: list[str]) -> list[Answer]:
    multi = pycurl.CurlMulti()
    multi.setopt(pycurl.M_MAXCONNECTS, PARALLEL)
    under_way: dict[pycurl.Curl, tuple[str, list[bytes], list[bytes]]] = {}
    answers: list[Answer] = []
    waiting = iter(urls)

    def begin(curl: pycurl.Curl) -> None:
        url = next(waiting, None)
        if url is None:
            return
        under_way[curl] = (url, [], [])
        curl.setopt(pycurl.URL, url)
        curl.setopt(pycurl.HEADERFUNCTION, under_way[curl][1].append)
        curl.setopt(pycurl.WRITEFUNCTION, under_way[curl][2].append)
        multi.add_handle(curl)

    for _ in range(PARALLEL):
        begin(pycurl.Curl())
    while under_way:
        multi.perform()
        _, good, bad = multi.info_read()
        if bad:
            raise SystemExit(f"the bare fetch failed: {bad[0][2]}")
        for curl in good:
            url, head, body = under_way.pop(curl)
            answers.append((url, b"".join(head), b"".join(body)))
            multi.remove_handle(curl)
            begin(curl)
        if not good:
            multi.select(1.0)
    multi.close()
    return answers


def parse(body: bytes) -> str:
    html = body.decode("utf-8", "replace")
    links = [
        (node.attributes.get("href"), node.text()) for node in LexborHTMLParser(html).css("a[href]")
    ]
    del links
    return str(extract_plain_text(HTMLTree.parse(html), main_content=True))


def tokenise(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text.lower()))


def write(answers: list[Answer], file: Path) -> None:
    with file.open("wb") as out:
        stream = GzipWriter(out, compression_level=LEVEL)
        for url, head, body in answers:
            for kind, block in (
                (WarcRecordType.response, head + body),
                (WarcRecordType.request, ASKED % url.encode()),
            ):
                record = WarcRecord()
                record.init_headers(kind)
                record.headers["WARC-Target-URI"] = url
                record.is_http = True
                record.set_bytes_content(block)
                record.parse_http()
                record.write(stream, checksum_data=True)
                stream.finish()


class Compressor(Protocol):
    def compress(self, data: bytes, /) -> bytes: ...
    def flush(self) -> bytes: ...


def deflate(answers: list[Answer], compressor: Callable[[int, int, int], Compressor]) -> None:
    for _, head, body in answers:
        squeeze = compressor(LEVEL, zlib.DEFLATED, 31)
        squeeze.compress(head + body)
        squeeze.flush()


def main(base: str, folder: Path) -> None:
    root = folder / "pages"
    files = [path for path in sorted(root.rglob("*.htm")) if path.is_file()]
    paths = [path.relative_to(root).as_posix() for path in files]
    spent_ms: dict[str, float] = {}

    def timed(name: str, work: Callable[[], Kept]) -> Kept:
        began_s = time.process_time()
        result = work()
        spent_ms[name] = (time.process_time() - began_s) / len(paths) * 1e3
        return result

    answers = timed("fetch", lambda: fetch([f"{base}/{quote(path)}" for path in paths]))
    texts = timed("parse", lambda: [parse(body) for _, _, body in answers])
    timed("tokenise", lambda: [tokenise(text) for text in texts] and None)
    with tempfile.TemporaryDirectory(dir=folder) as name:
        timed("write", lambda: write(answers, Path(name, "bare.warc.gz")))
    timed("*gzip alone (zlib)", lambda: deflate(answers, zlib.compressobj))
    timed("*gzip alone (isal)", lambda: deflate(answers, isal_zlib.compressobj))
    print(json.dumps({"pages": len(answers), "ms": spent_ms}))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
