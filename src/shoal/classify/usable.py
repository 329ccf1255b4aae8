"""Which pages can be classified, and what the others are.

C4 (section 3.3.2 of its thesis) keeps three kinds of pages from its classifier, and X4 draws the
line of the third one higher:

- EMPTY: neither a header nor a body came;
- INVALID: a status other than 2XX;
- NO_TEXT: no informative text, which punctuation, numbers and white space are not;
- FEW_TERMS: some text, but fewer than ``LEAST_TERMS`` terms (X4's rule).
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from shoal.model import Failure, Fetched, Page

LEAST_TERMS: Final = 50
"""X4 calls a page of fewer terms unclassifiable."""


class Kind(StrEnum):
    """What a page is to a Classifier. Every page is of one kind."""

    USABLE = "usable"
    EMPTY = "empty"
    INVALID = "invalid"
    NO_TEXT = "no_text"
    FEW_TERMS = "few_terms"


def kind_of(page: Page, least_terms: int = LEAST_TERMS) -> Kind:
    """The kind of a Page whose Response was one of 2XX. Terms count as often as they stand there;
    ``least_terms=1`` is C4's own rule."""
    terms = sum(page.terms.values())
    if not terms:
        return Kind.NO_TEXT
    return Kind.USABLE if terms >= least_terms else Kind.FEW_TERMS


def kind_of_fetched(fetched: Fetched, page: Page | None, least_terms: int = LEAST_TERMS) -> Kind:
    """The kind of whatever came of a Request; ``page`` is what was parsed of it, if anything."""
    if isinstance(fetched, Failure) or not (fetched.head or fetched.body):
        return Kind.EMPTY
    if not 200 <= fetched.status < 300:
        return Kind.INVALID
    return Kind.NO_TEXT if page is None else kind_of(page, least_terms)
