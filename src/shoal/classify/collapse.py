"""Hierarchies of labels become a few categories: C4 collapsed a whole directory to its top.

``subject.Science.Biology`` and ``subject.Art`` are ``Science`` and ``Art``: what all labels begin
with is dropped, then ``depth`` steps are kept. A step ends at a dot or a slash.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_STEP_END = re.compile(r"[./]+")


@dataclass(frozen=True, slots=True)
class Collapse:
    drop: int = 0
    """So many steps at the beginning say nothing: all labels have the same."""
    depth: int = 1
    """So many steps are kept of the rest; 0 keeps labels as they are."""

    def category(self, label: str) -> str:
        """A label that is too short to lose its beginning keeps its last step."""
        if not self.depth:
            return label
        steps = _steps(label)
        begin = min(self.drop, len(steps) - 1)
        return ".".join(steps[begin : begin + self.depth])

    def categories(self, labels: Iterable[str]) -> tuple[str, ...]:
        """Each once, in the order of the labels."""
        return tuple(dict.fromkeys(self.category(label) for label in labels))


def collapse_of(labels: Iterable[str], depth: int = 1) -> Collapse:
    """Drops what all these labels begin with."""
    different = {tuple(_steps(label)) for label in labels}
    if not depth or len(different) < 2:
        return Collapse(0, depth)
    return Collapse(_common(sorted(different)), depth)


def _common(paths: Sequence[tuple[str, ...]]) -> int:
    """How many steps all begin with, leaving at least one of each."""
    first, last = paths[0], paths[-1]
    most = min(map(len, paths)) - 1
    same = next((at for at in range(most) if first[at] != last[at]), most)
    return max(0, same)


def _steps(label: str) -> list[str]:
    return [step for step in _STEP_END.split(label.strip()) if step] or [label.strip()]
