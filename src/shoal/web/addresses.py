"""Which addresses may be connected to.

1. An address is judged by the packet's destination, not by how it was spelt: IPv4 inside IPv6
   (mapped, NAT64, 6to4) is judged as the IPv4 it reaches.
2. What is not known to be a public unicast address is refused.
"""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final

_REFUSED_4: Final = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # this network; 0.0.0.0 reaches the machine itself
        "10.0.0.0/8",
        "100.64.0.0/10",  # carrier-grade NAT, and some clouds' metadata
        "127.0.0.0/8",
        "168.63.129.16/32",  # a cloud's metadata service on a public address
        "169.254.0.0/16",  # link-local, and most clouds' metadata
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",  # with the broadcast address
    )
)
_PUBLIC_6: Final = IPv6Network("2000::/3")
_REFUSED_6: Final = (
    IPv6Network("2001::/23"),  # protocol assignments: Teredo, benchmarking, ORCHID
    IPv6Network("2001:db8::/32"),
    IPv6Network("3fff::/20"),
)
_NAT64: Final = IPv6Network("64:ff9b::/96")


@lru_cache(maxsize=1_024)
def is_public(address: str) -> bool:
    """Whether a numeric address is a public one. What is no address at all is not."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(parsed, IPv4Address):
        return _is_public_4(parsed)
    inner = _inner_address(parsed)
    if inner is not None:
        return _is_public_4(inner)
    return parsed in _PUBLIC_6 and not any(parsed in network for network in _REFUSED_6)


@lru_cache(maxsize=1_024)
def literal_address(host: str) -> str | None:
    """The numeric address that a Url's host is, without brackets; None for a name.

    A canonical host ends in a digit only when it is an address, or else a name to be looked up.
    """
    if host.startswith("["):
        return host[1:-1]
    if not host[-1:].isdigit():
        return None
    try:
        return str(ip_address(host))
    except ValueError:
        return None


def _is_public_4(address: IPv4Address) -> bool:
    return not any(address in network for network in _REFUSED_4)


def _inner_address(address: IPv6Address) -> IPv4Address | None:
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return None
