"""Changes of a Roster: what each means, what cannot be, and that everything keeps one owner."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import config
from shoal.config import SettingsError
from shoal.errors import StorageError
from shoal.model import Link, Page
from shoal.partition.by_address import AddressPartition
from shoal.partition.by_content import ContentPartition
from shoal.partition.by_topic import TopicPartition
from shoal.partition.hierarchy import HierarchyPartition
from shoal.partition.succession import with_heirs
from shoal.ports import Partition
from shoal.team import roster as rosters
from shoal.team.changes import (
    BadChange,
    add,
    balance,
    differences,
    drain,
    founded,
    founded_on_topics,
    move,
    obeyed,
    retire,
    split,
)
from shoal.team.roster import MemberState, Roster
from shoal.testing.partition import page_of
from shoal.url import parse_url

URLS = [
    parse_url(f"http://{host}.example{end}/{page}")
    for host in "abcdefghijklmnop"
    for end in ("", ".org", ".jp")
    for page in ("1", "dir/2", "x/y/3")
]
TOLD = ("animals", "plants", "stones")
PARTS = ("one", "two")


def named(count: int, partition: str = "site") -> Roster:
    return founded(partition, [f"crawler-{number}" for number in range(1, count + 1)])


def on_topics(partition: str = "topic") -> Roster:
    owners = {topic: topic for topic in (*TOLD, "WORLD")}
    return founded_on_topics(partition, {**owners, "NO-TEXT": "animals"})


def partition_of(roster: Roster) -> Partition:
    """As a Team makes it, with the first letters of a page's words in place of a model."""
    heirs = {
        one.name: roster.heirs(one.name)
        for one in roster.members
        if one.state is not MemberState.ACTIVE
    }
    rule: Partition
    if roster.topics:

        def told(page: Page) -> str | None:
            place = len(page.url.text) % (len(roster.topics) + 1)
            return [*roster.topics, None][place]

        rule = TopicPartition(
            roster.active,
            told,
            roster.topics,
            "letters",
            links_by_host=roster.partition == "topic-by-host",
        )
    elif roster.partition == "content":
        rule = ContentPartition(roster.active)
    elif roster.partition == "hierarchy":
        table = {tuple(path.split("/")): name for path, name in roster.stretches.items()}
        rule = HierarchyPartition(roster.active, table)
    else:
        rule = AddressPartition(roster.active, roster.partition)
    return with_heirs(rule, heirs)


def owners(roster: Roster, met_by: str) -> list[str]:
    links = [Link(None, url) for url in URLS]
    found = partition_of(roster).owners_of_links(links, met_by)
    return [owner or met_by for owner in found]


# --------------------------------------------------------------------------- what changes


def test_a_crawler_that_is_added_takes_its_own_and_nobody_else_gains() -> None:
    before = named(4, "host")
    after = add(before, None)
    assert after.active[-1] == "crawler-5"
    assert after.version == before.version + 1
    moved = [
        (was, now)
        for was, now in zip(owners(before, "crawler-1"), owners(after, "crawler-1"), strict=True)
        if was != now
    ]
    assert moved
    assert {now for _, now in moved} == {"crawler-5"}
    assert [one.gained for one in after.members] == [1, 1, 1, 1, 2]


def test_one_more_crawler_moves_no_more_than_its_part_and_a_fifth() -> None:
    names = [f"http://h{number}.example/" for number in range(4_000)]
    links = [Link(None, parse_url(name)) for name in names]
    for count in (1, 2, 5, 9):
        before = named(count, "host")
        was = partition_of(before).owners_of_links(links, "crawler-1")
        now = partition_of(add(before, "one-more")).owners_of_links(links, "crawler-1")
        moved = sum(old != new for old, new in zip(was, now, strict=True))
        assert moved <= 1.2 / (count + 1) * len(links)


def test_a_crawler_that_is_drained_leaves_its_own_and_nobody_else_loses() -> None:
    before = named(4, "url")
    after = drain(before, "crawler-2")
    assert after.leaving == ("crawler-2",)
    assert after.working == before.active
    for was, now in zip(owners(before, "crawler-1"), owners(after, "crawler-1"), strict=True):
        assert now == was or was == "crawler-2"
    assert retire(after, "crawler-2").working == ("crawler-1", "crawler-3", "crawler-4")
    assert retire(after, "crawler-2").version == after.version


def test_a_topic_that_is_split_is_the_own_of_crawlers_of_its_parts() -> None:
    after = split(on_topics(), "animals", "birds.model", "2026", PARTS)
    assert after.topics["animals/one"] == "animals-one"
    assert after.topics["animals"] == "animals"
    assert after.active == ("animals", "plants", "stones", "WORLD", "animals-one", "animals-two")
    again = split(after, "animals/one", "ducks.model", "2026", PARTS)
    assert again.topics["animals/one/two"] == "animals-one-two"


def test_a_topic_changes_hands_when_a_crawler_comes_for_it_or_its_own_leaves() -> None:
    after = add(on_topics(), "living", ("animals", "plants"))
    assert after.topics_of("living") == ("animals", "plants")
    left = drain(after, "living", "stones")
    assert set(left.topics_of("stones")) == {"animals", "plants", "stones"}
    assert left.heirs("living") == ("stones",)
    assert left.heirs("animals") == ("animals",)


def test_what_was_left_to_one_who_left_too_is_left_to_whom_that_one_left_it() -> None:
    after = drain(drain(on_topics(), "animals", "plants"), "plants", "stones")
    assert after.heirs("animals") == ("stones",)
    assert drain(drain(named(3), "crawler-1"), "crawler-2").heirs("crawler-1") == ("crawler-3",)


def test_a_crawler_that_moves_keeps_what_it_owns() -> None:
    before = named(2)
    after = move(before, "crawler-2", "/disk")
    assert after.version == before.version
    moved = after.member("crawler-2")
    assert moved is not None
    assert moved.place == "/disk"


def test_a_change_is_told_in_words() -> None:
    before = on_topics()
    assert differences(before, add(before, "x", ("plants",)))[0] == (
        "x joins the team: it has plants from now on"
    )
    assert differences(before, drain(before, "stones", "plants"))[0] == (
        "stones is leaving: it hands stones, what waits with it on to plants"
    )
    told = differences(before, split(before, "animals", "b.model", "2026", PARTS))
    assert "what b.model tells to be nothing of these stays with animals" in told
    assert "about 1/3" in differences(named(2), add(named(2), None))[0]
    assert "/disk" in differences(named(2), move(named(2), "crawler-1", "/disk"))[0]


# --------------------------------------------------------------------------- what cannot be


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda: drain(named(2), "crawler-3"), "no crawler 'crawler-3'; did you mean"),
        (lambda: drain(named(1), "crawler-1"), "last crawler"),
        (lambda: drain(drain(named(2), "crawler-1"), "crawler-1"), "is leaving already"),
        (
            lambda: drain(named(2), "crawler-1", "crawler-2"),
            "--to is for teams that share by topic",
        ),
        (lambda: drain(on_topics(), "plants"), "must not be without an owner"),
        (lambda: drain(on_topics(), "plants", "plants"), "from itself"),
        (lambda: drain(on_topics(), "plants", "plant"), "no crawler 'plant'"),
        (lambda: add(named(2), "crawler-1"), "a crawler crawler-1 already"),
        (lambda: add(named(2), "a/b"), "cannot be a crawler's name"),
        (lambda: add(named(2), ".moved-x"), "cannot be a crawler's name"),
        (lambda: add(named(2), None, ("plants",)), "--category is for teams that share by topic"),
        (lambda: add(on_topics(), "x"), "say with --category"),
        (lambda: add(on_topics(), "x", ("plant",)), "no topic 'plant'; did you mean 'plants'"),
        (lambda: split(named(2), "plants", "m", "2026", PARTS), "no topics to split"),
        (lambda: split(on_topics(), "animal", "m", "2026", PARTS), "did you mean 'animals'"),
        (lambda: split(on_topics(), "animals", "m", "2026", ("one",)), "at least two"),
        (lambda: split(on_topics(), "animals", "m", "2026", ("a", "a")), "by one name: a"),
        (lambda: split(on_topics(), "animals", "m", "2026", ("a b", "a-b")), "animals-a-b already"),
        (
            lambda: split(
                split(on_topics(), "animals", "m", "2026", PARTS), "animals", "n", "2026", PARTS
            ),
            "split already, into animals/one, animals/two",
        ),
        (lambda: move(move(named(2), "crawler-1", "/a"), "crawler-1", "/a"), "at /a already"),
        (lambda: move(retired(), "crawler-1", "/a"), "is retired"),
        (lambda: retire(named(2), "crawler-1"), "only one that is leaving"),
        (lambda: add(retired(), "crawler-1"), "already (retired)"),
    ],
)
def test_what_cannot_be_says_what_to_do(change: Callable[[], Roster], message: str) -> None:
    with pytest.raises(BadChange, match=message.replace("(", r"\(").replace(")", r"\)")):
        change()


def retired() -> Roster:
    return retire(drain(named(2), "crawler-1"), "crawler-1")


# --------------------------------------------------------------------------- laws

STEPS = st.lists(
    st.tuples(st.sampled_from(["add", "drain", "split", "retire"]), st.integers(0, 99)),
    max_size=8,
)
RULES = st.sampled_from(["url", "host", "site", "content", "hierarchy", "topic", "topic-by-host"])


def stepped(roster: Roster, kind: str, chance: int) -> Roster:
    """One change of that kind, whatever is possible; the same Roster where nothing is."""

    def one_of(names: Sequence[str]) -> str:
        return names[chance % len(names)] if names else ""

    name = one_of(roster.active)
    others = [other for other in roster.active if other != name]
    topic = one_of(list(roster.topics))
    try:
        if kind == "add":
            return add(roster, None if not topic else f"n{chance}", (topic,) if topic else ())
        if kind == "drain":
            return drain(roster, name, one_of(others) if roster.topics else None)
        if kind == "split":
            return split(roster, topic, "m", "2026", PARTS)
        return retire(roster, one_of(roster.leaving))
    except BadChange:
        return roster


@given(rule=RULES, steps=STEPS)
def test_after_any_changes_every_url_and_page_has_one_owner(
    rule: str, steps: list[tuple[str, int]]
) -> None:
    roster = on_topics(rule) if "topic" in rule else named(2, rule)
    everybody = [one.name for one in roster.members]
    for kind, chance in steps:
        after = stepped(roster, kind, chance)
        assert set(after.active) <= set(partition_of(after).crawlers)
        for name in everybody:
            # Whoever met it, be it one who has left since.
            was, now = owners(roster, name), owners(after, name)
            for old, new in zip(was, now, strict=True):
                if name in after.working and name not in after.leaving:
                    assert new in after.active
                if old != new and old in after.active:
                    gained = after.member(new)
                    assert gained is not None
                    assert gained.gained == after.version
            partition = partition_of(after)
            for url in URLS[::7]:
                assert partition.owner_of_page(page_of(url, "a"), name) in after.active
        roster = after
        everybody = [one.name for one in roster.members]
    assert rosters.load(rosters.dump(roster)) == roster


# --------------------------------------------------------------------------- the file


def test_a_roster_is_read_as_it_was_written(tmp_path: Path) -> None:
    file = tmp_path / "roster.json"
    assert rosters.read(file) is None
    made = obeyed(split(on_topics(), "animals", "m", "2026", PARTS), "order-1")
    rosters.write(file, made)
    assert rosters.read(file) == made
    file.write_text("{}", encoding="utf-8")
    with pytest.raises(StorageError, match="who is in the team"):
        rosters.read(file)


def test_stretches_of_the_hierarchy_change_hands() -> None:
    before = named(2, "hierarchy")
    after = balance(before, {"example/org": "crawler-2"})
    assert (after.version, after.stretches) == (2, {"example/org": "crawler-2"})
    assert [one.gained for one in after.members] == [1, 2]
    assert balance(after, after.stretches) is after
    assert differences(before, after)[0] == "example/org goes to crawler-2"
    left = drain(after, "crawler-2")
    assert left.stretches == {}
    with pytest.raises(BadChange, match="is leaving already"):
        balance(left, {"example/org": "crawler-2"})


@pytest.mark.parametrize(
    ("team", "message"),
    [
        ({"balance": 1.5}, "team.balance divides the Url hierarchy anew; 'site' is none"),
        ({"balance": 1.0, "partition": "hierarchy"}, "more than 1, not 1.0"),
        ({"balance_every_s": 0.0}, "team.balance_every_s must be more than 0"),
    ],
)
def test_what_balance_cannot_be(team: dict[str, object], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        config.check({"team": team})
