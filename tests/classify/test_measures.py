"""Measures, calibration, verdicts and locality against cases worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.classify.calibrate import _loss, folds_of, one_slope, own_slopes
from shoal.classify.examples import example_of
from shoal.classify.linear import shares
from shoal.classify.locality import Ends, locality_of
from shoal.classify.measures import calibration_of, measure
from shoal.classify.sort import WORLD, sort_all, sort_pages
from shoal.classify.train import train
from shoal.classify.usable import Kind
from shoal.model import Language
from tests.classify.pages import FARM, SEA, essay, members, page_of

NAMES = ("sea", "farm", "sky")


def test_the_measures_of_five_pages() -> None:
    rows = np.array([[8, 1, 1], [1, 8, 1], [8, 1, 1], [1, 1, 8], [1, 8, 1]]) / 10.0
    belongs = members([1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 1], [0, 1, 1])
    found = measure(rows, belongs, NAMES)
    # Pages 1, 4 and 5 are right: sea in sea, farm+sky in sky, farm+sky in farm.
    assert found.accuracy == pytest.approx(3 / 5)
    sea, farm, sky = (found.per_category[name] for name in NAMES)
    assert list(sea) == pytest.approx([2, 1 / 2, 1 / 2, 1 / 2, 1 / 2])
    assert list(farm) == pytest.approx([3, 2 / 3, 1 / 2, 1 / 3, 2 / 5])
    assert list(sky) == pytest.approx([2, 1.0, 1.0, 1 / 2, 2 / 3])
    assert found.accuracy_mean == pytest.approx((1 / 2 + 2 / 3 + 1) / 3)
    assert found.accuracy_variance == pytest.approx(np.var([1 / 2, 2 / 3, 1]))
    assert found.confusion == ((1, 1, 0), (1, 1, 0), (0, 0, 1))
    assert found.calibration_error == pytest.approx(abs(0.8 - 0.6))


def test_a_category_without_pages_has_no_accuracy_and_is_left_out_of_the_mean() -> None:
    found = measure(np.array([[0.9, 0.05, 0.05]]), members([1, 0, 0]), NAMES)
    assert found.per_category["sky"] == (0, None, None, None, None)
    assert found.accuracy_mean == 1.0


def test_the_calibration_error_is_the_mean_distance_over_bins() -> None:
    confidences = np.array([0.95, 0.95, 0.55, 0.55])
    bins, error = calibration_of(confidences, np.array([True, True, True, False]))
    assert [(one.pages, one.right) for one in bins] == [(2, 0.5), (2, 1.0)]
    assert error == pytest.approx((2 * 0.05 + 2 * 0.05) / 4)


# --------------------------------------------------------------------------- calibration


def test_a_slope_makes_boasting_scores_modest() -> None:
    """Ten to one in favour of the first category each time, and right two times in three."""
    scores = np.tile([10.0, 0.0], (300, 1))
    belongs = members(*([[1, 0], [1, 0], [0, 1]] * 100))
    found = one_slope(scores, belongs)
    rows = shares(found.log_odds(scores))
    assert rows[0, 0] == pytest.approx(2 / 3, abs=0.01)


def test_own_slopes_are_fair_to_a_small_category() -> None:
    """Scores that tell nothing: then every category is as likely as any other, however common."""
    chance = np.random.default_rng(1)
    belongs = np.zeros((600, 3), np.bool_)
    belongs[np.arange(600), chance.choice(3, 600, p=[0.8, 0.15, 0.05])] = True
    scores = chance.normal(size=(600, 3))
    rows = shares(own_slopes(scores, belongs).log_odds(scores))
    assert rows.mean(axis=0) == pytest.approx([1 / 3] * 3, abs=0.05)


def test_own_slopes_bring_scores_of_different_scales_together() -> None:
    chance = np.random.default_rng(2)
    belongs = np.eye(3, dtype=np.bool_)[chance.integers(0, 3, 300)]
    meaning = 3.0 * belongs + chance.normal(size=(300, 3))
    scores = meaning * [1.0, 0.01, 100.0] + [0.0, 5.0, -70.0]
    rows = shares(own_slopes(scores, belongs).log_odds(scores))
    right = belongs[np.arange(300), rows.argmax(axis=1)].mean()
    best = belongs[np.arange(300), meaning.argmax(axis=1)].mean()
    assert right > best - 0.03


@given(st.integers(0, 10_000))
def test_the_slope_of_the_loss_is_what_it_changes_by(seed: int) -> None:
    chance = np.random.default_rng(seed)
    odds, belongs = chance.normal(size=(6, 3)), chance.random((6, 3)) < 0.5
    belongs[:, 0] |= ~belongs.any(axis=1)
    belongs[belongs.all(axis=1)] = [True, False, False]
    weights = chance.random(6) + 0.1
    value, slope = _loss(odds, belongs, weights)
    step = chance.normal(size=(6, 3)) * 1e-6
    after, _ = _loss(odds + step, belongs, weights)
    assert after - value == pytest.approx((slope * step).sum(), abs=1e-10)


def test_every_fold_has_some_pages_of_each_category() -> None:
    belongs = members(*([[1, 0]] * 50 + [[0, 1]] * 5))
    folds = folds_of(belongs)
    assert sorted(folds[50:]) == [0, 1, 2, 3, 4]
    assert np.bincount(folds[:50]).tolist() == [10] * 5


# --------------------------------------------------------------------------- verdicts


def test_pages_that_no_category_can_claim() -> None:
    examples = [
        example_of(page_of(essay(words, seed), f"{name}{seed}"), [name])
        for name, words in (("sea", SEA), ("farm", FARM))
        for seed in range(5)
    ]
    model = train(examples, source="s", trained_at="t")
    pages = [
        page_of(essay(SEA, 77)),
        page_of(""),
        page_of("harbour"),
        page_of(essay(SEA, 78), language=Language("fr", 0.9)),
        page_of(essay(FARM, 79), language=Language("fr", 0.2)),
    ]
    verdicts = sort_pages(model, pages)
    assert [one.kind for one in verdicts] == [
        Kind.USABLE,
        Kind.NO_TEXT,
        Kind.FEW_TERMS,
        Kind.USABLE,
        Kind.USABLE,
    ]
    assert [one.category for one in verdicts] == ["sea", None, None, WORLD, "farm"]
    assert verdicts[0].row is not None
    assert verdicts[0].probability == verdicts[0].row.max()
    assert [page for page, _ in sort_all(model, iter(pages))] == pages


# --------------------------------------------------------------------------- locality


def test_the_locality_of_four_pages() -> None:
    ends = {
        "s1": Ends(("sea",), 0.95),
        "s2": Ends(("sea",), 0.55),
        "f1": Ends(("farm",), 0.95),
        "both": Ends(("sea", "farm"), 0.5),
    }
    links = [
        ("s1", "s2"),  # local
        ("s1", "f1"),
        ("s2", "s1"),  # local
        ("f1", "both"),  # local
        ("s1", "s1"),  # to itself: no link
        ("s1", "elsewhere"),  # of no category: no link
    ]
    found = locality_of(ends, links)
    assert (found.pages, found.links) == (4, 4)
    assert found.local == pytest.approx(3 / 4)
    assert found.per_category == {"farm": 1.0, "sea": pytest.approx(2 / 3)}
    # Leaving: sea 3, farm 1. Leading to: sea 1 + 1 + 1/2, farm 1 + 1/2.
    assert found.chance == pytest.approx((3 * 2.5 + 1 * 1.5) / 16)
    assert found.mean == pytest.approx(5 / 6)
    assert found.variance == pytest.approx(np.var([1.0, 2 / 3]))
    sure, unsure = found.by_probability[-1], found.by_probability[0]
    assert [sure.parents, sure.links, sure.local] == pytest.approx([2, 3, 2 / 3])
    assert [unsure.parents, unsure.links, unsure.local] == pytest.approx([1, 1, 1.0])


def test_targets_that_somebody_else_judges() -> None:
    """What a page is taken for as a source says nothing of what it is as a target."""
    taken_for = {"a": Ends(("sea",), 0.9), "b": Ends(("sea",), 0.4)}
    labels = {"a": Ends(("farm", "sea")), "b": Ends(("farm",)), "c": Ends(("sea",))}
    links = [("a", "b"), ("a", "c"), ("b", "a"), ("c", "a"), ("a", "a")]
    found = locality_of(taken_for, links, labels)
    assert found.links == 3
    assert found.local == pytest.approx(2 / 3)
    assert [(one.links, one.local) for one in found.by_probability] == [(1, 1.0), (2, 0.5)]


def test_no_links_have_no_locality() -> None:
    found = locality_of({}, [("a", "b")])
    assert (found.links, found.local, found.chance, found.per_category) == (0, 0.0, 0.0, {})
