"""Equation 8 over an Ontology: the terms are its Concepts, those of the Topic the focal ones.

    a  direct   sim(c1, c2) = 1 where at most 1 relation of any kind lies between them, else 0
    b  is-a     sim(c1, c2) = 1 where at most 2 IS-A relations do, else 0
    c  decay    sim(c1, c2) = df ** sp(c1, c2), sp over relations of any kind        (equation 3)

Labels of one Concept are what a synonym set is to a WordNet: sp is 0 among them. (Batsakis (2007),
section 2.4, on Ehrig and Maedche.)
"""

from __future__ import annotations

from collections import defaultdict
from enum import StrEnum
from itertools import islice
from typing import Final

from shoal.ontology.focus import Wanted
from shoal.ontology.label_reader import ENGLISH, LabelReader
from shoal.ontology.paths import EVERY_KIND, IS_A, rings

DIRECT_STEPS: Final = 1
IS_A_STEPS: Final = 2
LEAST: Final = 1e-6
"""A similarity below this is none: a path of twenty relations, where each halves it."""


class Variant(StrEnum):
    """Which terms are related to the Topic's, and how much."""

    DIRECT = "direct"
    IS_A = "is-a"
    DECAY = "decay"


class OntologyEhrig:
    """The similarities of all Concepts to the focal ones are worked out once; a text then costs the
    search for its labels."""

    def __init__(self, wanted: Wanted, variant: Variant, decay: float) -> None:
        concepts = wanted.ontology.concepts
        kinship: defaultdict[str, float] = defaultdict(float)
        for focal in wanted.concepts:
            for concept, similarity in _similarities(wanted, focal, variant, decay).items():
                kinship[concept] += similarity
        self._kinship = [kinship.get(concept, 0.0) for concept in concepts]
        reader = LabelReader(wanted.ontology, wanted.languages)
        self._index = reader.index(reader.code_for(ENGLISH))
        self.words = tuple(concepts[focal].name for focal in wanted.concepts)
        """What the focal Concepts are called."""

    def score(self, text: str) -> float:
        """The sum over the Concepts in it; each weighs its count by the largest of the counts."""
        counts, _ = self._index.count((text,))
        most = max(counts.values(), default=1)
        return sum(tf / most * self._kinship[concept] for concept, tf in counts.items())


def _similarities(wanted: Wanted, focal: str, variant: Variant, decay: float) -> dict[str, float]:
    kinds = IS_A if variant is Variant.IS_A else EVERY_KIND
    found = rings(wanted.ontology, focal, kinds)
    if variant is Variant.DECAY:
        similarities: dict[str, float] = {}
        for distance, ring in enumerate(found):
            similarity = decay**distance
            if similarity < LEAST:
                break
            similarities.update(dict.fromkeys(ring, similarity))
        return similarities
    steps = DIRECT_STEPS if variant is Variant.DIRECT else IS_A_STEPS
    return {concept: 1.0 for ring in islice(found, steps + 1) for concept in ring}
