"""What the commands of `shoal topic` do, with the pages read from wherever they lie."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from shoal.compose.topic import make as make_topic_of
from shoal.labelled import read_pages
from shoal.model import Part
from shoal.topic.topic_file import read_topic

BORDER = 0.5


class Checked(NamedTuple):
    """What a Topic says of one page."""

    page: str
    title: str
    relevant: bool
    relevance: float
    similarity: float
    reasons: tuple[Part, ...]
    beliefs: tuple[Part, ...]


def check_pages(topic_file: Path, pages: Sequence[str], web: str | None) -> Iterator[Checked]:
    """Raises UsageError."""
    topic = make_topic_of(read_topic(topic_file), web).topic
    for one in read_pages(pages, web):
        judgement = topic.judge(one.page)
        relevant = judgement.relevance >= BORDER
        yield Checked(one.name, one.page.title, relevant, *judgement)
