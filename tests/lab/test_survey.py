"""What the lab knows of a web, and that what it keeps of pages is what the parser said."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.compose.crawl import make_parser, open_web
from shoal.lab.page_store import NOWHERE, PageStore, PageWriter, stored_page
from shoal.lab.survey import Survey, address_matcher, link_distances
from shoal.lab.survey_build import build_survey, read_survey
from shoal.model import Language, Link, LinkKind, Page, PageRules
from shoal.settings import Settings
from shoal.url import UrlParser, parse_url
from tests.lab.conftest import HOST
from tests.lab.small import survey

ACCEPT = Settings().fetch.accept


def surveyed(web: str, folder: Path) -> Survey:
    settings = Settings()
    with closing(open_web(web)) as shelf:
        parser, urls = make_parser(settings), UrlParser(settings.url)
        build_survey(shelf, parser, urls, ACCEPT, folder, lambda done, total: None)
    return read_survey(folder)


def number(found: Survey, path: str) -> int:
    there = found.number(parse_url(HOST + path))
    assert there is not None, path
    return there


def test_pages_and_links_of_a_folder(web: Path, tmp_path: Path) -> None:
    found = surveyed(str(web / "web"), tmp_path)
    assert found.pages == 39
    first = found.links.row(number(found, "/storm0.html")).tolist()
    assert first == [number(found, "/storm1.html"), number(found, "/index/")]
    assert number(found, "/bread4.html") == found.number(
        parse_url("https://www.web.example/bread4.html")
    )
    assert found.number(parse_url(HOST + "/gone.html")) is None


def test_every_stored_page_is_what_the_parser_says(web: Path, tmp_path: Path) -> None:
    found = surveyed(str(web / "web"), tmp_path)
    parser = make_parser(Settings())
    with (
        closing(PageStore(tmp_path)) as store,
        closing(open_web(str(web / "web"))) as shelf,
    ):
        for place, text in enumerate(found.urls):
            response = shelf.find(parse_url(text))
            assert response is not None
            assert store.page(place, response.url) == parser.parse(response)


def test_a_closed_page_has_only_links_that_lead_somewhere(web: Path, tmp_path: Path) -> None:
    found = surveyed(str(web / "web"), tmp_path)
    with closing(PageStore(tmp_path)) as store:
        page = number(found, "/storm0.html")
        url = parse_url(found.urls[page])
        everything = store.page(page, url)
        closed = store.page(page, url, np.ones(len(found.urls), np.bool_))
    assert everything is not None
    assert closed is not None
    there = ["/storm1.html", "/index/"]
    assert [link.target.path for link in everything.links] == [*there, "/gone.html"]
    assert [link.target.path for link in closed.links] == there


def test_redirects_that_a_synthetic_web_makes_up_are_followed(tmp_path: Path) -> None:
    found = surveyed("synthetic:pages=480,hosts=8,redirects=0.5", tmp_path)
    plain = surveyed("synthetic:pages=480,hosts=8,redirects=0", tmp_path)
    # Half the links are redirects, yet about as many lead to pages as where none is.
    assert len(found.links.values) > 0.9 * len(plain.links.values)


def test_what_is_for_robots_is_no_page(tmp_path: Path) -> None:
    found = surveyed("synthetic:pages=480,hosts=8", tmp_path)
    pages = [url for url, is_page in zip(found.urls, found.is_page, strict=True) if is_page]
    assert not [url for url in pages if url.endswith(("robots.txt", ".xml", ".xml.gz"))]


def test_hidden_pages_are_gone_and_nothing_links_to_them() -> None:
    whole = survey([[1, 2], [2], [0]])
    seen = whole.without(whole.hidden(["/2"]))
    assert seen.is_page.tolist() == [True, True, False]
    assert [seen.links.row(n).tolist() for n in range(3)] == [[1], [], []]
    assert whole.without(whole.hidden(["/none"])) is whole


@pytest.mark.parametrize(
    ("pattern", "address", "matches"),
    [
        ("/wp/index/*", "http://a.example/wp/index/subject.htm", True),
        ("/wp/index/*", "http://a.example/wp/other/index/", False),
        ("/wp/index/*", "http://a.example/x/wp/index/a", False),
        ("*.pdf", "http://a.example/b.pdf", True),
        ("http://a.example/*", "http://a.example/", True),
        ("http://a.example/*", "http://b.example/", False),
        ("/a.b", "http://a.example/acb", False),
        ("/a*c*", "http://a.example/abcd", True),
    ],
)
def test_patterns_of_addresses(pattern: str, address: str, matches: bool) -> None:
    assert address_matcher([pattern])(address) is matches
    assert not address_matcher([])(address)


def test_distances_are_the_fewest_links() -> None:
    web = survey([[1, 2], [3], [3], [], []])
    assert link_distances(web.links, [0]) == {0: 0, 1: 1, 2: 1, 3: 2}
    assert link_distances(web.links, [0, 3]) == {0: 0, 3: 0, 1: 1, 2: 1}


TEXT = st.text(max_size=20)


@given(st.data())
def test_any_page_comes_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    url = parse_url("http://a.example/x")
    made_links = data.draw(
        st.lists(
            st.builds(
                Link,
                st.just(url),
                st.sampled_from([parse_url("http://b.example/"), parse_url("https://c.example/é")]),
                st.sampled_from(LinkKind),
                TEXT,
                TEXT,
                st.lists(TEXT, max_size=2).map(tuple),
                st.floats(0, 1),
            ),
            max_size=4,
        ).map(tuple)
    )
    page = data.draw(
        st.builds(
            Page,
            st.just(url),
            TEXT,
            st.none() | TEXT,
            TEXT,
            TEXT,
            st.lists(TEXT, max_size=2).map(tuple),
            TEXT,
            st.dictionaries(TEXT, st.integers(1, 99), max_size=3),
            st.just(made_links),
            st.builds(Language, TEXT, st.floats(0, 1)),
            st.builds(PageRules, st.booleans(), st.booleans(), st.booleans()),
            TEXT,
            st.none() | st.integers(0, 2**64 - 1),
            st.booleans(),
        )
    )
    folder = tmp_path_factory.mktemp("store")
    writer = PageWriter(folder)
    writer.add(b"")
    writer.add(stored_page(page, [NOWHERE] * len(made_links)))
    writer.close()
    with closing(PageStore(folder)) as store:
        assert store.page(0, url) is None
        assert store.page(1, url) == page
