"""Who links whom, as far as a crawl has seen it, in compact arrays.

A node is an address: of a page that was read, or of one that is only linked. A link counts once a
page, and a page's links to itself do not count.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.rank.growing import Growing
from shoal.rank.numbers import Digests, Nodes, Numbers


class PageLinks(NamedTuple):
    """What became of the links of one page."""

    source: int
    targets: Nodes
    """The node of each target, in the order given, repeated where it was repeated."""
    distinct: Nodes
    """The nodes that the page was found to link to: each once, and not the page itself."""


class LinkGraph:
    """The graph so far.

    1. Nodes are numbered as they are met, and a number is never changed.
    2. The links of one page stand together, and pages stand in the order in which they were told.
    3. A page counts once: telling its links again changes nothing.
    4. 8 bytes a link, and about 34 bytes a node; up to half as much again while an array grows.
    """

    def __init__(self) -> None:
        self._numbers = Numbers()
        self._sources = Growing(np.uint32)
        self._targets = Growing(np.uint32)
        self._out = Growing(np.uint32)
        self._in = Growing(np.uint32)

    @property
    def nodes(self) -> int:
        return len(self._numbers)

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
        return self._out.values

    @property
    def in_degrees(self) -> NDArray[np.uint32]:
        return self._in.values

    def add(self, keys: Digests) -> PageLinks:
        """The links of a page: its own digest, and then those of its targets."""
        numbers = self._numbers.take(keys)
        source, targets = int(numbers[0]), numbers[1:]
        self._out.grow(self.nodes)
        self._in.grow(self.nodes)
        if self._out.values[source]:
            return PageLinks(source, targets, np.empty(0, np.int64))
        distinct = np.unique(targets[targets != source])
        self._sources.append(np.full(len(distinct), source, np.uint32))
        self._targets.append(distinct.astype(np.uint32))
        self._out.values[source] = len(distinct)
        self._in.values[distinct] += np.uint32(1)
        return PageLinks(source, targets, distinct)

    def find(self, keys: Digests) -> Nodes:
        """The node of each digest, -1 where the graph has none."""
        return self._numbers.find(keys)
