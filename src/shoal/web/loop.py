"""Turns libcurl's multi handle: waits for its sockets and its timer, in one thread.

``poll`` rather than ``epoll``: libcurl watches and unwatches a socket for every request, which
here costs no system call, and a crawl's few hundred sockets are cheap to hand to the kernel.
Time is the machine's here, not the crawl's: libcurl and the kernel know no other.
"""

from __future__ import annotations

import select
import socket
import time
from contextlib import suppress
from typing import NamedTuple, Self

import pycurl

_MASKS = {
    pycurl.POLL_IN: select.POLLIN,
    pycurl.POLL_OUT: select.POLLOUT,
    pycurl.POLL_INOUT: select.POLLIN | select.POLLOUT,
}


class Done(NamedTuple):
    """A transfer's end: libcurl's code (0 is good) and what it says of it."""

    curl: pycurl.Curl
    code: int
    message: str


class CurlLoop:
    """A multi handle and what it waits for. ``close`` leaves nothing open."""

    def __init__(
        self,
        multi: pycurl.CurlMulti,
        poller: select.poll,
        bell: tuple[socket.socket, socket.socket],
    ) -> None:
        self._multi = multi
        self._poller = poller
        self._bell = bell
        self._watched: set[int] = set()
        self._deadline_s: float | None = None
        self._inside = 0

    @classmethod
    def open(cls, connections: int) -> Self:
        """A loop that keeps at most ``connections`` idle ones for reuse."""
        multi = pycurl.CurlMulti()
        bell = socket.socketpair()
        for end in bell:
            end.setblocking(False)
        poller = select.poll()
        poller.register(bell[0], select.POLLIN)
        loop = cls(multi, poller, bell)
        multi.setopt(pycurl.M_MAXCONNECTS, connections)
        multi.setopt(pycurl.M_SOCKETFUNCTION, loop._watch)
        multi.setopt(pycurl.M_TIMERFUNCTION, loop._set_timer)
        return loop

    def add(self, curl: pycurl.Curl) -> None:
        self._multi.add_handle(curl)
        self._inside += 1

    def remove(self, curl: pycurl.Curl) -> None:
        """Take a handle out, whether it came to its end or not."""
        self._multi.remove_handle(curl)
        self._inside -= 1

    def ring(self) -> None:
        """End a wait. The one method for other threads, harmless after ``close``."""
        with suppress(OSError):
            self._bell[1].send(b"!")

    def turn(self, wait_s: float) -> list[Done]:
        """Wait for something to do, at most ``wait_s``, do it, and say what came to its end."""
        if self._deadline_s is not None:
            wait_s = min(wait_s, self._deadline_s - time.monotonic())
        bell = self._bell[0].fileno()
        running = self._inside
        for descriptor, events in self._poller.poll(max(0.0, wait_s) * 1000.0):
            if descriptor == bell:
                with suppress(BlockingIOError):
                    self._bell[0].recv(4096)
            elif descriptor in self._watched:
                running = self._act(descriptor, events)
        if self._deadline_s is not None and self._deadline_s <= time.monotonic():
            self._deadline_s = None
            running = self._multi.socket_action(pycurl.SOCKET_TIMEOUT, 0)[1]
        return self._ended() if running < self._inside else []

    def close(self) -> None:
        """Every handle must have been removed before."""
        self._multi.close()
        for end in self._bell:
            end.close()

    def _act(self, descriptor: int, events: int) -> int:
        action = 0
        if events & select.POLLIN:
            action |= pycurl.CSELECT_IN
        if events & select.POLLOUT:
            action |= pycurl.CSELECT_OUT
        if events & ~(select.POLLIN | select.POLLOUT):
            action |= pycurl.CSELECT_ERR
        running: int = self._multi.socket_action(descriptor, action)[1]
        return running

    def _ended(self) -> list[Done]:
        ended: list[Done] = []
        waiting = 1
        while waiting:
            waiting, good, bad = self._multi.info_read()
            ended += [Done(curl, 0, "") for curl in good]
            ended += [Done(curl, code, message) for curl, code, message in bad]
        return ended

    def _watch(self, what: int, descriptor: int, _multi: object, _data: object) -> None:
        if what == pycurl.POLL_REMOVE:
            if descriptor in self._watched:
                self._watched.discard(descriptor)
                self._poller.unregister(descriptor)
            return
        self._watched.add(descriptor)
        self._poller.register(descriptor, _MASKS[what])

    def _set_timer(self, timeout_ms: int) -> None:
        self._deadline_s = None if timeout_ms < 0 else time.monotonic() + timeout_ms / 1000.0
