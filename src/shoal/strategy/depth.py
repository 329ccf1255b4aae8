"""How far fish and sharks swim without food: a depth that a Link inherits from its page.

A relevant page gives its Links the full depth; another page gives them one less than its own. The
Links of a page whose depth has run out are abandoned. The depth travels in the parts of a
Priority.
"""

from __future__ import annotations

from typing import Final

from shoal.model import Lease, Part, Priority

DEPTH: Final = "depth"
ABANDONED: Final = Priority(-1.0, (Part("abandoned", -1.0),))
"""Below all others. A Frontier forgets nothing, so what these searches would drop comes last."""


def part_of(lease: Lease, name: str) -> float | None:
    """The part of that name that a page inherited."""
    return next((part.value for part in lease.parts if part.name == name), None)


def depth_for_links(lease: Lease, relevant: bool, full: int) -> int | None:
    """The depth of a page's Links; None where they are abandoned."""
    if relevant:
        return full
    if ABANDONED.parts[0] in lease.parts:
        return None
    inherited = part_of(lease, DEPTH)
    own = full if inherited is None else int(inherited)
    return own - 1 if own > 0 else None
