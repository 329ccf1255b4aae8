"""Topics made of Topics: all of them, any of them, not this one, or a weighted mean.

    all        the least of the relevances        any    the largest
    not        1 - relevance                      mean   sum(weight * relevance) / sum(weight)

Each keeps the border: a Page is relevant to ``all`` when it is to each, to ``any`` when it is to
one, to ``not`` when it is not. Similarities are combined by the same rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Final

from shoal.model import Judgement, Page, Part
from shoal.ports import Topic

REASONS: Final = 20


@dataclass(frozen=True, slots=True)
class Member:
    """A Topic as a part of another one, known by its name there."""

    name: str
    topic: Topic
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class AllOf:
    """Relevant to each of its members. The least relevant one speaks first."""

    members: tuple[Member, ...]

    def judge(self, page: Page) -> Judgement:
        judged = [member.topic.judge(page) for member in self.members]
        decisive = min(judged, key=lambda one: one.relevance)
        similarity = min(one.similarity for one in judged)
        return _combined(self.members, judged, decisive.relevance, similarity, decisive)

    def similarity(self, words: str) -> float:
        return min(member.topic.similarity(words) for member in self.members)


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Relevant to one of its members at least. The most relevant one speaks first."""

    members: tuple[Member, ...]

    def judge(self, page: Page) -> Judgement:
        judged = [member.topic.judge(page) for member in self.members]
        decisive = max(judged, key=lambda one: one.relevance)
        similarity = max(one.similarity for one in judged)
        return _combined(self.members, judged, decisive.relevance, similarity, decisive)

    def similarity(self, words: str) -> float:
        return max(member.topic.similarity(words) for member in self.members)


@dataclass(frozen=True, slots=True)
class Not:
    """A requirement: irrelevant to its member."""

    member: Member

    def judge(self, page: Page) -> Judgement:
        judged = self.member.topic.judge(page)
        relevance, similarity = 1.0 - judged.relevance, 1.0 - judged.similarity
        return _combined((self.member,), (judged,), relevance, similarity, judged)

    def similarity(self, words: str) -> float:
        return 1.0 - self.member.topic.similarity(words)


@dataclass(frozen=True, slots=True)
class MeanOf:
    """The mean of its members, each with its weight. The weightiest share speaks first."""

    members: tuple[Member, ...]

    def judge(self, page: Page) -> Judgement:
        judged = [member.topic.judge(page) for member in self.members]
        decisive = max(
            zip(self.members, judged, strict=True),
            key=lambda pair: pair[0].weight * abs(pair[1].relevance - 0.5),
        )[1]
        relevance = self._mean([one.relevance for one in judged])
        similarity = self._mean([one.similarity for one in judged])
        return _combined(self.members, judged, relevance, similarity, decisive)

    def similarity(self, words: str) -> float:
        return self._mean([member.topic.similarity(words) for member in self.members])

    def _mean(self, values: Sequence[float]) -> float:
        weights = [member.weight for member in self.members]
        total = sum(weight * value for weight, value in zip(weights, values, strict=True))
        return min(1.0, max(0.0, total / sum(weights)))


def _combined(
    members: Sequence[Member],
    judged: Sequence[Judgement],
    relevance: float,
    similarity: float,
    decisive: Judgement,
) -> Judgement:
    """The members' own relevances first among the reasons, then what carried the decisive one,
    then what carried the others."""
    told = [Part(one.name, by.relevance) for one, by in zip(members, judged, strict=True)]
    beliefs: dict[str, float] = {}
    for part, by in zip(told, judged, strict=True):
        for name, value in by.beliefs or (part,):
            beliefs.setdefault(name, value)
    ordered = sorted(beliefs.items(), key=lambda item: (-item[1], item[0]))
    reasons: dict[str, float] = {}
    for name, value in chain(told, decisive.reasons, *(by.reasons for by in judged)):
        reasons.setdefault(name, value)
    return Judgement(
        relevance,
        similarity,
        tuple(Part(*named) for named in islice(reasons.items(), REASONS)),
        tuple(Part(name, value) for name, value in ordered),
    )
