"""A Crawler's line to the keeper of its Team: each question is a call of the keeper's actor.

Whoever has no answer for ``LOST_S`` has lost the line, and ends without another commit: the Team
may have started another in its place. Each Crawler that reports in is given a term, and every
question names it; so of two Crawlers of one name only the later one is answered, and a keeper that
was started again answers nobody who has not reported in to it.
"""

from __future__ import annotations

import time
from typing import Any, Final

import ray
from ray.exceptions import RayError, RayTaskError

from shoal.crawl.tally import Tally
from shoal.team.arrival import Arrival, compare_clocks, our_versions
from shoal.team.desk import LostTeam, Question
from shoal.team.on_ray.keeper_actor import Refused

LOST_S: Final = 30.0
LOOK_S: Final = 0.1
"""Between two looks whether the others are there."""


class RayLine:
    """A desk.Line, once its Crawler has reported in."""

    def __init__(self, keeper: Any, name: str) -> None:
        """``keeper`` is the handle of a KeeperActor."""
        self._keeper = keeper
        self._name = name
        self._term = ""
        self._answer: Any = None

    def report_in(self, machine: str, tally: Tally) -> None:
        """Returns when all of the Team are there. Raises Refused, LostTeam."""
        offset = compare_clocks(lambda: float(self._ask("time_s")))
        arrival = Arrival(self._name, machine, our_versions(), offset, tally)
        self._term = str(self._ask("arrive", arrival))
        while not self._ask("has_begun", self._name, self._term):
            time.sleep(LOOK_S)

    def send(self, message: Any) -> None:
        if isinstance(message, Question):
            self._answer = self._keeper.answer.remote(self._name, self._term, message)
            return
        self._wait_for(self._keeper.part.remote(self._name, self._term, message))

    def recv(self) -> Any:
        return self._wait_for(self._answer)

    def _ask(self, method: str, *given: Any) -> Any:
        try:
            return ray.get(getattr(self._keeper, method).remote(*given), timeout=LOST_S)
        except RayTaskError as error:
            if isinstance(error.cause, Refused):
                raise error.cause from None
            raise LostTeam from error
        except RayError as error:
            raise LostTeam from error

    def _wait_for(self, answer: Any) -> Any:
        try:
            return ray.get(answer, timeout=LOST_S)
        except RayError as error:
            raise EOFError(str(error)) from error
