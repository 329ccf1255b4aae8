"""A Ray cluster of three machines on one: each has a network, an address and a disk of its own.

A machine is a network namespace and a mount namespace, held open by a process that sleeps; a
bridge in a fourth joins them. What ends the holders ends it all. Ray is told nothing of this: it
sees three machines, which can be killed, cut off, started again, or have their disks filled.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

NETWORK = "10.77.0"
HUB = f"{NETWORK}.254"
PORT = 6379
CPUS = 2
UP_S = 120.0
BIN = Path(sys.executable).parent
QUICK = {
    # Ray takes about a minute to believe that a machine is away: longer than tests cut one off. On
    # a busy machine it must not be much less, or those that are only slow are away, too.
    "RAY_health_check_period_ms": "2000",
    "RAY_health_check_timeout_ms": "5000",
    "RAY_health_check_failure_threshold": "4",
}


def why_not() -> str | None:
    """Why there can be no such cluster here; None where there can."""
    if find_spec("ray") is None:
        return "Ray is not installed: pip install -r requirements-ray.lock (make test does)"
    if shutil.which("ip") is None or shutil.which("nsenter") is None:
        return "there is no `ip` or `nsenter` here: apt-get install iproute2 util-linux"
    tried = subprocess.run(
        ["unshare", "--net", "--mount", "true"], capture_output=True, check=False
    )
    if tried.returncode:
        return f"no namespaces here: {tried.stderr.decode().strip()}"
    return None


@dataclass
class Machine:
    """One of the three. Its crawl directory is at the same path as everybody's, and its own."""

    number: int
    holder: subprocess.Popen[bytes]
    environment: dict[str, str]

    @property
    def address(self) -> str:
        return f"{NETWORK}.{self.number}"

    def inside(self, *command: str) -> list[str]:
        return ["nsenter", "-t", str(self.holder.pid), "--net", "--mount", "--", *command]

    def run(self, *command: str) -> str:
        """Raises CalledProcessError."""
        done = subprocess.run(
            self.inside(*command),
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            text=True,
        )
        assert not done.returncode, f"{' '.join(command)}\n{done.stdout}"
        return done.stdout

    def processes(self, name: str = "") -> list[int]:
        """Those that run here, by what their command lines hold."""
        network = _network_of(Path(f"/proc/{self.holder.pid}"))
        found = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) == self.holder.pid:
                continue
            try:
                here = _network_of(entry) == network
                line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
            if here and name in line:
                found.append(int(entry.name))
        return found

    def kill_all(self, name: str = "") -> None:
        for pid in self.processes(name):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue


@dataclass
class Machines:
    """The first is the head of the cluster."""

    hub: subprocess.Popen[bytes]
    all: list[Machine] = field(default_factory=list)

    def __getitem__(self, number: int) -> Machine:
        """From 1, as in its address."""
        return self.all[number - 1]

    def start_ray(self, *numbers: int) -> None:
        """`ray start`, on the head first."""
        rest = []
        for number in numbers:
            machine = self[number]
            where = ["--head", f"--port={PORT}", "--include-dashboard=false"]
            if number != 1:
                where = [f"--address={self[1].address}:{PORT}"]
            command = [
                *(str(BIN / "ray"), "start", *where),
                f"--node-ip-address={machine.address}",
                f"--num-cpus={CPUS}",
                "--object-store-memory=80000000",
                "--disable-usage-stats",
            ]
            if number == 1:
                machine.run(*command)
            else:
                rest.append(
                    subprocess.Popen(
                        machine.inside(*command),
                        env=machine.environment,
                        stdout=subprocess.DEVNULL,
                        stderr=subprocess.DEVNULL,
                    )
                )
        for process in rest:
            assert process.wait(UP_S) == 0

    def cut_off(self, number: int) -> None:
        self._in_hub("ip", "link", "set", f"v{number}", "down")

    def join_again(self, number: int) -> None:
        self._in_hub("ip", "link", "set", f"v{number}", "up")

    def _in_hub(self, *command: str) -> None:
        subprocess.run(["nsenter", "-t", str(self.hub.pid), "--net", "--", *command], check=True)


@contextmanager
def three_machines(
    folder: Path, environment: Mapping[str, str] | None = None
) -> Iterator[Machines]:
    """A cluster of three."""
    with bare_machines(folder, 3) as machines:
        for machine in machines.all:
            machine.environment = {**machine.environment, **(environment or {})}
        machines.start_ray(1, 2, 3)
        yield machines


@contextmanager
def bare_machines(folder: Path, count: int, *, disk: str = "200m") -> Iterator[Machines]:
    """Machines on which nothing runs yet. ``folder / "crawl"`` is each one's own, and empty."""
    token = folder / "token"
    token.write_text("0" * 64)
    environment = {
        **os.environ,
        "RAY_AUTH_TOKEN_PATH": str(token),
        "RAY_AUTH_MODE": "token",
        "RAY_worker_niceness": "0",
    }
    crawl = folder / "crawl"
    crawl.mkdir()
    machines = Machines(_hold())
    hub = machines._in_hub
    try:
        hub("ip", "link", "add", "br0", "type", "bridge")
        hub("ip", "addr", "add", f"{HUB}/24", "dev", "br0")
        hub("ip", "link", "set", "br0", "up")
        for number in range(1, count + 1):
            machine = Machine(number, _hold(), environment)
            machines.all.append(machine)
            holder = str(machine.holder.pid)
            hub(
                "ip",
                "link",
                "add",
                f"v{number}",
                "type",
                "veth",
                "peer",
                "name",
                "e0",
                "netns",
                holder,
            )
            hub("ip", "link", "set", f"v{number}", "master", "br0")
            hub("ip", "link", "set", f"v{number}", "up")
            machine.run("ip", "addr", "add", f"{machine.address}/24", "dev", "e0")
            machine.run("ip", "link", "set", "e0", "up")
            machine.run("ip", "link", "set", "lo", "up")
            machine.run("ip", "route", "add", "default", "via", HUB)
            ray = Path("/tmp/ray")  # where Ray keeps what it has on a machine
            ray.mkdir(exist_ok=True)
            machine.run("mount", "-t", "tmpfs", "tmpfs", str(ray))
            machine.run("mount", "-t", "tmpfs", "-o", f"size={disk}", "tmpfs", str(crawl))
        yield machines
    finally:
        for machine in machines.all:
            for _ in range(3):
                machine.kill_all()
            machine.holder.kill()
            machine.holder.wait()
        machines.hub.kill()
        machines.hub.wait()


def gather(machines: Machines, folder: Path) -> Path:
    """The crawl's directory of the first machine, with the Crawlers' own of every machine, as
    whoever reads a crawl copies them together."""
    gathered = folder / "gathered"
    shutil.rmtree(gathered, ignore_errors=True)
    gathered.mkdir()
    for machine in machines.all:
        machine.run("cp", "-a", f"{folder / 'crawl'}/.", str(gathered))
    return gathered


def wait_until(is_so: Callable[[], bool], what: str, patience_s: float = UP_S) -> None:
    until_s = time.monotonic() + patience_s
    while not is_so():
        assert time.monotonic() < until_s, f"{what}: not within {patience_s:.0f} s"
        time.sleep(0.05)


def _network_of(process: Path) -> str:
    return str((process / "ns" / "net").readlink())


def _hold() -> subprocess.Popen[bytes]:
    """Namespaces for as long as this process sleeps."""
    holder = subprocess.Popen(["unshare", "--net", "--mount", "sleep", "infinity"])
    ours = _network_of(Path("/proc/self"))
    until_s = time.monotonic() + UP_S
    while _network_of(Path(f"/proc/{holder.pid}")) == ours:
        assert time.monotonic() < until_s
        time.sleep(0.01)
    return holder
