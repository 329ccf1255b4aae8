"""The roll of a Team: who is at work, who was heard when, and how often one was started again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

LATE_S: Final = 5.0
"""A Crawler that says nothing for so long is said to be late ..."""
SILENT_S: Final = 60.0
"""... and after this long it is ended, and started again."""
BEGIN_S: Final = 3_600.0
"""Before its first word it may take this long: it opens its state, a frozen web, a model."""
RESTARTS: Final = 5
"""How often Crawlers of one Team are started again."""
END_S: Final = 20.0
"""How long Crawlers may take to end when asked to."""


@dataclass
class _Presence:
    heard_s: float
    begun: bool = False
    left: bool = False
    late: bool = False
    away: bool = False


class Roll:
    """Crawlers by name, by a clock of the machine."""

    def __init__(self, time_s: Callable[[], float]) -> None:
        self._time_s = time_s
        self._present: dict[str, _Presence] = {}
        self._restarts: Counter[str] = Counter()

    def begin(self, names: Sequence[str]) -> None:
        self._present = {name: _Presence(self._time_s()) for name in names}

    def hear(self, name: str) -> None:
        present = self._present[name]
        present.heard_s = self._time_s()
        present.begun = True
        present.late = present.away = False

    def leave(self, name: str) -> None:
        """It has said its last word, or nothing more is to be expected of it."""
        self._present[name].left = True

    def miss(self, name: str) -> None:
        """It is away, and known to be: nothing is to be heard of it."""
        self._present[name].away = True

    def is_away(self, name: str) -> bool:
        return self._present[name].away

    def has_left(self, name: str) -> bool:
        return self._present[name].left

    def all_left(self) -> bool:
        return all(present.left for present in self._present.values())

    def may_return(self, name: str) -> bool:
        """It ended without a word: whether it is to be started again, counted as such."""
        self._restarts[name] += 1
        if self._restarts.total() > RESTARTS:
            return False
        self.expect(name)
        return True

    def expect(self, name: str) -> None:
        """It is being started again."""
        self._present[name] = _Presence(self._time_s())

    def restarts_of(self, name: str) -> int:
        return self._restarts[name]

    def silence_s(self, name: str) -> float:
        """For how long nothing was heard of it."""
        return self._time_s() - self._present[name].heard_s

    def newly_late(self) -> list[tuple[str, float]]:
        """Who has just become late, and for how long nothing was heard. Whoever has not begun is
        not late."""
        found = []
        for name, silent_s in self._silences():
            present = self._present[name]
            if silent_s > LATE_S and present.begun and not (present.late or present.away):
                present.late = True
                found.append((name, silent_s))
        return found

    def silent(self) -> list[tuple[str, float]]:
        """Who has said nothing for too long, or has not begun for too long, and for how long."""
        found = []
        for name, silent_s in self._silences():
            present = self._present[name]
            if silent_s > (SILENT_S if present.begun else BEGIN_S) and not present.away:
                found.append((name, silent_s))
        return found

    def at_work(self) -> list[tuple[str, float]]:
        """Who has not left, and for how long nothing was heard."""
        return self._silences()

    def _silences(self) -> list[tuple[str, float]]:
        now_s = self._time_s()
        return [
            (name, now_s - present.heard_s)
            for name, present in self._present.items()
            if not present.left
        ]
