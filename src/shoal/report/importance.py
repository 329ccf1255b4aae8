"""Which Urls links make important: PageRank, authorities and hubs of a crawl.

Computed from the Ledger alone, apart from the crawl. What the scores mean is told in
``shoal.rank``; here they are shown so that they can be read: a PageRank of 1 is the mean of all
Urls, and the first authority and the first hub have 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from shoal.ports import Ledger
from shoal.rank.flow import Scores
from shoal.rank.growing import Growing
from shoal.rank.hits import hits
from shoal.rank.numbered import NumberedGraph
from shoal.rank.numbers import UNKNOWN, Digests, Nodes, digests
from shoal.rank.pagerank import pagerank
from shoal.url import Url

_AT_ONCE = 10_000
"""Urls that are held at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkOptions:
    """How far a link analysis goes."""

    iterations: int = 50
    """Sweeps over all links, of each of the two analyses, at most."""
    top: int = 20
    """How many Urls each list has."""
    relevant_from: float = 0.5
    """Links of pages less relevant than this do not count; with 0 those of all pages do."""
    links_max: int = 20_000_000
    """Links that are looked at, those of the pages fetched first: 8 bytes of memory each."""


@dataclass(frozen=True, slots=True)
class RankedUrl:
    url: str
    score: float
    title: str
    """Of the page, where it was fetched."""
    relevance: float | None
    """As it was judged; null where it was not."""


@dataclass(frozen=True, slots=True)
class LinkAnalysis:
    """What the links between the known Urls say of them."""

    relevant_from: float
    """How relevant a page is at least whose links were looked at; 0 is every page."""
    pages: int
    """Pages whose links were looked at."""
    links: int
    """Links, each once a page, and none of a page to itself."""
    urls: int
    """Known Urls, fetched or not: the nodes of the graph."""
    whole: bool
    """Whether all links were looked at."""
    important: tuple[RankedUrl, ...]
    """Highest PageRank; 1 is the mean."""
    authorities: tuple[RankedUrl, ...]
    """What good hubs link to; the first one has 1."""
    hubs: tuple[RankedUrl, ...]
    """What links to good authorities; the first one has 1."""


def analyse_links(ledger: Ledger, options: LinkOptions) -> LinkAnalysis:
    """Read the links once, the Urls twice, and the relevant pages. Memory: 12 bytes a link at
    most, and some 60 a Url."""
    nodes, keys = _nodes(ledger)
    graph = NumberedGraph(len(keys))
    heard = _relevant(ledger, keys, options.relevant_from)
    whole = _read(ledger, nodes, heard, graph, options.links_max)
    lists = [np.empty(0)] * 3
    if graph.links:
        ranks = pagerank(graph, sweeps_max=options.iterations)
        both = hits(graph, steps_max=options.iterations)
        lists = [
            ranks * graph.nodes,
            both.authorities / both.authorities.max(),
            both.hubs / both.hubs.max(),
        ]
    best = [_best(scores, options.top) for scores in lists]
    told = _tell(ledger, nodes, sorted({node for top in best for node in top}))
    important, authorities, hubs = (
        tuple(
            RankedUrl(url.text, float(scores[node]), title, relevance)
            for node in top
            for url, title, relevance in [told[node]]
        )
        for scores, top in zip(lists, best, strict=True)
    )
    return LinkAnalysis(
        options.relevant_from,
        graph.pages,
        graph.links,
        graph.nodes,
        whole,
        important,
        authorities,
        hubs,
    )


def _nodes(ledger: Ledger) -> tuple[Nodes, Digests]:
    """The node of each number, and the digest of each node, in order: several numbers of one Url
    are one node."""
    numbers, keys = Growing(np.int64), Growing(np.uint64)
    known = ledger.urls()
    while chunk := list(islice(known, _AT_ONCE)):
        numbers.append(np.fromiter((number for number, _ in chunk), np.int64, len(chunk)))
        keys.append(digests(url.text for _, url in chunk))
    nodes = np.full(int(numbers.values.max(initial=0)) + 1, UNKNOWN, np.int64)
    distinct, places = np.unique(keys.values, return_inverse=True)
    nodes[numbers.values] = places
    return nodes, distinct


def _relevant(ledger: Ledger, keys: Digests, relevant_from: float) -> NDArray[np.bool_]:
    """Which nodes are pages whose links count."""
    heard = np.full(len(keys), relevant_from <= 0.0)
    found = ledger.best(relevant_from, None) if relevant_from > 0.0 else iter(())
    while chunk := list(islice(found, _AT_ONCE)):
        told = digests(known.url for known, _ in chunk)
        told = told[np.isin(told, keys)]
        heard[np.searchsorted(keys, told)] = True
    return heard


def _read(
    ledger: Ledger,
    nodes: Nodes,
    heard: NDArray[np.bool_],
    graph: NumberedGraph,
    links_max: int,
) -> bool:
    """False where links were left out. What was committed since ``nodes`` was read is not seen."""
    for source, targets in ledger.links():
        if source < len(nodes) and heard[nodes[source]]:
            if graph.links >= links_max:
                return False
            graph.add(int(nodes[source]), nodes[targets[targets < len(nodes)]])
    return True


def _best(scores: Scores, top: int) -> list[int]:
    order = np.argsort(-scores, kind="stable")[:top]
    return [int(node) for node in order if scores[node] > 0.0]


def _tell(
    ledger: Ledger, nodes: Nodes, wanted: list[int]
) -> dict[int, tuple[Url, str, float | None]]:
    """Of each wanted node its Url, and the title and relevance of its page."""
    places = np.flatnonzero(np.isin(nodes, wanted))
    node_of = {int(number): int(nodes[number]) for number in places}
    urls: dict[int, Url] = {}
    if wanted:
        for number, url in ledger.urls():
            if number in node_of:
                urls[node_of[number]] = url
                if len(urls) == len(wanted):
                    break
    return {node: (url, *_page(ledger, url)) for node, url in urls.items()}


def _page(ledger: Ledger, url: Url) -> tuple[str, float | None]:
    known = ledger.find(url)
    for visit in reversed(known.visits if known is not None else ()):
        if visit.judgement is not None:
            return visit.title, visit.judgement.relevance
    return "", None
