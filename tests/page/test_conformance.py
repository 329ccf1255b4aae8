"""Other people's tests: every tree-construction row, and real pages with their main text."""

from __future__ import annotations

import re
from collections import Counter

from selectolax.lexbor import LexborHTMLParser

from shoal.page.canonical import canonical
from shoal.page.dom import parse_html
from shoal.page.main_text import read_main_text
from shoal.page.parser import PageParser
from shoal.testing.parser import check_page, response
from tests.page.conformance import archive_files, dat_rows

# The rows are older than two changes of the HTML standard that Lexbor follows.
SELECT = "the content of select is parsed like any other"
INSTRUCTION = "<? begins a processing instruction, not a comment"
TREE_FAILURES = {
    "html5test-com.dat:11": INSTRUCTION,
    "menuitem-element.dat:13": SELECT,
    "tests1.dat:29": SELECT,
    "tests1.dat:39": INSTRUCTION,
    "tests1.dat:43": INSTRUCTION,
    "tests1.dat:46": INSTRUCTION,
    "tests1.dat:101": SELECT,
    "tests10.dat:3": SELECT,
    "tests10.dat:4": SELECT,
    "tests10.dat:16": SELECT,
    "tests10.dat:17": SELECT,
    "tests18.dat:13": SELECT,
    "tests18.dat:14": SELECT,
    "tests7.dat:30": SELECT,
    "tests9.dat:4": SELECT,
    "tests9.dat:5": SELECT,
    "tests9.dat:17": SELECT,
    "tests9.dat:18": SELECT,
}
TREES = "html5lib-tests/tree-construction/"


def test_every_tree_construction_row() -> None:
    """Rows for fragments and for scripting are not ours: whole pages are parsed, without it."""
    failures = set()
    compared = 0
    for row in dat_rows(TREES):
        if "document" not in row.sections or {"document-fragment", "script-on"} & set(row.sections):
            continue
        compared += 1
        wanted = re.sub(r"^\| ", "", row.sections["document"].decode(), flags=re.MULTILINE)
        tree = LexborHTMLParser(row.sections["data"].decode())
        if (tree.html_pretty(html5test=True) or "").rstrip("\n") != wanted.rstrip("\n"):
            failures.add(row.name)
    assert compared == 1516
    assert failures == set(TREE_FAILURES)


def test_every_row_and_every_wpt_syntax_page_is_a_page() -> None:
    parser = PageParser()
    for row in dat_rows(TREES):
        check_page(parser.parse(response(row.sections["data"])))
    for content in archive_files("wpt/html/syntax/").values():
        check_page(parser.parse(response(content)))


def test_every_real_page_and_every_page_in_an_old_encoding_is_a_page() -> None:
    parser = PageParser()
    pages = 0
    for prefix in ("real-html/", "wpt/encoding/", "wpt/mimesniff/"):
        for name, content in archive_files(prefix).items():
            if name.endswith((".html", ".htm", ".xhtml")):
                check_page(parser.parse(response(content)))
                pages += 1
    assert pages == 521


def test_the_canonical_form_has_only_whole_tags() -> None:
    whole = re.compile(r"[^<>]*+(?:<[^>]*+>[^<>]*+)*+")
    for row in dat_rows(TREES):
        markup = canonical(parse_html(row.sections["data"]))
        assert whole.fullmatch(markup), row.name


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text.lower()))


def f1(found: str, wanted: str) -> float:
    left, right = words(found), words(wanted)
    both = (left & right).total()
    return 2 * both / (left.total() + right.total()) if both else 0.0


def main_of(html: bytes) -> str:
    return read_main_text(response(html, "text/html; charset=utf-8"))


def test_main_text_of_readability_pages() -> None:
    files = archive_files("real-html/readability/test/test-pages/")
    scores = []
    for name, content in files.items():
        if name.endswith("/source.html"):
            wanted = files[name.replace("source.html", "expected.html")]
            body = LexborHTMLParser(wanted).body
            assert body is not None
            scores.append(f1(main_of(content), body.text(separator=" ")))
    assert len(scores) == 130
    assert sum(scores) / len(scores) > 0.92
    assert sorted(scores)[len(scores) // 2] > 0.97


def test_main_text_of_newspaper_pages() -> None:
    files = archive_files("real-html/newspaper4k-0.9.4/tests/data/")
    scores = []
    for name, content in files.items():
        wanted = files.get(name.replace("/html/", "/txt/").replace(".html", ".txt"))
        if name.endswith(".html") and wanted is not None:
            scores.append(f1(main_of(content), wanted.decode()))
    assert len(scores) == 23
    assert sum(scores) / len(scores) > 0.88
