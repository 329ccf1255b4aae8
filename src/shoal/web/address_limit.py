"""No more than so many requests to one address at once, whatever the names of its hosts."""

from __future__ import annotations

from typing import Final

from shoal.model import Fetched, Wait

UNKNOWN_TOOK_S: Final = 0.1
"""What a request takes, for all that is known before the first answer."""
TURN_MIN_S: Final = 0.005
TURN_LIMIT_S: Final = 60.0
"""The longest wait for an address, however many hosts share it."""


class _Address:
    """An address with requests under way, or hosts that wait for it."""

    __slots__ = ("took_s", "turn_s", "under_way")

    def __init__(self) -> None:
        self.under_way = 0
        self.took_s = UNKNOWN_TOOK_S
        """The latest response time."""
        self.turn_s = float("-inf")
        """Until when the hosts that wait for this address were already put off."""


class AddressLimit:
    """Counts the requests under way to each address. Addresses in use alone are in memory."""

    def __init__(self, per_ip: int) -> None:
        self._per_ip = per_ip
        self._addresses: dict[str, _Address] = {}

    def take(self, name: str, now_s: float) -> Wait | None:
        """Count a request to an address; or a Wait, where it has all it may."""
        address = self._addresses.get(name)
        if address is None:
            address = self._addresses[name] = _Address()
        if address.under_way < self._per_ip:
            address.under_way += 1
            return None
        # Many hosts may share an address: each is put off a little longer than the one before.
        step_s = max(TURN_MIN_S, address.took_s) / self._per_ip
        address.turn_s = min(max(address.turn_s, now_s) + step_s, now_s + TURN_LIMIT_S)
        return Wait(address.turn_s, f"{address.under_way} requests to {name} are under way")

    def leave(self, name: str, fetched: Fetched | None, now_s: float) -> None:
        address = self._addresses[name]
        address.under_way -= 1
        if fetched is not None:
            address.took_s = fetched.elapsed_s
        if not address.under_way and address.turn_s <= now_s:
            del self._addresses[name]

    def forget_idle(self, now_s: float) -> None:
        self._addresses = {
            name: address
            for name, address in self._addresses.items()
            if address.under_way or address.turn_s > now_s
        }
