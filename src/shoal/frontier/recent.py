"""The Urls met most recently, so that a Link met again costs a dictionary look-up."""

from __future__ import annotations

from typing import NamedTuple


class Met(NamedTuple):
    """A known Url: an Offer at or below ``bar`` changes nothing of it."""

    id: int
    bar: float


class Recent:
    """Bounded memory of known Urls by their text, so a hit is never another Url's.

    Two generations instead of a list in order of use: what is met again moves to ``young``; when
    ``young`` is full it becomes ``old`` and the old one is forgotten. At most ``2 * size`` Urls and
    one batch are held, and whatever was met among the last ``size`` different ones is among them.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.young: dict[str, Met] = {}
        self._old: dict[str, Met] = {}

    def recall(self, text: str) -> Met | None:
        """Look among the old ones, after ``young`` had none."""
        met = self._old.get(text)
        if met is not None:
            self.young[text] = met
        return met

    def replace(self, text: str, met: Met) -> None:
        """Tell what changed of a Url, should it be remembered."""
        if text in self.young or text in self._old:
            self.young[text] = met

    def turn(self) -> None:
        """Forget the older half once the younger one is full."""
        if len(self.young) > self.size:
            self._old = self.young
            self.young = {}
