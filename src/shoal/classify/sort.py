"""Pages sorted into categories, with what C4 does about those that no category can claim.

- A page that is not usable has no category: what is done with it is for the caller to say.
- A page in another language than the model's belongs to WORLD. (C4 kept all that is not English
  there.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.classify.examples import UNKNOWN_LANGUAGE
from shoal.classify.linear import BATCH_PAGES
from shoal.classify.model import Model
from shoal.classify.usable import LEAST_TERMS, Kind, kind_of
from shoal.model import Language, Page

WORLD: Final = "WORLD"
LEAST_CONFIDENCE: Final = 0.5
"""A language that was told with less is taken for the model's own."""


class Verdict(NamedTuple):
    """Where a Page belongs, and how surely."""

    kind: Kind
    category: str | None
    """None for a page that is not usable."""
    probability: float
    """Of the category, as the Classifier says; 0 where it was not asked."""
    row: NDArray[np.float64] | None
    """The probability of each category of the model, where it was asked."""


def is_foreign(language: Language, model: Model) -> bool:
    """Whether it is another language than the model was trained for, as far as is known."""
    known = UNKNOWN_LANGUAGE not in (language.code, model.language)
    return known and language.code != model.language and language.confidence >= LEAST_CONFIDENCE


def sort_pages(
    model: Model, pages: Sequence[Page], least_terms: int = LEAST_TERMS
) -> list[Verdict]:
    """A Verdict a Page, in their order."""
    kinds = [kind_of(page, least_terms) for page in pages]
    asked = [
        at
        for at, page in enumerate(pages)
        if kinds[at] is Kind.USABLE and not is_foreign(page.language, model)
    ]
    rows = dict(
        zip(asked, model.classifier.probabilities([pages[at] for at in asked]), strict=True)
    )
    return [_verdict(model, kind, rows.get(at)) for at, kind in enumerate(kinds)]


def _verdict(model: Model, kind: Kind, row: NDArray[np.float64] | None) -> Verdict:
    if row is not None:
        best = int(row.argmax())
        return Verdict(kind, model.categories[best], float(row[best]), row)
    return Verdict(kind, WORLD if kind is Kind.USABLE else None, 0.0, None)


def sort_all(
    model: Model, pages: Iterable[Page], least_terms: int = LEAST_TERMS
) -> Iterator[tuple[Page, Verdict]]:
    """The same for any number of Pages, some hundreds of which are held at a time."""
    coming = iter(pages)
    while batch := list(islice(coming, BATCH_PAGES)):
        yield from zip(batch, sort_pages(model, batch, least_terms), strict=True)
