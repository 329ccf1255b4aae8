"""Earlier pages that say the same.

Two fingerprints of 64 bits that differ in at most three of them agree in at least one of their four
blocks of 16 bits. Each page stands in the table ``near`` four times, once a block, with its whole
fingerprint: four short range scans find every candidate, and none is missed up to distance three.
"""

from __future__ import annotations

from typing import Final

from shoal.frontier.database import Rows, State
from shoal.frontier.rows import signed
from shoal.model import Twin

DISTANCE_MAX: Final = 3
_MASK: Final = 0xFFFF_FFFF_FFFF_FFFF


class TwinSearch:
    """Finds an earlier page by digest, or by a fingerprint at most ``distance`` bits away."""

    def __init__(self, state: State, distance: int) -> None:
        self._state = state
        self._distance = distance

    def add(self, simhash: int, visit: int) -> None:
        fingerprint = signed(simhash)
        self._state.add(
            "near",
            ("block", "simhash", "visit"),
            [(block, fingerprint, visit) for block in _blocks(simhash)],
        )

    def find(self, digest: str, simhash: int | None) -> Twin | None:
        """The first page with this digest, or else the nearest one, the earliest among equally near
        ones."""
        # Both are asked before either answer is waited for.
        same = near = None
        if digest:
            same = self._state.execute(
                "SELECT url.text FROM visit JOIN url ON url.id = visit.url WHERE visit.digest = ?"
                " AND visit.outcome IN ('page', 'document') ORDER BY visit.id LIMIT 1",
                (digest,),
            )
        if simhash is not None:
            near = self._state.execute(
                "SELECT simhash, visit FROM near WHERE block IN (?, ?, ?, ?)", _blocks(simhash)
            )
        row = same.fetchone() if same is not None else None
        if row is not None:
            return Twin(row[0], exact=True)
        if near is None or simhash is None:
            return None
        text = self._nearest(near, simhash)
        return None if text is None else Twin(text, exact=False)

    def _nearest(self, candidates: Rows, simhash: int) -> str | None:
        fingerprint = simhash & _MASK
        best: tuple[int, int] | None = None
        for other, visit in candidates:
            distance = ((other & _MASK) ^ fingerprint).bit_count()
            if distance <= self._distance and (best is None or (distance, visit) < best):
                best = (distance, visit)
        if best is None:
            return None
        row = self._state.execute(
            "SELECT url.text FROM visit JOIN url ON url.id = visit.url WHERE visit.id = ?",
            (best[1],),
        ).fetchone()
        return str(row[0])


def _blocks(simhash: int) -> tuple[int, int, int, int]:
    """The four blocks, each with its place in front so that they never meet one another's."""
    return (
        simhash & 0xFFFF,
        0x1_0000 | simhash >> 16 & 0xFFFF,
        0x2_0000 | simhash >> 32 & 0xFFFF,
        0x3_0000 | simhash >> 48 & 0xFFFF,
    )
