"""Reads WN-LMF, the XML in which Open English WordNet is given out.

1. The document type is never fetched, nor is anything else that the file names.
2. A file that declares entities is refused, so none can grow in memory. WN-LMF needs none.
3. One element is held at a time; what is unpacked has an upper limit.

Of a file with lexicons of several languages the English ones are read: the rules by which words
are brought to their base forms are those of English.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NoReturn
from xml.parsers import expat

from shoal.wordnet.draft import Draft
from shoal.wordnet.errors import WordNetError
from shoal.wordnet.tables import PARTS, Tables

_KIND_OF: Final = {"hypernym", "instance_hypernym"}
_SATELLITE: Final = "s"


def read_lmf(chunks: Iterator[bytes]) -> Tables:
    """Raises WordNetError for what is not WN-LMF, and for entities."""
    reader = _Reader()
    parser = expat.ParserCreate()
    parser.EntityDeclHandler = reader.refuse_entity
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    try:
        for chunk in chunks:
            parser.Parse(chunk, False)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise WordNetError(f"it is not well-formed XML: {error}") from error
    if not reader.lexicons:
        raise WordNetError("it has no English lexicon in WN-LMF")
    return reader.draft.finish()


class _Reader:
    """Takes the elements as they come. Entries name synsets that come later."""

    def __init__(self) -> None:
        self.draft = Draft()
        self.lexicons = 0
        self._english = False
        self._word = ""
        self._part: str | None = None
        self._senses: list[str] = []
        self._forms: list[str] = []
        self._synset = ""
        self._parents: list[str] = []

    def refuse_entity(self, name: str, *_rest: object) -> NoReturn:
        raise WordNetError(f"it declares the entity {name!r}; WN-LMF has none, so it is refused")

    def start(self, element: str, given: dict[str, str]) -> None:
        try:
            self._start(element, given)
        except KeyError as error:
            raise WordNetError(f"an element {element} lacks its attribute {error}") from error

    def _start(self, element: str, given: dict[str, str]) -> None:
        if element == "Lexicon":
            self._english = given["language"].lower().split("-")[0] in {"en", "eng"}
            self.lexicons += self._english
        elif not self._english:
            return
        elif element == "LexicalEntry":
            self._word, self._part, self._senses, self._forms = "", None, [], []
        elif element == "Lemma":
            self._word = given["writtenForm"]
            part = given["partOfSpeech"]
            self._part = PARTS[2] if part == _SATELLITE else part if part in PARTS else None
        elif element == "Form":
            self._forms.append(given["writtenForm"])
        elif element == "Sense":
            self._senses.append(given["synset"])
        elif element == "Synset":
            self._synset, self._parents = given["id"], []
        elif element == "SynsetRelation" and given["relType"] in _KIND_OF:
            self._parents.append(given["target"])

    def end(self, element: str) -> None:
        if not self._english:
            return
        if element == "LexicalEntry" and self._part is not None:
            self.draft.senses(self._part, self._word, self._senses)
            for form in self._forms:
                self.draft.irregular(self._part, form, self._word)
        elif element == "Synset":
            self.draft.synset(self._synset, self._parents)
