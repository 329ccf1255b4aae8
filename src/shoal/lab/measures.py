"""Every measure of a run, defined once.

A run is a row of fetched pages, n = 1 ... N. What is known of each page, by its place in the row:

    r_n    whether it is relevant: its labels say so (or its similarity, where that is said)
    s_n    its largest cosine to a page that the user judged relevant, in [0, 1]
    j_n    the relevance that the crawl's own Topic gave it, in [0, 1]; relevant to it from 0.5

The formulas stand in docs/explanation/lab.md, with where they come from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

SIMILAR_FROM = 0.75
"""The threshold of 001, section 4.2."""
OWN_FROM = 0.5
"""From which relevance on any Topic holds a page relevant."""


def harvest(relevant: Sequence[bool]) -> float:
    """Harvest by label (004, section 8.1: harvest rate, hr = r / p): relevant pages divided by
    pages fetched. 0 where nothing was fetched."""
    return sum(relevant) / len(relevant) if relevant else 0.0


def harvest_ratio(similarities: Sequence[float], similar_from: float = SIMILAR_FROM) -> float:
    """Harvest ratio (001, section 4.2 a): the share of fetched pages whose largest cosine to a page
    judged relevant by the user is greater than the threshold."""
    return harvest([similarity > similar_from for similarity in similarities])


def average_similarity(similarities: Sequence[float]) -> float:
    """Average similarity (001, section 4.2 b): the mean of the fetched pages' largest cosines."""
    return sum(similarities) / len(similarities) if similarities else 0.0


def own(judged: Sequence[float | None]) -> list[bool]:
    """Which pages the crawl's own Topic held relevant: 004 has no labels, and counts these as the
    relevant ones (section 8.1)."""
    return [value is not None and value >= OWN_FROM for value in judged]


def average_relevance(judged: Sequence[float]) -> float:
    """Average relevance (004, section 8.1): the mean of what the crawl's own Topic said."""
    return sum(judged) / len(judged) if judged else 0.0


def recent_harvest(relevant: Sequence[bool], window: int) -> float:
    """Harvest of the last ``window`` pages (004, section 8.3: average over 50 and over 500)."""
    return harvest(relevant[-window:])


def recall(relevant: Sequence[bool], targets: int) -> float:
    """Target recall: relevant pages fetched, divided by all there are on the web."""
    if targets < 1:
        raise ValueError("recall of no target")
    return sum(relevant) / targets


def area(relevant: Sequence[bool], pages: int) -> float:
    """Area under harvest: the mean over n = 1 ... ``pages`` of how many relevant pages were among
    the first n. As in the figures of 001, harvest is a number of pages here. A run that
    ended early keeps what it had."""
    found = total = 0
    for hit in relevant[:pages]:
        found += hit
        total += found
    total += found * max(0, pages - len(relevant))
    return total / pages


def oracle_ratio(relevant: Sequence[bool], oracle: Sequence[bool], pages: int) -> float | None:
    """The area under harvest divided by that of the oracle from the same seeds; None where the
    oracle itself finds nothing."""
    best = area(oracle, pages)
    return area(relevant, pages) / best if best > 0 else None


def robustness(first: Sequence[int], second: Sequence[int], pages: int) -> float | None:
    """Robustness of acquisition (004, section 8.1: crawl robustness): of the first ``pages`` pages
    of two crawls from different seeds, the share that both have. It is taken over as many pages
    as both have; None where one has none."""
    length = min(pages, len(first), len(second))
    if length == 0:
        return None
    return len(set(first[:length]) & set(second[:length])) / length


def relevant_robustness(
    first: Sequence[int],
    second: Sequence[int],
    first_own: Sequence[bool],
    second_own: Sequence[bool],
) -> float | None:
    """The same as 004 counts it in section 8.3: of the first relevant pages of two crawls, as the
    crawls themselves judge, the share that both have. As many of each as the poorer one has; None
    where it has none."""
    one = [page for page, hit in zip(first, first_own, strict=True) if hit]
    other = [page for page, hit in zip(second, second_own, strict=True) if hit]
    return robustness(one, other, max(len(one), len(other)))


def seed_distances(
    distances: Sequence[int | None], judged: Sequence[float], best: int = 100
) -> dict[int, int]:
    """Minimum distance from the crawl seed (004, section 8.1): of the ``best`` most relevant
    pages, how many stand at how many Links from the nearest seed."""
    order = sorted(range(len(judged)), key=lambda n: (-judged[n], n))[:best]
    counts = Counter(distances[n] for n in order)
    return {d: counts[d] for d in sorted(d for d in counts if d is not None)}


def relevance_fractions(judged: Sequence[float], bins: int = 10) -> list[float]:
    """Fraction of acquired pages against relevance (004, section 8.1): the share of pages whose
    relevance falls into each of ``bins`` equal steps from 0 to 1; 1 belongs to the last."""
    counts = [0] * bins
    for relevance in judged:
        counts[min(bins - 1, int(relevance * bins))] += 1
    return [count / len(judged) for count in counts] if judged else [0.0] * bins


def pages_per_relevant_site(sites: Sequence[int], relevant: Sequence[bool]) -> float | None:
    """Pages per relevant site (004, section 8.1): pages fetched divided by the sites of which a
    relevant page was found; None where there is none."""
    found = {site for site, hit in zip(sites, relevant, strict=True) if hit}
    return len(sites) / len(found) if found else None
