"""The link graph, and what is computed from it, beside plain linear algebra."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.rank.graph import LinkGraph, PageLinks
from shoal.rank.growing import Growing
from shoal.rank.growing_hits import GrowingHits
from shoal.rank.hits import hits
from shoal.rank.numbered import NumberedGraph
from shoal.rank.numbers import Numbers, digests
from shoal.rank.pagerank import GrowingPageRank, pagerank

PAGES = st.dictionaries(
    st.integers(0, 12).map(str), st.lists(st.integers(0, 12).map(str), max_size=8), max_size=12
)


def graph_of(pages: dict[str, list[str]]) -> LinkGraph:
    graph = LinkGraph()
    for source, targets in pages.items():
        graph.add(digests((source, *targets)))
    return graph


def matrix(graph: LinkGraph) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Row by column: 1 where the row's node links to the column's."""
    dense = np.zeros((graph.nodes, graph.nodes))
    dense[graph.sources, graph.targets] = 1.0
    return dense


def test_numbers_are_given_once_and_never_changed() -> None:
    numbers = Numbers()
    addresses = [f"http://a.example/{number}" for number in range(30_000)]
    for start in range(0, 30_000, 700):
        numbers.take(digests(addresses[start : start + 700]))
    assert numbers.find(digests(addresses)).tolist() == list(range(30_000))
    assert numbers.take(digests(addresses[::-1])).tolist() == list(range(30_000))[::-1]
    assert numbers.find(digests(["http://b.example/"])).tolist() == [-1]
    assert numbers.take(digests(["http://b.example/"] * 2)).tolist() == [30_000] * 2


def test_an_array_grows_at_its_end() -> None:
    growing = Growing(np.float64)
    growing.grow(3, 0.5)
    for number in range(5000):
        growing.append(np.array([number, -number]))
    assert growing.values[:3].tolist() == [0.5] * 3
    assert growing.values[-2:].tolist() == [4999, -4999]
    growing.grow(10)
    assert growing.size == 10_003


def test_a_link_counts_once_a_page_and_none_to_itself() -> None:
    graph = LinkGraph()
    told = graph.add(digests(["a", "b", "a", "c", "b"]))
    assert told.targets.tolist() == [1, 0, 2, 1]
    assert told.distinct.tolist() == [1, 2]
    assert graph.add(digests(["a", "d"])).distinct.tolist() == []
    assert (graph.nodes, graph.links) == (4, 2)
    assert graph.in_degrees.tolist() == [0, 1, 1, 0]
    assert graph.out_degrees.tolist() == [2, 0, 0, 0]


def test_pagerank_by_hand() -> None:
    """a and b link to each other, c to a. With d = 0.5: c = 1/6, and of a = 1/6 + b/2 + c/2 and
    b = 1/6 + a/2 follow a = 4/9 and b = 7/18."""
    scores = pagerank(graph_of({"a": ["b"], "b": ["a"], "c": ["a"]}), damping=0.5, tolerance=1e-12)
    assert scores.tolist() == pytest.approx([4 / 9, 7 / 18, 1 / 6])


@given(PAGES)
@settings(deadline=None)
def test_pagerank_is_the_solution_of_its_equation(pages: dict[str, list[str]]) -> None:
    graph = graph_of(pages)
    links = matrix(graph)
    degrees = np.maximum(links.sum(axis=1, keepdims=True), 1.0)
    solution = np.linalg.solve(
        np.eye(graph.nodes) - 0.85 * (links / degrees).T, np.ones(graph.nodes)
    )
    scores = pagerank(graph, tolerance=1e-13, sweeps_max=1000)
    assert scores == pytest.approx(solution / solution.sum() if graph.nodes else [])


@given(PAGES, st.integers(1, 7))
@settings(deadline=None)
def test_a_growing_pagerank_comes_to_the_same(pages: dict[str, list[str]], at_once: int) -> None:
    """Told page by page, worked in small portions: when it has come to rest, the scores are those
    of the graph as it stands."""
    graph = LinkGraph()
    ranks = GrowingPageRank(graph, damping=0.85, sweeps=200, growth=0.0)
    for source, targets in pages.items():
        ranks.add(graph.add(digests((source, *targets))))
        ranks.work(at_once)
    while ranks.work(1_000_000):
        pass
    whole = pagerank(graph, tolerance=1e-13, sweeps_max=1000)
    if graph.links:
        assert ranks.scores / ranks.scores.sum() == pytest.approx(whole, rel=1e-6)


def test_a_portion_of_work_is_no_more_than_asked_for() -> None:
    graph = LinkGraph()
    ranks = GrowingPageRank(graph, damping=0.85, sweeps=3, growth=0.1)
    for number in range(100):
        ranks.add(graph.add(digests((f"page{number}", *(f"t{n}" for n in range(number, 50))))))
    portions = 0
    while not ranks.work(100):
        portions += 1
    assert portions == 3 * graph.links // 100


@given(PAGES)
@settings(deadline=None)
def test_hubs_and_authorities_are_singular_vectors(pages: dict[str, list[str]]) -> None:
    """They stand still under one more step: A^T A authorities = largest * authorities."""
    graph = graph_of(pages)
    links = matrix(graph)
    hubs, authorities = hits(graph, tolerance=1e-14, steps_max=20_000)
    if not graph.links:
        assert not authorities.any()
        return
    largest = np.linalg.norm(links, 2)
    assert np.linalg.norm(authorities) == pytest.approx(1.0)
    assert np.linalg.norm(hubs) == pytest.approx(1.0)
    assert np.linalg.norm(links @ authorities) == pytest.approx(largest, rel=1e-4)
    assert links @ authorities == pytest.approx(largest * hubs, abs=1e-3)


def test_an_empty_graph_has_no_scores() -> None:
    assert pagerank(LinkGraph()).tolist() == []
    assert hits(LinkGraph()).hubs.tolist() == []


@given(PAGES)
@settings(deadline=None)
def test_a_graph_by_numbers_is_the_same_graph(pages: dict[str, list[str]]) -> None:
    graph = graph_of(pages)
    numbered = NumberedGraph(graph.nodes)
    for source, targets in (*pages.items(), *pages.items()):
        nodes = graph.find(digests((source, *targets)))
        numbered.add(int(nodes[0]), nodes[1:])
    assert numbered.links == graph.links
    assert np.array_equal(numbered.sources, graph.sources)
    assert np.array_equal(numbered.targets, graph.targets)
    assert np.array_equal(numbered.out_degrees, graph.out_degrees)
    assert numbered.pages == sum(graph.out_degrees > 0)
    assert np.array_equal(hits(numbered).hubs, hits(graph).hubs)
    assert np.array_equal(pagerank(numbered), pagerank(graph))


@given(PAGES, st.integers(1, 9))
@settings(deadline=None)
def test_growing_hits_are_hits_however_small_the_steps(
    pages: dict[str, list[str]], step: int
) -> None:
    graph = graph_of(pages)
    growing = GrowingHits(graph, sweeps=7, growth=0.1)
    growing.add(PageLinks(0, np.empty(0, np.int64), np.empty(0, np.int64)))
    if not graph.links:
        assert not growing.work(step)
        return
    while not growing.work(step):
        pass
    told = hits(graph, tolerance=0.0, steps_max=7)
    for own, other in ((growing.scores, told.authorities), (growing.hubs, told.hubs)):
        assert own == pytest.approx(other / other.max())


@given(PAGES, st.integers(1, 40))
@settings(deadline=None)
def test_growing_authorities_stay_within_bounds(pages: dict[str, list[str]], step: int) -> None:
    graph = LinkGraph()
    growing = GrowingHits(graph, sweeps=3, growth=0.1)
    for source, targets in pages.items():
        growing.add(graph.add(digests((source, *targets))))
        growing.work(step)
        assert ((growing.scores >= 0.0) & (growing.scores <= 1.0)).all()
        assert len(growing.scores) == graph.nodes


def test_what_a_new_page_links_to_counts_at_once() -> None:
    graph = LinkGraph()
    growing = GrowingHits(graph, sweeps=20, growth=10.0)
    growing.add(graph.add(digests(["a", "x", "y"])))
    growing.work(1_000)
    assert growing.scores.tolist() == [0.0, 1.0, 1.0]
    growing.add(graph.add(digests(["b", "x", "z"])))
    assert growing.scores.tolist() == pytest.approx([0.0, 1.0, 1.0, 0.0, 0.5])
    assert growing.hubs.tolist() == pytest.approx([1.0, 0.0, 0.0, 0.5, 0.0])
