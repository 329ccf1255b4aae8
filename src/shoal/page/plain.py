"""Text that never was markup."""

from __future__ import annotations

import re
from typing import Final
from unicodedata import normalize

TEXT_CHARACTERS: Final = 1_000_000
"""No more of a text is kept or counted."""
_CONTROL: Final = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")


def plain_text(text: str) -> str:
    """Text that never was markup: white space collapsed, a block a line, no control characters."""
    if not text.isascii():
        text = normalize("NFC", text)
    blocks = [" ".join(line.split()) for line in _CONTROL.sub(" ", text).split("\n")]
    return "\n".join([block for block in blocks if block])
