"""A graph whose nodes have numbers already: read once, page by page, and then ranked."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.rank.growing import Growing
from shoal.rank.numbers import Nodes


class NumberedGraph:
    """A ``flow.Graph`` of so many nodes.

    1. A link counts once a page, none to the page itself, and a page counts once.
    2. 8 bytes a link, up to half as much again while an array grows, and 4 bytes a node.
    """

    def __init__(self, nodes: int) -> None:
        self.nodes = nodes
        self.pages = 0
        """Pages that were told with a link of their own."""
        self._sources = Growing(np.uint32)
        self._targets = Growing(np.uint32)
        self._out = np.zeros(nodes, np.uint32)

    @property
    def links(self) -> int:
        return self._sources.size

    @property
    def sources(self) -> NDArray[np.uint32]:
        """Of each link, the node of its page."""
        return self._sources.values

    @property
    def targets(self) -> NDArray[np.uint32]:
        """Of each link, the node that it leads to."""
        return self._targets.values

    @property
    def out_degrees(self) -> NDArray[np.uint32]:
        return self._out

    def add(self, source: int, targets: Nodes) -> None:
        """The links of a page."""
        distinct = np.unique(targets[targets != source])
        if self._out[source] or not len(distinct):
            return
        self._sources.append(np.full(len(distinct), source, np.uint32))
        self._targets.append(distinct.astype(np.uint32))
        self._out[source] = len(distinct)
        self.pages += 1
