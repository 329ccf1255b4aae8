"""One command, measured: CPU time, wall time and memory, and what nginx was asked meanwhile."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

TIMEOUT_S = 1_800.0


class Failed(Exception):
    """A measured command did not do its work; the message has the end of what it said."""


@dataclass(frozen=True, slots=True)
class Run:
    """``cpu_s`` is user and system time of the process and of all children it waited for."""

    cpu_s: float
    wall_s: float
    peak_mb: float
    requests: int
    pages: frozenset[str]
    """Paths that were answered with 200."""
    errors: int
    """Requests that were answered with anything else."""
    output: str


@dataclass(slots=True)
class AccessLog:
    """What nginx was asked since last looked at: lines of a status and a path."""

    path: Path
    _seen_bytes: int = 0

    def take(self) -> list[tuple[int, str]]:
        with self.path.open("rb") as file:
            file.seek(self._seen_bytes)
            new = file.read()
        self._seen_bytes += len(new)
        lines = (line.partition(" ") for line in new.decode("utf-8", "replace").splitlines())
        return [(int(status), path) for status, _, path in lines]


def measure(command: Sequence[str | Path], log: AccessLog, folder: Path) -> Run:
    """Run ``command`` in ``folder`` to its end. Raises Failed."""
    log.take()
    with tempfile.TemporaryFile(dir=folder) as said, tempfile.TemporaryFile(dir=folder) as wrong:
        began_s = time.perf_counter()
        process = subprocess.Popen(command, stdout=said, stderr=wrong, cwd=folder)
        status, usage = _wait(process)
        wall_s = time.perf_counter() - began_s
        said.seek(0)
        wrong.seek(0)
        if status != 0:
            tail = wrong.read()[-2_000:].decode("utf-8", "replace")
            raise Failed(f"{' '.join(map(str, command))} ended with {status}:\n{tail}")
        output = said.read().decode("utf-8", "replace")
    asked = log.take()
    return Run(
        cpu_s=usage.ru_utime + usage.ru_stime,
        wall_s=wall_s,
        peak_mb=usage.ru_maxrss / 1024,
        requests=len(asked),
        pages=frozenset(path for status, path in asked if status == 200),
        errors=sum(status != 200 for status, _ in asked),
        output=output,
    )


def _wait(process: subprocess.Popen[bytes]) -> tuple[int, resource.struct_rusage]:
    """The exit code and the use of resources of a process, which is ended if it takes too long."""
    until_s = time.monotonic() + TIMEOUT_S
    try:
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                process.returncode = os.waitstatus_to_exitcode(status)
                return process.returncode, usage
            if time.monotonic() > until_s:
                # Not Popen.kill: it would reap the process, and its use of resources with it.
                os.kill(process.pid, signal.SIGKILL)
                until_s = float("inf")
            time.sleep(0.02)
    finally:
        if process.returncode is None:
            process.kill()
