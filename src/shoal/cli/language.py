"""`shoal language`: what language pages are in, told in two ways."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec
import typer
from rich.console import Console
from rich.markup import escape

from shoal import wording
from shoal.cli.app import app
from shoal.cli.options import AsJson
from shoal.page.word_list import CUTOFF


class Told(NamedTuple):
    """What is said of one page."""

    page: str
    language: str
    """By the identifier; ``und`` where it cannot tell."""
    confidence: float
    listed_share: float
    """Of the page's words, those in the list."""
    listed: bool
    """Whether that is more than the cutoff: the page is in the language of the list."""


@app.command(epilog="Example: `shoal language page.html more-pages/ --words /usr/share/dict/words`")
def language(
    pages: Annotated[
        list[str],
        typer.Argument(
            help="Files, folders, WARC files, or addresses in --web.",
            metavar="PAGES...",
            show_default=False,
        ),
    ],
    web: Annotated[
        str | None,
        typer.Option(
            "--web", help="Where the pages of addresses are frozen.", metavar="WARC_OR_DIR"
        ),
    ] = None,
    words: Annotated[
        Path | None,
        typer.Option(
            help="A list of a language's words, one a line; without it, 10,000 of English.",
            metavar="FILE",
            show_default=False,
        ),
    ] = None,
    cutoff: Annotated[
        float,
        typer.Option(
            help="A page with a larger share of listed words is in the language of the list.",
            min=0,
            max=1,
        ),
    ] = CUTOFF,
    whole: Annotated[
        bool,
        typer.Option(
            "--whole", help="Identify by the whole text; crawls read its first 250 characters."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """The language of each page by the identifier, and by the share of its words in a list."""
    from shoal.labelled import read_pages
    from shoal.page.language import FastTextLanguage
    from shoal.page.plain import TEXT_CHARACTERS
    from shoal.page.word_list import english_words, read_word_list

    listed = english_words() if words is None else read_word_list(words)
    identifier = FastTextLanguage(TEXT_CHARACTERS)
    console = Console()
    for one in read_pages(pages, web):
        page = one.page
        found = identifier.identify(page.text) if whole else page.language
        share = listed.share(page.terms)
        told = Told(one.name, found.code, found.confidence, share, share > cutoff)
        if as_json:
            print(msgspec.json.encode(told._asdict()).decode())
        else:
            console.print(
                f"[bold]{escape(told.language)}[/] {told.confidence:.2f}  "
                f"{wording.share(share)} {'listed' if told.listed else 'listed, too few'}  "
                f"{escape(wording.plain(told.page))}",
                highlight=False,
                soft_wrap=True,
            )
