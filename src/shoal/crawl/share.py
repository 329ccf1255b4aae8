"""What one Crawler of a Team owns of the web, and the way to those who own the rest."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from shoal.model import Lease, Link, LinkParcel, Offer, Page, PageParcel, Priority, Response, Ruling
from shoal.ports import Courier, Guesser, Partition

REMEMBERED: Final = 65_536
"""Urls whose owners are remembered, so that no Link is sent again for nothing ..."""
RAISED_BY: Final = 1e-9
"""... unless it recommends its target by more than this."""
FETCHED: Final = Ruling(True, "fetched", "its page was handed over")


@dataclass
class Share:
    """Sorts what is ours from what is not, and sends what is not.

    1. Whatever does not stay is sent to its owner, in the same batch.
    2. A Link is sent once while it is remembered, and again only when it counts for more.
    """

    name: str
    """Of the Crawler whose share this is."""
    partition: Partition
    courier: Courier
    carries_pages: bool
    """Whether a Page goes to its owner, or only its Url, which the owner fetches again."""
    is_over: Callable[[], bool]
    """Asked by a Crawler that has nothing left: whether the whole Team has."""
    _placed: dict[str, _Placed] = field(default_factory=dict)
    _placed_before: dict[str, _Placed] = field(default_factory=dict)

    def seeds(self, offers: Sequence[Offer]) -> list[Offer]:
        """Those of the seeds that this Crawler begins with: its own, and its turn of those whose
        owner nobody can know yet."""
        crawlers = self.partition.crawlers
        owners = self.partition.owners_of_links([offer.link for offer in offers], self.name)
        return [
            offer
            for place, (offer, owner) in enumerate(zip(offers, owners, strict=True))
            if (owner or crawlers[place % len(crawlers)]) == self.name
        ]

    def keep(self, offers: Sequence[Offer]) -> list[Offer]:
        """The Offers that are ours, or refused. The others go to their owners."""
        self._place([offer.link for offer in offers if offer.ruling.admitted])
        ours: list[Offer] = []
        theirs: dict[str, list[Offer]] = defaultdict(list)
        for offer in offers:
            placed = self._placed.get(offer.link.target.text) if offer.ruling.admitted else None
            if placed is None or placed.owner == self.name:
                ours.append(offer)
            elif offer.priority.value > placed.told + RAISED_BY:
                placed.told = offer.priority.value
                theirs[placed.owner].append(offer)
        for owner, sent in theirs.items():
            self.courier.send(owner, LinkParcel(tuple(sent)))
        return ours

    def owner_of(self, page: Page, lease: Lease) -> str | None:
        """Who owns a Page that was fetched here; None when it stays."""
        owner = self.partition.owner_of_page(page, self.name)
        if isinstance(self.partition, Guesser):
            self.partition.learn(_link_of(lease), owner)
        return None if owner == self.name else owner

    def hand_over(self, owner: str, lease: Lease, response: Response) -> None:
        """Send what was fetched to its owner, with what is known of its Url."""
        priority = Priority(lease.priority, lease.parts)
        source = lease.source_relevance, lease.source_beliefs
        link = _link_of(lease)
        offer = Offer(link, FETCHED, priority, lease.depth, lease.redirects, *source)
        if self.carries_pages:
            self.courier.send(owner, PageParcel(offer, response, self.name))
        else:
            self.courier.send(owner, LinkParcel((offer,)))

    def _place(self, links: Sequence[Link]) -> None:
        """Find the owners of the targets that were not met lately."""
        placed, before = self._placed, self._placed_before
        if len(placed) > REMEMBERED:
            self._placed_before, self._placed = before, placed = placed, {}
        new: dict[str, Link] = {}
        for link in links:
            text = link.target.text
            if text in placed:
                continue
            if text in before:
                placed[text] = before[text]
            else:
                new[text] = link
        owners = self.partition.owners_of_links(list(new.values()), self.name)
        for text, owner in zip(new, owners, strict=True):
            placed[text] = _Placed(owner or self.name)


class _Placed:
    """Whose a Url is, and how urgent its owner was told it is."""

    __slots__ = ("owner", "told")

    def __init__(self, owner: str) -> None:
        self.owner = owner
        self.told = -math.inf


def _link_of(lease: Lease) -> Link:
    return Link(lease.source, lease.url, lease.kind, lease.anchor, lease.context)
