"""Runs ``shoal``: in this process where that will do, in one of its own where signals matter."""

from __future__ import annotations

import contextlib
import io
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from unittest import mock

from shoal import cli

COLUMNS = "200"
"""Wide, so that no sentence is broken over two lines."""
BEGINNING_S = 30.0
ENDING_S = 5.0
"""A crawl that is asked to end does so within this time."""


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


def shoal(*arguments: str | Path, **environment: str) -> Ran:
    """The entry point itself, with its exit code and what it printed."""
    out, err = io.StringIO(), io.StringIO()
    words = ["shoal", *map(str, arguments)]
    code: object = 0
    with (
        mock.patch.object(sys, "argv", words),
        mock.patch.dict(os.environ, {"COLUMNS": COLUMNS, "TERM": "dumb", **environment}),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            cli.main()
        except SystemExit as end:
            code = end.code
    return Ran(code if isinstance(code, int) else 0, out.getvalue(), err.getvalue())


def well(*arguments: str | Path, **environment: str) -> Ran:
    """The same, and it must end well."""
    ran = shoal(*arguments, **environment)
    assert ran.code == 0, ran.err
    return ran


def refused(ran: Ran, code: int, message: str) -> None:
    """One message that says it, one exit code, nothing on standard output."""
    assert ran.code == code, ran.err
    assert re.search(message, ran.err), ran.err
    assert ran.err.count("shoal:") == 1, ran.err
    assert "Traceback" not in ran.err
    assert ran.out == ""


@contextlib.contextmanager
def started(*arguments: str | Path, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """``shoal`` in a process of its own, whose complaints go to ``log``; gone when this ends."""
    with log.open("wb") as err:
        process = start(*arguments, err=err)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def start(
    *arguments: str | Path, err: IO[bytes] | int, out: IO[bytes] | int = subprocess.PIPE
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "shoal", *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=err,
        env={**os.environ, "COLUMNS": COLUMNS, "TERM": "dumb"},
    )


def wait_for(text: str, log: Path, process: subprocess.Popen[bytes]) -> None:
    """Until the process has said ``text``."""
    until = time.monotonic() + BEGINNING_S
    while text not in said(log):
        assert process.poll() is None, f"it ended: {said(log)}"
        assert time.monotonic() < until, f"no {text!r} in: {said(log)}"
        time.sleep(0.02)


def said(log: Path) -> str:
    return log.read_text(encoding="utf-8", errors="replace")


def end(process: subprocess.Popen[bytes], number: signal.Signals) -> int:
    """The exit code after a signal; too slow an end is a failure."""
    process.send_signal(number)
    return process.wait(ENDING_S)
