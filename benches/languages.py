"""Languages of real pages: the identifier, and the word list of the C4 thesis.

    python benches/languages.py SHARED [--update-docs]

The pages are those of the ``sites`` corpus, and the real pages in ``conformance/html.tar.xz``, that
have at least 50 terms; of several with one text, the first. The truth is what a page itself says:
``<html lang>``, else a meta element ``content-language``, else a folder of its Url that is named
after a language. Pages that say nothing are left out.

Pages that the identifier contradicts were read one by one. Where what the page says of itself was
wrong, ``READ`` has its language. Nobody read the pages that it agrees with, so these corrections
can only be in its favour: figures are given both ways, as the thesis gives them with and without
such noise.
"""

from __future__ import annotations

import argparse
import re
import tarfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from figures import say, table, update_docs

from shoal.archive.reader import iter_responses
from shoal.http.heads import make_head
from shoal.model import Page, Response
from shoal.page.language import FastTextLanguage
from shoal.page.parser import PageParser
from shoal.page.plain import TEXT_CHARACTERS
from shoal.page.word_list import COMMON_WORDS, WordList, english_words
from shoal.url import parse_url

DOCS = Path(__file__).resolve().parent.parent / "docs" / "explanation" / "languages.md"
MARK = "languages"
LEAST_TERMS = 50
BAR = 0.97
LEAST_LANGUAGES = 12
CUTOFFS = (0.4, 0.5, 0.6)
PUBLISHED = (
    ("C4, of its pages", "98.1 % / 56.4 %", "96.1 % / 73.8 %", "90.9 % / 82.6 %"),
    ("C4, with the truth put right", "–", "96.1 % / 90.2 %", "–"),
)
LONG_LIST = 45_402
SAYS = re.compile(rb"<html[^>]*?\blang\s*=\s*[\"']?([A-Za-z]{2,3})(?![A-Za-z])", re.IGNORECASE)
META = re.compile(rb"<meta[^>]*content-language[^>]*>", re.IGNORECASE)
CONTENT = re.compile(rb"content\s*=\s*[\"']?([A-Za-z]{2})(?![A-Za-z])", re.IGNORECASE)
FOLDER = re.compile(r"/(de|en|es|fi|fr|ja|ko|pl|pt|ru|tr|zh)/")
HEAD_BYTES = 20_000
REAL = "real-html/"

READ = {
    "http://wiki.gnumed.de/Gnumed/FaxIntegration.html": "ru",
    "http://wiki.gnumed.de/Gnumed/GmManualGermanKVKInterface.html": "de",
    "http://wiki.gnumed.de/Gnumed/GmManualServerUpgradeRu.html": "ru",
    "http://wiki.gnumed.de/Gnumed/LegacyAppAPW.html": "de",
    "http://wiki.gnumed.de/Gnumed/LegacyAppDocConcept.html": "de",
    "http://wiki.gnumed.de/Gnumed/LegacyAppTerminiko.html": "de",
    "readability/test/test-pages/liberation-1/source.html": "fr",
    "htmldate-1.1.1/tests/cache/rosneft.com.licensing.html": "en",
    "htmldate-1.1.1/tests/cache/befifty.montauk.html": "de",
    "htmldate-1.1.1/tests/cache/exporo.de.ezb.html": "de",
    "htmldate-1.1.1/tests/cache/verfassungsblog.de.decade.html": "en",
    "htmldate-1.1.1/tests/cache/medef.fr.dispute.html": "en",
    # Filler text: no language.
    "readability/test/test-pages/data-url-image/source.html": "",
    "readability/test/test-pages/missing-paragraphs/source.html": "",
    "readability/test/test-pages/hidden-nodes/source.html": "",
}


class Known(NamedTuple):
    """A page whose language is known."""

    name: str
    page: Page
    said: str
    true: str


def main() -> None:
    arguments = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    arguments.add_argument("shared", type=Path, help="the folder with the corpora")
    arguments.add_argument("--update-docs", action="store_true", help=f"rewrite {DOCS.name}")
    asked = arguments.parse_args()
    say("reading pages")
    pages = list(known_pages(asked.shared))
    whole = FastTextLanguage(TEXT_CHARACTERS)
    codes = [whole.identify(one.page.text).code for one in pages]
    markdown = "\n\n".join((identifier_table(pages, codes), wrong_list(pages, codes), lists(pages)))
    print(markdown)
    if asked.update_docs:
        update_docs(markdown, DOCS, MARK, f"python benches/{Path(__file__).name} ../shared")


# --------------------------------------------------------------------------- pages


def known_pages(shared: Path) -> Iterator[Known]:
    parser = PageParser()
    seen: set[str] = set()
    for name, response in responses(shared):
        said = language_said(response)
        page = parser.parse(response) if said else None
        if page is None or sum(page.terms.values()) < LEAST_TERMS or page.text in seen:
            continue
        seen.add(page.text)
        yield Known(name, page, said, READ.get(name, said))


def responses(shared: Path) -> Iterator[tuple[str, Response]]:
    for response in iter_responses(shared / "corpora" / "sites.warc.gz"):
        if response.status == 200:
            yield response.url.text, response
    headers = (("content-type", "text/html"),)
    with tarfile.open(shared / "conformance" / "html.tar.xz") as archive:
        for member in archive:
            name = member.name.removeprefix("./")
            wanted = name.startswith(REAL) and name.endswith(".html")
            file = archive.extractfile(member) if wanted else None
            if file is not None and not name.endswith("/expected.html"):
                body = file.read()
                url = parse_url("http://file.example/")
                head = make_head(200, headers)
                yield (
                    name.removeprefix(REAL),
                    Response(url, 200, head, headers, body, body, 0.0, 0.0),
                )


def language_said(response: Response) -> str:
    """Two letters, or nothing."""
    head = response.body[:HEAD_BYTES]
    found = SAYS.search(head)
    if found is None:
        meta = META.search(head)
        found = CONTENT.search(meta[0]) if meta else None
    if found is not None:
        return found[1].decode().lower()
    folder = FOLDER.search(response.url.path)
    return folder[1] if folder else ""


# --------------------------------------------------------------------------- tables


def identifier_table(pages: Sequence[Known], codes: Sequence[str]) -> str:
    counts = Counter(one.true for one in pages if one.true)
    rows = []
    for language, count in counts.most_common():
        rows.append((language, f"{count:,}", *shares(pages, codes, {language})))
    for name, chosen in (
        ("**all**", counts.keys()),
        ("all but English", counts.keys() - {"en"}),
    ):
        total = sum(counts[language] for language in chosen)
        rows.append((name, f"{total:,}", *shares(pages, codes, chosen)))
    means = [mean_of(pages, told, counts) for told in (codes, crawled(pages))]
    rows.append(("mean over languages", "", *means, "–"))
    whole = fraction(pages, codes, counts.keys())
    reached = whole >= BAR and len(counts) >= LEAST_LANGUAGES
    return (
        table(
            ("language", "pages", "whole text", "as a crawl reads it", "whole, as they say"), rows
        )
        + f"\n\nBar: {BAR:.0%} at full text in at least {LEAST_LANGUAGES} languages: "
        + f"{whole:.1%} in {len(counts)}, {'reached' if reached else '**not reached**'}. "
        + f"{sum(count < 10 for count in counts.values())} of the languages have fewer than ten "
        + "pages here, so little can be said of each of them."
    )


def shares(pages: Sequence[Known], codes: Sequence[str], chosen: Set[str]) -> tuple[str, str, str]:
    """Right by the whole text, right as a crawl reads it, and right by what pages say."""
    said = [one.said == code for one, code in zip(pages, codes, strict=True) if one.said in chosen]
    return (
        f"{fraction(pages, codes, chosen):.1%}",
        f"{fraction(pages, crawled(pages), chosen):.1%}",
        f"{sum(said) / len(said):.1%}" if said else "–",
    )


def crawled(pages: Iterable[Known]) -> list[str]:
    """The languages as a crawl tells them."""
    return [one.page.language.code for one in pages]


def mean_of(pages: Sequence[Known], codes: Sequence[str], languages: Iterable[str]) -> str:
    return f"{fmean(fraction(pages, codes, {one}) for one in languages):.1%}"


def fraction(pages: Sequence[Known], codes: Sequence[str], chosen: Set[str]) -> float:
    right = [one.true == code for one, code in zip(pages, codes, strict=True) if one.true in chosen]
    return sum(right) / max(1, len(right))


def wrong_list(pages: Sequence[Known], codes: Sequence[str]) -> str:
    wrong = [
        f"- `{one.name}`: {one.true}, told as {code}"
        for one, code in zip(pages, codes, strict=True)
        if one.true and one.true != code
    ]
    return "\n".join(("Told wrong by their whole text:", "", *wrong))


def lists(pages: Sequence[Known]) -> str:
    rows = [*PUBLISHED]
    for count in (COMMON_WORDS, LONG_LIST):
        words = english_words(count)
        name = f"{count:,} common English words"
        rows.append((name, *(both(pages, words, cutoff, "true") for cutoff in CUTOFFS)))
        rows.append(
            (f"{name}, as pages say", *(both(pages, words, cutoff, "said") for cutoff in CUTOFFS))
        )
    modern = crawled(pages)
    english = fraction(pages, modern, {"en"})
    foreign = [
        code != "en" for one, code in zip(pages, modern, strict=True) if one.true not in ("", "en")
    ]
    rows.append(
        (
            "the identifier, English or not",
            "–",
            f"{english:.1%} / {sum(foreign) / len(foreign):.1%}".replace("%", " %"),
            "–",
        )
    )
    heads = ("English pages / others told right", *(f"K = {cutoff}" for cutoff in CUTOFFS))
    return table(heads, rows)


def both(pages: Iterable[Known], words: WordList, cutoff: float, truth: str) -> str:
    right: Counter[bool] = Counter()
    total: Counter[bool] = Counter()
    for one in pages:
        language = str(getattr(one, truth))
        if language:
            english = language == "en"
            total[english] += 1
            right[english] += (words.share(one.page.terms) > cutoff) == english
    return " / ".join(f"{100.0 * right[which] / total[which]:.1f} %" for which in (True, False))


if __name__ == "__main__":
    main()
