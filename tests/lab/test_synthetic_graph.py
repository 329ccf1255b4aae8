"""The links of the synthetic web, read from its pages, are what the knobs say."""

from __future__ import annotations

import math
from collections import Counter, deque
from itertools import pairwise

import pytest

from shoal.lab.synthetic import SyntheticShelf, open_synthetic
from shoal.lab.synthetic.graph import Form, PageKind
from shoal.url import parse_url
from tests.lab.reading import after_redirects, anchors, answered


@pytest.mark.parametrize("locality", [0.5, 0.8])
def test_links_stay_in_topic_as_often_as_locality_says(locality: float) -> None:
    shelf = open_synthetic(f"synthetic:pages=6000,locality={locality}")
    graph = shelf.graph
    inside = total = 0
    for page in range(0, 6000, 3):
        for edge in graph.edges(page):
            if not edge.tunnel:
                inside += graph.topic(edge.target) == graph.topic(page)
                total += 1
    assert inside / total == pytest.approx(locality, abs=0.02)


def test_degrees_follow_the_power_law() -> None:
    shelf = open_synthetic("synthetic:pages=6000,degree_exponent=2.5,degree_min=6,degree_max=500")
    degrees = [
        sum(not edge.tunnel for edge in shelf.graph.edges(page)) for page in range(1, 6000, 2)
    ]
    assert min(degrees) == 6
    # The most likely exponent for what was seen (Clauset, Shalizi and Newman, 2009, eq. 3.7).
    exponent = 1 + len(degrees) / sum(math.log((degree + 0.5) / 6) for degree in degrees)
    assert exponent == pytest.approx(2.5, abs=0.12)


def test_some_targets_are_preferred() -> None:
    """The r-th page of an island has r**-popularity of the first one's links."""
    shelf = open_synthetic("synthetic:pages=6000,popularity=0.5,island_pages=100")
    graph = shelf.graph
    linked: Counter[int] = Counter()
    for page in range(6000):
        linked.update(
            graph.place(edge.target).slot for edge in graph.edges(page) if not edge.tunnel
        )
    first, second = sum(linked[r] for r in range(25)), sum(linked[r] for r in range(25, 100))
    assert first / second == pytest.approx(1.0, abs=0.12), "half of the links go to a quarter"


def neighbours(shelf: SyntheticShelf, page: int) -> set[int]:
    """Pages that a page links to, found by parsing it and following redirects."""
    if shelf.graph.kind(page) in (PageKind.SERVER_ERROR, PageKind.IMAGE, PageKind.DOCUMENT):
        return set()
    found = set()
    for anchor in anchors(answered(shelf, parse_url(shelf.address(page)))):
        target = shelf.page_of(anchor.target)
        if target is None and (end := after_redirects(shelf, anchor.target)) is not None:
            target = shelf.page_of(end)
        if target is not None:
            found.add(target)
    return found


@pytest.mark.parametrize("tunnel", [1, 2, 3])
def test_islands_of_a_topic_are_exactly_a_tunnel_apart(tunnel: int) -> None:
    shelf = open_synthetic(
        f"synthetic:seed=5,pages=720,island_pages=30,hosts=20,locality=0.6,"
        f"tunnel_min={tunnel},tunnel_max={tunnel}"
    )
    graph = shelf.graph
    links = {page: neighbours(shelf, page) for page in range(shelf.knobs.pages)}
    for island in range(0, graph.islands, 5):
        steps = dict.fromkeys(range(graph.first(island), graph.first(island + 1)), 0)
        queue = deque(steps)
        apart = None
        while queue and apart is None:
            page = queue.popleft()
            for target in links[page] - steps.keys():
                steps[target] = steps[page] + 1
                queue.append(target)
                if graph.topic(target) == island % shelf.knobs.topics:
                    apart = steps[target] - 1
                    break
        assert apart == tunnel


def test_tunnels_are_walkable_and_of_the_lengths_given() -> None:
    shelf = open_synthetic("synthetic:pages=5000,tunnel_min=1,tunnel_max=3")
    graph = shelf.graph
    lengths: Counter[int] = Counter()
    for island in range(graph.islands):
        for number in range(2):
            way = graph.tunnel(island, number)
            lengths[len(way) - 2] += 1
            topics = [graph.topic(page) for page in way]
            assert topics[0] == topics[-1] == island % shelf.knobs.topics
            assert topics[0] not in topics[1:-1]
            for page, following in pairwise(way):
                ahead = [edge for edge in graph.edges(page) if edge.tunnel]
                assert following in [edge.target for edge in ahead]
    assert set(lengths) == {1, 2, 3}


def test_first_tunnels_join_all_islands_of_a_topic() -> None:
    shelf = open_synthetic("synthetic:pages=5000")
    graph = shelf.graph
    island, reached = 0, set()
    while island not in reached:
        reached.add(island)
        island = graph.place(graph.tunnel(island, 0)[-1]).island
    assert len(reached) == graph.islands // shelf.knobs.topics


def test_anchors_tell_their_target_as_often_as_anchor_quality_says() -> None:
    shelf = open_synthetic("synthetic:pages=5000,anchor_quality=0.3")
    edges = [
        edge for page in range(0, 5000, 5) for edge in shelf.graph.edges(page) if not edge.tunnel
    ]
    told = [edge.tells for edge in edges if edge.tells is not None]
    assert len(told) / len(edges) == pytest.approx(0.3, abs=0.02)
    assert all(
        edge.tells == shelf.graph.topic(edge.target) for edge in edges if edge.tells is not None
    )


def test_every_link_leads_where_it_was_meant_to() -> None:
    shelf = open_synthetic("synthetic:pages=3000,hosts=30,redirects=0.1,broken_links=0.06")
    graph = shelf.graph
    forms: Counter[Form] = Counter()
    statuses: Counter[int] = Counter()
    for page in range(0, 3000, 37):
        if graph.kind(page) is not PageKind.ORDINARY:
            continue
        edges = graph.edges(page)
        meant = {shelf.address(edge.target) for edge in edges if edge.form is not Form.BROKEN}
        read = anchors(answered(shelf, parse_url(shelf.address(page))), "main a[href]")
        assert len(read) == len(edges)
        ends = set()
        for anchor in read:
            response = shelf.find(anchor.target)
            statuses[404 if response is None else response.status] += 1
            end = after_redirects(shelf, anchor.target)
            if end is not None:
                ends.add(end.text)
        assert ends == meant
        forms.update(edge.form for edge in edges)
    total = forms.total()
    assert forms[Form.REDIRECT] / total == pytest.approx(0.1, abs=0.03)
    assert forms[Form.BROKEN] / total == pytest.approx(0.06, abs=0.02)
    assert statuses[404] == forms[Form.BROKEN]
    assert {301, 302, 307, 308} <= statuses.keys()


def test_kinds_of_pages_have_their_shares() -> None:
    shelf = open_synthetic("synthetic:pages=20000")
    knobs = shelf.knobs
    kinds = Counter(shelf.graph.kind(page) for page in range(knobs.pages))
    for kind, share in (
        (PageKind.DUPLICATE, knobs.duplicates),
        (PageKind.NEAR_DUPLICATE, knobs.near_duplicates),
        (PageKind.SOFT_404, knobs.soft_404),
        (PageKind.SERVER_ERROR, knobs.server_errors),
        (PageKind.OTHER_LANGUAGE, knobs.other_languages),
        (PageKind.DOCUMENT, knobs.documents),
        (PageKind.IMAGE, knobs.images),
        (PageKind.EMPTY, knobs.empty_pages),
    ):
        assert kinds[kind] / knobs.pages == pytest.approx(share, rel=0.15), kind


def test_some_ordinary_pages_forbid_to_follow() -> None:
    shelf = open_synthetic("synthetic:pages=20000,nofollow_pages=0.05")
    ordinary = [page for page in range(20000) if shelf.graph.kind(page) is PageKind.ORDINARY]
    forbidding = [page for page in ordinary if shelf.graph.forbids_to_follow(page)]
    assert len(forbidding) / len(ordinary) == pytest.approx(0.05, rel=0.15)
    body = answered(shelf, parse_url(shelf.address(forbidding[0]))).body
    assert b'<meta name="robots" content="index, nofollow">' in body


def test_topics_share_the_web_equally() -> None:
    shelf = open_synthetic("synthetic:pages=12000,topics=8")
    topics = Counter(shelf.graph.topic(page) for page in range(12000))
    assert len(topics) == 8
    assert max(topics.values()) - min(topics.values()) < 12000 / 8 * 0.05
