"""read_sitemap: every kind of sitemap, broken ones, hostile ones, and other people's."""

from __future__ import annotations

import gzip
import random
import tarfile
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.page import sitemap
from shoal.page.sitemap import Sitemap, SitemapEntry, read_sitemap
from tests.shared_data import shared

URLSET = b"""<?xml version="1.0" encoding="UTF-8"?>
<!-- <url><loc>https://a.example/not-this</loc></url> -->
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
        xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
  <url>
    <loc> https://a.example/1?x=1&amp;y=&#50; </loc>
    <lastmod>2024-01-02</lastmod>
    <image:image><image:loc>https://a.example/1.png</image:loc></image:image>
  </url>
  <url><loc><![CDATA[https://a.example/2?x=1&y=2]]></loc></url>
  <url><priority>0.5</priority></url>
</urlset>
"""
TWO = (
    SitemapEntry("https://a.example/1?x=1&y=2", "2024-01-02"),
    SitemapEntry("https://a.example/2?x=1&y=2"),
)


def locations(body: bytes, media_type: str | None = None) -> list[str]:
    return [entry.location for entry in read_sitemap(body, media_type).entries]


# --------------------------------------------------------------------------- kinds


def test_a_urlset() -> None:
    assert read_sitemap(URLSET, "application/xml") == Sitemap(TWO)


def test_gzip() -> None:
    assert read_sitemap(gzip.compress(URLSET), "application/x-gzip") == Sitemap(TWO)


def test_an_index() -> None:
    body = b"""<sitemapindex><sitemap><loc>https://a.example/1.xml.gz</loc>
        <lastmod>2024-01-02T03:04:05Z</lastmod></sitemap>
        <sitemap><loc>https://a.example/2.xml</loc></sitemap></sitemapindex>"""
    first = SitemapEntry("https://a.example/1.xml.gz", "2024-01-02T03:04:05Z")
    assert read_sitemap(body) == Sitemap((), (first, SitemapEntry("https://a.example/2.xml")))


def test_rss() -> None:
    body = b"""<rss version="2.0"><channel><link>https://a.example/</link>
        <image><url>https://a.example/logo.png</url></image>
        <item><title>One</title><link>https://a.example/1</link>
        <pubDate>Sat, 19 Oct 2024 11:21:53 +0000</pubDate></item>
        <item><link>https://a.example/2</link></item></channel></rss>"""
    first = SitemapEntry("https://a.example/1", "Sat, 19 Oct 2024 11:21:53 +0000")
    assert read_sitemap(body) == Sitemap((first, SitemapEntry("https://a.example/2")))


def test_rdf() -> None:
    body = b"""<rdf:RDF xmlns="http://purl.org/rss/1.0/"><channel><link>x</link></channel>
        <item rdf:about="x"><link>https://a.example/1</link><dc:date>2024</dc:date></item>
        </rdf:RDF>"""
    assert read_sitemap(body) == Sitemap((SitemapEntry("https://a.example/1", "2024"),))


def test_atom() -> None:
    body = b"""<feed xmlns="http://www.w3.org/2005/Atom"><link href="https://a.example/"/>
        <entry><link rel="edit" href="https://a.example/edit"/>
        <link rel='alternate' href='https://a.example/1?x&amp;y'/><updated>2024</updated></entry>
        <entry><link href="/2"/></entry></feed>"""
    first = SitemapEntry("https://a.example/1?x&y", "2024")
    assert read_sitemap(body) == Sitemap((first, SitemapEntry("/2")))


def test_a_plain_list() -> None:
    body = b"\xef\xbb\xbfhttps://a.example/1\r\n\r\n  HTTP://a.example/2  \nnot an address\n/3\n"
    assert locations(body, "text/plain") == ["https://a.example/1", "HTTP://a.example/2"]


def test_prefixed_elements() -> None:
    body = b"<s:urlset><s:url><s:loc>https://a.example/1</s:loc></s:url></s:urlset>"
    assert locations(body) == ["https://a.example/1"]


def test_a_web_page_is_no_sitemap() -> None:
    page = b"<!DOCTYPE html><html><body><url><loc>https://a.example/1</loc></url></body></html>"
    assert read_sitemap(page, "text/html") == Sitemap()


# --------------------------------------------------------------------------- encodings


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le"]
)
def test_unicode_is_recognised(encoding: str) -> None:
    text = "<urlset><url><loc>https://a.example/ä</loc></url></urlset>"
    assert locations(text.encode(encoding)) == ["https://a.example/ä"]


def test_declared_encodings() -> None:
    text = '<?xml version="1.0" encoding="{}"?><url><loc>https://a.example/é</loc></url>'
    latin = text.format("ISO-8859-1").encode("latin-1")
    assert locations(latin) == ["https://a.example/é"]
    assert locations(text.format("x").encode("latin-1"), "text/xml; charset=latin-1") == [
        "https://a.example/é"
    ]


@pytest.mark.parametrize(
    "name", ["nonsense", "hex", "zlib", "rot13", "punycode", "undefined", "idna"]
)
def test_what_is_no_encoding_is_utf8(name: str) -> None:
    text = f'<?xml version="1.0" encoding="{name}"?><url><loc>https://a.example/é</loc></url>'
    assert locations(text.encode()) == ["https://a.example/é"]


# --------------------------------------------------------------------------- broken


@pytest.mark.parametrize(
    "body",
    [
        URLSET.replace(b"</urlset>", b""),
        URLSET[: URLSET.index(b"<url><priority>")],
        URLSET.replace(b"&amp;y", b"&y"),
        URLSET.replace(b"</loc>", b""),
        URLSET.replace(b"</url>", b""),
        URLSET.replace(b"<urlset", b"<junk></junk><urlset"),
        b"\n \r\n" + URLSET,
        URLSET.replace(b"<url>", b"<URL>").replace(b"loc>", b"Loc>"),
        gzip.compress(URLSET)[:-8],
    ],
)
def test_broken_ones_are_read_as_far_as_they_make_sense(body: bytes) -> None:
    assert read_sitemap(body).entries == TWO


def test_ampersands_that_are_no_entities_stay() -> None:
    body = b"<url><loc>https://a.example/?a=1&copy=2&lt=3&#xD800;&#0;</loc></url>"
    assert locations(body) == ["https://a.example/?a=1&copy=2&lt=3\ufffd\ufffd"]


def test_damaged_gzip_keeps_what_came_before() -> None:
    luck = random.Random(1)
    many = b"".join(
        b"<url><loc>https://a.example/%d</loc></url>" % luck.getrandbits(64) for _ in range(5_000)
    )
    packed = bytearray(gzip.compress(many))
    packed[len(packed) // 2] ^= 0xFF
    assert 1_000 < len(locations(bytes(packed))) <= 5_000


def test_addresses_longer_than_allowed_are_left_out() -> None:
    body = b"<url><loc>https://a.example/" + b"a" * 2_048 + b"</loc></url>"
    assert locations(body + URLSET) == [entry.location for entry in TWO]
    assert locations(b"https://a.example/" + b"a" * 9_000 + b"\nhttps://a.example/1") == [
        "https://a.example/1"
    ]


# --------------------------------------------------------------------------- limits


def test_no_entity_is_ever_expanded_or_loaded() -> None:
    bomb = b"""<?xml version="1.0"?><!DOCTYPE urlset [<!ENTITY a "aaaaaaaaaa">
        <!ENTITY b "&a;&a;&a;&a;"><!ENTITY x SYSTEM "file:///etc/passwd">]>
        <urlset><url><loc>https://a.example/&b;&x;</loc></url></urlset>"""
    assert locations(bomb) == ["https://a.example/&b;&x;"]


def test_at_most_50_000_entries() -> None:
    body = b"<url><loc>https://a.example/</loc></url>" * 50_001
    found = read_sitemap(body)
    assert len(found.entries) == 50_000
    assert found.cut
    assert not read_sitemap(body[: len(body) // 2]).cut


def test_a_gzip_bomb_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sitemap, "SIZE_LIMIT_BYTES", 1_000_000)
    found = read_sitemap(gzip.compress(URLSET + b" " * 20_000_000))
    assert found.entries == TWO
    assert found.cut


def test_tags_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sitemap, "TAG_LIMIT", 1_000)
    found = read_sitemap(URLSET + b"<a>" * 1_001)
    assert found.entries == TWO
    assert found.cut


@pytest.mark.parametrize(
    "piece",
    [
        b"<", b"<!--", b"<![CDATA[", b"<url><loc>", b"<a ", b"<url>&", b"<loc a='", b"&#", b"<?",
        b"]]>", b'<link a="', b"<entry><link " + b"a" * 50, b"\n", b"http://",
    ],
)  # fmt: skip
def test_hostile_ones_take_linear_time(piece: bytes) -> None:
    started_s = time.process_time()
    read_sitemap(b"<urlset><url><loc>" + piece * (100_000 // len(piece)))
    read_sitemap(b"<feed><entry>" + piece * (100_000 // len(piece)) + b">")
    read_sitemap(piece * (100_000 // len(piece)))
    assert time.process_time() - started_s < 3.0


@given(st.binary(max_size=300), st.none() | st.text(max_size=40))
def test_any_bytes_give_a_sitemap(body: bytes, media_type: str | None) -> None:
    for prefix in (b"", b"<urlset><url><loc>", b"\x1f\x8b\x08", b'<?xml encoding="'):
        read_sitemap(prefix + body, media_type)


# --------------------------------------------------------------------------- other people's


def others() -> dict[str, bytes]:
    with tarfile.open(shared("conformance", "warc-sitemaps-feeds.tar.xz")) as archive:
        return {
            member.name.removeprefix("./"): opened.read()
            for member in archive
            if member.name.removeprefix("./").startswith(("sitemaps/", "feeds/"))
            and (opened := archive.extractfile(member)) is not None
        }


EXPECTED = {
    "ache/achecrawler/crawler/async/sample-sitemap.xml": (4, 0),
    "ache/achecrawler/crawler/async/sitemap-index.xml": (0, 3),
    "ache/achecrawler/integration/robots_and_sitemap_test/static/sitemap-index.xml": (0, 2),
    "ache/achecrawler/integration/robots_and_sitemap_test/static/sitemap1.xml": (2, 0),
    "ache/achecrawler/integration/robots_and_sitemap_test/static/sitemap2.xml": (1, 0),
    "stormcrawler/stormcrawler.rss": (6, 0),
    "stormcrawler/stormcrawler.sitemap.extensions.all.xml": (7, 0),
    "stormcrawler/stormcrawler.sitemap.extensions.image.xml": (7, 0),
    "stormcrawler/stormcrawler.sitemap.extensions.links.xml": (6, 0),
    "stormcrawler/stormcrawler.sitemap.extensions.mobile.xml": (6, 0),
    "stormcrawler/stormcrawler.sitemap.extensions.news.xml": (6, 0),
    "stormcrawler/stormcrawler.sitemap.extensions.video.xml": (6, 0),
    "stormcrawler/stormcrawler.sitemap.index.xml": (0, 4),
    "stormcrawler/stormcrawler.sitemap.xml": (6, 0),
    "stormcrawler/stormcrawler.sitemap.xml.gz": (6, 0),
}
"""Sitemap: how many pages and further sitemaps it names, counted by hand."""


def test_real_sitemaps() -> None:
    found = {name.removeprefix("sitemaps/"): read_sitemap(body) for name, body in others().items()}
    for name, counts in EXPECTED.items():
        assert (len(found[name].entries), len(found[name].nested)) == counts, name
    extended = found["stormcrawler/stormcrawler.sitemap.extensions.all.xml"]
    assert not any(entry.location.endswith((".jpg", ".png", ".swf")) for entry in extended.entries)


def test_real_feeds_well_formed_and_not() -> None:
    feeds = {name: body for name, body in others().items() if name.startswith("feeds/")}
    assert len(feeds) > 2_000
    named = 0
    for name, body in feeds.items():
        found = read_sitemap(body)
        assert not found.cut, name
        assert not found.nested, name
        named += bool(found.entries)
    assert named == 69
    corrupted = read_sitemap(
        feeds["feeds/feedparser/illformed/rss_item_link_corrupted_ampersands.xml"]
    )
    assert len(corrupted.entries) == 1
