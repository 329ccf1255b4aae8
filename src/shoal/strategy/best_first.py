"""Best-first on page content and anchor text.

    priority(link) = (similarity(page, topic) + similarity(anchor, topic)) / 2

Equation 7 of Batsakis, Petrakis and Milios, "Improving the performance of focused web crawlers":
a Link is worth following when the page it stands on is about the Topic, and when the words one
clicks on are. Seeds come before everything, for the user chose them.
"""

from __future__ import annotations

from collections.abc import Sequence

from shoal.model import Judgement, Lease, Link, Page, Part, Priority
from shoal.ports import Topic
from shoal.url import Url

_SEED = Priority(1.0, (Part("seed", 1.0),))


class BestFirst:
    def __init__(self, topic: Topic) -> None:
        self._topic = topic

    def seed(self, url: Url) -> Priority:
        del url
        return _SEED

    def priorities(
        self, page: Page, judgement: Judgement, links: Sequence[Link], lease: Lease
    ) -> Sequence[Priority]:
        del page, lease
        content = judgement.similarity / 2
        content_part = Part("content", content)
        content_alone = Priority(content, (content_part,))
        similarity = self._topic.similarity
        found = []
        for link in links:
            anchor = similarity(link.anchor) / 2 if link.anchor else 0.0
            if anchor:
                found.append(Priority(content + anchor, (content_part, Part("anchor", anchor))))
            else:
                found.append(content_alone)
        return found
