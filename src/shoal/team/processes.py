"""Runs a Team as processes of one machine.

This process leads the Team (``lead.py``), and answers the Crawlers one question at a time; each
Crawler is a process of its own, with its own state and archive, at the other end of a pipe.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnContext
from multiprocessing.process import BaseProcess
from typing import Final

from shoal.crawl.stop import Stop
from shoal.team.desk import Broke, Finished, Question
from shoal.team.lead import Lead
from shoal.team.roll import END_S

LOOK_S: Final = 0.2
"""The longest look away: what a person presses, and who has died, is noticed within this time."""


@dataclass(frozen=True)
class _Worker:
    """One Crawler's process."""

    name: str
    process: BaseProcess
    line: Connection


class ProcessTeam:
    """Crawlers by name, each made by ``work(line, name)`` in a process of its own."""

    def __init__(self, lead: Lead, work: Callable[[Connection, str], None]) -> None:
        self._lead = lead
        self._work = work
        self._context = SpawnContext()
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
                    self._workers[name].process.kill()
                    self._lost(name, why)
        finally:
            for worker in self._workers.values():
                if self._lead.has_left(worker.name):
                    # It has said its last word, and puts its files away.
                    worker.process.join(END_S)
                if worker.process.is_alive():
                    worker.process.terminate()
                worker.process.join()
                worker.line.close()

    def _start(self, name: str) -> None:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=self._work, args=(theirs, name), daemon=True)
        process.start()
        theirs.close()
        self._workers[name] = _Worker(name, process, ours)

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
        worker.process.join(1.0)
        worker.line.close()
        if self._lead.lost(name, f"{why}, exit code {worker.process.exitcode}"):
            self._start(name)
