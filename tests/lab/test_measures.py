"""Each measure on a case small enough to work out by hand."""

from __future__ import annotations

import pytest

from shoal.lab import measures

YES, NO = True, False


def test_harvest_is_relevant_by_fetched() -> None:
    assert measures.harvest([YES, NO, NO, YES]) == 2 / 4
    assert measures.harvest([]) == 0.0


def test_harvest_ratio_wants_more_than_the_threshold() -> None:
    # 001, section 4.2: "greater than a predefined threshold (0.75 in this work)".
    assert measures.harvest_ratio([0.9, 0.75, 0.7501, 0.1]) == 2 / 4
    assert measures.harvest_ratio([0.5, 0.3], similar_from=0.4) == 1 / 2


def test_average_similarity_is_the_mean() -> None:
    assert measures.average_similarity([1.0, 0.5, 0.0]) == pytest.approx(0.5)
    assert measures.average_similarity([]) == 0.0


def test_average_relevance_is_the_mean_of_judgements() -> None:
    assert measures.average_relevance([0.2, 0.4]) == pytest.approx(0.3)


def test_recent_harvest_looks_at_the_last_pages_only() -> None:
    assert measures.recent_harvest([YES, YES, NO, YES], 2) == 1 / 2
    assert measures.recent_harvest([YES], 50) == 1.0


def test_recall_is_the_share_of_all_targets() -> None:
    assert measures.recall([YES, NO, YES], 8) == 2 / 8
    with pytest.raises(ValueError, match="no target"):
        measures.recall([YES], 0)


def test_area_is_the_mean_of_relevant_pages_so_far() -> None:
    # So far: 1, 1, 2, 2; the mean is 6 / 4.
    assert measures.area([YES, NO, YES, NO], 4) == 6 / 4
    # A run that ends after two pages keeps its one relevant page: 0, 1, 1, 1.
    assert measures.area([NO, YES], 4) == 3 / 4
    # What comes after the number of pages does not count.
    assert measures.area([NO, YES, YES, YES], 2) == 1 / 2


def test_oracle_ratio_divides_areas() -> None:
    # Areas over 3 pages: (0 + 1 + 1) / 3 and (1 + 2 + 2) / 3.
    assert measures.oracle_ratio([NO, YES, NO], [YES, YES, NO], 3) == pytest.approx(2 / 5)
    assert measures.oracle_ratio([NO, NO], [NO, NO], 2) is None


def test_robustness_is_the_overlap_of_as_many_pages() -> None:
    assert measures.robustness([1, 2, 3, 4], [3, 9, 1, 7], 4) == 2 / 4
    assert measures.robustness([1, 2, 3, 4], [2, 1], 4) == 2 / 2
    assert measures.robustness([1, 2, 3], [3, 2, 1], 1) == 0.0
    assert measures.robustness([], [1], 4) is None


def test_robustness_of_relevant_pages_takes_as_many_as_the_poorer_crawl_has() -> None:
    """004: of the 20,761 first relevant pages of either crawl 10,322 were found by both."""
    own = measures.own([0.9, 0.1, None, 0.5])
    assert own == [YES, NO, NO, YES]
    assert measures.relevant_robustness([1, 2, 3, 4], [4, 9, 1], own, [YES, YES, YES]) == 1 / 2
    assert measures.relevant_robustness([1, 2, 3, 4], [4, 1, 9], own, [YES, YES, YES]) == 1.0
    assert measures.relevant_robustness([1], [1], [NO], [YES]) is None


def test_seed_distances_count_the_best_pages_only() -> None:
    distances = [0, 2, 1, 2, None]
    judged = [0.1, 0.9, 0.8, 0.7, 0.6]
    assert measures.seed_distances(distances, judged, best=3) == {1: 1, 2: 2}
    assert measures.seed_distances(distances, judged, best=5) == {0: 1, 1: 1, 2: 2}


def test_relevance_fractions_put_one_into_the_last_step() -> None:
    assert measures.relevance_fractions([0.0, 0.49, 0.5, 1.0], bins=2) == [0.5, 0.5]
    assert measures.relevance_fractions([1.0], bins=4) == [0, 0, 0, 1]
    assert measures.relevance_fractions([], bins=2) == [0.0, 0.0]


def test_pages_per_relevant_site_count_each_site_once() -> None:
    assert measures.pages_per_relevant_site([7, 7, 8, 9], [YES, YES, YES, NO]) == 4 / 2
    assert measures.pages_per_relevant_site([7], [NO]) is None
