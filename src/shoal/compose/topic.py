"""Makes Topics of what the settings or a topic file say, reading the examples and models they name.

A made Topic has a digest of all that it was learnt from: the words, the bytes of the example pages,
the model's file. A crawl that goes on compares it, so that a Topic never changes unnoticed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import xxhash

from shoal.classify.examples import UNKNOWN_LANGUAGE
from shoal.classify.model import Model
from shoal.classify.model_file import load
from shoal.classify.sort import is_foreign
from shoal.classify.usable import LEAST_TERMS, Kind, kind_of
from shoal.compose.crawl import MadeTopic
from shoal.errors import UsageError
from shoal.labelled import read_pages
from shoal.model import Page
from shoal.ontology.finding import UnknownConcept, resolve
from shoal.ontology.focus import Wanted, Weights, focus_on
from shoal.ontology.reading import read_ontology
from shoal.ports import Attentive, Topic
from shoal.settings import CrawlSettings
from shoal.topic.category import CategoryTopic
from shoal.topic.combined import AllOf, AnyOf, MeanOf, Member, Not
from shoal.topic.examples import BadExamples, learn_examples
from shoal.topic.keywords import KeywordTopic
from shoal.topic.language import LanguageTopic
from shoal.topic.ontology import Idf, OntologyTopic
from shoal.topic.rarity import Rarity, has_list
from shoal.topic.spec import (
    AllSpec,
    AnySpec,
    CategorySpec,
    ExamplesSpec,
    LanguageSpec,
    MeanSpec,
    NotSpec,
    OntologySpec,
    Spec,
    WordsSpec,
    members_of,
)
from shoal.topic.topic_file import BadTopic, as_table, read_topic
from shoal.wording import nearest

_ENGLISH = "en"


def spec_of(crawl: CrawlSettings) -> Spec:
    """What the settings of a crawl say is wanted: several kinds together are all required. Raises
    BadTopic."""
    found: list[Spec] = []
    if crawl.topic:
        found.append(WordsSpec(words=crawl.topic))
    if crawl.topic_file is not None:
        found.append(read_topic(Path(crawl.topic_file)))
    if crawl.like:
        found.append(ExamplesSpec(like=crawl.like, unlike=crawl.unlike))
    if crawl.model is not None:
        found.append(CategorySpec(model=crawl.model, category=crawl.category or ""))
    if crawl.ontology is not None:
        found.append(OntologySpec(ontology=crawl.ontology, focus=crawl.focus))
    if crawl.languages:
        found.append(LanguageSpec(language=crawl.languages))
    if not found:
        raise BadTopic(
            "no topic: give words, a topic file, examples, a category of a model, or an ontology"
        )
    return found[0] if len(found) == 1 else AllSpec(all=tuple(found))


def make(spec: Spec, web: str | None = None) -> MadeTopic:
    """``web`` is where addresses of examples are looked up whose table names no web of its own.
    Raises UsageError."""
    maker = _Maker(web)
    topic = maker.topic(spec)
    digest = maker.digest.hexdigest()
    return MadeTopic(topic, tuple(maker.words), digest, tuple(maker.attentive), maker.wanted)


class _Maker:
    """Gathers words and digest on the way through a Spec."""

    def __init__(self, web: str | None) -> None:
        self.words: list[str] = []
        self.attentive: list[Attentive] = []
        self.wanted: Wanted | None = None
        self.digest = xxhash.xxh3_128()
        self._web = web

    def topic(
        self, spec: Spec, languages: frozenset[str] = frozenset(), wanted: bool = True
    ) -> Topic:
        """``languages`` are those that stand beside it as a requirement; ``wanted`` is False below
        a ``not``."""
        if isinstance(spec, WordsSpec):
            self._tell(spec)
            if wanted:
                self.words += spec.words
            return KeywordTopic(spec.words, Rarity(), spec.terms, spec.border)
        if isinstance(spec, ExamplesSpec):
            return self._examples(spec)
        if isinstance(spec, CategorySpec):
            return self._category(spec, languages)
        if isinstance(spec, OntologySpec):
            return self._ontology(spec, wanted)
        if isinstance(spec, LanguageSpec):
            self._tell(spec)
            return LanguageTopic(frozenset(spec.language))
        return self._combination(spec, languages, wanted)

    def _combination(self, spec: Spec, languages: frozenset[str], wanted: bool) -> Topic:
        members = members_of(spec)
        self.digest.update(f"{type(spec).__name__} of {len(members)}".encode())
        if isinstance(spec, AllSpec):
            for one in members:
                if isinstance(one, LanguageSpec):
                    languages = (
                        languages & set(one.language) if languages else frozenset(one.language)
                    )
        made = []
        for one, name in zip(members, _names(members), strict=True):
            self.digest.update(repr((name, one.weight)).encode())
            inside = wanted and not isinstance(spec, NotSpec)
            made.append(Member(name, self.topic(one, languages, inside), one.weight))
        if isinstance(spec, AllSpec):
            return AllOf(tuple(made))
        if isinstance(spec, AnySpec):
            return AnyOf(tuple(made))
        if isinstance(spec, MeanSpec):
            return MeanOf(tuple(made))
        return Not(made[0])

    def _examples(self, spec: ExamplesSpec) -> Topic:
        web = spec.web or self._web
        likes = self._read(spec.like, web, "like")
        unlikes = self._read(spec.unlike, web, "unlike")
        try:
            return learn_examples(
                [page.terms for page in likes], [page.terms for page in unlikes], _rarity(likes)
            )
        except BadExamples as error:
            raise BadTopic(f"like {', '.join(spec.like[:3])}: {error}") from error

    def _read(self, names: Sequence[str], web: str | None, key: str) -> list[Page]:
        """The pages with words in them; the digest learns of each, in an order of its own."""
        for name in names:
            path = Path(name)
            if path.is_dir() and not any(path.iterdir()):
                raise BadTopic(f"{key}: the folder {name} is empty; put example pages in it")
        try:
            read = list(read_pages(names, web))
        except UsageError as error:
            raise BadTopic(f"{key}: {error}") from error
        pages = [one.page for one in read if one.page.terms and one.kind is not Kind.INVALID]
        if names and not pages:
            kinds = Counter(str(one.kind) for one in read)
            what = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
            raise BadTopic(f"{key}: no example page has words in it ({what or 'there is none'})")
        self.digest.update(key.encode())
        for digest in sorted(page.digest for page in pages):
            self.digest.update(digest.encode())
        return pages

    def _category(self, spec: CategorySpec, languages: frozenset[str]) -> Topic:
        path = Path(spec.model)
        model = load(path)
        if not spec.category:
            raise BadTopic(
                f"which category of {path}? Name one with --category: {', '.join(model.categories)}"
            )
        if spec.category not in model.categories:
            hint = nearest(spec.category, model.categories)
            raise BadTopic(f"{path} has no category {spec.category!r}{hint}")
        if languages and model.language not in (UNKNOWN_LANGUAGE, *languages):
            raise BadTopic(
                f"{path} was made for pages in {model.language!r}, and the topic wants pages in "
                f"{' or '.join(sorted(languages))}; use a model for that language"
            )
        self.digest.update(path.read_bytes())
        self._tell(replace(spec, model=""))

        def refuse(page: Page) -> str:
            return why_unsortable(model, page, spec.least_terms or LEAST_TERMS)

        return CategoryTopic(model.classifier, spec.category, refuse)

    def _ontology(self, spec: OntologySpec, wanted: bool) -> Topic:
        """The words are what the focal concepts are called."""
        path = Path(spec.ontology)
        ontology = read_ontology(path)
        try:
            focal = resolve(ontology, spec.focus)
        except UnknownConcept as error:
            raise BadTopic(f"{path}: {error}") from error
        self.digest.update(path.read_bytes())
        self._tell(replace(spec, ontology=""))
        if wanted:
            self.words += [ontology.concepts[concept].name for concept in focal]
            languages = frozenset(spec.label_languages)
            self.wanted = self.wanted or Wanted(ontology, focal, languages)
        weights = Weights(
            spec.focus_weight, spec.taxonomic_weight, spec.other_weight, spec.rest_weight
        )
        topic = OntologyTopic(
            ontology,
            focus_on(ontology, focal, weights),
            spec.limit,
            spec.idf,
            spec.most_frequent,
            frozenset(spec.label_languages),
        )
        if spec.idf is Idf.CRAWL:
            self.attentive.append(topic)
        return topic

    def _tell(self, spec: Spec) -> None:
        self.digest.update(msgspec.json.encode(as_table(spec), order="sorted"))


def why_unsortable(model: Model, page: Page, least_terms: int) -> str:
    """Why C4's rules keep a Page from the model; empty where they do not."""
    kind = kind_of(page, least_terms)
    if kind is not Kind.USABLE:
        return str(kind)
    return f"language {page.language.code}" if is_foreign(page.language, model) else ""


def _rarity(pages: Sequence[Page]) -> Rarity:
    """By the word list of most pages' language, where one ships."""
    codes = Counter(page.language.code for page in pages)
    code = min(codes, key=lambda one: (-codes[one], one))
    return Rarity(code if has_list(code) else _ENGLISH)


def _names(members: Sequence[Spec]) -> list[str]:
    """No two alike."""
    found: list[str] = []
    for one in members:
        name, number = one.shown, 2
        while name in found:
            name, number = f"{one.shown} {number}", number + 1
        found.append(name)
    return found
