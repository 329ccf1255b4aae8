"""How alike concepts are: by the path between them, or by path and depth.

The thesis on focused crawlers (Batsakis, 2007, section 2.4) has both:

    Ehrig (equation 3)   sim(t1, t2) = df ** sp(t1, t2)
    Li (equation 4)      sim(t1, t2) = exp(-a L) * tanh(b H)

``sp`` and ``L`` are the length of the shortest path in the IS-A graph, H the depth of the most
specific concept that both are kinds of. Equation 4 is printed with the whole fraction, which is
tanh(b H), in the exponent; read so, concepts would be less alike the more specific what they share.
Li, Bandar and McLean's own formula is the product, and so it is read here.

A measure gives the similarity of a term to every concept at once. A term has several senses: the
pair that is most alike counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.wordnet.tables import Numbers
from shoal.wordnet.taxonomy import Taxonomy

Similarities = NDArray[np.float32]


class Measure(Protocol):
    """A similarity of concepts, in [0, 1]."""

    def to_all(self, taxonomy: Taxonomy, synsets: Numbers) -> Similarities:
        """Of every concept to the one of ``synsets`` that it is most like."""


@dataclass(frozen=True, slots=True)
class PathDecay:
    """Equation 3."""

    factor: float

    def to_all(self, taxonomy: Taxonomy, synsets: Numbers) -> Similarities:
        found = np.zeros(taxonomy.size, np.float32)
        for distance, ring in enumerate(taxonomy.rings(synsets)):
            found[ring] = self.factor**distance
        return found


@dataclass(frozen=True, slots=True)
class PathWithin:
    """1 for what is at most so many steps away, 0 for all else: variants a and b of section 2.4."""

    steps: int

    def to_all(self, taxonomy: Taxonomy, synsets: Numbers) -> Similarities:
        found = np.zeros(taxonomy.size, np.float32)
        for ring in islice(taxonomy.rings(synsets), self.steps + 1):
            found[ring] = 1.0
        return found


@dataclass(frozen=True, slots=True)
class PathAndDepth:
    """Equation 4, with its constants a and b."""

    path: float
    depth: float

    def to_all(self, taxonomy: Taxonomy, synsets: Numbers) -> Similarities:
        best = np.zeros(taxonomy.size, np.float32)
        for synset in synsets.tolist():
            found = np.zeros(taxonomy.size, np.float32)
            for length, ring in enumerate(taxonomy.rings(np.array([synset], np.int32))):
                found[ring] = np.exp(-self.path * length)
            found *= np.tanh(self.depth * taxonomy.subsumer_depths(synset))
            np.maximum(best, found, out=best)
        return best
