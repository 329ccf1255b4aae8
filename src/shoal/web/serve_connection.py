"""One client of the server: HTTP/1.1 by h11 over one connection, one answer at a time."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from typing import Final, NamedTuple

import h11

from shoal.model import Response
from shoal.ports import Shelf
from shoal.url import BadUrl, parse_url
from shoal.web.frozen import absent, is_unmodified, unmodified

_HEAD_LIMIT_BYTES: Final = 65_536
_REQUEST_BODY_LIMIT_BYTES: Final = 1_000_000
_IDLE_S: Final = 60.0
_OF_THE_CONNECTION: Final = frozenset(
    {
        "connection", "content-length", "keep-alive", "proxy-authenticate", "proxy-connection",
        "te", "trailer", "transfer-encoding", "upgrade",
    }
)  # fmt: skip
_NAME: Final = re.compile(r"[-!#$%&'*+.^_`|~0-9A-Za-z]+")
_BAD_VALUE: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_BODILESS: Final = frozenset({204, 304})
_NO_TUNNELS: Final = (
    "This is a frozen web: it cannot speak for the owners of https: addresses. "
    "Ask for the same address with http: instead."
)
_HOW_TO_ASK: Final = (
    "This is a frozen web. Use this address as your client's HTTP proxy, or send the Host header "
    "of a site that it holds."
)


class Access(NamedTuple):
    """One answered request."""

    at_s: float
    client: str
    method: str
    target: str
    status: int
    size_bytes: int


class Serving(NamedTuple):
    """What every connection of a server shares."""

    shelf: Shelf
    delay_max_s: float
    on_access: Callable[[Access], None] | None


class _Answer(NamedTuple):
    status: int
    headers: list[tuple[str, str]]
    payload: bytes
    delay_s: float = 0.0


class ShelfConnection(asyncio.Protocol):
    """Reads requests in turn; the next is not looked at before the last answer has gone out."""

    def __init__(self, serving: Serving) -> None:
        self._serving = serving
        self._transport: asyncio.Transport | None = None
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=_HEAD_LIMIT_BYTES)
        self._request: h11.Request | None = None
        self._request_body_bytes = 0
        self._is_answering = False
        self._is_choked = False
        self._timer: asyncio.TimerHandle | None = None
        self._heard_s = 0.0
        self._client = ""
        self._own_port = 0

    # ------------------------------------------------------------------ asyncio's side

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        peer = transport.get_extra_info("peername")
        self._own_port = transport.get_extra_info("sockname")[1]
        self._client = f"{peer[0]}:{peer[1]}" if peer else ""
        self._heard_s = time.monotonic()
        self._watch(_IDLE_S)

    def connection_lost(self, _exc: Exception | None) -> None:
        self._transport = None
        if self._timer is not None:
            self._timer.cancel()

    def data_received(self, data: bytes) -> None:
        self._heard_s = time.monotonic()
        self._http.receive_data(data)
        if self._transport is not None and (self._is_answering or self._is_choked):
            # Nothing is taken off the buffer now, so nothing more may come into it.
            self._transport.pause_reading()
        self._advance()

    def eof_received(self) -> bool:
        self._http.receive_data(b"")
        self._advance()
        return self._is_answering

    def pause_writing(self) -> None:
        self._is_choked = True

    def resume_writing(self) -> None:
        self._is_choked = False
        self._heard_s = time.monotonic()
        self._go_on()

    def _watch(self, delay_s: float) -> None:
        self._timer = asyncio.get_running_loop().call_later(delay_s, self._check_idle)

    def _check_idle(self) -> None:
        left_s = self._heard_s + _IDLE_S - time.monotonic()
        if left_s > 0 or self._is_answering:
            self._watch(max(left_s, 1.0))
        elif self._transport is not None:
            self._transport.abort()

    # ------------------------------------------------------------------ HTTP

    def _go_on(self) -> None:
        if self._transport is not None:
            self._transport.resume_reading()
            self._advance()

    def _advance(self) -> None:
        while self._transport is not None and not (self._is_answering or self._is_choked):
            try:
                event = self._http.next_event()
            except h11.RemoteProtocolError as error:
                self._refuse(error.error_status_hint, str(error))
                return
            if isinstance(event, h11.Request):
                self._request, self._request_body_bytes = event, 0
            elif isinstance(event, h11.Data):
                self._request_body_bytes += len(event.data)
                if self._request_body_bytes > _REQUEST_BODY_LIMIT_BYTES:
                    self._refuse(413, "a frozen web takes no uploads")
                    return
            elif isinstance(event, h11.EndOfMessage):
                self._begin_answer()
            elif isinstance(event, h11.ConnectionClosed):
                self._transport.close()
                return
            else:
                return  # more data is needed

    def _begin_answer(self) -> None:
        assert self._request is not None
        answer = answer_to(self._serving.shelf, self._request, self._own_port)
        delay_s = min(answer.delay_s, self._serving.delay_max_s)
        if delay_s <= 0.0:
            self._send(answer)
            return
        self._is_answering = True
        asyncio.get_running_loop().call_later(delay_s, self._send_late, answer)

    def _send_late(self, answer: _Answer) -> None:
        self._is_answering = False
        if self._transport is not None:
            self._send(answer)
            self._go_on()

    def _send(self, answer: _Answer) -> None:
        assert self._request is not None
        assert self._transport is not None
        has_body = self._request.method != b"HEAD" and answer.status not in _BODILESS
        parts = [self._http.send(_response_event(answer))]
        if has_body:
            parts.append(self._http.send(h11.Data(answer.payload)))
        parts.append(self._http.send(h11.EndOfMessage()))
        self._transport.write(b"".join(filter(None, parts)))
        if self._serving.on_access is not None:
            size_bytes = len(answer.payload) if has_body else 0
            self._serving.on_access(
                Access(
                    time.time(),
                    self._client,
                    self._request.method.decode("ascii"),
                    self._request.target.decode("latin-1"),
                    answer.status,
                    size_bytes,
                )
            )
        if self._http.our_state is h11.DONE and self._http.their_state is h11.DONE:
            self._http.start_next_cycle()
        else:
            self._transport.close()
            self._transport = None

    def _refuse(self, status: int, why: str) -> None:
        """Answer what is no proper request, where that is still possible, and hang up."""
        if self._transport is None:
            return
        if self._http.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            answer = _said(status, why)
            answer.headers.append(("connection", "close"))
            event = _response_event(answer)
            sent = [self._http.send(event), self._http.send(h11.Data(answer.payload))]
            self._transport.write(b"".join(filter(None, sent)))
        self._transport.close()
        self._transport = None


def answer_to(shelf: Shelf, request: h11.Request, own_port: int) -> _Answer:
    """What the Shelf answers to one request. In a Host header the server's own port says nothing
    of the page: the pages' hosts have their usual ports."""
    if request.method == b"CONNECT":
        return _said(501, _NO_TUNNELS)
    if request.method not in (b"GET", b"HEAD"):
        answer = _said(405, "A frozen web only answers GET and HEAD.")
        answer.headers.append(("allow", "GET, HEAD"))
        return answer
    headers = {name: value.decode("latin-1") for name, value in request.headers}
    address = request.target.decode("latin-1")
    through_proxy = not address.startswith("/")
    if not through_proxy:
        host = headers.get(b"host", "").removesuffix(f":{own_port}")
        address = f"http://{host}{address}"
    try:
        url = parse_url(address)
    except BadUrl as error:
        return _said(400, str(error))
    found = shelf.find(url)
    if found is None:
        return _of(absent(url)) if through_proxy or _is_name(url.host) else _said(404, _HOW_TO_ASK)
    if is_unmodified(found, headers.get(b"if-none-match"), headers.get(b"if-modified-since")):
        found = unmodified(found)
    return _of(found)


def _is_name(host: str) -> bool:
    return host != "localhost" and not host.startswith("[") and not host[-1:].isdigit()


def _of(response: Response) -> _Answer:
    if not 200 <= response.status <= 999:
        return _said(502, f"The capture has the status {response.status}, which cannot be sent.")
    headers = [pair for pair in response.headers if pair[0] not in _OF_THE_CONNECTION]
    return _Answer(response.status, headers, response.payload, response.elapsed_s)


def _said(status: int, words: str) -> _Answer:
    kind = ("content-type", "text/plain; charset=utf-8")
    return _Answer(status, [kind], f"{words}\n".encode())


def _response_event(answer: _Answer) -> h11.Response:
    headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in answer.headers]
    if answer.status not in _BODILESS:
        headers.append((b"content-length", b"%d" % len(answer.payload)))
    try:
        return h11.Response(status_code=answer.status, headers=headers)
    except h11.LocalProtocolError:
        # Captured headers are as servers sent them, which is not always as HTTP allows.
        proper = [
            (name, value.strip())
            for name, value in answer.headers
            if _NAME.fullmatch(name) and not _BAD_VALUE.search(value)
        ]
        return _response_event(answer._replace(headers=proper))
