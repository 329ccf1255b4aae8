"""Places anew what waits with a Crawler, when the Team has changed since it came to wait there.

1. What has another owner now goes to it, and is settled here as elsewhere, in one batch: at every
   moment it waits with one of the two, or is on its way.
2. How far that has come is durable with the Frontier's next commit: after a crash it goes on from
   there, and a Url that was sent on is not sent again.
3. It goes by slices, and rests while the outbox is full: memory does not grow with what waits.
4. Only what became somebody's since then moves. Where a Partition guesses, another guess about a
   Url that is nobody's news moves nothing.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Final

from shoal.crawl.share import Share, link_of
from shoal.model import Lease, Link, LinkParcel, Offer, Outcome, Priority, Ruling, Visit, Waiting
from shoal.ports import Frontier

PLACED: Final = "roster"
"""The fact that says by which version of the roster all that waits was placed."""
PROGRESS: Final = "resorted"
SLICE: Final = 1_000
"""Known Urls that are looked at in one step."""
MOVED: Final = Ruling(True, "moved", "another crawler owns it since the team changed")


class Resort:
    """What is left to be placed anew."""

    def __init__(
        self, frontier: Frontier, share: Share, settle: Callable[[Lease, Visit], None]
    ) -> None:
        self._frontier = frontier
        self._share = share
        self._settle = settle
        self._since = share.version
        self._after: int | None = None

    def begin(self, resumed: bool) -> None:
        """Find out how far it has come. A Crawler that has only just begun has nothing to place."""
        placed = self._frontier.fact(PLACED)
        self._since = int(placed) if placed is not None else 1
        if not resumed or self._since == self._share.version:
            self._done()
            return
        version, after = json.loads(self._frontier.fact(PROGRESS) or "[0, 0]")
        self._after = after if version == self._share.version else 0

    @property
    def is_done(self) -> bool:
        return self._after is None

    def step(self, now_s: float) -> bool:
        """Place one slice. True when there was one."""
        if self._after is None or self._share.courier.is_full():
            return False
        urls, after = self._frontier.waiting(self._after, SLICE, later=True)
        owners = self._share.owners_anew([_link_of(waiting) for waiting in urls], self._since)
        leaving: list[tuple[Lease, str]] = []
        for waiting, owner in zip(urls, owners, strict=True):
            lease = None if owner is None else self._frontier.take(_offer_of(waiting))
            if lease is not None and owner is not None:
                leaving.append((lease, owner))
        self._leave(leaving, now_s)
        self._after = after
        if after is None:
            self._done()
        else:
            self._frontier.set_fact(PROGRESS, json.dumps([self._share.version, after]))
        return True

    def take_over(self, parcel: LinkParcel, moved_from: str, now_s: float) -> None:
        """Urls that waited with another Crawler wait here now, also those that were settled here as
        elsewhere; or with whoever owns them, where that is not us any more. What was settled here
        is done with."""
        # First of all: whoever had them has let go, and nobody may ask for them but us.
        self._share.inherit([offer.link.target for offer in parcel.offers], moved_from)
        leaving: list[tuple[Lease, str]] = []
        for offer, owner in zip(parcel.offers, self._share.new_owners(parcel), strict=True):
            lease = self._frontier.take(offer)
            if lease is not None and owner is not None:
                leaving.append((lease, owner))
            elif lease is not None:
                self._frontier.release(lease)
        self._leave(leaving, now_s)

    def _leave(self, leaving: Sequence[tuple[Lease, str]], now_s: float) -> None:
        """Let go of Urls, and send each to its owner."""
        going: dict[str, list[Offer]] = defaultdict(list)
        for lease, owner in leaving:
            self._settle(lease, Visit(now_s, Outcome.ELSEWHERE, detail=owner))
            source = lease.source_relevance, lease.source_beliefs
            priority = Priority(lease.priority, lease.parts)
            offer = Offer(link_of(lease), MOVED, priority, lease.depth, lease.redirects, *source)
            going[owner].append(offer)
        for owner, offers in going.items():
            self._share.hand_on(owner, offers)

    def _done(self) -> None:
        self._after = None
        self._frontier.set_fact(PLACED, str(self._share.version))


def _link_of(waiting: Waiting) -> Link:
    return Link(None, waiting.url, waiting.kind, waiting.anchor, waiting.context)


def _offer_of(waiting: Waiting) -> Offer:
    """One that changes nothing of what is known."""
    return Offer(_link_of(waiting), MOVED, waiting.priority, waiting.depth)
