"""A requirement: the Page is in one of these languages.

Relevance is the confidence with which the language was told, read so that 0.5 stays the border: a
Page whose language nobody can tell is let pass, and one that was told with less than half a
confidence is held for neither.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.model import UNKNOWN_LANGUAGE, Judgement, Page, Part

UNDECIDED = 0.5


@dataclass(frozen=True, slots=True)
class LanguageTopic:
    codes: frozenset[str]
    """ISO 639."""

    def judge(self, page: Page) -> Judgement:
        code, confidence = page.language.code, min(1.0, max(0.0, page.language.confidence))
        if code == UNKNOWN_LANGUAGE.code:
            relevance = UNDECIDED
        elif code in self.codes:
            relevance = max(UNDECIDED, confidence)
        else:
            relevance = min(UNDECIDED, 1.0 - confidence)
        return Judgement(relevance, relevance, (Part(f"language {code}", confidence),))

    def similarity(self, words: str) -> float:
        """Nothing can be said of a few words, so nothing is held against them."""
        del words
        return 1.0
