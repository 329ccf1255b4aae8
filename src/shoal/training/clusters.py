"""Clusters of pages: K-means with the relevant pages apart, and X-means, which chooses how many.

X-means (Pelleg and Moore, "X-means: extending K-means with efficient estimation of the number of
clusters", ICML 2000) begins with few clusters, tries to split each in two, and keeps a split where
the Bayesian information criterion of the two, over the pages of the one, is higher:

    BIC = l - p / 2 * log R,    p = (K - 1) + M * K + 1
    l   = sum over k of R_k * log(R_k / R)  -  R * M / 2 * log(2 pi s)  -  M * (R - K) / 2
    s   = sum of squared distances to the centre / (M * (R - K))

of R pages of M dimensions in K spherical clusters of one variance s. The paper prints s without M;
with it, l is the likelihood of that s.
"""

from __future__ import annotations

from math import inf, log, pi

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

Places = NDArray[np.intp]
_STARTS = 5
"""So many beginnings of K-means, of which the best is kept."""


def relevant_apart(rows: csr_matrix, relevant: NDArray[np.bool_], count: int, seed: int) -> Places:
    """The cluster of each row: the relevant ones are the last cluster, the others are in
    ``count - 1`` clusters by K-means, or fewer where there are not so many different rows."""
    found = np.empty(rows.shape[0], np.intp)
    others = _in_order(k_means(rows[~relevant], count - 1, seed))
    found[~relevant] = others
    found[relevant] = others.max(initial=-1) + 1
    return found


def k_means(rows: csr_matrix, count: int, seed: int) -> Places:
    """The cluster of each row, the same one every time."""
    different = _different(rows, count)
    if different < 2:
        return np.zeros(rows.shape[0], np.intp)
    # On one thread: several would add up the same numbers in an order that changes.
    with threadpool_limits(1):
        fitted = KMeans(different, n_init=_STARTS, random_state=seed).fit(rows)
    return np.asarray(fitted.labels_, np.intp)


def x_means(rows: csr_matrix, fewest: int, most: int, seed: int) -> Places:
    """The cluster of each row, at least ``fewest`` and at most ``most`` of them where there are as
    many different rows."""
    found = _in_order(k_means(rows, fewest, seed))
    while True:
        split = _split_once(rows, found, most, seed)
        if split.max(initial=0) == found.max(initial=0):
            return found
        found = split


def _split_once(rows: csr_matrix, clusters: Places, most: int, seed: int) -> Places:
    """Every cluster in two where that is better, as long as there may be more; then K-means over
    everything, from the centres that came of it."""
    found = clusters.copy()
    count = int(found.max(initial=0)) + 1
    for cluster in range(count):
        inside = np.flatnonzero(clusters == cluster)
        if int(found.max()) + 1 >= most:
            break
        halves = k_means(rows[inside], 2, seed)
        whole = np.zeros(len(inside), np.intp)
        if halves.any() and criterion(rows[inside], halves) > criterion(rows[inside], whole):
            found[inside[halves == 1]] = int(found.max()) + 1
    return _settled(rows, found)


def _settled(rows: csr_matrix, clusters: Places) -> Places:
    count = int(clusters.max(initial=0)) + 1
    if count < 2:
        return clusters
    centres = np.vstack([_mean(rows[clusters == cluster]) for cluster in range(count)])
    with threadpool_limits(1):
        fitted = KMeans(count, init=centres, n_init=1).fit(rows)
    return _in_order(np.asarray(fitted.labels_, np.intp))


def criterion(rows: csr_matrix, clusters: Places) -> float:
    """The BIC of these clusters; plus infinity where each row lies in its cluster's centre, minus
    infinity where there are not more rows than clusters."""
    size, dimensions = rows.shape
    names, counts = np.unique(clusters, return_counts=True)
    count = len(names)
    if size <= count:
        return -inf
    squares = sum(_squares(rows[clusters == name]) for name in names)
    variance = squares / (dimensions * (size - count))
    if variance <= np.finfo(np.float64).tiny:
        return inf
    likelihood = (
        sum(int(part) * log(part / size) for part in counts)
        - size * dimensions / 2 * log(2 * pi * variance)
        - dimensions * (size - count) / 2
    )
    parameters = (count - 1) + dimensions * count + 1
    return float(likelihood - parameters / 2 * log(size))


def _squares(rows: csr_matrix) -> float:
    """The squared distances of rows to their centre, together: by sum of x^2 - n * mean^2."""
    mean = _mean(rows)
    # Not by BLAS, whose sum of so many depends on the number of its threads.
    around: float = float(rows.multiply(rows).sum()) - rows.shape[0] * float(np.square(mean).sum())
    return max(0.0, around)


def _mean(rows: csr_matrix) -> NDArray[np.float64]:
    return np.asarray(rows.mean(axis=0), np.float64).ravel()


def _in_order(clusters: Places) -> Places:
    """Numbered without gaps, in the order in which their first pages stand."""
    names, firsts, where = np.unique(clusters, return_index=True, return_inverse=True)
    rank = np.empty(len(names), np.intp)
    rank[np.argsort(firsts)] = np.arange(len(names))
    return rank[where]


def _different(rows: csr_matrix, most: int) -> int:
    """How many different rows there are, up to ``most``: K-means cannot have more clusters."""
    seen: set[bytes] = set()
    for number in range(rows.shape[0]):
        row = rows[number]
        seen.add(row.indices.tobytes() + row.data.tobytes())
        if len(seen) >= most:
            break
    return len(seen)
