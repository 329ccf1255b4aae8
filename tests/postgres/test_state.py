"""What a server may do to a State, and what must be left of it."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from shoal.errors import BusyError, CutOffError, StorageError
from shoal.frontier import StateFrontier, StateLedger, StateNotes
from shoal.frontier.house import ALONE
from shoal.frontier.state import (
    StateAway,
    StateCut,
    StateError,
    StateForbidden,
    StateForeign,
    StateLocked,
    StateMissing,
    StateReadOnly,
    StateTooNew,
    StateTooOld,
)
from shoal.model import ArchiveMark
from shoal.postgres import state as state_module
from shoal.postgres.house import NAME_BYTES_MAX, PostgresHouse
from shoal.postgres.schema import VERSIONS
from shoal.postgres.state import PostgresState
from shoal.testing.frontier import offer_of, page_visit
from shoal.url import parse_url
from tests.postgres.server import Server


@pytest.fixture
def house(server: Server, name: str) -> Iterator[PostgresHouse]:
    with contextlib.closing(PostgresHouse(server.address, name)) as made:
        yield made


def tell(server: Server, *statements: str) -> None:
    with psycopg.connect(server.address, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def fill(frontier: StateFrontier, batch: int) -> None:
    frontier.offer(None, [offer_of(f"http://h{n % 7}.org/{batch}/{n}") for n in range(100)])


def test_a_page_costs_as_many_statements_however_many_links_it_has(
    house: PostgresHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[bytes] = []
    send = PostgresState._send

    def count(state: PostgresState, statement: bytes, values: Sequence[Any] = ()) -> Any:
        sent.append(statement)
        return send(state, statement, values)

    def statements_for(links: int, at: str) -> int:
        met = [offer_of(f"http://met{n}.org/{at}") for n in range(links)]
        frontier.offer(None, met)
        sent.clear()
        new = [offer_of(f"http://new{n}.org/{at}") for n in range(links)]
        assert frontier.offer(1, new + met).new == links
        return len(sent)

    monkeypatch.setattr(PostgresState, "_send", count)
    frontier = StateFrontier.open(house.open(ALONE), recent=0)
    assert statements_for(5, "few") == statements_for(200, "many") <= 6
    frontier.close()


# ------------------------------------------------------------------------- whose it is


def test_a_second_crawler_is_kept_out_and_told_who_is_at_work(house: PostgresHouse) -> None:
    first = house.open(ALONE)
    with pytest.raises(StateLocked, match=f"{socket.gethostname()} {os.getpid()}") as caught:
        house.open(ALONE)
    assert isinstance(caught.value, BusyError)
    house.open("another").close()
    first.close()
    house.open(ALONE).close()


def test_a_reader_disturbs_nobody(house: PostgresHouse) -> None:
    frontier = StateFrontier.open(house.open(ALONE))
    fill(frontier, 0)
    ledger = StateLedger(house.read(ALONE))
    assert ledger.standing().known == 0
    frontier.commit(ArchiveMark(), 1.0)
    urls = ledger.urls()
    assert next(urls)[1].host == "h0.org"
    fill(frontier, 1)
    frontier.commit(ArchiveMark(), 2.0)
    assert len(list(urls)) == 99, "an iterator stays at its moment"
    assert ledger.standing().known == 200
    frontier.close()


def test_a_crawler_that_was_cut_off_can_commit_nothing_any_more(
    server: Server, house: PostgresHouse
) -> None:
    first = StateFrontier.open(house.open(ALONE))
    fill(first, 0)
    first.commit(ArchiveMark((("a", 1),)), 1.0)
    fill(first, 1)
    tell(
        server,
        "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted",
    )
    second = StateFrontier.open(house.open(ALONE))
    assert second.standing().known == 100
    with pytest.raises(StateCut, match="was lost") as caught:
        first.commit(ArchiveMark((("a", 2),)), 2.0)
    assert isinstance(caught.value, CutOffError)
    with pytest.raises(StateCut):
        fill(first, 2)
    first.close()
    assert second.archive_mark().sizes == (("a", 1),)
    fill(second, 1)
    second.commit(ArchiveMark(), 2.0)
    second.close()


# ------------------------------------------------------------------------- what it is


def test_nothing_is_there_before_it_has_begun(house: PostgresHouse) -> None:
    assert not house.has(ALONE)
    with pytest.raises(StateMissing):
        house.read(ALONE)
    assert house.peer("another").taken_from("one") == 0
    assert not house.has(ALONE), "looking makes nothing"
    house.open(ALONE).close()
    assert house.has(ALONE)


def test_somebody_elses_tables_are_left_alone(
    server: Server, house: PostgresHouse, name: str
) -> None:
    tell(server, f"CREATE SCHEMA {name}", f"CREATE TABLE {name}.url (address text)")
    for use in (house.open, house.read, house.has):
        with pytest.raises(StateForeign, match="not Shoal's"):
            use(ALONE)
    tell(server, f"SELECT address FROM {name}.url")


def test_a_later_version_is_refused(server: Server, house: PostgresHouse, name: str) -> None:
    house.open(ALONE).close()
    tell(server, f"UPDATE {name}.shoal_state SET version = 99")
    for use in (house.open, house.read):
        with pytest.raises(StateTooNew, match="Update Shoal"):
            use(ALONE)


def test_an_earlier_version_is_brought_up_to_date_whole_or_not_at_all(
    house: PostgresHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    frontier = StateFrontier.open(house.open(ALONE))
    fill(frontier, 0)
    frontier.commit(ArchiveMark(), 1.0)
    frontier.close()
    broken = "CREATE TABLE later (id bigint); SELECT nonsense"
    monkeypatch.setattr(state_module, "VERSIONS", (*VERSIONS, broken))
    with pytest.raises(StateTooOld, match="Resume the crawl"):
        house.read(ALONE)
    with pytest.raises(StateError, match="nonsense"):
        house.open(ALONE)
    monkeypatch.setattr(state_module, "VERSIONS", (*VERSIONS, "CREATE TABLE later (id bigint)"))
    frontier = StateFrontier.open(house.open(ALONE))
    assert frontier.standing().known == 100
    frontier.close()
    house.read(ALONE)


def test_names_that_the_server_would_cut_off_stay_apart(server: Server) -> None:
    with contextlib.closing(PostgresHouse(server.address, "x" * 40)) as house:
        schemas = {house._schema(f"a-crawler-with-a-long-name-{n}") for n in range(9)}
    assert len(schemas) == 9
    assert all(len(schema.encode()) <= NAME_BYTES_MAX for schema in schemas)


# ------------------------------------------------------------------------- what may be wrong


def test_a_server_that_is_away_is_named_with_what_to_do(name: str) -> None:
    house = PostgresHouse("postgresql://me@/db?host=/nowhere", name)
    for use in (house.open, house.read, house.has):
        with pytest.raises(StateAway, match=r"/nowhere.*repeat the command") as caught:
            use(ALONE)
        assert isinstance(caught.value, StorageError)
        assert not isinstance(caught.value, CutOffError), "it was never reached"


def test_a_role_without_rights_is_told_what_to_ask_for(server: Server, name: str) -> None:
    tell(server, f"CREATE ROLE {name} LOGIN")
    guest = server.address.replace("postgres@", f"{name}@")
    with contextlib.closing(PostgresHouse(guest, name)) as house:
        with pytest.raises(StateForbidden, match="GRANT CREATE ON DATABASE"):
            house.open(ALONE)
        # A schema of its own, made by whoever may, is enough.
        tell(server, f"CREATE SCHEMA {name} AUTHORIZATION {name}")
        house.open(ALONE).close()


def test_a_server_that_takes_no_writes(server: Server, house: PostgresHouse, name: str) -> None:
    house.open(ALONE).close()
    tell(
        server,
        f"CREATE ROLE {name} LOGIN SUPERUSER",
        f"ALTER ROLE {name} SET default_transaction_read_only = on",
    )
    reader = server.address.replace("postgres@", f"{name}@")
    with contextlib.closing(PostgresHouse(reader, name)) as other:
        frontier = StateFrontier.open(other.open(ALONE))
        frontier.set_fact("topic", "fish")
        with pytest.raises(StateReadOnly, match="Use the primary"):
            frontier.commit(ArchiveMark(), 1.0)
        frontier.close()


def test_a_database_that_cannot_keep_every_character(server: Server, name: str) -> None:
    tell(server, f"CREATE DATABASE {name} ENCODING 'LATIN1' LC_COLLATE 'C' TEMPLATE template0")
    latin = server.address.replace("/postgres?", f"/{name}?")
    with pytest.raises(StateError, match="UTF8"):
        PostgresHouse(latin, name).open(ALONE)


def test_after_an_error_nothing_more_is_written(house: PostgresHouse) -> None:
    state = house.open(ALONE)
    frontier = StateFrontier.open(state)
    fill(frontier, 0)
    frontier.commit(ArchiveMark(), 1.0)
    fill(frontier, 1)
    state.execute("SELECT 1 / 0")
    with pytest.raises(StateError, match="division by zero"):
        frontier.commit(ArchiveMark(), 2.0)
    with pytest.raises(StateError, match="division by zero"):
        StateNotes(state).write("robots", "a", b"")
    frontier.close()
    again = StateFrontier.open(house.open(ALONE))
    assert (again.standing().known, again.fact("clock_s")) == (100, "1.0")
    again.close()


def test_texts_of_any_kind_are_kept(house: PostgresHouse) -> None:
    """NUL alone cannot be: it becomes the character that stands for what cannot be shown."""
    frontier = StateFrontier.open(house.open(ALONE))
    offer = offer_of("http://a.org/", anchor="%s %(x)s ? \\ ' \" \0 \U0001f41f")
    frontier.offer(None, [offer])
    (lease,) = frontier.lease(0.0, 1)
    assert lease.anchor == offer.link.anchor
    title = "%s ? \\x00 \\ ' \" 鱼 \U0001f41f {} \n\t"
    frontier.settle(lease, replace(page_visit(1.0, 0.5, simhash=1 << 63), title=title + "\0"))
    StateNotes(frontier.state).write("learnt", "%\0?", b"\0" * 5_000_000)
    frontier.commit(ArchiveMark(), 1.0)
    ledger = StateLedger(house.read(ALONE))
    known = ledger.find(parse_url("http://a.org/"))
    assert known is not None
    assert known.visits[0].title == title + "\ufffd"
    assert known.visits[0].simhash == 1 << 63
    assert ledger.note("learnt", "%\0?") == b"\0" * 5_000_000
    frontier.close()
