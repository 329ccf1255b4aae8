"""Reads the Linear Topic Map notation, LTM 1.3.

Topics, names with scopes and variants, associations and occurrences; the last are read and left
out, for they hold no labels. ``#INCLUDE`` and ``#MERGEMAP`` are remembered and not followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from shoal.ontology.model import Ontology, OntologyError
from shoal.ontology.topic_map import ID, INDICATOR, LOCATOR, Role, TopicMap

_TOKEN: Final = re.compile(
    r"""
    (?P<space>\s+|/\*.*?\*/)
    | (?P<text>"(?:[^"]|"")*")
    | (?P<data>\[\[.*?\]\])
    | (?P<directive>\#[A-Z]+)
    | (?P<name>[^\W\d][\w.\-]*(?::[^\W\d][\w.\-]*)?)
    | (?P<sign>[\[\](){}:;=,/~@%])
    """,
    re.VERBOSE | re.DOTALL,
)
_ENCODING: Final = re.compile(rb'^(?:\xef\xbb\xbf)?@"([\w.-]+)"')
_ESCAPE: Final = re.compile(r"\\u([0-9A-Fa-f]{4,6})")
_ARGUMENTS: Final = ("text", "name")


class _Token(NamedTuple):
    kind: str
    text: str
    line: int


def read_ltm(content: bytes) -> Ontology:
    """Raises OntologyError, which names the line."""
    declared = _ENCODING.match(content)
    encoding = declared[1].decode() if declared else "utf-8"
    try:
        text = content[declared.end() if declared else 0 :].decode(encoding)
    except (LookupError, UnicodeDecodeError) as error:
        if declared:
            raise OntologyError(f"it is not text in {encoding}: {error}") from error
        text = content.decode("latin-1")
    reader = _Reader(list(_tokens(text.lstrip("\ufeff"))))
    reader.read()
    return reader.made.finish()


def _tokens(text: str) -> Iterator[_Token]:
    at, line = 0, 1
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None or found.lastgroup is None:
            raise OntologyError(f"line {line}: {text[at : at + 20]!r} is not LTM")
        if found.lastgroup != "space":
            yield _Token(found.lastgroup, found[0], line)
        line += found[0].count("\n")
        at = found.end()
    yield _Token("end", "", line)


class _Reader:
    def __init__(self, tokens: list[_Token]) -> None:
        self.made = TopicMap()
        self._tokens = tokens
        self._at = 0
        self._prefixes: dict[str, str] = {}

    def read(self) -> None:
        while self._peek().kind != "end":
            token = self._peek()
            if token.kind == "directive":
                self._directive()
            elif token.text == "[":
                self._topic()
            elif token.text == "{":
                self._occurrence()
            elif token.kind == "name":
                self._association()
            else:
                raise self._wrong("a topic, an association or an occurrence")

    def _directive(self) -> None:
        directive = self._next().text
        if directive == "#PREFIX":
            name = self._next().text
            kind = self._next().text
            self._prefixes[name] = (INDICATOR if kind == "@" else LOCATOR) + self._text()
            return
        arguments = []
        while self._peek().kind in _ARGUMENTS or self._peek().text == "~":
            if self._peek().kind == "name" and self._tokens[self._at + 1].text == "(":
                break
            arguments.append(self._next().text.strip('"'))
        if directive in {"#INCLUDE", "#MERGEMAP"} and arguments:
            self.made.merge(arguments[0])

    def _topic(self) -> str:
        self._take("[")
        own = self._identifier()
        types = []
        if self._peek().text == ":":
            self._next()
            while self._peek().kind == "name":
                types.append(self._identifier())
        names = []
        while self._peek().text == "=":
            names.append(self._name())
        identifiers = [own]
        while self._peek().text in {"@", "%"}:
            kind = INDICATOR if self._next().text == "@" else LOCATOR
            identifiers.append(kind + self._text())
        self._take("]")
        self.made.topic(identifiers)
        for type_ in types:
            self.made.instance(own, type_)
        for texts, scope, variants in names:
            self.made.name(own, texts[0], scope)
            for text in texts[2:]:
                self.made.name(own, text, scope, variant=True)
            for text, themes in variants:
                self.made.name(own, text, (*scope, *themes), variant=True)
        return own

    def _name(self) -> tuple[list[str], list[str], list[tuple[str, list[str]]]]:
        """Base name, sort name and display name; their scope; variants with theirs."""
        self._take("=")
        texts = [self._text()]
        while self._peek().text == ";":
            self._next()
            texts.append(self._text() if self._peek().kind == "text" else "")
        scope = self._scope()
        self._reifier()
        variants = []
        while self._peek().text == "(":
            self._next()
            text = self._text()
            variants.append((text, self._scope()))
            self._reifier()
            self._take(")")
        return texts, scope, variants

    def _association(self) -> None:
        type_ = self._identifier()
        self._take("(")
        roles = []
        while True:
            player = self._topic() if self._peek().text == "[" else self._identifier()
            role = None
            if self._peek().text == ":":
                self._next()
                role = self._topic() if self._peek().text == "[" else self._identifier()
            self._reifier()
            roles.append(Role(player, role))
            if self._peek().text != ",":
                break
            self._next()
        self._take(")")
        self._scope()
        self._reifier()
        self.made.association(type_, roles)

    def _occurrence(self) -> None:
        self._take("{")
        self._identifier()
        self._take(",")
        self._identifier()
        self._take(",")
        if self._next().kind not in {"text", "data"}:
            raise self._wrong("an address or [[data]]")
        self._take("}")
        self._scope()
        self._reifier()

    def _scope(self) -> list[str]:
        """Themes are names; the next statement begins with one too, but a bracket follows it."""
        themes: list[str] = []
        if self._peek().text != "/":
            return themes
        self._next()
        while self._peek().kind == "name" and self._tokens[self._at + 1].text != "(":
            themes.append(self._identifier())
        return themes

    def _reifier(self) -> None:
        if self._peek().text == "~":
            self._next()
            self._identifier()

    def _identifier(self) -> str:
        if self._peek().kind != "name":
            raise self._wrong("a name")
        name = self._next().text
        prefix, colon, rest = name.partition(":")
        if colon and prefix in self._prefixes:
            return self._prefixes[prefix] + rest
        if colon:
            # "type:role" without spaces, as older files have it, is two names.
            token = self._tokens[self._at - 1]
            more = (_Token("sign", ":", token.line), _Token("name", rest, token.line))
            self._tokens[self._at : self._at] = more
            name = prefix
        return f"{ID}#{name}"

    def _text(self) -> str:
        if self._peek().kind != "text":
            raise self._wrong("a text in quotes")
        bare = self._next().text[1:-1].replace('""', '"')
        return _ESCAPE.sub(lambda found: chr(min(int(found[1], 16), 0x10FFFF)), bare)

    def _take(self, sign: str) -> None:
        if self._peek().text != sign:
            raise self._wrong(repr(sign))
        self._next()

    def _peek(self) -> _Token:
        return self._tokens[self._at]

    def _next(self) -> _Token:
        token = self._tokens[self._at]
        if token.kind != "end":
            self._at += 1
        return token

    def _wrong(self, expected: str) -> OntologyError:
        token = self._peek()
        shown = token.text[:20] or "the end"
        return OntologyError(f"line {token.line}: expected {expected}, not {shown!r}")
