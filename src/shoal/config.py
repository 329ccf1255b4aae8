"""Settings from TOML, the environment and flags, strictly checked.

Later layers win: defaults, the TOML file, ``SHOAL_SECTION_KEY`` in the environment, ``--set``
and the other flags. An unknown key, a wrong type or an impossible pair is an error that names the
key and, where there is one, the nearest valid one.
"""

from __future__ import annotations

import ast
import difflib
import inspect
import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import msgspec

from shoal import settings as settings_module
from shoal.crawl.idle import IdleWindow
from shoal.errors import UsageError
from shoal.settings import ArchiveSettings, CrawlSettings, Settings
from shoal.strategy import registry
from shoal.strategy.recipe import Recipe

Layer = dict[str, dict[str, Any]]
"""Section, key, value: as TOML gives it, not checked yet."""

OPTIONS = "strategy"
"""The section whose keys the chosen strategy defines."""
SECTIONS: dict[str, type] = {
    field.name: type(getattr(Settings(), field.name))
    for field in fields(Settings)
    if field.name != OPTIONS
}
PORT_MAX = 65_535
STATE_NAME = r"(?!pg_)[a-z][a-z0-9_-]{0,39}"
ENGINES = ("processes", "inline", "ray")
PARTITIONS = (
    "url",
    "host",
    "site",
    "country",
    "hierarchy",
    "content",
    "combination",
    "topic",
    "topic-by-host",
    "predicted-topic",
)
BY_TOPIC = frozenset({"topic", "topic-by-host", "predicted-topic"})
"""Partitions that a model or topics tell."""
CARRIES = ("pages", "urls", "counts")
"""What travels of a page that another crawler owns."""
LOGS = ("auto", "display", "lines", "json", "none")


class SettingsError(UsageError):
    """A setting that is not there, not of its type, or impossible beside another one."""


# --------------------------------------------------------------------------- layers


def read_toml(path: Path) -> Layer:
    try:
        layer = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise SettingsError(f"there is no settings file {path}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"cannot read {path}: {error}") from error
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path} is not valid TOML: {error}") from error
    for section, keys in layer.items():
        _check_section(section, str(path))
        if not isinstance(keys, dict):
            raise SettingsError(f"{path}: {section} is a section; write [{section}] above its keys")
    return layer


def read_environment(environment: Mapping[str, str]) -> Layer:
    """``SHOAL_FETCH_CONTACT=me@example.org`` is ``fetch.contact``."""
    layer: Layer = {}
    for name, text in sorted(environment.items()):
        found = re.fullmatch(r"SHOAL_([A-Z]+)_([A-Z0-9_]+)", name)
        if found and found[1].lower() in (*SECTIONS, OPTIONS):
            layer.setdefault(found[1].lower(), {})[found[2].lower()] = _value(
                found[1].lower(), found[2].lower(), text
            )
    return layer


def read_assignments(assignments: Sequence[str]) -> Layer:
    """``fetch.contact=me@example.org`` as given to ``--set``."""
    layer: Layer = {}
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        section, dot, key = name.strip().partition(".")
        if not equals or not dot:
            raise SettingsError(
                f"--set {assignment!r}: write section.key=value, such as politeness.delay_s=2"
            )
        _check_section(section, "--set")
        layer.setdefault(section, {})[key] = _value(section, key, text.strip())
    return layer


def merge(layers: Sequence[Layer]) -> Layer:
    merged: Layer = {}
    for layer in layers:
        for section, keys in layer.items():
            merged.setdefault(section, {}).update(keys)
    return merged


# --------------------------------------------------------------------------- checking


def check(layer: Layer) -> Settings:
    """Settings of a layer; what it does not name keeps its default. Raises SettingsError."""
    sections: dict[str, Any] = {}
    for section, keys in layer.items():
        _check_section(section, "settings")
        if section == OPTIONS:
            continue
        kind = SECTIONS[section]
        names = [field.name for field in fields(kind)]
        for key in keys:
            if key not in names:
                hint = _nearest(key, names, f"{section}.") or _elsewhere(key)
                raise SettingsError(f"unknown setting {section}.{key}{hint}")
        try:
            sections[section] = msgspec.convert(keys, kind, strict=True)
        except msgspec.ValidationError as error:
            raise SettingsError(_type_message(section, error)) from error
    made = Settings(**sections, strategy=dict(layer.get(OPTIONS, {})))
    _check_pairs(made)
    strategy_options(made.crawl.strategy, made.strategy)
    return made


def strategy_options(name: str, given: Mapping[str, Any]) -> Any:
    """What a strategy can be given, checked as all settings are. Raises SettingsError.

    The type is the strategy's own, which is why it cannot be said here.
    """
    kind = find_strategy(name).options
    names = [field.name for field in fields(kind)]
    for key in given:
        if key not in names:
            hint = _nearest(key, names, f"{OPTIONS}.") or (
                f"; it has {', '.join(names)}" if names else "; it has no options"
            )
            raise SettingsError(f"the strategy {name} has no option {OPTIONS}.{key}{hint}")
    try:
        return msgspec.convert(dict(given), kind, strict=True)
    except msgspec.ValidationError as error:
        raise SettingsError(_type_message(OPTIONS, error)) from error


def find_strategy(name: str) -> Recipe[Any]:
    try:
        return registry.find(name)
    except registry.StrategyError as error:
        raise SettingsError(f"crawl.strategy: {error}") from error


def _check_pairs(made: Settings) -> None:
    crawl, fetch, politeness = made.crawl, made.fetch, made.politeness
    positive = {
        "crawl.parallel": crawl.parallel,
        "crawl.batch_pages": crawl.batch_pages,
        "crawl.batch_s": crawl.batch_s,
        "crawl.attempts": crawl.attempts,
        "crawl.pages": crawl.pages,
        "crawl.time_s": crawl.time_s,
        "crawl.bytes": crawl.bytes,
        "fetch.connect_timeout_s": fetch.connect_timeout_s,
        "fetch.read_timeout_s": fetch.read_timeout_s,
        "fetch.total_timeout_s": fetch.total_timeout_s,
        "fetch.body_limit_bytes": fetch.body_limit_bytes,
        "fetch.header_limit_bytes": fetch.header_limit_bytes,
        "fetch.bandwidth_bytes_s": fetch.bandwidth_bytes_s,
        "politeness.per_host": politeness.per_host,
        "politeness.per_ip": politeness.per_ip,
        "politeness.park_after": politeness.park_after,
        "politeness.give_up_after": politeness.give_up_after,
        "archive.rotate_bytes": made.archive.rotate_bytes,
        "archive.segment_bytes": made.archive.segment_bytes,
        "team.crawlers": made.team.crawlers,
        "team.outbox_bytes": made.team.outbox_bytes,
        "team.balance_every_s": made.team.balance_every_s,
        "watch.line_every_s": made.watch.line_every_s,
    }
    for name, value in positive.items():
        if value is not None and value <= 0:
            raise SettingsError(f"{name} must be more than 0, not {value}")
    for section, kind in SECTIONS.items():
        for field in fields(kind):
            value = getattr(getattr(made, section), field.name)
            if isinstance(value, int | float) and not isinstance(value, bool) and value < 0:
                raise SettingsError(f"{section}.{field.name} must not be negative, not {value}")
    port = made.watch.metrics_port
    if port is not None and port > PORT_MAX:
        raise SettingsError(f"watch.metrics_port is a port, up to {PORT_MAX}, not {port}")
    if fetch.connect_timeout_s > fetch.total_timeout_s:
        raise SettingsError(
            f"fetch.connect_timeout_s ({fetch.connect_timeout_s}) is longer than "
            f"fetch.total_timeout_s ({fetch.total_timeout_s})"
        )
    if politeness.delay_s > politeness.delay_max_s:
        raise SettingsError(
            f"politeness.delay_s ({politeness.delay_s}) is longer than "
            f"politeness.delay_max_s ({politeness.delay_max_s})"
        )
    _check_choices(made)


def _check_choices(made: Settings) -> None:
    crawl = made.crawl
    _one_of("watch.log", made.watch.log, LOGS)
    _between_0_and_1("crawl.relevant_at", crawl.relevant_at)
    _between_0_and_1("scope.page_relevance", made.scope.page_relevance)
    if not 0 < made.politeness.host_share <= 1:
        raise SettingsError(
            f"politeness.host_share is a share between 0 and 1, not {made.politeness.host_share}"
        )
    if not 0 <= made.duplicates.distance <= 3:
        raise SettingsError(f"duplicates.distance is 0 to 3, not {made.duplicates.distance}")
    _check_archive(made.archive)
    if crawl.unlike and not crawl.like:
        raise SettingsError("crawl.unlike needs crawl.like: what is wanted, beside what is not")
    if crawl.category is not None and crawl.model is None:
        raise SettingsError("crawl.category needs crawl.model: the file whose category it is")
    if crawl.idle is not None:
        try:
            IdleWindow.parse(crawl.idle)
        except ValueError as error:
            raise SettingsError(f"crawl.idle: {error}") from error
    if crawl.web is not None and made.fetch.proxy is not None:
        raise SettingsError("crawl.web is a frozen web: it cannot go through fetch.proxy as well")
    _check_team(made)
    _check_state(crawl)
    for entry in made.fetch.resolve:
        if not re.fullmatch(r"[^=]+:[\d*]+=[^=]+:\d+", entry):
            raise SettingsError(
                f"fetch.resolve: {entry!r} is not host:port=address:port, "
                "such as *:*=127.0.0.1:8080"
            )


def _check_archive(archive: ArchiveSettings) -> None:
    if not 1 <= archive.level <= 9:
        raise SettingsError(f"archive.level is 1 to 9, not {archive.level}")
    if not archive.store:
        return
    found = re.match(r"[a-z][a-z0-9+.-]*://([^/]*)", archive.store)
    if found is None:
        raise SettingsError(
            f"archive.store is an address such as s3://bucket/prefix, not {archive.store!r}; "
            "without it the archive is kept in the crawl's directory"
        )
    if re.search(r":.*@", found[1]):
        raise SettingsError(
            "archive.store must not hold a password: crawl.toml would keep it. Give it to fsspec "
            "in its own configuration"
        )


def is_team(made: Settings) -> bool:
    """Whether several crawlers are wanted."""
    team = made.team
    return (team.crawlers or 1) > 1 or team.partition in BY_TOPIC or team.engine == "ray"


def _check_team(made: Settings) -> None:
    team = made.team
    _one_of("team.partition", team.partition, PARTITIONS)
    _one_of("team.engine", team.engine, ENGINES)
    if team.balance is not None and team.partition != "hierarchy":
        raise SettingsError(
            f"team.balance divides the Url hierarchy anew; {team.partition!r} is none. Set "
            "team.partition = 'hierarchy' with it"
        )
    if team.balance is not None and team.balance <= 1:
        raise SettingsError(
            f"team.balance is how many times the mean may wait with one crawler, more than 1, not "
            f"{team.balance}"
        )
    _one_of("team.carries", team.carries, CARRIES)
    if team.carries == "urls" and team.claims:
        raise SettingsError(
            "team.carries = 'urls' lets a page's owner fetch it again, which team.claims forbids; "
            "set team.claims = false with it"
        )
    if team.carries == "counts" and not find_strategy(made.crawl.strategy).counts_links:
        counting = [name for name in registry.names() if registry.find(name).counts_links]
        raise SettingsError(
            f"team.carries = 'counts' shares how many pages link to a Url, and crawl.strategy = "
            f"{made.crawl.strategy!r} does not go by that; {', '.join(counting)} does"
        )
    if team.partition in BY_TOPIC and team.model is None and not team.topics:
        raise SettingsError(
            f"team.partition = {team.partition!r} needs team.model, a file that "
            "`shoal model train` has written, or team.topics, a list of topic files"
        )
    for key, given in (("model", team.model), ("topics", team.topics)):
        if team.partition not in BY_TOPIC and given:
            raise SettingsError(
                f"team.{key} tells the topics of a partition by topic; {team.partition!r} is none"
            )


def _between_0_and_1(name: str, value: float) -> None:
    if not 0 <= value <= 1:
        raise SettingsError(f"{name} lies between 0 and 1, not {value}")


def _check_state(crawl: CrawlSettings) -> None:
    if not crawl.state:
        if crawl.state_name:
            raise SettingsError("crawl.state_name needs crawl.state: the server that it is on")
        return
    # What may hold a password is never repeated.
    parts = urlsplit(crawl.state)
    user = parts.netloc.rpartition("@")[0]
    keys = {key.lower() for key, _ in parse_qsl(parts.query, keep_blank_values=True)}
    if ":" in user or any("password" in key for key in keys):
        raise SettingsError(
            "crawl.state has a password in it, which would be written to crawl.toml. Leave it out, "
            "and give it as PGPASSWORD in the environment, in ~/.pgpass, or by a service file"
        )
    if parts.scheme not in ("postgresql", "postgres"):
        raise SettingsError(
            "crawl.state is empty, or an address such as postgresql://user@host/database"
        )
    if crawl.state_name and not re.fullmatch(STATE_NAME, crawl.state_name):
        raise SettingsError(
            f"crawl.state_name: {crawl.state_name!r} is not a name of at most 40 letters (a-z), "
            "digits, - and _, which begins with a letter and not with pg_"
        )


def _one_of(name: str, value: str, choices: Sequence[str]) -> None:
    if value not in choices:
        hint = _nearest(value, choices) or f"; there are {', '.join(choices)}"
        raise SettingsError(f"{name}: there is no {value!r}{hint}")


# --------------------------------------------------------------------------- showing


def as_layer(made: Settings) -> Layer:
    """Everything, defaults included; None left out, for TOML has none."""
    return {
        section: {key: value for key, value in keys.items() if value is not None}
        for section, keys in asdict(made).items()
    }


def to_toml(made: Settings) -> str:
    lines = []
    for section, keys in as_layer(made).items():
        if not keys:
            continue
        lines.append(f"[{section}]")
        lines += [f"{key} = {toml_value(value)}" for key, value in keys.items()]
        lines.append("")
    return "\n".join(lines)


def changes(old: Settings, new: Settings) -> list[tuple[str, object, object]]:
    """Settings that differ: name, old value, new value."""
    found = []
    after = asdict(new)
    for section, keys in asdict(old).items():
        for key in (*keys, *(key for key in after[section] if key not in keys)):
            value, other = keys.get(key), after[section].get(key)
            if value != other:
                found.append((f"{section}.{key}", value, other))
    return found


def documentation() -> dict[str, dict[str, str]]:
    """What each setting means, read from the strings in ``settings.py``."""
    found: dict[str, dict[str, str]] = {}
    section_of = {kind.__name__: section for section, kind in SECTIONS.items()}
    for node in ast.parse(inspect.getsource(settings_module)).body:
        if isinstance(node, ast.ClassDef) and node.name in section_of:
            found[section_of[node.name]] = _texts(node)
    return found


def option_documentation(options: type) -> dict[str, str]:
    """What each option of a strategy means, read from the strings below its fields."""
    (node,) = ast.parse(inspect.cleandoc(inspect.getsource(options))).body
    return _texts(node) if isinstance(node, ast.ClassDef) else {}


def _texts(node: ast.ClassDef) -> dict[str, str]:
    texts = {}
    for item, after in zip(node.body, node.body[1:], strict=False):
        if not (isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)):
            continue
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            texts[item.target.id] = " ".join(str(after.value.value).split())
    return texts


def schema() -> dict[str, Any]:
    """JSON Schema of the TOML file."""
    made: dict[str, Any] = msgspec.json.schema(Settings)
    documented = documentation()
    for name, kind in ((kind.__name__, section) for section, kind in SECTIONS.items()):
        definition = made["$defs"][name]
        definition["additionalProperties"] = False
        for key, part in definition["properties"].items():
            part["description"] = documented[kind][key]
    made["$defs"]["Settings"]["additionalProperties"] = False
    made["$defs"]["Settings"]["properties"][OPTIONS]["description"] = (
        "Options of the chosen strategy: `shoal strategies` lists them."
    )
    return made


# --------------------------------------------------------------------------- quantities


def seconds(text: str) -> float:
    """``90``, ``90s``, ``15m``, ``2h``, ``1d``."""
    return _quantity(text, {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}, "time, such as 90s, 2h")


def size_bytes(text: str) -> int:
    """``500K``, ``20M``, ``5G``: powers of 1000."""
    scale = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
    return int(_quantity(text, scale, "size, such as 500M, 5G"))


def _quantity(text: str, scale: Mapping[str, int], what: str) -> float:
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]?)B?\s*", text, re.IGNORECASE)
    unit = found[2] if found else ""
    known = {name.lower(): factor for name, factor in scale.items()}
    if not found or unit.lower() not in known:
        raise SettingsError(f"{text!r} is not a {what}")
    return float(found[1]) * known[unit.lower()]


# --------------------------------------------------------------------------- inside


def _value(section: str, key: str, text: str) -> object:
    """A text from the environment or ``--set`` as the kind of value that the setting has."""
    annotation = _annotation(section, key)
    if annotation.startswith("tuple"):
        if text.lstrip().startswith("["):
            return _toml_list(f"{section}.{key}", text)
        return [part.strip() for part in text.split(",") if part.strip()]
    if "None" in annotation and text.lower() in {"", "none"}:
        return None
    if annotation.startswith("bool") and text.lower() in {"true", "false"}:
        return text.lower() == "true"
    for number, wanted in ((int, "int"), (float, "float")):
        if wanted in annotation:
            try:
                return number(text)
            except ValueError:
                continue
    return text


def _toml_list(name: str, text: str) -> object:
    """A list as it stands in a settings file: for values with a comma in them, or out of habit."""
    try:
        return tomllib.loads(f"list = {text}")["list"]
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{name}: {text!r} is not a list, such as a,b or ['a', 'b']") from error


def _annotation(section: str, key: str) -> str:
    """The type of a setting as it is written down; that of text where there is no such setting."""
    kinds = [recipe.options for recipe in registry.recipes()] if section == OPTIONS else []
    for kind in kinds or [SECTIONS[section]]:
        for field in fields(kind):
            if field.name == key:
                return str(field.type)
    return "str"


def _check_section(section: str, where: str) -> None:
    there = [*SECTIONS, OPTIONS]
    if section not in there:
        hint = _nearest(section, there) or f"; there are {', '.join(there)}"
        raise SettingsError(f"{where}: unknown section {section!r}{hint}")


def _nearest(name: str, names: Sequence[str], before: str = "") -> str:
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    return f"; did you mean '{before}{close[0]}'?" if close else ""


def _elsewhere(key: str) -> str:
    """The key in another section, or the nearest one anywhere."""
    everywhere = {
        field.name: f"{section}.{field.name}"
        for section, kind in SECTIONS.items()
        for field in fields(kind)
    }
    close = difflib.get_close_matches(key, list(everywhere), n=1, cutoff=0.6)
    return f"; did you mean {everywhere[close[0]]!r}?" if close else "; see shoal config show"


def _type_message(section: str, error: msgspec.ValidationError) -> str:
    text, _, place = str(error).partition(" - at `$.")
    key = re.sub(r"\[.*", "", place.rstrip("`"))
    return f"{section}.{key}: {text.replace('`', '')}" if key else f"{section}: {text}"


def toml_value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml_value(item) for item in value) + "]"
    if isinstance(value, str):
        # A JSON string is a TOML basic string, but for DEL, which JSON leaves bare.
        return msgspec.json.encode(value).decode().replace("\x7f", "\\u007f")
    return repr(value)


def environment_layer() -> Layer:
    return read_environment(os.environ)
