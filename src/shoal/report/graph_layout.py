"""Where the boxes of a graph stand, so that what is linked is near and no box hides another.

Springs and charges (Fruchterman and Reingold, 1991), begun on rings around the middle; then boxes
that overlap are pushed apart. No chance in it: the same graph, the same picture.

Every pair of boxes is looked at where they are few. Of many, those far away push as the cells of a
grid do, each as one charge, and only near ones as themselves; so the time grows with the number of
boxes, and not with its square.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

_STEPS: Final = 400
_PUSHES: Final = 1_200
_SPACING: Final = 84.0
"""The distance at which a link neither draws nor pushes."""
_WIDENING: Final = 1.6
"""Boxes are wider than high."""
_GAP: Final = 12.0
"""Between two boxes, at least."""
_TOGETHER: Final = 0.25
_TOGETHER_MANY: Final = 0.5
"""How strongly everything is drawn to the middle; of many boxes, more."""
_SLACK_LINKS: Final = 4
"""Of many boxes, a link of one that has more links than this draws less, or its neighbours would
crowd around it."""
_ROOM: Final = 3.0
"""Of many boxes: how much larger the middle of the drawing is than they are."""
_OUTSIDE: Final = 0.4
"""How far outside of it may stand what was driven away."""
_WIDER: Final = 1.001
"""While boxes that overlap are pushed apart, everything moves outwards by so little."""
_NEAREST: Final = 1.0
_FEW: Final = 300
"""Up to so many boxes, each pair is looked at."""
_CELLS: Final = 16
"""A side of the grid for more."""

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
        if len(points) > _FEW:
            _fit(points, np.asarray(sizes))
        _push_apart(points, np.asarray(sizes))
    return points


def _fit(points: Points, sizes: Points) -> None:
    """Scale what was settled so that the middle of it holds its boxes with some room, and bring in
    what stands far outside, for what hangs together with nothing is driven away by all."""
    low, high = np.quantile(points, (0.1, 0.9), axis=0)
    middle, half = (low + high) / 2, np.maximum((high - low) / 2, _NEAREST)
    away = np.hypot(*((points - middle) / half).T)[:, None]
    outside = np.maximum(away, 1.0)
    points[:] = (points - middle) * (1.0 + _OUTSIDE * np.log(outside)) / outside
    needed = _ROOM * float((sizes + _GAP).prod(axis=1).sum())
    points *= np.sqrt(needed / float((4 * half).prod()))


def _on_rings(rings: Sequence[int]) -> Points:
    """A ring is so wide that its members do not crowd."""
    points = np.zeros((len(rings), 2))
    radius = 0.0
    for ring in sorted(set(rings)):
        members = [number for number, one in enumerate(rings) if one == ring]
        turns = np.arange(len(members)) / len(members) + ring * 0.07
        wanted = _SPACING * (ring + 0.5 * (len(rings) > 1))
        if len(rings) > _FEW:
            wanted = max(radius + _SPACING, len(members) * _SPACING / 12)
        radius = wanted
        points[members, 0] = radius * np.cos(2 * np.pi * turns)
        points[members, 1] = radius * np.sin(2 * np.pi * turns)
    return points


def _settle(points: Points, links: Sequence[tuple[int, int]]) -> None:
    ends = np.asarray(links, np.int64).reshape(-1, 2)
    charges = _charges_of_all if len(points) <= _FEW else _charges_of_cells
    degrees = np.bincount(ends.ravel(), minlength=len(points))
    slack = np.ones(len(ends))
    if len(points) > _FEW:
        slack = np.sqrt(np.minimum(1.0, _SLACK_LINKS / degrees[ends].max(axis=1, initial=1)))
    for step in range(_STEPS):
        force = charges(points)
        along = points[ends[:, 0]] - points[ends[:, 1]]
        pull = along * (np.hypot(along[:, 0], along[:, 1]) * slack / _SPACING)[:, None]
        _add(force, ends[:, 0], -pull)
        _add(force, ends[:, 1], pull)
        force -= points * (_TOGETHER if charges is _charges_of_all else _TOGETHER_MANY)
        length = np.maximum(np.hypot(force[:, 0], force[:, 1]), _NEAREST)
        heat = _SPACING * (1 - step / _STEPS) * 0.5
        points += force / length[:, None] * np.minimum(length, heat)[:, None]


def _charges_of_all(points: Points) -> Points:
    """How all boxes push each."""
    force: Points = _pushed(points[:, None] - points[None], 1.0).sum(axis=1)
    return force


def _charges_of_cells(points: Points) -> Points:
    """The same, nearly: each cell of a grid pushes from where its boxes are on average, and boxes
    that are near one another push as themselves as well."""
    low, high = points.min(axis=0), points.max(axis=0)
    places = np.minimum((points - low) / (high - low + _NEAREST) * _CELLS, _CELLS - 1).astype(int)
    numbers = places[:, 0] * _CELLS + places[:, 1]
    charges = np.bincount(numbers, minlength=_CELLS**2).astype(np.float64)
    sums = np.stack([np.bincount(numbers, points[:, axis], _CELLS**2) for axis in (0, 1)], axis=1)
    filled = charges > 0
    middles = sums[filled] / charges[filled, None]
    apart = points[:, None] - middles[None]
    force: Points = _pushed(apart, charges[filled][:, None]).sum(axis=1)
    pairs = cKDTree(points).query_pairs(_SPACING, output_type="ndarray")
    near = _pushed(points[pairs[:, 0]] - points[pairs[:, 1]], 1.0)
    _add(force, pairs[:, 0], near)
    _add(force, pairs[:, 1], -near)
    return force


def _pushed(apart: Points, charge: Points | float) -> Points:
    """What a charge does at each of these distances."""
    distance = np.maximum(np.hypot(apart[..., 0], apart[..., 1])[..., None], _NEAREST)
    pushed: Points = apart * (_SPACING**2 * np.asarray(charge) / distance**2)
    return pushed


def _add(force: Points, numbers: NDArray[np.int64], more: Points) -> None:
    """To the force on each of the boxes, one of which may be there several times."""
    for axis in (0, 1):
        force[:, axis] += np.bincount(numbers, more[:, axis], len(force))


def _push_apart(points: Points, sizes: Points) -> None:
    reach = float(np.hypot(*(sizes.max(axis=0) + _GAP)))
    for _ in range(_PUSHES):
        pairs = cKDTree(points).query_pairs(reach, output_type="ndarray")
        pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
        one, other = pairs[:, 0], pairs[:, 1]
        apart = points[one] - points[other]
        overlap = (sizes[one] + sizes[other]) / 2 + _GAP - np.abs(apart)
        both = (overlap > 0).all(axis=1)
        if not both.any():
            return
        one, other, apart, overlap = one[both], other[both], apart[both], overlap[both]
        # The shorter way out; of two in one place, the later one goes down.
        sideways = overlap[:, 0] < overlap[:, 1]
        move = np.zeros_like(apart)
        for axis, moved in ((0, sideways), (1, ~sideways)):
            way = np.where(apart[:, axis] == 0, -1.0, np.sign(apart[:, axis]))
            move[:, axis] = np.where(moved, overlap[:, axis], 0.0) * way * 0.26
        _add(points, one, move)
        _add(points, other, -move)
        points *= _WIDER
