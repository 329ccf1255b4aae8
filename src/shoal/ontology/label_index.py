"""Where the labels of an Ontology stand in a text: words are compared by their stems.

1. A label of several words is found where their stems follow one another, and nothing between.
2. A label counts wherever it stands, inside a longer one too: "Corolla Verso" is also a "Corolla".
   A Concept counts once for each place at which a label of it begins.
3. A label of one letter or digit is not looked for: it would be found on every page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf
from typing import Final

import Stemmer

_WORD: Final = re.compile(r"[^\W_]+")
_SNOWBALL: Final = {
    "ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek", "en": "porter",
    "es": "spanish", "eu": "basque", "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi",
    "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian",
    "ne": "nepali", "nl": "dutch", "no": "norwegian", "nb": "norwegian", "pt": "portuguese",
    "ro": "romanian", "ru": "russian", "sr": "serbian", "sv": "swedish", "ta": "tamil",
    "tr": "turkish",
}  # fmt: skip


def has_stemmer(language: str) -> bool:
    return language in _SNOWBALL


class Stems:
    """Words of a text as the stems of a language (ISO 639); as they are where it has no stemmer."""

    def __init__(self, language: str) -> None:
        algorithm = _SNOWBALL.get(language)
        self._stemmer = Stemmer.Stemmer(algorithm) if algorithm else None

    def of(self, text: str) -> list[str]:
        return self.of_words(_WORD.findall(text.lower()))

    def of_words(self, words: list[str]) -> list[str]:
        return words if self._stemmer is None else list(self._stemmer.stemWords(words))


class LabelIndex:
    """The labels of numbered Concepts, stemmed as one language is."""

    def __init__(
        self, stems: Stems, labels: Iterable[tuple[int, str]], idf_of_stem: Callable[[str], float]
    ) -> None:
        """``labels`` are a Concept's number and a text each."""
        self._stems = stems
        self._concepts: dict[str, tuple[int, ...]] = {}
        self._longest: dict[str, int] = {}
        self._idf: dict[int, float] = {}
        for concept, text in labels:
            found = stems.of(text)
            if sum(map(len, found)) >= 2:
                self._add(concept, found, idf_of_stem)

    def _add(self, concept: int, stems: Sequence[str], idf_of_stem: Callable[[str], float]) -> None:
        key = " ".join(stems)
        known = self._concepts.get(key, ())
        if concept not in known:
            self._concepts[key] = (*known, concept)
        first = stems[0]
        self._longest[first] = max(len(stems), self._longest.get(first, 0))
        rarest = max(map(idf_of_stem, stems))
        self._idf[concept] = min(rarest, self._idf.get(concept, inf))

    def idf(self, concept: int) -> float:
        """Of the commonest of its labels, each as rare as its rarest word; 0 for a Concept without
        a label that is looked for."""
        return self._idf.get(concept, 0.0)

    def count(self, texts: Iterable[str]) -> tuple[dict[int, int], int]:
        """How often each Concept stands in the texts, and how often their most frequent word."""
        counts: Counter[int] = Counter()
        words: Counter[str] = Counter()
        for text in texts:
            stems = self._stems.of(text)
            words.update(stems)
            self._count(stems, counts)
        return dict(counts), max(words.values(), default=0)

    def _count(self, stems: Sequence[str], counts: Counter[int]) -> None:
        for at, first in enumerate(stems):
            longest = self._longest.get(first)
            if longest is None:
                continue
            here: set[int] = set()
            for length in range(1, longest + 1):
                here.update(self._concepts.get(" ".join(stems[at : at + length]), ()))
            counts.update(here)


def stem_idfs(idfs: Mapping[str, float], fallback: float) -> Callable[[str], float]:
    """What is not in the table is as rare as ``fallback``."""
    return lambda stem: idfs.get(stem, fallback)
