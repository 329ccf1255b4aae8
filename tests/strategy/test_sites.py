"""Sites rather than pages: the contract, the formulas by hand, what is fetched of a site."""

from __future__ import annotations

import pytest

from shoal.model import Judgement, Lease, Link, Page, Part, Priority, Waiting
from shoal.ports import Strategy
from shoal.strategy.sites import RESCORE_PAGES, RESERVE, SEED, SHOWN, Sites, SitesOptions
from shoal.testing.strategy import StrategyContract
from shoal.topic.keywords import KeywordTopic
from shoal.topic.rarity import Rarity
from shoal.url import Url, parse_url

TOPIC = KeywordTopic(("abc fish",), Rarity())


class TestSites(StrategyContract):
    def make_strategy(self) -> Strategy:
        return Sites(TOPIC, SitesOptions())


class TestSitesThatNeedMuch(StrategyContract):
    def make_strategy(self) -> Strategy:
        return Sites(TOPIC, SitesOptions(proof=20, patience=20, relevant_from=0.1))


def address(name: str) -> Url:
    """The first letter is the site, the rest the path."""
    return parse_url(f"http://www.{name[0]}.example/{name[1:]}")


def tell(strategy: Strategy, source: str, targets: str, relevance: float) -> list[Priority]:
    """The Priorities of the Links of a page; ``b1:fish`` is a Link to b1 with an anchor."""
    url = address(source)
    links = []
    for target in targets.split():
        name, _, anchor = target.partition(":")
        links.append(Link(url, address(name), anchor=anchor))
    page = Page(url=url, media_type="text/html", links=tuple(links))
    lease = Lease(1, url, 0.0, depth=0, redirects=0, attempts=0)
    return list(strategy.priorities(page, Judgement(relevance, relevance / 2), links, lease))


def band(priority: Priority) -> Part | None:
    return priority.parts[2] if len(priority.parts) > 2 else None


def make(proof: int = 2, patience: int = 3) -> Sites:
    return Sites(TOPIC, SitesOptions(proof=proof, patience=patience))


def test_what_is_believed_of_a_site_by_hand() -> None:
    """One page of relevance 0.8 votes 0.8: belief 0.8 / 2. A second one votes 0.2: 1.0 / 3. Its own
    first page has 0.5: 1.5 / 4. An anchor that is the topic votes 1, whatever its page."""
    sites = make()
    (first,) = tell(sites, "a", "b", 0.8)
    assert first.parts == (Part("site", 0.2), Part("text", 0.1))
    assert first.value == pytest.approx(0.3)
    (again,) = tell(sites, "c", "b", 0.2)
    assert again.parts[0].value == pytest.approx(1 / 3 / 2)
    (own,) = tell(sites, "b", "b1", 0.5)
    assert own.parts[0].value == pytest.approx(1.5 / 4 / 2)
    alike = TOPIC.similarity("abc fish")
    assert alike == pytest.approx(1.0)
    links = [Link(address("d"), address("e"), anchor="abc fish")]
    page = Page(url=address("d"), media_type="text/html", links=tuple(links))
    lease = Lease(1, page.url, 0.0, depth=0, redirects=0, attempts=0)
    (named,) = sites.priorities(page, Judgement(0.0, 0.0), links, lease)
    assert named.parts[0].value == pytest.approx(alike / 2 / 2)


def test_a_page_votes_once_and_not_for_its_own_site() -> None:
    sites = make()
    found = tell(sites, "a", "b1 b2 b3 a1", 0.8)
    assert [one.parts[0].value for one in found] == pytest.approx([0.2, 0.2, 0.2, 0.2])
    assert sites.rescore([Waiting(1, address("b9"), found[0], 1)])[0].parts[0].value == 0.2


def test_the_outer_crawl_knocks_once_at_a_site() -> None:
    found = tell(make(), "a", "b1 b2:fish c1 b3", 0.8)
    assert [band(one) for one in found] == [RESERVE, None, None, RESERVE], "the best Link knocks"


def test_the_inner_crawl_takes_what_it_surely_needs() -> None:
    """Proof 2 and patience 3: after one relevant page a single one more can decide."""
    sites = make()
    found = tell(sites, "a", "a1 a2:fish a3", 0.9)
    assert [band(one) for one in found] == [RESERVE, None, RESERVE]
    assert band(tell(sites, "a2", "a1", 0.1)[0]) is None
    assert band(tell(sites, "a1", "a3", 0.1)[0]) is None
    last = tell(sites, "a3", "a4 a2 b", 0.9)
    assert [band(one) for one in last] == [SHOWN, SHOWN, None]
    assert last[0].value < -1


def test_what_a_site_has_shown_stands_and_hubs_lead_on() -> None:
    """Three pages that are not relevant: shown. It has led to two sites: 2 / (2 + 3) at its third
    page, and 2 / (2 + 4) at the fourth."""
    sites = make()
    tell(sites, "a", "a7 b c", 0.0)
    tell(sites, "a1", "a7 b", 0.0)
    (hub,) = tell(sites, "a2", "a7", 0.0)
    assert hub.parts[0] == Part("leads", 2 / 5 / 2)
    assert band(hub) is SHOWN
    (later,) = tell(sites, "a3", "a7", 1.0)
    assert later.parts[0] == Part("leads", 2 / 6 / 2)
    for name in ("d", "d1", "d2"):
        (dull,) = tell(sites, name, "d7", 0.0)
    assert dull.value < later.value < -1


def test_what_waits_is_weighed_anew() -> None:
    sites = make()
    first = tell(sites, "a", "b1 c1 b2", 0.8)
    for _ in range(RESCORE_PAGES - 1):
        assert not sites.rescore_due()
        tell(sites, "d", "", 0.0)
    assert sites.rescore_due()
    tell(sites, "b1", "", 0.9)
    waiting = [
        Waiting(2, address("c1"), first[1], 1),
        Waiting(3, address("b2"), first[2], 1),
        Waiting(4, address("b9"), SEED, 0),
    ]
    door, other, seed = sites.rescore(waiting)
    assert (band(door), band(other), seed) == (None, None, SEED)
    assert not sites.rescore_due()


def test_what_brings_no_page_is_not_waited_for() -> None:
    """The inner Url that b1 asked for failed; the other one takes its place."""
    sites = make()
    asked, other = tell(sites, "b1", "b2:fish b3", 0.9)
    assert (band(asked), band(other)) == (None, RESERVE)
    (now,) = sites.rescore([Waiting(3, address("b3"), other, 1)])
    assert band(now) is None


def test_what_may_wait_far_behind_is_waited_for() -> None:
    """Four hundred Urls that are worth more were told: the one asked for may be behind them."""
    sites = make()
    _, other = tell(sites, "b1", "b2:fish b3", 0.9)
    better = [Waiting(n, address(f"c{n}"), Priority(1.0), 1) for n in range(10, 410)]
    assert band(sites.rescore([*better, Waiting(3, address("b3"), other, 1)])[-1]) is RESERVE


def test_many_sites_are_many_pieces() -> None:
    sites = make()
    tell(sites, "a", "b", 0.9)
    url = address("a")
    links = [Link(url, parse_url(f"http://site{n}.example/")) for n in range(200)]
    lease = Lease(1, url, 0.0, depth=0, redirects=0, attempts=0)
    page = Page(url=url, media_type="text/html", links=tuple(links))
    sites.priorities(page, Judgement(0.9, 0.5), links, lease)
    kept = dict(sites.knowledge())
    assert len(kept) == 5
    tell(sites, "b", "", 0.9)
    changed = sites.knowledge()
    assert list(changed) == ["pages", "sites/0"]
    kept.update(changed)
    resumed = make()
    resumed.recall(kept.get)
    assert tell(resumed, "b1", "b2 a9 c", 0.9) == tell(sites, "b1", "b2 a9 c", 0.9)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"proof": 0}, "proof is 0; it must be from 1 to 100"),
        ({"patience": 101}, "patience is 101; it must be from 1 to 100"),
    ],
)
def test_options_out_of_range(options: dict[str, int], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        SitesOptions(**options)
