from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from shoal.model import Lesson, Link, Page
from shoal.partition.by_address import NAMES, AddressPartition
from shoal.partition.by_content import CombinationPartition, ContentPartition
from shoal.partition.by_topic import TEXTLESS, TopicPartition
from shoal.partition.hierarchy import HierarchyPartition, Stretch, stretch_of
from shoal.partition.predicted import PredictedPartition
from shoal.partition.ring import Ring
from shoal.ports import Partition
from shoal.testing.partition import PartitionContract, page_of
from shoal.url import parse_url

TEAM = ("one", "two", "three")
CATEGORIES = ("abc", "bcd", "cde")
OWNERS = dict(zip(CATEGORIES, TEAM, strict=True))


def told(page: Page) -> str | None:
    if not page.terms:
        return TEXTLESS
    return next((name for name in CATEGORIES if name[0] in page.terms), None)


def by_topic(*, links_by_host: bool = False) -> TopicPartition:
    return TopicPartition(TEAM, told, OWNERS, "letters", links_by_host=links_by_host)


def read(texts: Sequence[str]) -> NDArray[np.float64]:
    """Each category by how often its first letter stands in the text."""
    rows = np.array([[1.0 + text.count(name[0]) for name in CATEGORIES] for text in texts])
    return np.asarray(rows / rows.sum(axis=1, keepdims=True), np.float64)


class TestUrl(PartitionContract):
    def make_partition(self) -> Partition:
        return AddressPartition(TEAM, "url")


class TestHost(PartitionContract):
    def make_partition(self) -> Partition:
        return AddressPartition(TEAM, "host")


class TestSite(PartitionContract):
    def make_partition(self) -> Partition:
        return AddressPartition(TEAM, "site")


class TestCountry(PartitionContract):
    def make_partition(self) -> Partition:
        return AddressPartition(TEAM, "country")


class TestHierarchy(PartitionContract):
    def make_partition(self) -> Partition:
        return HierarchyPartition(TEAM, {("example", "a"): "two", ("jp",): "three"})


class TestContent(PartitionContract):
    def make_partition(self) -> Partition:
        return ContentPartition(TEAM)


class TestCombination(PartitionContract):
    def make_partition(self) -> Partition:
        return CombinationPartition(TEAM)


class TestTopic(PartitionContract):
    def make_partition(self) -> Partition:
        return by_topic()


class TestTopicWithLinksByHost(PartitionContract):
    def make_partition(self) -> Partition:
        return by_topic(links_by_host=True)


class TestPredicted(PartitionContract):
    def make_partition(self) -> Partition:
        return PredictedPartition(by_topic(), CATEGORIES, OWNERS, read)


# --------------------------------------------------------------------------- the ring


@pytest.mark.parametrize("crawlers", [1, 2, 5, 15, 16, 63])
def test_one_more_crawler_takes_its_part_and_hardly_more(crawlers: int) -> None:
    names = [f"http://host{number}.example/" for number in range(20_000)]
    team = [f"crawler {number}" for number in range(crawlers)]
    before, after = Ring(team), Ring([*team, "new"])
    moved = [name for name in names if before.owner(name) != after.owner(name)]
    assert all(after.owner(name) == "new" for name in moved)
    assert len(moved) / len(names) <= 1.2 / (crawlers + 1)


def test_the_order_of_the_crawlers_is_of_no_account() -> None:
    assert Ring("abc").owner("x") == Ring("cba").owner("x")
    assert {Ring("abc").owner(f"{number}") for number in range(99)} == {"a", "b", "c"}


# --------------------------------------------------------------------------- by address


def owner(partition: Partition, address: str) -> str | None:
    return partition.owners_of_links([Link(None, parse_url(address))], "one")[0]


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [
        ("host", "http://a.example/1", "http://a.example/2?x"),
        ("site", "http://www.a.example/1", "http://b.a.example/"),
        ("country", "http://one.jp/", "http://two.co.jp/"),
        ("country", "http://www.a.org/", "http://b.a.org/"),
    ],
)
def test_what_belongs_together_stays_together(name: str, first: str, second: str) -> None:
    for number in range(50):
        team = tuple(f"{number} {member}" for member in range(9))
        partition = AddressPartition(team, name)
        assert owner(partition, first) == owner(partition, second)


@pytest.mark.parametrize("name", NAMES)
def test_a_page_and_a_link_to_it_have_one_owner(name: str) -> None:
    partition = AddressPartition(TEAM, name)
    for number in range(50):
        address = f"http://h{number}.example/{number}"
        page = page_of(parse_url(address), "text")
        assert partition.owner_of_page(page, "one") == owner(partition, address)


# --------------------------------------------------------------------------- hierarchy


def test_a_stretch_goes_from_the_general_to_the_particular() -> None:
    url = parse_url("http://www.a.example/x/y/page.html?q")
    assert stretch_of(url) == ("example", "a", "www", "x", "y")
    assert stretch_of(parse_url("http://127.0.0.1/x/")) == ("127.0.0.1", "x")


def test_the_longest_entry_of_the_table_decides() -> None:
    table = {("example",): "one", ("example", "a", "x"): "two"}
    partition = HierarchyPartition(TEAM, table)
    assert owner(partition, "http://a.example/x/1") == "two"
    assert owner(partition, "http://a.example/y/1") == "one"


def test_balancing_evens_the_load_and_moves_no_more_than_it_must() -> None:
    load: dict[Stretch, int] = {("example", "a", f"d{number}"): 10 for number in range(30)}
    load[("example", "b")] = 60
    before = HierarchyPartition(TEAM, {("example",): "one"})
    after = before.balanced(load)

    def totals(partition: HierarchyPartition) -> Counter[str]:
        count: Counter[str] = Counter()
        for stretch, urls in load.items():
            host = ".".join(reversed(stretch[:2]))
            path = "/".join(stretch[2:])
            count[owner(partition, f"http://{host}/{path}/x") or ""] += urls
        return count

    assert totals(before) == {"one": 360}
    assert max(totals(after).values()) <= 1.1 * 120
    assert sum(load[stretch] for stretch in after.table if stretch in load) <= 240
    assert after.version != before.version
    assert after.balanced(load).version == after.version


def test_one_stretch_that_has_everything_cannot_be_broken() -> None:
    before = HierarchyPartition(TEAM, {("example",): "one"})
    load: dict[Stretch, int] = {("example", "a"): 100}
    assert before.balanced(load).table == before.table


def test_a_table_names_crawlers_of_the_team() -> None:
    with pytest.raises(ValueError, match="no crawler of this team is called four"):
        HierarchyPartition(TEAM, {("example",): "four"})


# --------------------------------------------------------------------------- content and topic


def test_one_content_has_one_owner_under_every_address() -> None:
    for partition in (ContentPartition(TEAM), CombinationPartition(TEAM)):
        owners = {
            partition.owner_of_page(page_of(parse_url(f"http://h{n}.example/"), "same"), "one")
            for n in range(20)
        }
        assert len(owners) == 1


def test_combination_gives_an_address_and_its_content_independent_owners() -> None:
    partition = CombinationPartition(TEAM)
    same = sum(
        owner(partition, f"http://a.example/{n}")
        == partition.owner_of_page(page_of(parse_url(f"http://a.example/{n}"), f"t{n}"), "one")
        for n in range(600)
    )
    assert 150 < same < 250


def test_pages_that_no_topic_can_claim() -> None:
    partition = by_topic()
    url = parse_url("http://a.example/")
    assert partition.owner_of_page(page_of(url, "b text"), "three") == "two"
    assert partition.owner_of_page(page_of(url, "text"), "three") == "three"
    assert partition.owner_of_page(page_of(url, ""), "three") == "one"
    own = TopicPartition((*TEAM, "bare"), told, {**OWNERS, TEXTLESS: "bare"}, "letters")
    assert own.owner_of_page(page_of(url, ""), "three") == "bare"


# --------------------------------------------------------------------------- predicted


def test_the_words_of_a_link_and_its_parent_tell_its_owner() -> None:
    partition = PredictedPartition(by_topic(), CATEGORIES, OWNERS, read)
    url = parse_url("http://a.example/x/1")
    links = [Link(None, url, anchor="bbbb bbbb"), Link(None, url, anchor="")]
    assert partition.owners_of_links(links, "one") == ["two", "one"]
    assert partition.owners_of_links(links, "three") == ["two", "three"]


def test_what_earlier_links_to_a_place_led_to_is_learnt() -> None:
    partition = PredictedPartition(by_topic(), CATEGORIES, OWNERS, read)
    for number in range(10):
        partition.learn(Link(None, parse_url(f"http://a.example/x/{number}")), "three")
        partition.learn(Link(None, parse_url(f"http://a.example/y/{number}")), "one")
    here, there = parse_url("http://a.example/x/new"), parse_url("http://a.example/y/new")
    assert partition.owners_of_links([Link(None, here), Link(None, there)], "one") == [
        "three",
        "one",
    ]


def test_what_other_links_of_a_page_led_to_is_heard() -> None:
    partition = PredictedPartition(by_topic(), CATEGORIES, OWNERS, read)
    url = parse_url("http://b.example/new")
    known = [Link(None, parse_url(f"http://a.example/x/{number}")) for number in range(6)]
    link = Link(None, url)
    assert partition.guess([link], [*known, link], "one") == ["one"]
    partition.hear([Lesson(one.target.key, "three") for one in known])
    partition.hear([Lesson(parse_url(f"http://c.example/{n}").key, "one") for n in range(9)])
    partition.hear([Lesson(url.key, "nobody")])
    assert partition.guess([link], [*known, link], "one") == ["three"]
    assert partition.guess([link], [link], "one") == ["one"]
    assert partition.guess([], known, "one") == []


def test_the_end_of_a_url_names_its_target_too() -> None:
    partition = PredictedPartition(by_topic(), CATEGORIES, OWNERS, read)
    urls = (
        "http://a.example/x/Bbbb_bbb.html",
        "http://a.example/bbbb/",
        "http://a.example/x/%62bb",
    )
    links = [Link(None, parse_url(url)) for url in urls]
    assert partition.owners_of_links(links, "three") == ["two", "three", "two"]


def test_each_crawler_begins_with_nothing_learnt() -> None:
    partition = PredictedPartition(by_topic(), CATEGORIES, OWNERS, read)
    url = parse_url("http://a.example/x/1")
    for _ in range(10):
        partition.learn(Link(None, url), "three")
    assert partition.owners_of_links([Link(None, url)], "one") == ["three"]
    assert partition.unlearnt().owners_of_links([Link(None, url)], "one") == ["one"]
    assert partition.unlearnt().version == partition.version
