"""Where the boxes of a graph stand, so that what is linked is near and no box hides another.

Springs and charges (Fruchterman and Reingold, 1991), begun on rings around the middle; then boxes
that overlap are pushed apart. No chance in it: the same graph, the same picture. Quadratic in the
number of boxes, which are few enough to be looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

_STEPS: Final = 400
_PUSHES: Final = 600
_SPACING: Final = 84.0
"""The distance at which a link neither draws nor pushes."""
_WIDENING: Final = 1.6
"""Boxes are wider than high."""
_GAP: Final = 12.0
"""Between two boxes, at least."""
_NEAREST: Final = 1.0

Points = NDArray[np.float64]


def place(
    rings: Sequence[int], sizes: Sequence[tuple[float, float]], links: Sequence[tuple[int, int]]
) -> Points:
    """The middle of each box: ``rings`` are their distances from the middle of the graph, ``sizes``
    their widths and heights, ``links`` the numbers of two boxes."""
    points = _on_rings(rings)
    if len(points) > 1:
        _settle(points, links)
        points[:, 0] *= _WIDENING
        _push_apart(points, np.asarray(sizes))
    return points


def _on_rings(rings: Sequence[int]) -> Points:
    points = np.zeros((len(rings), 2))
    for ring in set(rings):
        members = [number for number, one in enumerate(rings) if one == ring]
        turns = np.arange(len(members)) / len(members) + ring * 0.07
        radius = _SPACING * (ring + 0.5 * (len(rings) > 1))
        points[members, 0] = radius * np.cos(2 * np.pi * turns)
        points[members, 1] = radius * np.sin(2 * np.pi * turns)
    return points


def _settle(points: Points, links: Sequence[tuple[int, int]]) -> None:
    ends = np.asarray(links, np.int64).reshape(-1, 2)
    for step in range(_STEPS):
        apart = points[:, None] - points[None]
        distance = np.maximum(np.hypot(apart[..., 0], apart[..., 1]), _NEAREST)
        force = (apart * (_SPACING**2 / distance**2)[..., None]).sum(axis=1)
        along = points[ends[:, 0]] - points[ends[:, 1]]
        pull = along * (np.hypot(along[:, 0], along[:, 1]) / _SPACING)[:, None]
        np.subtract.at(force, ends[:, 0], pull)
        np.add.at(force, ends[:, 1], pull)
        force -= points * 0.25
        length = np.maximum(np.hypot(force[:, 0], force[:, 1]), _NEAREST)
        heat = _SPACING * (1 - step / _STEPS) * 0.5
        points += force / length[:, None] * np.minimum(length, heat)[:, None]


def _push_apart(points: Points, sizes: Points) -> None:
    room = (sizes[:, None] + sizes[None]) / 2 + _GAP
    order = np.arange(len(points))
    others = order[:, None] != order[None]
    for _ in range(_PUSHES):
        apart = points[:, None] - points[None]
        overlap = room - np.abs(apart)
        both = (overlap > 0).all(axis=2) & others
        if not both.any():
            return
        # The shorter way out; of two in one place, the later one goes down.
        sideways = both & (overlap[..., 0] < overlap[..., 1])
        updown = both & ~sideways
        later = np.sign(order[:, None] - order[None])
        for axis, moved in ((0, sideways), (1, updown)):
            way = np.where(apart[..., axis] == 0, later, np.sign(apart[..., axis]))
            points[:, axis] += (np.where(moved, overlap[..., axis], 0) * way).sum(axis=1) * 0.26
