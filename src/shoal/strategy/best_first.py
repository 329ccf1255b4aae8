"""Best-first on page content, on anchor text, or on both.

    content          priority(link) = similarity(page, topic)
    anchor           priority(link) = similarity(anchor, topic)
    content+anchor   priority(link) = (similarity(page, topic) + similarity(anchor, topic)) / 2

The last one is equation 7 of Batsakis, Petrakis and Milios, "Improving the performance of focused
web crawlers"; the others are its two halves (sections 3.2.1 and 3.2.2 of the thesis behind it). A
Link is worth following when the page it stands on is about the Topic, and when the words one clicks
on are. Seeds come before everything, for the user chose them.
"""

from __future__ import annotations

from collections.abc import Sequence

from shoal.model import Judgement, Lease, Link, Page, Part, Priority
from shoal.ports import Topic
from shoal.strategy.recipe import NoOptions, Recipe
from shoal.url import Url

SEED = Priority(1.0, (Part("seed", 1.0),))


class BestFirst:
    """The weighted sum of the two similarities. Says the same of a Link whatever came before."""

    def __init__(
        self, topic: Topic, content_weight: float = 0.5, anchor_weight: float = 0.5
    ) -> None:
        self._topic = topic
        self._content_weight = content_weight
        self._anchor_weight = anchor_weight

    def seed(self, url: Url) -> Priority:
        del url
        return SEED

    def priorities(
        self, page: Page, judgement: Judgement, links: Sequence[Link], lease: Lease
    ) -> Sequence[Priority]:
        del page, lease
        content = judgement.similarity * self._content_weight
        content_parts = (Part("content", content),) if self._content_weight else ()
        content_alone = Priority(content, content_parts)
        if not self._anchor_weight:
            return [content_alone] * len(links)
        weight, similarity = self._anchor_weight, self._topic.similarity
        found = []
        for link in links:
            anchor = similarity(link.anchor) * weight if link.anchor else 0.0
            if anchor:
                found.append(Priority(content + anchor, (*content_parts, Part("anchor", anchor))))
            else:
                found.append(content_alone)
        return found


CONTENT_AND_ANCHOR = Recipe(
    "best-first",
    "The Link whose page and anchor are most alike to the topic.",
    NoOptions,
    lambda brief, _options: BestFirst(brief.topic),
)
CONTENT = Recipe(
    "best-first-content",
    "The Link whose page is most alike to the topic.",
    NoOptions,
    lambda brief, _options: BestFirst(brief.topic, 1.0, 0.0),
)
ANCHOR = Recipe(
    "best-first-anchor",
    "The Link whose anchor is most alike to the topic.",
    NoOptions,
    lambda brief, _options: BestFirst(brief.topic, 0.0, 1.0),
)
