"""The labels of an Ontology, read as one language or another is.

1. A text is read with labels stemmed as in its own language where the ontology has labels in that
   language; otherwise as in English, or in the first of the ontology's languages that has a
   stemmer where it has no English.
2. All labels are looked for, whatever language they are in, but for those in languages that were
   not chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Final

from shoal.ontology.label_index import LabelIndex, Stems, has_stemmer
from shoal.ontology.model import Ontology

ENGLISH: Final = "en"


def no_idf(stem: str) -> float:
    """For who only counts labels."""
    del stem
    return 0.0


class LabelReader:
    """Concepts are numbered in the order of the ontology."""

    def __init__(self, ontology: Ontology, languages: frozenset[str] = frozenset()) -> None:
        """``languages``: only labels in these, and those that are marked with none; empty is
        all."""
        self._ontology = ontology
        self._languages = languages

    def code_for(self, language: str) -> str:
        """The language as which a text in ``language`` is read."""
        return language if language in self._codes else self._default

    def index(self, code: str, idf_of_stem: Callable[[str], float] = no_idf) -> LabelIndex:
        return LabelIndex(Stems(code), self._labels(), idf_of_stem)

    def _labels(self) -> Iterator[tuple[int, str]]:
        for number, concept in enumerate(self._ontology.concepts.values()):
            for label in concept.labels:
                chosen = not label.language or _code(label.language) in self._codes
                if chosen or not self._languages:
                    yield number, label.text

    @cached_property
    def _codes(self) -> frozenset[str]:
        codes = frozenset(map(_code, self._ontology.languages))
        return codes & self._languages if self._languages else codes

    @cached_property
    def _default(self) -> str:
        if not self._codes or ENGLISH in self._codes:
            return ENGLISH
        return min(self._codes, key=lambda code: (not has_stemmer(code), code))


def _code(language: str) -> str:
    return language.partition("-")[0]
