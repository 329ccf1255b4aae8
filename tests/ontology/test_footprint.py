"""On which level two texts are alike: by hand, and what holds of any two."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.ontology.footprint import Levels, Shared, footprint
from shoal.ontology.ltm import read_ltm
from shoal.ontology.neighbourhood import neighbourhood
from tests.ontology.cars import CARS

ONTOLOGY = read_ltm((CARS + '[mine : corolla = "my Corolla"]').encode())
LEVELS = Levels(ONTOLOGY)
COUNTS = st.dictionaries(st.sampled_from(sorted(ONTOLOGY.concepts)), st.integers(1, 9))


def test_by_hand() -> None:
    """Avensis and Corolla have nothing in common until both are Toyotas."""
    one, other = footprint({"avensis": 3, "toyoda": 1}), footprint({"corolla": 1})
    found = LEVELS.compare(one, other)
    assert [level.depth for level in found.levels] == [2, 1, 0]
    assert [level.likeness for level in found.levels] == [0.0, 0.75, 0.75]
    assert found.levels[1].shared == (Shared("toyota", 0.75),)
    assert found.levels[2].shared == (Shared("japanese-car", 0.75),)
    alike = found.alike_from(0.5)
    assert alike is not None
    assert alike.depth == 1
    assert found.alike_from(0.8) is None


def test_an_instance_climbs_too_and_an_empty_text_has_no_levels() -> None:
    found = LEVELS.compare(footprint({"mine": 1}), footprint({"verso": 1}))
    assert found.levels[0].depth == 3
    assert found.levels[1].shared == (Shared("corolla", 1.0),)
    assert LEVELS.compare({}, footprint({"toyota": 1})).levels == ()


def test_several_parents_share_and_circles_end() -> None:
    ltm = b"""[broader-narrower @"http://a.example/#broader-narrower"]
    [broader @"http://a.example/#broader"]
    [a = "a one"] [b = "b one"] [c = "c one"] [x = "x one"] [y = "y one"]
    broader-narrower(a : broader, c : narrower) broader-narrower(b : broader, c : narrower)
    broader-narrower(x : broader, y : narrower) broader-narrower(y : broader, x : narrower)"""
    levels = Levels(read_ltm(ltm))
    found = levels.compare(footprint({"c": 1}), footprint({"a": 1}))
    assert [level.likeness for level in found.levels] == [0.0, 0.5]
    assert levels.compare(footprint({"x": 1}), footprint({"y": 1})).levels[-1].likeness == 0.0


@given(one=COUNTS, other=COUNTS)
def test_the_more_abstract_the_more_alike(one: dict[str, int], other: dict[str, int]) -> None:
    levels = LEVELS.compare(footprint(one), footprint(other)).levels
    values = [level.likeness for level in levels]
    assert all(0.0 <= value <= 1.0 for value in values)
    for concrete, abstract in pairwise(values):
        assert abstract >= concrete - 1e-9
    if one and one == other:
        assert values == pytest.approx([1.0] * len(values))


def test_the_neighbourhood_is_the_nearest_and_says_what_it_left_out() -> None:
    part = neighbourhood(ONTOLOGY, ("tmm",), 3)
    assert part.rings[0] == ("tmm",)
    assert set(part.rings[1]) == {"toyota", "toyoda"}
    assert part.left_out == len(ONTOLOGY.concepts) - 3
    assert {relation.name for relation in part.relations} == {"produces", "founded"}
    whole = neighbourhood(ONTOLOGY, (), 100)
    assert set(whole.concepts) == set(ONTOLOGY.concepts)
    assert set(whole.relations) == set(ONTOLOGY.relations)
    assert whole.left_out == 0
