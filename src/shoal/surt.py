"""SURT: the sort-friendly form of an address, by which replay tools and CDXJ indexes look it up."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import quote_from_bytes, unquote_to_bytes

import ada_url

_REPLAYED: Final = re.compile(
    r"(?:(https?)://+)+(?:[^/?#@]*@)?([^/?#]*)([^?#]*)(?:\?([^#]*))?", re.IGNORECASE
)
_PORT: Final = re.compile(r":(\d*)\Z")
_WWW: Final = re.compile(r"\Awww\d*\.")
_ESCAPABLE: Final = re.compile(r"[^!-~]|[%#]")
_SAFE: Final = "".join(map(chr, range(0x21, 0x7F))).translate({ord("#"): None, ord("%"): None})
_EMPTY_SEGMENTS: Final = re.compile(r"//+")
_REPLAY_PATH_SESSION: Final = re.compile(
    r"/(?:\((?:[a-z]\([0-9a-z]{24}\))+\)|\([0-9a-z]{24}\))(?=/[^?]+\.aspx)"
)
_REPLAY_QUERY_SESSIONS: Final = tuple(
    re.compile(pattern + r"(?:&|\Z)")
    for pattern in (
        "jsessionid=[0-9a-z]{32}",
        "phpsessid=[0-9a-z]{32}",
        "sid=[0-9a-z]{32}",
        "aspsessionid[a-z]{8}=[a-z]{24}",
        "cfid=[^&]+&cftoken=[^&]+",
    )
)


def surt(text: str) -> str:
    """The sort-friendly form by which replay tools look an address up, of any text.

    ``http://www.Example.org/B/?y=2&x=1`` is ``org,example)/b?x=1&y=2``: lower case, without
    scheme, ``www``, user, default port and session ids, the query in order. What is not an http
    address stays as it is.
    """
    text = re.sub(r"[\r\n\t]", "", text.strip())
    match = _REPLAYED.match(text)
    if match is None:
        return text
    scheme, authority, path, query = match.groups()
    port = _PORT.search(authority)
    suffix = ""
    if port is not None:
        authority = authority[: port.start()]
        default = "443" if scheme.lower() == "https" else "80"
        suffix = "" if port[1] in ("", default) else ":" + port[1]
    host = _WWW.sub("", _replay_host(authority), count=1)
    path = _replay_path(_escaped_once(path).lower())
    if query:
        query = _without_sessions(_escaped_once(query).lower())
        parameters = sorted(parameter.split("=", 1) for parameter in query.split("&"))
        query = "&".join("=".join(parameter) for parameter in parameters)
    reversed_host = ",".join(reversed(host.split(".")))
    return reversed_host + suffix + ")" + path + ("?" + query if query else "")


def _escaped_once(text: str) -> str:
    """Unescaped as often as it was escaped, then escaped once."""
    if _ESCAPABLE.search(text) is None:
        return text
    raw = text.encode("utf-8", "surrogatepass")
    while (unquoted := unquote_to_bytes(raw)) != raw:
        raw = unquoted
    return quote_from_bytes(raw, safe=_SAFE)


def _without_sessions(query: str) -> str:
    # Replay tools drop the last of each kind, even where it ends another parameter's name.
    if "id" in query:
        for session in _REPLAY_QUERY_SESSIONS:
            for match in list(session.finditer(query))[-1:]:
                query = query[: match.start()] + query[match.end() :]
    return query


def _replay_host(authority: str) -> str:
    host = _escaped_once(authority).lower().strip("[].").replace("..", ".")
    if not authority.isascii():
        host = ada_url.idna_to_ascii(authority.lower().encode("utf-8", "replace")).decode() or host
    return host


def _replay_path(path: str) -> str:
    if "/." in path or "//" in path:
        kept: list[str] = []
        segments = path.split("/")[1:]
        for segment in segments:
            if segment == ".." and kept:
                kept.pop()
            elif segment != ".":
                kept.append(segment)
        path = _EMPTY_SEGMENTS.sub("/", "/" + "/".join(kept))
    path = _REPLAY_PATH_SESSION.sub("", path)
    return path[:-1] if len(path) > 1 and path[-1] == "/" else path or "/"
