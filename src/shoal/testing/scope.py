"""The contract of ``ports.Scope``, to be run against any implementation.

Subclass :class:`ScopeContract` in a test module, give it ``make_scope``, and pytest does the rest::

    class TestRuleScope(ScopeContract):
        def make_scope(self):
            return build_scope(...)

The scope made must be one that lets an ordinary Link in, as the default settings do.
"""

from __future__ import annotations

import pytest

from shoal.model import Link, LinkKind, Ruling
from shoal.ports import Scope
from shoal.url import parse_url

ORDINARY = (
    "https://example.org/",
    "http://www.example.org/wiki/Whale_(animal)",
    "https://example.org/news/2009/story.html",
    "https://example.org/search?q=whales&page=2",
    "https://b%C3%BCcher.example.org/%C3%A4?%C3%B6=%C3%BC",
)
HOSTILE = (
    "http://127.0.0.1/",
    "http://[::1]/",
    "http://example.org/" + "a/" * 300,
    "http://example.org/" + "x" * 15_000,
    "http://example.org/?" + "&".join(f"p{number}={number}" for number in range(500)),
    "http://example.org/calendar?month=999999999999999999999&year=9999",
    "http://example.org/?t=99999999999",
    "http://example.org/%2F%2E%00/%FF",
    "http://example.org/#!/a/b",
)


class ScopeContract:
    """What every Scope promises."""

    def make_scope(self) -> Scope:
        raise NotImplementedError

    @pytest.fixture
    def scope(self) -> Scope:
        return self.make_scope()

    @pytest.mark.parametrize("text", ORDINARY)
    def test_an_ordinary_link_is_in(self, scope: Scope, text: str) -> None:
        ruling = scope.admit(_link(text), 1, 0, 0)
        assert ruling.admitted, ruling

    @pytest.mark.parametrize("text", ORDINARY + HOSTILE)
    def test_every_ruling_names_its_rule(self, scope: Scope, text: str) -> None:
        ruling = scope.admit(_link(text), 1, 0, 0)
        assert isinstance(ruling, Ruling)
        assert ruling.rule
        assert ruling.admitted or ruling.detail, "a refusal says what was too much"

    @pytest.mark.parametrize("kind", list(LinkKind))
    def test_every_kind_of_link_has_a_ruling(self, scope: Scope, kind: LinkKind) -> None:
        assert scope.admit(_link(ORDINARY[0], kind), 3, 1, 10).rule

    @pytest.mark.parametrize("text", ORDINARY)
    def test_a_seed_is_in_however_much_is_known_of_its_host(self, scope: Scope, text: str) -> None:
        assert scope.admit(_link(text, LinkKind.SEED), 0, 0, 10**9).admitted

    def test_a_link_asked_again_has_the_same_ruling(self, scope: Scope) -> None:
        links = [_link(text) for text in ORDINARY + HOSTILE]
        first = [scope.admit(link, 1, 0, 0) for link in links]
        assert [scope.admit(link, 1, 0, 0) for link in links] == first

    def test_two_scopes_of_the_same_settings_agree(self) -> None:
        links = [_link(text) for text in ORDINARY + HOSTILE]
        one, other = self.make_scope(), self.make_scope()
        for link in links:
            assert one.admit(link, 2, 0, 5) == other.admit(link, 2, 0, 5)


def _link(text: str, kind: LinkKind = LinkKind.ANCHOR) -> Link:
    return Link(None, parse_url(text), kind)
