"""PageParser keeps the contract of Parser, and what it promises beyond."""

from __future__ import annotations

import re
import unicodedata

import pytest

from shoal.model import Language, LinkKind, PageRules
from shoal.page.dom import MAX_REOPENED
from shoal.page.parser import HEADING_CHARACTERS, TITLE_CHARACTERS, PageParser
from shoal.page.walk import MAX_HEADINGS
from shoal.settings import DuplicateSettings
from shoal.testing.parser import HOSTILE, ParserContract, response

PROSE = "The tide rises and falls twice a day because the moon pulls at the water of the sea. " * 6
PAGE = f"""<!DOCTYPE html><html lang="en"><head><title> On  tides </title>
<meta name="description" content="What moves the sea"><meta name=robots content="noarchive">
</head><body><nav><a href=/>Home</a> <a href=/about>About us</a></nav>
<h1>Tides</h1><p>{PROSE}</p><h2>Spring &amp; neap</h2><p>{PROSE}</p>
<script>var hidden = "<p>never shown</p>";</script><!-- <p>nor this</p> -->
<footer>Copyright nobody</footer></body></html>""".encode()


class TestPageParser(ParserContract):
    def make_parser(self) -> PageParser:
        return PageParser()


class SilentLanguages:
    def identify(self, text: str, hint: str = "") -> Language:
        return Language(hint or "und", 1.0)


def test_a_page_has_everything_a_page_has() -> None:
    page = PageParser().parse(response(PAGE, "text/html; charset=utf-8"))
    assert page.media_type == "text/html"
    assert page.charset == "utf-8"
    assert page.title == "On tides"
    assert page.description == "What moves the sea"
    assert page.headings == ("Tides", "Spring & neap")
    assert page.text.split("\n") == ["Tides", PROSE.strip(), "Spring & neap", PROSE.strip()]
    assert page.terms["moon"] == 12
    assert page.terms["sea"] == 13, "title and description count"
    assert page.language.code == "en"
    assert page.rules == PageRules(archive=False)
    assert page.simhash is not None
    assert not page.soft_404


def test_the_digest_is_of_the_payload_as_warc_files_write_it() -> None:
    # The well-known SHA-1 of nothing.
    assert PageParser().parse(response(b"")).digest == "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"


def test_a_page_without_main_text_has_all_its_visible_text() -> None:
    body = b"<nav><a href=/a>One</a></nav><p>Few words.</p><footer>End</footer>"
    assert PageParser().parse(response(body)).text == "One\nFew words.\nEnd"


def test_plain_text_has_its_first_line_as_title_and_no_links() -> None:
    body = "\n\n  Léon's   log \nfirst day http://a.test/\n\n\nsecond  day".encode()
    page = PageParser().parse(response(body, "text/plain"))
    assert page.title == "Léon's log"
    assert page.text == "Léon's log\nfirst day http://a.test/\nsecond day"
    assert page.links == ()
    assert page.terms["day"] == 2


def test_text_is_composed_and_free_of_control_characters() -> None:
    body = "<title>Cafe\u0301 \u0085x</title><p>nai\u0308ve &#1;&#x3;&#11;\x02\x05 text".encode()
    page = PageParser().parse(response(body, "text/html; charset=utf-8"))
    for text in (page.title, page.text):
        assert unicodedata.is_normalized("NFC", text)
        assert all(character.isprintable() for character in text)
    assert page.title == "Café x"
    assert page.text == "naïve text"


def test_everything_is_bounded() -> None:
    body = (
        b"<title>"
        + b"t" * 9_999
        + b"</title>"
        + b"<h1>"
        + b"h" * 999
        + b"</h1>"
        + b"<h2>x</h2>" * 99
    )
    page = PageParser().parse(response(body))
    assert len(page.title) == TITLE_CHARACTERS
    assert len(page.headings) == MAX_HEADINGS
    assert len(page.headings[0]) == HEADING_CHARACTERS


def test_the_title_falls_back_to_open_graph_and_then_to_the_heading() -> None:
    parser = PageParser()
    graph = b"<meta property='og:title' content='Graph'><h1>Heading</h1>"
    assert parser.parse(response(graph)).title == "Graph"
    assert parser.parse(response(b"<h1>Heading</h1>")).title == "Heading"
    assert parser.parse(response(b"<svg><title>Icon</title></svg><h1>Heading</h1>")).title


def test_base_moves_links_and_a_bad_base_does_not() -> None:
    parser = PageParser()
    for base, expected in (
        ("http://other.test/deep/", "http://other.test/deep/x"),
        ("/rooted/", "http://www.example.test/rooted/x"),
        ("data:text/plain,x", "http://www.example.test/x"),
        ("http://[", "http://www.example.test/x"),
    ):
        page = parser.parse(response(f"<base href='{base}'><a href=x>x</a>".encode()))
        assert [link.target.text for link in page.links] == [expected]


def test_a_page_with_much_formatting_loses_no_word_and_no_link() -> None:
    parser = PageParser()
    lines = [f"<p>One <B class=x>t</B>wo <a href=/{n}>th<i>re</i>e</a></p>" for n in range(1_500)]
    formatted = "".join(lines)
    plain = re.sub("</?(B|i)[^>]*>", "", formatted)
    assert formatted.count("<") ** 2 // 4 > MAX_REOPENED
    with_it, without = (parser.parse(response(text.encode())) for text in (formatted, plain))
    assert (with_it.text, with_it.links) == (without.text, without.links)
    assert "two three" in with_it.text


def test_rules_come_from_meta_our_own_meta_and_header() -> None:
    parser = PageParser()
    body = b"<meta name=ROBOTS content=NoIndex><meta name=Shoal content='nofollow'>"
    headers = (("x-robots-tag", "otherbot: none"), ("x-robots-tag", "noarchive"))
    assert parser.parse(response(body, headers=headers)).rules == PageRules(False, False, False)
    pdf = parser.parse(response(b"%PDF-1.4", "application/pdf", headers=headers))
    assert pdf.rules == PageRules(archive=False)


def test_the_robots_agent_is_an_argument() -> None:
    body = b"<meta name=shoal content=noindex><meta name=other content=nofollow>"
    assert PageParser(robots_agent="other").parse(response(body)).rules == PageRules(follow=False)


def test_the_lang_attribute_is_a_hint_for_the_language_identifier() -> None:
    parser = PageParser(languages=SilentLanguages())
    assert parser.parse(response(b"<html lang=de-AT><p>x")).language == Language("de-AT", 1.0)


def test_no_simhash_without_near_duplicates_or_enough_words() -> None:
    assert (
        PageParser(duplicates=DuplicateSettings(near=False)).parse(response(PAGE)).simhash is None
    )
    assert (
        PageParser(duplicates=DuplicateSettings(min_words=999)).parse(response(PAGE)).simhash
        is None
    )


def test_a_frameset_has_its_frames_as_links() -> None:
    body = b"<frameset><frame src=menu.html><frame src=main.html></frameset>"
    page = PageParser().parse(response(body))
    assert [link.kind for link in page.links] == [LinkKind.FRAME] * 2


def test_html_cut_short_by_its_tag_limit_keeps_what_came_before() -> None:
    page = PageParser().parse(response(b"<a href=first>first</a>" + HOSTILE["attributes"]))
    assert [link.anchor for link in page.links] == ["first"]


@pytest.mark.parametrize("status", [200, 404])
def test_a_soft_404_is_told_apart_from_a_real_one(status: int) -> None:
    page = PageParser().parse(response(b"<title>Page not found</title>Sorry.", status=status))
    assert page.soft_404 == (status == 200)
