"""Which terms a Classifier gets to know (section 4.1.5 of the C4 thesis).

- document frequency: terms that stand in fewer than ``least_pages`` pages are left out, and of the
  rest the ``most_terms`` that stand in most pages are kept;
- stop words: terms that stand in more than ``most_share`` of the pages, and the ``stop_words`` most
  common words of the language, are left out;
- stepwise selection: see ``stepwise``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from shoal.classify.choices import Selection
from shoal.classify.vocabulary import Vocabulary
from shoal.errors import UsageError


@dataclass(frozen=True, slots=True)
class Features:
    least_pages: int = 2
    most_share: float = 1.0
    most_terms: int = 100_000
    stop_words: int = 0
    selection: Selection = Selection.NONE


def choose_terms(
    texts: Sequence[Mapping[str, int]], features: Features, stop: AbstractSet[str] = frozenset()
) -> Vocabulary:
    """In the order of the alphabet. Raises UsageError where no term is left."""
    frequency = Counter(term for text in texts for term in text)
    most_pages = features.most_share * len(texts)
    kept = [
        (-pages, term)
        for term, pages in frequency.items()
        if features.least_pages <= pages <= most_pages and term not in stop
    ]
    if not kept:
        raise UsageError(
            f"no term is left of {len(frequency)}: none stands in at least "
            f"{features.least_pages} and at most {features.most_share:.0%} of {len(texts)} pages; "
            "give more pages, or choose terms less strictly"
        )
    kept.sort()
    return Vocabulary(tuple(sorted(term for _, term in kept[: features.most_terms])))


def common_words(language: str, count: int) -> frozenset[str]:
    """The most common words of a language. Raises UsageError where its words are not known."""
    if not count:
        return frozenset()
    # Imported when it is wanted: it loads tokenisers of forty languages.
    import wordfreq

    try:
        return frozenset(wordfreq.top_n_list(language, count))
    except LookupError as error:
        raise UsageError(
            f"no list of common words in language {language!r}; leave --stop-words out"
        ) from error
