"""Which addresses may be connected to."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.url import parse_url
from shoal.web.addresses import is_public, literal_address


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0",
        "10.1.2.3",
        "100.64.0.1",
        "100.100.100.200",
        "127.0.0.1",
        "127.255.255.254",
        "168.63.129.16",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.192",
        "192.0.2.1",
        "192.168.0.1",
        "198.18.0.1",
        "198.51.100.1",
        "203.0.113.1",
        "224.0.0.1",
        "239.255.255.250",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::127.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:a9fe:a9fe",
        "::ffff:0:127.0.0.1",
        "64:ff9b::10.0.0.1",
        "64:ff9b::169.254.169.254",
        "64:ff9b:1::1",
        "100::1",
        "2001::1",
        "2001:2::1",
        "2001:db8::1",
        "2002:7f00:1::1",
        "2002:a9fe:a9fe::1",
        "3fff::1",
        "5f00::1",
        "fc00::1",
        "fd00:ec2::254",
        "fe80::1",
        "fe80::1%eth0",
        "fec0::1",
        "ff02::1",
        "localhost",
        "",
        "127.1",
    ],
)
def test_what_is_not_public_is_refused(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "1.1.1.1",
        "93.184.216.34",
        "100.63.255.255",
        "100.128.0.0",
        "172.32.0.1",
        "223.255.255.255",
        "2606:4700::1111",
        "2a00:1450::1",
        "::ffff:1.1.1.1",
        "64:ff9b::1.1.1.1",
        "2002:101:101::1",
    ],
)
def test_what_is_public_is_allowed(address: str) -> None:
    assert is_public(address)


@given(st.ip_addresses(v=4))
def test_ipv4_inside_ipv6_is_judged_as_itself(address: IPv4Address) -> None:
    for wrapped in (f"::ffff:{address}", f"64:ff9b::{address}"):
        assert is_public(wrapped) == is_public(str(address))


@given(st.ip_addresses())
def test_nothing_python_knows_to_be_private_is_public(address: IPv4Address | IPv6Address) -> None:
    wraps_ipv4 = str(address).startswith(("::ffff:", "64:ff9b::"))
    if address.is_private or address.is_multicast or address.is_link_local:
        assert wraps_ipv4 or not is_public(str(address))


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("http://127.0.0.1/", "127.0.0.1"),
        ("http://2130706433/", "127.0.0.1"),
        ("http://0x7f.1/", "127.0.0.1"),
        ("http://0177.0.0.1/", "127.0.0.1"),
        ("http://127.1:8080/", "127.0.0.1"),
        ("http://[::1]/", "::1"),
        ("http://[::ffff:127.0.0.1]:80/", "::ffff:7f00:1"),
        ("http://example.com/", None),
        ("http://1.example.com/", None),
        ("http://a1/", None),
    ],
)
def test_a_numeric_host_is_known_for_one(url: str, address: str | None) -> None:
    assert literal_address(parse_url(url).host) == address
