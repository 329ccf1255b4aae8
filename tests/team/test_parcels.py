from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.model import (
    Cut,
    Lesson,
    Link,
    LinkCount,
    LinkKind,
    LinkParcel,
    Offer,
    PageParcel,
    Parcel,
    Part,
    Priority,
    Response,
    Ruling,
)
from shoal.team.parcels import BadParcel, Packer
from shoal.url import parse_url

TEXT = st.text(max_size=20)
BYTES = st.binary(max_size=50)
URLS = st.sampled_from([parse_url("http://a.example/"), parse_url("https://[::1]:8443/x?y#!z")])
LINKS = st.builds(
    Link,
    st.none() | URLS,
    URLS,
    st.sampled_from(LinkKind),
    TEXT,
    TEXT,
    st.tuples(TEXT),
    st.floats(0, 1),
)
PARTS = st.lists(st.builds(Part, TEXT, st.floats(0, 1)), max_size=3).map(tuple)
PRIORITIES = st.builds(Priority, st.floats(allow_nan=False, allow_infinity=False), PARTS)
OFFERS = st.builds(
    Offer,
    LINKS,
    st.builds(Ruling, st.just(True), TEXT, TEXT, st.just(False)),
    PRIORITIES,
    st.integers(0, 99),
    st.integers(0, 9),
    st.none() | st.floats(0, 1),
    PARTS,
)
LESSONS = st.lists(st.builds(Lesson, st.integers(-9, 9), TEXT), max_size=3).map(tuple)
COUNTS = st.lists(
    st.builds(LinkCount, st.integers(-(1 << 63), (1 << 63) - 1), st.integers(0, 1 << 40)),
    max_size=3,
).map(tuple)


@st.composite
def page_parcels(draw: st.DrawFn) -> PageParcel:
    offer = draw(OFFERS)
    payload = draw(BYTES)
    response = Response(
        offer.link.target,
        draw(st.integers(100, 599)),
        draw(BYTES),
        draw(st.lists(st.tuples(TEXT, TEXT), max_size=3).map(tuple)),
        payload,
        draw(st.just(payload) | BYTES),
        draw(st.floats(0, 1e9)),
        draw(st.floats(0, 100)),
        draw(BYTES),
        draw(st.none() | st.just("127.0.0.1")),
        "2",
        draw(st.none() | st.sampled_from(Cut)),
    )
    return PageParcel(
        offer, response, draw(TEXT), draw(st.integers(1, 99)), draw(COUNTS), draw(LESSONS)
    )


OFFER_LISTS = st.lists(OFFERS, max_size=3).map(tuple)
LINK_PARCELS = st.builds(
    LinkParcel, OFFER_LISTS, st.integers(1, 99), st.none() | TEXT, COUNTS, TEXT, LESSONS
)


@given(st.one_of(page_parcels(), LINK_PARCELS))
def test_what_was_packed_comes_out_equal(parcel: Parcel) -> None:
    packer = Packer()
    assert packer.unpack(packer.pack(parcel)) == parcel


@given(BYTES)
def test_what_nobody_packed_is_refused(rubbish: bytes) -> None:
    with pytest.raises(BadParcel):
        Packer().unpack(rubbish)


def test_a_parcel_that_claims_to_be_huge_is_not_unpacked() -> None:
    claim = bytes.fromhex("28b52ffde0") + (1 << 40).to_bytes(8, "little") + b"\x01\x00\x00"
    with pytest.raises(BadParcel, match="larger than any can be"):
        Packer().unpack(claim)
