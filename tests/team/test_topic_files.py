"""Teams whose topics are topic files, or some categories of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs

from shoal import config
from shoal.compose.partition import facts_of_split, found, make_partition
from shoal.errors import UsageError
from shoal.model import Language, Link, Page
from shoal.partition.by_topic import TEXTLESS, TopicPartition, UnownedTopic
from shoal.ports import Partition
from shoal.settings import TeamSettings
from shoal.team import changes
from shoal.team.roster import Roster
from shoal.testing.partition import PartitionContract, page_of
from shoal.url import parse_url
from tests.classify.pages import FARM, SEA, SKY, essay
from tests.cli.command import refused, shoal, well
from tests.crawl.small_web import page
from tests.team.small_team import team_crawl
from tests.team.test_inline import address

URL = parse_url("http://a.example/1")
OTHER = ["stapler", "folder", "invoice", "drawer", "envelope"]


def topic_file(folder: Path, name: str, words: Sequence[str]) -> Path:
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text(f"words = {list(words)!r}\n".replace("'", '"'))
    return file


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("topics")
    return topic_file(folder, "sea.toml", SEA), topic_file(folder, "farm.topic.toml", FARM)


def partition_of(*files: object, name: str = "topic", **team: object) -> Partition:
    topics = [str(file) for file in files]
    made = config.check({"team": {"partition": name, "topics": topics, **team}})
    return make_partition(made.team)


def said_of(words: Sequence[str], number: int = 1) -> Page:
    return page_of(URL, essay(words, number, 90))


def test_a_page_belongs_to_the_topic_it_is_most_relevant_to(files: tuple[Path, Path]) -> None:
    partition = partition_of(*files)
    assert partition.crawlers == ("sea", "farm", "WORLD", TEXTLESS)
    assert partition.owner_of_page(said_of(SEA), "farm") == "sea"
    assert partition.owner_of_page(said_of(FARM), "sea") == "farm"
    mixed = page_of(URL, f"{essay(SEA, 1, 40)} {essay(FARM, 2, 80)}")
    assert partition.owner_of_page(mixed, "sea") == "farm"


def test_what_is_about_no_topic_is_kept_as_c4_kept_it(files: tuple[Path, Path]) -> None:
    partition = partition_of(*files)
    elsewhere = page_of(URL, " ".join(OTHER * 12))
    assert partition.owner_of_page(elsewhere, "sea") == "WORLD"
    assert partition.owner_of_page(page_of(URL, ""), "sea") == TEXTLESS
    # Too few words to say anything: it stays.
    assert partition.owner_of_page(page_of(URL, " ".join(SEA[:3])), "farm") == "farm"
    assert partition_of(*files, textless=False).crawlers == ("sea", "farm", "WORLD")


def test_its_version_is_another_where_a_file_is(files: tuple[Path, Path], tmp_path: Path) -> None:
    other = topic_file(tmp_path, "sea.toml", [*SEA, "anchor"])
    assert partition_of(*files).version == partition_of(*files).version
    assert partition_of(*files).version != partition_of(other, files[1]).version


def test_owners_are_predicted_from_topic_files_too(files: tuple[Path, Path]) -> None:
    partition = partition_of(*files, name="predicted-topic")
    links = [
        Link(None, parse_url("http://a.example/x"), anchor=" ".join(words[:3]))
        for words in (SEA, FARM, SKY)
    ]
    assert list(partition.owners_of_links(links, "WORLD")) == ["sea", "farm", "WORLD"]
    assert list(partition.owners_of_links(links[2:], "farm")) == ["farm"]


class TestTopicFiles(PartitionContract):
    crawlers = ("sea", "farm", "WORLD", TEXTLESS)

    @pytest.fixture(autouse=True, scope="class")
    @classmethod
    def given(cls, files: tuple[Path, Path]) -> None:
        cls.files = files

    files: tuple[Path, Path]

    def make_partition(self) -> Partition:
        return partition_of(*self.files, name="predicted-topic")


def test_a_team_shares_a_web_by_topic_files(files: tuple[Path, Path]) -> None:
    words = (SEA, FARM, OTHER)
    answers = {
        address(number): page(
            *(address(to) for to in (number + 1, number + 2, number + 4) if to < 12),
            text=" ".join((essay(words[number % 3], number, 90), f"number {number}")),
        )
        for number in range(12)
    }
    crawled = team_crawl(answers, partition_of(*files), "duplicates.near=false", seeds=[address(0)])
    kept = crawled.kept()
    owners = ("sea", "farm", "WORLD")
    assert kept == {address(number): owners[number % 3] for number in range(12)}


# --------------------------------------------------------------------------- bad input


def test_two_topics_with_one_name(files: tuple[Path, Path], tmp_path: Path) -> None:
    other = topic_file(tmp_path / "more", "sea.toml", SKY)
    with pytest.raises(UsageError, match=r"two topics have one name: .*sea.toml and .*'sea'"):
        partition_of(*files, other)
    world = topic_file(tmp_path, "WORLD.toml", SKY)
    with pytest.raises(UsageError, match=r"two topics of the team have one name: 'WORLD'"):
        partition_of(*files, world)
    spaced = topic_file(tmp_path, "s e a.toml", SKY), topic_file(tmp_path, "s-e-a.toml", SKY)
    with pytest.raises(UsageError, match=r"'s e a' and 's-e-a' would both be kept by .*'s-e-a'"):
        partition_of(*spaced)


def test_a_file_that_is_away_or_wrong(files: tuple[Path, Path], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"team.topics: there is no topic file .*sky.toml"):
        partition_of(*files, tmp_path / "sky.toml")
    wrong = tmp_path / "wrong.toml"
    wrong.write_text('word = ["cloud"]\n')
    with pytest.raises(UsageError, match=r"team.topics: .*wrong.toml: .*did you mean 'words'"):
        partition_of(wrong)


def test_topics_belong_to_a_partition_by_topic(files: tuple[Path, Path]) -> None:
    with pytest.raises(UsageError, match=r"team.topics tells the topics .*'site' is none"):
        partition_of(*files, name="site")
    with pytest.raises(UsageError, match=r"team.model, .* or team.topics, a list of topic files"):
        partition_of()


def test_a_topic_that_nobody_owns_is_named() -> None:
    partition = TopicPartition(("one",), lambda _page: "sky", {"sea": "one"}, "test")
    with pytest.raises(UnownedTopic, match=r"no crawler .* owns the topic 'sky', and http://a"):
        partition.owner_of_page(said_of(SKY), "one")


# --------------------------------------------------------------------------- with a model


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    (folder / "web" / "a.example").mkdir(parents=True)
    rows = ["url\tlabels"]
    for number in range(45):
        name, words = (("sea", SEA), ("farm", FARM), ("sky", SKY))[number % 3]
        (folder / "web" / "a.example" / f"{number}.html").write_text(
            f'<html lang="en"><body><p>{essay(words, number, 90)}</p></body></html>'
        )
        rows.append(f"http://a.example/{number}.html\t{name}")
    (folder / "labels.tsv").write_text("\n".join(rows) + "\n")
    file = folder / "subjects.model"
    well("model", "train", folder / "labels.tsv", "--web", folder / "web", "--out", file)
    return file


def test_a_team_of_some_categories_leaves_the_others_to_world(model: Path) -> None:
    made = config.check(
        {"team": {"partition": "topic", "model": str(model), "topics": ["sea", "farm"]}}
    )
    partition = make_partition(made.team)
    assert partition.crawlers == ("sea", "farm", "WORLD", TEXTLESS)
    assert partition.owner_of_page(said_of(SEA), "farm") == "sea"
    assert partition.owner_of_page(said_of(SKY), "farm") == "WORLD"


def test_a_model_that_lacks_a_topic_of_the_team(
    model: Path, files: tuple[Path, Path], tmp_path: Path
) -> None:
    def crawl(*team: str) -> tuple[str | Path, ...]:
        words: tuple[str | Path, ...] = (
            "crawl",
            "ships",
            "--seeds",
            "http://a.example/0.html",
            "--out",
            tmp_path / "c",
        )
        web = ("--web", model.parent / "web", "--partition", "topic")
        return (*words, *web, *(word for one in team for word in ("--set", one)))

    lacking = crawl(f"team.model={model}", 'team.topics=["sea", "skies"]')
    refused(shoal(*lacking), 2, r"has no topic 'skies'; did you mean 'sky'")
    refused(shoal(*crawl("team.model=no.model")), 2, r"team.model: there is no file .*no.model")
    assert not (tmp_path / "c").exists()
    # A team that has begun, and a model that was made anew with fewer topics.
    moving = tmp_path / "moving.model"
    moving.write_bytes(model.read_bytes())
    well(*crawl(f"team.model={moving}"))
    rows = (model.parent / "labels.tsv").read_text().splitlines()
    fewer = tmp_path / "fewer.tsv"
    fewer.write_text("\n".join(row for row in rows if not row.endswith("sky")) + "\n")
    moving.unlink()
    well("model", "train", fewer, "--web", model.parent / "web", "--out", moving)
    answer = shoal(*crawl(f"team.model={moving}"))
    refused(answer, 2, r"lacks topics of this team: sky \(of the crawler sky\)")


# --------------------------------------------------------------------------- topics that are split


def split_team(model: Path, **team: object) -> tuple[TeamSettings, Roster]:
    made = config.check({"team": {"partition": "topic", "model": str(model), **team}}).team
    facts = facts_of_split("sky", str(model))
    given = facts.model, facts.trained_at, facts.categories
    return made, changes.split(found(made), "sky", *given)


def test_a_topic_that_is_split_is_told_apart_by_the_other_model(model: Path) -> None:
    team, roster = split_team(model)
    partition = make_partition(team, roster=roster)
    assert set(partition.crawlers) >= {"sea", "sky", "sky-sea", "sky-farm", "sky-sky"}
    assert partition.owner_of_page(said_of(SEA), "farm") == "sea"
    assert partition.owner_of_page(said_of(SKY), "farm") == "sky-sky"
    assert partition.version != make_partition(team).version
    # What the other model has no category for stays with the topic.
    foreign = replace(said_of(SKY), language=Language("de", 1.0))
    assert partition.owner_of_page(foreign, "farm") in {"sky", "WORLD"}
    again = changes.drain(roster, "sky-sky", "sky")
    partition = make_partition(team, roster=again)
    assert partition.owner_of_page(said_of(SKY), "sky-sky") == "sky"


def test_a_link_is_guessed_to_lead_to_a_part_of_a_topic(model: Path) -> None:
    team, roster = split_team(model, partition="predicted-topic")
    partition = make_partition(team, roster=roster)
    link = Link(None, parse_url("http://b.example/x"), anchor=" ".join(SKY), context=" ".join(SKY))
    assert partition.owners_of_links([link], "WORLD") == ["sky-sky"]


def test_a_model_that_was_changed_since_it_split_a_topic(model: Path, tmp_path: Path) -> None:
    team, roster = split_team(model)
    (split,) = roster.splits
    changed = structs.replace(split, trained_at="another day")
    with pytest.raises(UsageError, match=r"is another model than the one that splits .* sky"):
        make_partition(team, roster=structs.replace(roster, splits=(changed,)))
    away = structs.replace(split, model=str(tmp_path / "away.model"))
    with pytest.raises(UsageError, match=r"there is no file .*away.model"):
        make_partition(team, roster=structs.replace(roster, splits=(away,)))
