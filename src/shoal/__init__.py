"""Shoal gathers the part of the web that is about a topic.

Start with ``Crawl`` and ``Topic``; what they work with is in ``shoal.model``, and what a part of
your own must promise is in ``shoal.ports``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shoal.api import Crawl, FoundPage, Topic
    from shoal.errors import ShoalError
    from shoal.settings import Settings

__all__ = ["Crawl", "FoundPage", "Settings", "ShoalError", "Topic"]

_HOMES = {
    "Crawl": "shoal.api",
    "FoundPage": "shoal.api",
    "Topic": "shoal.api",
    "ShoalError": "shoal.errors",
    "Settings": "shoal.settings",
}


def __getattr__(name: str) -> object:
    # Loaded when asked for: importing one room must not import them all.
    from importlib import import_module

    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'shoal' has no {name!r}")
