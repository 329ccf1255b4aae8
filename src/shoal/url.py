"""Url: a canonical address. The only way to make one is to parse it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import ada_url
import tldextract
import xxhash

from shoal.settings import UrlSettings

_DEFAULT: Final = UrlSettings()
# No fallback to the network: the list that ships with tldextract, private domains included.
_SUFFIXES: Final = tldextract.TLDExtract(
    suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True
)


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
        return "https" if self.text.startswith("https:") else "http"

    @property
    def origin(self) -> str:
        """Scheme, host and port: whose robots.txt counts."""
        return self.text[: self._authority_end]

    @property
    def host_key(self) -> str:
        """Host, and port where it is not the scheme's own: whose politeness counts."""
        return self.text[self.text.index("//") + 2 : self._authority_end]

    @property
    def host(self) -> str:
        """The host name or address, without port; IPv6 in brackets."""
        key = self.host_key
        if key.endswith("]") or ":" not in key:
            return key
        return key.rpartition(":")[0]

    @property
    def port(self) -> int:
        key = self.host_key
        if not key.endswith("]") and ":" in key:
            return int(key.rpartition(":")[2])
        return 443 if self.scheme == "https" else 80

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
        """Sort-friendly form, scheme and ``www.`` dropped: ``org,example)/path?query``."""
        return surt(self.text)

    @property
    def key(self) -> int:
        """A signed 64-bit fingerprint of the text."""
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


@dataclass(frozen=True, slots=True)
class UrlParser:
    """The policy that makes one Url of many spellings. Parsing a Url's own text changes nothing."""

    settings: UrlSettings = _DEFAULT

    def parse(self, text: str, base: Url | str | None = None) -> Url:
        """A canonical Url, resolved against ``base`` where one is given. Raises BadUrl."""
        try:
            joined = ada_url.join_url(str(base) if base else text, text)
        except ValueError as error:
            raise BadUrl(f"not an address: {text[:200]!r}") from error
        if not joined.startswith(("http://", "https://")):
            raise BadUrl(f"neither http nor https: {joined[:200]!r}")
        joined = joined.partition("#")[0]
        return Url(joined, joined.index("/", joined.index("//") + 2))


def parse_url(text: str, base: Url | str | None = None) -> Url:
    """Parse with the default policy."""
    return UrlParser().parse(text, base)


def surt(text: str) -> str:
    scheme, _, rest = text.partition("//")
    authority, slash, path = rest.partition("/")
    del scheme
    host, colon, port = authority.partition(":")
    host = host.removeprefix("www.")
    return ",".join(reversed(host.split("."))) + colon + port + ")" + (slash or "/") + path


@lru_cache(maxsize=65_536)
def _site(host: str) -> str:
    return _SUFFIXES(host).top_domain_under_public_suffix or host
