"""What a rule sees, and what a rule is."""

from __future__ import annotations

from typing import ClassVar, Protocol

from shoal.model import Link, Ruling


class Candidate:
    """A Link that asks to come in, with what the rules want to know of it, cut up once."""

    __slots__ = ("depth", "host_known", "link", "path", "query", "redirects", "text", "url")

    def __init__(self, link: Link, depth: int, redirects: int, host_known: int) -> None:
        self.link = link
        self.depth = depth
        self.redirects = redirects
        self.host_known = host_known
        self.url = url = link.target
        self.text = url.text
        self.path, _, self.query = url.target.partition("?")


class Rule(Protocol):
    """One reason to let a Link in, or to keep it out.

    1. ``opinion`` is None where the rule does not decide; the next rule is asked.
    2. A Ruling bears the rule's ``name``, and a refusal says what in the Link was too much.
    3. The same Links in the same order get the same opinions.
    """

    name: ClassVar[str]
    setting: ClassVar[str]
    """The setting that moves it; ``always`` where nothing does."""
    of_url: ClassVar[bool]
    """Whether the Url alone decides, wherever the Link stands and whenever it is asked."""
    meaning: ClassVar[str]

    def opinion(self, candidate: Candidate) -> Ruling | None: ...
