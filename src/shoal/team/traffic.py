"""How much a Crawler has sent and received."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.model import LinkParcel, Parcel


@dataclass
class Traffic:
    """Counts of one Crawler, from its start."""

    parcels_out: int = 0
    pages_out: int = 0
    links_out: int = 0
    bytes_out: int = 0
    pages_in: int = 0
    links_in: int = 0
    bytes_in: int = 0

    def sent(self, parcel: Parcel, size_bytes: int) -> None:
        self.parcels_out += 1
        self.bytes_out += size_bytes
        if isinstance(parcel, LinkParcel):
            self.links_out += len(parcel.offers)
        else:
            self.pages_out += 1

    def received(self, parcel: Parcel, size_bytes: int) -> None:
        self.bytes_in += size_bytes
        if isinstance(parcel, LinkParcel):
            self.links_in += len(parcel.offers)
        else:
            self.pages_in += 1
