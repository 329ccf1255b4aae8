"""Where a request is to be connected to.

1. An override beats everything, then a numeric host, then what the Resolver knows.
2. Unless private addresses are allowed, a Route leads to public ones only. That is the first of
   two checks: the second is made on the socket itself (see ``exchange``).
3. Through a proxy it is the proxy that connects: a host whose private address we can see is
   refused all the same, and a host we cannot look up is left to the proxy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

from shoal.model import FailureKind, Lookedup
from shoal.settings import FetchSettings
from shoal.url import Url
from shoal.web.addresses import is_public, literal_address

_ADDRESSES = 4
"""Addresses of one host that are tried."""


class Route(NamedTuple):
    """How libcurl is told where to connect. Nothing set: it goes where the Url says."""

    connect_to: str | None = None
    """``::address:port`` in place of the Url's own host and port."""
    resolve: str | None = None
    """``+host:port:address,address``: the addresses of the Url's host."""
    through_proxy: bool = False


class Refusal(NamedTuple):
    """Why there is no Route."""

    kind: FailureKind
    message: str


class NameUnknown(NamedTuple):
    """The Resolver must be asked for ``host`` first."""

    host: str


@dataclass(frozen=True, slots=True)
class Override:
    """One ``host:port=address:port`` of ``fetch.resolve``."""

    host: str
    port: str
    address: str
    to_port: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Raises ValueError, naming the setting."""
        source, equals, target = text.partition("=")
        host, colon, port = source.strip().rpartition(":")
        address, to_colon, to_port = target.strip().rpartition(":")
        if not (equals and colon and to_colon and host and address):
            raise ValueError(f"fetch.resolve: not host:port=address:port: {text!r}")
        if not (port == "*" or _is_port(port)) or not _is_port(to_port):
            raise ValueError(f"fetch.resolve: not a port number in {text!r}")
        return cls(host.lower(), port, address, int(to_port))

    def matches(self, host: str, port: int) -> bool:
        return self.host in ("*", host) and self.port in ("*", str(port))


class Router:
    """Finds the Route of a Url."""

    def __init__(self, settings: FetchSettings) -> None:
        self._overrides = tuple(Override.parse(text) for text in settings.resolve)
        self._allow_private = settings.allow_private
        self._has_proxy = settings.proxy is not None

    def override(self, host: str, port: int | None) -> Override | None:
        """The first that matches; ``port`` None looks at the host alone."""
        for override in self._overrides:
            if override.matches(host, port) if port else override.host in ("*", host):
                return override
        return None

    def find(self, url: Url, lookedup: Lookedup | None) -> Route | Refusal | NameUnknown:
        host = url.host.rpartition("@")[2]
        if self._overrides:
            override = self.override(host, url.port)
            if override is not None:
                return Route(connect_to=f"::{override.address}:{override.to_port}")
        literal = literal_address(host)
        if literal is not None:
            if not self._may_connect(literal):
                return _forbidden(host, (literal,))
            return Route(through_proxy=self._has_proxy)
        if lookedup is None:
            return NameUnknown(host)
        if not lookedup.addresses:
            if self._has_proxy:
                return Route(through_proxy=True)
            return Refusal(FailureKind.DNS, f"{host}: {lookedup.problem}")
        return self._named(url, host, lookedup.addresses)

    def _named(self, url: Url, host: str, addresses: Sequence[str]) -> Route | Refusal:
        allowed = [address for address in addresses if self._may_connect(address)]
        if not allowed or (self._has_proxy and len(allowed) < len(addresses)):
            return _forbidden(host, addresses)
        if self._has_proxy:
            return Route(through_proxy=True)
        listed = ",".join(
            f"[{address}]" if ":" in address else address for address in allowed[:_ADDRESSES]
        )
        return Route(resolve=f"+{host}:{url.port}:{listed}")

    def _may_connect(self, address: str) -> bool:
        return self._allow_private or is_public(address)


def _forbidden(host: str, addresses: Sequence[str]) -> Refusal:
    return Refusal(
        FailureKind.FORBIDDEN_ADDRESS, f"{host} is at {', '.join(addresses)}, which is not public"
    )


def _is_port(text: str) -> bool:
    return text.isdigit() and len(text) <= 5 and 0 < int(text) < 65_536
