"""Patterns with ``*``, many at once, in time that grows with the text alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Patterns:
    """A list of patterns, asked together.

    ``*`` is anything, also nothing; every other character is itself. A pattern matches a whole
    Url. One without ``://`` begins behind the scheme: ``example.org/a/*`` is ``*://example.org/a/*``.
    """

    texts: tuple[str, ...]
    compiled: re.Pattern[str]

    @classmethod
    def of(cls, texts: Sequence[str]) -> Patterns:
        return cls(tuple(texts), re.compile("|".join(map(_expression, texts)), re.DOTALL))

    def find(self, text: str) -> str | None:
        """The first pattern, as it was written, that matches; None where none does."""
        match = self.compiled.fullmatch(text)
        return None if match is None else self.texts[(match.lastindex or 1) - 1]


def _expression(pattern: str) -> str:
    if "://" not in pattern and not pattern.startswith("*"):
        pattern = "*://" + pattern
    first, *others = (re.escape(piece) for piece in re.split(r"\*+", pattern))
    if not others:
        return f"({first})"
    # The earliest place for a piece is as good as any later one, so none is ever reconsidered.
    middle = "".join(f"(?>.*?{piece})" for piece in others[:-1])
    return f"({first}{middle}.*{others[-1]})"
