"""Link analysis: what links make important enters the Frontier first, so many Urls at a time.

    importance(u) = 1 - (1 - d) / rank(u), or authority(u)
    text(u)       = (similarity(page, topic) + similarity(anchor, topic)) / 2
    priority(u)   = (1 - text_share) * importance(u) + text_share * text(u), and 1 more when chosen

``rank`` is the PageRank of u over the links of the relevant pages read so far, which is 1 - d where
none of them links to u; ``authority`` is that of HITS over the same links, 1 for the greatest. When
fewer than ``frontier_min`` chosen Urls wait, the ``top_size`` best of the others are chosen, no
more than ``host_max`` of one host; what is not chosen comes after them.

(004, section 7.3: a Frontier that is filled by the link analysis, with these four settings; section
9.3: the "best-first frontier" that heeds the text as well.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np

from shoal.model import Judgement, Lease, Link, Page, Part, Priority, Waiting
from shoal.rank.growing_hits import GrowingHits
from shoal.rank.numbers import Nodes, digests
from shoal.rank.pagerank import DAMPING, GrowingPageRank
from shoal.strategy.best_first import BestFirst
from shoal.strategy.link_memory import LinkMemory
from shoal.strategy.pagerank_order import PAGE_LINKS
from shoal.strategy.recipe import Recipe, check_range
from shoal.url import Url

CHOSEN: Final = Part("chosen", 1.0)
"""Lifts a Url above all that are not chosen, for everything else stays within [0, 1]."""
SEED: Final = Priority(2.0, (Part("seed", 2.0),))
PAUSE_PAGES: Final = 10
"""A choice costs some milliseconds, so there is none sooner after another one."""
_FOREMOST: Final = 400
"""No more than this many of the foremost are surely told to a Rescorer."""
_COUNTS: Final = "counts"


class Score(StrEnum):
    """What makes a Url important."""

    PAGERANK = "pagerank"
    AUTHORITY = "authority"


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkAnalysisOptions:
    iterations: int = 5
    """Sweeps over all links each time."""
    top_size: int = 100
    """How many Urls are chosen at a time."""
    frontier_min: int = 20
    """When fewer chosen Urls than this wait, others are chosen."""
    host_max: int = 20
    """How many chosen Urls of one host may wait."""
    text_share: float = 0.5
    """What text counts for in a priority; importance has the rest."""
    score: Score = Score.PAGERANK
    """What makes a Url important: `pagerank`, or `authority`, what good hubs link to (HITS)."""
    relevant_from: float = 0.5
    """From which relevance on the links of a page count."""
    damping: float = DAMPING
    """How likely the random surfer follows a link rather than jumps anywhere."""
    growth: float = 0.1
    """By what share the links must have grown before they are swept again."""

    def __post_init__(self) -> None:
        check_range("iterations", self.iterations, 1, 1000)
        check_range("frontier_min", self.frontier_min, 1, _FOREMOST // 2)
        check_range("top_size", self.top_size, 1, _FOREMOST - self.frontier_min)
        check_range("host_max", self.host_max, 1, _FOREMOST)
        check_range("text_share", self.text_share, 0, 1)
        check_range("relevant_from", self.relevant_from, 0, 1)
        check_range("damping", self.damping, 0.01, 0.99)
        check_range("growth", self.growth, 0.001, 10)


class LinkAnalysis:
    """Importance is kept near after each relevant page, and weighed anew with each choice.

    How many chosen Urls wait is counted down as their pages are told. Those that bring no new page
    are never told, so a page that was not chosen brings on the next choice as well: it could only
    be fetched because no chosen one could be.
    """

    def __init__(self, best_first: BestFirst, options: LinkAnalysisOptions) -> None:
        self._best_first = best_first
        self._options = options
        self._memory = LinkMemory()
        graph, iterations, growth = self._memory.graph, options.iterations, options.growth
        self._ranks: GrowingPageRank | GrowingHits
        if options.score is Score.AUTHORITY:
            self._ranks = GrowingHits(graph, iterations, growth)
        else:
            self._ranks = GrowingPageRank(graph, options.damping, iterations, growth)
        self._left = 0
        """Chosen Urls that wait, as far as it is known."""
        self._pages = 0
        """Pages told since the last choice."""

    def seed(self, url: Url) -> Priority:
        del url
        return SEED

    def priorities(
        self, page: Page, judgement: Judgement, links: Sequence[Link], lease: Lease
    ) -> Sequence[Priority]:
        self._left = self._left - 1 if CHOSEN in lease.parts else 0
        self._pages += 1
        if judgement.relevance >= self._options.relevant_from:
            told = self._memory.tell(page, links)
            self._ranks.add(told)
            self._ranks.work(PAGE_LINKS)
            nodes = told.targets
        else:
            nodes = self._memory.graph.find(digests(link.target.text for link in links))
        share = self._options.text_share
        texts = self._best_first.priorities(page, judgement, links, lease)
        return [
            _priority(importance, text.value * share)
            for importance, text in zip(self._importances(nodes), texts, strict=True)
        ]

    def rescore_due(self) -> bool:
        return self._left < self._options.frontier_min and self._pages >= PAUSE_PAGES

    def rescore(self, waiting: Sequence[Waiting]) -> Sequence[Priority]:
        importances = self._importances(self._memory.find(waiting))
        values = [
            item.priority if item.priority == SEED else _priority(importance, _text_of(item))
            for item, importance in zip(waiting, importances, strict=True)
        ]
        chosen = self._choose(waiting, values)
        self._left, self._pages = len(chosen), 0
        return [
            Priority(priority.value + CHOSEN.value, (*priority.parts, CHOSEN))
            if place in chosen
            else priority
            for place, priority in enumerate(values)
        ]

    def knowledge(self) -> Mapping[str, bytes]:
        counts = f"{self._left} {self._pages}".encode()
        return {**self._memory.knowledge(), _COUNTS: counts}

    def recall(self, read: Callable[[str], bytes | None]) -> None:
        for told in self._memory.recall(read):
            self._ranks.add(told)
            self._ranks.work(PAGE_LINKS)
        self._left, self._pages = map(int, (read(_COUNTS) or b"0 0").split())

    def _choose(self, waiting: Sequence[Waiting], values: Sequence[Priority]) -> set[int]:
        """The places of those that were chosen and wait still, and of the next ones if they are
        too few."""
        options = self._options
        chosen = {place for place, item in enumerate(waiting) if CHOSEN in item.priority.parts}
        if len(chosen) >= options.frontier_min:
            return chosen
        hosts = Counter(waiting[place].url.host_key for place in chosen)
        others = [
            place
            for place, priority in enumerate(values)
            if place not in chosen and priority != SEED
        ]
        others.sort(key=lambda place: (-values[place].value, waiting[place].id))
        room = len(chosen) + options.top_size
        for place in others:
            host = waiting[place].url.host_key
            if hosts[host] < options.host_max:
                hosts[host] += 1
                chosen.add(place)
                if len(chosen) == room:
                    break
        return chosen

    def _importances(self, nodes: Nodes) -> list[float]:
        """The share of importance in the priority of each node."""
        found = np.zeros(len(nodes))
        known = nodes >= 0
        scores = self._ranks.scores[nodes[known]]
        if self._options.score is Score.PAGERANK:
            scores = 1.0 - (1.0 - self._options.damping) / scores
        found[known] = scores
        shares: list[float] = ((1.0 - self._options.text_share) * found).tolist()
        return shares


def _priority(importance: float, text: float) -> Priority:
    return Priority(importance + text, (Part("importance", importance), Part("text", text)))


def _text_of(item: Waiting) -> float:
    return next((part.value for part in item.priority.parts if part.name == "text"), 0.0)


RECIPE = Recipe(
    "link-analysis",
    "The Link to what relevant pages make important and its text recommends, so many at a time.",
    LinkAnalysisOptions,
    lambda brief, options: LinkAnalysis(BestFirst(brief.topic), options),
)
