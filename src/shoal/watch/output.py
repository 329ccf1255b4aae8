"""A stream that may go away: a closed pipe or a full disk must not change what the crawl does."""

from __future__ import annotations

from typing import IO


class Output:
    """Writes lines until one fails; what failed is in ``failure``, and nothing more is written."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self.failure: str | None = None

    def line(self, text: str, flush: bool = True) -> None:
        if self.failure is not None:
            return
        try:
            self._stream.write(text + "\n")
            if flush:
                self._stream.flush()
        except (OSError, ValueError) as error:
            # ValueError is what a closed stream raises.
            self.failure = str(error)

    def flush(self) -> None:
        if self.failure is not None:
            return
        try:
            self._stream.flush()
        except (OSError, ValueError) as error:
            self.failure = str(error)
