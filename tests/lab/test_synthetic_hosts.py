"""What the hosts of the synthetic web answer besides ordinary pages, and how they misbehave."""

from __future__ import annotations

import gzip
import zlib
from collections import Counter
from http.client import HTTPConnection
from xml.etree import ElementTree

import pytest
from protego import Protego

from shoal.lab.demo import DEMO_TOPIC, demo_seeds, demo_shelf, demo_topic
from shoal.lab.synthetic import SyntheticKnobs, SyntheticShelf, open_synthetic
from shoal.lab.synthetic.graph import PageKind
from shoal.lab.synthetic.hosts import Hosts, hosts_by_name
from shoal.lab.synthetic.words import TONGUES
from shoal.model import Response
from shoal.url import Url, parse_url
from shoal.web.serve import running_server
from tests.lab.reading import anchors, answered, visible_text

SHELF = "synthetic:seed=2,pages=4000,hosts=36"


@pytest.fixture(scope="module")
def shelf() -> SyntheticShelf:
    return open_synthetic(SHELF)


def origins(shelf: SyntheticShelf) -> list[str]:
    return [shelf.hosts.origin(host) for host in range(shelf.knobs.hosts)]


def first_of(shelf: SyntheticShelf, kind: PageKind, number: int = 0) -> Response:
    pages = [page for page in range(shelf.knobs.pages) if shelf.graph.kind(page) is kind]
    return answered(shelf, parse_url(shelf.address(pages[number])))


def test_hosts_are_many_reserved_and_partly_of_one_site() -> None:
    hosts = Hosts(SyntheticKnobs(hosts=20_000))
    names = hosts_by_name(hosts)
    assert len(names) == 20_001
    assert all(name.endswith((".example", ".test")) for name in names)
    assert sum(name.partition(".")[2] in names for name in names) > 9_000


def test_robots_files_are_read_by_a_parser(shelf: SyntheticShelf) -> None:
    statuses: Counter[int] = Counter()
    delays, sitemaps, refused = 0, 0, 0
    for origin in origins(shelf):
        response = shelf.find(parse_url(origin + "/robots.txt"))
        statuses[404 if response is None else response.status] += 1
        if response is not None and response.status == 200:
            rules = Protego.parse(response.body.decode())
            delays += rules.crawl_delay("Shoal") is not None
            sitemaps += len(list(rules.sitemaps)) > 0
            refused += not rules.can_fetch(origin + "/archive/notes/guide-1.html", "Shoal")
    assert statuses[503] == 1
    assert statuses[301] == 1
    assert statuses[404] >= 3
    assert delays >= 3
    assert sitemaps >= 10
    assert refused >= 3


def test_sitemaps_lead_to_pages_of_their_own_host(shelf: SyntheticShelf) -> None:
    packed = pages = 0
    for host, origin in enumerate(origins(shelf)):
        index = ElementTree.fromstring(answered(shelf, parse_url(origin + "/sitemap.xml")).body)
        assert index.tag.endswith("}sitemapindex")
        for sitemap in [node.text or "" for node in index.iter() if node.tag.endswith("}loc")]:
            body = answered(shelf, parse_url(sitemap)).body
            if sitemap.endswith(".gz"):
                body = gzip.decompress(body)
                packed += 1
            for node in ElementTree.fromstring(body).iter():
                if node.tag.endswith("}loc"):
                    page = shelf.page_of(parse_url(node.text or ""))
                    assert page is not None
                    assert shelf.graph.host(page) == host
                    pages += 1
    assert packed > 5
    assert pages > shelf.knobs.pages / 2


def test_slow_hosts_are_slow(shelf: SyntheticShelf) -> None:
    slow = [host for host in range(36) if shelf.hosts.is_slow(host)]
    assert 1 <= len(slow) <= 8
    for host, origin in enumerate(origins(shelf)):
        elapsed_s = answered(shelf, parse_url(origin + "/about.html")).elapsed_s
        assert (elapsed_s > 1.0) == (host in slow)


@pytest.mark.parametrize(
    "path", ["/calendar/2026/11/", "/tree/shelf/", "/browse?sort=name&order=up&page=1"]
)
def test_a_trap_has_no_end(shelf: SyntheticShelf, path: str) -> None:
    host = next(host for host in range(36) if shelf.hosts.has_trap(host))
    waiting: list[Url] = [parse_url(shelf.hosts.origin(host) + path)]
    seen = set(waiting)
    for _ in range(150):
        url = waiting.pop(0)
        assert shelf.topic_of(url) is None
        for anchor in anchors(answered(shelf, url)):
            if anchor.target not in seen:
                assert shelf.page_of(anchor.target) is None, "a trap never leads out"
                seen.add(anchor.target)
                waiting.append(anchor.target)
    assert waiting


def test_pages_show_the_way_into_a_trap(shelf: SyntheticShelf) -> None:
    host = next(host for host in range(36) if shelf.hosts.has_trap(host))
    home = anchors(answered(shelf, parse_url(shelf.hosts.origin(host) + "/")), "footer a")
    assert {"/calendar/2026/11/", "/tree/shelf/"} <= {anchor.target.path for anchor in home}


# ------------------------------------------------------------------------- kinds of pages


def test_duplicates_are_exact_and_near_duplicates_nearly(shelf: SyntheticShelf) -> None:
    graph = shelf.graph
    seen = Counter(graph.kind(page) for page in range(shelf.knobs.pages))
    assert seen[PageKind.DUPLICATE] > 20
    for page in range(shelf.knobs.pages):
        kind = graph.kind(page)
        if kind not in (PageKind.DUPLICATE, PageKind.NEAR_DUPLICATE):
            continue
        response = answered(shelf, parse_url(shelf.address(page)))
        original = answered(shelf, parse_url(shelf.address(graph.original(page))))
        same = response.body == original.body
        assert same == (kind is PageKind.DUPLICATE)
        near = abs(len(response.body) - len(original.body))
        assert near < 500
        assert shelf.topic_of(response.url) == shelf.topic_of(original.url)


def test_other_languages_are_read_in_the_charset_declared(shelf: SyntheticShelf) -> None:
    found = set()
    for page in range(shelf.knobs.pages):
        if shelf.graph.kind(page) is not PageKind.OTHER_LANGUAGE:
            continue
        response = answered(shelf, parse_url(shelf.address(page)))
        media_type = response.header("content-type") or ""
        tongue = next(t for t in TONGUES if f'lang="{t.code}"'.encode() in response.body)
        assert tongue.charset in media_type or f'charset="{tongue.charset}"'.encode() in (
            response.body
        )
        text = response.body.decode(tongue.charset)
        assert any(predicate in text for predicate in tongue.predicates)
        assert shelf.topic_of(response.url) is None
        found.add(tongue.charset)
    assert found == {"utf-8", "iso-8859-1", "windows-1251"}


def test_what_is_not_html(shelf: SyntheticShelf) -> None:
    document = first_of(shelf, PageKind.DOCUMENT)
    assert document.header("content-type") == "application/pdf"
    offset = int(document.body.split(b"startxref\n")[1].split()[0])
    assert document.body[offset : offset + 4] == b"xref"
    assert shelf.topic_of(document.url) is not None
    image = first_of(shelf, PageKind.IMAGE).body
    assert image.startswith(b"\x89PNG\r\n\x1a\n")
    packed = image[image.index(b"IDAT") + 4 : image.index(b"IEND") - 8]
    assert len(zlib.decompress(packed)) == 64 * 65


def test_pages_that_are_none(shelf: SyntheticShelf) -> None:
    errors = {first_of(shelf, PageKind.SERVER_ERROR, number).status for number in range(15)}
    assert errors == {500, 502, 503}
    lost = first_of(shelf, PageKind.SOFT_404)
    assert lost.status == 200
    assert "Page not found" in visible_text(lost)
    empty = first_of(shelf, PageKind.EMPTY)
    assert empty.status == 200
    assert "".join(visible_text(empty).split("var page")[0].split()) == ""
    for response in (lost, empty):
        assert shelf.topic_of(response.url) is None


def test_pages_differ_in_size_and_in_order(shelf: SyntheticShelf) -> None:
    sizes, torn, marked, closed = [], 0, 0, 0
    for page in range(0, shelf.knobs.pages, 4):
        if shelf.graph.kind(page) is not PageKind.ORDINARY:
            continue
        response = answered(shelf, parse_url(shelf.address(page)))
        sizes.append(len(response.body))
        torn += b"&nosuch;" in response.body
        marked += response.body.startswith(b"\xef\xbb\xbf")
        closed += b'content="index, nofollow"' in response.body
        assert len(visible_text(response)) > 500
    sizes.sort()
    assert sizes[len(sizes) // 20] > 2_000
    assert 20_000 < sizes[-5] < 60_000
    assert torn > 10
    assert marked > 5
    assert closed > 5


# ------------------------------------------------------------------------- the demo


def harvest(shelf: SyntheticShelf, *, focused: bool, budget: int) -> int:
    """Relevant pages among the first ``budget`` that a plain crawl fetches."""
    word = DEMO_TOPIC.split()[0]
    waiting: dict[Url, tuple[float, int]] = {
        url: (0.0, number) for number, url in enumerate(demo_seeds(shelf))
    }
    known = set(waiting)
    found = 0
    for _ in range(budget):
        url = min(waiting, key=waiting.__getitem__)
        del waiting[url]
        response = shelf.find(url)
        if response is None:
            continue
        found += shelf.is_relevant(url, DEMO_TOPIC)
        density = min(visible_text(response).lower().count(word) / 10, 1.0)
        for anchor in anchors(response):
            if anchor.target in known:
                continue
            known.add(anchor.target)
            hint = 2 * (word in anchor.text.lower()) + 0.5 * (word in anchor.context.lower())
            waiting[anchor.target] = (-(density + hint) if focused else 0.0, len(known))
    return found


def test_a_focused_crawl_of_the_demo_beats_breadth_first() -> None:
    shelf = demo_shelf()
    assert demo_topic() == (DEMO_TOPIC,)
    assert shelf.knobs.hosts >= 40
    relevant = sum(shelf.is_relevant(parse_url(text), DEMO_TOPIC) for text in shelf.urls())
    assert 0.08 <= relevant / shelf.knobs.pages <= 0.12
    focused = harvest(shelf, focused=True, budget=400)
    broad = harvest(shelf, focused=False, budget=400)
    assert focused > 2.5 * broad
    # More than the first island and its neighbourhood: tunnels were followed.
    assert focused > 3 * shelf.knobs.island_pages


def test_the_demo_is_served_by_a_real_server() -> None:
    shelf = demo_shelf()
    url = shelf.seeds(DEMO_TOPIC, 2)[1]
    expected = answered(shelf, url)
    with running_server(demo_shelf) as address:
        connection = HTTPConnection(address.host, address.port, timeout=20)
        try:
            connection.request("GET", url.text)
            response = connection.getresponse()
            assert (response.status, response.read()) == (200, expected.body)
            etag = response.headers["etag"]
            connection.request("GET", url.text, headers={"If-None-Match": etag})
            again = connection.getresponse()
            assert (again.status, again.read()) == (304, b"")
            connection.request("GET", url.text + "nothing")
            assert connection.getresponse().status == 404
        finally:
            connection.close()
