"""A PostgreSQL server of the tests' own, in a temporary folder, on a Unix socket alone.

    python -m tests.postgres.server /tmp

runs one in a folder of its own below the one that is given, for benches, until Ctrl-C ends it.
"""

from __future__ import annotations

import ctypes
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psycopg

START_S = 60.0
ROOM_BYTES = 2_000_000_000
_USERS = ("postgres", "nobody")
"""PostgreSQL does not run as root: whoever of these there is runs it there."""
_PR_SET_PDEATHSIG = 1


def find_binaries() -> Path | None:
    """Where initdb and postgres are: on the path, or where Debian puts them."""
    found = shutil.which("initdb")
    if found is not None:
        return Path(found).resolve().parent
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return places[-1].parent if places else None


@dataclass
class Server:
    """A running server, which tests may stop, kill and start again."""

    binaries: Path
    folder: Path
    user: str | None
    process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"postgresql://postgres@/postgres?host={self.folder}"

    def initialise(self) -> None:
        data = self.folder / "data"
        self._run(
            "initdb", "-D", str(data), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C",
            "--no-sync",
        )  # fmt: skip

    def start(self) -> None:
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(self.folder),
            "shared_buffers": "32MB",
            "max_connections": "60",
        }
        command = [str(self.binaries / "postgres"), "-D", str(self.folder / "data")]
        for name, value in settings.items():
            command += ["-c", f"{name}={value}"]
        log = (self.folder / "log").open("ab")
        with log:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                user=self.user,
                # It ends with the tests, however they end.
                preexec_fn=_end_with_parent,
                start_new_session=True,
            )
        ends_s = time.monotonic() + START_S
        while True:
            try:
                psycopg.connect(self.address).close()
            except psycopg.OperationalError:
                if self.process.poll() is not None or time.monotonic() > ends_s:
                    raise
                time.sleep(0.05)
            else:
                return

    def end(self, number: signal.Signals = signal.SIGINT) -> None:
        """SIGINT ends it in order and cuts every session off; SIGQUIT is a crash."""
        if self.process is not None:
            self.process.send_signal(number)
            self.process.wait(START_S)
            self.process = None

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [str(self.binaries / program), *arguments],
            check=True,
            capture_output=True,
            cwd=self.folder,
            user=self.user,
        )


@contextmanager
def running(binaries: Path, below: str | None = None) -> Iterator[Server]:
    folder = Path(tempfile.mkdtemp(prefix="shoal-pg-", dir=below or _place()))
    user = None
    if os.geteuid() == 0:
        user = next(name for name in _USERS if _is_user(name))
        os.chown(folder, pwd.getpwnam(user).pw_uid, pwd.getpwnam(user).pw_gid)
    server = Server(binaries, folder, user)
    try:
        server.initialise()
        server.start()
        yield server
    finally:
        # Nothing of it is kept: there is no need for a last checkpoint.
        server.end(signal.SIGQUIT)
        shutil.rmtree(folder)


def _place() -> str:
    """A folder in memory where there is room: each schema is some fifty files. Short, for the path
    of a Unix socket has about a hundred characters."""
    memory = Path("/dev/shm")
    roomy = memory.is_dir() and shutil.disk_usage(memory).free > ROOM_BYTES
    return str(memory) if roomy else "/tmp"


def _is_user(name: str) -> bool:
    with suppress(KeyError):
        return bool(pwd.getpwnam(name))
    return False


def _end_with_parent() -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGINT)


def main() -> None:
    binaries = find_binaries()
    assert binaries is not None, "there is no PostgreSQL server here"
    with running(binaries, sys.argv[1]) as server:
        print(server.address, flush=True)
        with suppress(KeyboardInterrupt):
            signal.pause()


if __name__ == "__main__":
    main()
