"""One request and its answer, on an easy handle that is used again and again.

1. What is kept of an answer never exceeds the limits, whatever the server sends.
2. The address of every socket is checked when it is opened, which is before anything is sent;
   the proxy's own address, when there is one, is the operator's choice and not checked.
3. ``fetched`` gives a Response wherever a final head was complete, and a Failure otherwise.
"""

from __future__ import annotations

import socket
from collections.abc import Callable

import pycurl

from shoal.http.coding import decode
from shoal.http.headers import is_accepted, parse_headers, parse_status
from shoal.model import Cut, Failure, FailureKind, Fetched, Request, Response
from shoal.ports import Clock
from shoal.web.addresses import is_public
from shoal.web.bandwidth import Bandwidth
from shoal.web.loop import Done
from shoal.web.routes import Route
from shoal.web.terms import Terms

_ABORT = -1
_PAUSE: int = pycurl.WRITEFUNC_PAUSE
_NO_SOCKET: int = pycurl.SOCKET_BAD
_VERSIONS = {
    pycurl.CURL_HTTP_VERSION_1_0: "1.0",
    pycurl.CURL_HTTP_VERSION_1_1: "1.1",
    pycurl.CURL_HTTP_VERSION_2_0: "2",
}
_TOO_LARGE = 100
"""CURLE_TOO_LARGE, which pycurl has no name for: a header beyond libcurl's own bounds."""
_KINDS = {
    pycurl.E_COULDNT_RESOLVE_HOST: FailureKind.DNS,
    pycurl.E_COULDNT_RESOLVE_PROXY: FailureKind.CONNECT,
    pycurl.E_COULDNT_CONNECT: FailureKind.CONNECT,
    pycurl.E_OPERATION_TIMEDOUT: FailureKind.TIMEOUT,
    pycurl.E_PARTIAL_FILE: FailureKind.DISCONNECT,
    pycurl.E_GOT_NOTHING: FailureKind.DISCONNECT,
    pycurl.E_SEND_ERROR: FailureKind.DISCONNECT,
    pycurl.E_RECV_ERROR: FailureKind.DISCONNECT,
    pycurl.E_SSL_CONNECT_ERROR: FailureKind.TLS,
    pycurl.E_PEER_FAILED_VERIFICATION: FailureKind.TLS,
    pycurl.E_SSL_CERTPROBLEM: FailureKind.TLS,
    pycurl.E_SSL_CIPHER: FailureKind.TLS,
    pycurl.E_SSL_CACERT_BADFILE: FailureKind.TLS,
    pycurl.E_SSL_ISSUER_ERROR: FailureKind.TLS,
    _TOO_LARGE: FailureKind.HEADERS_TOO_LARGE,
}


class _LentSocket(socket.socket):
    """pycurl makes itself a duplicate and drops this one, which must not be left open."""

    def __del__(self) -> None:
        self.close()


class Exchange:
    """An easy handle. ``begin``, let libcurl work, ``fetched``; then ``begin`` again."""

    def __init__(
        self,
        curl: pycurl.Curl,
        terms: Terms,
        clock: Clock,
        bandwidth: Bandwidth | None,
        hold: Callable[[Exchange], None],
    ) -> None:
        self.curl = curl
        self._terms = terms
        self._clock = clock
        self._bandwidth = bandwidth
        self._hold = hold
        self._sent_headers: tuple[bytes, ...] = ()
        self._route = Route(through_proxy=terms.settings.proxy is not None)
        self._header_limit_bytes = terms.settings.header_limit_bytes

    def prepare(self) -> None:
        """Set what stays the same from one request to the next. Once, before ``begin``."""
        self._terms.configure(self.curl)
        self.curl.setopt(pycurl.HEADERFUNCTION, self._on_header)
        self.curl.setopt(
            pycurl.WRITEFUNCTION,
            self._on_body if self._bandwidth is None else self._on_metered_body,
        )
        self.curl.setopt(pycurl.OPENSOCKETFUNCTION, self._on_socket)

    def begin(self, request: Request, route: Route) -> None:
        """Make the handle ready for a request."""
        settings = self._terms.settings
        self._request = request
        self._started_s = self._clock.now_s()
        self._accept = request.accept if request.accept is not None else settings.accept
        self._room_bytes = settings.body_limit_bytes
        if request.body_limit_bytes is not None:
            self._room_bytes = min(request.body_limit_bytes, settings.body_limit_bytes)
        self._limit_bytes = self._room_bytes
        self._head: list[bytes] = []
        self._head_bytes = 0
        self._status: int | None = None
        self._headers: tuple[tuple[str, str], ...] = ()
        is_asked_by_http = route.through_proxy and self._terms.has_http_proxy
        self._is_tunnelling = is_asked_by_http and request.url.scheme == "https"
        self._is_relayed = is_asked_by_http and request.url.scheme == "http"
        self._pieces: list[bytes] = []
        self._end: FailureKind | Cut | None = None
        self._has_opened = False
        self._refused_address: str | None = None
        self._socket_problem = ""
        self._seen_bytes = 0
        self._seen_s = self._started_s
        self._is_held = False
        self._point(request, route)

    def _point(self, request: Request, route: Route) -> None:
        curl = self.curl
        url = request.url
        authority = url.host_key.rpartition("@")[2]
        curl.setopt(pycurl.URL, f"{url.scheme}://{authority}{url.target}")
        headers = self._terms.request_headers(request)
        if headers is not self._sent_headers:
            curl.setopt(pycurl.HTTPHEADER, headers)
            self._sent_headers = headers
        before = self._route
        if route.connect_to != before.connect_to:
            curl.setopt(pycurl.CONNECT_TO, [route.connect_to] if route.connect_to else [])
        if route.resolve is not None:
            curl.setopt(pycurl.RESOLVE, [route.resolve])
        elif before.resolve is not None:
            curl.setopt(pycurl.RESOLVE, [])
        if route.through_proxy != before.through_proxy:
            curl.setopt(pycurl.PROXY, self._terms.settings.proxy if route.through_proxy else "")
        self._route = route

    def is_stalled(self, now_s: float) -> bool:
        """Whether nothing has arrived for the read time-out. To be asked now and then.

        libcurl's own low-speed limit averages over five seconds and does not count headers.
        """
        received_bytes = self._head_bytes + self._limit_bytes - self._room_bytes
        if (
            received_bytes != self._seen_bytes
            or self._is_held
            or not self.curl.getinfo(pycurl.PRETRANSFER_TIME)  # not connected yet
        ):
            self._seen_bytes = received_bytes
            self._seen_s = now_s
            return False
        return now_s - self._seen_s >= self._terms.settings.read_timeout_s

    # ------------------------------------------------------------------ what libcurl calls

    def _on_socket(self, _purpose: int, address: pycurl.CurlSockAddr) -> socket.socket | int:
        self._has_opened = True
        if not (self._terms.settings.allow_private or self._route.through_proxy):
            numeric = str(address.addr[0])
            if not is_public(numeric):
                self._refused_address = numeric
                return _NO_SOCKET
        try:
            return _LentSocket(address.family, address.socktype, address.protocol)
        except OSError as error:
            self._socket_problem = error.strerror or str(error)
            return _NO_SOCKET

    def _on_header(self, line: bytes) -> int | None:
        self._head_bytes += len(line)
        if self._head_bytes > self._header_limit_bytes:
            self._end = FailureKind.HEADERS_TOO_LARGE if self._status is None else Cut.LENGTH
            return _ABORT
        if self._status is not None:
            return None  # a trailer
        self._head.append(line)
        if line in (b"\r\n", b"\n"):
            return self._on_head_end()
        return None

    def _on_head_end(self) -> int | None:
        status = parse_status(self._head[0])
        if status is None or status < 200:
            self._head.clear()
            return None
        if self._is_tunnelling and self._has_opened:
            # The proxy's answer to CONNECT, which a connection that is used again had before.
            self._is_tunnelling = not 200 <= status < 300
            self._head.clear()
            return None
        self._status = status
        self._headers = parse_headers(b"".join(self._head))
        if 200 <= status < 300 and not is_accepted(self._content_type(), self._accept):
            self._end = FailureKind.UNWANTED_TYPE
            return _ABORT
        return None

    def _content_type(self) -> str | None:
        for name, value in self._headers:
            if name == "content-type":
                return value
        return None

    def _on_body(self, piece: bytes) -> int | None:
        if len(piece) > self._room_bytes:
            self._pieces.append(piece[: self._room_bytes])
            self._room_bytes = 0
            self._end = Cut.LENGTH
            return _ABORT
        self._room_bytes -= len(piece)
        self._pieces.append(piece)
        return None

    def _on_metered_body(self, piece: bytes) -> int | None:
        now_s = self._clock.now_s()
        if self._bandwidth is not None:
            if self._bandwidth.wait_s(now_s):
                self._is_held = True
                self._hold(self)
                return _PAUSE
            self._is_held = False
            self._bandwidth.take(len(piece), now_s)
        return self._on_body(piece)

    # ------------------------------------------------------------------ what came of it

    def fetched(self, done: Done) -> Fetched:
        """What the request brought, once libcurl is done with it."""
        kind, message = self._failure(done)
        if kind is not None:
            return Failure(
                url=self._request.url,
                kind=kind,
                message=message,
                started_s=self._started_s,
                elapsed_s=self.curl.getinfo(pycurl.TOTAL_TIME),
                ip=self.curl.getinfo(pycurl.PRIMARY_IP) or None,
                status=self._status,
            )
        return self._response(self._cut(done))

    def _failure(self, done: Done) -> tuple[FailureKind | None, str]:
        if isinstance(self._end, FailureKind):
            if self._end is FailureKind.UNWANTED_TYPE:
                return self._end, f"{self._content_type()} is not among the accepted types"
            return self._end, f"more than {self._header_limit_bytes} bytes of headers"
        if self._status is not None:
            return None, ""
        if self._refused_address is not None:
            refused = f"{self._refused_address} is not a public address"
            return FailureKind.FORBIDDEN_ADDRESS, refused
        if done.code == 0:
            return FailureKind.PROTOCOL, "no status line"
        message = self._socket_problem or done.message or f"libcurl error {done.code}"
        if done.code == pycurl.E_RECV_ERROR and self._is_tunnelling:
            return FailureKind.CONNECT, message
        return _KINDS.get(done.code, FailureKind.PROTOCOL), message

    def _cut(self, done: Done) -> Cut | None:
        if isinstance(self._end, Cut):
            return self._end
        if done.code == 0:
            return None
        return Cut.TIME if done.code == pycurl.E_OPERATION_TIMEDOUT else Cut.DISCONNECT

    def _response(self, cut: Cut | None) -> Response:
        curl = self.curl
        payload = self._pieces[0] if len(self._pieces) == 1 else b"".join(self._pieces)
        self._pieces = []
        codings = ", ".join(value for name, value in self._headers if name == "content-encoding")
        body = payload
        if codings:
            body, is_cut = decode(payload, codings, self._limit_bytes)
            if is_cut:
                cut = cut or Cut.LENGTH
        http_version = _VERSIONS.get(curl.getinfo(pycurl.INFO_HTTP_VERSION), "1.1")
        return Response(
            url=self._request.url,
            status=self._status or 0,
            head=b"".join(self._head),
            headers=self._headers,
            payload=payload,
            body=body,
            started_s=self._started_s,
            elapsed_s=curl.getinfo(pycurl.TOTAL_TIME),
            request_head=self._request_head(http_version),
            ip=curl.getinfo(pycurl.PRIMARY_IP) or None,
            http_version=http_version,
            cut=cut,
        )

    def _request_head(self, http_version: str) -> bytes:
        """What libcurl sent, put together again: libcurl tells it only along with all else it
        has to tell, a callback each. For HTTP/2 this is the same request as text; a password
        for the proxy is left out."""
        url = self._request.url
        target = url.target
        authority = url.host_key.rpartition("@")[2]
        spoken = "2" if http_version == "2" else "1.1"
        proxied = b""
        if self._is_relayed:
            target = f"http://{authority}{target}"
            proxied = b"Proxy-Connection: Keep-Alive\r\n"
        first = f"GET {target} HTTP/{spoken}\r\nHost: {authority}\r\n".encode()
        return b"".join((first, proxied, b"\r\n".join(self._sent_headers), b"\r\n\r\n"))
