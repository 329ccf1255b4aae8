"""Reads the database files of WordNet 3.0: ``index.*``, ``data.*`` and ``*.exc``.

The formats are those of the manual pages wndb(5WN) and morph(7WN). Of a synset, its hypernyms
(``@``) and the class that it is an instance of (``@i``) are read; the words come from the index,
which has them in the order of their frequency. The file ``lexnames`` is not needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from shoal.wordnet.draft import Draft
from shoal.wordnet.errors import WordNetError
from shoal.wordnet.tables import PARTS, Tables

_NAMES: Final = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
_KIND_OF: Final = {"@", "@i"}

DATA: Final = tuple(f"data.{name}" for name in _NAMES.values())
INDEX: Final = tuple(f"index.{name}" for name in _NAMES.values())
EXCEPTIONS: Final = tuple(f"{name}.exc" for name in _NAMES.values())
NEEDED: Final = (*DATA, *INDEX)
FILES: Final = (*NEEDED, *EXCEPTIONS)


def read_database(files: Mapping[str, bytes]) -> Tables:
    """``files`` by their names; those of EXCEPTIONS may be missing. Raises WordNetError."""
    missing = [name for name in NEEDED if name not in files]
    if missing:
        raise WordNetError(f"it lacks {', '.join(missing)}")
    draft = Draft()
    readers = ((DATA, _synset), (INDEX, _entry), (EXCEPTIONS, _irregular))
    for place, part in enumerate(PARTS):
        for names, read in readers:
            name = names[place]
            for number, line in _lines(files.get(name, b"")):
                try:
                    read(draft, part, line.split("|", 1)[0].split())
                except (ValueError, IndexError) as error:
                    raise WordNetError(
                        f"{name}, line {number}, is not as WordNet's manual has it"
                    ) from error
    return draft.finish()


def _synset(draft: Draft, part: str, fields: list[str]) -> None:
    """offset, file number, kind, count of words (hexadecimal), words with their ids, count of
    pointers (decimal), pointers of four fields each."""
    at = 4 + 2 * int(fields[3], 16)
    count = int(fields[at])
    pointers = fields[at + 1 : at + 1 + 4 * count]
    if len(pointers) != 4 * count:
        raise ValueError("pointers are missing")
    parents = [
        pointers[place + 2] + pointers[place + 1]
        for place in range(0, len(pointers), 4)
        if pointers[place] in _KIND_OF
    ]
    draft.synset(part + fields[0], parents)


def _entry(draft: Draft, part: str, fields: list[str]) -> None:
    """lemma, part of speech, count of synsets, count of pointer symbols, these, two counts, and
    the offsets of the synsets."""
    count = int(fields[2])
    offsets = fields[6 + int(fields[3]) :]
    if len(offsets) != count:
        raise ValueError("synsets are missing")
    draft.senses(part, fields[0], [part + offset for offset in offsets])


def _irregular(draft: Draft, part: str, fields: list[str]) -> None:
    """inflected form, base forms."""
    for base in fields[1:]:
        draft.irregular(part, fields[0], base)


def _lines(content: bytes) -> Iterator[tuple[int, str]]:
    """The lines but for the licence, whose lines begin with a space."""
    for number, line in enumerate(content.decode("utf-8", "replace").split("\n"), start=1):
        if line and not line.startswith(" "):
            yield number, line
