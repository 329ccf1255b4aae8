"""Runs a Team on one machine: each Crawler at the other end of a pipe.

Whoever is at this end leads the Team (``lead.py``), and answers the Crawlers one question at a
time. Each Crawler has a state and an archive of its own, and is a process, or a thread of this
process: threads share one core, and can be watched by one debugger.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnContext
from threading import Thread
from typing import Final, Protocol

from shoal.crawl.stop import Stop
from shoal.team.desk import Broke, Finished, Question
from shoal.team.lead import Lead
from shoal.team.roll import END_S

LOOK_S: Final = 0.2
"""The longest look away: what a person presses, and who has died, is noticed within this time."""


Work = Callable[[Connection, str], None]
"""The life of a Crawler by its name, at its end of the pipe."""


class Life(Protocol):
    """What a Crawler lives in. A multiprocessing.Process is one."""

    @property
    def exitcode(self) -> int | None: ...

    def is_alive(self) -> bool: ...

    def join(self, timeout: float | None = None) -> None: ...

    def terminate(self) -> None:
        """Its line is closed already, and a Crawler that loses its line ends."""

    def kill(self) -> None: ...


Begin = Callable[[Work, Connection, str], Life]
"""Begins the life of a Crawler; its end of the pipe is not needed here any more."""


def in_process(work: Work, line: Connection, name: str) -> Life:
    process = SpawnContext().Process(target=work, args=(line, name), daemon=True)
    process.start()
    line.close()
    return process


def in_thread(work: Work, line: Connection, name: str) -> Life:
    return _ThreadLife(work, line, name)


class _ThreadLife:
    """A thread cannot be ended from outside: it ends by itself when it loses its line."""

    exitcode = None

    def __init__(self, work: Work, line: Connection, name: str) -> None:
        def live() -> None:
            # As the end of a process does, its end tells whoever is at the other end.
            with line:
                work(line, name)

        self._thread = Thread(target=live, name=name, daemon=True)
        self._thread.start()

    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def join(self, timeout: float | None = None) -> None:
        self._thread.join(timeout)

    def terminate(self) -> None: ...

    def kill(self) -> None: ...


@dataclass(frozen=True)
class _Worker:
    """One Crawler."""

    name: str
    life: Life
    line: Connection


class PipedTeam:
    """Crawlers by name, each begun by ``begin`` to do ``work(line, name)``."""

    def __init__(self, lead: Lead, work: Work, begin: Begin) -> None:
        self._lead = lead
        self._work = work
        self._begin = begin
        self._workers: dict[str, _Worker] = {}

    def run(self) -> Stop:
        """Raises what a Crawler could not get over."""
        self._run_generation()
        while self._lead.regroup():
            self._run_generation()
        return self._lead.outcome()

    def _run_generation(self) -> None:
        self._workers.clear()
        try:
            for name in self._lead.names:
                self._start(name)
            while not self._lead.all_left():
                self._listen()
                for name, why in self._lead.look_round():
                    self._workers[name].life.kill()
                    self._lost(name, why)
        finally:
            for worker in self._workers.values():
                if self._lead.has_left(worker.name):
                    # It has said its last word, and puts its files away.
                    worker.life.join(END_S)
                worker.line.close()
                if worker.life.is_alive():
                    worker.life.terminate()
                worker.life.join(END_S)

    def _start(self, name: str) -> None:
        ours, theirs = Pipe()
        self._workers[name] = _Worker(name, self._begin(self._work, theirs, name), ours)

    def _listen(self) -> None:
        at_work = [one for one in self._workers.values() if not self._lead.has_left(one.name)]
        lines = {worker.line: worker for worker in at_work}
        for line in wait(list(lines), LOOK_S):
            assert isinstance(line, Connection)
            worker = lines[line]
            try:
                self._hear(worker, line.recv())
            except (EOFError, OSError):
                self._lost(worker.name, "it ended without a word")

    def _hear(self, worker: _Worker, message: object) -> None:
        if isinstance(message, Question):
            worker.line.send(self._lead.answer(worker.name, message))
        elif isinstance(message, Finished | Broke):
            self._lead.part(worker.name, message)

    def _lost(self, name: str, why: str) -> None:
        worker = self._workers[name]
        worker.line.close()
        worker.life.join(1.0)
        if worker.life.exitcode is not None:
            why = f"{why}, exit code {worker.life.exitcode}"
        if self._lead.lost(name, why):
            self._start(name)
