"""What a topic file can say: one table of one of these kinds, which may hold other tables.

The string below a field is its documentation: ``docs/reference/topic-file.md`` is made of these.
``topic_file.py`` reads and checks them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from shoal.ontology.focus import Weights
from shoal.topic.keywords import BORDER
from shoal.topic.ontology import LIMIT, Idf, MostFrequent


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """What every table may have besides the keys of its kind."""

    name: str = ""
    """What it is called among the reasons and beliefs of a Judgement; made of its contents where
    nothing is said."""
    weight: float = 1.0
    """What it counts beside the others; for a table of `mean` only."""

    @property
    def shown(self) -> str:
        return self.name or "topic"


@dataclass(frozen=True, slots=True, kw_only=True)
class WordsSpec(Spec):
    """Pages that hold these words, each counting by how rare it is."""

    words: tuple[str, ...]
    """Words that name the topic, as you would type them into a search box. All forms of a word
    count."""
    terms: dict[str, float] = field(default_factory=dict)
    """Further words, and what each counts beside 1 for one of `words`."""
    border: float = BORDER
    """The cosine at which relevance is 0.5."""

    @property
    def shown(self) -> str:
        return self.name or " ".join(self.words)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExamplesSpec(Spec):
    """Pages like these, and unlike those."""

    like: tuple[str, ...]
    """Example pages that are wanted, at least two that differ: files, folders, WARC files, or
    addresses in `web`."""
    unlike: tuple[str, ...] = ()
    """Example pages that are not wanted, given in the same way. With them the border is told much
    better."""
    web: str | None = None
    """The frozen web (WARC file or folder, a crawl's directory too) that holds the addresses; that
    of the crawl where nothing is said."""

    @property
    def shown(self) -> str:
        return self.name or "examples"


@dataclass(frozen=True, slots=True, kw_only=True)
class CategorySpec(Spec):
    """Pages of one category of a trained model."""

    category: str
    """The category, one of those that `shoal model show` lists."""
    model: str
    """The file that `shoal model train` made."""
    least_terms: int | None = None
    """Pages of fewer words belong to no category, and are irrelevant; 50 where nothing is said."""

    @property
    def shown(self) -> str:
        return self.name or self.category


@dataclass(frozen=True, slots=True, kw_only=True)
class OntologySpec(Spec):
    """Pages that speak of the concepts of an ontology, most of all of those in focus."""

    ontology: str
    """The file: XTM, LTM, SKOS, OWL or other RDF."""
    focus: tuple[str, ...] = ()
    """The focal concepts, by their ids or labels, as `shoal topic find` shows them. Without any,
    the topic is unfocused: all concepts count the same."""
    focus_weight: float = Weights.focal
    """What a focal concept counts."""
    taxonomic_weight: float = Weights.taxonomic
    """What a concept counts that is directly above or below a focal one: a kind of it, or what it
    is a kind of."""
    other_weight: float = Weights.other
    """What a concept counts that is directly related to a focal one in any other way."""
    rest_weight: float = Weights.rest
    """What every other concept counts. Of several classes, a concept has the largest weight."""
    limit: float = LIMIT
    """The relevancy at which relevance is 0.5."""
    idf: Idf = Idf.REFERENCE
    """Where it is told how rare a concept is: `reference` is the table that ships, so that crawls
    can be compared; `crawl` counts in the pages that the crawl has met so far, this one among
    them. The counts go on with a crawl that is taken up again."""
    most_frequent: MostFrequent = MostFrequent.CONCEPT
    """Counts on a page are divided by that of its most frequent `concept` or `word`."""
    label_languages: tuple[str, ...] = ()
    """Only labels in these languages (ISO 639), and those that are marked with none; all labels
    where nothing is said."""

    @property
    def shown(self) -> str:
        return self.name or " ".join(self.focus) or "ontology"


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageSpec(Spec):
    """A requirement: pages in one of these languages, or in none that can be told."""

    language: tuple[str, ...]
    """ISO 639 codes, such as `en`; one may be written without a list."""

    @property
    def shown(self) -> str:
        return self.name or "language " + " or ".join(self.language)


@dataclass(frozen=True, slots=True, kw_only=True)
class AllSpec(Spec):
    """Pages that are relevant to each of these; as relevant as the least of them says."""

    all: tuple[Spec, ...]
    """Tables of any kind: `[[all]]` above the keys of each."""

    @property
    def shown(self) -> str:
        return self.name or " and ".join(one.shown for one in self.all)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnySpec(Spec):
    """Pages that are relevant to one of these; as relevant as the largest of them says."""

    any: tuple[Spec, ...]
    """Tables of any kind: `[[any]]` above the keys of each."""

    @property
    def shown(self) -> str:
        return self.name or " or ".join(one.shown for one in self.any)


@dataclass(frozen=True, slots=True, kw_only=True)
class NotSpec(Spec):
    """A requirement: pages that are not relevant to this."""

    not_: Spec
    """A table of any kind: `[not]` above its keys."""

    @property
    def shown(self) -> str:
        return self.name or f"not {self.not_.shown}"


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanSpec(Spec):
    """Pages that are relevant to these on average."""

    mean: tuple[Spec, ...]
    """Tables of any kind, each with its `weight`: `[[mean]]` above the keys of each."""

    @property
    def shown(self) -> str:
        return self.name or " with ".join(one.shown for one in self.mean)


KINDS: dict[str, type[Spec]] = {
    "words": WordsSpec,
    "like": ExamplesSpec,
    "category": CategorySpec,
    "ontology": OntologySpec,
    "language": LanguageSpec,
    "all": AllSpec,
    "any": AnySpec,
    "not": NotSpec,
    "mean": MeanSpec,
}
"""The key by which the kind of a table is known."""


def members_of(spec: Spec) -> tuple[Spec, ...]:
    """The tables right below this one."""
    if isinstance(spec, AllSpec):
        return spec.all
    if isinstance(spec, AnySpec):
        return spec.any
    if isinstance(spec, MeanSpec):
        return spec.mean
    return (spec.not_,) if isinstance(spec, NotSpec) else ()
