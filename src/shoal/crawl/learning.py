"""What Strategy and Topic learn: kept with each commit. What a Strategy learns is brought to bear
on what waits already, too.

A Strategy that is no Learner and no Rescorer costs nothing here, nor does a Topic that is not
Attentive.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from shoal.model import Page
from shoal.ports import Attentive, Frontier, Learner, Notes, Rescorer, Strategy

KIND: Final = "strategy"
"""Under which the pieces of its knowledge stand in the Notes."""
TOPIC_KIND: Final = "topic"
"""Under which those of the Topics' stand there, each after its place."""
FOREMOST: Final = 400
"""So many of the Urls that come next are weighed anew each time ..."""
STRETCH: Final = 400
"""... and those of so many known Urls that wait, a different stretch each time."""


@dataclass
class Learning:
    """Between a Strategy, a Topic, the Frontier and the Notes.

    1. After ``recall`` each of them knows what it knew at the last commit.
    2. One ``rescore`` costs the same however large the Frontier is.
    """

    strategy: Strategy
    frontier: Frontier
    notes: Notes | None
    """None where nothing outlives the crawl, so nothing needs to be kept."""
    topics: Sequence[Attentive] = ()
    """The Topic, or those that it is made of, where they go by what the crawl has met."""
    _after: int = 0
    """The id up to which the others have been weighed anew."""

    @cached_property
    def _rescorer(self) -> Rescorer | None:
        """The Strategy where it is one, found out once: to ask costs as much as several Links."""
        return self.strategy if isinstance(self.strategy, Rescorer) else None

    def recall(self) -> None:
        notes = self.notes
        if isinstance(self.strategy, Learner) and notes is not None:
            self.strategy.recall(lambda name: notes.read(KIND, name))
        if notes is not None:
            for place, topic in enumerate(self.topics):
                topic.recall(_reader(notes, place))

    def meet(self, page: Page) -> None:
        """A Page that is kept, before it is judged."""
        for topic in self.topics:
            topic.meet(page)

    def keep(self) -> None:
        """Write down what has changed: durable with the next commit."""
        if isinstance(self.strategy, Learner) and self.notes is not None:
            for name, piece in self.strategy.knowledge().items():
                self.notes.write(KIND, name, piece)
        if self.notes is not None:
            for place, topic in enumerate(self.topics):
                for name, piece in topic.knowledge().items():
                    self.notes.write(TOPIC_KIND, f"{place}/{name}", piece)

    def rescore(self) -> int:
        """Weigh what waits anew, if the Strategy wants it. Returns how many Urls that moved."""
        strategy = self._rescorer
        if strategy is None or not strategy.rescore_due():
            return 0
        urls, after = self.frontier.waiting(self._after, STRETCH)
        self._after = after or 0
        told = {waiting.id: waiting for waiting in (*self.frontier.foremost(FOREMOST), *urls)}
        priorities = strategy.rescore(list(told.values()))
        changes = [
            (waiting.id, priority)
            for waiting, priority in zip(told.values(), priorities, strict=True)
            if priority != waiting.priority
        ]
        return self.frontier.reprioritise(changes) if changes else 0


def _reader(notes: Notes, place: int) -> Callable[[str], bytes | None]:
    return lambda name: notes.read(TOPIC_KIND, f"{place}/{name}")
