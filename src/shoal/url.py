"""Url: a canonical address. The only way to make one is to parse it.

1. Parsing a Url's own text with the same settings gives that Url again.
2. A Url is http or https, in ASCII, with a host that a name server or a socket can take.
3. Parsing never asks the network and never raises anything but BadUrl.

How the policy came to be what it is stands in ``docs/explanation/urls.md``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import ada_url
import xxhash

from shoal.settings import UrlSettings
from shoal.surt import surt as surt
from shoal.url_policy import (
    INDEX_FILE,
    SESSION_PARAMETER,
    SESSION_SEGMENT,
    Meaning,
    is_session_value,
    meaning_of,
    mend,
    percent_normal,
)

if TYPE_CHECKING:
    from tldextract import TLDExtract

LONGEST_CHARACTERS: Final = 20_000
"""What is longer is no address but data in the wrong place."""
CACHED_LINKS: Final = 16_384
"""Links that one UrlParser remembers the Urls of ..."""
CACHED_CHARACTERS: Final = 500
"""... where the link is not longer than this."""


class BadUrl(ValueError):
    """What was given cannot be made a Url; the message says why."""


class Url:
    """A canonical http or https address. Equal when the text is equal."""

    __slots__ = ("_authority_end", "text")

    def __init__(self, text: str, authority_end: int) -> None:
        """For UrlParser only: everybody else parses."""
        self.text = text
        self._authority_end = authority_end

    @property
    def scheme(self) -> str:
        return "https" if self.text[4] == "s" else "http"

    @property
    def origin(self) -> str:
        """Scheme, host and port: whose robots.txt counts."""
        return self.text[: self._authority_end]

    @property
    def host_key(self) -> str:
        """Host, and port where it is not the scheme's own: whose politeness counts."""
        text = self.text
        return text[8 if text[4] == "s" else 7 : self._authority_end]

    @property
    def host(self) -> str:
        """The host name or address, without port; IPv6 in brackets."""
        key = self.host_key
        if ":" not in key or key[-1] == "]":
            return key
        return key.rpartition(":")[0]

    @property
    def port(self) -> int:
        key = self.host_key
        if ":" in key and key[-1] != "]":
            return int(key.rpartition(":")[2])
        return 443 if self.text[4] == "s" else 80

    @property
    def target(self) -> str:
        """Path and query, as a request line has them."""
        return self.text[self._authority_end :].partition("#")[0]

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]

    @property
    def query(self) -> str:
        return self.target.partition("?")[2]

    @property
    def site(self) -> str:
        """The registrable domain by the public suffix list; the host where there is none."""
        return _site(self.host)

    @property
    def surt(self) -> str:
        """The key by which replay tools look up, see ``surt``."""
        return surt(self.text)

    @property
    def key(self) -> int:
        """A signed 64-bit fingerprint of the text, the same on every machine."""
        value: int = xxhash.xxh3_64_intdigest(self.text.encode())
        return value - (1 << 64) if value >= 1 << 63 else value

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Url({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Url) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)


_PIECES: Final = re.compile(
    r"(https?://)(?:[^/]*@)?(\[[^\]]*\]|[^/:\[]*)(:\d+)?(/[^?#]*)(?:\?([^#]*))?(#.*)?", re.DOTALL
)
_HOST: Final = re.compile(r"(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}|\[[0-9a-f:]+\]")
_HOST_CHARACTERS: Final = 253
_SURROGATES: Final = re.compile("[\ud800-\udfff]")
"""Halves of characters, which no bytes can carry; browsers put U+FFFD in their place."""

# --------------------------------------------------------------------------- the short way

# A link that matches is canonical but for joining: nothing in it can touch the policy. Most do.
_TRIPLET: Final = r"%(?:[89A-F][0-9A-F]|2[0-9A-CF]|3[A-F]|40|5[B-E]|60|7[BCDF])"
_SEGMENT: Final = rf"[A-Za-z0-9_~-](?:[A-Za-z0-9_~.,+()@=*!$-]++|{_TRIPLET})*+"
_PLAIN: Final = re.compile(
    r"(?!https?%)(https?://(?:(?!xn--)[a-z0-9-]{1,63}\.){1,3}[a-z]{2,59}(?=/)|\./|(?:\.\./)++)?"
    rf"(/?(?:{_SEGMENT}/)*(?!(?i:index|default)\.)(?:{_SEGMENT})?)"
    rf"(\?(?!&)(?:[A-Za-z0-9_~.,+()@=*!$/:?-]++|&(?!&)|{_TRIPLET})++(?<!&))?"
    r"(#(?!!).*)?",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class UrlParser:
    """The policy that makes one Url of many spellings.

    It remembers the last links it has seen, within ``CACHED_LINKS``; what it answers never
    depends on that. Not for two threads at once.
    """

    settings: UrlSettings = field(default_factory=UrlSettings)
    _seen: dict[tuple[str, str], Url | None] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def parse(self, text: str, base: Url | str | None = None) -> Url:
        """A canonical Url, resolved against ``base`` where one is given. Raises BadUrl."""
        origin, directory = _place(base) if isinstance(base, Url) else ("", "")
        return self._short(text, origin, directory) or self._whole(text, base)

    def parse_links(self, hrefs: Sequence[str], base: Url) -> list[Url | None]:
        """One Url for each of a page's links, in their order; None for what is no Url.

        The same as ``parse`` for each, and several times as fast. ``base`` is from this parser.
        """
        seen = self._seen
        origin, directory = _place(base)
        plain_base = self.settings.drop_fragment and "#" not in base.text
        found: list[Url | None] = []
        for href in hrefs:
            if plain_base and href[:1] == "#" and href[1:2] != "!":
                found.append(base)
                continue
            key = (directory, href)
            url = seen.get(key)
            if url is None:
                url = self._short(href, origin, directory)
                if url is not None:
                    self._remember(key, url)
                else:
                    url = self._whole_or_none(href, base, directory)
            found.append(url)
        return found

    def _whole_or_none(self, href: str, base: Url, directory: str) -> Url | None:
        # Everything but these can depend on the base's own file name and query. The space keeps
        # a base that is its own directory apart from that directory's other pages.
        apart = href.startswith(("/", "http://", "https://"))
        key = (directory if apart else base.text + " ", href)
        try:
            return self._seen[key]
        except KeyError:
            pass
        try:
            url = self._whole(href, base)
        except BadUrl:
            url = None
        self._remember(key, url)
        return url

    def _remember(self, key: tuple[str, str], url: Url | None) -> None:
        if len(self._seen) >= CACHED_LINKS:
            self._seen.clear()
        if len(key[1]) <= CACHED_CHARACTERS:
            self._seen[key] = url

    def _short(self, text: str, origin: str, directory: str) -> Url | None:
        """The Url of a plain link by cutting and joining alone; None where that does not do."""
        if len(directory) + len(text) > LONGEST_CHARACTERS:
            return None
        match = _PLAIN.fullmatch(text)
        if match is None:
            return None
        start, path, query, fragment = match.groups()
        if not path or (fragment and not self.settings.drop_fragment):
            return None
        if query is None:
            query = ""
        elif self.settings.sort_query or self._kept(query[1:]) != query[1:]:
            return None
        if start is not None and start[0] == "h":
            return Url(start + path + query, len(start))
        if not origin:
            return None
        if path[0] == "/":
            if start is not None:
                return None
            return Url(origin + path + query, len(origin))
        if start is not None:
            directory = _climb(directory, len(start) // 3, len(origin))
        return Url(directory + path + query, len(origin))

    def _whole(self, text: str, base: Url | str | None) -> Url:
        """The Url by the whole procedure: mend, join as browsers do, apply the policy."""
        if len(text) > LONGEST_CHARACTERS:
            raise BadUrl(f"longer than {LONGEST_CHARACTERS} characters: {text[:80]!r}...")
        text = _SURROGATES.sub("\ufffd", text)
        mended = mend(text, base is not None) if self.settings.repair else text
        try:
            if base is None:
                joined = ada_url.normalize_url(mended)
            else:
                joined = ada_url.join_url(str(base), mended)
            # What the policy removes can leave something to do for the rules of browsers (a
            # segment that is now ``..``), and the other way round: a Url is what neither changes.
            for _ in range(8):
                canonical, authority_end = self._apply(joined)
                if canonical == joined:
                    return Url(canonical, authority_end)
                joined = ada_url.normalize_url(canonical)
                if joined == canonical and self._apply(joined)[0] == canonical:
                    return Url(canonical, authority_end)
        except BadUrl:
            raise
        except ValueError as error:
            raise BadUrl(f"not an address: {text[:200]!r}") from error
        raise BadUrl(f"has no canonical form: {text[:200]!r}")

    def _apply(self, joined: str) -> tuple[str, int]:
        """The policy applied once to what a browser would ask for, and where its host ends."""
        match = _PIECES.fullmatch(joined)
        if match is None:
            raise BadUrl(f"neither http nor https: {joined[:200]!r}")
        scheme, host, port, path, query, fragment = match.groups()
        host = host.rstrip(".")
        if len(host) > _HOST_CHARACTERS or _HOST.fullmatch(host) is None:
            raise BadUrl(f"no host has such a name: {host[:200]!r}")
        settings = self.settings
        path = percent_normal(path)
        if settings.drop_session_ids:
            path = SESSION_SEGMENT.sub("", SESSION_PARAMETER.sub("", path))
        if query:
            query = self._kept(percent_normal(query))
        if query:
            path += "?" + query
        elif settings.drop_index:
            path = INDEX_FILE.sub("/", path)
        if fragment and len(fragment) > 1 and (fragment[1] == "!" or not settings.drop_fragment):
            path += percent_normal(fragment)
        authority = scheme + host + (port or "")
        if len(authority) + len(path) > LONGEST_CHARACTERS:
            raise BadUrl(f"longer than {LONGEST_CHARACTERS} characters: {joined[:80]!r}...")
        return authority + (path or "/"), len(authority)

    def _kept(self, query: str) -> str:
        """The query without what says nothing about the page."""
        settings = self.settings
        if settings.drop_session_ids and ";" in query:
            query = SESSION_PARAMETER.sub("", query)
        parameters = query.split("&")
        kept = [parameter for parameter in parameters if parameter and not self._drops(parameter)]
        if settings.sort_query:
            kept.sort(key=_name)
        elif len(kept) == len(parameters):
            return query
        return "&".join(kept)

    def _drops(self, parameter: str) -> bool:
        name, _, value = parameter.partition("=")
        match meaning_of(name):
            case Meaning.PAGE:
                return False
            case Meaning.TRACKING:
                return self.settings.drop_tracking
            case Meaning.SESSION:
                return self.settings.drop_session_ids
            case Meaning.SESSION_BY_VALUE:
                return self.settings.drop_session_ids and is_session_value(value)


def parse_url(text: str, base: Url | str | None = None) -> Url:
    """Parse with the default policy."""
    return UrlParser().parse(text, base)


def _place(base: Url) -> tuple[str, str]:
    """A Url's origin, and its text up to the last slash of its path."""
    text, origin = base.text, base.origin
    if "?" in text or "#" in text:
        text = origin + base.path
    return origin, text[: text.rindex("/") + 1]


def _name(parameter: str) -> str:
    return parameter.partition("=")[0]


def _climb(directory: str, steps: int, authority_end: int) -> str:
    for _ in range(steps):
        if len(directory) <= authority_end + 1:
            break
        directory = directory[: directory.rindex("/", 0, -1) + 1]
    return directory


# --------------------------------------------------------------------------- sites


@lru_cache(maxsize=1)
def _suffixes() -> TLDExtract:
    # Imported where it is needed: it brings an HTTP client along, which is never used, because
    # only the list that ships with it is read and nothing is written.
    from tldextract import TLDExtract

    return TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)


@lru_cache(maxsize=65_536)
def _site(host: str) -> str:
    found = _suffixes()(host)
    if found.suffix or host[-1] == "]" or host[-1].isdigit():
        return found.top_domain_under_public_suffix or host
    # A name under no known suffix: the list's own rule for these is that the last label is one.
    return ".".join(host.split(".")[-2:])
