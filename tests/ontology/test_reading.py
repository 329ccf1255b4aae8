"""Every form gives the same ontology; nothing is fetched; what is none is refused."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import NoReturn

import pytest

from shoal.ontology import draft, reading, xml_guard
from shoal.ontology.model import Label, LabelKind, Ontology, OntologyError, Relation, RelationKind
from shoal.ontology.reading import read_ontology
from tests.ontology.boats import FORMS, LTM, OWL, TURTLE, XTM_1, XTM_2
from tests.shared_data import shared


def read(path: Path, text: str) -> Ontology:
    path.write_text(text, encoding="utf-8")
    return read_ontology(path)


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_arguments: object) -> NoReturn:
        raise AssertionError("an ontology was fetched")

    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.mark.parametrize("name", FORMS)
def test_every_form_is_the_same_ontology(name: str, tmp_path: Path) -> None:
    found = read(tmp_path / name, FORMS[name])
    own = {"boat", "sailing", "seagull", "harbour"}
    assert own <= set(found.concepts) <= own | {"moored"}
    assert set(found.concepts["boat"].labels) == {
        Label("boat", None, LabelKind.PREFERRED),
        Label("Boot", "de", LabelKind.PREFERRED),
        Label("water craft", None, LabelKind.ALTERNATIVE),
    }
    assert found.concepts["boat"].name == "boat"
    assert found.languages == ("de",)
    assert {(source, target, kind) for source, target, kind, _ in found.relations} == {
        ("sailing", "boat", RelationKind.TAXONOMIC),
        ("seagull", "sailing", RelationKind.INSTANCE),
        ("boat", "harbour", RelationKind.OTHER),
    }
    (other,) = (one for one in found.relations if one.kind is RelationKind.OTHER)
    assert other.name == "moored at"
    assert found.imports == ("http://127.0.0.1:9/other.xtm",)
    assert len(found.near("sailing")) == 2
    assert found.near("absent") == ()


def test_what_has_no_label_is_counted_and_left_out(tmp_path: Path) -> None:
    assert read(tmp_path / "boats.ttl", TURTLE).unnamed == 1
    assert read(tmp_path / "two.xtm", XTM_2).unnamed == 1
    with pytest.raises(OntologyError, match="not one concept in it has a label"):
        read(tmp_path / "none.ttl", "<http://a.example/b> a <http://a.example/c> .")


def test_topics_merge_by_what_they_stand_for(tmp_path: Path) -> None:
    text = """
    [a = "one" @"http://x.example/same"]
    [b = "other" @"http://x.example/same" %"http://x.example/page"]
    [c = "third" %"http://x.example/same"]
    [d @"http://x.example/page" = ]
    """
    found = read(tmp_path / "m.ltm", text.replace('    [d @"http://x.example/page" = ]\n', ""))
    assert [one.id for one in found.concepts.values()] == ["a", "c"]
    assert [label.text for label in found.concepts["a"].labels] == ["one", "other"]
    with pytest.raises(OntologyError, match=r"line 5: expected '\]'"):
        read(tmp_path / "m.ltm", text)


def test_ids_that_end_alike_are_told_apart(tmp_path: Path) -> None:
    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    text = "\n".join(f'<http://{host}.example/x#cat> {label} "{host}" .' for host in "ab")
    found = read(tmp_path / "cats.nt", text)
    assert list(found.concepts) == ["cat", "cat-2"]
    assert found.concepts["cat-2"].addresses == ("http://b.example/x#cat",)


def test_escapes_and_older_encodings_of_ltm(tmp_path: Path) -> None:
    assert read(tmp_path / "e.ltm", r'[a = "d\u00E9j\u00e0 ""vu"""]').concepts["a"].name == (
        'd\u00e9j\u00e0 "vu"'
    )
    (tmp_path / "l.ltm").write_bytes('@"iso-8859-1" [a = "caf\u00e9"]'.encode("latin-1"))
    assert read_ontology(tmp_path / "l.ltm").concepts["a"].name == "caf\u00e9"
    (tmp_path / "u.ltm").write_bytes('[a = "caf\u00e9"]'.encode("latin-1"))
    assert read_ontology(tmp_path / "u.ltm").concepts["a"].name == "caf\u00e9"


NESTED = '<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>'
LONG = f'<!DOCTYPE r [<!ENTITY a "{"a" * 2_000}">]>'
MANY = "<!DOCTYPE r [" + "".join(f'<!ENTITY e{n} "x">' for n in range(300)) + "]>"
FILE = '<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
ADDRESS = '<!DOCTYPE r [<!ENTITY % p SYSTEM "http://127.0.0.1:9/x.dtd"> %p;]>'


@pytest.mark.parametrize("body", [XTM_1, XTM_2, OWL], ids=["xtm1", "xtm2", "owl"])
@pytest.mark.parametrize("declared", [NESTED, LONG, MANY, FILE, ADDRESS])
def test_entities_that_grow_or_fetch_are_refused(declared: str, body: str, tmp_path: Path) -> None:
    bare = body[body.index("<topicMap" if "<topicMap" in body else "<rdf:RDF") :]
    with pytest.raises(OntologyError, match=r"bad\.xml: it declares the entity"):
        read(tmp_path / "bad.xml", declared + bare)


def test_a_document_type_elsewhere_is_not_fetched(tmp_path: Path) -> None:
    text = XTM_2.replace("<topicMap", '<!DOCTYPE x SYSTEM "http://127.0.0.1:9/x.dtd"><topicMap', 1)
    assert "boat" in read(tmp_path / "x.xtm", text).concepts


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.xtm", XTM_1[:400], "not well-formed XML"),
        ("a.xtm", "<topicMap", "not well-formed XML"),
        ("a.xtm", "<!-- nothing -->", "not well-formed XML"),
        ("a.xml", "<html/>", "its first element is 'html'"),
        ("a.xml", '<Ontology xmlns="http://www.w3.org/2002/07/owl#"/>', "OWL/XML; save it as"),
        ("a.owl", OWL[:-20], "cannot be read as RDF"),
        ("a.ttl", "@prefix a", r"cannot be read as RDF \(turtle\)"),
        ("a.nt", "<a> <b> .", r"cannot be read as RDF \(nt\)"),
        ("a.txt", "just words", "nothing that is known; XTM, LTM"),
        ("a.ltm", '[a = "b"', r"line 1: expected '\]', not 'the end'"),
        ("a.ltm", '[a = "b]', r"line 1: '\"b\]' is not LTM"),
        ("a.ltm", "\n\n{a, b, c}", "line 3: expected an address"),
        ("a.ltm", "= a", "expected a topic, an association"),
        ("a.ltm", '@"klingon" [a = "b"]', "not text in klingon"),
    ],
)
def test_what_is_no_ontology_is_refused(name: str, text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(OntologyError, match=message):
        read(tmp_path / name, text)
    with pytest.raises(OntologyError, match=r"there is no ontology .*absent"):
        read_ontology(tmp_path / "absent")
    with pytest.raises(OntologyError, match="cannot read the ontology"):
        read_ontology(tmp_path)


@pytest.mark.parametrize("name", FORMS)
def test_too_much_is_refused(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draft, "LARGEST", 5)
    with pytest.raises(OntologyError, match="more than 5 concepts, labels and relations"):
        read(tmp_path / name, FORMS[name])
    monkeypatch.setattr(reading, "LARGEST_BYTES", 100)
    monkeypatch.setattr(reading, "LARGEST_TEXT_BYTES", 100)
    with pytest.raises(OntologyError, match="more than 100 bytes"):
        read(tmp_path / name, FORMS[name])


def test_the_guard_reads_no_further_than_the_first_element(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("<a><b>")
    with (tmp_path / "x").open("rb") as file:
        assert xml_guard.root_of(file) == "a"


def test_relations_are_each_there_once(tmp_path: Path) -> None:
    found = read(tmp_path / "twice.ltm", LTM + "\nmoored(boat : guest, harbour : host)\n")
    assert len(found.relations) == len(set(found.relations)) == 3
    assert Relation("boat", "harbour", RelationKind.OTHER, "moored at") in found.relations


def test_real_ontologies(tmp_path: Path) -> None:
    """2,299 is how often the file has ``<skos:Concept ``."""
    import tarfile

    with tarfile.open(shared("ontologies", "ontologies.tar.xz")) as archive:
        archive.extractall(tmp_path, filter="data")
    opera = read_ontology(next(tmp_path.rglob("ItalianOpera.ltm")))
    assert opera.concepts["puccini"].name == "Puccini, Giacomo"
    assert {"de", "fr", "it"} <= set(opera.languages)
    computing = read_ontology(next(tmp_path.rglob("ACMComputing*.xml")))
    assert computing.concepts["10002944"].name == "General and reference"
    assert computing.languages == ("en",)
    assert len(computing.concepts) == 2_299
    maps = [read_ontology(path) for path in sorted(tmp_path.rglob("*.xtm"))]
    assert all(one.concepts and one.relations for one in maps)
