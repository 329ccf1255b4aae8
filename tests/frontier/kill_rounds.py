"""Works on a state file and is killed, again and again; a script, because it must fork alone.

    python kill_rounds.py DIRECTORY ROUNDS SEED [POSTGRESQL_ADDRESS]

The work is a function of what the state file holds, so however often it was killed, what is
committed must be what a worker that was never killed has after as many batches.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

from shoal.frontier import StateFile, StateFrontier, StateLedger
from shoal.frontier.house import ALONE, FileHouse, StateHouse
from shoal.model import ArchiveMark, Known, Lease, Offer, Outcome, Visit
from shoal.testing.frontier import IN, OUT, offer_of, page_visit, visit_of

LEASES_A_BATCH = 4


def open_frontier(house: StateHouse) -> StateFrontier:
    return StateFrontier.open(house.open(ALONE), per_host=2, recent=100)


def of_files(path: Path) -> StateHouse:
    return FileHouse(lambda _name: path, path, path)


def of_server(address: str, name: str) -> StateHouse:
    from shoal.postgres.house import PostgresHouse

    return PostgresHouse(address, name)


def links(lease: Lease) -> list[Offer]:
    """The Links of a page follow from its Url."""
    chance = random.Random(lease.url.text)
    return [
        offer_of(
            f"http://host{chance.randrange(20)}.org/{chance.randrange(400)}",
            round(chance.random(), 2),
            IN if chance.random() < 0.9 else OUT,
        )
        for _ in range(12)
    ]


def work_a_batch(frontier: StateFrontier) -> int:
    batch = int(frontier.fact("batch") or 0) + 1
    now_s = float(batch)
    if batch == 1:
        frontier.offer(None, [offer_of(f"http://host{n}.org/", 0.5) for n in range(20)])
    for lease in frontier.lease(now_s, LEASES_A_BATCH):
        frontier.offer(lease.id, links(lease))
        chance = random.Random(lease.url.text + str(lease.attempts)).random()
        if chance < 0.2 and lease.attempts == 0:
            visit = visit_of(Outcome.RETRY, now_s, retry_at_s=now_s + 3)
        else:
            visit = page_visit(now_s, chance, f"sha1:{lease.id}", int(chance * 2**64))
        frontier.settle(lease, visit)
        frontier.rest(lease.url.host_key, now_s + 2, "politeness")
        if chance > 0.995:
            frontier.give_up(lease.url.host_key, "chance")
    frontier.set_fact("batch", str(batch))
    frontier.commit(ArchiveMark((("a", batch),)), now_s)
    return batch


def work_for_ever(house: StateHouse, told: int) -> None:
    frontier = open_frontier(house)
    while True:
        os.write(told, work_a_batch(frontier).to_bytes(4, "little"))


def everything(house: StateHouse) -> tuple[list[tuple[Known, Visit]], object]:
    ledger = StateLedger(house.read(ALONE))
    told = list(ledger.visits()), (ledger.standing(), list(ledger.hosts()), ledger.fact("batch"))
    ledger.close()
    house.close()
    return told


def check(house: StateHouse, acknowledged: int) -> int:
    """What must hold after a kill. Returns how many batches are committed."""
    state = house.open(ALONE)
    if isinstance(state, StateFile):
        state.verify()
    frontier = StateFrontier.open(state, per_host=2)
    batch = int(frontier.fact("batch") or 0)
    # A kill can fall between a commit and the word of it, never the other way round.
    assert batch in (acknowledged, acknowledged + 1), (batch, acknowledged)
    assert frontier.archive_mark().sizes == ((("a", batch),) if batch else ())
    standing = frontier.standing()
    counted = dict(state.execute("SELECT state, count(*) FROM url GROUP BY state").fetchall())
    assert (standing.waiting, standing.later, standing.settled, standing.refused) == tuple(
        counted.get(number, 0) for number in range(4)
    )
    assert standing.known == sum(counted.values())
    doubled = state.execute(
        "SELECT url FROM visit WHERE outcome != 'retry' GROUP BY url HAVING count(*) > 1"
    ).fetchall()
    assert doubled == []
    wrong = state.execute(
        "SELECT name FROM host WHERE waiting !="
        " (SELECT count(*) FROM url WHERE url.host = host.id AND url.state = 0)"
    ).fetchall()
    assert wrong == []
    frontier.close()
    return batch


def main() -> None:
    directory, rounds, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    house = of_files(directory / "state.sqlite")
    if sys.argv[4:]:
        house = of_server(sys.argv[4], f"killed_{seed}")
    chance = random.Random(seed)
    batch = 0
    for _ in range(rounds):
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            work_for_ever(house, writing)
        os.close(writing)
        # Some are killed while they open the file, most somewhere in a batch or in its commit.
        words = b""
        for _ in range(chance.randrange(4)):
            words += os.read(reading, 4)
        time.sleep(chance.uniform(0.0, 0.02))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        while word := os.read(reading, 65536):
            words += word
        os.close(reading)
        batch = check(house, int.from_bytes(words[-4:], "little") if words else batch)
    calm = of_files(directory / "calm.sqlite")
    frontier = open_frontier(calm)
    while batch and work_a_batch(frontier) < batch:
        pass
    frontier.close()
    assert everything(house) == everything(calm)
    print(f"{rounds} kills, {batch} batches")


if __name__ == "__main__":
    main()
