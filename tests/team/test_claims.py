from __future__ import annotations

from pathlib import Path

import pytest

from shoal.frontier.claims import SqliteClaims
from shoal.ports import Claims
from shoal.team.keeper import MemoryClaims
from shoal.team.sure_claims import SureClaims
from shoal.testing.claims import ClaimsContract


class TestMemoryClaims(ClaimsContract):
    durable = False

    def open(self) -> Claims:
        return MemoryClaims()


class TestFileClaims(ClaimsContract):
    @pytest.fixture(autouse=True)
    def _place(self, tmp_path: Path) -> None:
        self._path = tmp_path / "claims.sqlite"

    def open(self) -> Claims:
        return SqliteClaims(self._path)


class TestSureClaims(TestFileClaims):
    def open(self) -> Claims:
        return SureClaims(super().open(), lambda _name, _url: True)
