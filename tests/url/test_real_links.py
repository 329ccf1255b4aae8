"""Links of real pages: the short way, the long way and the way back say the same."""

from __future__ import annotations

from itertools import islice

import pytest
from fastwarc.warc import ArchiveIterator, WarcRecordType
from selectolax.lexbor import LexborHTMLParser

from shoal.url import BadUrl, Url, UrlParser
from tests.shared_data import shared


@pytest.mark.parametrize("corpus", ["wiki", "sites"])
def test_real_links(corpus: str) -> None:
    batch, single = UrlParser(), UrlParser()
    links = 0
    with shared("corpora", f"{corpus}.warc.gz").open("rb") as stream:
        records = ArchiveIterator(stream, record_types=WarcRecordType.response)
        for record in islice(records, 60):
            base = single.parse(record.headers["WARC-Target-URI"])
            tree = LexborHTMLParser(record.reader.read())
            hrefs = [node.attributes.get("href") or "" for node in tree.css("a[href]")]
            found = batch.parse_links(hrefs, base)
            assert found == [_whole(single, href, base) for href in hrefs]
            for url in found:
                assert url is None or single.parse(url.text) == url
            links += len(hrefs)
    assert links > 500


def _whole(parser: UrlParser, href: str, base: Url) -> Url | None:
    try:
        return parser._whole(href, base)
    except BadUrl:
        return None
