"""The oracle on webs small enough to walk by hand, and a law that holds on all."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from shoal.lab.oracle import Oracle
from tests.lab.small import flags, survey


def test_it_walks_to_the_nearest_relevant_page_and_pays_for_the_way() -> None:
    # 0 -> 1 -> 2* and 0 -> 3 -> 4 -> 5*; the stars are relevant.
    web = survey([[1, 3], [2], [], [4], [5], []])
    assert Oracle(web, flags(6, 2, 5)).walk([0], 10) == [0, 1, 2, 3, 4, 5]


def test_a_page_that_was_passed_is_where_the_next_way_starts() -> None:
    # 0 -> 1 -> 2*, and 2 -> 3 -> 4* is nearer than 0 -> 5 -> 6 -> 4*.
    web = survey([[1, 5], [2], [3], [4], [], [6], [4]])
    assert Oracle(web, flags(7, 2, 4)).walk([0], 10) == [0, 1, 2, 3, 4]


def test_of_equally_near_pages_the_lowest_number_comes_first() -> None:
    web = survey([[3, 2, 1], [], [], []])
    assert Oracle(web, flags(4, 1, 2, 3)).walk([0], 10) == [0, 1, 2, 3]


def test_relevant_seeds_and_several_of_them() -> None:
    web = survey([[1], [2], [], [2]])
    assert Oracle(web, flags(4, 2, 3)).walk([0, 3], 10) == [0, 3, 2]


def test_it_stops_at_its_pages_even_on_the_way() -> None:
    web = survey([[1], [2], [3], []])
    assert Oracle(web, flags(4, 3)).walk([0], 3) == [0, 1, 2]


def test_what_no_link_leads_to_is_never_fetched() -> None:
    web = survey([[], []])
    assert Oracle(web, flags(2, 1)).walk([0], 10) == [0]


def test_a_redirect_costs_nothing() -> None:
    # 0 -> 1 (a redirect) -> 2*, beside 0 -> 3 -> 4*.
    web = survey([[1, 3], [2], [], [4], []], no_pages=[1])
    assert Oracle(web, flags(5, 2, 4)).walk([0], 10) == [0, 2, 3, 4]


def test_a_seed_that_redirects() -> None:
    web = survey([[1], [2], []], no_pages=[0])
    assert Oracle(web, flags(3, 2)).walk([0], 10) == [1, 2]


@given(st.data())
def test_each_page_is_fetched_once_from_one_that_was(data: st.DataObject) -> None:
    size = data.draw(st.integers(2, 12))
    number = st.integers(0, size - 1)
    links = data.draw(
        st.lists(st.lists(number, max_size=4, unique=True), min_size=size, max_size=size)
    )
    relevant = data.draw(st.sets(number))
    seeds = data.draw(st.lists(number, min_size=1, max_size=3, unique=True))
    order = Oracle(survey(links), flags(size, *relevant)).walk(seeds, size)
    assert order[: len(seeds)] == seeds
    assert len(set(order)) == len(order)
    for place, page in enumerate(order[len(seeds) :], start=len(seeds)):
        assert any(page in links[before] for before in order[:place])
    reached, queue = set(seeds), list(seeds)
    for page in queue:
        for target in links[page]:
            if target not in reached:
                reached.add(target)
                queue.append(target)
    assert relevant & reached <= set(order)
