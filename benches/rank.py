"""Link analysis at size: time and memory of a graph of millions of links.

python benches/rank.py [--links 10000000]

Pages of fifty links are told one after another, as a crawl tells them. Targets are drawn with a
long tail, as on the Web: a few nodes have most of the links. No analysis ends early: links drawn
by lot mix faster than those of the Web, so the greatest number of sweeps is measured.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from shoal.rank.graph import LinkGraph
from shoal.rank.hits import hits
from shoal.rank.pagerank import GrowingPageRank, pagerank

PAGE_LINKS = 50


def timed(name: str, work: Callable[[], Any]) -> Any:
    before_s = time.process_time()
    result = work()
    spent_s = time.process_time() - before_s
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{name:52} {spent_s:7.2f} s   peak {peak_mb:6.0f} MB", flush=True)
    return result


def grow(graph: LinkGraph, links: int, ranks: GrowingPageRank | None, budget: int) -> list[float]:
    """Tell pages until there are so many links. Gives the CPU seconds of each page."""
    chance = np.random.default_rng(1)
    spent = []
    page = 0
    while graph.links < links:
        targets = (chance.pareto(0.6, PAGE_LINKS) * 50_000).astype(np.uint64) % np.uint64(1 << 40)
        # A page that is read is usually known already; an odd factor spreads them as digests are.
        keys = np.concatenate((np.array([page], np.uint64), targets)) * np.uint64(
            0x9E3779B97F4A7C15
        )
        before_s = time.process_time()
        told = graph.add(keys)
        if ranks is not None:
            ranks.add(told)
            ranks.work(budget)
        spent.append(time.process_time() - before_s)
        page += 1
    return spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--links", type=int, default=10_000_000)
    links = parser.parse_args().links
    graph = LinkGraph()
    timed(f"{links:,} links told", lambda: grow(graph, links, None, 0))
    print(f"{graph.nodes:,} nodes, {int((graph.out_degrees > 0).sum()):,} of them pages")
    timed("pagerank(), a hundred sweeps", lambda: pagerank(graph, tolerance=0.0))
    timed("hits(), fifty steps", lambda: hits(graph, tolerance=-1.0))
    growing = LinkGraph()
    ranks = GrowingPageRank(growing, 0.85, sweeps=5, growth=0.1)
    spent = np.array(
        timed("told again, with a PageRank kept near", lambda: grow(growing, links, ranks, 20_000))
    )
    print(f"a page: mean {spent.mean() * 1e3:.3f} ms, most {spent.max() * 1e3:.0f} ms")
    exact = pagerank(growing)
    near = ranks.scores / ranks.scores.sum()
    print(f"share of all scores that is misplaced: {np.abs(near - exact).sum() / 2:.4f}")


if __name__ == "__main__":
    main()
