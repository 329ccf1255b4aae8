"""Hubs and authorities (Kleinberg, "Authoritative sources in a hyperlinked environment").

    authority(p) = sum of hub(q) over the pages q that link to p
    hub(p)       = sum of authority(q) over the pages q that p links to

each scaled to length 1 after every step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.rank.flow import Graph, Scores, pour


class HubsAndAuthorities(NamedTuple):
    """Two scores for each node; each is a vector of length 1, or of zeros without any link."""

    hubs: Scores
    authorities: Scores


def hits(graph: Graph, tolerance: float = 1e-6, steps_max: int = 50) -> HubsAndAuthorities:
    """Ends when no hub moves by more than ``tolerance`` in a step, or after ``steps_max``."""
    hubs = _scaled(np.ones(graph.nodes))
    authorities = np.zeros(graph.nodes)
    for _ in range(steps_max):
        authorities = np.zeros(graph.nodes)
        pour(hubs, graph.sources, graph.targets, authorities)
        authorities = _scaled(authorities)
        after = np.zeros(graph.nodes)
        pour(authorities, graph.targets, graph.sources, after)
        after = _scaled(after)
        moved = float(np.abs(after - hubs).max(initial=0.0))
        hubs = after
        if moved < tolerance:
            break
    return HubsAndAuthorities(hubs, authorities)


def _scaled(scores: Scores) -> Scores:
    length = float(np.linalg.norm(scores))
    return scores / length if length else scores
