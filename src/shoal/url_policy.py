"""What the policy of a Url knows by heart: sessions, trackers, index files, mistakes."""

from __future__ import annotations

import re
from enum import Enum, auto
from functools import lru_cache
from typing import Final
from urllib.parse import unquote

# --------------------------------------------------------------------------- sessions, trackers

_SESSION_NAMES: Final = re.compile(
    r"(?:php|j|bv_|_)?sessionid|phpsessid|session[_-]id|_session_id|sess_?id|_sid|oscsid|zenid"
    r"|asp\.net_sessionid|aspsessionid[a-z]*|cfid|cftoken|bv_engineid|xtcsid|mscssid|xoopssid",
    re.IGNORECASE,
)
# These also name ordinary things (a story, a style): only a value like a session's own counts.
_SESSION_NAMES_BY_VALUE: Final = frozenset(("sid", "s", "session", "sess"))
_SESSION_VALUE: Final = re.compile(r"(?=[^0-9]*[0-9])[0-9A-Za-z]{16,}")
_TRACKING_NAMES: Final = re.compile(
    r"(?:utm|mtm|piwik|matomo)_.*|pk_(?:campaign|kwd)|_ga|_gl|gclid|gclsrc|dclid|[gw]braid|srsltid"
    r"|fbclid|msclkid|yclid|ysclid|twclid|ttclid|li_fat_id|igsh(?:id)?"
    r"|mibextid|epik|mc_[ce]id|mkt_tok|_hsenc|_hsmi|__hs.*|hsctatracking|vero_(?:id|conv)"
    r"|oly_(?:enc|anon)_id|_openstat|wickedid|__twitter_impression|_branch_match_id"
    r"|guce_referrer(?:_sig)?|wt\.mc_id|xtor",
    re.IGNORECASE,
)
SESSION_PARAMETER: Final = re.compile(
    r";(?:jsessionid|phpsessid|sessionid|sid)=[^;/?&]*", re.IGNORECASE
)
"""A session id behind a semicolon, as servlets write it."""
SESSION_SEGMENT: Final = re.compile(r"/\((?:[A-Za-z]\([0-9A-Za-z]{24}\))+\)(?=/)")
"""A session id as a path segment, as ASP.NET writes it."""
INDEX_FILE: Final = re.compile(
    r"/(?:index|default)\.(?:[sx]?html?|phtml|php\d?|aspx?|jsp[ax]?|jsf|cfm|cgi|pl)\Z",
    re.IGNORECASE,
)
"""The file that a server sends for its directory."""


class Meaning(Enum):
    """What a query parameter tells, by its name."""

    PAGE = auto()
    SESSION = auto()
    SESSION_BY_VALUE = auto()
    """Who the visitor is, where its value looks like a session's own."""
    TRACKING = auto()
    """Where the visitor came from."""


@lru_cache(maxsize=4_096)
def meaning_of(name: str) -> Meaning:
    if name.lower() in _SESSION_NAMES_BY_VALUE:
        return Meaning.SESSION_BY_VALUE
    if _SESSION_NAMES.fullmatch(name):
        return Meaning.SESSION
    return Meaning.TRACKING if _TRACKING_NAMES.fullmatch(name) else Meaning.PAGE


def is_session_value(value: str) -> bool:
    return _SESSION_VALUE.fullmatch(value) is not None


# --------------------------------------------------------------------------- percent-encoding

_TRIPLET_OR_ILLEGAL: Final = re.compile(r"%(?:[0-9A-Fa-f]{2})?|[\[\]|\\^`{}\"<>]")
_UNRESERVED: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


def percent_normal(text: str) -> str:
    """Nothing escaped that need not be, everything escaped that must be, digits in capitals."""
    return _TRIPLET_OR_ILLEGAL.sub(_normal, text)


def _normal(match: re.Match[str]) -> str:
    found = match[0]
    if len(found) == 1:
        return f"%{ord(found):02X}"
    character = chr(int(found[1:], 16))
    return character if character in _UNRESERVED else found.upper()


# --------------------------------------------------------------------------- mistakes

_BLANK: Final = "".join(map(chr, range(0x21))) + "\x7f\x85\xa0\u200b\u200e\u200f\u2028\u2029\ufeff"
_QUOTES: Final = _BLANK + '"<>\u201c\u201d\u201e\u00ab\u00bb'
_SINGLE_QUOTES: Final = "'\u2018\u2019"
_SUSPECT: Final = re.compile(r"https?(?:%3a|:(?!//\w)|/[/\\]|:?[/\\]+https?:)", re.IGNORECASE)
_ESCAPED_WHOLE: Final = re.compile(r"https?%3a%2f%2f", re.IGNORECASE)
_DOUBLED: Final = re.compile(r"(?:https?(?::[/\\]*|[/\\]{2,}))+(?=https?:[/\\])", re.IGNORECASE)
_SLASHES: Final = re.compile(r"(https?)(?::[/\\]+|[/\\]{2,})\s*(?=[^\s/\\])", re.IGNORECASE)
_ONLY_SCHEME: Final = re.compile(r"https?:(?=[^/\\])", re.IGNORECASE)
_ESCAPED_AMPERSAND: Final = re.compile(r"&(?:amp;)+", re.IGNORECASE)


def mend(text: str, based: bool) -> str:
    """Undo the mistakes that people make with addresses. Leaves a canonical text as it is.

    ``based``: there is a base, so that what has no host is a relative link.
    """
    text = text.strip(_QUOTES)
    if text[:1] in _SINGLE_QUOTES:
        text = text.strip(_QUOTES + _SINGLE_QUOTES)
    if _SUSPECT.match(text):
        if _ESCAPED_WHOLE.match(text):
            text = unquote(text)
        text = _DOUBLED.sub("", text, count=1) if _DOUBLED.match(text) else text
        text = _SLASHES.sub(r"\1://", text, count=1) if _SLASHES.match(text) else text
        if based and _ONLY_SCHEME.match(text):
            text = text.partition(":")[2]
    # Of the query alone: whether a fragment that stands by itself has a query before it is for the
    # base to say, and the same text must mean the same with and without one.
    address, hash_mark, fragment = text.partition("#")
    path, mark, query = address.partition("?")
    if ";" not in query:
        return text
    return path + mark + _ESCAPED_AMPERSAND.sub("&", query) + hash_mark + fragment
