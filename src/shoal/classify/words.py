"""What a Classifier reads of a Page: C4's preprocessing (section 4.2.1 of its thesis).

Tags, scripts and numbers are gone, entities are characters, everything is in lower case: the Parser
does so for ``Page.terms`` already, and this does the same for the lead. C4 read entities beyond
ASCII as white space; ours become the letters they stand for.

The lead is the title and the beginning of the text. It says what a page is about in few words,
which the page's other thousand would drown, so it is kept apart for methods that want it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Final, NamedTuple

from shoal.model import Page

LEAD_CHARACTERS: Final = 500
_WORD: Final = re.compile(r"[^\W\d_]{2,}")


class Words(NamedTuple):
    """How often each term stands in a Page, and in its lead."""

    text: Mapping[str, int]
    lead: Mapping[str, int]


def read_words(page: Page) -> Words:
    lead = f"{page.title}\n{page.text[:LEAD_CHARACTERS]}".lower()
    return Words(page.terms, Counter(_WORD.findall(lead)))
