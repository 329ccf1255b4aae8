"""Settings fail loudly: each wrong one is named, with the nearest right one."""

from __future__ import annotations

import json
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from shoal import config
from shoal.config import SettingsError
from shoal.settings import Settings


def check(*assignments: str) -> Settings:
    return config.check(config.read_assignments(assignments))


def test_defaults_are_valid() -> None:
    assert config.check({}) == Settings()


def test_later_layers_win() -> None:
    first = config.read_assignments(["politeness.delay_s=2", "crawl.pages=5"])
    second = config.read_environment({"SHOAL_POLITENESS_DELAY_S": "3", "PATH": "/bin"})
    made = config.check(config.merge([first, second]))
    assert made.politeness.delay_s == 3
    assert made.crawl.pages == 5


def test_lists_booleans_and_none_from_text() -> None:
    made = check(
        "crawl.topic=dengue fever, malaria", "fetch.allow_private=true", "crawl.pages=none"
    )
    assert made.crawl.topic == ("dengue fever", "malaria")
    assert made.fetch.allow_private is True
    assert made.crawl.pages is None


def test_a_list_may_be_written_as_in_toml() -> None:
    assert check('crawl.topic=["dengue, severe", "malaria"]').crawl.topic == (
        "dengue, severe",
        "malaria",
    )
    with pytest.raises(SettingsError, match=r"crawl\.topic: .* is not a list"):
        check('crawl.topic=["dengue')


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        (
            "politeness.dely_s=2",
            "unknown setting politeness.dely_s; did you mean 'politeness.delay_s'?",
        ),
        ("fetch.delay_s=2", "unknown setting fetch.delay_s; did you mean 'politeness.delay_s'?"),
        ("fech.proxy=x", "unknown section 'fech'; did you mean 'fetch'?"),
        ("crawl.pages=many", "crawl.pages: Expected int | null, got str"),
        ("crawl.pages=0", "crawl.pages must be more than 0"),
        ("politeness.delay_s=-1", "politeness.delay_s must not be negative"),
        ("politeness.delay_s=100", "politeness.delay_max_s"),
        ("fetch.connect_timeout_s=500", "longer than fetch.total_timeout_s"),
        ("crawl.strategy=best-frst", "did you mean 'best-first'?"),
        ("crawl.idle=late", "crawl.idle: 'late' is not a window such as 08:00-18:00"),
        ("crawl.idle=08:00-08:00", "leaves no time to crawl"),
        ("duplicates.distance=9", "duplicates.distance is 0 to 3"),
        ("archive.level=0", "archive.level is 1 to 9"),
        ("fetch.resolve=nonsense", "is not host:port=address:port"),
        ("crawl.relevant_at=2", "crawl.relevant_at lies between 0 and 1"),
        ("nonsense", "write section.key=value"),
    ],
)
def test_a_wrong_setting_is_named(assignment: str, message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        check(assignment)
    assert message in str(caught.value)


def test_an_impossible_pair_is_named() -> None:
    with pytest.raises(SettingsError, match=r"crawl\.web.*fetch\.proxy"):
        check("crawl.web=x.warc.gz", "fetch.proxy=http://127.0.0.1:1")


def test_toml_says_what_was_set(tmp_path: Path) -> None:
    made = check('crawl.topic=a "quoted" word\\,  \x7f', "crawl.pages=7", "fetch.http2=false")
    assert config.check(tomllib.loads(config.to_toml(made))) == made


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    broken = tmp_path / "broken.toml"
    broken.write_text("[crawl\n", encoding="utf-8")
    with pytest.raises(SettingsError, match=r"broken\.toml is not valid TOML"):
        config.read_toml(broken)
    with pytest.raises(SettingsError, match="there is no settings file"):
        config.read_toml(tmp_path / "absent.toml")
    flat = tmp_path / "flat.toml"
    flat.write_text("crawl = 3\n", encoding="utf-8")
    with pytest.raises(SettingsError, match="crawl is a section"):
        config.read_toml(flat)


def test_changes_name_old_and_new() -> None:
    assert config.changes(Settings(), check("crawl.pages=7")) == [("crawl.pages", None, 7)]


def test_every_setting_is_documented() -> None:
    documented = config.documentation()
    for section, kind in config.SECTIONS.items():
        assert list(documented[section]) == [field.name for field in fields(kind)]
        assert all(documented[section].values())


def test_the_schema_is_strict_and_described() -> None:
    made = config.schema()
    json.dumps(made)
    assert made["$defs"]["FetchSettings"]["additionalProperties"] is False
    assert made["$defs"]["FetchSettings"]["properties"]["proxy"]["description"]


@pytest.mark.parametrize(
    ("text", "value"), [("90", 90), ("90s", 90), ("15m", 900), ("2h", 7200), ("1.5d", 129_600)]
)
def test_times(text: str, value: float) -> None:
    assert config.seconds(text) == value


@pytest.mark.parametrize(
    ("text", "value"), [("500", 500), ("1K", 1000), ("20MB", 20_000_000), ("5g", 5_000_000_000)]
)
def test_sizes(text: str, value: int) -> None:
    assert config.size_bytes(text) == value


@pytest.mark.parametrize("text", ["", "soon", "2x", "-1h"])
def test_a_wrong_quantity_is_named(text: str) -> None:
    with pytest.raises(SettingsError, match="is not a time"):
        config.seconds(text)
