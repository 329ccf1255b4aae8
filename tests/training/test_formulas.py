"""Each formula beside what was worked out by hand."""

from __future__ import annotations

from math import log, pi, sqrt

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from shoal.model import Page
from shoal.training.clusters import criterion, k_means, relevant_apart, x_means
from shoal.training.guide import Counts, Guide, with_ties
from shoal.training.layers import Layers
from shoal.training.markov import HiddenMarkov, fit_markov, states_of
from shoal.training.space import Space, centre_of
from shoal.training.stems import count_stems
from shoal.training.training_set import TrainingPage, TrainingSet
from shoal.url import parse_url
from tests.training.paths import URL, small_set

CLUSTERS = [0, 1, 2, 1]
"""Of Ann, Bob, Cat and Dan."""


@pytest.fixture
def markov() -> HiddenMarkov:
    made = small_set()
    return fit_markov(states_of(made.distances(), 3), CLUSTERS, made.steps(), 3)


def test_distances_are_counted_in_links_to_the_nearest_relevant_page() -> None:
    made = small_set()
    assert made.distances() == [2, 1, 0, None]
    assert states_of(made.distances(), 4) == [2, 1, 0, 3]
    assert states_of(made.distances(), 3) == [2, 1, 0, 2]
    assert states_of(made.distances(), 2) == [1, 1, 0, 1]


def test_initial_transition_and_emission_are_shares(markov: HiddenMarkov) -> None:
    assert markov.initial.tolist() == [1 / 4, 1 / 4, 2 / 4]
    # Cat -> Ann is 0 -> 2, Bob -> Cat is 1 -> 0, Ann -> Bob is 2 -> 1.
    assert markov.transition.tolist() == [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
    # Of the two pages in state 2, Ann is in cluster 0 and Dan in cluster 1.
    assert markov.emission.tolist() == [[0, 0, 1], [0, 1, 0], [1 / 2, 1 / 2, 0]]


def test_the_first_page_is_told_by_the_initial_probabilities(markov: HiddenMarkov) -> None:
    # (1/4, 1/4, 1/2) * (0, 1, 1/2) = (0, 1/4, 1/4)
    assert markov.first(1).tolist() == [0, 1 / 2, 1 / 2]
    assert markov.first(None).tolist() == [1 / 4, 1 / 4, 1 / 2]


def test_equation_5(markov: HiddenMarkov) -> None:
    # (0, 1/2, 1/2) A = (1/2, 1/2, 0); times (0, 1, 1/2) = (0, 1/2, 0)
    before = np.array([0, 1 / 2, 1 / 2])
    assert markov.follow(before, 1).tolist() == [0, 1, 0]
    assert markov.follow(before, None).tolist() == [1 / 2, 1 / 2, 0]


def test_equation_6(markov: HiddenMarkov) -> None:
    now = np.array([0, 1 / 2, 1 / 2])
    assert markov.ahead(now, 1).tolist() == [1 / 2, 1 / 2, 0]
    # (1/2, 1/2, 0) A = 1/2 (0, 0, 1) + 1/2 (1, 0, 0)
    assert markov.ahead(now, 2).tolist() == [1 / 2, 0, 1 / 2]


def test_what_the_path_never_showed_begins_a_new_one(markov: HiddenMarkov) -> None:
    # From state 1 only state 0 can follow, and no page of state 0 was in cluster 0.
    assert markov.follow(np.array([0.0, 1.0, 0.0]), 0).tolist() == markov.first(0).tolist()
    assert markov.first(0).tolist() == [0, 0, 1]


def test_a_state_from_which_no_link_led_goes_on_by_the_initial_probabilities() -> None:
    made = small_set()
    markov = fit_markov(states_of(made.distances(), 4), CLUSTERS, made.steps(), 4)
    assert markov.transition[3].tolist() == [1 / 4, 1 / 4, 1 / 4, 1 / 4]


def test_ties_go_to_the_chance_in_two_steps() -> None:
    assert with_ties(0.503, 0.2, 0.01) == pytest.approx(0.50 + 0.01 * 0.2 / 2)
    assert with_ties(0.503, 0.9, 0.01) > with_ties(0.507, 0.2, 0.01)
    assert with_ties(0.503, 1.0, 0.01) < with_ties(0.513, 0.0, 0.01)
    assert with_ties(0.503, 0.9, 0.0) == 0.503


def test_stems_without_stop_words() -> None:
    terms = {"connected": 2, "connection": 1, "the": 9, "garden": 1}
    assert count_stems(terms) == {"connect": 3, "garden": 1}


def idf(word: str) -> float:
    return {"garden": 1.0, "fever": 2.0, "fevers": 5.0, "dengue": 3.0}.get(word, 4.0)


def test_vectors_are_counts_times_idf_of_length_one() -> None:
    space = Space.with_idf(small_set(), idf)
    assert space.stems == ("dengu", "fever", "garden")
    cat = space.vector({"fever": 3, "dengue": 4})
    length = sqrt((3 * 2) ** 2 + (4 * 3) ** 2)
    assert space.spread(cat).tolist() == pytest.approx([12 / length, 6 / length, 0])
    # Another form of a known stem counts with it, by the idf of the commonest form; a word that
    # nobody knows makes the text longer; a stop word does not.
    other = space.vector({"fevers": 1, "fever": 2, "yacht": 1, "the": 7})
    length = sqrt((3 * 2) ** 2 + 4**2)
    assert space.spread(other).tolist() == pytest.approx([0, 6 / length, 0])


def test_the_idf_of_a_training_set() -> None:
    space = Space.with_own_idf(small_set())
    # garden and fever stand on three pages of four, dengue on one.
    made = space.spread(space.vector({"garden": 1, "fever": 1, "dengue": 1}))
    weights = np.array([log(4 / 1), log(4 / 3), log(4 / 3)])
    assert made.tolist() == pytest.approx((weights / np.linalg.norm(weights)).tolist())


def test_the_likeness_of_an_anchor_is_the_cosine_of_its_vector() -> None:
    space = Space.with_idf(small_set(), idf)
    centre = centre_of(space.matrix([{"fever": 3, "dengue": 4}, {"garden": 1}]))
    for text in ("Dengue fever", "the fevers of a yacht", "garden", "yacht", "", "the"):
        terms = {word: 1 for word in text.lower().split() if len(word) > 1}
        expected = space.vector(terms).cosine(centre)
        assert space.likeness(text, centre.tolist()) == pytest.approx(expected)


LINE = csr_matrix(np.array([[0.0], [2.0], [10.0], [12.0]]))
"""Two pairs of points: 2 apart within, 10 from one to the other."""


def test_the_bayesian_criterion() -> None:
    # One cluster: around 6, squares 36 + 16 + 16 + 36 = 104; s = 104 / 3; p = 2.
    one = 4 * log(4 / 4) - 2 * log(2 * pi * 104 / 3) - 3 / 2 - log(4)
    assert criterion(LINE, np.array([0, 0, 0, 0])) == pytest.approx(one)
    # Two: around 1 and 11, squares 4; s = 4 / 2; p = 1 + 2 + 1 = 4.
    two = 4 * log(2 / 4) - 2 * log(2 * pi * 4 / 2) - 2 / 2 - 2 * log(4)
    assert criterion(LINE, np.array([0, 0, 1, 1])) == pytest.approx(two)
    assert two > one


def clouds(count: int) -> csr_matrix:
    """Thirty points around each of some corners."""
    chance = np.random.default_rng(3)
    made = [chance.normal(0, 0.1, (30, 6)) + 5 * np.eye(6)[corner] for corner in range(count)]
    return csr_matrix(np.vstack(made))


@pytest.mark.parametrize("count", [2, 3, 5])
def test_x_means_finds_as_many_clusters_as_there_are(count: int) -> None:
    found = x_means(clouds(count), 2, 20, seed=0)
    assert found.tolist() == [corner for corner in range(count) for _ in range(30)]


def test_x_means_makes_no_more_clusters_than_it_may() -> None:
    assert x_means(clouds(5), 2, 3, seed=0).max() == 2


def test_the_relevant_pages_are_the_last_cluster() -> None:
    rows = clouds(4)
    relevant = np.arange(120) % 7 == 0
    found = relevant_apart(rows, relevant, 5, seed=0)
    assert set(found[relevant].tolist()) == {4}
    assert set(found[~relevant].tolist()) == {0, 1, 2, 3}


def test_there_are_no_more_clusters_than_different_pages() -> None:
    same = csr_matrix(np.ones((6, 3)))
    assert k_means(same, 4, seed=0).tolist() == [0] * 6
    assert k_means(same[:0], 4, seed=0).tolist() == []
    assert x_means(same, 2, 20, seed=0).tolist() == [0] * 6
    assert relevant_apart(same, np.array([True] * 6), 5, seed=0).tolist() == [0] * 6


def guide(neighbours: int = 1) -> Guide:
    """Cat is a cluster; Ann is one, and Bob with Dan, whose words are the same, another."""
    return Guide.by_k_means(small_set(), idf, 3, Counts(3, neighbours, 0.0, 0))


def page(**terms: int) -> Page:
    return Page(url=parse_url(URL + "new"), media_type="text/html", terms=terms)


def test_a_page_is_in_the_cluster_of_its_nearest_neighbours() -> None:
    made = guide()
    ann, bob, cat, dan = made.clusters
    assert bob == dan
    assert len({ann, bob, cat}) == 3
    assert made.cluster_of(made.space.vector({"dengue": 1})) == cat
    assert made.cluster_of(made.space.vector({"garden": 5})) == ann
    assert made.cluster_of(made.space.vector({"garden": 1, "fever": 1})) == bob
    assert made.cluster_of(made.space.vector({"yacht": 1})) is None
    # Of three neighbours Bob and Dan outvote Ann: 1/sqrt(5) each against 1.
    wide = guide(neighbours=3)
    assert wide.cluster_of(wide.space.vector({"garden": 5})) == ann
    assert wide.cluster_of(wide.space.vector({"garden": 3, "fever": 1})) == bob


def test_a_page_hands_its_states_down() -> None:
    made = guide()
    first = made.read(page(garden=1, fever=1), ())
    parts = dict(first.parts)
    # As counted above: (0, 1/2, 1/2), then (1/2, 1/2, 0), then (1/2, 0, 1/2).
    assert [parts[name] for name in ("0 links away", "1 links away", "2 or more links away")] == (
        [0, 1 / 2, 1 / 2]
    )
    assert (parts["relevant in one"], parts["relevant in two"]) == (1 / 2, 1 / 2)
    assert first.priority == 1 / 2
    second = made.read(page(garden=1, fever=1), first.parts)
    assert dict(second.parts)["1 links away"] == 1
    assert second.priority == 1


def test_layers_by_naive_bayes() -> None:
    made = Layers.of(small_set(), idf, most=1, words=2)
    assert made.distances == (0, 1)
    # Cat stands for layer 0 with fever and dengue, Bob for layer 1 with garden and fever.
    # Three words: P(dengue | 0) = 2/5 and P(dengue | 1) = 1/5; of fever they are equal.
    layer = made.layer_of(page(dengue=1, fever=1))
    assert layer is not None
    assert layer.distance == 0
    assert layer.probability == pytest.approx(2 / 3)
    layer = made.layer_of(page(garden=1))
    assert layer is not None
    assert layer.distance == 1
    assert layer.probability == pytest.approx(2 / 3)
    assert made.layer_of(page(yacht=1)) is None


def test_a_page_is_read_by_its_most_telling_words_alone() -> None:
    made = Layers.of(small_set(), idf, most=1, words=1)
    # By one word Cat is dengue, Bob is fever; two words: 2/3 against 1/3.
    layer = made.layer_of(page(dengue=1, fever=1))
    assert layer is not None
    assert layer.probability == pytest.approx(2 / 3)
    assert made.layer_of(page(garden=1)) is None


def test_a_set_of_relevant_pages_alone_is_one_cluster() -> None:
    made = TrainingSet((TrainingPage(URL, True, {"fever": 1}, ()),))
    found = Guide.by_k_means(made, idf, 5, Counts(4, 5, 0.01, 0))
    assert found.read(page(fever=1), ()).priority == pytest.approx(1.0, abs=0.01)
    assert Guide.by_x_means(made, 20, Counts(4, 5, 0.01, 0)).clusters == [0]
