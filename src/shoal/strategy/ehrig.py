"""Ehrig's crawler over WordNet: a Link whose anchor has words near those of the Topic.

    priority(link) = sum_j sum_k df ** sp(t_j, t_k) * w_j * w_k        (equations 3 and 8)

j runs over the terms of the anchor, k over those of the Topic; the weights are tf, and nothing is
divided by the length of a vector. sp is the shortest path in the graph of IS-A relations, 0 within
a synset. Batsakis (2007), sections 2.4 and 3.3.1; Maedche, Ehrig and others, "Ontology-focused
crawling of documents and relational metadata" (WWW 2002).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from shoal.ports import Strategy
from shoal.strategy.recipe import Brief, Recipe
from shoal.strategy.semantic import ByAnchor, Kinship, check_senses, check_share, wanted_terms
from shoal.strategy.semantic_terms import TermReader, frequencies
from shoal.wordnet.lexicon import Lexicon
from shoal.wordnet.similarity import PathDecay


@dataclass(frozen=True, slots=True, kw_only=True)
class EhrigOptions:
    wordnet: str | None = None
    """A WordNet to read: a folder or archive of database files, or a WN-LMF file. Without it, one
    is looked for in the usual places."""
    senses: int | None = None
    """Only this many senses of a word and part of speech, the most frequent ones; all of them
    where nothing is said."""
    decay: float = 0.5
    """df: how much of the similarity is left with each step of the path."""
    content_share: float = 0.0
    """How much of the priority is the cosine of the page; the rest is the anchor's."""


class Ehrig:
    """Equation 8 for a text."""

    def __init__(
        self,
        lexicon: Lexicon,
        words: Sequence[str],
        reader: TermReader,
        decay: float = 0.5,
        senses: int | None = None,
    ) -> None:
        wanted = reader.read(words)
        self._reader = reader
        self._kinship = Kinship(lexicon, PathDecay(decay), wanted, frequencies(wanted), senses)

    def score(self, text: str) -> float:
        terms = self._reader.read([text])
        return sum(
            weight * self._kinship.of(term)
            for term, weight in zip(terms, frequencies(terms), strict=True)
        )


def _make(brief: Brief, options: EhrigOptions) -> Strategy:
    # Imported when it is wanted: an ordinary crawl reads no archives of WordNet.
    from shoal.wordnet.opening import open_wordnet

    check_senses(options.senses)
    check_share("decay", options.decay)
    check_share("content_share", options.content_share)
    reader = TermReader(brief.idf)
    wanted_terms(brief, reader)
    lexicon = open_wordnet(options.wordnet, os.environ)
    ehrig = Ehrig(lexicon, brief.words, reader, options.decay, options.senses)
    return ByAnchor(brief.words, ehrig.score, options.content_share)


RECIPE = Recipe(
    "ehrig",
    "The Link whose anchor has words that are near the topic's in WordNet.",
    EhrigOptions,
    _make,
)
