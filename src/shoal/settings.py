"""Every setting, its default, its unit and its meaning, on one page.

A room takes the section that is its own; ``config.py`` reads and checks them; the reference in
``docs/reference/settings.md`` is made from here. The string below a field is its documentation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

PARSED_TYPES = ("text/html", "application/xhtml+xml", "text/plain")


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlSettings:
    """What is wanted, from where, and when to stop."""

    topic: tuple[str, ...] = ()
    """Words that name the topic, as you would type them into a search box."""
    topic_file: str | None = None
    """A topic file (TOML) that says what is wanted. Where the topic is given in several ways, a
    page must satisfy each."""
    like: tuple[str, ...] = ()
    """Example pages that are wanted: files, folders, WARC files, or addresses in the frozen web."""
    unlike: tuple[str, ...] = ()
    """Example pages that are not wanted."""
    model: str | None = None
    """A model file; what is wanted is one of its categories."""
    category: str | None = None
    """The category of `crawl.model` that is wanted."""
    ontology: str | None = None
    """A file with an ontology (XTM, LTM, SKOS, OWL); what is wanted speaks of its concepts."""
    focus: tuple[str, ...] = ()
    """The concepts of `crawl.ontology` that are in focus, by id or label; all of them count the
    same where nothing is said."""
    languages: tuple[str, ...] = ()
    """Only pages in these languages (ISO 639) are relevant, or in one that cannot be told."""
    topic_digest: str | None = None
    """Of all that the topic was made of; written by Shoal when a crawl begins, so that a crawl does
    not go on with another topic unnoticed."""
    seeds: tuple[str, ...] = ()
    """Addresses to start from."""
    strategy: str = "best-first"
    """Which Link is fetched next: a name that `shoal strategies` lists."""
    random_seed: int = 0
    """Where the chance in a strategy begins: the same seed, the same choices."""
    web: str | None = None
    """A frozen web (WARC file or folder) to crawl instead of the live one."""
    pages: int | None = None
    """Stop after this many pages."""
    time_s: float | None = None
    """Stop after this many seconds on the crawl's clock."""
    bytes: int | None = None
    """Stop after this many bytes received."""
    sitemaps: bool = True
    """Offer what the sitemaps named in robots.txt list; such Links come after all others."""
    relevant_at: float = 0.5
    """From which relevance a page counts as relevant."""
    parallel: int = 64
    """How many requests may be under way at once."""
    batch_pages: int = 100
    """Make progress durable after this many fetched Urls ..."""
    batch_s: float = 2.0
    """... or after this many seconds, whichever is sooner. What a crawler of a team has for others
    leaves then."""
    idle: str | None = None
    """A daily window of local time without fetching, such as ``08:00-18:00``."""
    state: str = ""
    """Where the state is kept: nothing for a file in the crawl's directory, or the address of a
    PostgreSQL database, ``postgresql://user@host/database``. A password comes from PGPASSWORD, a
    password file or a service file, never from here."""
    state_name: str = ""
    """The name that the crawl has on that server; Shoal gives one when a crawl begins without."""
    state_wait_s: float = 600.0
    """When that server is lost in mid-crawl, wait this long for it before giving up."""
    attempts: int = 3
    """How often a Url is tried when its server answers 5xx or 429."""
    retry_delay_s: float = 300.0
    """Wait this long before the second attempt; each further one waits four times longer."""

    @property
    def topic_kinds(self) -> tuple[str, ...]:
        """The settings that say what is wanted."""
        kinds = ("topic", "topic_file", "like", "model", "ontology", "languages")
        return tuple(name for name in kinds if getattr(self, name))

    @property
    def topic_name(self) -> str:
        """The topic in a few words, for people."""
        given = [*self.topic]
        if self.topic_file is not None:
            given.append(self.topic_file)
        if self.like:
            given.append("like " + " ".join(self.like[:2]))
        if self.category is not None:
            given.append(self.category)
        if self.ontology is not None:
            given.append(" ".join(self.focus) or self.ontology)
        given += [f"language {code}" for code in self.languages]
        return ", ".join(given)


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchSettings:
    """How a request is made and how much of an answer is taken."""

    contact: str | None = None
    """An address (mail or web) at which site owners reach you; sent in the user agent."""
    user_agent: str = "Shoal/{version} (+{contact})"
    """The User-Agent header; ``{version}`` and ``{contact}`` are filled in."""
    robots_agent: str = "Shoal"
    """The product token looked for in robots.txt."""
    connect_timeout_s: float = 10.0
    """Give up a connection attempt after this long."""
    read_timeout_s: float = 30.0
    """Give up when nothing arrives for this long."""
    total_timeout_s: float = 120.0
    """End a transfer after this long; what has arrived is kept, marked as cut."""
    body_limit_bytes: int = 10_000_000
    """Keep at most this much of a body, before and after decompression; the rest is cut."""
    header_limit_bytes: int = 262_144
    """Refuse a response whose headers are larger."""
    accept: tuple[str, ...] = (*PARSED_TYPES, "application/pdf")
    """Media types to keep; anything else is ended as soon as its headers are seen. ``*`` is all."""
    redirects: int = 10
    """Redirects followed in a row."""
    conditional: bool = True
    """Ask with ETag and Last-Modified where they are known."""
    http2: bool = True
    """Speak HTTP/2 where a server offers it (TLS only)."""
    proxy: str | None = None
    """A proxy for every request, such as ``http://127.0.0.1:3128``."""
    resolve: tuple[str, ...] = ()
    """``host:port=address:port`` overrides; ``*`` matches every host and port."""
    allow_private: bool = False
    """Allow private, loopback, link-local and metadata addresses."""
    bandwidth_bytes_s: int | None = None
    """Receive at most this many bytes a second, in the whole crawl."""
    dns_ttl_s: float = 86_400.0
    """Keep an address this long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PolitenessSettings:
    """When a host may be asked again."""

    robots: bool = True
    """Obey robots.txt, rel=nofollow, and nofollow and noarchive in meta robots and X-Robots-Tag."""
    robots_ttl_s: float = 86_400.0
    """Ask for robots.txt again after this long."""
    delay_s: float = 1.0
    """The least pause between two requests to one host. 0 is no pause, however slow the host is;
    a Crawl-delay, a Retry-After and parking count all the same."""
    delay_factor: float = 2.0
    """The pause is at least this many times the host's own response time."""
    delay_max_s: float = 60.0
    """The longest pause, whatever response time or Crawl-delay say."""
    retry_after_max_s: float = 86_400.0
    """Obey Retry-After up to this long."""
    per_host: int = 1
    """Requests under way to one host at once."""
    per_ip: int = 2
    """Requests under way to one address at once."""
    host_share: float = 0.002
    """A host with more than this share of the last hour's requests is set aside ..."""
    share_window_s: float = 3_600.0
    """... for this long. Applies once at least 1/host_share hosts were asked in the window, and
    to no host asked fewer than ten times in it."""
    park_after: int = 3
    """Failures in a row after which a host is parked."""
    park_s: float = 60.0
    """How long it is parked first; every further time is four times longer."""
    park_max_s: float = 86_400.0
    """The longest parking."""
    give_up_after: int = 5
    """Parkings in a row after which a host is given up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UrlSettings:
    """Which different spellings are one Url."""

    drop_fragment: bool = True
    """``#part`` is not part of a Url (``#!`` is kept)."""
    drop_session_ids: bool = True
    """Drop jsessionid, PHPSESSID, sid and their like."""
    drop_tracking: bool = True
    """Drop utm_*, gclid, fbclid and their like."""
    drop_index: bool = True
    """``/a/index.html`` is ``/a/``."""
    sort_query: bool = False
    """Order query parameters by name."""
    repair: bool = True
    """Mend backslashes, ``http:/``, stray quotes and white space."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeSettings:
    """Which Urls belong to the crawl."""

    include: tuple[str, ...] = ()
    """Patterns (``*`` is anything) of which a Url must match one; none means all."""
    exclude: tuple[str, ...] = ()
    """Patterns that a Url must not match."""
    hosts: tuple[str, ...] = ()
    """Only these hosts and the hosts below them; none means all."""
    depth: int | None = None
    """Links followed from a seed, at most."""
    page_relevance: float = 0.0
    """Links of a page of less relevance are not followed: 0 follows those of every page, 0.5 those
    of relevant pages only. A Url that stands on a page of enough relevance as well is let in."""
    url_length: int = 2_000
    """Characters in a Url, at most."""
    path_segments: int = 20
    """Segments in a path, at most."""
    repeated_segments: int = 3
    """How often one segment may stand in a path."""
    query_parameters: int = 12
    """Parameters in a query, at most."""
    query_variants: int = 1_000
    """Different queries of one path, at most."""
    calendar_years: int = 5
    """Refuse calendar-like Urls dated more than this many years from now."""
    host_urls: int | None = 100_000
    """Urls admitted of one host, at most."""
    skip_extensions: tuple[str, ...] = (
        "7z", "avi", "bin", "bmp", "bz2", "css", "deb", "dmg", "doc", "docx", "eot", "exe", "gif",
        "gz", "ico", "iso", "jar", "jpeg", "jpg", "js", "json", "m4a", "mkv", "mov", "mp3", "mp4",
        "mpeg", "mpg", "msi", "odt", "ogg", "otf", "png", "ppt", "pptx", "rar", "rpm", "svg",
        "swf", "tar", "tgz", "tif", "tiff", "ttf", "wav", "webm", "webp", "wmv", "woff", "woff2",
        "xls", "xlsx", "zip",
    )  # fmt: skip
    """File name endings that are not fetched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicateSettings:
    """Which pages say the same."""

    near: bool = True
    """Look for near duplicates by simhash, not only for exact ones."""
    distance: int = 3
    """Bits of 64 in which near duplicates may differ (0 to 3)."""
    min_words: int = 50
    """Pages with fewer words are not compared for nearness."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveSettings:
    """How what was fetched is kept."""

    enabled: bool = True
    """Write WARC files."""
    store: str | None = None
    """Where they are kept: an address that fsspec knows, such as ``s3://bucket/prefix``; without
    one, in the crawl's directory. Credentials are fsspec's own business and stand nowhere here."""
    segment_bytes: int = 16_000_000
    """In a store: begin a new WARC file after this many bytes, or with the next commit."""
    rotate_bytes: int = 1_000_000_000
    """In the crawl's directory: begin a new WARC file after this many bytes."""
    level: int = 1
    """Compression level, 1 (fast) to 9 (small)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamSettings:
    """How several crawlers share the work."""

    crawlers: int | None = None
    """How many crawlers: 1 is a crawl alone. If not set, `shoal crawl` decides when a crawl begins:
    2 on a machine with two cores, 1 for a frozen web and where at most 500 pages are asked for. A
    partition by topic has as many as it has topics."""
    partition: str = "site"
    """Who owns a Url or a page: url, host, site, country, hierarchy, content, combination, topic,
    topic-by-host or predicted-topic."""
    model: str | None = None
    """The trained model that tells the topics of a partition by topic."""
    topics: tuple[str, ...] = ()
    """Topic files, in place of a model: each page goes to the topic that it is most relevant to,
    from 0.5 up, and to WORLD where there is none. With a model, those of its categories that have
    a crawler; all of them where none is named."""
    textless: bool = True
    """A crawler of their own for pages without text, in a partition by topic."""
    carries: str = "pages"
    """What is sent of a page that another crawler owns: the page; only its Url (urls), which that
    one fetches again; or the page and how many pages were seen to link to its neighbours (counts),
    for a strategy that goes by such numbers."""
    claims: bool = True
    """Fetch each Url once: the first crawler to ask for it has it. If false, each crawler fetches
    what it meets."""
    engine: str = "processes"
    """What runs the crawlers: processes of this machine; inline (all in one process: one core, and
    easy to look into); or ray (a Ray cluster)."""
    cluster: str = "auto"
    """The Ray cluster: auto (the one that this machine belongs to), the address of one, or local
    (one of this machine alone, up for as long as the crawl)."""
    shared: bool = False
    """Every machine of the cluster reaches the crawl's directory under the same path, so that a
    crawler whose machine is lost may go on from another. If false, each crawler keeps its state on
    the disk of the machine that it began on, and waits for it."""
    balance: float | None = None
    """With the partition hierarchy: divide the web anew, while the crawl runs, whenever so many
    times the mean waits with one crawler, such as 1.5. None is never."""
    balance_every_s: float = 60.0
    """How often that is looked at."""
    outbox_bytes: int = 256_000_000
    """A crawler fetches nothing more while so much that it has sent waits for its receivers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchSettings:
    """What a running crawl shows."""

    log: str = "auto"
    """auto (a display on a terminal, lines elsewhere), display, lines, json, none."""
    line_every_s: float = 5.0
    """How often a line is printed."""
    metrics_port: int | None = None
    """Serve Prometheus metrics on this loopback port."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All of it."""

    crawl: CrawlSettings = field(default_factory=CrawlSettings)
    fetch: FetchSettings = field(default_factory=FetchSettings)
    politeness: PolitenessSettings = field(default_factory=PolitenessSettings)
    url: UrlSettings = field(default_factory=UrlSettings)
    scope: ScopeSettings = field(default_factory=ScopeSettings)
    duplicates: DuplicateSettings = field(default_factory=DuplicateSettings)
    archive: ArchiveSettings = field(default_factory=ArchiveSettings)
    team: TeamSettings = field(default_factory=TeamSettings)
    watch: WatchSettings = field(default_factory=WatchSettings)
    strategy: Mapping[str, Any] = field(default_factory=dict)
    """Options of the strategy that is chosen: which there are, the strategy says itself."""
