"""Topics of every kind from Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal import Crawl, Topic
from shoal.errors import UsageError
from tests.classify.webs import make_folders, make_web

SEED = "http://essays.example/sea/0.html"


def test_a_crawl_by_examples(tmp_path: Path) -> None:
    web, _ = make_web(tmp_path)
    subjects = make_folders(tmp_path / "subjects", seed=300)
    topic = Topic.like(subjects / "sea", unlike=[subjects / "farm"]) & Topic.language("en")
    crawl = Crawl(topic, seeds=[SEED], out=tmp_path / "out", web=str(web))
    report = crawl.run()
    assert 0 < report.relevant < report.pages
    for page in crawl.pages(relevance=0.5):
        assert "/sea/" in page.url
        assert dict(page.beliefs)["examples"] >= 0.5
    assert crawl.settings.crawl.topic == ()


def test_kinds_are_put_together_and_none_is_given_twice(tmp_path: Path) -> None:
    both = Topic("dengue fever") & Topic.category(tmp_path / "a.model", "Medicine")
    assert both.words == ("dengue fever",)
    assert both.category_name == "Medicine"
    assert Topic.from_file("dengue.toml").file == str(Path.cwd() / "dengue.toml")
    with pytest.raises(UsageError, match="words is given twice"):
        Topic("dengue") & Topic("malaria")
    with pytest.raises(UsageError, match="needs words"):
        Topic(" ")
