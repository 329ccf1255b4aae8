"""What an earlier Shoal wrote can still be read."""

from __future__ import annotations

import msgspec

from shoal.frontier.rows import decode_evidence
from shoal.model import LinkKind


def test_evidence_without_what_came_later_is_read() -> None:
    written = msgspec.msgpack.encode(
        (LinkKind.ANCHOR, "an anchor", "around it", True, "default", "", (("link", 0.5),), None)
    )
    evidence = decode_evidence(written)
    assert evidence.anchor == "an anchor"
    assert evidence.source_relevance is None
    assert evidence.source_beliefs == ()
