"""The marked text of a walk cut at its marks: anchors, what stands around them, and the visible
words without menus.

1. A text is blocks joined by newlines, without marks; no white space is at the ends of a block and
   no run of spaces inside, no block is empty.
2. Asides are left out, and runs of links with next to nothing between them. Where little but these
   is on a page, its text is all there is.
3. Time is linear: every loop in Python is over links or blocks, and never over words.
"""

from __future__ import annotations

from itertools import chain
from typing import Final, NamedTuple

from shoal.page.walk import ASIDE_CLOSE, ASIDE_OPEN, CLOSE, OPEN

MENU_LINKS: Final = 4
"""So many links in a row are a menu ..."""
_GAP_CHARACTERS: Final = 3
"""... when no more than this is between two of them. A comma is what links in a sentence have."""
_LEAST_CHARACTERS: Final = 250
_LEAST_SHARE: Final = 0.25
"""With less than this left, what was left out was no menu."""


class Pieces(NamedTuple):
    """A text in turns: what is before the first anchor, the first anchor, what follows it, ..."""

    first: str
    anchors: list[str]
    rests: list[str]
    """What stands between each anchor and the next."""


def cut(marked: str) -> Pieces:
    if ASIDE_OPEN in marked:
        marked = marked.replace(ASIDE_OPEN, "").replace(ASIDE_CLOSE, "")
    first, *pieces = marked.split(OPEN)
    anchors, rests = [], []
    for piece in pieces:
        anchor, _, rest = piece.partition(CLOSE)
        anchors.append(anchor)
        # Anchors that broken markup puts inside one another end with the inner one.
        rests.append(rest.replace(CLOSE, "") if CLOSE in rest else rest)
    return Pieces(first, anchors, rests)


def visible_text(marked: str, pieces: Pieces) -> str:
    """``pieces`` are those of ``marked``."""
    proper = cut(_without_asides(marked)) if ASIDE_OPEN in marked else pieces
    text = _lines(_without_menus(proper))
    if len(text) >= _LEAST_CHARACTERS and len(text) >= _LEAST_SHARE * len(marked):
        return text
    first, anchors, rests = pieces
    around = chain.from_iterable(zip(anchors, rests, strict=True))
    every = _lines("".join([first, *around]))
    return text if len(text) >= max(_LEAST_CHARACTERS, _LEAST_SHARE * len(every)) else every


def _without_asides(marked: str) -> str:
    first, *pieces = marked.split(ASIDE_OPEN)
    kept = [first]
    depth = 0
    for piece in pieces:
        depth += 1
        inside = piece.split(ASIDE_CLOSE, depth)
        depth -= len(inside) - 1
        if not depth:
            kept.append(inside[-1])
    return "".join(kept)


def _without_menus(pieces: Pieces) -> str:
    first, anchors, rests = pieces
    kept = [first]
    begun = 0
    last = len(anchors) - 1
    for index, rest in enumerate(rests):
        gap = rest.strip()
        if len(gap) <= _GAP_CHARACTERS and "," not in gap and index < last:
            continue
        if index - begun + 1 < MENU_LINKS:
            for linked in range(begun, index):
                kept.append(anchors[linked])
                kept.append(rests[linked])
            kept.append(anchors[index])
        kept.append(rest)
        begun = index + 1
    return "".join(kept)


def _lines(text: str) -> str:
    text = text.replace("\t", " ").replace("\xa0", " ")
    lines = [line for line in map(str.strip, text.split("\n")) if line]
    text = "\n".join(lines)
    if "  " not in text:
        return text
    return " ".join([part for part in map(str.strip, text.split("  ")) if part])
