"""What commands do with an ontology, read from its file or found in the topic of a crawl."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from shoal.compose.topic import spec_of
from shoal.errors import UsageError
from shoal.labelled import read_pages
from shoal.ontology.finding import resolve
from shoal.ontology.focus import Weights, focus_on
from shoal.ontology.footprint import Comparison, Levels, footprint
from shoal.ontology.model import Ontology
from shoal.ontology.neighbourhood import neighbourhood
from shoal.ontology.reading import read_ontology
from shoal.report.ontology_page import Drawn
from shoal.settings import CrawlSettings
from shoal.topic.ontology import OntologyTopic
from shoal.topic.spec import OntologySpec, Spec, members_of


class Compared(NamedTuple):
    """Two pages as an ontology sees them."""

    ontology: Ontology
    names: tuple[str, str]
    concepts: tuple[dict[str, int], dict[str, int]]
    """How often each concept stands on either page, by its id."""
    comparison: Comparison


def look_at(path: Path, focus: Sequence[str], weights: Weights, most: int) -> Drawn:
    """An ontology around its focus, at most so many concepts. Raises UsageError."""
    ontology = read_ontology(path)
    focal = resolve(ontology, focus)
    part = neighbourhood(ontology, focal, most)
    return Drawn(path.name, ontology, focus_on(ontology, focal, weights), part)


def ontology_of(crawl: CrawlSettings) -> Ontology:
    """The ontology that a crawl's topic is, or is partly made of. Raises UsageError."""
    paths = list(dict.fromkeys(_ontologies(spec_of(crawl))))
    if not paths:
        raise UsageError(
            "the topic of this crawl has no ontology to write its pages into; crawl with "
            "--ontology, or choose another --format"
        )
    if len(paths) > 1:
        raise UsageError(f"the topic of this crawl has {len(paths)} ontologies: {', '.join(paths)}")
    return read_ontology(Path(paths[0]))


def _ontologies(spec: Spec) -> Iterator[str]:
    if isinstance(spec, OntologySpec):
        yield spec.ontology
    for member in members_of(spec):
        yield from _ontologies(member)


def compare_pages(path: Path, pages: tuple[str, str], web: str | None) -> Compared:
    """Raises UsageError."""
    ontology = read_ontology(path)
    topic = OntologyTopic(ontology, focus_on(ontology, ()))
    counts = []
    for name in pages:
        read = [one.page for one in read_pages((name,), web)]
        if len(read) != 1:
            raise UsageError(f"{name} holds {len(read)} pages; compare one with one")
        counts.append(topic.concepts_on(read[0]))
    one, other = counts
    found = Levels(ontology).compare(footprint(one), footprint(other))
    return Compared(ontology, pages, (one, other), found)
