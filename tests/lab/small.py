"""Surveys drawn by hand: which page links which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from shoal.lab.survey import Rows, Survey


def survey(
    links: Sequence[Sequence[int]],
    *,
    no_pages: Sequence[int] = (),
    words: Sequence[Mapping[int, int]] | None = None,
    sites: Sequence[int] | None = None,
) -> Survey:
    """``words`` says how often each stem (by number) stands on each page."""
    size = len(links)
    told = words or [{} for _ in links]
    is_page = np.ones(size, np.bool_)
    is_page[list(no_pages)] = False
    return Survey(
        urls=tuple(f"http://h.example/{n}" for n in range(size)),
        is_page=is_page,
        links=Rows.of(links),
        terms=Rows.of(told),
        counts=Rows.of([list(counts.values()) for counts in told]),
        stems=1 + max((stem for counts in told for stem in counts), default=0),
        sites=np.array(sites or [0] * size, np.int32),
    )


def flags(size: int, *numbers: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    found = np.zeros(size, np.bool_)
    found[list(numbers)] = True
    return found
