"""The hosts of the synthetic web: their names, manners and robots.txt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import xxhash

from shoal.lab.synthetic.knobs import SyntheticKnobs
from shoal.lab.synthetic.words import HOST_FIRST, HOST_SECOND, HOST_SUBDOMAINS, HOST_SUFFIXES

PORTAL: Final = -1
"""The number of the host that has the portal and the directory."""
PORTAL_NAME: Final = "portal.wayfinder.example"
_COMBINATIONS: Final = len(HOST_FIRST) * len(HOST_SECOND)
_BROKEN_ROBOTS: Final = 3
_MOVED_ROBOTS: Final = 6
_HOSTS_FOR_ODDITIES: Final = 8
"""With fewer hosts than this, none is lost to a robots.txt that cannot be had."""


@dataclass(frozen=True, slots=True)
class Hosts:
    """Hosts by number. All names end in a domain that is reserved for examples and tests."""

    knobs: SyntheticKnobs

    def name(self, host: int) -> str:
        """Without ``www.``. Every other odd host is a part of the site before it."""
        if host == PORTAL:
            return PORTAL_NAME
        if host % 2:
            return f"{HOST_SUBDOMAINS[host // 2 % len(HOST_SUBDOMAINS)]}.{self.name(host - 1)}"
        lap, place = divmod(host // 2, _COMBINATIONS)
        # 389 has no divisor in common with the 1,024 combinations, so no name comes twice.
        combination = (place * 389 + self._bits(0) % _COMBINATIONS) % _COMBINATIONS
        first, second = divmod(combination, len(HOST_SECOND))
        number = str(lap) if lap else ""
        suffix = HOST_SUFFIXES[self._bits(host) % len(HOST_SUFFIXES)]
        return f"{HOST_FIRST[first]}-{HOST_SECOND[second]}{number}.{suffix}"

    def origin(self, host: int) -> str:
        """As links write it."""
        www = "www." if host % 4 == 0 else ""
        return f"http://{www}{self.name(host)}"

    def is_slow(self, host: int) -> bool:
        return host != PORTAL and self._bits(host) >> 32 & 0xFFFF < self.knobs.slow_hosts * 65536

    def has_trap(self, host: int) -> bool:
        return host % 11 == 5

    def sitemap_is_packed(self, host: int) -> bool:
        return host % 3 == 1

    def robots(self, host: int) -> tuple[int, str]:
        """Status and text of the host's robots.txt; for a redirect the text is its target."""
        sitemap = f"Sitemap: {self.origin(host)}/sitemap.xml\n"
        if host == PORTAL:
            return 200, f"User-agent: *\nDisallow:\n{sitemap}"
        if self.knobs.hosts >= _HOSTS_FOR_ODDITIES:
            if host == _BROKEN_ROBOTS:
                return 503, "temporarily out of order\n"
            if host == _MOVED_ROBOTS:
                return 301, f"{self.origin(PORTAL)}/robots.txt"
        return (
            (200, f"# all are welcome\nUser-agent: *\nDisallow: /private/\n{sitemap}"),
            (200, "User-agent: *\nDisallow: /archive/\nDisallow: /private/\nAllow: /\n"),
            (200, f"User-agent: *\nCrawl-delay: 2\nDisallow: /cgi-bin/\n\n{sitemap}"),
            (404, ""),
            (200, "User-agent: Greedybot\nDisallow: /\n\nUser-agent: *\nDisallow: /browse?*sid=\n"),
            (200, f"User-agent: *\nDisallow: /*.pdf$\nAllow: /files/\n{sitemap}{sitemap}"),
        )[host % 6]

    def _bits(self, host: int) -> int:
        value: int = xxhash.xxh3_64_intdigest(b"host:%d:%d" % (self.knobs.seed, host))
        return value


def hosts_by_name(hosts: Hosts) -> dict[str, int]:
    numbers = {hosts.name(host): host for host in range(hosts.knobs.hosts)}
    numbers[PORTAL_NAME] = PORTAL
    return numbers
