"""One walk over the tree: what the head says, the headings, and the body's text with marks.

1. The text has the mark OPEN where an anchor begins and CLOSE where it ends, in the order of
   ``spots``; areas and frames have both at their place, with nothing between.
2. ASIDE_OPEN and ASIDE_CLOSE stand around navigation and the like, in pairs, and may be nested.
3. A newline is between two blocks and nowhere else. Other white space is as written.
4. The text is in NFC. Title, headings and attributes are as written, but for entities.

The marks are characters that ``dom.parse_html`` leaves in no tree. The whole tree is listed once
in C, and Python looks only at the elements that mean something: this is the hottest loop of a
crawl but for the one that counts words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Final, NamedTuple
from unicodedata import normalize

from selectolax.lexbor import LexborHTMLParser, LexborNode

from shoal.model import LinkKind
from shoal.page.head import Head, HeadReader

OPEN: Final = "\x01"
CLOSE: Final = "\x02"
ASIDE_OPEN: Final = "\x04"
ASIDE_CLOSE: Final = "\x05"
_BREAK: Final = "\x0b"
MAX_HEADINGS: Final = 50

Attributes = dict[str, str | None]


Spot = tuple[LinkKind, str, Attributes]
"""An element of the body that points somewhere: its kind, where it points, and its attributes."""


class Walk(NamedTuple):
    head: Head
    headings: list[str]
    spots: list[Spot]
    text: str


# What is put before and after an element. A cell or an item is followed by another one, or by
# the end of what is a block itself.
_BLOCKS: Final = (
    "p div ul ol dl table section article main hgroup address blockquote "
    "center details dir fieldset figcaption figure hr legend menu optgroup pre summary caption"
)
_CELLS: Final = "li td th tr dt dd br option"
_ASIDES: Final = "nav aside footer form button dialog"
_LEAVES: Final = "script style template noembed noframes xmp plaintext textarea"
"""Elements without words for a reader, and without elements."""
_TREES: Final = "select svg math canvas"
"""Elements without words for a reader, and with elements."""


class _Reader:
    """Collects what the walk comes across."""

    __slots__ = ("head", "headings", "spots")

    def __init__(self) -> None:
        self.head = HeadReader()
        self.headings: list[str] = []
        self.spots: list[Spot] = []

    def anchor(self, node: LexborNode) -> None:
        told = node.attributes
        href = told.get("href")
        if href is not None:
            node.insert_before(b"\x01")
            node.insert_after(b"\x02")
            self.spots.append((LinkKind.ANCHOR, href, told))

    def area(self, node: LexborNode) -> None:
        told = node.attributes
        href = told.get("href")
        if href is not None:
            self._place(node, (LinkKind.AREA, href, told))

    def frame(self, node: LexborNode) -> None:
        told = node.attributes
        href = told.get("src")
        if href is not None:
            self._place(node, (LinkKind.FRAME, href, told))
        node.decompose()

    def _place(self, node: LexborNode, spot: Spot) -> None:
        node.insert_before(b"\x01\x02")
        self.spots.append(spot)

    def image(self, node: LexborNode) -> None:
        alt = node.attributes.get("alt")
        if alt:
            node.insert_before(f" {alt} ")

    def heading(self, node: LexborNode) -> None:
        if len(self.headings) < MAX_HEADINGS:
            self.headings.append(node.text())
        node.insert_before(b"\x0b")
        node.insert_after(b"\x0b")

    def header(self, node: LexborNode) -> None:
        """The header of the page, and not of an article, is navigation."""
        parent = node.parent
        of_page = parent is not None and parent.tag == "body"
        node.insert_before(b"\x0b\x04" if of_page else b"\x0b")
        node.insert_after(b"\x05\x0b" if of_page else b"\x0b")

    def unread(self, node: LexborNode) -> None:
        node.decompose()

    def title(self, node: LexborNode) -> None:
        self.head.title(node)

    def base(self, node: LexborNode) -> None:
        self.head.base(node)

    def meta(self, node: LexborNode) -> None:
        self.head.meta(node)

    def link(self, node: LexborNode) -> None:
        self.head.link(node)


_READERS: Final = {
    "a": _Reader.anchor,
    "area": _Reader.area,
    "frame": _Reader.frame,
    "iframe": _Reader.frame,
    "img": _Reader.image,
    "title": _Reader.title,
    "base": _Reader.base,
    "meta": _Reader.meta,
    "link": _Reader.link,
    "header": _Reader.header,
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), _Reader.heading),
}


class _Plan(NamedTuple):
    """What is done with an element, by Lexbor's number for its name: what is put before and after
    it, or who reads it."""

    marks: dict[int, tuple[bytes, bytes]]
    readers: Mapping[int, Callable[[_Reader, LexborNode], None]]
    trees: dict[int, str]


@cache
def _plan() -> _Plan:
    tree = LexborHTMLParser("")

    def numbers(names: Iterable[str]) -> dict[int, str]:
        return {tree.create_node(name).tag_id: name for name in names}

    line = _BREAK.encode()
    aside = (f"{_BREAK}{ASIDE_OPEN}".encode(), f"{ASIDE_CLOSE}{_BREAK}".encode())
    marks = dict.fromkeys(numbers(_BLOCKS.split()), (line, line))
    marks |= dict.fromkeys(numbers(_CELLS.split()), (line, b""))
    marks |= dict.fromkeys(numbers(_ASIDES.split()), aside)
    readers = dict.fromkeys(numbers(_LEAVES.split()), _Reader.unread)
    readers |= {number: _READERS[name] for number, name in numbers(_READERS).items()}
    return _Plan(marks, readers, numbers(_TREES.split()))


def walk(tree: LexborHTMLParser) -> Walk:
    """Takes ``tree`` apart: what else is wanted of it must be read before."""
    marks, readers, trees = _plan()
    nodes = tree.tags("*")
    numbers = [node.tag_id for node in nodes]
    if not trees.keys().isdisjoint(numbers):
        tree.strip_tags([trees[number] for number in trees.keys() & numbers])
        nodes = tree.tags("*")
        numbers = [node.tag_id for node in nodes]
    reader = _Reader()
    for node, number in zip(nodes, numbers, strict=True):
        if number in marks:
            before, after = marks[number]
            node.insert_before(before)
            if after:
                node.insert_after(after)
        elif number in readers:
            readers[number](reader, node)
    root, body = tree.root, tree.body
    if root is not None:
        reader.head.language = root.attributes.get("lang") or ""
    text = body.text() if body is not None else ""
    text = text.replace("\n", " ").replace(_BREAK, "\n")
    if not text.isascii():
        text = normalize("NFC", text)
    return Walk(reader.head.done(), reader.headings, reader.spots, text)
