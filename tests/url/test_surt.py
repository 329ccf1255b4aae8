"""SURT as replay tools write it: the expectations were made with the package surt 0.3.1."""

from __future__ import annotations

import pytest

from shoal.surt import surt
from shoal.url import parse_url

ID = "0123456789abcdef0123456789abcdef"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("http://www.example.org/", "org,example)/"),
        ("https://WWW2.Example.org:443/A/B/", "org,example)/a/b"),
        ("http://example.org:8080/a", "org,example:8080)/a"),
        ("http://example.org/a?b=2&a=1&a", "org,example)/a?a&a=1&b=2"),
        ("http://example.org/?A=1&a=0", "org,example)/?a=0&a=1"),
        ("http://example.org/a?", "org,example)/a"),
        ("http://example.org/a/?b", "org,example)/a?b"),
        ("http://example.org/%C3%A9?%c3%a9", "org,example)/%c3%a9?%c3%a9"),
        ("http://example.org/é", "org,example)/%c3%a9"),
        ("http://bücher.example/", "example,xn--bcher-kva)/"),
        ("http://example.org//a//b/", "org,example)/a/b"),
        ("http://example.org/a/../b/./c", "org,example)/b/c"),
        ("http://example.org/..", "org,example)/.."),
        ("http://192.0.2.1/a", "1,2,0,192)/a"),
        ("http://[::1]/", "::1)/"),
        ("http://[::1]:81/", "::1:81)/"),
        (f"http://example.org/?PHPSESSID={ID}&b=1", "org,example)/?b=1"),
        (f"http://example.org/?jsessionid={ID}&phpsessid={ID}&x", "org,example)/?x"),
        (f"http://example.org/?sid={ID}", "org,example)/"),
        ("http://example.org/?x=1&cfid=2&cftoken=3&y=4", "org,example)/?x=1&y=4"),
        (f"http://example.org/a;jsessionid={ID}", f"org,example)/a;jsessionid={ID}"),
        ("http://example.org/(S(0123456789abcdefghijklmn))/a.aspx", "org,example)/a.aspx"),
        ("http://user:pass@example.org/", "org,example)/"),
        ("http://example.org/a%2541", "org,example)/aa"),
        ("http://example.org/a b", "org,example)/a%20b"),
        ("http://example.org/a#b", "org,example)/a"),
        ("http://example.org/?a=b#!c", "org,example)/?a=b"),
        ("http://www.example.org.:80/", "org,example)/"),
        ("http://www.com/", "com)/"),
        ("http://wwwexample.org/", "org,wwwexample)/"),
        ("http://http://example.org/", "org,example)/"),
        ("http://example.org/?b=%26c", "org,example)/?b=&c"),
        ("http://example.org/?", "org,example)/"),
        ("http://example.org", "org,example)/"),
        (" http://example.org/a\n", "org,example)/a"),
        ("dns:example.org", "dns:example.org"),
        ("urn:uuid:0", "urn:uuid:0"),
        ("", ""),
    ],
)
def test_surt(text: str, expected: str) -> None:
    assert surt(text) == expected


def test_a_url_is_found_under_either_scheme_with_and_without_www() -> None:
    spellings = ("http://example.org/a", "https://www.example.org/A/", "http://www1.example.org/a?")
    assert {parse_url(text).surt for text in spellings} == {"org,example)/a"}
