"""Parcels as bytes: msgpack, compressed.

1. What was packed comes out equal, byte for byte.
2. Bytes that no Shoal of this version packed raise BadParcel; reading them executes nothing, and
   never makes more than ``LARGEST_BYTES``.
"""

from __future__ import annotations

from typing import Final

import msgspec
import zstandard

from shoal.errors import StorageError
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
from shoal.url import Url

LARGEST_BYTES: Final = 256 << 20
_LEVEL: Final = 1
"""Links and HTML shrink to a quarter or less even so; a slower level earns little."""


class BadParcel(StorageError):
    """What stands in an outbox is no Parcel of this version."""


class _Offer(msgspec.Struct, array_like=True, frozen=True, gc=False):
    target: str
    target_end: int
    source: str | None
    source_end: int
    kind: LinkKind
    anchor: str
    context: str
    rel: tuple[str, ...]
    position: float
    rule: str
    detail: str
    value: float
    parts: tuple[Part, ...]
    depth: int
    redirects: int
    source_relevance: float | None
    source_beliefs: tuple[Part, ...]


class _Response(msgspec.Struct, array_like=True, frozen=True, gc=False):
    status: int
    head: bytes
    headers: tuple[tuple[str, str], ...]
    payload: bytes
    body: bytes | None
    """None where it is the payload."""
    started_s: float
    elapsed_s: float
    request_head: bytes
    ip: str | None
    http_version: str
    cut: Cut | None


class _Page(msgspec.Struct, array_like=True, frozen=True, gc=False, tag="page"):
    offer: _Offer
    response: _Response
    fetched_by: str
    placed_by: int = 1
    counts: tuple[LinkCount, ...] = ()
    lessons: tuple[Lesson, ...] = ()


class _Links(msgspec.Struct, array_like=True, frozen=True, gc=False, tag="links"):
    offers: tuple[_Offer, ...]
    placed_by: int = 1
    moved_from: str | None = None
    counts: tuple[LinkCount, ...] = ()
    sent_by: str = ""
    lessons: tuple[Lesson, ...] = ()


_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(_Page | _Links).decode


class Packer:
    """Packs and unpacks. Not for two threads at once."""

    def __init__(self) -> None:
        self._press = zstandard.ZstdCompressor(level=_LEVEL)
        self._unpress = zstandard.ZstdDecompressor()

    def pack(self, parcel: Parcel) -> bytes:
        stored: _Page | _Links
        if isinstance(parcel, PageParcel):
            response = _stored_response(parcel.response)
            offer = _stored_offer(parcel.offer)
            stored = _Page(
                offer,
                response,
                parcel.fetched_by,
                parcel.placed_by,
                parcel.counts,
                parcel.lessons,
            )
        else:
            offers = tuple(map(_stored_offer, parcel.offers))
            stored = _Links(
                offers,
                parcel.placed_by,
                parcel.moved_from,
                parcel.counts,
                parcel.sent_by,
                parcel.lessons,
            )
        return self._press.compress(_encode(stored))

    def unpack(self, packed: bytes) -> Parcel:
        try:
            size = zstandard.frame_content_size(packed)
            if not 0 <= size <= LARGEST_BYTES:
                raise BadParcel(f"a parcel of {size} bytes is larger than any can be")
            stored = _decode(self._unpress.decompress(packed))
        except (zstandard.ZstdError, msgspec.MsgspecError) as error:
            raise BadParcel(
                f"a parcel cannot be read ({error}): do all crawlers of the team run the same "
                "version of Shoal?"
            ) from error
        if isinstance(stored, _Page):
            offer = _offer(stored.offer)
            response = _response(stored.response, offer.link.target)
            return PageParcel(
                offer,
                response,
                stored.fetched_by,
                stored.placed_by,
                stored.counts,
                stored.lessons,
            )
        return LinkParcel(
            tuple(map(_offer, stored.offers)),
            stored.placed_by,
            stored.moved_from,
            stored.counts,
            stored.sent_by,
            stored.lessons,
        )


def _stored_offer(offer: Offer) -> _Offer:
    link, source = offer.link, offer.link.source
    return _Offer(
        link.target.text,
        len(link.target.origin),
        None if source is None else source.text,
        0 if source is None else len(source.origin),
        link.kind,
        link.anchor,
        link.context,
        link.rel,
        link.position,
        offer.ruling.rule,
        offer.ruling.detail,
        offer.priority.value,
        offer.priority.parts,
        offer.depth,
        offer.redirects,
        offer.source_relevance,
        offer.source_beliefs,
    )


def _offer(stored: _Offer) -> Offer:
    link = Link(
        None if stored.source is None else Url(stored.source, stored.source_end),
        Url(stored.target, stored.target_end),
        stored.kind,
        stored.anchor,
        stored.context,
        stored.rel,
        stored.position,
    )
    return Offer(
        link,
        Ruling(True, stored.rule, stored.detail),
        Priority(stored.value, stored.parts),
        stored.depth,
        stored.redirects,
        stored.source_relevance,
        stored.source_beliefs,
    )


def _stored_response(response: Response) -> _Response:
    return _Response(
        response.status,
        response.head,
        response.headers,
        response.payload,
        None if response.body == response.payload else response.body,
        response.started_s,
        response.elapsed_s,
        response.request_head,
        response.ip,
        response.http_version,
        response.cut,
    )


def _response(stored: _Response, url: Url) -> Response:
    return Response(
        url=url,
        status=stored.status,
        head=stored.head,
        headers=stored.headers,
        payload=stored.payload,
        body=stored.payload if stored.body is None else stored.body,
        started_s=stored.started_s,
        elapsed_s=stored.elapsed_s,
        request_head=stored.request_head,
        ip=stored.ip,
        http_version=stored.http_version,
        cut=stored.cut,
    )
