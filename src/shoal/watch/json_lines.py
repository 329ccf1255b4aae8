"""Every event as a line of JSON, for programs."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields
from typing import get_args

import msgspec

from shoal import wording
from shoal.events import Event, Settled
from shoal.model import Standing
from shoal.watch.output import Output

EVENTS: tuple[type[Event], ...] = get_args(Event)


def event_name(kind: type[Event]) -> str:
    """``HostGivenUp`` as ``host_given_up``."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()


class JsonWatcher:
    """One object a line: ``event``, ``time`` (the machine's), and the event's own fields."""

    def __init__(self, output: Output, unix_s: Callable[[], float]) -> None:
        self._output = output
        self._unix_s = unix_s
        self._names = {
            kind: (event_name(kind), tuple(field.name for field in fields(kind))) for kind in EVENTS
        }
        self._encoder = msgspec.json.Encoder()

    def see(self, event: Event) -> None:
        name, keys = self._names[type(event)]
        row: dict[str, object] = {"event": name, "time": wording.iso(self._unix_s())}
        for key in keys:
            value = getattr(event, key)
            row[key] = value._asdict() if isinstance(value, Standing) else value
        # What was settled becomes visible with its batch at the latest, for Committed flushes.
        self._output.line(self._encoder.encode(row).decode(), flush=type(event) is not Settled)

    def close(self) -> None:
        self._output.flush()
