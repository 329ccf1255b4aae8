"""The rules that look at one Link alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import ClassVar, Final

from shoal.model import LinkKind, Ruling
from shoal.scope.candidate import Candidate
from shoal.scope.patterns import Patterns

PRIVATE_NAMES: Final = frozenset(
    ("localhost", "localdomain", "local", "internal", "intranet", "lan", "corp", "home")
)
"""Top labels (with all below them) that mean something else on every network; so does home.arpa."""

_SEED: Final = LinkKind.SEED
_EMBED: Final = LinkKind.EMBED
_ALTERNATE: Final = LinkKind.ALTERNATE


@dataclass(frozen=True, slots=True)
class PrivateHost:
    """By the literal name alone: what a name leads to is checked where the connection is made."""

    name: ClassVar[str] = "private-host"
    setting: ClassVar[str] = "fetch.allow_private"
    of_url: ClassVar[bool] = True
    meaning: ClassVar[str] = (
        "The host is a private, loopback, link-local or otherwise not public address, or a name "
        "such as `localhost` or `printer.local`."
    )

    def opinion(self, candidate: Candidate) -> Ruling | None:
        host = candidate.url.host_key
        if ":" in host:
            host = candidate.url.host
        top = host[host.rfind(".") + 1 :]
        if top[-1] == "]" or top[-1].isdigit():
            try:
                address = ip_address(host.strip("[]"))
            except ValueError:
                return None
            if address.is_global and not address.is_multicast:
                return None
        elif top not in PRIVATE_NAMES and not (top == "arpa" and host.endswith("home.arpa")):
            return None
        why = f"{host} is not on the public network, and fetch.allow_private is off"
        return Ruling(False, self.name, why)


@dataclass(frozen=True, slots=True)
class Redirects:
    name: ClassVar[str] = "redirects"
    setting: ClassVar[str] = "fetch.redirects"
    of_url: ClassVar[bool] = False
    meaning: ClassVar[str] = "More redirects in a row led here than are followed."
    most: int

    def opinion(self, candidate: Candidate) -> Ruling | None:
        if candidate.redirects <= self.most:
            return None
        return Ruling(
            False, self.name, f"{candidate.redirects} redirects in a row; {self.most} are followed"
        )


@dataclass(frozen=True, slots=True)
class Seed:
    name: ClassVar[str] = "seed"
    setting: ClassVar[str] = "crawl.seeds"
    of_url: ClassVar[bool] = False
    meaning: ClassVar[str] = "**Accepts**: you asked for it. None of the rules below is asked."

    def opinion(self, candidate: Candidate) -> Ruling | None:
        if candidate.link.kind is not _SEED:
            return None
        return Ruling(True, self.name, "a seed")


@dataclass(frozen=True, slots=True)
class Kind:
    name: ClassVar[str] = "kind"
    setting: ClassVar[str] = "always"
    of_url: ClassVar[bool] = False
    meaning: ClassVar[str] = (
        "The Link is no way for a reader: a part of the page (image, script, style sheet) or "
        "another form of it (feed, translation, print version)."
    )

    def opinion(self, candidate: Candidate) -> Ruling | None:
        kind = candidate.link.kind
        if kind is _EMBED:
            return Ruling(False, self.name, "a part of the page, not a page")
        if kind is _ALTERNATE:
            return Ruling(False, self.name, "another form of the page, such as a feed")
        return None


@dataclass(frozen=True, slots=True)
class Nofollow:
    """``ugc`` and ``sponsored`` say what a Link is worth to a search engine, not to stay away."""

    name: ClassVar[str] = "nofollow"
    setting: ClassVar[str] = "politeness.robots"
    of_url: ClassVar[bool] = False
    meaning: ClassVar[str] = (
        "The Link has `rel=nofollow`. (`ugc` and `sponsored` alone do not count.)"
    )

    def opinion(self, candidate: Candidate) -> Ruling | None:
        if "nofollow" not in candidate.link.rel:
            return None
        return Ruling(False, self.name, "rel=nofollow")


@dataclass(frozen=True, slots=True)
class Depth:
    name: ClassVar[str] = "depth"
    setting: ClassVar[str] = "scope.depth"
    of_url: ClassVar[bool] = False
    meaning: ClassVar[str] = "More Links were followed from the nearest seed than that."
    most: int

    def opinion(self, candidate: Candidate) -> Ruling | None:
        if candidate.depth <= self.most:
            return None
        return Ruling(False, self.name, f"{candidate.depth} links from a seed; at most {self.most}")


@dataclass(frozen=True, slots=True)
class Hosts:
    name: ClassVar[str] = "hosts"
    setting: ClassVar[str] = "scope.hosts"
    of_url: ClassVar[bool] = True
    meaning: ClassVar[str] = "The host is none of those named, nor below one of them."
    hosts: frozenset[str]

    def opinion(self, candidate: Candidate) -> Ruling | None:
        host = name = candidate.url.host
        while name:
            if name in self.hosts:
                return None
            name = name.partition(".")[2]
        return Ruling(False, self.name, f"{host} is not among the hosts")


@dataclass(frozen=True, slots=True)
class UrlLength:
    name: ClassVar[str] = "url-length"
    setting: ClassVar[str] = "scope.url_length"
    of_url: ClassVar[bool] = True
    meaning: ClassVar[str] = "The Url has more characters."
    most: int

    def opinion(self, candidate: Candidate) -> Ruling | None:
        length = len(candidate.text)
        if length <= self.most:
            return None
        return Ruling(False, self.name, f"{length} characters; at most {self.most}")


@dataclass(frozen=True, slots=True)
class Include:
    name: ClassVar[str] = "include"
    setting: ClassVar[str] = "scope.include"
    of_url: ClassVar[bool] = True
    meaning: ClassVar[str] = "The Url matches none of the patterns."
    patterns: Patterns

    def opinion(self, candidate: Candidate) -> Ruling | None:
        if self.patterns.find(candidate.text) is not None:
            return None
        return Ruling(False, self.name, "it matches none of the patterns to include")


@dataclass(frozen=True, slots=True)
class Exclude:
    name: ClassVar[str] = "exclude"
    setting: ClassVar[str] = "scope.exclude"
    of_url: ClassVar[bool] = True
    meaning: ClassVar[str] = "The Url matches one of the patterns."
    patterns: Patterns

    def opinion(self, candidate: Candidate) -> Ruling | None:
        pattern = self.patterns.find(candidate.text)
        return None if pattern is None else Ruling(False, self.name, f"it matches {pattern}")


@dataclass(frozen=True, slots=True)
class Extension:
    name: ClassVar[str] = "extension"
    setting: ClassVar[str] = "scope.skip_extensions"
    of_url: ClassVar[bool] = True
    meaning: ClassVar[str] = "The file name ends so. A compressed sitemap (`.gz`) is let through."
    extensions: frozenset[str]

    @classmethod
    def of(cls, extensions: Sequence[str]) -> Extension:
        return cls(frozenset(extension.lower().removeprefix(".") for extension in extensions))

    def opinion(self, candidate: Candidate) -> Ruling | None:
        extension = candidate.path.rpartition(".")[2].lower()
        if extension not in self.extensions:
            return None
        if extension == "gz" and candidate.link.kind is LinkKind.SITEMAP:
            return None
        return Ruling(False, self.name, f"the file name ends in .{extension}")


@dataclass(frozen=True, slots=True)
class HostUrls:
    name: ClassVar[str] = "host-urls"
    setting: ClassVar[str] = "scope.host_urls"
    of_url: ClassVar[bool] = False
    meaning: ClassVar[str] = "As many Urls of the host were admitted already."
    most: int

    def opinion(self, candidate: Candidate) -> Ruling | None:
        if candidate.host_known < self.most:
            return None
        host = candidate.url.host_key
        return Ruling(False, self.name, f"{candidate.host_known} Urls of {host} are in already")
