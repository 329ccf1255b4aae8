"""Known Urls that are spelt nearly as one that is not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from shoal.model import Known
from shoal.ports import Ledger
from shoal.url import BadUrl, Url, parse_url


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A known Url that is spelt nearly the same."""

    url: str
    difference: str
    state: str
    above: bool = False
    """It is the nearest known address above, not another spelling."""


def neighbours(
    ledger: Ledger, url: Url, parse: Callable[[str], Url] = parse_url
) -> tuple[Neighbour, ...]:
    """Known Urls spelt nearly as ``url``, and the nearest known one above it."""
    found: dict[str, Neighbour] = {}
    for text, difference in _spellings(url):
        known = find(ledger, text, parse)
        if known is not None and known.url != url.text and known.url not in found:
            found[known.url] = Neighbour(known.url, difference, known.state.value)
    for text in _above(url):
        known = find(ledger, text, parse)
        if known is not None and known.url != url.text and known.url not in found:
            state = known.state.value
            found[known.url] = Neighbour(known.url, "it stands above", state, above=True)
            break
    return tuple(found.values())


def find(ledger: Ledger, text: str, parse: Callable[[str], Url] = parse_url) -> Known | None:
    """What the Ledger knows of an address; None also where the text is none."""
    try:
        return ledger.find(parse(text))
    except BadUrl:
        return None


def _spellings(url: Url) -> Iterator[tuple[str, str]]:
    """Other spellings of ``url``: small differences first."""
    other = "http" if url.scheme == "https" else "https"
    turned = url.host_key.removeprefix("www.")
    if turned == url.host_key:
        turned = f"www.{url.host_key}"
    hosts = (
        (url.scheme, url.host_key, ""),
        (other, url.host_key, f"it differs in {other} for {url.scheme}"),
        (url.scheme, turned, "it differs in www."),
        (other, turned, f"it differs in www. and in {other} for {url.scheme}"),
    )
    query = f"?{url.query}" if url.query else ""
    slashed = url.path.rstrip("/") if url.path.endswith("/") else f"{url.path}/"
    for scheme, host, difference in hosts:
        start = f"{scheme}://{host}"
        also = f"{difference} and" if difference else "it differs in"
        if difference:
            yield f"{start}{url.path}{query}", difference
        if slashed:
            yield f"{start}{slashed}{query}", f"{also} its closing slash"
        if query:
            yield f"{start}{url.path}", f"{also} having no query"
        if url.path != url.path.lower():
            yield f"{start}{url.path.lower()}{query}", f"{also} lower-case letters"


def _above(url: Url) -> Iterator[str]:
    path = url.path.rstrip("/")
    while path:
        path = path.rpartition("/")[0]
        yield f"{url.origin}{path}/"
        if path:
            yield f"{url.origin}{path}"
