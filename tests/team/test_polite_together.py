"""What a server sees of a Team: each host its delay, whoever asks and whoever was killed."""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
import socket
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from threading import Event as Flag

import pytest

from shoal import config
from shoal.compose.team import run_team
from shoal.crawl.stop import StopReason
from shoal.directory import CrawlDirectory
from shoal.settings import Settings
from tests.team.test_processes import children
from tests.web.live.servers import RawServer, raw_server, whole

DELAYS_S = {"a.test": 0.3, "b.test": 0.3, "c.test": 0.6}
"""Of each host; the last asks for its own in robots.txt."""
PAGES = 5
"""Of each host."""
PATIENCE_S = 120.0
_HEAD = re.compile(rb"GET (\S+) HTTP/1\.1\r\nHost: ([^\r:]+)")


class Log:
    """A server of three hosts at one address, and when it was asked for what."""

    def __init__(self) -> None:
        self.asked: list[tuple[float, str, str]] = []
        self.most_at_once = 0
        self._at_once = 0
        self._lock = threading.Lock()

    def answer(self, connection: socket.socket, head: bytes) -> bool:
        found = _HEAD.match(head)
        assert found is not None, head
        path, host = found[1].decode(), found[2].decode()
        with self._lock:
            self.asked.append((time.monotonic(), host, path))
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        time.sleep(0.05)
        with self._lock:
            self._at_once -= 1
        if path == "/robots.txt":
            body = b"User-agent: *\nCrawl-delay: %a\n" % DELAYS_S[host] if host == "c.test" else b""
            connection.sendall(whole(body, b"Content-Type: text/plain"))
        else:
            body = page(host, int(path[1:])).encode()
            connection.sendall(whole(body, b"Content-Type: text/html"))
        return True

    def pages(self) -> list[tuple[float, str, str]]:
        return [one for one in self.asked if one[2] != "/robots.txt"]


def page(host: str, number: int) -> str:
    links = [f"<a href='http://{host}/{to}'>{to}</a>" for to in range(PAGES)]
    links += [f"<a href='http://{other}/0'>{other}</a>" for other in DELAYS_S]
    return f"<p>Page {number} of {host} is about {number} things.</p>" + " ".join(links)


@contextmanager
def logged() -> Iterator[tuple[Log, RawServer]]:
    log = Log()
    with raw_server(log.answer) as server:
        yield log, server


def team_settings(port: int) -> Settings:
    return config.check(
        {
            "crawl": {"topic": ["things"], "seeds": ["http://a.test/0"], "batch_s": 0.2},
            "fetch": {
                "contact": "tester@example.org",
                "resolve": [f"*:*=127.0.0.1:{port}"],
                "allow_private": True,
            },
            "politeness": {"delay_s": 0.3, "delay_factor": 0.0},
            "duplicates": {"near": False},
            # Pages of one host belong to both: they take turns at it.
            "team": {"crawlers": 2, "partition": "url"},
        }
    )


def crawl(made: Settings, path: str) -> None:
    """What the killed process runs."""
    os.setpgid(0, 0)
    stop = run_team(made, CrawlDirectory(Path(path)), [], Flag())
    assert stop.reason is StopReason.FINISHED


@pytest.mark.parametrize("killed", ["keeper", "crawler"])
def test_no_two_requests_to_a_host_are_closer_than_its_delay(killed: str, tmp_path: Path) -> None:
    path = tmp_path / "team"
    context = multiprocessing.get_context("forkserver")
    with logged() as (log, server):
        made = team_settings(server.port)
        process = context.Process(target=crawl, args=(made, str(path)))
        process.start()
        assert process.pid is not None
        until_s = time.monotonic() + PATIENCE_S
        while len(log.pages()) < PAGES:
            assert time.monotonic() < until_s, "the team did not begin"
            time.sleep(0.01)
        workers = children(process.pid)
        os.kill(process.pid if killed == "keeper" else workers[0], signal.SIGKILL)
        if killed == "keeper":
            process.join()
            while any(Path(f"/proc/{pid}").exists() for pid in workers):
                assert time.monotonic() < until_s, "a crawler outlived its keeper"
                time.sleep(0.02)
            process = context.Process(target=crawl, args=(made, str(path)))
            process.start()
        process.join(PATIENCE_S)
        assert process.exitcode == 0
    times: dict[str, list[float]] = defaultdict(list)
    for at_s, host, _ in log.asked:
        times[host].append(at_s)
    for host, delay_s in DELAYS_S.items():
        gaps = [later - earlier for earlier, later in pairwise(times[host])]
        # The robots.txt is what says that the delay is longer: it holds from then on.
        assert min(gaps) >= min(DELAYS_S.values())
        assert min(gaps[1:]) >= delay_s
    assert log.most_at_once <= made.politeness.per_ip
    fetched = Counter((host, path) for _, host, path in log.pages())
    assert set(fetched) == {(host, f"/{number}") for host in DELAYS_S for number in range(PAGES)}
    # What was under way when somebody was killed, or not committed yet, is asked for again.
    assert max(fetched.values()) <= 2
