"""Reads pages of a synthetic web the way a crawler would: through a real HTML parser."""

from __future__ import annotations

from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser

from shoal.lab.synthetic import SyntheticShelf
from shoal.model import Response
from shoal.url import Url, parse_url


class Anchor(NamedTuple):
    target: Url
    text: str
    context: str


def answered(shelf: SyntheticShelf, url: Url) -> Response:
    response = shelf.find(url)
    assert response is not None, url
    return response


def anchors(response: Response, selector: str = "a[href]") -> list[Anchor]:
    if not (response.header("content-type") or "").startswith("text/html"):
        return []
    found = []
    for node in LexborHTMLParser(response.body).css(selector):
        around = node.parent.text() if node.parent is not None else ""
        target = parse_url(node.attributes["href"] or "", response.url)
        found.append(Anchor(target, node.text(), around))
    return found


def visible_text(response: Response) -> str:
    body = LexborHTMLParser(response.body).body
    return body.text(separator=" ") if body is not None else ""


def after_redirects(shelf: SyntheticShelf, url: Url) -> Url | None:
    """Where a reader ends who follows redirects; None at an address that is not there."""
    for _ in range(4):
        response = shelf.find(url)
        if response is None:
            return None
        location = response.header("location")
        if location is None:
            return url
        url = parse_url(location, url)
    raise AssertionError(f"too many redirects: {url}")
