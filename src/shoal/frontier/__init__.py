"""The durable frontier: what is known, what waits, what became of it. One SQLite file a crawler.

A Url is born by ``offer``: WAITING when a rule admitted it, REFUSED when one did not. ``lease``
lends a waiting Url to the Crawler, in memory only. ``settle`` ends it as SETTLED, or, with RETRY,
makes it LATER until its time has come and it waits again; ``release`` lends it no longer. A refused
Url that a later Link admits begins to wait; what a given-up host has waiting is refused for good.
No Url ever leaves the file.

    offer -> WAITING -> (leased) -> SETTLED
       |        ^          |
       |        +- LATER <-+ RETRY
       +-> REFUSED

``StateFrontier`` and ``StateNotes`` write through one connection, whose transaction stays open
from one ``commit`` to the next: their own reads see everything, everybody else sees the last
commit, and a crash returns to it. ``StateLedger`` reads through a connection of its own.
"""

from shoal.frontier.frontier import NotLeased, StateFrontier
from shoal.frontier.ledger import StateLedger
from shoal.frontier.lock import DirectoryLock
from shoal.frontier.notes import StateNotes
from shoal.frontier.state import (
    DirectoryInUse,
    StateCorrupt,
    StateDiskFull,
    StateError,
    StateFile,
    StateForeign,
    StateLocked,
    StateMissing,
    StateReadOnly,
    StateTooNew,
    StateUnreadable,
)

__all__ = [
    "DirectoryInUse",
    "DirectoryLock",
    "NotLeased",
    "StateCorrupt",
    "StateDiskFull",
    "StateError",
    "StateFile",
    "StateForeign",
    "StateFrontier",
    "StateLedger",
    "StateLocked",
    "StateMissing",
    "StateNotes",
    "StateReadOnly",
    "StateTooNew",
    "StateUnreadable",
]
