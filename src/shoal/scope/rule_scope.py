"""RuleScope: rules in an order, the first with an opinion decides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from shoal.model import Link, LinkKind, Ruling
from shoal.ports import Clock
from shoal.scope.calendars import Calendar
from shoal.scope.candidate import Candidate, Rule
from shoal.scope.patterns import Patterns
from shoal.scope.rules import (
    Depth,
    Exclude,
    Extension,
    Hosts,
    HostUrls,
    Include,
    Kind,
    Nofollow,
    PrivateHost,
    Redirects,
    Seed,
    UrlLength,
)
from shoal.scope.traps import PathSegments, QueryParameters, QueryVariants, RepeatedSegments
from shoal.settings import FetchSettings, PolitenessSettings, ScopeSettings
from shoal.url import BadUrl, parse_url

SOUND_REMEMBERED: Final = 65_536
"""Urls that one scope remembers no rule on Urls to speak against."""
IN_SCOPE: Final = Ruling(True, "in-scope", "no rule speaks against it")

RULES: Final[tuple[type[Rule], ...]] = (
    PrivateHost,
    Redirects,
    Seed,
    Kind,
    Nofollow,
    Depth,
    Hosts,
    UrlLength,
    Include,
    Exclude,
    PathSegments,
    Extension,
    QueryParameters,
    RepeatedSegments,
    Calendar,
    HostUrls,
    QueryVariants,
)
"""Every rule there is, in the order in which they are asked. QueryVariants is the last, because
what it lets in it counts."""


Opinion = Callable[[Candidate], Ruling | None]


@dataclass(frozen=True, slots=True)
class RuleScope:
    """Implements ``ports.Scope``.

    1. The first rule with an opinion decides; where none has one, the Link is in scope.
    2. Only rules that the settings turn on are asked.
    3. Nothing is fetched or resolved to decide, and memory is bounded.

    Most Links lead to where other Links led before. What the rules on Urls let in once is asked
    only the others: it is known already, and nothing of it can be kept out any more.
    """

    opinions: tuple[Opinion, ...]
    of_link: tuple[Opinion, ...]
    """Those among the opinions that the same Url may meet differently another time."""
    rules: tuple[str, ...]
    """The names of the rules that are asked, in their order."""
    _sound: set[str] = field(default_factory=set, init=False, repr=False, compare=False)

    def admit(self, link: Link, depth: int, redirects: int, host_known: int) -> Ruling:
        candidate = Candidate(link, depth, redirects, host_known)
        sound = candidate.text in self._sound
        for opinion in self.of_link if sound else self.opinions:
            ruling = opinion(candidate)
            if ruling is not None:
                return ruling
        # A sitemap may have a name that nothing else may have.
        if not sound and link.kind is not LinkKind.SITEMAP:
            if len(self._sound) >= SOUND_REMEMBERED:
                self._sound.clear()
            self._sound.add(candidate.text)
        return IN_SCOPE


def build_scope(
    scope: ScopeSettings, fetch: FetchSettings, politeness: PolitenessSettings, clock: Clock
) -> RuleScope:
    """The RuleScope that the settings describe. Raises BadUrl for a host that can be none."""
    wanted: dict[type[Rule], Rule | None] = {
        PrivateHost: None if fetch.allow_private else PrivateHost(),
        Redirects: Redirects(fetch.redirects),
        Seed: Seed(),
        Kind: Kind(),
        Nofollow: Nofollow() if politeness.robots else None,
        Depth: None if scope.depth is None else Depth(scope.depth),
        Hosts: Hosts(frozenset(map(_host, scope.hosts))) if scope.hosts else None,
        UrlLength: UrlLength(scope.url_length),
        Include: Include(Patterns.of(scope.include)) if scope.include else None,
        Exclude: Exclude(Patterns.of(scope.exclude)) if scope.exclude else None,
        PathSegments: PathSegments(scope.path_segments),
        Extension: Extension.of(scope.skip_extensions) if scope.skip_extensions else None,
        QueryParameters: QueryParameters(scope.query_parameters),
        RepeatedSegments: RepeatedSegments(scope.repeated_segments),
        Calendar: Calendar(scope.calendar_years, clock),
        HostUrls: None if scope.host_urls is None else HostUrls(scope.host_urls),
        QueryVariants: QueryVariants(scope.query_variants),
    }
    rules = [rule for kind in RULES if (rule := wanted[kind]) is not None]
    return RuleScope(
        tuple(rule.opinion for rule in rules),
        tuple(rule.opinion for rule in rules if not rule.of_url),
        tuple(rule.name for rule in rules),
    )


def _host(text: str) -> str:
    """A host as people write it (``Bücher.example``, ``*.example.org``, a whole address)."""
    name = text.strip().removeprefix("*.")
    try:
        return parse_url(name if "://" in name else f"http://{name}/").host
    except BadUrl as error:
        raise BadUrl(f"scope.hosts: {text!r} is no host") from error
