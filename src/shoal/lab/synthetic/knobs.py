"""Every knob of the synthetic web, and the short text that sets them."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, fields
from typing import Final

from shoal.errors import UsageError
from shoal.lab.synthetic.vocabularies import TOPICS

PAGES_MAX: Final = 10_000_000
FIXED_SLOTS: Final = 4
"""Places at the front of every island that always hold ordinary pages: its hub and gateways."""
TUNNELS: Final = 2
"""Tunnels that leave every island."""


class BadKnob(UsageError):
    """A knob that is not there, or a value that it cannot have; the message names it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntheticKnobs:
    """What the synthetic web is like. Shares and probabilities are from 0 to 1."""

    seed: int = 1
    """Another seed, another web of the same kind."""
    pages: int = 5_000
    """Pages in the web, up to 10 million. Traps come on top, and have no end."""
    hosts: int = 40
    """Hosts that hold the pages, up to 100,000; the portal is one more."""
    topics: int = 12
    """Topics, up to as many as there are vocabularies. Each has the same share of the islands."""
    island_pages: int = 40
    """Pages in an island: a stretch of the web about one topic, linked within itself."""
    locality: float = 0.75
    """Probability that a link leads to a page of the same island, and so of the same topic."""
    degree_exponent: float = 2.5
    """The number of links on a page follows a power law with this exponent ..."""
    degree_min: int = 6
    """... from this number up ..."""
    degree_max: int = 120
    """... to this number."""
    popularity: float = 0.5
    """Preferential targets: the r-th page of an island is linked with weight r to the power of
    minus this. 0 links all alike; it must be below 1."""
    tunnel_min: int = 1
    """Off-topic pages, at least, on any way from an island to another of the same topic. 0 lets
    islands of one topic link directly."""
    tunnel_max: int = 3
    """Every island is reached by tunnels of at most this many off-topic pages."""
    tunnel_hints: float = 0.9
    """Probability that the anchor of a link in a tunnel tells the topic at the tunnel's end."""
    anchor_quality: float = 0.6
    """Probability that an ordinary anchor tells its target's topic; the others say "read more"."""
    topic_words: float = 0.35
    """Mean share of half sentences that speak of the page's topic. The others are general."""
    redirects: float = 0.04
    """Share of links whose address redirects to the page that they mean."""
    broken_links: float = 0.03
    """Share of links whose address is not there."""
    slow_hosts: float = 0.08
    """Share of hosts that take seconds to answer."""
    duplicates: float = 0.02
    """Share of pages that are byte for byte the same as another page of the same island."""
    near_duplicates: float = 0.02
    """Share of pages that differ from another page of the same island by a sentence."""
    soft_404: float = 0.01
    """Share of pages that say "not found" with status 200."""
    server_errors: float = 0.01
    """Share of pages that answer 500, 502 or 503."""
    other_languages: float = 0.05
    """Share of pages in Spanish, German, French or Russian, about no topic."""
    documents: float = 0.03
    """Share of pages that are PDF documents."""
    images: float = 0.01
    """Share of pages that are pictures."""
    empty_pages: float = 0.01
    """Share of pages that are HTML without text."""
    nofollow_pages: float = 0.02
    """Share of ordinary pages whose meta robots forbid to follow their links."""
    broken_html: float = 0.03
    """Share of ordinary pages whose HTML is torn: unclosed and stray tags, bare attributes."""

    def __post_init__(self) -> None:
        self._check_ranges()
        if self.redirects + self.broken_links > 1:
            raise BadKnob("redirects and broken_links are shares of all links: their sum exceeds 1")
        step = self.ring_step
        if self.tunnel_min and (self.tunnel_min + 1) * step < self.topics:
            raise BadKnob(
                f"tunnel_min={self.tunnel_min}: {self.topics} topics cannot be kept exactly that "
                f"far apart; try a tunnel_min of 1, or more topics"
            )
        if self.kind_shares * self.island_pages > self.free_slots:
            raise BadKnob(
                f"the shares of special pages sum to {self.kind_shares:.2f}, but only "
                f"{self.free_slots} of {self.island_pages} pages of an island can be special"
            )

    def _check_ranges(self) -> None:
        limits: dict[str, tuple[float, float]] = {
            "pages": (self.topics * self.island_pages, PAGES_MAX),
            "hosts": (1, 100_000),
            "topics": (2, len(TOPICS)),
            "island_pages": (self.fixed_slots + 4, 5_000),
            "degree_exponent": (1.1, 10),
            "degree_min": (1, self.degree_max),
            "degree_max": (1, 1_000),
            "popularity": (0, 0.95),
            "tunnel_min": (0, self.tunnel_max),
            "tunnel_max": (0, min(6, self.topics - 1)),
            "seed": (0, 2**63 - 1),
        }
        for field in fields(self):
            low, high = limits.get(field.name, (0, 1))
            value = getattr(self, field.name)
            if not low <= value <= high:
                raise BadKnob(f"{field.name}={value}: it must be from {low:,} to {high:,}")

    @property
    def ring_step(self) -> int:
        """Topics stand on a ring, and a link to another topic leads ahead by 1 to this many places.
        This is what keeps islands of one topic apart: see ``graph``."""
        return self.topics - 1 if self.tunnel_min < 1 else (self.topics - 1) // self.tunnel_min

    @property
    def fixed_slots(self) -> int:
        return FIXED_SLOTS + TUNNELS * self.tunnel_max

    @property
    def free_slots(self) -> int:
        return self.island_pages - self.fixed_slots

    @property
    def kind_shares(self) -> float:
        return (
            self.duplicates
            + self.near_duplicates
            + self.soft_404
            + self.server_errors
            + self.other_languages
            + self.documents
            + self.images
            + self.empty_pages
        )

    @property
    def islands(self) -> int:
        """As many islands of each topic as of every other."""
        return self.pages // (self.topics * self.island_pages) * self.topics


def parse_knobs(spec: str) -> SyntheticKnobs:
    """Read ``synthetic:seed=1,pages=5000,hosts=40``. What is not named keeps its default.

    Raises BadKnob for anything that is not exactly a knob and a value of its kind.
    """
    scheme, _, rest = spec.partition(":")
    if scheme != "synthetic":
        raise BadKnob(f"not a synthetic web: {spec!r} (such as synthetic:seed=1,pages=5000)")
    kinds = {field.name: field.type for field in fields(SyntheticKnobs)}
    values: dict[str, int | float] = {}
    for part in rest.split(",") if rest else []:
        name, equals, text = part.strip().partition("=")
        if name not in kinds:
            near = difflib.get_close_matches(name, kinds, n=1, cutoff=0.0)
            raise BadKnob(f"no knob {name!r} in a synthetic web: did you mean {near[0]!r}?")
        if not equals:
            raise BadKnob(f"{name} has no value: write {name}=VALUE")
        if name in values:
            raise BadKnob(f"{name} is given twice")
        number = int if kinds[name] == "int" else float
        try:
            values[name] = number(text)
        except ValueError as error:
            raise BadKnob(f"{name}={text}: it must be a number ({kinds[name]})") from error
    return SyntheticKnobs(**values)  # type: ignore[arg-type]  # each value is of its field's kind
