"""What every request of a crawl has in common, made once of the settings."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Self

import pycurl

from shoal.http.coding import ACCEPT_ENCODING
from shoal.model import Request
from shoal.settings import FetchSettings

_CERTIFICATE_FILES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/cert.pem",
)
_BUFFER_BYTES = 131_072
_SLOWEST_BUFFER_BYTES = 1_024


@dataclass(frozen=True, slots=True)
class Terms:
    """The limits and headers of a crawl, in the form in which libcurl takes them."""

    settings: FetchSettings
    headers: tuple[bytes, ...]
    buffer_bytes: int
    certificates: str | None

    @classmethod
    def of(cls, settings: FetchSettings, certificates: Path | None) -> Self:
        buffer_bytes = _BUFFER_BYTES
        if settings.bandwidth_bytes_s is not None:
            # A piece is taken whole, so a slow crawl takes small ones.
            tenth = settings.bandwidth_bytes_s // 10
            buffer_bytes = max(_SLOWEST_BUFFER_BYTES, min(_BUFFER_BYTES, tenth))
        headers = (
            f"User-Agent: {user_agent(settings)}".encode(),
            b"Accept: " + _accept_header(settings.accept),
            f"Accept-Encoding: {ACCEPT_ENCODING}".encode(),
        )
        found = str(certificates) if certificates else system_certificates()
        return cls(settings, headers, buffer_bytes, found)

    @property
    def has_http_proxy(self) -> bool:
        """Whether there is a proxy that is spoken to in HTTP, rather than in SOCKS."""
        proxy = self.settings.proxy
        return proxy is not None and not proxy.lower().startswith("socks")

    def request_headers(self, request: Request) -> tuple[bytes, ...]:
        """The headers of one request; the very same tuple for all that ask for nothing special."""
        headers = self.headers
        if request.accept is not None and request.accept != self.settings.accept:
            headers = (headers[0], b"Accept: " + _accept_header(request.accept), headers[2])
        if request.etag is not None and _is_sendable(request.etag):
            headers = (*headers, b"If-None-Match: " + request.etag.encode("latin-1"))
        if request.last_modified is not None and _is_sendable(request.last_modified):
            headers = (*headers, b"If-Modified-Since: " + request.last_modified.encode("latin-1"))
        return headers

    def configure(self, curl: pycurl.Curl) -> None:
        """Set what stays the same from one request to the next."""
        settings = self.settings
        options: dict[int, int | str] = {
            pycurl.NOSIGNAL: 1,
            pycurl.PROTOCOLS: pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS,
            pycurl.FOLLOWLOCATION: 0,
            pycurl.PATH_AS_IS: 1,
            pycurl.HTTP_CONTENT_DECODING: 0,
            pycurl.BUFFERSIZE: self.buffer_bytes,
            pycurl.CONNECTTIMEOUT_MS: _milliseconds(settings.connect_timeout_s),
            pycurl.TIMEOUT_MS: _milliseconds(settings.total_timeout_s),
            pycurl.HTTP_VERSION: (
                pycurl.CURL_HTTP_VERSION_2TLS if settings.http2 else pycurl.CURL_HTTP_VERSION_1_1
            ),
            # Empty rather than unset: the environment's proxies are none of ours.
            pycurl.PROXY: settings.proxy or "",
            pycurl.NOPROXY: "",
        }
        if self.certificates is not None:
            options[pycurl.CAINFO] = self.certificates
            options[pycurl.PROXY_CAINFO] = self.certificates
        for option, value in options.items():
            curl.setopt(option, value)


def user_agent(settings: FetchSettings) -> str:
    """The User-Agent header; without a contact, no empty brackets are left where it was."""
    template = settings.user_agent
    if settings.contact is None:
        template = template.replace("(+{contact})", "").replace("{contact}", "")
    agent = template.replace("{contact}", settings.contact or "")
    return " ".join(agent.replace("{version}", version("shoal")).split())


def system_certificates() -> str | None:
    """The file of certificate authorities this machine trusts, wherever it keeps it."""
    own = ssl.get_default_verify_paths().cafile
    for name in (own, *_CERTIFICATE_FILES):
        if name and Path(name).is_file():
            return name
    return None


def _accept_header(accept: tuple[str, ...]) -> bytes:
    kinds = [kind for kind in accept if kind not in ("*", "*/*")]
    # Anything else is named too, at the lowest rank: error pages come in many types.
    return ", ".join([*kinds, "*/*;q=0.1" if kinds else "*/*"]).encode()


def _is_sendable(value: str) -> bool:
    """Whether a value that once came from a server can be one line of a request."""
    return all(" " <= character <= "\xff" and character != "\x7f" for character in value)


def _milliseconds(seconds: float) -> int:
    return max(1, round(seconds * 1000.0))
