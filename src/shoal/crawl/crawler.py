"""The path of a Url, top to bottom.

    seed -> Frontier.lease -> Admission (robots, politeness) -> Web.fetch
         -> parse -> ours? else to its owner -> Topic.judge -> Archive.append
         -> per Link: scope -> Strategy.priority -> ours? else to its owner -> Frontier.offer
         -> Frontier.settle -> event

Work moves in batches. What happens between two commits becomes durable together: first the
Archive reaches the disk, then one transaction of the Frontier says so. A crash at any instruction
therefore leaves the last commit, an Archive whose torn tail is cut at the next start, and Urls
that wait to be fetched again.

A Crawler alone owns everything. One of a Team has a Share: what belongs to another leaves with the
Courier, and what others fetched for this one comes in by it, to go the rest of the same path.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from threading import Event as Flag

from shoal import events
from shoal.crawl import outcome
from shoal.crawl.admission import Admission, Errand, Held, PageErrand, RobotsErrand
from shoal.crawl.budget import Allowance
from shoal.crawl.idle import IdleWindow
from shoal.crawl.learning import Learning
from shoal.crawl.links import LinkJudge
from shoal.crawl.outcome import Patience
from shoal.crawl.resort import Resort
from shoal.crawl.share import FETCHED, Share
from shoal.crawl.stop import Stop, StopReason
from shoal.crawl.tally import Tally
from shoal.model import (
    Failure,
    FailureKind,
    Farewell,
    Fetched,
    Judgement,
    Lease,
    LinkKind,
    LinkParcel,
    Offer,
    Outcome,
    Page,
    PageParcel,
    Parcel,
    Response,
    Ruling,
    Taken,
    Visit,
    Wait,
)
from shoal.ports import Archive, Clock, Frontier, Parser, Topic, Web
from shoal.url import Url

POLL_S = 0.25
"""The longest look away: what a person presses is noticed within this time."""
ANNOUNCED_WAIT_S = 2.0
"""A wait longer than this is worth an event."""
LAST_STEP_S = 0.001
"""How far a wait goes at least, where the time asked for is all but over."""


@dataclass(frozen=True, slots=True)
class Rhythm:
    """How much is under way, and how often it is made durable."""

    parallel: int = 64
    batch_pages: int = 100
    batch_s: float | None = 2.0
    """None on a virtual Clock, where seconds cost nothing and only pages count."""
    relevant_at: float = 0.5
    sitemaps: bool = True
    obey_noarchive: bool = True
    """Keep no copy of a page that asks for none to be kept."""


@dataclass
class Crawler:
    """One worker: owns its Frontier and Archive, and runs until there is a reason to stop."""

    topic_name: str
    seeds: Sequence[Url]
    frontier: Frontier
    web: Web
    admission: Admission
    parser: Parser
    topic: Topic
    archive: Archive
    links: LinkJudge
    learning: Learning
    clock: Clock
    budget: Allowance
    patience: Patience
    rhythm: Rhythm
    idle: IdleWindow | None
    tell: Callable[[events.Event], None]
    halt: Flag
    """Set from outside to end the crawl soon, durable and resumable."""
    share: Share | None = None
    """What is ours of the web; None where all of it is."""

    _tally: Tally = field(default_factory=Tally)
    _under_way: dict[str, list[Errand]] = field(default_factory=dict)
    _uncommitted: int = 0
    _committed_s: float = 0.0
    _tallied_s: float = 0.0
    _announced: Wait | None = None
    _resort: Resort | None = None

    # ------------------------------------------------------------------ from start to stop

    def run(self) -> Stop:
        self.begin()
        while (stop := self.reason_to_stop()) is None:
            self.step()
        self.end(stop)
        return stop

    def step(self) -> None:
        """Once round the path; waits only when there is nothing to do."""
        moved = self._receive()
        moved = self._place_anew() or moved
        moved = self._start_requests() or moved
        for fetched in self._collect(moved):
            self._arrive(fetched)
        if self._batch_is_due():
            self._commit()

    def begin(self) -> None:
        now_s = self.clock.now_s()
        resumed = self.frontier.fact("started_s") is not None
        self._tally = Tally.load(self.frontier.fact("tally"))
        self._tallied_s = now_s
        if not resumed:
            self.frontier.set_fact("started_s", repr(now_s))
            self.frontier.set_fact("topic", self.topic_name)
        self.frontier.set_fact("stop_reason", "")
        self.frontier.set_fact("stop_detail", "")
        self.learning.recall()
        seeds = self.links.seeds(self.seeds)
        self.frontier.offer(None, self.share.seeds(seeds) if self.share else seeds)
        if self.share is not None:
            self._resort = Resort(self.frontier, self.share, self._leave)
            self._resort.begin(resumed)
        self.tell(events.Started(now_s, resumed, self.topic_name, self.frontier.standing()))
        self._commit()

    def reason_to_stop(self) -> Stop | None:
        if self.halt.is_set():
            return Stop(StopReason.INTERRUPTED, "asked to stop; the same command goes on")
        self._tally_time()
        spent = self.budget.spent(self._tally)
        if spent is not None:
            return spent
        if self.is_idle() and (self.share is None or self.share.is_over()):
            return Stop(StopReason.FINISHED, "every known Url is settled or refused")
        return None

    def is_idle(self) -> bool:
        """Nothing is under way, and nothing waits; in a Team something may still come."""
        return (
            not self._under_way
            and not self._is_resorting()
            and self.admission.next_hop_s() is None
            and self.frontier.next_ready(self.clock.now_s()) is None
        )

    def sleep(self) -> None:
        """Nothing is under way, and this will not be called until something is sent here: what was
        kept of a common budget for what was under way is for others."""
        self._room()

    def end(self, stop: Stop) -> None:
        self.web.close()
        self.frontier.set_fact("stop_reason", stop.reason.value)
        self.frontier.set_fact("stop_detail", stop.detail)
        self._commit()
        now_s = self.clock.now_s()
        self.tell(events.Stopped(now_s, stop.reason.value, stop.detail, self.frontier.standing()))

    # ------------------------------------------------------------------ Frontier -> Web

    def _start_requests(self) -> bool:
        """Lease what may be fetched and start it. True when anything came of it."""
        now_s = self.clock.now_s()
        if self._idle_until_s(now_s) is not None:
            return False
        moved = self._follow_robots_hops(now_s)
        leases = self.frontier.lease(now_s, self._room())
        self.admission.foresee(leases, now_s)
        for lease in leases:
            moved = True
            self._admit(lease, now_s)
        return moved

    def _room(self) -> int:
        if self.share is not None and (
            self.share.is_leaving or self._is_resorting() or self.share.courier.is_full()
        ):
            return 0
        return self.budget.room(self._tally, self.web.in_flight, self.rhythm.parallel)

    def _admit(self, lease: Lease, now_s: float) -> None:
        answer = self.admission.ask(lease, now_s)
        if isinstance(answer, PageErrand | RobotsErrand):
            self._start(answer)
        elif isinstance(answer, Ruling):
            refused = outcome.of_refusal(answer, lease.attempts, self.patience, now_s)
            self._settle(lease, refused, [])
        elif isinstance(answer, Wait):
            self.frontier.release(lease)
            self._rest(lease.url.host_key, answer, now_s)
        elif isinstance(answer, Farewell):
            self.frontier.release(lease)
            self._give_up(lease.url.host_key, answer, now_s)
        elif isinstance(answer, Taken):
            self._settle(lease, Visit(now_s, Outcome.ELSEWHERE, detail=answer.by), [])
        elif not isinstance(answer, Held):
            raise TypeError(f"Admission answered {answer!r}")

    def _follow_robots_hops(self, now_s: float) -> bool:
        errands, freed = self.admission.hops(now_s)
        for errand in errands:
            self._start(errand)
        for lease in freed:
            self.frontier.release(lease)
        return bool(errands or freed)

    def _start(self, errand: Errand) -> None:
        self._under_way.setdefault(errand.request.url.text, []).append(errand)
        self.web.start(errand.request)

    # ------------------------------------------------------------------ Web -> Frontier

    def _arrive(self, fetched: Fetched) -> None:
        now_s = self.clock.now_s()
        errands = self._under_way[fetched.url.text]
        errand = errands.pop(0)
        if not errands:
            del self._under_way[fetched.url.text]
        rest = self.admission.politeness.release(errand.slot, fetched, now_s)
        if isinstance(errand, PageErrand):
            self._follow(errand.lease, fetched, now_s)
        else:
            self._learn_robots(errand, fetched, now_s)
        host = errand.request.url.host_key
        if isinstance(rest, Farewell):
            self._give_up(host, rest, now_s)
        elif rest.until_s > now_s:
            self._rest(host, rest, now_s)

    def _learn_robots(self, errand: RobotsErrand, fetched: Fetched, now_s: float) -> None:
        if isinstance(fetched, Response):
            self.archive.append(fetched)
            self._tally.bytes += len(fetched.payload)
        freed = self.admission.learn(errand.origin, fetched, now_s)
        if freed and self.rhythm.sitemaps and self.admission.robots is not None:
            named = self.admission.robots.sitemaps(errand.origin)
            self._offer(None, self.links.named_sitemaps(named, freed[0]))
        for lease in freed:
            self.frontier.release(lease)

    def _follow(self, lease: Lease, fetched: Fetched, now_s: float) -> None:
        """One Url from its answer to its settlement."""
        if isinstance(fetched, Failure):
            if fetched.kind is FailureKind.CANCELLED:
                self.frontier.release(lease)
                return
            visit = outcome.of_failure(fetched, lease.attempts, self.patience, now_s)
            self._settle(lease, visit, [])
            return
        decided = outcome.of_status(fetched, lease.attempts, self.patience, now_s)
        if decided is not None:
            position = self.archive.append(fetched)
            offers: list[Offer] = []
            if decided.outcome is Outcome.REDIRECT:
                offers = self.links.of_redirect(fetched, decided, lease)
            self._settle(lease, replace(decided, position=position), offers)
            return
        page = self.parser.parse(fetched)
        if page.links and page.links[0].kind in (LinkKind.SITEMAP, LinkKind.LISTED):
            visit = self._visit(fetched, page, None, now_s)
            visit = replace(visit, outcome=Outcome.DOCUMENT, detail="sitemap")
            self._settle(lease, visit, self.links.of_sitemap(page, lease))
            return
        owner = self.share.owner_of(page, lease) if self.share else None
        if self.share is not None and owner is not None:
            self.share.hand_over(owner, lease, fetched, page)
            self._settle(lease, outcome.of_handing_over(fetched, page, owner, now_s), [])
            return
        self._keep(lease, fetched, page, now_s)

    def _keep(
        self, lease: Lease, response: Response, page: Page, now_s: float, by: str | None = None
    ) -> None:
        """A Page that is ours, fetched here or ``by`` another Crawler."""
        self.learning.meet(page)
        judgement = self.topic.judge(page)
        visit = replace(self._visit(response, page, judgement, now_s), fetched_by=by)
        followed = visit.outcome is Outcome.PAGE
        self._settle(lease, visit, self.links.of_page(page, judgement, lease) if followed else [])
        self.learning.rescore()

    def _visit(
        self, response: Response, page: Page, judgement: Judgement | None, now_s: float
    ) -> Visit:
        """What the Page turned out to be. A Page that an earlier one already said is a duplicate:
        it is archived and counted, and its Links are not followed."""
        result, detail = Outcome.PAGE, outcome.cut_note(response.cut)
        is_kept = page.rules.archive or not self.rhythm.obey_noarchive
        if not is_kept:
            detail = outcome.NOT_KEPT
        twin = self.frontier.twin(page.digest, page.simhash)
        if twin is not None:
            result = Outcome.DUPLICATE if twin.exact else Outcome.NEAR_DUPLICATE
            detail = twin.url
        elif page.soft_404:
            result = Outcome.SOFT_404
        elif not page.text and not page.links:
            result = Outcome.DOCUMENT
        return Visit(
            at_s=now_s,
            outcome=result,
            status=response.status,
            detail=detail,
            size_bytes=len(response.payload),
            elapsed_s=response.elapsed_s,
            media_type=page.media_type,
            language=page.language.code,
            title=page.title,
            judgement=judgement,
            digest=page.digest,
            simhash=page.simhash,
            position=self.archive.append(response, judgement) if is_kept else None,
            etag=response.header("etag"),
            last_modified=response.header("last-modified"),
        )

    def _settle(self, lease: Lease, visit: Visit, offers: Sequence[Offer]) -> None:
        new = self._offer(lease.id, offers) if offers else 0
        self.frontier.settle(lease, visit)
        self._tally.count(visit, self.rhythm.relevant_at)
        self._uncommitted += 1
        judgement = visit.judgement
        self.tell(
            events.Settled(
                visit.at_s,
                lease.url.text,
                lease.url.host_key,
                visit.outcome,
                visit.status,
                visit.failure,
                visit.size_bytes,
                visit.elapsed_s,
                judgement.relevance if judgement else None,
                visit.language,
                new,
            )
        )

    def _offer(self, source: int | None, offers: Sequence[Offer]) -> int:
        """Make known what is ours, and send the rest on. Returns how many Urls are new here."""
        ours = self.share.keep(offers) if self.share else offers
        return self.frontier.offer(source, ours).new

    # ------------------------------------------------------------------ from other Crawlers

    def _receive(self) -> bool:
        """Take what other Crawlers have sent. True when anything came."""
        if self.share is None:
            return False
        parcels = self.share.courier.receive(self.rhythm.parallel)
        for parcel in parcels:
            self._unpack(self.share, parcel)
        self._uncommitted += len(parcels)
        return bool(parcels)

    def _unpack(self, share: Share, parcel: Parcel) -> None:
        share.heard(parcel)
        if not isinstance(parcel, PageParcel):
            self._unpack_links(parcel)
            return
        page = self.parser.parse(parcel.response)
        if self.share is not None and self.share.forwards(parcel, page):
            return
        # What we fetched for another comes back where it is ours since.
        back = self.share is not None and parcel.fetched_by == self.share.name
        lease = self.frontier.take(parcel.offer, back=back)
        if lease is not None:
            self._keep(lease, parcel.response, page, self.clock.now_s(), parcel.fetched_by)

    def _unpack_links(self, parcel: LinkParcel) -> None:
        if self._resort is not None and parcel.moved_from is not None:
            self._resort.take_over(parcel, parcel.moved_from, self.clock.now_s())
            return
        offers = self.share.sort_links(parcel) if self.share else parcel.offers
        self.frontier.offer(None, self.links.sent_here(offers))
        for offer in offers:
            if parcel.placed_by > 1 and offer.ruling.rule == FETCHED.rule:
                # We may have fetched it for another: it is to be fetched again, as ours.
                lease = self.frontier.take(offer, back=True)
                if lease is not None:
                    self.frontier.release(lease)

    # ------------------------------------------------------------------ when the Team has changed

    def _is_resorting(self) -> bool:
        return self._resort is not None and not self._resort.is_done

    def _place_anew(self) -> bool:
        """Look at some of what waits, and send on what is another's now."""
        if self._resort is None or not self._resort.step(self.clock.now_s()):
            return False
        self._uncommitted += 1
        return True

    def _leave(self, lease: Lease, visit: Visit) -> None:
        self._settle(lease, visit, [])

    # ------------------------------------------------------------------ hosts that rest

    def _rest(self, host: str, wait: Wait, now_s: float) -> None:
        self.frontier.rest(host, wait.until_s, wait.why)
        if wait.parked:
            self.tell(events.HostParked(now_s, host, wait.until_s, wait.why))

    def _give_up(self, host: str, farewell: Farewell, now_s: float) -> None:
        urls = self.frontier.give_up(host, farewell.why)
        self.tell(events.HostGivenUp(now_s, host, farewell.why, urls))

    # ------------------------------------------------------------------ waits and batches

    def _collect(self, moved: bool) -> Sequence[Fetched]:
        """What has arrived; waits for it when there is nothing else to do."""
        if moved:
            return self.web.poll(0.0)
        if self.share is not None:
            self.share.before_waiting(self.clock.now_s())
        now_s = self.clock.now_s()
        wait = self._next_chance(now_s)
        if self._under_way:
            patience_s = POLL_S if wait is None else min(POLL_S, max(0.0, wait.until_s - now_s))
            return self.web.poll(patience_s)
        if wait is not None:
            self._wait(wait, now_s)
        elif self.share is not None:
            self._wait_for_others(self.share, self.share.patience_s)
        return ()

    def _wait_for_others(self, share: Share, patience_s: float) -> None:
        """Let the others see what we have, and look what they send."""
        self._commit_the_rest()
        share.courier.wait(patience_s)

    def _next_chance(self, now_s: float) -> Wait | None:
        """When a request could start next, and what it waits for; None when there is no telling."""
        if not self._room():
            return None
        idle_until_s = self._idle_until_s(now_s)
        if idle_until_s is not None:
            return Wait(idle_until_s, "the daily idle window (crawl.idle)")
        wait = self.frontier.next_ready(now_s)
        hop_s = self.admission.next_hop_s()
        if hop_s is not None and (wait is None or hop_s < wait.until_s):
            return Wait(hop_s, "a redirected robots.txt")
        return wait

    def _idle_until_s(self, now_s: float) -> float | None:
        return self.idle.until(now_s) if self.idle is not None else None

    def _wait(self, wait: Wait, now_s: float) -> None:
        """Nothing is under way: make everything durable, say what is awaited, and wait."""
        if wait.until_s - now_s > ANNOUNCED_WAIT_S:
            batch_s = self.rhythm.batch_s
            if batch_s is not None and wait.until_s >= self._committed_s + batch_s:
                self._commit_the_rest()
            if wait != self._announced:
                self._announced = wait
                self.tell(events.Waiting(now_s, wait.until_s, wait.why))
        # A step that no clock is too coarse for, or the last of the time would never pass.
        left_s = max(self.budget.left_s(self._tally), LAST_STEP_S)
        until_s = min(wait.until_s, now_s + left_s)
        if self.share is not None and self.rhythm.batch_s is not None:
            # What is for others leaves with the next batch: to commit whenever there is a pause
            # would be a commit for every few Urls.
            self.share.courier.wait(min(POLL_S, max(0.0, until_s - now_s)))
        else:
            self.clock.wait_until(until_s)

    def _tally_time(self) -> None:
        now_s = self.clock.now_s()
        self._tally.active_s += now_s - self._tallied_s
        self._tallied_s = now_s

    def _batch_is_due(self) -> bool:
        if self._uncommitted >= self.rhythm.batch_pages:
            return True
        batch_s = self.rhythm.batch_s
        return (
            batch_s is not None
            and self._uncommitted > 0
            and self.clock.now_s() - self._committed_s >= batch_s
        )

    def _commit_the_rest(self) -> None:
        if self._uncommitted:
            self._commit()

    def _commit(self) -> None:
        """The unit of durability: the Archive first, then one transaction that vouches for it."""
        self._tally_time()
        now_s = self.clock.now_s()
        if self.share is not None:
            self.share.flush()
        self.learning.keep()
        self.frontier.set_fact("tally", self._tally.dump())
        self.frontier.commit(self.archive.sync(), now_s)
        if self.share is not None:
            self.share.courier.committed()
        self._uncommitted = 0
        self._committed_s = now_s
        self.tell(
            events.Committed(now_s, self.frontier.standing(), self._tally.pages, self.web.in_flight)
        )
