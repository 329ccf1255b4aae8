"""One robots.txt, read for one crawler by RFC 9309.

1. Any bytes are read without an error, in time linear in their length; beyond 500 KiB they are
   cut at the end of a line.
2. The longest matching pattern decides, and of two equally long ones the one that allows. A
   verdict takes time linear in the length of the target for each line that could match it: no
   pattern, however many ``*`` it has, takes more.
3. Our group is every group that names our product token exactly, in any case; where there is
   none, every group for ``*``; where there is none of those, everything is allowed.
4. Percent-encoding never decides: both sides are written the one way RFC 9309 compares them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from shoal.model import Ruling

SIZE_LIMIT_BYTES: Final = 500 * 1024
"""How much of a robots.txt is read; more need not be fetched."""
_DELAY_LIMIT_S: Final = 86_400.0
_SITEMAP_LIMIT: Final = 1_000
_SITEMAP_LENGTH: Final = 2_048
_SHOWN: Final = 200
_RULE: Final = "robots"

_FIELDS: Final = {
    **dict.fromkeys(("user-agent", "useragent", "user agent"), "agent"),
    "allow": "allow",
    **dict.fromkeys(
        ("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"), "disallow"
    ),
    **dict.fromkeys(("crawl-delay", "crawldelay", "crawl delay"), "delay"),
    **dict.fromkeys(("sitemap", "site-map", "site map"), "sitemap"),
}
"""Field names as site owners spell them."""
_LINE_END: Final = re.compile("\r\n|\r|\n")
_BLANK: Final = " \t\v\f\0\x1c\x1d\x1e\x1f\x85\xa0\u2028\u2029\u3000\ufeff\u200b"
_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]+")
_NUMBER: Final = re.compile(r"\d{1,9}(?:[.,]\d{1,9})?|[.,]\d{1,9}")
_PLAIN: Final = r"A-Za-z0-9\-._~:/?#\[\]@!&'()+,;="
_ODD_IN_PATTERN: Final = re.compile(rf"%([0-9A-Fa-f]{{2}})|[^{_PLAIN}%*]")
_ODD_IN_TARGET: Final = re.compile(rf"%([0-9A-Fa-f]{{2}})|[^{_PLAIN}%]")
_UNRESERVED: Final = re.compile(r"[A-Za-z0-9\-._~]")
_STARS: Final = re.compile(r"\*\*+")


class RobotsLine(NamedTuple):
    """An Allow or Disallow line that speaks to us, its pattern in comparable form."""

    number: int
    allow: bool
    pattern: str

    @property
    def ruling(self) -> Ruling:
        name = "Allow" if self.allow else "Disallow"
        pattern = self.pattern if len(self.pattern) <= _SHOWN else self.pattern[:_SHOWN] + "…"
        return Ruling(self.allow, _RULE, f'line {self.number}: "{name}: {pattern}"')


_NO_LINE: Final = Ruling(True, _RULE, "no line of robots.txt matches")
_ITSELF: Final = Ruling(True, _RULE, "robots.txt itself is always allowed")


class _Rule(NamedTuple):
    """A pattern taken apart. Its head, up to the first ``*``, was matched by who holds it."""

    rank: int
    """Twice the pattern's length, and one more where it allows: the highest rank decides."""
    line: RobotsLine
    between: tuple[str, ...]
    """What must follow the head, in this order, with anything before each."""
    tail: str | None
    """What the target must end with, after all of that; None where any end will do."""
    exact: bool
    """The head is all there may be."""

    def matches(self, target: str, position: int) -> bool:
        if self.exact:
            return position == len(target)
        for part in self.between:
            found = target.find(part, position)
            if found < 0:
                return False
            position = found + len(part)
        return self.tail is None or (
            len(target) - len(self.tail) >= position and target.endswith(self.tail)
        )


class Matcher:
    """The lines of one file, by their literal heads."""

    __slots__ = ("_heads", "_sizes")

    def __init__(self, heads: dict[str, list[_Rule]], sizes: tuple[int, ...]) -> None:
        self._heads = heads
        self._sizes = sizes

    @classmethod
    def of(cls, lines: Iterable[RobotsLine]) -> Matcher:
        heads: dict[str, dict[tuple[bool, str], _Rule]] = {}
        for line in lines:
            for pattern in _spellings(line):
                head, rule = _compile(line, pattern)
                heads.setdefault(head, {}).setdefault((line.allow, pattern), rule)
        by_rank = {
            head: sorted(rules.values(), key=lambda rule: -rule.rank)
            for head, rules in heads.items()
        }
        return cls(by_rank, tuple(sorted({len(head) for head in by_rank})))

    def decide(self, target: str) -> RobotsLine | None:
        """The line that decides on a target in comparable form; None where no line matches."""
        best: RobotsLine | None = None
        best_rank = -1
        heads = self._heads
        length = len(target)
        for size in self._sizes:
            if size > length:
                break
            for rule in heads.get(target[:size], ()):
                if rule.rank <= best_rank:
                    break
                if rule.matches(target, size):
                    best, best_rank = rule.line, rule.rank
                    break
        return best


@dataclass(frozen=True, slots=True)
class RobotsFile:
    """What one robots.txt says to one crawler."""

    lines: tuple[RobotsLine, ...]
    matcher: Matcher
    crawl_delay_s: float | None
    sitemaps: tuple[str, ...]

    @classmethod
    def read(cls, body: bytes, agent: str) -> RobotsFile:
        """Read the file for ``agent``, a product token such as ``Shoal``."""
        named = _Group()
        everyone = _Group()
        current: list[_Group] = []
        open_for_agents = False
        sitemaps: dict[str, None] = {}
        for number, field, value in _fields(body):
            match field:
                case "agent":
                    current = current if open_for_agents else []
                    open_for_agents = True
                    group = _whose(value, agent.lower(), named, everyone)
                    if group is not None and group not in current:
                        group.found = True
                        current.append(group)
                case "delay":
                    for group in current:
                        group.ask_delay(value)
                case "sitemap":
                    if value and len(value) <= _SITEMAP_LENGTH and len(sitemaps) < _SITEMAP_LIMIT:
                        sitemaps[_shown(value)] = None
                case _:
                    open_for_agents = False
                    if value and current:
                        line = RobotsLine(number, field == "allow", comparable_pattern(value))
                        for group in current:
                            group.lines.append(line)
        ours = named if named.found else everyone
        return cls.made_of(tuple(ours.lines), ours.delay_s, tuple(sitemaps))

    @classmethod
    def made_of(
        cls, lines: tuple[RobotsLine, ...], crawl_delay_s: float | None, sitemaps: tuple[str, ...]
    ) -> RobotsFile:
        return cls(lines, Matcher.of(lines), crawl_delay_s, sitemaps)

    def ruling(self, target: str) -> Ruling:
        """Rule on a target: path and query, as a request line has them."""
        if target == "/robots.txt":
            return _ITSELF
        line = self.matcher.decide(comparable_target(target))
        return _NO_LINE if line is None else line.ruling


class _Group:
    """What all groups for one agent say, taken together."""

    __slots__ = ("delay_s", "found", "lines")

    def __init__(self) -> None:
        self.found = False
        self.lines: list[RobotsLine] = []
        self.delay_s: float | None = None

    def ask_delay(self, value: str) -> None:
        """The first Crawl-delay that is a number counts."""
        number = _NUMBER.match(value)
        if number is not None and self.delay_s is None:
            self.delay_s = min(float(number[0].replace(",", ".")), _DELAY_LIMIT_S)


def comparable_pattern(value: str) -> str:
    """A pattern as RFC 9309 compares it: octets beyond ASCII encoded, needless codes undone, a
    run of ``*`` is one, and ``$`` means the end only where it stands there."""
    anchored = value.endswith("$")
    octets = (value[:-1] if anchored else value).encode("utf-8", "surrogateescape")
    spelt = _ODD_IN_PATTERN.sub(_spell, octets.decode("latin-1"))
    return _STARS.sub("*", spelt) + ("$" if anchored else "")


def comparable_target(target: str) -> str:
    """A target in the same form; a ``*`` or ``$`` in it is nothing but itself."""
    if not target.isascii():
        target = target.encode("utf-8", "surrogatepass").decode("latin-1")
    return _ODD_IN_TARGET.sub(_spell, target) or "/"


def _spell(odd: re.Match[str]) -> str:
    code = odd[1]
    if code is None:
        return f"%{ord(odd[0]):02X}"
    character = chr(int(code, 16))
    return character if _UNRESERVED.fullmatch(character) else odd[0].upper()


def _fields(body: bytes) -> Iterator[tuple[int, str, str]]:
    """Line number, field and value of every line that says something known.

    As Google's parser does, a line of two words without a colon is taken for one with it.
    """
    if len(body) > SIZE_LIMIT_BYTES:
        end = max(body.rfind(b"\n", 0, SIZE_LIMIT_BYTES), body.rfind(b"\r", 0, SIZE_LIMIT_BYTES))
        body = body[: end + 1]
    for number, line in enumerate(_LINE_END.split(body.decode("utf-8", "surrogateescape")), 1):
        said = line.partition("#")[0].strip(_BLANK)
        name, colon, value = said.partition(":")
        if not colon:
            words = said.split(maxsplit=2)
            if len(words) != 2:
                continue
            name, value = words
        field = _FIELDS.get(name.rstrip(_BLANK).lower())
        if field is not None:
            yield number, field, value.strip(_BLANK)


def _whose(value: str, agent: str, named: _Group, everyone: _Group) -> _Group | None:
    """Which of our two groups a User-agent line speaks of, if any."""
    if value == "*" or (value.startswith("*") and value[1].isspace()):
        return everyone
    token = _TOKEN.match(value)
    return named if token is not None and token[0].lower() == agent else None


def _spellings(line: RobotsLine) -> tuple[str, ...]:
    """The patterns a line stands for. As at Google, allowing a folder's index page allows the
    folder, which is one Url with it here."""
    slash = line.pattern.rfind("/")
    if line.allow and line.pattern.startswith("/index.htm", slash):
        return line.pattern, line.pattern[: slash + 1] + "$"
    return (line.pattern,)


def _compile(line: RobotsLine, pattern: str) -> tuple[str, _Rule]:
    rank = 2 * len(pattern) + line.allow
    anchored = pattern.endswith("$")
    head, *parts = pattern.removesuffix("$").split("*")
    exact = anchored and not parts
    tail = parts.pop() if anchored and parts else None
    return head, _Rule(rank, line, tuple(part for part in parts if part), tail, exact)


def _shown(value: str) -> str:
    return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
