"""Archive files in a store, for whoever reads them."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from shoal.archive.records import BrokenArchive
from shoal.archive.store import Store

BLOCK_BYTES: Final = 1 << 20
BLOCKS: Final = 32
_SIZES_KEPT: Final = 65_536


class StoreFiles:
    """reading.Files in a store.

    Read by ranges of ``block_bytes``, of which the last ``blocks`` are remembered: whoever reads in
    the order of the crawl asks for each byte once, and memory is bounded whoever asks.
    """

    def __init__(
        self, store: Store, *, block_bytes: int = BLOCK_BYTES, blocks: int = BLOCKS
    ) -> None:
        self._store = store
        self._block_bytes = block_bytes
        self._blocks_kept = blocks
        self._blocks: OrderedDict[tuple[str, int], bytes] = OrderedDict()
        self._sizes: OrderedDict[str, int] = OrderedDict()

    def read(self, file: str, offset: int, length: int) -> bytes:
        """See Files. Raises BrokenArchive for an object that is missing, StoreError where the store
        cannot be read."""
        size = self._size(file)
        end = min(offset + length, size)
        pieces = []
        while offset < end:
            number = offset // self._block_bytes
            start = number * self._block_bytes
            block = self._block(file, number, min(start + self._block_bytes, size))
            piece = block[offset - start : end - start]
            if not piece:
                break
            pieces.append(piece)
            offset += len(piece)
        return b"".join(pieces)

    def name_of(self, file: str) -> str:
        return self._store.name_of(file)

    def _block(self, file: str, number: int, end: int) -> bytes:
        key = (file, number)
        found = self._blocks.get(key)
        if found is None:
            found = self._store.read(file, number * self._block_bytes, end)
            self._blocks[key] = found
            if len(self._blocks) > self._blocks_kept:
                self._blocks.popitem(last=False)
        else:
            self._blocks.move_to_end(key)
        return found

    def _size(self, file: str) -> int:
        known = self._sizes.get(file)
        if known is not None:
            return known
        size = self._store.size(file)
        if size is None:
            raise BrokenArchive(self.name_of(file), 0, "not in the store")
        self._sizes[file] = size
        if len(self._sizes) > _SIZES_KEPT:
            self._sizes.popitem(last=False)
        return size
