"""Which pages a run starts from.

Lots are drawn by a hash of the experiment's seed, the topic, the set and the address: the same
on every machine, and a page more on the web changes no other draw.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import xxhash

from shoal.errors import UsageError
from shoal.lab.experiment import RandomSeeds, SeedSpec
from shoal.lab.survey import Flags, Survey
from shoal.url import BadUrl, parse_url


class BadSeeds(UsageError):
    """Seeds that are not on the frozen web, or that cannot be drawn; the message says which."""


@dataclass(frozen=True, slots=True)
class SeedSet:
    """The numbers of the seeds, under a name."""

    name: str
    numbers: tuple[int, ...]


def seed_sets(
    name: str, spec: SeedSpec, survey: Survey, topic: str, targets: Flags, labelled: Flags
) -> list[SeedSet]:
    """The seed sets that ``[seeds.NAME]`` means for one topic. Raises BadSeeds."""
    if spec.random_off_topic is not None:
        return _drawn(name, spec.random_off_topic, survey, topic, labelled & ~targets, "off-topic")
    if spec.random_targets is not None:
        return _drawn(name, spec.random_targets, survey, topic, targets, "relevant")
    return [SeedSet(name, addresses(spec.urls, survey, f"seeds.{name}"))]


def addresses(urls: Sequence[str], survey: Survey, place: str) -> tuple[int, ...]:
    """The numbers of addresses, each of which is a page of the web. Raises BadSeeds."""
    found: dict[int, None] = {}
    for text in urls:
        try:
            number = survey.number(parse_url(text))
        except BadUrl as error:
            raise BadSeeds(f"{place}: {error}") from error
        if number is None or not (survey.is_page[number] or len(survey.links.row(number))):
            raise BadSeeds(f"{place}: {text} is not on this frozen web")
        found[number] = None
    return tuple(found)


def draw(numbers: Iterable[int], survey: Survey, lot: str, size: int) -> list[int]:
    """``size`` of the addresses, by lot."""

    def ticket(number: int) -> tuple[int, str]:
        text = survey.urls[number]
        return xxhash.xxh3_64_intdigest(f"{lot}\n{text}".encode()), text

    return sorted(numbers, key=ticket)[:size]


def _drawn(
    name: str, spec: RandomSeeds, survey: Survey, topic: str, allowed: Flags, kind: str
) -> list[SeedSet]:
    # A page that links to nothing is where no crawl would be started.
    numbers = [n for n in np.flatnonzero(allowed).tolist() if len(survey.links.row(n))]
    if len(numbers) < spec.size:
        raise BadSeeds(
            f"seeds.{name}: this web has {len(numbers)} {kind} pages with links for {topic}, "
            f"too few for seed sets of {spec.size}"
        )
    return [
        SeedSet(
            f"{name}-{place}",
            tuple(draw(numbers, survey, f"{spec.seed}:{topic}:{place}", spec.size)),
        )
        for place in range(1, spec.sets + 1)
    ]
