"""A Partition in which nobody who has left the Team owns anything.

A rule may leave a Url or a Page to whoever met or fetched it. Where that Crawler is no longer
active, one of its heirs has it: the one that the Url's host falls to on their ring.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shoal.model import Lesson, Link, Page
from shoal.partition.ring import Ring
from shoal.ports import Guesser, Partition
from shoal.url import Url


class Succession:
    """A Partition over another one."""

    def __init__(self, rule: Partition, heirs: Mapping[str, Sequence[str]]) -> None:
        """``heirs`` has those that are not active, each with whom it left its own to."""
        self._rule = rule
        self._heirs = {name: tuple(sorted(own)) for name, own in heirs.items()}
        self._rings = {name: Ring(own) for name, own in self._heirs.items()}

    @property
    def crawlers(self) -> tuple[str, ...]:
        return self._rule.crawlers

    @property
    def version(self) -> str:
        left = ";".join(f"{name}>{','.join(own)}" for name, own in sorted(self._heirs.items()))
        return f"{self._rule.version}|{left}"

    def owners_of_links(self, links: Sequence[Link], met_by: str) -> list[str | None]:
        owners = self._rule.owners_of_links(links, met_by)
        ring = self._rings.get(met_by)
        if ring is None:
            return list(owners)
        return [
            owner or ring.owner(link.target.host) for link, owner in zip(links, owners, strict=True)
        ]

    def owner_of_page(self, page: Page, fetched_by: str) -> str:
        return self._active(self._rule.owner_of_page(page, fetched_by), page.url)

    def _active(self, owner: str, url: Url) -> str:
        ring = self._rings.get(owner)
        return owner if ring is None else ring.owner(url.host)


class GuessingSuccession(Succession):
    """That of a Partition that guesses: a ports.Guesser, too."""

    def __init__(self, rule: Partition, heirs: Mapping[str, Sequence[str]]) -> None:
        super().__init__(rule, heirs)
        assert isinstance(rule, Guesser)
        self._guesser: Guesser = rule

    def guess(self, links: Sequence[Link], among: Sequence[Link], met_by: str) -> Sequence[str]:
        return self._guesser.guess(links, among, met_by)

    def learn(self, link: Link, owner: str) -> None:
        self._guesser.learn(link, owner)

    def hear(self, lessons: Sequence[Lesson]) -> None:
        self._guesser.hear(lessons)


def with_heirs(rule: Partition, heirs: Mapping[str, Sequence[str]]) -> Partition:
    """The rule itself where everybody is active."""
    if not heirs:
        return rule
    kind = GuessingSuccession if isinstance(rule, Guesser) else Succession
    return kind(rule, heirs)
