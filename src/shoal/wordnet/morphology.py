"""From inflected English words to the base forms that entries have: morph(7WN).

For each part of speech the first of these that is an entry: the word itself; its base forms by
the list of irregular ones; the word with an ending taken off by one of the rules below.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

ENDINGS: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "n": (
        ("s", ""),
        ("ses", "s"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    "v": (
        ("s", ""),
        ("ies", "y"),
        ("es", "e"),
        ("es", ""),
        ("ed", "e"),
        ("ed", ""),
        ("ing", "e"),
        ("ing", ""),
    ),
    "a": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "r": (),
}


def base_entries(
    word: str,
    part: str,
    entries: Mapping[str, int],
    irregular: Mapping[str, Sequence[str]],
) -> list[int]:
    """The entries of one part of speech that a lower-case word is a form of."""
    if word in entries:
        return [entries[word]]
    found = [entries[base] for base in irregular.get(word, ()) if base in entries]
    if found:
        return found
    for form in _shortened(word, part):
        if form in entries:
            return [entries[form]]
    return []


def _shortened(word: str, part: str) -> Iterator[str]:
    if part == "n" and word.endswith("ss"):
        return
    for ending, instead in ENDINGS[part]:
        if word.endswith(ending) and len(word) > len(ending):
            yield word[: -len(ending)] + instead
