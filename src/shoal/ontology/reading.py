"""Reads an ontology in whichever of the known forms a file has."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from shoal.ontology.ltm import read_ltm
from shoal.ontology.model import Ontology, OntologyError
from shoal.ontology.xml_guard import root_of
from shoal.ontology.xtm import XTM_1, XTM_2, read_xtm

LARGEST_BYTES: Final = 500_000_000
LARGEST_TEXT_BYTES: Final = 20_000_000
"""Of LTM, which is read as a whole."""
_RDF_ROOT: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns# RDF"
_OWL_XML: Final = "http://www.w3.org/2002/07/owl# Ontology"
_BY_ENDING: Final = {".ttl": "turtle", ".n3": "turtle", ".nt": "nt"}
_KNOWN: Final = "XTM, LTM (.ltm), RDF/XML, Turtle (.ttl) and N-Triples (.nt) can be read"


def read_ontology(path: Path) -> Ontology:
    """Raises OntologyError, which names the file and what is wrong with it."""
    try:
        return _read(path, path.stat().st_size)
    except OntologyError as error:
        raise OntologyError(f"the ontology {path}: {error}") from error
    except FileNotFoundError as error:
        raise OntologyError(f"there is no ontology {path}") from error
    except OSError as error:
        raise OntologyError(f"cannot read the ontology {path}: {error}") from error


def _read(path: Path, size_bytes: int) -> Ontology:
    ending = path.suffix.lower()
    limit_bytes = LARGEST_TEXT_BYTES if ending == ".ltm" else LARGEST_BYTES
    if size_bytes > limit_bytes:
        raise OntologyError(f"it has more than {limit_bytes:,} bytes")
    if ending == ".ltm":
        return read_ltm(path.read_bytes())
    if ending in _BY_ENDING:
        return _read_rdf(path, _BY_ENDING[ending])
    with path.open("rb") as file:
        head = file.read(1_000).lstrip(b"\xef\xbb\xbf \t\r\n")
        if not head.startswith((b"<?xml", b"<!", b"<")) or b"\x00" in head:
            raise OntologyError(f"it is nothing that is known; {_KNOWN}")
        file.seek(0)
        root = root_of(file)
        file.seek(0)
        if root.startswith((f"{XTM_1} ", f"{XTM_2} ")) or root == "topicMap":
            return read_xtm(file)
    if root == _RDF_ROOT:
        return _read_rdf(path, "xml")
    if root == _OWL_XML:
        raise OntologyError("it is OWL/XML; save it as RDF/XML or Turtle, which can be read")
    raise OntologyError(f"its first element is {root!r}, which is nothing known; {_KNOWN}")


def _read_rdf(path: Path, syntax: str) -> Ontology:
    # Imported when it is wanted: rdflib takes longer to start than a small crawl.
    from shoal.ontology.rdf import read_rdf

    with path.open("rb") as file:
        return read_rdf(file, syntax, path.resolve().as_uri())
