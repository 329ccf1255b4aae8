"""Ehrig's crawler over WordNet or an ontology: a Link whose anchor has terms near the Topic's.

    priority(link) = sum_j sum_k df ** sp(t_j, t_k) * w_j * w_k        (equations 3 and 8)

j runs over the terms of the anchor, k over those of the Topic; the weights are tf, and nothing is
divided by the length of a vector. sp is the shortest path in the graph of IS-A relations, 0 within
a synset; over an ontology see ``ehrig_ontology``. That is variant c of section 2.4; by the other
two, all terms within 1 (a) or 2 (b) steps are as good as the Topic's own. Batsakis (2007), sections
2.4 and 3.3.1; Maedche, Ehrig and others, "Ontology-focused crawling of documents and relational
metadata" (WWW 2002).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from shoal.errors import UsageError
from shoal.ontology.focus import Wanted
from shoal.ports import Strategy
from shoal.strategy.ehrig_ontology import DIRECT_STEPS, IS_A_STEPS, OntologyEhrig, Variant
from shoal.strategy.recipe import Brief, Recipe
from shoal.strategy.semantic import ByAnchor, Kinship, check_senses, check_share, wanted_terms
from shoal.strategy.semantic_terms import TermReader, frequencies
from shoal.wordnet.lexicon import Lexicon
from shoal.wordnet.similarity import Measure, PathDecay, PathWithin


@dataclass(frozen=True, slots=True, kw_only=True)
class EhrigOptions:
    wordnet: str | None = None
    """A WordNet to read: a folder or archive of database files, or a WN-LMF file. Without it, the
    topic's ontology is asked, where it has one, or else one is looked for in the usual places."""
    senses: int | None = None
    """Only this many senses of a word and part of speech, the most frequent ones; all of them
    where nothing is said."""
    variant: Variant = Variant.DECAY
    """Which terms are related to the topic's: `direct` (a), within one relation of any kind; `is-a`
    (b), within two that say that one thing is another; `decay` (c), all, the less the further."""
    decay: float = 0.5
    """df: how much of the similarity is left with each step of the path, by `decay`."""
    page_share: float = 0.0
    """How much of the priority is the sum over the terms of the page rather than those of the
    anchor."""
    content_share: float = 0.0
    """How much of the priority is the cosine of the page; the rest is the anchor's."""


class Ehrig:
    """Equation 8 for a text, over a WordNet."""

    def __init__(
        self,
        lexicon: Lexicon,
        words: Sequence[str],
        reader: TermReader,
        measure: Measure,
        senses: int | None = None,
    ) -> None:
        wanted = reader.read(words)
        self._reader = reader
        self._kinship = Kinship(lexicon, measure, wanted, frequencies(wanted), senses)

    def score(self, text: str) -> float:
        terms = self._reader.read([text])
        return sum(
            weight * self._kinship.of(term)
            for term, weight in zip(terms, frequencies(terms), strict=True)
        )


def measure_of(variant: Variant, decay: float) -> Measure:
    """Over a WordNet, whose graph has IS-A relations only."""
    if variant is Variant.DECAY:
        return PathDecay(decay)
    return PathWithin(DIRECT_STEPS if variant is Variant.DIRECT else IS_A_STEPS)


def _make(brief: Brief, options: EhrigOptions) -> Strategy:
    check_senses(options.senses)
    check_share("decay", options.decay)
    check_share("page_share", options.page_share)
    check_share("content_share", options.content_share)
    check_share("page_share and strategy.content_share", options.page_share + options.content_share)
    if brief.ontology is not None and options.wordnet is None:
        return _over_ontology(brief.ontology, options)
    # Imported when it is wanted: an ordinary crawl reads no archives of WordNet.
    from shoal.wordnet.opening import open_wordnet

    reader = TermReader(brief.idf)
    wanted_terms(brief, reader)
    lexicon = open_wordnet(options.wordnet, os.environ)
    measure = measure_of(options.variant, options.decay)
    ehrig = Ehrig(lexicon, brief.words, reader, measure, options.senses)
    return ByAnchor(brief.words, ehrig.score, options.content_share, options.page_share)


def _over_ontology(wanted: Wanted, options: EhrigOptions) -> Strategy:
    if not wanted.concepts:
        raise UsageError(
            "ehrig weighs concepts by how near they are to those in focus: name some (--focus)"
        )
    ehrig = OntologyEhrig(wanted, options.variant, options.decay)
    return ByAnchor(ehrig.words, ehrig.score, options.content_share, options.page_share)


RECIPE = Recipe(
    "ehrig",
    "The Link whose anchor has terms near the topic's in WordNet, or in the topic's ontology.",
    EhrigOptions,
    _make,
)
