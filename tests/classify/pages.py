"""Small pages for the tests of classifiers, with words that nobody has to guess the meaning of."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.classify.vocabulary import Counts, Vocabularies, Vocabulary
from shoal.classify.words import Words
from shoal.model import Language, Page
from shoal.url import parse_url

ENGLISH = Language("en", 0.99)
SEA = ["harbour", "anchor", "tide", "sailor", "mast"]
FARM = ["plough", "barley", "tractor", "furrow", "silo"]
SKY = ["comet", "orbit", "telescope", "planet", "nebula"]


def page_of(text: str, name: str = "a", title: str = "", language: Language = ENGLISH) -> Page:
    terms = Counter(re.findall(r"[^\W\d_]{2,}", f"{title} {text}".lower()))
    return Page(
        parse_url(f"http://pages.example/{name}"),
        "text/html",
        title=title,
        text=text,
        terms=terms,
        language=language,
    )


def essay(words: Sequence[str], seed: int, length: int = 60) -> str:
    """A text of these words and of some that say nothing, always the same for a seed."""
    chance = np.random.default_rng(seed)
    common = ["the", "of", "and", "very", "long", "day"]
    return " ".join(str(chance.choice([*words, *common])) for _ in range(length))


def counts_of(*texts: str) -> tuple[Vocabularies, Counts]:
    """Counts over the words of these texts, in the order of the alphabet; leads are the same."""
    terms = tuple(sorted({word for text in texts for word in text.split()}))
    vocabularies = Vocabularies(Vocabulary(terms), Vocabulary(terms))
    counted = [Counter(text.split()) for text in texts]
    return vocabularies, vocabularies.count_terms([Words(one, one) for one in counted])


def members(*rows: Sequence[int]) -> NDArray[np.bool_]:
    return np.array(rows, dtype=np.bool_)
