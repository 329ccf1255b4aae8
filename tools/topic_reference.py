"""The reference page of the topic file, made from the classes that it is read into."""

from __future__ import annotations

from dataclasses import MISSING, fields

from shoal import config
from shoal.topic.spec import KINDS, Spec


def topic_page() -> str:
    common = config.option_documentation(Spec)
    lines = [
        "# The topic file",
        "",
        "Made from `src/shoal/topic/spec.py` by `make reference`; do not edit.",
        "",
        "A topic file (TOML) says what is wanted. `shoal crawl --topic-file FILE` crawls for it,",
        "`shoal topic check FILE` checks it and judges pages by it. It is one table, of the kind",
        "that one of these keys tells; a table of `all`, `any`, `not` or `mean` holds others. An",
        "unknown key is an error. Paths are seen from the file's own folder. Examples stand in",
        "[describe a topic](../how-to/describe-a-topic.md); what the numbers mean, in",
        "[judging](../explanation/judging.md).",
        "",
        "| key | what is wanted |",
        "| --- | --- |",
        *(f"| [`{key}`](#{key}) | {_meaning(kind)} |" for key, kind in KINDS.items()),
        "",
        "Every table may also have:",
        "",
        "| key | default | meaning |",
        "| --- | --- | --- |",
        *(_row(Spec, name, text) for name, text in common.items()),
    ]
    for key, kind in KINDS.items():
        lines += ["", f"## {key}", "", _meaning(kind), "", "| key | default | meaning |"]
        texts = config.option_documentation(kind)
        lines += ["| --- | --- | --- |", *(_row(kind, name, text) for name, text in texts.items())]
    return "\n".join(lines) + "\n"


def _meaning(kind: type[Spec]) -> str:
    return " ".join((kind.__doc__ or "").split())


def _row(kind: type[Spec], name: str, text: str) -> str:
    (field,) = (one for one in fields(kind) if one.name == name)
    default = field.default
    if default is MISSING:
        shown = "required" if field.default_factory is MISSING else "none"
    else:
        shown = "none" if default in (None, "", ()) else f"`{config.toml_value(default)}`"
    return f"| `{name.rstrip('_')}` | {shown} | {text} |"
