"""Equations 3 and 4 by hand, depth and distance by hand, and laws of any taxonomy."""

from __future__ import annotations

from math import exp, tanh

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.wordnet.draft import Draft
from shoal.wordnet.lexicon import Lexicon
from shoal.wordnet.similarity import Measure, PathAndDepth, PathDecay
from shoal.wordnet.taxonomy import Taxonomy
from tests.wordnet.tiny import lexicon

TINY = lexicon()


def alike(measure: Measure, one: str, other: str, senses: int | None = None) -> float:
    synsets = TINY.synsets_of(TINY.entries_of(one), senses)
    best = TINY.best_of_entries(measure.to_all(TINY.taxonomy, synsets), senses)
    return float(best[list(TINY.entries_of(other))].max())


@pytest.mark.parametrize(
    ("one", "other", "path"),
    [
        ("train", "railroad_train", 0),
        ("train", "vehicle", 1),
        ("train", "car", 2),
        ("train", "hurricane", 6),
        ("flying_scotsman", "train", 1),
        ("train", "teach", 0),
        ("travel", "ride", 1),
        ("stormy", "tempestuous", 0),
    ],
)
def test_equation_3(one: str, other: str, path: int) -> None:
    """Up from train: vehicle, object, entity; down to hurricane: event, storm, hurricane."""
    assert alike(PathDecay(0.5), one, other) == pytest.approx(0.5**path)
    assert alike(PathDecay(0.5), other, one) == pytest.approx(0.5**path)


@pytest.mark.parametrize(
    ("one", "other", "path", "depth"),
    [
        ("train", "car", 2, 2),  # both are vehicles, at depth 2
        ("train", "railroad_train", 0, 3),
        ("train", "vehicle", 1, 2),
        ("train", "person", 3, 1),  # objects
        ("hurricane", "typhoon", 2, 2),
        ("train", "hurricane", 6, 0),  # entities, as everything is
        ("travel", "ride", 1, 0),
    ],
)
def test_equation_4(one: str, other: str, path: int, depth: int) -> None:
    expected = exp(-0.2 * path) * tanh(0.6 * depth)
    assert alike(PathAndDepth(0.2, 0.6), one, other) == pytest.approx(expected, abs=1e-6)
    assert alike(PathAndDepth(0.2, 0.6), other, one) == pytest.approx(expected, abs=1e-6)


def test_equation_4_in_figures() -> None:
    """e^-0.4 = 0.67032, tanh 1.2 = 0.83365."""
    assert alike(PathAndDepth(0.2, 0.6), "train", "car") == pytest.approx(0.55881, abs=1e-5)


def test_different_parts_of_the_graph_are_not_alike() -> None:
    for measure in (PathDecay(0.5), PathAndDepth(0.2, 0.6)):
        assert alike(measure, "hurricane", "ride") == 0.0
        assert alike(measure, "hurricane", "stormy") == 0.0


def test_the_most_similar_senses_count() -> None:
    """A coach is a vehicle first, and a person second."""
    assert alike(PathDecay(0.5), "coach", "person") == 0.5
    assert alike(PathDecay(0.5), "coach", "person", senses=1) == 0.5**3


def test_depth_is_the_longest_way_down() -> None:
    draft = Draft()
    for name, parents in {"top": (), "a": ("top",), "b": ("a",), "c": ("b", "top")}.items():
        draft.synset(name, parents)
        draft.senses("n", name, [name])
    made = Lexicon(draft.finish())
    depths = made.taxonomy.depths.tolist()
    assert depths == [0, 1, 2, 3]
    assert made.taxonomy.subsumer_depths(3).tolist() == [0, 1, 2, 3]


def test_circles_end() -> None:
    starts, parents = np.array([0, 1, 2, 3], np.int32), np.array([1, 0, 1], np.int32)
    taxonomy = Taxonomy(starts, parents)
    assert taxonomy.depths.tolist()[0] == 0
    assert [ring.tolist() for ring in taxonomy.rings(np.array([2], np.int32))] == [[2], [1], [0]]
    assert len(taxonomy.subsumer_depths(2)) == 3


@given(
    st.lists(st.lists(st.integers(0, 30), max_size=3), min_size=1, max_size=30),
    st.data(),
)
def test_laws_of_any_graph(rows: list[list[int]], data: st.DataObject) -> None:
    """Also with circles: everything ends, similarities are in [0, 1] and symmetric."""
    size = len(rows)
    rows = [sorted({parent % size for parent in row} - {own}) for own, row in enumerate(rows)]
    starts = np.zeros(size + 1, np.int32)
    np.cumsum([len(row) for row in rows], out=starts[1:])
    taxonomy = Taxonomy(starts, np.array([one for row in rows for one in row], np.int32))
    one = data.draw(st.integers(0, size - 1))
    other = data.draw(st.integers(0, size - 1))
    assert (taxonomy.depths < size).all()
    for measure in (PathDecay(0.5), PathAndDepth(0.2, 0.6)):
        there = measure.to_all(taxonomy, np.array([one], np.int32))
        back = measure.to_all(taxonomy, np.array([other], np.int32))
        assert ((there >= 0) & (there <= 1)).all()
        assert there[other] == back[one]
