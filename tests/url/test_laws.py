"""Laws of Urls, over texts that were made to break them."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import ada_url
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.settings import UrlSettings
from shoal.surt import surt
from shoal.url import BadUrl, Url, UrlParser, parse_url

PIECES = st.sampled_from(
    (
        "/", "//", "?", "&", "=", "#", "#!", ";", "%", "%2e", "%2E", "%41", "%zz", "%25", "..",
        ".",
        "\\", "'", '"', " ", "\n", "\u00a0", "@", ":", "[", "]", "|", "{", "<", "(", ")", "+", "é",
        "\u200b", "ß", "💩", "\x00", "\ud800", "a", "b", "Z", "0", "7", "index.html",
        "Default.aspx",
        ";jsessionid=", ";jsessionid=1/..", "PHPSESSID=1", "sid=0123456789abcdef", "utm_source=a",
        "&amp;", "amp;", "(S(0123456789abcdefghijklmn))", "http:", "https://", "http://",
        "http%3A%2F%2F",
        "example.org", "www.example.org", "xn--", "1.2.3.4", "..example", ":80", ":443",
        "localhost",
    )
)  # fmt: skip
HREFS = st.lists(PIECES, max_size=10).map("".join) | st.text(max_size=30)
TEXTS = st.tuples(
    st.sampled_from(
        (
            "http://example.org/",
            "https://a.b:8080/c?",
            "http://a/#!",
            "http://example.org",
            "http:",
            "",
        )
    ),
    HREFS,
).map("".join)
SETTINGS = st.builds(
    UrlSettings,
    drop_fragment=st.booleans(),
    drop_session_ids=st.booleans(),
    drop_tracking=st.booleans(),
    drop_index=st.booleans(),
    sort_query=st.booleans(),
    repair=st.booleans(),
)
BASES = st.sampled_from(
    (
        "http://example.org/", "http://example.org/a/b/c.html?d=e/f", "https://example.org:8080/a//b/",
        "http://example.org/a/b/#!c/d", "http://[::1]/a?b",
    )
)  # fmt: skip


def _parse(parser: UrlParser, text: str, base: Url | None = None) -> Url | None:
    try:
        return parser.parse(text, base)
    except BadUrl:
        return None


@given(text=TEXTS, policy=SETTINGS)
@settings(max_examples=250, deadline=None)
def test_parsing_a_url_changes_nothing(text: str, policy: UrlSettings) -> None:
    parser = UrlParser(policy)
    url = _parse(parser, text)
    if url is None:
        return
    again = parser.parse(url.text)
    assert again == url
    assert again.origin == url.origin


@given(hrefs=st.lists(HREFS, max_size=5), base=BASES, policy=SETTINGS)
@settings(max_examples=250, deadline=None)
def test_links_parse_alike_one_by_one_together_and_by_the_long_way(
    hrefs: list[str], base: str, policy: UrlSettings
) -> None:
    parser = UrlParser(policy)
    page = parser.parse(base)
    found = parser.parse_links(hrefs, page)
    assert found == [_parse(parser, href, page) for href in hrefs]
    assert found == parser.parse_links(hrefs, page), "what is remembered says the same"
    for href, url in zip(hrefs, found, strict=True):
        try:
            whole = parser._whole(href, page)
        except BadUrl:
            assert url is None
        else:
            assert url is not None
            assert (url.text, url.origin) == (whole.text, whole.origin)
            assert parser.parse(url.text) == url


@given(text=TEXTS)
@settings(max_examples=150, deadline=None)
def test_the_parts_make_the_whole(text: str) -> None:
    url = _parse(UrlParser(), text)
    if url is None:
        return
    assert url.text.isascii()
    assert re.search(r"[\s\"<>\\^`{|}]", url.text) is None
    assert url.text.partition("#")[0] == url.origin + url.target
    assert url.origin == f"{url.scheme}://{url.host_key}"
    assert url.target.startswith("/")
    split = urlsplit(url.text)
    assert (split.scheme, split.netloc, split.path) == (url.scheme, url.host_key, url.path)
    assert split.query == url.query
    assert url.host.endswith(url.site)
    assert 0 <= url.port < 65_536


@given(text=TEXTS)
@settings(max_examples=150, deadline=None)
def test_browsers_read_a_url_as_it_is(text: str) -> None:
    url = _parse(UrlParser(), text)
    if url is None:
        return
    assert ada_url.normalize_url(url.text) == url.text


@given(text=TEXTS)
@settings(max_examples=150, deadline=None)
def test_surt_takes_any_text_and_drops_scheme_and_www(text: str) -> None:
    surt(text)
    url = _parse(UrlParser(), text)
    if url is not None and url.port in (80, 443) and ":" not in url.host_key:
        rest = url.text.partition("://")[2]
        assert surt("http://" + rest) == surt("https://" + rest) == url.surt
        if not re.match(r"www\d*\.", rest) and not re.match(r"[\d.]+(/|$)", rest):
            assert surt("http://www." + rest) == url.surt


def test_an_endless_address_takes_no_time() -> None:
    for piece in ("/", "a/", "../", "%41", "(", "&a", ";jsessionid=", "index.", "http://", "&amp;"):
        text = "http://example.org/" + piece * (19_000 // len(piece))
        _parse(UrlParser(), text)
        surt(text)
        UrlParser().parse_links([piece * (19_000 // len(piece))], parse_url("http://example.org/"))
