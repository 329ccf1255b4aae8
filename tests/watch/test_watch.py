from __future__ import annotations

import json
import math
import re
import socket
import threading
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import fields
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from shoal.events import Committed, HostGivenUp, Started, Stopped, Waiting
from shoal.model import Outcome, Standing
from shoal.settings import CrawlSettings, WatchSettings
from shoal.watch.choose import Watchers, pick_watchers
from shoal.watch.display import DisplayWatcher
from shoal.watch.json_lines import EVENTS, JsonWatcher, event_name
from shoal.watch.lines import LineWatcher, times
from shoal.watch.metrics import MetricsWatcher
from shoal.watch.output import Output
from shoal.watch.tally import Before, Tally
from tests.watch.streams import START_S, settled, stream

REFERENCE = Path(__file__).parents[2] / "docs" / "reference" / "events.md"
NONE = Standing(0, 0, 0, 0, 0, 0, 0)


class Ticks:
    """Real time as a test wants it."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def lines(every_s: float = 5.0) -> tuple[LineWatcher, StringIO, Ticks]:
    out, ticks = StringIO(), Ticks()
    return LineWatcher(Output(out), Tally(CrawlSettings(pages=1_000)), every_s, ticks), out, ticks


def sections() -> Iterator[tuple[str, list[str]]]:
    for part in REFERENCE.read_text(encoding="utf-8").split("\n#")[1:]:
        title = part.partition("\n")[0].strip("# `")
        yield title, re.findall(r"^\| `(\w+)`", part, re.MULTILINE)


def test_the_tally_counts() -> None:
    tally = Tally(CrawlSettings(pages=100, bytes=1_000_000), Before(10, 5, 100_000, 60.0))
    for number in range(8):
        tally.see(settled(START_S + number, relevance=number / 10))
    for outcome in (Outcome.HTTP_ERROR, Outcome.RETRY, Outcome.DUPLICATE, Outcome.ROBOTS):
        tally.see(settled(START_S + 10, outcome))
    assert (tally.pages, tally.relevant, tally.bytes) == (18, 8, 180_000)
    assert (tally.errors, tally.retries, tally.duplicates) == (2, 1, 1)
    assert tally.harvest == pytest.approx(8 / 18)
    assert tally.recent_harvest == pytest.approx(3 / 8)
    assert tally.progress() == (0.18, "100 pages")
    tally.see(Committed(START_S + 11, NONE, 40, 7))
    assert (tally.pages, tally.in_flight) == (40, 7)


def test_the_window_forgets() -> None:
    tally = Tally(CrawlSettings())
    for number in range(1_500):
        tally.see(settled(START_S + number, relevance=1.0 if number < 1_000 else 0.0))
    assert tally.recent_harvest == 0.0
    assert tally.harvest == pytest.approx(2 / 3)
    assert len(tally.trend) < 120
    assert tally.progress() is None


def test_rates_are_of_the_last_seconds() -> None:
    tally = Tally(CrawlSettings())
    for second in range(100):
        for _ in range(10 if second < 50 else 2):
            tally.see(settled(START_S))
        rates = tally.rates(float(second))
    assert rates.pages_s == pytest.approx(2.0)
    assert rates.bytes_s == pytest.approx(20_000.0)


def test_lines_come_at_their_pace() -> None:
    watcher, out, ticks = lines()
    for event in stream(1_000):
        ticks.now_s += 0.01
        watcher.see(event)
    watcher.close()
    said = out.getvalue().splitlines()
    assert "crawling for dengue fever: 40 Urls waiting" in said[0]
    assert sum("harvest" in line for line in said) == 3
    assert any("gave up dead.example.net" in line for line in said)
    assert "stopped, pages: " in said[-1]
    assert "crawl clock" in said[-1], "the two clocks differ here"
    assert all("\x1b" not in line for line in said)


def test_a_long_wait_is_said_at_once_and_once() -> None:
    watcher, out, ticks = lines()
    watcher.see(Started(START_S, True, "x", NONE))
    for number in range(50):
        ticks.now_s += 0.02
        watcher.see(Waiting(START_S, START_S + 1, "a: pause"))
        watcher.see(Waiting(START_S, START_S + 7_200, "a: Retry-After"))
        watcher.see(settled(START_S + number))
    said = [line for line in out.getvalue().splitlines() if "waiting" in line]
    assert len(said) == 2
    assert "resuming" in said[0]
    assert "waiting 2 h 0 min until 2026-09-21 16:13:20 UTC: a: Retry-After" in said[1]


def test_a_wait_without_an_end_can_be_said() -> None:
    watcher, out, _ = lines()
    watcher.see(Started(START_S, False, "x", NONE))
    watcher.see(Waiting(START_S, math.inf, "all hosts are being asked"))
    assert "waiting: all hosts are being asked" in out.getvalue()


def test_many_lost_hosts_are_counted_not_listed() -> None:
    watcher, out, ticks = lines()
    watcher.see(Started(START_S, False, "x", NONE))
    for number in range(1_000):
        ticks.now_s += 0.006
        watcher.see(HostGivenUp(START_S, f"h{number}.example.org", "dead \x1b[31m", 3))
    said = [line for line in out.getvalue().splitlines() if "gave up" in line]
    assert len(said) == 2
    assert re.search(r"and 8\d\d other hosts", said[1])
    assert "\x1b" not in out.getvalue()


def test_both_clocks_are_shown_only_where_they_differ() -> None:
    assert times(100.0, 101.0) == "1 min 40 s"
    assert times(100.0, 9_000.0) == "1 min 40 s, crawl clock 2 h 30 min"


class BrokenPipe(StringIO):
    def write(self, text: str) -> int:
        raise BrokenPipeError(32, "Broken pipe")


def test_a_log_nobody_reads_does_not_end_the_crawl() -> None:
    output = Output(BrokenPipe())
    for watcher in (
        JsonWatcher(output, lambda: START_S),
        LineWatcher(output, Tally(CrawlSettings()), 1.0, Ticks()),
    ):
        for event in stream(10):
            watcher.see(event)
        watcher.close()
    assert output.failure == "[Errno 32] Broken pipe"
    closed = StringIO()
    closed.close()
    shut = Output(closed)
    shut.line("x")
    shut.flush()
    assert shut.failure is not None


def test_json_lines_have_every_field() -> None:
    out = StringIO()
    watcher = JsonWatcher(Output(out), lambda: START_S)
    sent = list(stream(120))
    for event in sent:
        watcher.see(event)
    watcher.close()
    rows = [json.loads(line) for line in out.getvalue().splitlines()]
    assert len(rows) == len(sent)
    assert {row["event"] for row in rows} == {event_name(kind) for kind in EVENTS}
    for row, event in zip(rows, sent, strict=True):
        assert row["event"] == event_name(type(event))
        assert set(row) == {"event", "time", *(field.name for field in fields(event))}
    assert rows[0]["standing"]["hosts_waiting"] == 30
    assert rows[0]["time"] == "2026-09-21T14:13:20.000Z"


def test_the_reference_names_every_event_field_and_metric() -> None:
    named = {title: fields_ for title, fields_ in sections() if fields_}
    metrics = MetricsWatcher(Tally(CrawlSettings()), 0).registry.collect()
    in_code = {event_name(kind): [field.name for field in fields(kind)] for kind in EVENTS}
    in_code["Metrics"] = [
        f"{one.name}_total" if one.type == "counter" else one.name for one in metrics
    ]
    assert sorted(named.pop("Metrics")) == sorted(in_code.pop("Metrics"))
    assert named == in_code
    text = REFERENCE.read_text(encoding="utf-8")
    assert all(f"`{name}`" in text for name in (*Outcome, *Standing._fields))


def scrape(port: int) -> str:
    address = f"http://127.0.0.1:{port}/metrics"
    with closing(urllib.request.urlopen(address, timeout=5)) as answer:
        body: bytes = answer.read()
    return body.decode()


def test_metrics_are_served_and_end() -> None:
    watcher = MetricsWatcher(Tally(CrawlSettings()), 0)
    threads = threading.active_count()
    watcher.start()
    port = watcher.port
    try:
        sent = list(stream(300))
        for event in sent:
            watcher.see(event)
        text = scrape(port)
    finally:
        watcher.close()
    watcher.close()
    counts = Counter(event.outcome for event in sent if hasattr(event, "outcome"))
    assert f"shoal_pages_total {counts[Outcome.PAGE]}.0" in text
    assert f'shoal_settled_total{{outcome="duplicate"}} {counts[Outcome.DUPLICATE]}.0' in text
    assert f'shoal_failures_total{{kind="timeout"}} {counts[Outcome.FAILED]}.0' in text
    assert "shoal_fetch_seconds_count 300.0" in text
    assert "shoal_new_urls_total 900.0" in text
    assert threading.active_count() == threads
    with pytest.raises(urllib.error.URLError):
        scrape(port)


def test_a_taken_metrics_port_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        settings = WatchSettings(log="none", metrics_port=port)
        with pytest.raises(OSError, match="in use"):
            pick_watchers(settings, CrawlSettings(), Console(file=StringIO()))


@pytest.mark.parametrize("width", [80, 120])
def test_the_display_fits_and_says_what_matters(width: int) -> None:
    ticks = Ticks()
    out = StringIO()
    console = Console(file=out, width=width, height=30)
    tally = Tally(CrawlSettings(pages=1_000))
    watcher = DisplayWatcher(console, tally, ticks)
    events = list(stream(1_000))
    for event in events[:-2]:
        ticks.now_s += 0.05
        tally.see(event)
    console.print(watcher.frame())
    text = out.getvalue()
    assert max(len(line.rstrip()) for line in text.splitlines()) <= width
    for words in ("dengue fever", "of 1,000 pages", "in flight  48", "host30.example.org"):
        assert words in text
    tally.see(Waiting(START_S, START_S + 42, "a pause [bold]"))
    console.print(watcher.frame())
    assert "a pause [bold]" in out.getvalue()
    tally.see(Stopped(START_S, "finished", "nothing is left", NONE))
    console.print(watcher.frame())
    assert "stopped  finished: nothing is left" in out.getvalue()


def test_the_display_ends_what_it_started() -> None:
    threads = threading.active_count()
    out = StringIO()
    console = Console(file=out, width=80, height=30, force_terminal=True)
    watcher = pick_watchers(WatchSettings(), CrawlSettings(), console)
    assert isinstance(watcher.watchers[0], DisplayWatcher)
    for event in stream(200):
        watcher.see(event)
    watcher.close()
    watcher.close()
    assert threading.active_count() == threads
    assert "stopped" in out.getvalue()


@pytest.mark.parametrize("writes", [0, 1])
def test_a_terminal_that_goes_away_does_not_end_the_crawl(writes: int) -> None:
    class Vanishing(StringIO):
        left = writes

        def write(self, text: str) -> int:
            self.left -= 1
            if self.left < 0:
                raise OSError(5, "Input/output error")
            return len(text)

    console = Console(file=Vanishing(), width=80, height=30, force_terminal=True)
    watcher = DisplayWatcher(console, Tally(CrawlSettings()), Ticks())
    for event in stream(50):
        watcher.see(event)
    watcher.close()
    assert watcher.failure == "[Errno 5] Input/output error"


def test_the_display_costs_the_crawl_little() -> None:
    """Redrawing is bounded by time, not by events: ten thousand events bring few frames."""
    drawn = 0

    class Counted(DisplayWatcher):
        def frame(self) -> str:
            nonlocal drawn
            drawn += 1
            return ""

    console = Console(file=StringIO(), width=80, height=30, force_terminal=True)
    watcher = Counted(console, Tally(CrawlSettings()), Ticks())
    for event in stream(10_000):
        watcher.see(event)
    watcher.close()
    assert drawn < 40


@pytest.mark.parametrize(
    ("log", "terminal", "kinds"),
    [
        ("auto", True, [DisplayWatcher]),
        ("auto", False, [LineWatcher]),
        ("display", False, [DisplayWatcher]),
        ("lines", True, [LineWatcher]),
        ("json", True, [JsonWatcher]),
        ("none", True, []),
    ],
)
def test_the_settings_choose(log: str, terminal: bool, kinds: list[type]) -> None:
    environment = {"TERM": "xterm"}
    console = Console(file=StringIO(), force_terminal=terminal, _environ=environment)
    watchers = pick_watchers(WatchSettings(log=log), CrawlSettings(), console)
    assert [type(watcher) for watcher in watchers.watchers] == kinds
    watchers.close()


def test_all_are_closed_even_where_one_fails() -> None:
    closed: list[str] = []

    class Fragile:
        def __init__(self, name: str) -> None:
            self.name = name

        def see(self, event: object) -> None:
            closed.append(f"saw {self.name}")

        def close(self) -> None:
            closed.append(self.name)
            raise OSError(self.name)

    watchers = Watchers([Fragile("a"), Fragile("b")])
    watchers.see(Waiting(0.0, 1.0, "x"))
    with pytest.raises(OSError, match="a"):
        watchers.close()
    assert closed == ["saw a", "saw b", "b", "a"]
