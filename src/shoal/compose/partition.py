"""Makes the Partition of a Team of what its settings name: addresses, contents, a trained model, or
topic files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import xxhash
from numpy.typing import NDArray

from shoal import config
from shoal.classify.model import Model
from shoal.classify.model_file import load
from shoal.classify.sort import WORLD, Verdict, sort_pages
from shoal.classify.usable import Kind, kind_of
from shoal.compose.topic import make
from shoal.errors import UsageError
from shoal.model import Page
from shoal.page.words import count_terms
from shoal.partition.by_address import NAMES, AddressPartition
from shoal.partition.by_content import CombinationPartition, ContentPartition
from shoal.partition.by_topic import TEXTLESS, TopicPartition
from shoal.partition.hierarchy import HierarchyPartition
from shoal.partition.predicted import PredictedPartition, Reader
from shoal.partition.succession import with_heirs
from shoal.ports import Partition, Topic
from shoal.settings import TeamSettings
from shoal.team import changes
from shoal.team.roster import BETWEEN, MemberState, Roster, Split
from shoal.topic.topic_file import BadTopic, read_topic
from shoal.url import parse_url
from shoal.wording import nearest

BORDER: Final = 0.5
"""The relevance from which a page belongs to a topic; the meaning is that of all Topics."""
LEAST_LIKENESS: Final = 0.05
"""What a topic counts that a short text is not like at all: words may be missing by chance."""
NOWHERE: Final = parse_url("http://link.invalid/")
_ODD: Final = re.compile(r"[^A-Za-z0-9._-]+")
_ENDINGS: Final = (".toml", ".topic")

Sort = Callable[[Page], Verdict]
"""Tells where a Page belongs."""


class Sorting(NamedTuple):
    """How the topics of a team are told from one another."""

    categories: tuple[str, ...]
    """Those that have a Crawler of their own, WORLD among them."""
    sort: Sort
    read: Reader
    read_as: tuple[str, ...]
    """The category of each column of what ``read`` gives."""
    told_by: str
    """What tells them, as part of a version: whatever it tells otherwise has another."""


def anew(sort: Sort) -> Sort:
    return sort


def found(team: TeamSettings) -> Roster:
    """Who is in a Team that begins. Raises UsageError."""
    if team.partition in config.BY_TOPIC:
        return _founded(team, _sorting(team))
    names = [f"crawler-{number}" for number in range(1, (team.crawlers or 1) + 1)]
    return changes.founded(team.partition, names)


def make_partition(
    team: TeamSettings, keep: Callable[[Sort], Sort] = anew, roster: Roster | None = None
) -> Partition:
    """The Partition that the settings name, among those who are in the Team: at its beginning where
    there is no ``roster``. ``keep`` may remember what was sorted. Raises UsageError."""
    rule: Partition
    if team.partition in config.BY_TOPIC:
        sorting = _sorting(team)
        roster = roster or _founded(team, sorting)
        for one in roster.splits:
            sorting = _split(sorting, one)
        rule = _by_topic(team, roster, sorting, keep)
    else:
        roster = roster or found(team)
        rule = _by_name(team.partition, roster)
    left = [one.name for one in roster.members if one.state is not MemberState.ACTIVE]
    return with_heirs(rule, {name: roster.heirs(name) for name in left})


def _by_name(partition: str, roster: Roster) -> Partition:
    """By what a ring says of addresses or contents."""
    crawlers = roster.active
    if partition in NAMES:
        return AddressPartition(crawlers, partition)
    if partition == "hierarchy":
        table = {tuple(path.split(BETWEEN)): name for path, name in roster.stretches.items()}
        return HierarchyPartition(crawlers, table)
    if partition == "content":
        return ContentPartition(crawlers)
    return CombinationPartition(crawlers)


def digest_of(team: TeamSettings) -> str | None:
    """Of all that tells the topics: the model's bytes, or the topic files and what they name. None
    where none are told. Raises UsageError."""
    if team.model is not None:
        return xxhash.xxh3_128_hexdigest(_model_file(team.model).read_bytes())
    return "+".join(one.digest for one in _topics(team.topics)) if team.topics else None


def _sorting(team: TeamSettings) -> Sorting:
    if team.model is None:
        return _by_files(team.topics)
    return _by_model(team.model, team.topics)


def _founded(team: TeamSettings, sorting: Sorting) -> Roster:
    """One Crawler a category, WORLD, and text-less pages where they have their own."""
    owners = _named([*sorting.categories, *([TEXTLESS] if team.textless else [])])
    first = next(iter(owners.values()))
    return changes.founded_on_topics(
        team.partition, {**owners, TEXTLESS: owners.get(TEXTLESS, first)}
    )


def _by_topic(
    team: TeamSettings, roster: Roster, sorting: Sorting, keep: Callable[[Sort], Sort]
) -> Partition:
    _check_topics(roster, sorting)
    sort = keep(sorting.sort)

    def category_of(page: Page) -> str | None:
        verdict = sort(page)
        return TEXTLESS if verdict.kind is Kind.NO_TEXT else verdict.category

    pages = TopicPartition(
        roster.active,
        category_of,
        roster.topics,
        sorting.told_by,
        links_by_host=team.partition == "topic-by-host",
    )
    if team.partition != "predicted-topic":
        return pages
    return PredictedPartition(pages, sorting.read_as, roster.topics, sorting.read)


def _check_topics(roster: Roster, sorting: Sorting) -> None:
    """Raises UsageError where topics and owners are not one to one."""
    unowned = sorted(set(sorting.categories) - set(roster.topics))
    if unowned:
        raise UsageError(
            f"{sorting.told_by} tells the topics {', '.join(unowned)}, and no crawler of this team "
            "owns them. Give the team what it began with"
        )
    lacking = [topic for topic in roster.topics if topic not in (*sorting.categories, TEXTLESS)]
    if lacking:
        owners = ", ".join(f"{topic} (of the crawler {roster.topics[topic]})" for topic in lacking)
        raise UsageError(
            f"{sorting.told_by} lacks topics of this team: {owners}. Give the team what it began "
            "with"
        )


def _named(categories: Sequence[str]) -> dict[str, str]:
    """The Crawler of each category."""
    owners: dict[str, str] = {}
    for category in categories:
        name = _ODD.sub("-", category).strip("-.") or "topic"
        if name in owners.values():
            other = next(one for one, owner in owners.items() if owner == name)
            raise UsageError(
                f"two topics of the team have one name: {other!r} and {category!r} would both be "
                f"kept by the crawler {name!r}; give one of them another name"
            )
        owners[category] = name
    return owners


# --------------------------------------------------------------------------- by a model


def _by_model(file: str, wanted: Sequence[str]) -> Sorting:
    """By the categories of a model: all, or those that are wanted; pages of the others are as those
    of no category, WORLD's."""
    model = load(_model_file(file))
    for category in wanted:
        if category not in model.categories:
            hint = nearest(category, model.categories) or f"; it has {', '.join(model.categories)}"
            raise UsageError(
                f"team.topics: the model {file} has no topic {category!r}{hint}. Take it from "
                "team.topics, or train a model with it"
            )
    _refuse_doubles(wanted)
    chosen = tuple(wanted) or tuple(model.categories)

    def sort(page: Page) -> Verdict:
        verdict = sort_page(model, page)
        if verdict.category in (None, WORLD, *chosen):
            return verdict
        return verdict._replace(category=WORLD)

    return Sorting(
        (*chosen, WORLD),
        sort,
        reader_of(model),
        tuple(one if one in chosen else WORLD for one in model.categories),
        f"{Path(file).name} of {model.facts.trained_at}",
    )


def reader_of(model: Model) -> Reader:
    """What the model makes of short texts."""

    def read(texts: Sequence[str]) -> NDArray[np.float64]:
        return model.classifier.probabilities([_short(text) for text in texts])

    return read


def sort_page(model: Model, page: Page) -> Verdict:
    return sort_pages(model, [page])[0]


def _model_file(file: str, named_by: str = "team.model") -> Path:
    path = Path(file)
    if not path.is_file():
        raise UsageError(f"{named_by}: there is no file {path}")
    return path


# --------------------------------------------------------------------------- by parts of a topic


def facts_of_split(topic: str, file: str) -> Split:
    """What a model would make of a topic. Raises UsageError."""
    model = load(_model_file(file, "--model"))
    return Split(topic, file, model.facts.trained_at, tuple(model.categories))


def _split(sorting: Sorting, split: Split) -> Sorting:
    """The same, with one topic told apart by another model. What that model has no category for,
    such as a page in another language, stays with the topic itself."""
    model = load(_model_file(split.model, "the roster of the team"))
    if (model.facts.trained_at, tuple(model.categories)) != (split.trained_at, split.categories):
        raise UsageError(
            f"{split.model} is another model than the one that splits the topic {split.topic}: "
            f"that was trained at {split.trained_at} and tells {', '.join(split.categories)}. "
            "Restore it from a copy"
        )
    paths = {category: f"{split.topic}{BETWEEN}{category}" for category in model.categories}

    def sort(page: Page) -> Verdict:
        verdict = sorting.sort(page)
        if verdict.category != split.topic:
            return verdict
        part = sort_page(model, page)
        path = paths.get(part.category or "")
        if path is None:
            return verdict
        return verdict._replace(category=path, probability=verdict.probability * part.probability)

    def read(texts: Sequence[str]) -> NDArray[np.float64]:
        rows = sorting.read(texts)
        of_topic = np.array([category == split.topic for category in sorting.read_as])
        parts = model.classifier.probabilities([_short(text) for text in texts])
        shared = rows[:, of_topic].sum(axis=1, keepdims=True) * parts
        return np.hstack((np.where(of_topic, 0.0, rows), shared))

    return Sorting(
        (*sorting.categories, *paths.values()),
        sort,
        read,
        (*sorting.read_as, *paths.values()),
        f"{sorting.told_by}+{split.topic}:{Path(split.model).name} of {split.trained_at}",
    )


# --------------------------------------------------------------------------- by topic files


class _Named(NamedTuple):
    """A Topic of the team."""

    name: str
    topic: Topic
    digest: str


def _by_files(files: Sequence[str]) -> Sorting:
    """Each page belongs to the topic that it is most relevant to, from the border up; the first of
    equal ones. What is relevant to none is WORLD's. What C4 keeps from a classifier is kept from
    topics, too: pages of too few words say too little."""
    topics = _topics(files)
    names = tuple(one.name for one in topics)

    def sort(page: Page) -> Verdict:
        kind = kind_of(page)
        if kind is not Kind.USABLE:
            return Verdict(kind, None, 0.0, None)
        found = [one.topic.judge(page).relevance for one in topics]
        best = max(range(len(found)), key=found.__getitem__)
        if found[best] < BORDER:
            return Verdict(kind, WORLD, 0.0, None)
        return Verdict(kind, names[best], found[best], None)

    def read(texts: Sequence[str]) -> NDArray[np.float64]:
        alike = np.array([[one.topic.similarity(text) for one in topics] for text in texts])
        rest = 1.0 - alike.max(axis=1, keepdims=True)
        rows = np.hstack((alike, rest)) + LEAST_LIKENESS
        return np.asarray(rows / rows.sum(axis=1, keepdims=True), np.float64)

    told_by = ",".join(f"{one.name} of {one.digest}" for one in topics)
    return Sorting((*names, WORLD), sort, read, (*names, WORLD), told_by)


def _topics(files: Sequence[str]) -> list[_Named]:
    """Raises UsageError for a file that is away or wrong, and for two of one name."""
    found: dict[str, tuple[str, _Named]] = {}
    for file in files:
        path = Path(file)
        name = path.name
        for ending in _ENDINGS:
            name = name.removesuffix(ending)
        if name in found:
            raise UsageError(
                f"team.topics: two topics have one name: {found[name][0]} and {file} are both "
                f"{name!r}; give one of the files another name"
            )
        try:
            made = make(read_topic(path))
        except BadTopic as error:
            raise UsageError(f"team.topics: {error}") from error
        found[name] = file, _Named(name, made.topic, made.digest or "")
    return [topic for _, topic in found.values()]


# --------------------------------------------------------------------------- words


def _short(text: str) -> Page:
    """Some words as a page of their own."""
    return Page(NOWHERE, "text/plain", text=text, terms=count_terms(text))


def _refuse_doubles(names: Sequence[str]) -> None:
    for name, times in Counter(names).items():
        if times > 1:
            raise UsageError(f"team.topics: two topics have one name, {name!r}; leave one out")
