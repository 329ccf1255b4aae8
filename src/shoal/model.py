"""The words of Shoal as frozen values.

Every value here is made once and never changed: a stage receives values and returns values.
A number means one thing, its unit is in its name, and what is absent is ``None``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from shoal.url import Url


class Part(NamedTuple):
    """One named share of a score, kept so that the score can be explained."""

    name: str
    value: float


class Priority(NamedTuple):
    """How soon a Link should be fetched: higher is sooner. ``parts`` say why."""

    value: float
    parts: tuple[Part, ...] = ()


# --------------------------------------------------------------------------- links


class LinkKind(StrEnum):
    """What in the page made the Link."""

    SEED = "seed"
    ANCHOR = "anchor"
    AREA = "area"
    FRAME = "frame"
    REDIRECT = "redirect"
    REFRESH = "refresh"
    CANONICAL = "canonical"
    ALTERNATE = "alternate"
    EMBED = "embed"
    SITEMAP = "sitemap"
    """To a sitemap."""
    LISTED = "listed"
    """Named in a sitemap: no anchor, no words around it."""
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Link:
    """An edge: where it stands, where it points, and the words that recommend it."""

    source: Url | None
    target: Url
    kind: LinkKind = LinkKind.ANCHOR
    anchor: str = ""
    context: str = ""
    rel: tuple[str, ...] = ()
    position: float = 0.0
    """Where on the page the Link stands: 0 is the first Link, 1 the last."""

    @property
    def nofollow(self) -> bool:
        return "nofollow" in self.rel


# --------------------------------------------------------------------------- responses


@dataclass(frozen=True, slots=True)
class Request:
    """What the Crawler asks a Web for. ``etag`` and ``last_modified`` make it conditional."""

    url: Url
    etag: str | None = None
    last_modified: str | None = None
    accept: tuple[str, ...] | None = None
    """Media types wanted (``text/html``, ``text/*``); None means whatever the settings say."""
    body_limit_bytes: int | None = None
    """A tighter body limit than the settings' own, as for robots.txt."""


class Cut(StrEnum):
    """Why a body is shorter than the server meant it to be."""

    LENGTH = "length"
    TIME = "time"
    DISCONNECT = "disconnect"


@dataclass(frozen=True, slots=True)
class Response:
    """Bytes and headers as the server sent them.

    ``head`` is the status line and the headers, byte for byte. ``payload`` is the body with
    only the transfer coding undone (so it may be gzip); ``body`` has the content coding undone
    too, never longer than the body limit.
    """

    url: Url
    status: int
    head: bytes
    headers: tuple[tuple[str, str], ...]
    """Names in lower case, in the order received, repeated names repeated."""
    payload: bytes
    body: bytes
    started_s: float
    elapsed_s: float
    request_head: bytes = b""
    ip: str | None = None
    http_version: str = "1.1"
    cut: Cut | None = None

    def header(self, name: str) -> str | None:
        """The first value of a header, by its lower-case name."""
        for key, value in self.headers:
            if key == name:
                return value
        return None

    def header_values(self, name: str) -> tuple[str, ...]:
        return tuple(value for key, value in self.headers if key == name)


class FailureKind(StrEnum):
    """Why there is no Response. One kind, one remedy."""

    DNS = "dns"
    CONNECT = "connect"
    TLS = "tls"
    TIMEOUT = "timeout"
    DISCONNECT = "disconnect"
    PROTOCOL = "protocol"
    FORBIDDEN_ADDRESS = "forbidden_address"
    UNWANTED_TYPE = "unwanted_type"
    HEADERS_TOO_LARGE = "headers_too_large"
    NOT_IN_WEB = "not_in_web"
    CANCELLED = "cancelled"


HOST_FAILURES = frozenset(
    {
        FailureKind.DNS,
        FailureKind.CONNECT,
        FailureKind.TLS,
        FailureKind.TIMEOUT,
        FailureKind.DISCONNECT,
    }
)
"""Failures that speak of the host rather than of the one Url."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A request that brought no Response."""

    url: Url
    kind: FailureKind
    message: str
    started_s: float
    elapsed_s: float
    ip: str | None = None
    status: int | None = None
    """The status line's code, where one arrived before the failure."""


Fetched = Response | Failure


# --------------------------------------------------------------------------- pages


@dataclass(frozen=True, slots=True)
class Language:
    code: str
    """ISO 639 code, or ``und`` where nothing can be said."""
    confidence: float


UNKNOWN_LANGUAGE = Language("und", 0.0)


@dataclass(frozen=True, slots=True)
class PageRules:
    """What the page itself asks of robots (meta robots and X-Robots-Tag together)."""

    index: bool = True
    follow: bool = True
    archive: bool = True


@dataclass(frozen=True, slots=True)
class Page:
    """A parsed Response."""

    url: Url
    media_type: str
    charset: str | None = None
    title: str = ""
    description: str = ""
    headings: tuple[str, ...] = ()
    text: str = ""
    """The visible words without menus, as far as that can be told cheaply."""
    terms: Mapping[str, int] = field(default_factory=dict)
    """How often each lower-case word stands in title, description and text."""
    links: tuple[Link, ...] = ()
    language: Language = UNKNOWN_LANGUAGE
    rules: PageRules = PageRules()
    digest: str = ""
    """``sha1:`` and the base-32 digest of the payload, as WARC files write it."""
    simhash: int | None = None
    """64-bit fingerprint of the text; None where there is too little text to compare."""
    soft_404: bool = False


class Judgement(NamedTuple):
    """How relevant a Page is to a Topic, in [0, 1], and why.

    ``relevance`` is calibrated: 0.5 is the border between relevant and not.
    ``similarity`` is the raw cosine to the Topic's vector, in [0, 1], which strategies use.
    """

    relevance: float
    similarity: float
    reasons: tuple[Part, ...] = ()
    beliefs: tuple[Part, ...] = ()
    """The probability of each category that the Topic tells apart, and the relevance to each part
    that it is combined of, the largest first. None for a Topic of one part."""


# --------------------------------------------------------------------------- rulings


class Ruling(NamedTuple):
    """Whether a rule lets a Url in, and which rule it was."""

    admitted: bool
    rule: str
    detail: str = ""
    passing: bool = False
    """A refusal that another hour may lift, such as that of a robots.txt out of reach."""


# --------------------------------------------------------------------------- the frontier


@dataclass(frozen=True, slots=True)
class Offer:
    """A Link with what was decided about it, on its way into the Frontier."""

    link: Link
    ruling: Ruling
    priority: Priority = Priority(0.0)
    depth: int = 0
    """Links followed from the nearest seed."""
    redirects: int = 0
    """Redirects followed in a row to come here."""
    source_relevance: float | None = None
    """How relevant the page was judged that the Link stands on; None for a seed."""
    source_beliefs: tuple[Part, ...] = ()
    """What that page was believed to be, as far as it is kept with the Link: the likeliest."""


class OfferCount(NamedTuple):
    """What became of a batch of Offers."""

    new: int = 0
    raised: int = 0
    known: int = 0
    refused: int = 0


@dataclass(frozen=True, slots=True)
class Lease:
    """A Url that this Crawler alone may fetch until it settles or releases it."""

    id: int
    url: Url
    priority: float
    depth: int
    redirects: int
    attempts: int
    """How often it has been tried before."""
    kind: LinkKind = LinkKind.ANCHOR
    etag: str | None = None
    last_modified: str | None = None
    anchor: str = ""
    context: str = ""
    parts: tuple[Part, ...] = ()
    """What its priority is made of, as the Strategy said when the Url was offered: the evidence
    that travelled with the Link, for the Strategy to go on from."""
    source: Url | None = None
    """The page that the Link stands on; None for a seed."""
    source_relevance: float | None = None
    """How relevant the page was judged that the Link stands on; None for a seed."""
    source_beliefs: tuple[Part, ...] = ()
    """What that page was believed to be, as far as it is kept with the Link: the likeliest."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A Url that waits, with the evidence that it waits by."""

    id: int
    url: Url
    priority: Priority
    depth: int
    kind: LinkKind = LinkKind.ANCHOR
    anchor: str = ""
    context: str = ""
    source_relevance: float | None = None
    """How relevant the page was judged that the Link stands on; None for a seed."""
    source_beliefs: tuple[Part, ...] = ()
    """What that page was believed to be, as far as it is kept with the Link: the likeliest."""


class WaitingSlice(NamedTuple):
    """Those of a stretch of known Urls that wait."""

    urls: tuple[Waiting, ...]
    after: int | None
    """The id after which the next stretch begins; None when this one was the last."""


class Outcome(StrEnum):
    """What became of a fetched Url. One of these, once."""

    PAGE = "page"
    DUPLICATE = "duplicate"
    NEAR_DUPLICATE = "near_duplicate"
    REDIRECT = "redirect"
    NOT_MODIFIED = "not_modified"
    DOCUMENT = "document"
    """Archived, not parsed: PDF, images and whatever else the settings accept."""
    SOFT_404 = "soft_404"
    HTTP_ERROR = "http_error"
    FAILED = "failed"
    ROBOTS = "robots"
    """robots.txt forbids it."""
    HANDED_OVER = "handed_over"
    """Fetched, and handed to the Crawler that owns it: it is settled there."""
    ELSEWHERE = "elsewhere"
    """Another Crawler of the Team has it: not asked for."""
    RETRY = "retry"
    """Not an end: it waits for another attempt."""


@dataclass(frozen=True, slots=True)
class Position:
    """Where a record stands in the Archive."""

    file: str
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class Visit:
    """One attempt at a Url, and everything that came of it."""

    at_s: float
    outcome: Outcome
    status: int | None = None
    failure: FailureKind | None = None
    detail: str = ""
    """The rule, message or other Url that explains the outcome."""
    size_bytes: int = 0
    elapsed_s: float = 0.0
    media_type: str | None = None
    language: str | None = None
    title: str = ""
    judgement: Judgement | None = None
    digest: str | None = None
    simhash: int | None = None
    position: Position | None = None
    etag: str | None = None
    last_modified: str | None = None
    retry_at_s: float | None = None
    """With RETRY only: not before this time."""
    fetched_by: str | None = None
    """The Crawler that handed it over; None for what was fetched here."""


class Twin(NamedTuple):
    """An earlier Page that says the same."""

    url: str
    exact: bool


@dataclass(frozen=True, slots=True)
class ArchiveMark:
    """How far each archive file is known to be on disk: everything beyond is a torn tail."""

    sizes: tuple[tuple[str, int], ...] = ()


class Standing(NamedTuple):
    """The Frontier in numbers, at one moment."""

    known: int
    waiting: int
    leased: int
    later: int
    settled: int
    refused: int
    hosts_waiting: int


class UrlState(StrEnum):
    """Where a known Url stands."""

    WAITING = "waiting"
    LATER = "later"
    """Tried, and waiting for another attempt."""
    SETTLED = "settled"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Known:
    """All that the Frontier remembers of one Url, for those who ask why."""

    id: int
    url: str
    state: UrlState
    ruling: Ruling
    priority: Priority
    depth: int
    redirects: int
    source: str | None
    """The Url of the page whose Link gave it its priority; None for a seed."""
    kind: LinkKind
    anchor: str
    context: str
    visits: tuple[Visit, ...]
    """Every attempt, the first one first."""
    source_relevance: float | None = None
    """How relevant the page was judged that the Link stands on; None for a seed."""
    source_beliefs: tuple[Part, ...] = ()
    """What that page was believed to be, as far as it is kept with the Link: the likeliest."""
    crawler: str | None = None
    """The Crawler of a Team whose account this is; None where one Crawler is all there is."""


@dataclass(frozen=True, slots=True)
class HostRecord:
    """What the Frontier remembers of one host."""

    host: str
    known: int
    waiting: int
    settled: int
    rest_until_s: float | None
    rest_why: str
    given_up: str | None
    """Why the host was given up; None while it was not."""


# --------------------------------------------------------------------------- the team


class LinkCount(NamedTuple):
    """How many of the pages that one Crawler keeps were seen to link to a Url."""

    url: int
    """The Url's key."""
    pages: int


class Lesson(NamedTuple):
    """What a Url turned out to be: whose its Page is."""

    url: int
    """The Url's key."""
    owner: str


@dataclass(frozen=True, slots=True)
class PageParcel:
    """A fetched Url on its way to the Crawler that owns its Page: it is not fetched again.

    ``offer`` is what the sender knew of the Url: its Link, its Priority, its depth. ``counts`` is
    what it has counted of the Urls that the Page links to, where the Team shares such counts.
    """

    offer: Offer
    response: Response
    fetched_by: str
    placed_by: int = 1
    """The version of the Team's roster by which it was found whose it is."""
    counts: tuple[LinkCount, ...] = ()
    lessons: tuple[Lesson, ...] = ()
    """What the sender has learnt since it last sent the receiver something."""


@dataclass(frozen=True, slots=True)
class LinkParcel:
    """Links on their way to the Crawler that owns what they point to, with what recommends them,
    and what ``sent_by`` has counted of the owner's Urls, where the Team shares such counts."""

    offers: tuple[Offer, ...]
    placed_by: int = 1
    """The version of the Team's roster by which it was found whose they are."""
    moved_from: str | None = None
    """Of Urls that waited with a Crawler until the Team changed: that Crawler, which has let go of
    them and of its claims to them. They wait with the receiver now, whatever it knew of them."""
    counts: tuple[LinkCount, ...] = ()
    sent_by: str = ""
    lessons: tuple[Lesson, ...] = ()
    """As those of a PageParcel."""


Parcel = PageParcel | LinkParcel


# --------------------------------------------------------------------------- politeness


class Lookedup(NamedTuple):
    """What is known of a host's name: its addresses, or why there are none."""

    addresses: tuple[str, ...]
    until_s: float
    problem: str = ""


class Slot(NamedTuple):
    """Leave to send one request to a host now. It must be given back with ``release``."""

    host: str
    granted_s: float


class Wait(NamedTuple):
    """No slot before ``until_s``, and why."""

    until_s: float
    why: str
    parked: bool = False
    """More than a pause: the host failed, asked for it, or had more than its share."""


class Taken(NamedTuple):
    """Another Crawler of the Team has this Url, or is about to fetch it."""

    by: str


class Farewell(NamedTuple):
    """A host that has failed too often: nothing of it will be asked again in this crawl."""

    why: str


# --------------------------------------------------------------------------- robots


class RobotsUnknown(NamedTuple):
    """Nothing is known of this origin's robots.txt: fetch ``url`` and tell Robots."""

    url: Url
