"""An ontology with its pages: what was read comes back, and each page is one topic."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn
from xml.etree import ElementTree as ET

import pytest
import rdflib

from shoal.ontology.ltm import read_ltm
from shoal.ontology.model import Ontology
from shoal.ontology.reading import read_ontology
from shoal.report.export import Exported, ExportRefused, Format, export
from shoal.report.rows import Selection, Source
from shoal.testing.memory_ledger import MemoryLedger
from tests.ontology.boats import LTM
from tests.ontology.cars import CARS
from tests.report.crawls import HOSTILE, START_S, known, page_visit

TM = "{http://www.topicmaps.org/xtm/}"
ADDRESS = "https://a.example.org/?a=1&b=<2>"


def refuse(*_: object) -> NoReturn:
    raise AssertionError("the archive was read")


def write(folder: Path, to: Format, ontology: Ontology | None) -> Exported:
    pages = [
        known(n, f"{ADDRESS}{n}", page_visit(START_S + n, n / 10, title=HOSTILE)) for n in range(10)
    ]
    source = Source(refuse, refuse, refuse)
    out = folder / f"out{to.suffix}"
    return export(MemoryLedger(pages), source, to, out, Selection(0.5), ontology=ontology)


def told(ontology: Ontology) -> tuple[object, ...]:
    labels = {
        one.id: sorted((label.text, label.language or "") for label in one.labels)
        for one in ontology.concepts.values()
    }
    return labels, {(one.source, one.target, one.kind) for one in ontology.relations}


@pytest.mark.parametrize("to", [Format.XTM, Format.SKOS])
@pytest.mark.parametrize("text", [CARS, LTM], ids=["cars", "boats"])
def test_the_ontology_comes_back_without_the_pages(tmp_path: Path, to: Format, text: str) -> None:
    ontology = read_ltm(text.encode())
    done = write(tmp_path, to, ontology)
    assert done.pages == 5
    assert told(read_ontology(done.path)) == told(ontology)


def test_a_page_is_one_topic_and_two_occurrences(tmp_path: Path) -> None:
    done = write(tmp_path, Format.XTM, read_ltm(CARS.encode()))
    root = ET.parse(done.path).getroot()
    pages = [one for one in root.iter(f"{TM}topic") if one.find(f"{TM}occurrence") is not None]
    assert len(pages) == 5
    for number, page in enumerate(pages, start=5):
        address, relevance = page.findall(f"{TM}occurrence")
        reference = address.find(f"{TM}resourceRef")
        assert reference is not None
        assert reference.get("href") == f"{ADDRESS}{number}"
        assert relevance.findtext(f"{TM}resourceData") == f"{number / 10:.6f}"
        assert "<script>" in str(page.findtext(f"{TM}name/{TM}value"))


def test_skos_has_the_same(tmp_path: Path) -> None:
    done = write(tmp_path, Format.SKOS, read_ltm(CARS.encode()))
    graph = rdflib.Graph().parse(done.path, format="turtle")
    rows = list(graph.query(
        "SELECT ?page ?r { ?page a <https://schema.org/WebPage> ; <urn:shoal:relevance> ?r ;"
        " <https://schema.org/url> ?url ; <https://schema.org/name> ?name }"
    ))  # fmt: skip
    assert len(rows) == 5


def test_without_an_ontology_it_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ExportRefused, match="needs an ontology"):
        write(tmp_path, Format.XTM, None)
    assert list(tmp_path.iterdir()) == []
