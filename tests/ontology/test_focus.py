"""What counts how much, and how a concept is named: the numbers are those of the thesis."""

from __future__ import annotations

import pytest

from shoal.ontology.finding import UnknownConcept, find, resolve
from shoal.ontology.focus import Focus, Nearness, Weights, focus_on
from shoal.ontology.ltm import read_ltm
from shoal.ontology.model import Ontology
from tests.ontology.cars import CARS, TABLE_6_1


@pytest.fixture(scope="module")
def cars() -> Ontology:
    return read_ltm(CARS.encode())


def weights(ontology: Ontology, focus: Focus) -> dict[str, float]:
    return {one.name: focus.weight(one.id) for one in ontology.concepts.values()}


@pytest.mark.parametrize(("column", "names"), [(0, ["Toyota"]), (1, ["TMM Inc.", "Corolla"])])
def test_table_6_1(cars: Ontology, column: int, names: list[str]) -> None:
    focus = focus_on(cars, resolve(cars, names))
    assert weights(cars, focus) == {name: both[column] for name, both in TABLE_6_1.items()}


def test_of_several_classes_the_weightiest_wins_and_all_can_be_set(cars: Ontology) -> None:
    focus = focus_on(cars, ("toyota", "corolla"), Weights(0.6, 0.9, 0.4, 0.0))
    assert focus.nearness("corolla") is Nearness.TAXONOMIC
    assert focus.weight("corolla") == 0.9
    assert focus.weight("tmm") == 0.4
    assert focus.weight("toyoda") == 0.0


def test_without_focus_all_count_the_same(cars: Ontology) -> None:
    assert set(weights(cars, focus_on(cars, ())).values()) == {1.0}


def test_an_instance_is_related_and_no_kind() -> None:
    ontology = read_ltm(b'[car = "car"] [herbie : car = "Herbie"]')
    assert focus_on(ontology, ("car",)).nearness("herbie") is Nearness.OTHER


def test_concepts_are_named_by_id_or_label(cars: Ontology) -> None:
    assert resolve(cars, ["tmm", "corolla verso", " TOYOTA ", "tmm"]) == ("tmm", "verso", "toyota")
    with pytest.raises(UnknownConcept, match=r"no concept 'Corola'; the nearest are corolla"):
        resolve(cars, ["Corola"])
    with pytest.raises(UnknownConcept, match="no name in it is near"):
        resolve(cars, ["zzz"])
    twins = read_ltm(b'[one = "Twin"] [two = "twin"]')
    with pytest.raises(UnknownConcept, match="2 concepts; name one by its id: one, two"):
        resolve(twins, ["TWIN"])


def test_finding_by_words(cars: Ontology) -> None:
    assert [hit.concept.id for hit in find(cars, "corolla", 10)][:2] == ["corolla", "verso"]
    assert find(cars, "car", 1)[0].concept.id == "japanese-car"
    assert find(cars, "toyata", 1)[0].concept.id == "toyota"
    assert find(cars, "", 5) == []
