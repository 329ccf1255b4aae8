"""The identifier on real news pages, each named after its language by those who collected them."""

from __future__ import annotations

import tarfile
from pathlib import PurePosixPath

from shoal.http.heads import make_head
from shoal.model import Response
from shoal.page.language import FastTextLanguage
from shoal.page.parser import PageParser
from shoal.page.plain import TEXT_CHARACTERS
from shoal.url import parse_url
from tests.shared_data import shared

NAMED = {
    "arabic_article": "ar",
    "burmese_article": "my",
    "chinese_article": "zh",
    "japanese_article": "ja",
    "latvian_article": "lv",
    "spanish_article": "es",
    "thai_article": "th",
}


def test_whole_pages_are_told_in_every_language() -> None:
    parser = PageParser(languages=FastTextLanguage(TEXT_CHARACTERS))
    headers = (("content-type", "text/html"),)
    told = {}
    with tarfile.open(shared("conformance", "html.tar.xz")) as archive:
        for member in archive:
            path = PurePosixPath(member.name)
            file = archive.extractfile(member)
            if path.suffix == ".html" and path.stem in NAMED and file is not None:
                body = file.read()
                head = make_head(200, headers)
                url = parse_url("http://news.example/")
                page = parser.parse(Response(url, 200, head, headers, body, body, 0.0, 0.0))
                told[path.stem] = page.language.code
    assert told == NAMED
