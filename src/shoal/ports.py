"""One Protocol a stage, with its guarantees before its methods.

``crawl`` knows only what stands here. Every Protocol has a contract suite in ``shoal.testing``
that any implementation, ours or yours, must pass.

Times are seconds on the crawl's own Clock (since 1970 on a live Web). Nothing here reads the
machine's clock, and nothing here is safe to call from two threads unless it says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from shoal.events import Event
from shoal.model import (
    ArchiveMark,
    Farewell,
    Fetched,
    HostRecord,
    Judgement,
    Known,
    Lease,
    Lesson,
    Link,
    LinkCount,
    Offer,
    OfferCount,
    Outcome,
    Page,
    Parcel,
    Part,
    Position,
    Priority,
    Request,
    Response,
    RobotsUnknown,
    Ruling,
    Slot,
    Standing,
    Taken,
    Twin,
    Visit,
    Wait,
    Waiting,
    WaitingSlice,
)
from shoal.url import Url


class Clock(Protocol):
    """Time as the crawl sees it.

    1. ``now_s`` never goes backwards within one Clock.
    2. ``wait_until`` returns at the time asked for; sooner only when somebody woke it. A virtual
       Clock jumps there.
    """

    def now_s(self) -> float: ...

    def wait_until(self, time_s: float) -> None: ...


class Web(Protocol):
    """Where Responses come from: the live one, or a frozen one.

    1. Every started Request comes back from ``poll`` exactly once, as a Response or a Failure,
       unless ``close`` came first. No exception carries what a server did.
    2. ``start`` does not block. ``poll`` returns as soon as anything is there, and after
       ``timeout_s`` (of the crawl's Clock) at the latest.
    3. Redirects are not followed: a 3xx is a Response like any other.
    4. A Response is bounded: headers, payload and decoded body never exceed the limits given.
    5. An address that is not allowed is never sent a byte, however its name was come by.
    """

    @property
    def in_flight(self) -> int: ...

    def start(self, request: Request) -> None: ...

    def poll(self, timeout_s: float) -> Sequence[Fetched]: ...

    def close(self) -> None:
        """End every transfer. Idempotent."""


class Shelf(Protocol):
    """What a frozen Web holds: a Response for each Url, the same one every time.

    1. ``find`` matches as replay tools do, by SURT: scheme and ``www.`` do not matter. The Response
       carries the Url that was asked for; its ``elapsed_s`` is how long a server would have taken.
    2. What is not there is None; a frozen Web answers 404 for it.
    3. ``find`` may be called from several threads.
    """

    def find(self, url: Url) -> Response | None: ...

    def urls(self) -> Iterator[str]:
        """Every address on the Shelf, in a stable order."""

    def close(self) -> None: ...


class Robots(Protocol):
    """What a site's robots.txt allows, by RFC 9309.

    1. ``verdict`` answers RobotsUnknown until ``learn`` has been told enough; it never fetches.
    2. What cannot be had (5xx, no network) forbids everything; 4xx allows everything.
    3. What is learnt is kept ``politeness.robots_ttl_s`` long, through restarts.
    4. Each Ruling names the line that decided.
    """

    def verdict(self, url: Url, now_s: float) -> Ruling | RobotsUnknown: ...

    def learn(self, origin: str, fetched: Fetched, now_s: float) -> RobotsUnknown | None:
        """Take the answer to a RobotsUnknown of ``origin``. Returns the next hop of a redirect, or
        None when the origin is now known."""

    def crawl_delay_s(self, origin: str) -> float | None:
        """The Crawl-delay that ``origin`` asks of us, where it asks for one."""

    def sitemaps(self, origin: str) -> tuple[str, ...]:
        """The sitemap addresses that robots.txt names, as written there."""


@runtime_checkable
class Foreseeing(Protocol):
    """Politeness that answers sooner what it knew would be asked."""

    def foresee(self, urls: Sequence[Url], now_s: float) -> None:
        """Slots for these Urls will be asked for next, at that time, each once and in this order,
        but for those that robots.txt refuses, or where it is unknown."""


class Politeness(Protocol):
    """When a host may be asked again; never what is worth asking.

    1. Between two requests to one host at least its delay passes, from the end of the one to the
       start of the next; never more than ``per_host`` requests to it are under way, and never
       more than ``per_ip`` to one address.
    2. ``Retry-After``, Crawl-delay and parking are obeyed through restarts.
    3. Every granted Slot is released exactly once.
    4. Where a Team keeps to it together, at most one of its Crawlers is ever granted a Slot for a
       Url: the others are told who has it.
    """

    def reserve(
        self, url: Url, now_s: float, *, is_page: bool = True
    ) -> Slot | Wait | Farewell | Taken:
        """``is_page`` is false for what several Crawlers may ask for, such as robots.txt: that is
        never Taken."""

    def release(self, slot: Slot, fetched: Fetched | None, now_s: float) -> Wait | Farewell:
        """Give a Slot back, with what came of it (None: it was never used). Returns from when the
        host may be asked again."""

    def set_delay(self, host: str, delay_s: float) -> None:
        """A host's own wish, as from Crawl-delay."""


class Archive(Protocol):
    """Everything that was received, as WARC.

    1. A record whose Position was returned is readable once ``sync`` has returned.
    2. ``sync`` returns only when every byte before its ArchiveMark is on disk.
    3. ``recover(mark)`` leaves exactly the records before ``mark``: a torn tail is cut.
    4. File names never come from the web.
    """

    def append(self, response: Response, judgement: Judgement | None = None) -> Position | None:
        """Write the request, the Response and what was decided of it. An exact payload seen
        before is written as a revisit record. None where nothing is kept."""

    def sync(self) -> ArchiveMark: ...

    def recover(self, mark: ArchiveMark) -> None: ...

    def close(self) -> None: ...


class Parser(Protocol):
    """Makes a Page of a Response.

    1. Never raises for what a server sent, and stays within bounded memory and time.
    2. Every Link has a canonical target; what cannot be made canonical is left out.
    3. A Response that is not HTML or plain text gives a Page without text, terms and Links.
    """

    def parse(self, response: Response) -> Page: ...


class Topic(Protocol):
    """What is wanted, whatever it is given by.

    1. ``judge`` is deterministic: the same Page, the same Judgement, whatever was judged before.
       (What an Attentive one was told to meet is no judging.)
    2. ``relevance`` has one meaning for all Topics: 0.5 is the border between relevant and not.
    3. A Topic that wants something holds a Page without words to be irrelevant; only one that
       rules something out (a requirement) may not.
    4. ``reasons`` name what carried it and are few; ``beliefs`` lie in [0, 1], no name twice.
    """

    def judge(self, page: Page) -> Judgement: ...

    def similarity(self, words: str) -> float:
        """How alike a short text, such as an anchor, is to the Topic, in [0, 1]: the cosine, where
        the Topic is a vector."""


class Attentive(Protocol):
    """The side of a Topic that goes by what the crawl has met: what stands everywhere there tells
    little.

    1. ``meet`` is told each Page that is kept, before it is judged. Nothing else changes what
       ``judge`` says: between two Pages that are met, the same Page has the same Judgement.
    2. What it has met survives a crash as what a Learner has learnt does.
    """

    def meet(self, page: Page) -> None: ...

    def knowledge(self) -> Mapping[str, bytes]:
        """As a Learner's."""

    def recall(self, read: Callable[[str], bytes | None]) -> None:
        """As a Learner's."""


class Classifier(Protocol):
    """Tells which of its categories a Page belongs to, with probabilities.

    1. The categories are known when it is made, are at least two, and never change.
    2. A row is finite, within [0, 1], and sums to 1. It depends on the Page alone: not on what
       else is in the batch, nor on what was asked before.
    3. Every Page has a row. Of one without a word that the Classifier knows, nothing can be said:
       its row is the same as that of a Page without any words.
    4. Probabilities are calibrated: of the Pages whose likeliest category has probability p, about
       the share p belongs there.
    """

    @property
    def categories(self) -> tuple[str, ...]: ...

    def probabilities(self, pages: Sequence[Page]) -> NDArray[np.float64]:
        """One row a Page, one column a category, in their order. Batches are faster."""

    def reasons(self, page: Page, category: str, limit: int = 10) -> tuple[Part, ...]:
        """The terms of the Page that speak for the category, the strongest first; each with its
        share, above nought, in the Classifier's own scale. Raises KeyError for a category that is
        none of its own."""


class Strategy(Protocol):
    """Gives Links their priority from the evidence; higher is sooner.

    1. One Priority a Link, in the order of the Links.
    2. Equal priorities leave the Frontier in the order they entered it.
    3. ``value`` is finite.
    4. ``priorities`` is called once for each judged Page that is no duplicate, in the order of
       settling, also where no Link is left of it: a Strategy may learn from it.
    """

    def seed(self, url: Url) -> Priority: ...

    def priorities(
        self, page: Page, judgement: Judgement, links: Sequence[Link], lease: Lease
    ) -> Sequence[Priority]:
        """``links`` are those that the scope admits. ``lease`` is how the Page itself was come by:
        its depth, its anchor, and the parts of the Priority that it was given."""


@runtime_checkable
class Rescorer(Protocol):
    """The second side of a Strategy whose knowledge changes what waits already.

    1. ``rescore_due`` is asked after each settled Page, and costs next to nothing.
    2. When it says yes, ``rescore`` is given the foremost waiting Urls and, from one time to the
       next, every stretch of the others in turn: never all of a large Frontier at once.
    3. One Priority a Url, in their order, higher or lower than before; the same Priority again
       where nothing changes.
    """

    def rescore_due(self) -> bool: ...

    def rescore(self, waiting: Sequence[Waiting]) -> Sequence[Priority]:
        """``waiting`` has no Url twice; its parts are those that this Strategy gave last."""


@runtime_checkable
class Learner(Protocol):
    """The side of a Strategy that learns while it crawls: what it has learnt survives a crash.

    1. What it has learnt is a set of named pieces. ``knowledge`` gives those that changed since it
       was asked last; a piece replaces an earlier one of the same name.
    2. A fresh Strategy that was told all pieces by ``recall`` gives the same Priorities from then
       on as the one that had learnt them.
    3. A piece costs time in every batch in which it changes: knowledge that grows with the crawl
       is many pieces, not one.
    """

    def knowledge(self) -> Mapping[str, bytes]: ...

    def recall(self, read: Callable[[str], bytes | None]) -> None:
        """``read`` gives a piece by its name, or None. Called before anything else, also in a
        crawl that begins, where there is nothing to read."""


@runtime_checkable
class LinkCounter(Protocol):
    """The side of a Strategy that goes by how many pages link to a Url, and can be told what other
    Crawlers of its Team have counted.

    1. ``counted`` tells the pages that this Crawler keeps, and nothing of what others told: no page
       is counted twice in a Team.
    2. A count that is told replaces an earlier one of the same Crawler and Url, unless it is
       smaller: counts only grow, so what arrives twice, or late, changes nothing.
    3. From then on the Url's Priority is by all pages of the Team, as far as they were told; it is
       a Rescorer for what waits already. As a Learner it keeps what it was told.
    """

    def counted(self, urls: Sequence[Url]) -> Sequence[int]:
        """How many of the pages kept here link to each."""

    def told(self, by: str, counts: Sequence[LinkCount]) -> None: ...


class Scope(Protocol):
    """Which Urls belong to the crawl. The first rule with an opinion decides, and is named."""

    def admit(self, link: Link, depth: int, redirects: int, host_known: int) -> Ruling:
        """``host_known`` counts the Urls of the target's host that were admitted before."""


class Frontier(Protocol):
    """The durable set of known Urls.

    1. A Url is known once, however often it is offered, and is never forgotten.
    2. A Url is leased to nobody else until it is settled or released. Leases live in memory: a
       crash returns them all.
    3. A Url is settled once. RETRY is no settlement: the Url waits until ``retry_at_s``.
    4. ``lease`` gives the highest priority first among the hosts that may be asked, and never
       more than ``per_host`` Urls of one host at a time. Equal priorities: first known, first
       leased. With ``limit=1`` this order is exact.
    5. What happens between two ``commit`` is seen at once by this Frontier's own methods, and is
       durable all together or not at all.
    6. Memory grows with the hosts that have Urls waiting, not with the Urls known.
    """

    def offer(self, source: int | None, offers: Sequence[Offer]) -> OfferCount:
        """Make Urls known. ``source`` is the Lease id of the page they stand on. A refused Offer
        is remembered with its rule, so that ``why`` can tell; an admitted Offer of a refused Url
        lets it in after all. A waiting Url whose new priority is higher is raised, and its
        evidence replaced."""

    def lease(self, now_s: float, limit: int) -> list[Lease]: ...

    def take(self, offer: Offer, *, back: bool = False) -> Lease | None:
        """Make a Url known, and lease it whatever its host's rest or leases: for what was fetched
        elsewhere. None where it is leased or settled already: then there is nothing to do. What
        was settled as ELSEWHERE is not done with: it has come here; nor, where it has come
        ``back``, is what was settled as HANDED_OVER."""

    def release(self, lease: Lease) -> None:
        """Give a Lease back unsettled; the Url waits as before."""

    def settle(self, lease: Lease, visit: Visit) -> None: ...

    def rest(self, host: str, until_s: float, why: str) -> None:
        """Lease nothing of ``host`` (``Url.host_key``) before ``until_s``."""

    def give_up(self, host: str, why: str) -> int:
        """Refuse what waits of ``host``, now and later. Returns how many Urls that touched."""

    def foremost(self, limit: int) -> Sequence[Waiting]:
        """The waiting Urls of highest priority, whether or not their hosts may be asked now, the
        best first and the first known of equal ones. Which of equal ones are left out at the end
        is not said."""

    def waiting(self, after: int, limit: int, *, later: bool = False) -> WaitingSlice:
        """Look at the ``limit`` Urls known next after the id ``after`` (0 is before the first),
        and tell which of them wait; ``later``: also those that wait for another attempt, whose
        time has not come."""

    def reprioritise(self, changes: Sequence[tuple[int, Priority]]) -> int:
        """Give waiting Urls, by their ids, another priority, lower or higher; an Offer raises them
        from there. What does not wait is left as it is. Returns how many were changed."""

    def next_ready(self, now_s: float) -> Wait | None:
        """When the next Url can be leased, and what it waits for; None when none is waiting."""

    def host_known(self, host: str) -> int:
        """How many Urls of ``host`` were admitted."""

    def twin(self, digest: str, simhash: int | None) -> Twin | None:
        """An earlier settled Page with the same digest, or nearly the same fingerprint."""

    def standing(self) -> Standing: ...

    def fact(self, name: str) -> str | None: ...

    def set_fact(self, name: str, value: str) -> None:
        """Remember a fact of the whole crawl, durable with the next ``commit``."""

    def commit(self, mark: ArchiveMark, clock_s: float) -> None:
        """Make everything since the last commit durable, in one transaction."""

    def close(self) -> None:
        """Let go without committing. Idempotent."""


class Partition(Protocol):
    """The rule for who owns a Url or a Page.

    1. Total: every Page has an owner, and it is one of ``crawlers``.
    2. The same question, the same answer, on every machine and in every process; ``version`` is
       another one wherever an answer may be.
    3. Of a Url that nobody has fetched the owner may be unknown: it then belongs to whoever met it.
       It may also be guessed, and the guess may change with what was learnt: guarantee 2 is then of
       Pages alone, and a wrong guess costs a Parcel.
    """

    @property
    def crawlers(self) -> tuple[str, ...]:
        """Every Crawler of the Team, by its name."""

    @property
    def version(self) -> str: ...

    def owners_of_links(self, links: Sequence[Link], met_by: str) -> Sequence[str | None]:
        """Who fetches each target; None: whoever met it. ``met_by`` owns the page they stand on."""

    def owner_of_page(self, page: Page, fetched_by: str) -> str:
        """Who keeps the Page, judges it and follows its Links."""


@runtime_checkable
class Guesser(Protocol):
    """The side of a Partition that guesses whose a Url is, and learns how its guesses turn out."""

    def guess(self, links: Sequence[Link], among: Sequence[Link], met_by: str) -> Sequence[str]:
        """Who fetches each target. ``among`` are all the Links of the page that they stand on: what
        is known of some tells of the others."""

    def learn(self, link: Link, owner: str) -> None:
        """A Url that was come by through ``link`` has a Page that belongs to ``owner``."""

    def hear(self, lessons: Sequence[Lesson]) -> None:
        """What other Crawlers have learnt."""


class Courier(Protocol):
    """Carries Parcels between the Crawlers of a Team.

    1. What is sent becomes durable with the Frontier's next commit, and is lost with what that
       commit would have held.
    2. What is received is received again after a crash before the next commit, and never after
       one: in effect each Parcel arrives exactly once, in the order in which its sender sent it.
    3. What waits to be received is bounded: while ``is_full``, its Crawler fetches nothing.
    """

    def send(self, to: str, parcel: Parcel) -> None: ...

    def receive(self, limit: int) -> Sequence[Parcel]:
        """Up to ``limit`` Parcels, to be dealt with before the next commit."""

    def committed(self) -> None:
        """Told after each commit: what was sent may be fetched, what was received is done with."""

    def is_full(self) -> bool: ...

    def is_empty(self) -> bool:
        """Whether nothing that was sent waits for its receiver."""

    def wait(self, timeout_s: float) -> None:
        """Return when something may have arrived, and after ``timeout_s`` at the latest."""


class Outbox(Protocol):
    """What a Crawler sends, in its own state: durable with the Frontier's next commit."""

    def put(self, receiver: str, parcel: bytes) -> None: ...

    def outstanding_bytes(self) -> int:
        """What was put here and not taken out yet."""

    def receivers(self) -> Sequence[str]:
        """Those for whom something is here."""

    def trim(self, receiver: str, through: int) -> None:
        """Take out what that receiver has had: everything for it up to this number."""


class Peer(Protocol):
    """Another Crawler's state, as its team mates may read it: only what was committed."""

    def parcels(self, receiver: str, after: int, limit: int) -> Sequence[tuple[int, bytes]]:
        """What it has sent to ``receiver`` after that number, with its numbers, in their order. A
        number is never given twice. Empty while there is no such Crawler yet."""

    def taken_from(self, sender: str) -> int:
        """The number of the last Parcel of ``sender`` that it has taken in for good; 0 for none."""

    def close(self) -> None: ...


class Claims(Protocol):
    """Which Crawler has a Url.

    1. The first claim counts, until its holder hands it on.
    2. A claim is durable before anything is done on the strength of it.
    """

    def holder(self, url: Url) -> str | None: ...

    def hold(self, url: Url, name: str) -> None:
        """Only for a Url without a holder, or its own."""

    def hand_on(self, urls: Sequence[Url], by: str, to: str) -> None:
        """Those of the claims to some Urls that ``by`` has are ``to``'s from now on."""

    def close(self) -> None: ...


class Notes(Protocol):
    """Small durable facts of a stage (a host's robots.txt, its delay), in the Frontier's own
    transaction: what is written is seen at once and durable with the next ``commit``."""

    def read(self, kind: str, key: str) -> bytes | None: ...

    def write(self, kind: str, key: str, value: bytes) -> None: ...


class Ledger(Protocol):
    """Reads what a crawl has committed, while it runs or afterwards. Changes nothing.

    1. Every answer is of one committed moment; a running crawl is never slowed or locked out.
    2. Iterators hold one row at a time, however large the crawl.
    """

    def fact(self, name: str) -> str | None:
        """A fact of the whole crawl, such as ``stop_reason``, ``started_s`` or ``clock_s``."""

    def standing(self) -> Standing: ...

    def visits(self, outcomes: frozenset[Outcome] | None = None) -> Iterator[tuple[Known, Visit]]:
        """Visits in the order in which they were settled. The Known has no visits of its own."""

    def best(self, relevance: float, limit: int | None) -> Iterator[tuple[Known, Visit]]:
        """PAGE visits from ``relevance`` up, the most relevant first."""

    def find(self, url: Url) -> Known | None: ...

    def linked_from(self, known: Known, limit: int) -> Iterator[Known]:
        """The pages whose Links point to ``known``, the first fetched first."""

    def urls(self) -> Iterator[tuple[int, Url]]:
        """Every known Url with the number that ``links`` has for it. A Url may have several
        numbers, where several Crawlers know it; a number is of one Url, and is never changed."""

    def links(self) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """The number of each page that was fetched, in that order, and those of the Urls that its
        Links point to. A page that was fetched again comes again, a Url may be repeated."""

    def host(self, host: str) -> HostRecord | None: ...

    def hosts(self) -> Iterator[HostRecord]: ...

    def note(self, kind: str, key: str) -> bytes | None:
        """What a stage wrote to its Notes, such as a host's robots.txt."""

    def close(self) -> None: ...


class Watcher(Protocol):
    """Sees every event of a crawl, in order. A Watcher never changes what the crawl does."""

    def see(self, event: Event) -> None: ...

    def close(self) -> None: ...
