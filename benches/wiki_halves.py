"""The wiki corpus as a fair test of classifiers: without what gives its labels away, in halves.

    python benches/wiki_halves.py SHARED FOLDER

Every article names and links its subject at the top, and the footer of each links one and the same
page; both are removed. An article is for training where the MD5 of its Url, read as a number, is
even, and for testing where it is odd. FOLDER gets a WARC file and a table of labels for each half,
which the commands of ``shoal model`` read.
"""

from __future__ import annotations

import gzip
import re
import sys
from collections.abc import Collection, Iterator
from contextlib import ExitStack
from dataclasses import replace
from hashlib import md5
from pathlib import Path
from typing import NamedTuple

from shoal.archive.encode import record_bytes, warc_date
from shoal.archive.reader import iter_responses
from shoal.http.heads import make_head
from shoal.labelled import read_labels
from shoal.model import Response
from shoal.url import parse_url

SUBJECT_LINE = re.compile(rb'<h3 id="siteSub">.*?</h3>', re.DOTALL)
FOOTER = re.compile(rb'<div id="footer">.*?</div>\s*</div>', re.DOTALL)


class Half(NamedTuple):
    web: Path
    labels: Path


def half_in(folder: Path, name: str) -> Half:
    return Half(folder / f"{name}.warc.gz", folder / f"{name}.tsv")


def write_halves(shared: Path, folder: Path) -> tuple[Half, Half]:
    """The half to train on, and the half to test on."""
    corpora = shared / "corpora"
    table = read_labels(corpora / "wiki.labels.tsv")
    labels = {parse_url(url).surt: row for url, row in table.items()}
    halves = (half_in(folder, "train"), half_in(folder, "test"))
    with ExitStack() as open_files:
        webs = [open_files.enter_context(one.web.open("wb")) for one in halves]
        lines: tuple[list[str], list[str]] = ([], [])
        for response in without_leaks(corpora / "wiki.warc.gz", labels.keys()):
            url = response.url
            place = int(md5(url.text.encode()).hexdigest(), 16) % 2
            webs[place].write(gzip.compress(record_of(response), 1, mtime=0))
            lines[place].append(f"{url.text}\t{';'.join(labels[url.surt])}\n")
    for one, rows in zip(halves, lines, strict=True):
        one.labels.write_text("url\tlabels\n" + "".join(rows), encoding="utf-8")
    return halves


def without_leaks(wiki: Path, articles: Collection[str]) -> Iterator[Response]:
    for response in iter_responses(wiki):
        if response.url.surt in articles:
            body, lines = SUBJECT_LINE.subn(b"", response.body)
            body, footers = FOOTER.subn(b"", body)
            if (lines, footers) != (1, 1):
                raise SystemExit(f"{response.url.text} has no subject line and footer, or several")
            yield replace(response, body=body, payload=body)


def record_of(response: Response) -> bytes:
    headers = (("content-type", response.header("content-type") or "text/html"),)
    fields = (
        ("WARC-Type", "response"),
        ("WARC-Record-ID", f"<urn:md5:{md5(response.url.text.encode()).hexdigest()}>"),
        ("WARC-Date", warc_date(0)),
        ("WARC-Target-URI", response.url.text),
        ("Content-Type", "application/http; msgtype=response"),
    )
    return record_bytes(fields, make_head(200, headers), response.body)


if __name__ == "__main__":
    write_halves(Path(sys.argv[1]), Path(sys.argv[2]))
