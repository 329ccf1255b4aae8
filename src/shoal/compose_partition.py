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
from shoal.compose_topic import make
from shoal.errors import UsageError
from shoal.model import Page
from shoal.page.words import count_terms
from shoal.partition.by_address import NAMES, AddressPartition
from shoal.partition.by_content import CombinationPartition, ContentPartition
from shoal.partition.by_topic import TEXTLESS, TopicPartition
from shoal.partition.hierarchy import HierarchyPartition
from shoal.partition.predicted import PredictedPartition, Reader
from shoal.ports import Partition, Topic
from shoal.settings import TeamSettings
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


def make_partition(team: TeamSettings, keep: Callable[[Sort], Sort] = anew) -> Partition:
    """The Partition that the settings name. ``keep`` may remember what was sorted. Raises
    UsageError."""
    if team.partition in config.BY_TOPIC:
        return _by_topic(team, keep)
    crawlers = tuple(f"crawler-{number}" for number in range(1, (team.crawlers or 1) + 1))
    if team.partition in NAMES:
        return AddressPartition(crawlers, team.partition)
    if team.partition == "hierarchy":
        return HierarchyPartition(crawlers)
    if team.partition == "content":
        return ContentPartition(crawlers)
    return CombinationPartition(crawlers)


def digest_of(team: TeamSettings) -> str | None:
    """Of all that tells the topics: the model's bytes, or the topic files and what they name. None
    where none are told. Raises UsageError."""
    if team.model is not None:
        return xxhash.xxh3_128_hexdigest(_model_file(team.model).read_bytes())
    return "+".join(one.digest for one in _topics(team.topics)) if team.topics else None


def _by_topic(team: TeamSettings, keep: Callable[[Sort], Sort]) -> Partition:
    """One Crawler a category, WORLD, and text-less pages where they have their own."""
    sorting = _by_files(team.topics) if team.model is None else _by_model(team.model, team.topics)
    owners = _named([*sorting.categories, *([TEXTLESS] if team.textless else [])])
    sort = keep(sorting.sort)

    def category_of(page: Page) -> str | None:
        verdict = sort(page)
        return TEXTLESS if verdict.kind is Kind.NO_TEXT else verdict.category

    pages = TopicPartition(
        tuple(owners.values()),
        category_of,
        owners,
        sorting.told_by,
        links_by_host=team.partition == "topic-by-host",
    )
    if team.partition != "predicted-topic":
        return pages
    return PredictedPartition(pages, sorting.read_as, owners, sorting.read)


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

    def read(texts: Sequence[str]) -> NDArray[np.float64]:
        return model.classifier.probabilities([_short(text) for text in texts])

    return Sorting(
        (*chosen, WORLD),
        sort,
        read,
        tuple(one if one in chosen else WORLD for one in model.categories),
        f"{Path(file).name} of {model.facts.trained_at}",
    )


def sort_page(model: Model, page: Page) -> Verdict:
    return sort_pages(model, [page])[0]


def _model_file(file: str) -> Path:
    path = Path(file)
    if not path.is_file():
        raise UsageError(f"team.model: there is no file {path}")
    return path


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
