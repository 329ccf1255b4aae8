"""What is one Url, and what a Url tells."""

from __future__ import annotations

import pickle

import pytest
import tldextract
import xxhash

from shoal.settings import UrlSettings
from shoal.url import LONGEST_CHARACTERS, BadUrl, Url, UrlParser, parse_url

PAGE = "http://example.org/dir/page.html?q=1"


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        # Browsers' rules.
        ("HTTP://Example.ORG", "http://example.org/"),
        ("http://example.org:80/", "http://example.org/"),
        ("https://example.org:443/", "https://example.org/"),
        ("https://example.org:80/", "https://example.org:80/"),
        ("http://example.org/a/../b/./c", "http://example.org/b/c"),
        ("http://example.org/~help/windows/../security/v.html", "http://example.org/~help/security/v.html"),
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://example.org/é?ü", "http://example.org/%C3%A9?%C3%BC"),
        ("http://example.org/a b", "http://example.org/a%20b"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://[0:0::1]:80/", "http://[::1]/"),
        # Host.
        ("http://example.org./", "http://example.org/"),
        ("http://example.org.:8080/", "http://example.org:8080/"),
        ("http://user:pass@example.org/", "http://example.org/"),
        # Fragments.
        ("http://example.org/#part", "http://example.org/"),
        ("http://example.org/#", "http://example.org/"),
        ("http://example.org/#!part", "http://example.org/#!part"),
        # Percent-encoding.
        ("http://example.org/%7Ea/%41%2d%2E", "http://example.org/~a/A-."),
        ("http://example.org/%c3%a9%2f", "http://example.org/%C3%A9%2F"),
        ("http://example.org/100%", "http://example.org/100%25"),
        ("http://example.org/a|b[c]?d|e[f]", "http://example.org/a%7Cb%5Bc%5D?d%7Ce%5Bf%5D"),
        ("http://example.org/%2541", "http://example.org/%2541"),
        # Queries.
        ("http://example.org/?", "http://example.org/"),
        ("http://example.org/?&a=1&&b=2&", "http://example.org/?a=1&b=2"),
        ("http://example.org/?b=2&a=1", "http://example.org/?b=2&a=1"),
        # Sessions.
        ("http://example.org/a;jsessionid=1A2B?x=1", "http://example.org/a?x=1"),
        ("http://example.org/a;JSESSIONID=1A2B.node1/b", "http://example.org/a/b"),
        ("http://example.org/a?x=1;jsessionid=1A2B&y=2", "http://example.org/a?x=1&y=2"),
        ("http://example.org/?PHPSESSID=1&x=2", "http://example.org/?x=2"),
        ("http://example.org/?ASPSESSIONIDQABBCTDR=X", "http://example.org/"),
        ("http://example.org/?CFID=1&CFTOKEN=2&x=3", "http://example.org/?x=3"),
        ("http://example.org/?sid=0123456789abcdef0123456789abcdef", "http://example.org/"),
        ("http://example.org/article.pl?sid=05/07/19", "http://example.org/article.pl?sid=05/07/19"),
        ("http://example.org/(S(0123456789abcdefghijklmn))/a.aspx", "http://example.org/a.aspx"),
        ("http://example.org/a/..;jsessionid=1/b", "http://example.org/b"),
        ("http://example.org/?newsid=1&addressid=2", "http://example.org/?newsid=1&addressid=2"),
        # Trackers.
        ("http://example.org/?utm_source=a&id=1&UTM_medium=b", "http://example.org/?id=1"),
        ("http://example.org/?fbclid=a", "http://example.org/"),
        ("http://example.org/?reference=a", "http://example.org/?reference=a"),
        # Index pages.
        ("http://example.org/index.html", "http://example.org/"),
        ("http://example.org/a/Default.aspx", "http://example.org/a/"),
        ("http://example.org/%69ndex.html", "http://example.org/"),
        ("http://example.org/index.php?PHPSESSID=1", "http://example.org/"),
        ("http://example.org/index.php?id=1", "http://example.org/index.php?id=1"),
        ("http://example.org/index.jpg", "http://example.org/index.jpg"),
        ("http://example.org/index", "http://example.org/index"),
        ("http://example.org/index.html/a", "http://example.org/index.html/a"),
        # Mistakes.
        ("http:\\\\example.org\\a\\b.html", "http://example.org/a/b.html"),
        ("http:/example.org/a", "http://example.org/a"),
        ("http:///example.org/a", "http://example.org/a"),
        ("http//example.org/a", "http://example.org/a"),
        ("http:// example.org/a", "http://example.org/a"),
        ("http://http://example.org/a", "http://example.org/a"),
        ("http:http://example.org/a", "http://example.org/a"),
        ("  \n http://example.org/a \t", "http://example.org/a"),
        ("\u00a0http://example.org/a\u200b", "http://example.org/a"),
        ("'http://example.org/a'", "http://example.org/a"),
        ('"http://example.org/a"', "http://example.org/a"),
        ('http://example.org/a"', "http://example.org/a"),
        ("<http://example.org/a>", "http://example.org/a"),
        ("\u201chttp://example.org/a\u201d", "http://example.org/a"),
        ("http://example.org/Surfin'", "http://example.org/Surfin'"),
        ("http://exam\nple.org/a", "http://example.org/a"),
        ("http%3A%2F%2Fexample.org%2Fa", "http://example.org/a"),
        ("http://example.org/?a=1&amp;b=2&amp;amp;c=3", "http://example.org/?a=1&b=2&c=3"),
        ("http://example.org/?a=1&amp;b#!x&amp;y", "http://example.org/?a=1&b#!x&amp;y"),
    ],
)  # fmt: skip
def test_many_spellings_are_one_url(text: str, canonical: str) -> None:
    url = parse_url(text)
    assert url.text == canonical
    assert parse_url(url.text) == url


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("", PAGE),
        ("#part", PAGE),
        ("#!state", PAGE + "#!state"),
        ("?x", "http://example.org/dir/page.html?x"),
        ("a.html", "http://example.org/dir/a.html"),
        ("./a.html", "http://example.org/dir/a.html"),
        ("../a.html#part", "http://example.org/a.html"),
        ("../../../a.html", "http://example.org/a.html"),
        ("/a//b/", "http://example.org/a//b/"),
        ("//example.net/a", "http://example.net/a"),
        ("https://example.net", "https://example.net/"),
        ("index.html", "http://example.org/dir/"),
        ("..\\a\\b.html", "http://example.org/a/b.html"),
        ("http:a.html", "http://example.org/dir/a.html"),
        ("https:a.html", "http://example.org/dir/a.html"),
        ("http:/example.net/a", "http://example.net/a"),
        ("'a.html'", "http://example.org/dir/a.html"),
        ("a:b", None),
        ("mailto:a@example.org", None),
        ("javascript:void(0)", None),
        ("data:text/html,a", None),
        ("ftp://example.org/", None),
    ],
)
def test_links_of_a_page(text: str, canonical: str | None) -> None:
    base = parse_url(PAGE)
    found = UrlParser().parse_links([text], base)[0]
    assert (found and found.text) == canonical
    if canonical is None:
        with pytest.raises(BadUrl):
            parse_url(text, base)
    else:
        assert parse_url(text, base).text == canonical
        assert parse_url(text, base.text).text == canonical


@pytest.mark.parametrize(
    "text",
    [
        "", "example", "example.org", "/a", "http://", "http:", "https://:80/", "http://a b/",
        "http://example..org/", "http://.example.org/", "http://example.org:99999/", "http://[::g]/",
        "http://1.2.3.256/", "http://example.org,http", "http://" + "a" * 64 + ".example/",
        "http://" + "a." * 130 + "example/", "http://example.org/" + "a" * LONGEST_CHARACTERS,
        "file:///etc/passwd", "http://\ud800/", "http://%00/", "http://./",
    ],
)  # fmt: skip
def test_what_is_no_url_is_refused(text: str) -> None:
    with pytest.raises(BadUrl):
        parse_url(text)


def test_a_refusal_says_why_and_stays_short() -> None:
    with pytest.raises(BadUrl, match=r"neither http nor https: 'ftp://example\.org/'"):
        parse_url("ftp://example.org/")
    with pytest.raises(BadUrl) as caught:
        parse_url("http://" + "%" * 10_000)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("settings", "text", "canonical"),
    [
        (UrlSettings(drop_fragment=False), "http://a.example/#b", "http://a.example/#b"),
        (UrlSettings(drop_session_ids=False), "http://a.example/;jsessionid=1?sessionid=2",
         "http://a.example/;jsessionid=1?sessionid=2"),
        (UrlSettings(drop_tracking=False), "http://a.example/?gclid=1", "http://a.example/?gclid=1"),
        (UrlSettings(drop_index=False), "http://a.example/index.html", "http://a.example/index.html"),
        (UrlSettings(sort_query=True), "http://a.example/?b=2&a=2&a=1", "http://a.example/?a=2&a=1&b=2"),
        (UrlSettings(repair=False), "http://a.example/?a&amp;b", "http://a.example/?a&amp;b"),
    ],
)  # fmt: skip
def test_each_setting_does_what_it_says(settings: UrlSettings, text: str, canonical: str) -> None:
    parser = UrlParser(settings)
    url = parser.parse(text)
    assert url.text == canonical
    assert parser.parse(url.text) == url


def test_the_parts_of_a_url() -> None:
    url = parse_url("https://www.example.co.uk:8443/a/b?c=d#!e")
    assert url.scheme == "https"
    assert url.origin == "https://www.example.co.uk:8443"
    assert url.host_key == "www.example.co.uk:8443"
    assert url.host == "www.example.co.uk"
    assert url.port == 8443
    assert url.target == "/a/b?c=d"
    assert url.path == "/a/b"
    assert url.query == "c=d"
    assert url.site == "example.co.uk"
    assert str(url) == url.text
    assert repr(url) == "Url('https://www.example.co.uk:8443/a/b?c=d#!e')"


@pytest.mark.parametrize(
    ("text", "host", "port", "site"),
    [
        ("http://example.org/", "example.org", 80, "example.org"),
        ("https://a.b.example.org/", "a.b.example.org", 443, "example.org"),
        ("http://[::1]/", "[::1]", 80, "[::1]"),
        ("http://[::1]:81/", "[::1]", 81, "[::1]"),
        ("http://192.0.2.1/", "192.0.2.1", 80, "192.0.2.1"),
        ("http://localhost:81/", "localhost", 81, "localhost"),
        ("http://me.github.io/", "me.github.io", 80, "me.github.io"),
        ("http://co.uk/", "co.uk", 80, "co.uk"),
        ("http://a.b.unlisted/", "a.b.unlisted", 80, "b.unlisted"),
        ("http://食狮.公司.cn/", "xn--85x722f.xn--55qx5d.cn", 80, "xn--85x722f.xn--55qx5d.cn"),
    ],
)
def test_host_port_and_site(text: str, host: str, port: int, site: str) -> None:
    url = parse_url(text)
    assert (url.host, url.port, url.site) == (host, port, site)


def test_the_site_asks_no_network_and_writes_no_files(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object, **__: object) -> None:
        raise AssertionError("the list of suffixes must come from the installed package")

    monkeypatch.setattr("socket.socket.connect", forbidden)
    monkeypatch.setattr("socket.getaddrinfo", forbidden)
    monkeypatch.setattr("os.makedirs", forbidden)
    monkeypatch.setattr("pathlib.Path.mkdir", forbidden)
    monkeypatch.setattr("tempfile.NamedTemporaryFile", forbidden)
    suffixes = tldextract.TLDExtract(
        suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True
    )
    assert suffixes("a.example.co.uk").suffix == "co.uk"
    assert parse_url("http://never.asked.before.example.co.uk/").site == "example.co.uk"


def test_the_key_is_a_signed_fingerprint_of_the_text() -> None:
    keys = []
    for number in range(200):
        url = parse_url(f"http://example.org/{number}")
        assert url.key % (1 << 64) == xxhash.xxh3_64_intdigest(url.text.encode())
        assert -(1 << 63) <= url.key < 1 << 63
        keys.append(url.key)
    assert min(keys) < 0 < max(keys)
    assert parse_url("http://example.org/").key == -5_242_817_029_757_127_295


def test_urls_are_equal_by_their_text() -> None:
    one, other = parse_url("http://example.org/a#b"), parse_url("HTTP://example.org:80/a")
    assert one == other
    assert hash(one) == hash(other)
    assert one != parse_url("http://example.org/b")
    assert one != "http://example.org/a"
    assert pickle.loads(pickle.dumps(one)) == one
    assert not hasattr(one, "__dict__")


def test_what_is_remembered_is_bounded_and_changes_nothing() -> None:
    parser = UrlParser()
    pages = [parse_url(f"http://example.org/{name}") for name in ("d/", "d/a", "d/b?c", "e/a")]
    hrefs = ["", "?x", "a", "./b", "#c", "index.html", "http:?y", "mailto:a", "/z|", "'b'"]
    first = [parser.parse_links(hrefs, page) for page in pages]
    assert [parser.parse_links(hrefs, page) for page in pages] == first
    assert [UrlParser().parse_links(hrefs, page) for page in pages] == first
    parser.parse_links([f"{number}.html" for number in range(40_000)], pages[0])
    assert len(parser._seen) <= 16_384


def test_links_from_a_long_query_keep_to_the_directory() -> None:
    base = parse_url("http://example.org/a/b?c=/d/e/f")
    assert parse_url("g", base).text == "http://example.org/a/g"
    assert UrlParser().parse_links(["g"], base) == [Url("http://example.org/a/g", 18)]
