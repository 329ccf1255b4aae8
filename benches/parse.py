"""What parsing costs and how good its parts are, on the corpora in the shared folder.

python benches/parse.py costs       CPU time of each step, and of the libraries it could use
python benches/parse.py text        both texts against what people marked, beside resiliparse
python benches/parse.py language    how much text the language identifier needs
python benches/parse.py simhash     near copies found, and unrelated pages taken for copies
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import re
import tarfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from pathlib import Path

from fastwarc.warc import ArchiveIterator, WarcRecordType
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import HTMLTree
from selectolax.lexbor import LexborHTMLParser

from shoal.model import Page, Response
from shoal.page import dom
from shoal.page.encoding import decode
from shoal.page.fingerprint import digest, simhash
from shoal.page.language import FastTextLanguage
from shoal.page.links import Place, body_places, make_links
from shoal.page.main_text import read_main_text
from shoal.page.parser import PageParser
from shoal.page.visible import cut, visible_text
from shoal.page.walk import Walk, walk
from shoal.page.words import count_terms
from shoal.url import BadUrl, UrlParser, parse_url

SHARED = Path(
    os.environ.get("SHOAL_SHARED", Path(__file__).resolve().parent.parent.parent / "shared")
)


def responses(corpus: str, limit: int, step: int) -> Iterator[Response]:
    with (SHARED / "corpora" / f"{corpus}.warc.gz").open("rb") as file:
        records = ArchiveIterator(file, record_types=WarcRecordType.response, parse_http=True)
        for number, record in enumerate(records):
            if number >= limit * step:
                return
            if number % step or record.http_headers.status_code != 200:
                continue
            try:
                url = parse_url(record.headers["WARC-Target-URI"])
            except BadUrl:
                continue
            headers = tuple((k.lower(), v) for k, v in record.http_headers.astuples())
            body = record.reader.read()
            yield Response(url, 200, b"", headers, body, body, 0.0, 0.0)


def html_responses(corpus: str, limit: int, step: int) -> list[Response]:
    found = list(responses(corpus, limit, step))
    return [one for one in found if "html" in (one.header("content-type") or "")]


class Costs:
    """The least CPU time of each named step over several rounds, a page."""

    def __init__(self, pages: int) -> None:
        self.pages = pages
        self.best_s: dict[str, float] = {}

    def step(self, name: str, work: Callable[[], object], rounds: int = 3) -> None:
        for _ in range(rounds):
            before_s = time.process_time()
            work()
            spent_s = time.process_time() - before_s
            self.best_s[name] = min(spent_s, self.best_s.get(name, spent_s))

    def show(self) -> None:
        for name, spent_s in self.best_s.items():
            print(f"  {name:44} {spent_s / self.pages * 1e3:7.3f} ms")


def each(work: Callable[..., object], *columns: Iterable[object]) -> Callable[[], object]:
    rows = list(zip(*columns, strict=True))

    def run() -> None:
        for row in rows:
            work(*row)

    return run


def costs() -> None:
    for corpus, step in (("wiki", 13), ("sites", 20)):
        pages = html_responses(corpus, 300, step)
        kilobytes = sum(len(one.body) for one in pages) / len(pages) / 1e3
        parser = PageParser()
        parsed = [parser.parse(one) for one in pages]
        link_count = sum(len(page.links) for page in parsed) / len(pages)
        print(f"{corpus}: {len(pages)} pages, {kilobytes:.1f} kB and {link_count:.0f} Links each")
        measure_steps(pages, parsed)


def measure_steps(pages: Sequence[Response], parsed: Sequence[Page]) -> None:
    types = [one.header("content-type") or "" for one in pages]
    htmls = [decode(one.body, kind).utf8 for one, kind in zip(pages, types, strict=True)]
    walks = [walk(dom.parse_html(html)) for html in htmls]
    pieces = [cut(one.text) for one in walks]
    placed = [body_places(one.spots, cuts) for one, cuts in zip(walks, pieces, strict=True)]
    urls = UrlParser()
    languages = FastTextLanguage()
    languages.identify("load the model before the clock is looked at")
    texts, terms = [page.text for page in parsed], [page.terms for page in parsed]

    def tree_and_walk(html: bytes) -> None:
        walk(dom.parse_html(html))

    def cut_and_places(one: Walk) -> None:
        body_places(one.spots, cut(one.text))

    def make(one: Response, place: tuple[list[Place], str]) -> None:
        make_links(one.url, one.url, place[0], place[1], urls)

    # What this bench keeps is no part of the cost: a crawl drops its pages.
    gc.collect()
    gc.freeze()
    costs = Costs(len(pages))
    costs.step("whole parse()", each(PageParser(languages=languages).parse, pages))
    costs.step("  digest", each(digest, (one.payload for one in pages)))
    costs.step("  decode", each(decode, (one.body for one in pages), types))
    costs.step("  tree (selectolax)", each(dom.parse_html, htmls))
    costs.step("  tree and walk", each(tree_and_walk, htmls))
    costs.step("  visible text", each(visible_text, (one.text for one in walks), pieces))
    costs.step("  places of Links", each(cut_and_places, walks))
    costs.step("  Links", each(make, pages, placed))
    costs.step("  terms", each(count_terms, texts))
    costs.step("  language", each(languages.identify, texts))
    costs.step("  simhash", each(lambda counts: simhash(counts, 50), terms))

    def resiliparse_links(html: bytes) -> None:
        document = HTMLTree.parse_from_bytes(html, "utf-8").document
        assert document is not None
        for node in document.query_selector_all("a[href]").values():
            _ = (node.getattr("href"), node.text)

    def resiliparse_tree(html: bytes) -> None:
        HTMLTree.parse_from_bytes(html, "utf-8")

    def resiliparse_main(html: bytes) -> None:
        extract_plain_text(
            HTMLTree.parse_from_bytes(html, "utf-8"), main_content=True, list_bullets=False
        )

    def selectolax_links(html: bytes) -> None:
        for node in LexborHTMLParser(html).css("a[href]"):
            _ = (node.attributes.get("href"), node.text())

    costs.step("and for an export: read_main_text()", each(read_main_text, pages))
    costs.step("instead: selectolax tree", each(LexborHTMLParser, htmls))
    costs.step("instead: resiliparse tree", each(resiliparse_tree, htmls))
    costs.step("instead: selectolax tree, hrefs, anchors", each(selectolax_links, htmls))
    costs.step("instead: resiliparse tree, hrefs, anchors", each(resiliparse_links, htmls))
    costs.step("instead: resiliparse tree, main text", each(resiliparse_main, htmls))
    costs.show()


# --------------------------------------------------------------------------- main text


def main_texts() -> None:
    files: dict[str, bytes] = {}
    with tarfile.open(SHARED / "conformance" / "html.tar.xz") as archive:
        for member in archive:
            name = member.name.removeprefix("./")
            file = archive.extractfile(member) if name.startswith("real-html/") else None
            if file is not None:
                files[name] = file.read()
    cases: dict[str, list[tuple[str, str]]] = {"readability": [], "newspaper4k": []}
    for name, content in files.items():
        html = content.decode("utf-8", "replace")
        if name.endswith("/source.html"):
            body = LexborHTMLParser(files[name.replace("source", "expected")]).body
            cases["readability"].append((html, body.text(separator=" ") if body else ""))
        elif "/data/html/" in name:
            wanted = files.get(name.replace("/html/", "/txt/").replace(".html", ".txt"))
            if wanted is not None:
                cases["newspaper4k"].append((html, wanted.decode()))
    for extractor, extract in (
        ("shoal, main text", shoal_main),
        ("shoal, Page.text", shoal_text),
        ("resiliparse", resiliparse_text),
    ):
        for name, pages in cases.items():
            scores = sorted(f1(extract(html), wanted) for html, wanted in pages)
            mean, median = sum(scores) / len(scores), scores[len(scores) // 2]
            print(
                f"{extractor:16} {name:14} {len(scores):4} mean F1 {mean:.3f}, median {median:.3f}"
            )


def shoal_main(html: str) -> str:
    return read_main_text(made_response(html))


def shoal_text(html: str) -> str:
    return PageParser().parse(made_response(html)).text


def made_response(html: str) -> Response:
    body = html.encode("utf-8", "replace")
    headers = (("content-type", "text/html; charset=utf-8"),)
    return Response(parse_url("http://a.test/"), 200, b"", headers, body, body, 0.0, 0.0)


def resiliparse_text(html: str) -> str:
    return str(extract_plain_text(html, main_content=True, list_bullets=False))


def f1(found: str, wanted: str) -> float:
    left, right = (Counter(re.findall(r"\w+", words.lower())) for words in (found, wanted))
    return 2 * (left & right).total() / max(1, left.total() + right.total())


# --------------------------------------------------------------------------- language, simhash


def language_samples() -> None:
    parser = PageParser()
    texts = [page.text for page in map(parser.parse, responses("sites", 1_500, 5))]
    texts = [one for one in texts if len(one) >= 3_000]
    reference = [FastTextLanguage(5_000).identify(one).code for one in texts]
    print(f"{len(texts)} texts of 3,000 characters and more: {Counter(reference).most_common(8)}")
    for size in (80, 150, 200, 250, 300, 600, 1_000, 2_000):
        languages = FastTextLanguage(size)
        languages.identify("load the model before the clock is looked at")
        before_s = time.process_time()
        codes = [languages.identify(one).code for one in texts]
        spent_ms = (time.process_time() - before_s) / len(texts) * 1e3
        same = sum(a == b for a, b in zip(codes, reference, strict=True)) / len(texts)
        print(f"{size:6} characters: {same:.1%} as with 5,000, {spent_ms:.3f} ms")


def simhashes() -> None:
    parser = PageParser()
    pages = [page for page in map(parser.parse, responses("sites", 1_500, 5)) if page.simhash]
    near: Counter[tuple[int, str]] = Counter()
    for left, right in combinations(pages, 2):
        distance = ((left.simhash or 0) ^ (right.simhash or 0)).bit_count()
        if distance <= 6:
            shared = len(left.terms.keys() & right.terms.keys())
            share = shared / len(left.terms.keys() | right.terms.keys())
            band = "over 0.9" if share > 0.9 else "0.7 to 0.9" if share > 0.7 else "below 0.7"
            near[(distance, band)] += 1
    pair_count = len(pages) * (len(pages) - 1) // 2
    print(f"{len(pages)} pages, {pair_count} pairs; near ones by the share of common terms:")
    for (distance, band), count in sorted(near.items()):
        print(f"  {distance} bits, {band}: {count}")
    rng = random.Random(1)
    vocabulary = [term for page in pages[:300] for term in list(page.terms)[:50]]
    for share in (0.005, 0.01, 0.02, 0.05, 0.1):
        found = [distance_after(page, share, vocabulary, rng) <= 3 for page in pages[:600]]
        print(f"{share:.1%} of the words replaced: {sum(found) / len(found):.1%} within 3 bits")


def distance_after(page: Page, share: float, vocabulary: list[str], rng: random.Random) -> int:
    words = page.text.split()
    for _ in range(max(1, int(len(words) * share))):
        words[rng.randrange(len(words))] = rng.choice(vocabulary)
    changed = simhash(count_terms(" ".join((page.title, page.description, *words))), 1)
    return ((changed or 0) ^ (page.simhash or 0)).bit_count()


def main() -> None:
    benches = {
        "costs": costs,
        "text": main_texts,
        "language": language_samples,
        "simhash": simhashes,
    }
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("bench", choices=[*benches])
    benches[arguments.parse_args().bench]()


if __name__ == "__main__":
    main()
