"""A crawl on a cluster of three machines, begun by the command line on the first of them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Any

from shoal import config
from shoal.settings import Settings
from tests.team.ray_machines import BIN, Machine, wait_until


@dataclass
class Crawl:
    """What the command says while it runs, and how it ended."""

    process: subprocess.Popen[str]
    events: list[dict[str, Any]] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith("{"):
                self.events.append(json.loads(line))
            else:
                self.said.append(line)

    def pages(self) -> int:
        return max(
            (event["pages"] for event in list(self.events) if event["event"] == "committed"),
            default=0,
        )

    def troubles(self) -> list[str]:
        return [event["why"] for event in list(self.events) if event["event"] == "crawler_trouble"]

    def wait_for_pages(self, pages: int) -> None:
        self.wait_until(lambda: self.pages() >= pages, f"{pages} pages")

    def wait_for_trouble(self, words: str) -> str:
        self.wait_until(lambda: any(words in why for why in self.troubles()), words)
        return next(why for why in self.troubles() if words in why)

    def wait_until(self, is_so: Any, what: str) -> None:
        def is_so_or_over() -> bool:
            assert self.process.poll() is None or is_so(), f"{what}: it ended\n{self.told()}"
            return bool(is_so())

        wait_until(is_so_or_over, f"{what} (so far {self.told()})")

    def end(self, patience_s: float = 180.0) -> int:
        return self.process.wait(patience_s)

    def told(self) -> str:
        return "".join([*self.said, *(f"{why}\n" for why in self.troubles())])


@contextmanager
def crawling(machine: Machine, folder: Path, made: Settings, *more: str) -> Iterator[Crawl]:
    """`shoal crawl` of these settings into ``folder / "crawl"``."""
    (folder / "wanted.toml").write_text(config.to_toml(made))
    command = [
        *(str(BIN / "shoal"), "crawl", "--config", str(folder / "wanted.toml")),
        *("--out", str(folder / "crawl"), "--log", "json", "--engine", "ray", *more),
    ]
    process = subprocess.Popen(
        machine.inside(*command),
        env=machine.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    crawl = Crawl(process)
    reader = Thread(target=crawl.read, daemon=True)
    reader.start()
    try:
        yield crawl
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        reader.join()
        assert process.stdout is not None
        process.stdout.close()
