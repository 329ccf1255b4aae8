"""What docs/how-to/cluster.md tells somebody to type for Ray works, on one machine; and what it
gives to Kubernetes has the fields that KubeRay requires.

Its `shoal` commands are looked at with those of all pages (tests/docs/test_examples.py).
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from shoal.cli import app
from tests.docs.pages import DOCS, blocks
from tests.team import ray_machines
from tests.team.ray_crawl import crawling
from tests.team.ray_machines import BIN, bare_machines, gather, wait_until
from tests.team.test_processes import remains, team_settings

GUIDE = DOCS / "how-to" / "cluster.md"
WHY_NOT = ray_machines.why_not()
HEAD = "10.0.0.1"
"""The first machine, in the guide."""


def ray_commands() -> list[list[str]]:
    found = []
    for block in blocks(GUIDE):
        if block.kind == "console":
            for line in re.findall(r"^\$ (.*)$", block.text, flags=re.MULTILINE):
                words = shlex.split(line)
                if next(word for word in words if "=" not in word) == "ray":
                    found.append(words)
    return found


@pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT))
def test_a_cluster_started_as_the_guide_says_takes_a_crawl(tmp_path: Path) -> None:
    token, head, worker, status = ray_commands()
    assert token[:2] == ["ray", "get-auth-token"]
    assert "--head" in head
    with bare_machines(tmp_path, 2) as machines:
        home = {"HOME": str(tmp_path), "RAY_AUTH_TOKEN_PATH": ""}
        for machine in machines.all:
            machine.environment = {**machine.environment, **home}
            del machine.environment["RAY_AUTH_TOKEN_PATH"]

        def typed(number: int, words: list[str]) -> str:
            here = [word.replace(HEAD, machines[1].address) for word in words]
            return machines[number].run("env", *with_paths(here))

        for number, words in ((1, token), (1, head), (2, worker)):
            typed(number, words)
        cpus = 2 * (os.cpu_count() or 1)
        # What it tells is some seconds old.
        wait_until(lambda: f"/{cpus}.0 CPU" in typed(1, status), f"{cpus} processors")
        with crawling(machines[1], tmp_path, team_settings("url", 2, pages=30)) as crawl:
            assert crawl.end() == 0, crawl.told()
        assert len(remains(gather(machines, tmp_path)).settled) >= 30


def with_paths(words: list[str]) -> list[str]:
    return [str(BIN / "ray") if word == "ray" else word for word in words]


def test_the_description_for_kubernetes_has_what_kuberay_requires() -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML comes with Ray: make test installs it")
    [text] = [block.text for block in blocks(GUIDE) if block.kind == "yaml"]
    job: Any = yaml.safe_load(text)
    assert (job["apiVersion"], job["kind"]) == ("ray.io/v1", "RayJob")
    cluster = job["spec"]["rayClusterSpec"]
    ray = pytest.importorskip("ray", reason="Ray is an extra: make test installs it")
    assert cluster["rayVersion"] == ray.__version__
    groups = [cluster["headGroupSpec"], *cluster["workerGroupSpecs"]]
    for group in groups:
        assert all(isinstance(value, str) for value in group["rayStartParams"].values())
        pod = group["template"]["spec"]
        volumes = {volume["name"] for volume in pod["volumes"]}
        for container in pod["containers"]:
            assert {"name", "image", "resources", "volumeMounts"} <= container.keys()
            assert {mount["name"] for mount in container["volumeMounts"]} <= volumes
    crawlers = 0
    for group in cluster["workerGroupSpecs"]:
        assert group["groupName"]
        assert group["minReplicas"] <= group["replicas"] <= group["maxReplicas"]
        crawlers += group["replicas"] * int(group["rayStartParams"]["num-cpus"])
    words = shlex.split(job["spec"]["entrypoint"])
    assert words[:2] == ["shoal", "crawl"]
    assert int(words[words.index("--crawlers") + 1]) <= crawlers
    group = get_command(app)
    assert isinstance(group, TyperGroup)
    group.commands["crawl"].make_context("crawl", words[2:])
    out = Path(words[words.index("--out") + 1])
    mounts = cluster["headGroupSpec"]["template"]["spec"]["containers"][0]["volumeMounts"]
    assert any(out.is_relative_to(mount["mountPath"]) for mount in mounts)
