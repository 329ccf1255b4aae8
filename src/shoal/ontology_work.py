"""What `shoal topic show` and `shoal topic compare` do, with ontology and pages read from files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from shoal.errors import UsageError
from shoal.labelled import read_pages
from shoal.ontology.finding import resolve
from shoal.ontology.focus import Weights, focus_on
from shoal.ontology.footprint import Comparison, Levels, footprint
from shoal.ontology.model import Ontology
from shoal.ontology.neighbourhood import neighbourhood
from shoal.ontology.reading import read_ontology
from shoal.report.ontology_page import Drawn
from shoal.topic.ontology import OntologyTopic


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
