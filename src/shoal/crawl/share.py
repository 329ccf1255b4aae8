"""What one Crawler of a Team owns of the web, and the way to those who own the rest."""

from __future__ import annotations

import math
from collections import defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from shoal.model import (
    Lease,
    Lesson,
    Link,
    LinkCount,
    LinkParcel,
    Offer,
    Page,
    PageParcel,
    Parcel,
    Priority,
    Response,
    Ruling,
)
from shoal.ports import Courier, Guesser, LinkCounter, Partition
from shoal.url import Url

REMEMBERED: Final = 65_536
"""Urls whose owners are remembered, so that no Link is sent again for nothing ..."""
RAISED_BY: Final = 1e-9
"""... unless it recommends its target by more than this."""
COUNTS_A_BATCH: Final = 256
"""Urls of one owner that are counted anew before it is told, where no commit comes first."""
LESSONS_A_PARCEL: Final = 64
"""What was learnt longer ago, and not told, is told no more."""
FETCHED: Final = Ruling(True, "fetched", "its page was handed over")


@dataclass
class Share:
    """Sorts what is ours from what is not, and sends what is not.

    1. Whatever does not stay is sent to its owner, in the same batch.
    2. A Link is sent once while it is remembered, and again only when it counts for more.
    3. What a Guesser learns here is told to whoever something is sent to, with it.
    4. With a ``counter``, how often a Url was linked to travels as well: with a Page, of all that
       it links to; of Urls that others own, with their first Link and then in batches, before the
       next commit at the latest. Such a Link is not sent again: what it counts for is told.
    """

    name: str
    """Of the Crawler whose share this is."""
    partition: Partition
    courier: Courier
    carries_pages: bool
    """Whether a Page goes to its owner, or only its Url, which the owner fetches again."""
    is_over: Callable[[], bool]
    """Asked by a Crawler that has nothing left: whether the whole Team has."""
    version: int = 1
    """Of the Team's roster, which the partition was made of."""
    gained: Mapping[str, int] = field(default_factory=dict)
    """With which version something became each Crawler's own last; 1 where it is not named."""
    founders: Sequence[str] = ()
    """Who was in the Team when it began, in order; empty: whoever is in it."""
    inherit: Callable[[Sequence[Url], str], None] = lambda _urls, _by: None
    """Takes the claims over that another Crawler has to some Urls."""
    before_waiting: Callable[[float], None] = lambda _now_s: None
    """Called before the Crawler waits for anything."""
    patience_s: float = 0.25
    """How long a Crawler that can do nothing waits for others before it looks round again."""
    counter: LinkCounter | None = None
    """Counts Links, where their numbers travel."""
    _recount: dict[str, dict[str, Url]] = field(default_factory=dict)
    """Of each owner, the Urls whose number has grown since it was told."""
    _lessons: deque[Lesson] = field(default_factory=lambda: deque(maxlen=LESSONS_A_PARCEL))
    """What guesses turned out to be, the latest last."""
    _learnt: int = 0
    """How many there were so far."""
    _taught: dict[str, int] = field(default_factory=dict)
    """How many of them each receiver was told, or has missed."""
    _placed: dict[str, _Placed] = field(default_factory=dict)
    _placed_before: dict[str, _Placed] = field(default_factory=dict)

    def seeds(self, offers: Sequence[Offer]) -> list[Offer]:
        """Those of the seeds that this Crawler begins with. Each has its turn with one of those who
        founded the Team, as if that one had met it: all agree on whose it is, and go on agreeing
        when others have come."""
        founders = self.founders or self.partition.crawlers
        ours: list[Offer] = []
        for turn, met_by in enumerate(founders):
            its = offers[turn :: len(founders)]
            owners = self.partition.owners_of_links([offer.link for offer in its], met_by)
            ours += [
                offer
                for offer, owner in zip(its, owners, strict=True)
                if (owner or met_by) == self.name
            ]
        return ours

    def keep(self, offers: Sequence[Offer]) -> list[Offer]:
        """The Offers that are ours, or refused. The others go to their owners."""
        self._place([offer.link for offer in offers if offer.ruling.admitted])
        ours: list[Offer] = []
        theirs: dict[str, list[Offer]] = defaultdict(list)
        for offer in offers:
            placed = self._placed.get(offer.link.target.text) if offer.ruling.admitted else None
            if placed is None or placed.owner == self.name:
                ours.append(offer)
            elif self.counter is not None and placed.told > -math.inf:
                self._count(placed.owner, offer.link.target)
            elif offer.priority.value > placed.told + RAISED_BY:
                placed.told = offer.priority.value
                theirs[placed.owner].append(offer)
        for owner, sent in theirs.items():
            counts = self._counts([offer.link.target for offer in sent])
            self.courier.send(owner, self._links(sent, counts, self._lessons_for(owner)))
        return ours

    def flush(self) -> None:
        """Send what has been counted; called before each commit."""
        for owner, urls in self._recount.items():
            self.courier.send(owner, self._links((), self._counts(list(urls.values()))))
        self._recount.clear()

    def heard(self, parcel: Parcel) -> None:
        """Take in what another Crawler has counted, and learnt."""
        if self.counter is not None and parcel.counts:
            by = parcel.fetched_by if isinstance(parcel, PageParcel) else parcel.sent_by
            self.counter.told(by, parcel.counts)
        if isinstance(self.partition, Guesser):
            self.partition.hear(parcel.lessons)
            if isinstance(parcel, PageParcel):
                self.partition.learn(parcel.offer.link, self.name)

    def owner_of(self, page: Page, lease: Lease) -> str | None:
        """Who owns a Page that was fetched here; None when it stays."""
        owner = self.partition.owner_of_page(page, self.name)
        if isinstance(self.partition, Guesser):
            self.partition.learn(link_of(lease), owner)
            self._lessons.append(Lesson(lease.url.key, owner))
            self._learnt += 1
        return None if owner == self.name else owner

    def hand_over(self, owner: str, lease: Lease, response: Response, page: Page) -> None:
        """Send what was fetched to its owner, with what is known of its Url."""
        priority = Priority(lease.priority, lease.parts)
        source = lease.source_relevance, lease.source_beliefs
        link = link_of(lease)
        offer = Offer(link, FETCHED, priority, lease.depth, lease.redirects, *source)
        if self.carries_pages:
            counts = self._counts([link.target for link in page.links])
            lessons = self._lessons_for(owner)
            self.courier.send(
                owner, PageParcel(offer, response, self.name, self.version, counts, lessons)
            )
        else:
            self.courier.send(owner, LinkParcel((offer,), self.version))

    # ------------------------------------------------------------------ a Team that has changed

    @property
    def is_leaving(self) -> bool:
        """It owns nothing any more: what waits and what comes goes on to others."""
        return self.name not in self.partition.crawlers

    def owners_anew(self, links: Sequence[Link], since: int) -> list[str | None]:
        """Whose the targets are that wait, or came, here by that version of the roster; None for
        those that stay. What became nobody's since then stays: another guess moves nothing."""
        owners = self.partition.owners_of_links(links, self.name)
        return [
            owner
            if owner not in (None, self.name)
            and (self.is_leaving or self.gained.get(owner or "", 1) > since)
            else None
            for owner in owners
        ]

    def hand_on(self, owner: str, offers: Sequence[Offer]) -> None:
        """Send Urls that waited here, and have been let go, to their new owner."""
        self.courier.send(owner, LinkParcel(tuple(offers), self.version, self.name))

    def new_owners(self, parcel: LinkParcel) -> list[str | None]:
        """Whose its Links are, where an older roster placed them here; None for those that stay.
        What this roster placed stays, so that nothing goes to and fro."""
        if parcel.placed_by >= self.version:
            return [None] * len(parcel.offers)
        return self.owners_anew([offer.link for offer in parcel.offers], parcel.placed_by)

    def sort_links(self, parcel: LinkParcel) -> list[Offer]:
        """Those of a Parcel that are ours; the others go on to their owners."""
        ours: list[Offer] = []
        theirs: dict[str, list[Offer]] = defaultdict(list)
        for offer, owner in zip(parcel.offers, self.new_owners(parcel), strict=True):
            (ours if owner is None else theirs[owner]).append(offer)
        for owner, sent in theirs.items():
            keys = {offer.link.target.key for offer in sent}
            counts = tuple(count for count in parcel.counts if count.url in keys)
            self.courier.send(
                owner, replace(parcel, offers=tuple(sent), placed_by=self.version, counts=counts)
            )
        return ours

    def forwards(self, parcel: PageParcel, page: Page) -> bool:
        """Sends a Page that an older roster placed here on to its owner, where that is another
        now."""
        if parcel.placed_by >= self.version:
            return False
        owner = self.partition.owner_of_page(page, parcel.fetched_by)
        if owner == self.name:
            return False
        self.courier.send(owner, replace(parcel, placed_by=self.version))
        return True

    def _count(self, owner: str, url: Url) -> None:
        urls = self._recount.setdefault(owner, {})
        urls[url.text] = url
        if len(urls) >= COUNTS_A_BATCH:
            del self._recount[owner]
            self.courier.send(owner, self._links((), self._counts(list(urls.values()))))

    def _links(
        self,
        offers: Sequence[Offer],
        counts: tuple[LinkCount, ...],
        lessons: tuple[Lesson, ...] = (),
    ) -> LinkParcel:
        return LinkParcel(tuple(offers), self.version, None, counts, self.name, lessons)

    def _lessons_for(self, receiver: str) -> tuple[Lesson, ...]:
        """The latest that it was not told, each once."""
        untold = min(self._learnt - self._taught.get(receiver, 0), LESSONS_A_PARCEL)
        self._taught[receiver] = self._learnt
        return tuple(self._lessons)[-untold:] if untold else ()

    def _counts(self, urls: Sequence[Url]) -> tuple[LinkCount, ...]:
        """What there is to tell of them."""
        if self.counter is None:
            return ()
        return tuple(
            LinkCount(url.key, pages)
            for url, pages in zip(urls, self.counter.counted(urls), strict=True)
            if pages
        )

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
        unplaced = list(new.values())
        owners: Sequence[str | None]
        if isinstance(self.partition, Guesser):
            owners = self.partition.guess(unplaced, links, self.name)
        else:
            owners = self.partition.owners_of_links(unplaced, self.name)
        for text, owner in zip(new, owners, strict=True):
            placed[text] = _Placed(owner or self.name)


class _Placed:
    """Whose a Url is, and how urgent its owner was told it is."""

    __slots__ = ("owner", "told")

    def __init__(self, owner: str) -> None:
        self.owner = owner
        self.told = -math.inf


def link_of(lease: Lease) -> Link:
    """The Link that a Url was come by through."""
    return Link(lease.source, lease.url, lease.kind, lease.anchor, lease.context)
