"""Makes the runs of an experiment over the cores of a machine.

1. What a run comes to does not depend on how many processes there are, or which one made it.
2. A finished run is kept at once; one that was kept before is not made again.
3. An error in a run ends the experiment and is raised here; what was finished stays finished.
"""

from __future__ import annotations

import gc
import multiprocessing
import signal
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from shoal.compose.lab import open_lab, run_cell
from shoal.compose.lab_team import open_team_lab, run_team_cell
from shoal.errors import ShoalError
from shoal.lab.experiment import Experiment
from shoal.lab.run_store import Kept, RunStore
from shoal.lab.team_experiment import TeamExperiment
from shoal.lab.team_walk import TeamWalk
from shoal.lab.walked import Walk

E = TypeVar("E", Experiment, TeamExperiment)
W = TypeVar("W", Walk, TeamWalk)


class LostProcess(ShoalError):
    """A process of the lab ended before its run did."""


class Trade(NamedTuple):
    """How experiments of one kind are opened and run. Both functions are imported by name in every
    process."""

    open: Callable[[Any, Path, Callable[[str, int, int], None]], AbstractContextManager[Any]]
    """From an experiment to its lab, which has a plan with cells."""
    run: Callable[[Any, Any], Any]
    """From a lab and one of the cells to its walk."""


STRATEGIES: Final = Trade(open_lab, run_cell)
PARTITIONS: Final = Trade(open_team_lab, run_team_cell)


def make_runs(
    experiment: E,
    lab: Any,
    cache: Path,
    store: RunStore[W],
    processes: int,
    tell: Callable[[Kept[W], bool], None],
    trade: Trade = STRATEGIES,
) -> dict[str, W]:
    """Every run of the plan, by its cell's name."""
    walks: dict[str, W] = {}
    missing: list[int] = []
    for place, cell in enumerate(lab.plan.cells):
        kept = store.find(cell.fingerprint)
        if kept is None:
            missing.append(place)
        else:
            walks[cell.name] = kept.walk
            tell(kept, False)
    for place, kept in _made(trade, experiment, lab, cache, missing, processes):
        store.keep(lab.plan.cells[place].fingerprint, kept)
        walks[lab.plan.cells[place].name] = kept.walk
        tell(kept, True)
    return walks


def _made(
    trade: Trade, experiment: object, lab: Any, cache: Path, places: list[int], processes: int
) -> Iterator[tuple[int, Kept[Any]]]:
    """The runs at these places of the plan, as they are finished."""
    if processes == 1 or len(places) < 2:
        with _few_collections():
            for place in places:
                yield place, _timed(trade, lab, place)
        return
    workers = [_hire(trade, experiment, cache) for _ in range(min(processes, len(places)))]
    try:
        yield from _spread(workers, iter(places))
    finally:
        for worker in workers:
            worker.line.close()
            worker.process.terminate()
            worker.process.join()


class _Worker(NamedTuple):
    """A process that makes one run at a time, and the line to it: a place out, a Kept back."""

    process: BaseProcess
    line: Connection


def _spread(workers: list[_Worker], places: Iterator[int]) -> Iterator[tuple[int, Kept[Any]]]:
    """Give each worker the next place as soon as it has finished one."""
    busy: dict[Connection, int] = {}
    for worker, place in zip(workers, places, strict=False):
        worker.line.send(place)
        busy[worker.line] = place
    while busy:
        for line in wait(list(busy)):
            assert isinstance(line, Connection)
            try:
                answer = line.recv()
            except EOFError as error:
                raise LostProcess(
                    "a process of the lab was ended (by the system, for want of memory?). What "
                    "was finished is kept: repeat the command, with fewer --processes"
                ) from error
            if isinstance(answer, BaseException):
                raise answer
            yield busy.pop(line), answer
            for place in places:
                line.send(place)
                busy[line] = place
                break


def _hire(trade: Trade, experiment: object, cache: Path) -> _Worker:
    # A fresh interpreter: what a fork would inherit (threads, open files) is of no use to it.
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_work, args=(theirs, trade, experiment, cache), daemon=True)
    process.start()
    theirs.close()
    return _Worker(process, ours)


def _work(line: Connection, trade: Trade, experiment: object, cache: Path) -> None:
    """The life of a worker: until nobody is at the other end of the line."""
    # Ctrl-C is for whoever started us; they end us.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with _few_collections(), trade.open(experiment, cache, _silent) as lab:
            while True:
                line.send(_timed(trade, lab, line.recv()))
    except EOFError:
        return
    except Exception as error:  # noqa: BLE001 - whatever it is, whoever asked for the run must hear
        error.add_note(traceback.format_exc())
        line.send(error)


def _silent(web: str, done: int, total: int) -> None:
    del web, done, total


def _timed(trade: Trade, lab: Any, place: int) -> Kept[Any]:
    cell = lab.plan.cells[place]
    began_s = time.perf_counter()
    walk = trade.run(lab, cell)
    return Kept(name=cell.name, seconds=time.perf_counter() - began_s, walk=walk)


@contextmanager
def _few_collections() -> Iterator[None]:
    """Look for reference cycles less often, as a crawl from the command line does."""
    before = gc.get_threshold()
    gc.set_threshold(50_000, 20, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)
