"""What needs a process of its own: signals, a terminal, pipes, and two crawlers at once."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import socket
import subprocess
import sys
import time
from contextlib import closing
from io import BytesIO
from pathlib import Path

import pycurl
import pytest

from shoal.directory import CrawlDirectory
from tests.cli.command import end, refused, said, shoal, start, started, wait_for, well
from tests.cli.webs import ENDLESS, ENDLESS_SEED, SEED, TOPIC

BUSY = ("crawl", TOPIC, "--seeds", ENDLESS_SEED, "--web", ENDLESS, "--set", "crawl.batch_pages=20")
SIGNALS = (signal.SIGINT, signal.SIGTERM)


def known_pages(directory: Path) -> int:
    found = json.loads(well("report", directory, "--json").out)
    return int(found["pages"])


# --------------------------------------------------------------------------- asked to end


@pytest.mark.parametrize("number", SIGNALS)
def test_a_busy_crawl_ends_soon_and_goes_on(tmp_path: Path, number: signal.Signals) -> None:
    directory, log = tmp_path / "c", tmp_path / "log"
    command = (*BUSY, "--out", directory)
    with started(*command, "--log", "json", log=log) as process:
        wait_for('"settled"', log, process)
        assert end(process, number) == 130
    assert "stopped" in said(log)
    found = json.loads(well("report", directory, "--json").out)
    assert found["stop_reason"] == "interrupted"
    goal = found["pages"] + 5
    well("crawl", "--out", directory, "--pages", str(goal), "--accept-changes")
    assert known_pages(directory) == goal


def test_a_crawl_that_only_waits_ends_soon_too(tmp_path: Path) -> None:
    """A dead host is parked for a minute; nobody has to sit that out."""
    with closing(socket.socket()) as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    directory, log = tmp_path / "c", tmp_path / "log"
    command = ("crawl", TOPIC, "--seeds", f"http://127.0.0.1:{port}/", "--allow-private")
    parked = ("--set", "politeness.park_after=1")
    with started(*command, *parked, "--out", directory, log=log) as process:
        wait_for("] waiting", log, process)
        assert end(process, signal.SIGINT) == 130
    assert "stopped, interrupted" in said(log)


def test_a_second_crawler_is_kept_out(tmp_path: Path) -> None:
    directory, log = tmp_path / "c", tmp_path / "log"
    command = (*BUSY, "--out", directory)
    with started(*command, "--log", "json", log=log) as process:
        wait_for('"settled"', log, process)
        refused(shoal(*command), 4, f"already at work.*{process.pid}")
        assert process.poll() is None, "the first one goes on"
        assert CrawlDirectory(directory).settings().crawl.batch_pages == 20
        well("report", directory, "--json")
        assert end(process, signal.SIGINT) == 130
    well("crawl", "--out", directory, "--pages", "1", "--accept-changes")


# --------------------------------------------------------------------------- pipes


def test_a_reader_that_has_seen_enough(finished: Path, tmp_path: Path) -> None:
    """As ``shoal pages DIR | head -1`` does; here the reader is gone before the first line."""
    for command in (("pages", finished, "--json"), ("report", finished), ("config", "schema")):
        reader, writer = os.pipe()
        os.close(reader)
        with (tmp_path / "log").open("wb") as err:
            process = start(*command, err=err, out=writer)
            os.close(writer)
            code = process.wait(30)
        assert said(tmp_path / "log") == ""
        assert code in (0, 1)


# --------------------------------------------------------------------------- serve-frozen


@pytest.mark.parametrize("number", SIGNALS)
def test_serve_frozen(web: Path, tmp_path: Path, number: signal.Signals) -> None:
    log = tmp_path / "log"
    with started("serve-frozen", web, "--port", "0", log=log) as process:
        wait_for("Try: curl", log, process)
        found = re.search(r"http://127\.0\.0\.1:(\d+)", said(log))
        assert found
        proxy = found[0]
        assert re.search(rf"Try: curl -x {proxy} http://garden\.example/\S*\n", said(log))
        status, body = ask(f"{SEED}tomatoes.html", (pycurl.PROXY, proxy))
        assert (status, b"Prune the vines" in body) == (200, True)
        assert ask(f"{SEED}gone.html", (pycurl.PROXY, proxy))[0] == 404
        plainly = [f"garden.example:80:127.0.0.1:{found[1]}"]
        assert ask(SEED, (pycurl.CONNECT_TO, plainly)) == ask(SEED, (pycurl.PROXY, proxy))
        assert end(process, number) == 0


def ask(url: str, option: tuple[int, object]) -> tuple[int, bytes]:
    body = BytesIO()
    with closing(pycurl.Curl()) as curl:
        curl.setopt(pycurl.URL, url)
        curl.setopt(pycurl.NOPROXY, "")
        curl.setopt(*option)
        curl.setopt(pycurl.WRITEDATA, body)
        curl.setopt(pycurl.TIMEOUT, 20)
        curl.perform()
        return int(curl.getinfo(pycurl.RESPONSE_CODE)), body.getvalue()


# --------------------------------------------------------------------------- who is crawling

# A live crawl that needs no net: its only seed is a loopback address, which is refused.
LIVE = ("crawl", TOPIC, "--seeds", "http://127.0.0.1:9/")
QUESTION = "At which mail or web address"


def on_a_terminal(answer: str, *arguments: object) -> tuple[int, str]:
    """Exit code and screen of ``shoal`` on a terminal of its own; ``answer`` goes to a question."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "shoal", *map(str, arguments)],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "120"},
        start_new_session=True,
    )
    os.close(theirs)
    screen, asked, until = b"", False, time.monotonic() + 60
    try:
        while time.monotonic() < until:
            if select.select([ours], [], [], 0.1)[0]:
                try:
                    data = os.read(ours, 65536)
                except OSError:  # a terminal whose last writer has gone
                    break
                screen += data
            if not asked and b"contact:" in screen:
                asked = True
                os.write(ours, f"{answer}\n".encode())
    finally:
        os.close(ours)
        if time.monotonic() >= until:
            process.kill()
        process.wait()
    return process.returncode, screen.decode("utf-8", "replace")


def test_on_a_terminal_it_asks_once(tmp_path: Path) -> None:
    directory = tmp_path / "c"
    code, screen = on_a_terminal("me@garden.example", *LIVE, "--out", directory)
    assert (code, QUESTION in screen) == (0, True)
    assert "The user agent will name me@garden.example." in screen
    assert CrawlDirectory(directory).settings().fetch.contact == "me@garden.example"
    code, screen = on_a_terminal("", *LIVE, "--out", directory)
    assert (code, QUESTION in screen) == (0, False), screen


def test_a_small_or_a_frozen_crawl_asks_nobody(tmp_path: Path, web: Path) -> None:
    small = (*LIVE, "--pages", "100", "--out", tmp_path / "small")
    frozen = ("crawl", TOPIC, "--seeds", SEED, "--web", web, "--out", tmp_path / "frozen")
    for command in (small, frozen):
        code, screen = on_a_terminal("", *command)
        assert (code, QUESTION in screen) == (0, False), screen
        assert "warning" not in screen


def test_elsewhere_it_warns(tmp_path: Path, web: Path) -> None:
    warning = "warning: no contact address"
    assert warning in well(*LIVE, "--out", tmp_path / "a").err
    told = ("--set", "fetch.contact=me@garden.example")
    assert warning not in well(*LIVE, *told, "--out", tmp_path / "b").err
    assert warning not in well(*LIVE, "--pages", "100", "--out", tmp_path / "c").err
    frozen = ("--seeds", SEED, "--web", web, "--out", tmp_path / "d")
    assert warning not in well("crawl", TOPIC, *frozen).err
