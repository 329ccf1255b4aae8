"""Starts the actors of a Team, shows what they tell, and ends them.

- The keeper is bound to this machine, where the crawl's directory is; Crawlers are placed by Ray,
  as far apart as may be.
- Where a Crawler's state is on its machine's own disk, it is bound to that machine from then on,
  and waits for it while it is away; the others go on. Where every machine reaches all states, Ray
  may start it on another.
- When this process ends, Ray ends the actors: without a keeper nobody keeps the hosts' pauses.
"""

from __future__ import annotations

import time
from collections.abc import Callable, MutableMapping
from threading import Event as Flag
from typing import Any, Final

import ray
from ray.exceptions import RayError, RayTaskError

from shoal.crawl.stop import Stop, StopReason
from shoal.errors import ShoalError, UsageError
from shoal.events import CrawlerTrouble, Started
from shoal.ports import Watcher
from shoal.team.lead import BrokenCrawler
from shoal.team.on_ray.cluster import CRAWLER_CPUS, Cluster, LostCluster, bound_to, this_machine
from shoal.team.on_ray.crawler_actor import Work, crawler_class
from shoal.team.on_ray.keeper_actor import KeeperActor, OpenLead, Sight
from shoal.team.roll import END_S, LATE_S

LOOK_S: Final = 0.2
"""The longest look away."""
MACHINES_EVERY_S: Final = 1.0
"""Between two looks which machines are up."""
LOST_S: Final = 60.0
"""Without an answer for so long, the cluster is lost."""


class RayTeam:
    """A Team on the cluster that this process is connected to."""

    def __init__(
        self,
        cluster: Cluster,
        names: Callable[[], tuple[str, ...]],
        open_lead: OpenLead,
        work: Work,
        watcher: Watcher,
        halt: Flag,
        places: MutableMapping[str, str] | None,
    ) -> None:
        """``names`` tells who is in the Team now. ``places`` remembers which machine has whose
        state; None where every machine reaches all states."""
        self._cluster = cluster
        self._names = names
        self._open_lead = open_lead
        self._work = work
        self._watcher = watcher
        self._halt = halt
        self._places = places
        self._keeper: Any = None
        self._crawlers: dict[str, Any] = {}
        self._runs: dict[Any, str] = {}
        self._away: set[str] = set()
        self._error: ShoalError | None = None
        self._begun = False
        self._waiting_s = 0.0
        self._told_missing = False

    def run(self) -> Stop:
        """Raises what a Crawler could not get over."""
        self._cluster.check_room(len(self._names()))
        keeper = ray.remote(KeeperActor)
        bound = bound_to(this_machine())
        options = keeper.options(num_cpus=0, resources=bound, max_restarts=-1)
        self._keeper = options.remote(self._names, self._open_lead)
        try:
            names: tuple[str, ...] | None = self._names()
            while names is not None:
                self._run_generation(names)
                if self._error is not None:
                    raise self._error
                if not self._begun:
                    return Stop(StopReason.INTERRUPTED, "asked to stop before it had begun")
                names = self._ask("regroup")
            self._look()
            stop = self._ask("outcome")
            if isinstance(stop, ShoalError):
                raise stop
            assert isinstance(stop, Stop)
            return stop
        finally:
            ray.kill(self._keeper)

    # ------------------------------------------------------------------ a generation

    def _run_generation(self, names: tuple[str, ...]) -> None:
        self._away.clear()
        self._told_missing = False
        self._waiting_s = time.monotonic()
        try:
            self._start(names)
            machines_s = 0.0
            while not self._is_over(sight := self._look()):
                if time.monotonic() - machines_s >= MACHINES_EVERY_S:
                    machines_s = time.monotonic()
                    self._look_for_machines(sight)
                self._end_silent(sight)
                self._look_for_broken()
                time.sleep(LOOK_S)
            # They have said their last words, and put their files away.
            ray.wait(list(self._runs), num_returns=len(self._runs), timeout=END_S)
        finally:
            for crawler in self._crawlers.values():
                ray.kill(crawler)
            self._crawlers.clear()
            self._runs.clear()

    def _start(self, names: tuple[str, ...]) -> None:
        places = self._places
        if places is not None:
            places.update(self._cluster.spread([name for name in names if name not in places]))
        actor = crawler_class(len(names))
        for name in names:
            options: dict[str, Any] = {"scheduling_strategy": "SPREAD"}
            if places is not None:
                options = {"resources": bound_to(places[name])}
            self._crawlers[name] = actor.options(
                num_cpus=CRAWLER_CPUS,
                max_restarts=-1,
                **options,
            ).remote(name, self._work)
        for name, crawler in self._crawlers.items():
            mates = {other: mate for other, mate in self._crawlers.items() if other != name}
            self._runs[crawler.run.remote(self._keeper, mates)] = name

    def _is_over(self, sight: Sight) -> bool:
        if sight.refused is not None:
            self._error = UsageError(sight.refused)
        if sight.missing:
            return self._halt.is_set() or self._error is not None
        return sight.left >= set(self._crawlers)

    def _look(self) -> Sight:
        sight: Sight = self._ask("look", self._halt.is_set() or self._error is not None)
        for event in sight.events:
            if isinstance(event, Started):
                if self._begun:
                    # The keeper was started again, or others are in the Team now.
                    continue
                self._begun = True
            self._watcher.see(event)
        return sight

    # ------------------------------------------------------------------ who is away, or ends

    def _look_for_machines(self, sight: Sight) -> None:
        up = self._cluster.machines()
        bound = self._places
        for name in self._crawlers.keys() - sight.left:
            machine = bound[name] if bound is not None else sight.machines.get(name)
            if machine is None or machine in up:
                self._away.discard(name)
                continue
            if name not in self._away:
                self._away.add(name)
                self._say(
                    name,
                    f"the crawler {name} waits for its machine {machine}, which is away: its state "
                    "is on that machine's disk"
                    if bound is not None
                    else f"the machine {machine} of the crawler {name} is away: it goes on "
                    "elsewhere",
                )
                if not sight.missing:
                    self._ask("away", name)
        late = time.monotonic() - self._waiting_s > LATE_S
        if sight.missing and late and not self._told_missing:
            self._told_missing = True
            for name in set(sight.missing) - self._away:
                self._say(name, f"the crawler {name} has not reported in yet")

    def _end_silent(self, sight: Sight) -> None:
        for name, why in sight.silent:
            if sight.ends:
                self._ask("lost", name, why)
                ray.kill(self._crawlers[name])
            else:
                # Ray starts it again, and it reports in anew.
                self._ask("expect", name)
                ray.kill(self._crawlers[name], no_restart=False)

    def _look_for_broken(self) -> None:
        """Those that ended before they could report in, or that Ray cannot start at all."""
        if not self._runs:
            return
        ended, _ = ray.wait(list(self._runs), num_returns=len(self._runs), timeout=0)
        for run in ended:
            name = self._runs.pop(run)
            try:
                ray.get(run)
            except RayTaskError as error:
                cause = error.cause
                self._break(cause if isinstance(cause, ShoalError) else _broken(name, cause))
            except RayError as error:
                self._break(_broken(name, error))

    def _break(self, error: ShoalError) -> None:
        self._error = self._error or error

    def _say(self, name: str, why: str) -> None:
        self._watcher.see(CrawlerTrouble(time.time(), name, why))

    # ------------------------------------------------------------------ the keeper

    def _ask(self, method: str, *given: Any) -> Any:
        """Through a restart of the keeper. Raises ShoalError."""
        until_s = time.monotonic() + LOST_S
        while True:
            try:
                return ray.get(getattr(self._keeper, method).remote(*given), timeout=LOST_S)
            except RayTaskError as error:
                cause = error.cause
                raise cause if isinstance(cause, ShoalError) else _broken("keeper", cause) from None
            except RayError as error:
                if time.monotonic() > until_s:
                    raise LostCluster(
                        f"the Ray cluster does not answer ({error}). What was committed is safe: "
                        "see that it is up, and repeat the command"
                    ) from error
                time.sleep(LOOK_S)


def _broken(name: str, error: BaseException) -> BrokenCrawler:
    return BrokenCrawler(
        f"the crawler {name} cannot go on: {type(error).__name__}: {error}", ShoalError.exit_code
    )
