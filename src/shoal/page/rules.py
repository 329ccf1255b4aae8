"""What a page asks of robots: meta robots, meta of our own name, and X-Robots-Tag together.

1. The strictest answer counts, whichever of the three gave it.
2. What is addressed to another robot is not ours to obey.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from shoal.model import PageRules

_OPEN: Final = PageRules()
_WITH_VALUE: Final = frozenset(
    {"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"}
)


def page_rules(agent: str, metas: Iterable[str], headers: Iterable[str]) -> PageRules:
    """``metas`` are contents of meta elements meant for us; ``headers`` are X-Robots-Tag values,
    whose directives may name an agent first (``shoal: noindex``)."""
    directives: set[str] = set()
    for content in metas:
        directives.update(_tokens(content))
    for value in headers:
        directives.update(_addressed(agent.lower(), value))
    if not directives:
        return _OPEN
    none = "none" in directives
    return PageRules(
        index=not (none or "noindex" in directives),
        follow=not (none or "nofollow" in directives),
        archive="noarchive" not in directives,
    )


def _tokens(content: str) -> list[str]:
    return content.lower().replace(",", " ").split()


def _addressed(agent: str, value: str) -> list[str]:
    ours = True
    found: list[str] = []
    for part in value.lower().split(","):
        name, colon, rest = part.partition(":")
        if colon and name.strip() not in _WITH_VALUE:
            ours = name.strip() in ("*", agent)
            part = rest
        if ours:
            found.extend(part.split())
    return found
