"""The Ray cluster that a Team runs on: which it is, what it has, and who goes where."""

from __future__ import annotations

import logging
import os
import secrets
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

import ray
from ray.util.placement_group import (
    PlacementGroup,
    placement_group,
    placement_group_table,
    remove_placement_group,
)

from shoal.errors import ShoalError, UsageError

AUTO: Final = "auto"
"""The cluster that this machine belongs to."""
LOCAL: Final = "local"
"""One of this machine alone, up for as long as the crawl."""
CRAWLER_CPUS: Final = 1.0
PLACE_S: Final = 20.0
"""How long Ray may take to find a place for every Crawler."""
REACH_S: Final = 10.0
"""How long the head of a cluster may take to answer at all."""
_BOUND: Final = 0.001
"""Of a machine's own resource: enough to be bound to it."""


class LostCluster(ShoalError):
    """There is no cluster any more."""


@contextmanager
def connected(address: str) -> Iterator[Cluster]:
    """Raises UsageError where there is no such cluster."""
    # A crawl tells nobody of itself but the hosts that it asks.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    if address == LOCAL:
        # Crawlers are what this machine is to do: not less than other programs.
        os.environ.setdefault("RAY_worker_niceness", "0")
    _reach(address)
    given: dict[str, Any] = {"include_dashboard": False} if address == LOCAL else {}
    try:
        ray.init(
            address=address,
            namespace=f"shoal-{secrets.token_hex(4)}",
            log_to_driver=False,
            logging_level=logging.ERROR,
            **given,
        )
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise _no_cluster(address, error) from error
    try:
        yield Cluster()
    finally:
        ray.shutdown()


class Cluster:
    """The one that this process is connected to."""

    def machines(self) -> dict[str, float]:
        """Those that are up, by their addresses, with their processors."""
        up: dict[str, float] = {}
        for node in _nodes():
            if node["Alive"]:
                address = str(node["NodeManagerAddress"])
                up[address] = up.get(address, 0.0) + node["Resources"].get("CPU", 0.0)
        return up

    def check_room(self, crawlers: int) -> None:
        """Raises UsageError where Crawlers would wait for processors that are not there."""
        machines = self.machines()
        cpus = int(sum(machines.values()))
        if cpus < crawlers * CRAWLER_CPUS:
            raise UsageError(
                f"{crawlers} crawlers want {crawlers} processors, and the cluster has {cpus} on "
                f"{len(machines)} machine{'s' * (len(machines) != 1)}: add machines with `ray "
                "start --address`, or take fewer --crawlers"
            )

    def spread(self, names: Sequence[str]) -> dict[str, str]:
        """A machine for each, as Ray places them, as far apart as may be. Raises UsageError."""
        if not names:
            return {}
        group: PlacementGroup = placement_group(
            [{"CPU": CRAWLER_CPUS} for _ in names], strategy="SPREAD"
        )
        try:
            if not group.wait(PLACE_S):
                free = ray.available_resources().get("CPU", 0.0)
                raise UsageError(
                    f"{len(names)} crawlers want {len(names)} processors, and {free:.0f} are free: "
                    "wait for other work on the cluster, or take fewer --crawlers"
                )
            nodes: Mapping[int, str] = placement_group_table(group)["bundles_to_node_id"]
        finally:
            remove_placement_group(group)
        addresses = {node["NodeID"]: str(node["NodeManagerAddress"]) for node in _nodes()}
        return {name: addresses[nodes[place]] for place, name in enumerate(names)}


def this_machine() -> str:
    """Its address."""
    return str(ray.util.get_node_ip_address())


def bound_to(address: str) -> dict[str, float]:
    """Binds an actor to a machine: it waits for it while it is away. By its address, for a machine
    that comes back is another node to Ray."""
    return {f"node:{address}": _BOUND}


def _reach(address: str) -> None:
    """Ray itself tries for many minutes. Raises UsageError where nobody answers."""
    if address in (AUTO, LOCAL):
        return
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), REACH_S).close()
    except (OSError, ValueError) as error:
        raise _no_cluster(address, error) from error


def _no_cluster(address: str, error: Exception) -> UsageError:
    where = "on this machine" if address == AUTO else f"at {address}"
    return UsageError(
        f"there is no Ray cluster {where} ({_first_line(error)}). Start one with `ray start "
        "--head` and join it from the other machines with `ray start --address`, or use this "
        f"machine alone with --set team.cluster={LOCAL}"
    )


def _nodes() -> list[dict[str, Any]]:
    return list(ray.nodes())


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
