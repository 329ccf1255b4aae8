"""Cosines worked out by hand."""

from __future__ import annotations

from math import log, sqrt

import pytest

from shoal.lab.similarity import Vectors
from shoal.lab.statistics import mean_of
from tests.lab.small import survey


def test_cosines_of_tf_idf() -> None:
    # Three pages: stems 0 (on all), 1 (on two), 2 (on one). idf: 0, log(3/2), log(3).
    web = survey([[], [], []], words=[{0: 5, 1: 2}, {0: 1, 1: 1, 2: 1}, {0: 3}])
    cosines = Vectors(web).nearest([0])
    second = log(3 / 2) / sqrt(log(3 / 2) ** 2 + log(3) ** 2)
    assert cosines.tolist() == pytest.approx([1.0, second, 0.0])


def test_the_largest_cosine_counts() -> None:
    web = survey([[], [], [], []], words=[{1: 1}, {2: 1}, {1: 1, 2: 3}, {3: 1}])
    one = Vectors(web).nearest([0])
    both = Vectors(web).nearest([0, 1])
    assert one[2] == pytest.approx(1 / sqrt(10))
    assert both[2] == pytest.approx(3 / sqrt(10))


def test_what_is_no_page_counts_in_no_idf() -> None:
    words = [{1: 1}, {1: 1, 2: 1}, {1: 4, 2: 1}]
    assert Vectors(survey([[], [], []], words=words, no_pages=[2])).nearest([0])[2] == 0.0


def test_the_confidence_interval_of_a_mean() -> None:
    # t(0.975, 2) = 4.302653; s = 1; so 4.302653 / sqrt(3).
    mean = mean_of([1.0, 2.0, 3.0])
    assert mean.value == 2.0
    assert mean.half == pytest.approx(4.302653 / sqrt(3), rel=1e-6)
    assert mean_of([5.0]).half is None
