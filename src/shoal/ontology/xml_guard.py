"""Looks at what an XML file declares before anything else reads it.

1. Entities are taken as abbreviations of plain text, as ontologies use them for namespaces. One
   that names a file or an address, is made of others, or is long is refused: it cannot be resolved
   safely, and cannot grow in memory.
2. Nothing is read beyond the first element, and nothing is fetched.
"""

from __future__ import annotations

from typing import IO, Final, NoReturn
from xml.parsers import expat

from shoal.ontology.model import OntologyError

LONGEST_ENTITY: Final = 1_000
MOST_ENTITIES: Final = 200
_CHUNK_BYTES: Final = 1 << 16


class _FirstElement(Exception):
    """Everything that can be declared has been."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def root_of(file: IO[bytes]) -> str:
    """The name of the first element, as ``namespace name`` or ``name``. Raises OntologyError."""
    parser = expat.ParserCreate(namespace_separator=" ")
    count = 0

    def declared(
        name: str,
        is_parameter: bool,
        value: str | None,
        _base: str | None,
        system: str | None,
        _public: str | None,
        _notation: str | None,
    ) -> None:
        nonlocal count
        count += 1
        if is_parameter or value is None or system is not None:
            raise OntologyError(
                f"it declares the entity {name!r} as something to be fetched; such are refused"
            )
        if "&" in value or "%" in value or len(value) > LONGEST_ENTITY or count > MOST_ENTITIES:
            raise OntologyError(f"it declares the entity {name!r}, which could grow; refused")

    def element(name: str, _given: dict[str, str]) -> NoReturn:
        raise _FirstElement(name)

    parser.EntityDeclHandler = declared
    parser.StartElementHandler = element
    try:
        while chunk := file.read(_CHUNK_BYTES):
            parser.Parse(chunk, False)
        parser.Parse(b"", True)
    except _FirstElement as first:
        return first.name
    except expat.ExpatError as error:
        raise OntologyError(f"it is not well-formed XML: {error}") from error
    raise OntologyError("it has no element")
