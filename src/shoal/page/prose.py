"""The words of a page: block by block, first all that can be seen, then what a reader came for.

1. A block is one paragraph, heading, list item or table cell, its white space collapsed; a text
   is blocks joined by newlines.
2. The main text is made of blocks of the visible text, in their order. Where no main text can
   be told from the rest, it is the whole visible text.
3. Time is linear in the length of the canonical form.

Main text is told from navigation by what Kohlschütter, Fankhauser and Nejdl (2010) found to be
enough: how many words a block has, how many of them are links, and what its neighbours are.
"""

from __future__ import annotations

import re
from itertools import compress
from typing import Final
from unicodedata import normalize

from shoal.page.canonical import (
    ARTICLE_CLOSE,
    ARTICLE_OPEN,
    ASIDE_CLOSE,
    ASIDE_OPEN,
    BREAK,
    CLOSE,
    HEADING,
    OPEN,
)

_HEADING_TAG: Final = re.compile(r"<h[1-6](?: [^>]*)?>")
_INLINE_TAG: Final = re.compile(
    r"</?(?:span|b|i|em|strong|su[bp]|small|code|font|u|tt|abbr|img|cite|big|q|s|kbd|var|samp|mark"
    r"|time|label|input|ins|del|dfn|wbr|acronym|strike|bd[io]|picture|source|ruby|r[btp]|data"
    r"|link|meta|[a-z]+-[a-z0-9-]+)(?: [^>]*)?>"
)
_BLOCK_TAG: Final = re.compile(r"<[^>]*>\s*")
_UNSPACED: Final = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]"
)
"""Letters of scripts written without spaces; two of them count as a word."""

_LONG_WORDS: Final = 12
"""A block of so many words is prose, unless it is mostly links."""
_LINK_SHARE: Final = 0.4
"""A block with a larger share of its characters in links is navigation."""
_GAP_WORDS: Final = 60
"""Short blocks between prose belong to it when they have no more words than this together ..."""
_GAP_BLOCKS: Final = 10
"""... or are no more than these; of a longer gap only the ends belong to it."""
_GAP_ENDS: Final = 2
_LEAD_BLOCKS: Final = 3
"""How far before the first prose its heading may stand."""
_ARTICLE_SHARE: Final = 0.4
"""Article elements are believed when they hold this share of the page's prose ..."""
_ASIDE_SHARE: Final = 0.25
"""... and asides are not when less than this would be left without them."""
MIN_MAIN_WORDS: Final = 50


_Row = tuple[str, int, float, bool, bool, bool]


class Blocks:
    """The visible text as parallel columns. ``texts`` have the marks of links; ``words`` and
    ``shares`` (of characters in links) are counted without."""

    __slots__ = ("articles", "asides", "headings", "shares", "texts", "words")

    def __init__(self, rows: list[_Row]) -> None:
        columns = zip(*rows, strict=True) if rows else ((),) * 6
        self.texts: tuple[str, ...]
        self.words: tuple[int, ...]
        self.shares: tuple[float, ...]
        self.headings: tuple[bool, ...]
        self.asides: tuple[bool, ...]
        self.articles: tuple[bool, ...]
        self.texts, self.words, self.shares, self.headings, self.asides, self.articles = columns


def read_blocks(markup: str) -> Blocks:
    """The blocks of ``markup``, which is in canonical form."""
    rows: list[_Row] = []
    aside = article = 0
    open_link = False
    for block in filter(None, _plain(markup).split(BREAK)):
        parts = block.split()
        if not parts:
            continue
        count = len(parts)
        text = " ".join(parts)
        first = text[0]
        if HEADING <= first <= ARTICLE_CLOSE:
            if first == HEADING:
                text = text[1:].lstrip()
            elif first == ASIDE_OPEN:
                aside += 1
                continue
            elif first == ASIDE_CLOSE:
                aside -= 1
                continue
            elif first == ARTICLE_OPEN:
                article += 1
                continue
            else:
                article -= 1
                continue
        share = 0.0
        if open_link or OPEN in text:
            share, open_link = _link_share(text, open_link)
        if len(text) > count * 12 and not text.isascii():
            count += len(_UNSPACED.findall(text)) // 2
        rows.append((text, count, share, first == HEADING, aside > 0, article > 0))
    return Blocks(rows)


def main_text(blocks: Blocks) -> str:
    """What a reader came for."""
    prose = [
        count >= _LONG_WORDS and share <= _LINK_SHARE
        for count, share in zip(blocks.words, blocks.shares, strict=True)
    ]
    allowed = _allowed(blocks, prose)
    kept = _kept(blocks, prose, allowed)
    words = blocks.words
    if sum(words[index] for index in kept) < MIN_MAIN_WORDS:
        return visible_text(blocks)
    texts = blocks.texts
    return unmarked("\n".join([texts[index] for index in kept]))


def visible_text(blocks: Blocks) -> str:
    return unmarked("\n".join(blocks.texts))


def unmarked(text: str) -> str:
    """``text`` without marks; a block that was nothing but marks leaves no line."""
    text = text.replace(OPEN, "").replace(CLOSE, "").replace(HEADING, "")
    while "\n\n" in text:
        text = text.replace("\n\n", "\n")
    return text.strip()


def _plain(markup: str) -> str:
    text = _HEADING_TAG.sub(BREAK + HEADING, markup)
    text = _INLINE_TAG.sub("", text)
    text = _BLOCK_TAG.sub(BREAK, text)
    if "&" in text:
        text = text.replace("&nbsp;", " ").replace("&lt;", "<").replace("&gt;", ">")
        text = text.replace("&amp;", "&")
    return text if text.isascii() else normalize("NFC", text)


def _link_share(text: str, open_link: bool) -> tuple[float, bool]:
    """The share of characters in links, and whether the last link goes on in the next block."""
    linked = 0
    pieces = text.split(OPEN)
    if not open_link:
        del pieces[0]
    for piece in pieces:
        end = piece.find(CLOSE)
        linked += len(piece) if end < 0 else end
    return min(1.0, linked / max(1, len(text) - 2 * len(pieces))), end < 0


def _allowed(blocks: Blocks, prose: list[bool]) -> list[bool]:
    """Which blocks may be main text: those in an article, where there is one worth its name, or
    else all, without those in an aside."""
    words, asides, articles = blocks.words, blocks.asides, blocks.articles
    every = sum(compress(words, prose))
    proper = [not aside for aside in asides]
    left = sum(count for count, good, yes in zip(words, prose, proper, strict=True) if good and yes)
    if left < _ASIDE_SHARE * every:
        proper = [True] * len(words)
        left = every
    inside = [yes and article for yes, article in zip(proper, articles, strict=True)]
    held = sum(count for count, good, yes in zip(words, prose, inside, strict=True) if good and yes)
    return inside if held and held >= _ARTICLE_SHARE * left else proper


def _kept(blocks: Blocks, prose: list[bool], allowed: list[bool]) -> list[int]:
    """Prose, the heading before it, and what short blocks stand between."""
    words, shares, headings = blocks.words, blocks.shares, blocks.headings
    kept: list[int] = []
    last = -1
    for index, good in enumerate(prose):
        if not (good and allowed[index]):
            continue
        if last < 0:
            near = range(max(0, index - _LEAD_BLOCKS), index)
            lead = next((near_index for near_index in near if headings[near_index]), index)
            gap = range(lead, index)
        else:
            gap = range(last + 1, index)
        if gap:
            between = [i for i in gap if allowed[i] and shares[i] <= _LINK_SHARE]
            if len(gap) > _GAP_BLOCKS and sum(words[gap.start : index]) > _GAP_WORDS:
                ends = (gap.start + _GAP_ENDS, index - _GAP_ENDS)
                between = [i for i in between if i < ends[0] or i >= ends[1]]
            kept.extend(between)
        kept.append(index)
        last = index
    return kept
