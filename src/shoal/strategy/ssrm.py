"""The Semantic Similarity Retrieval Model over WordNet: a cosine in which alike words count too.

    priority(link) = sum_k sum_j sim(t_k, t_j) w_k w_j / (|anchor| |topic|)      (equation 9)
    sim(t1, t2)    = exp(-a L) * tanh(b H)                                       (equation 4)

k runs over the terms of the anchor, j over those of the Topic; the weights are tf * idf, and the
lengths are those of equation 2. Words alike to several others count for each, so the value can be
above 1. Batsakis (2007), sections 2.4 and 3.3.2; Varelas, Voutsakis and others, "Semantic
similarity methods in WordNet and their application to information retrieval on the web"
(WIDM 2005); Li, Bandar and McLean (2003).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from shoal.ports import Strategy
from shoal.strategy.recipe import Brief, Recipe
from shoal.strategy.semantic import (
    ByAnchor,
    Kinship,
    check_positive,
    check_senses,
    check_share,
    wanted_terms,
)
from shoal.strategy.semantic_terms import Term, TermReader, frequencies
from shoal.wordnet.lexicon import Lexicon
from shoal.wordnet.similarity import PathAndDepth


@dataclass(frozen=True, slots=True, kw_only=True)
class SsrmOptions:
    wordnet: str | None = None
    """A WordNet to read: a folder or archive of database files, or a WN-LMF file. Without it, one
    is looked for in the usual places."""
    senses: int | None = None
    """Only this many senses of a word and part of speech, the most frequent ones; all of them
    where nothing is said."""
    path_weight: float = 0.2
    """a of equation 4: how fast similarity falls with the length of the path."""
    depth_weight: float = 0.6
    """b of equation 4: how fast it grows with the depth of what two concepts have in common."""
    content_share: float = 0.0
    """How much of the priority is the cosine of the page; the rest is the anchor's."""


class Ssrm:
    """Equation 9 for a text."""

    def __init__(
        self,
        lexicon: Lexicon,
        words: Sequence[str],
        reader: TermReader,
        measure: PathAndDepth,
        senses: int | None = None,
    ) -> None:
        self._reader = reader
        wanted = reader.read(words)
        weights = _weights(wanted)
        self._length = _length(weights)
        self._kinship = Kinship(lexicon, measure, wanted, weights, senses)

    def score(self, text: str) -> float:
        terms = self._reader.read([text])
        weights = _weights(terms)
        pairs = zip(terms, weights, strict=True)
        alike = sum(weight * self._kinship.of(term) for term, weight in pairs)
        return alike / (_length(weights) * self._length) if alike else 0.0


def _weights(terms: Sequence[Term]) -> list[float]:
    return [tf * term.idf for term, tf in zip(terms, frequencies(terms), strict=True)]


def _length(weights: Sequence[float]) -> float:
    return sqrt(sum(weight * weight for weight in weights))


def _make(brief: Brief, options: SsrmOptions) -> Strategy:
    # Imported when it is wanted: an ordinary crawl reads no archives of WordNet.
    from shoal.wordnet.opening import open_wordnet

    check_senses(options.senses)
    check_positive("path_weight", options.path_weight)
    check_positive("depth_weight", options.depth_weight)
    check_share("content_share", options.content_share)
    reader = TermReader(brief.idf)
    wanted_terms(brief, reader)
    lexicon = open_wordnet(options.wordnet, os.environ)
    measure = PathAndDepth(options.path_weight, options.depth_weight)
    ssrm = Ssrm(lexicon, brief.words, reader, measure, options.senses)
    return ByAnchor(brief.words, ssrm.score, options.content_share)


RECIPE = Recipe(
    "ssrm",
    "The Link whose anchor means what the topic means, by a cosine over related words.",
    SsrmOptions,
    _make,
)
