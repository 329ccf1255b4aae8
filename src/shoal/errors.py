"""What can go wrong in a way that the user can mend: each message says what to do."""

from __future__ import annotations


class ShoalError(Exception):
    """The root. ``exit_code`` is what the command line ends with."""

    exit_code = 1


class UsageError(ShoalError):
    """The command, a setting or an input is not right."""

    exit_code = 2


class StorageError(ShoalError):
    """The disk is full, read-only, or not what it was."""

    exit_code = 3


class StoreError(StorageError):
    """A store of objects cannot be reached, or refuses."""


class CutOffError(StorageError):
    """What keeps the state was lost at work: from the last commit one can go on."""


class BusyError(ShoalError):
    """Another crawler is at work here."""

    exit_code = 4
