"""What any Claims must do. Subclass ClaimsContract and say how they are opened."""

from __future__ import annotations

from abc import ABC, abstractmethod

from shoal.ports import Claims
from shoal.url import parse_url

FIRST = parse_url("http://a.example/1")
SECOND = parse_url("http://a.example/2")
THIRD = parse_url("http://a.example/3")


class ClaimsContract(ABC):
    """The guarantees of ports.Claims, as tests."""

    durable = True
    """Whether they outlive their process."""

    @abstractmethod
    def open(self) -> Claims:
        """The Claims of this test: none at first, and those held so far when opened again."""

    def test_a_url_has_no_holder_until_it_is_held(self) -> None:
        claims = self.open()
        assert claims.holder(FIRST) is None
        claims.hold(FIRST, "one")
        assert claims.holder(FIRST) == "one"
        assert claims.holder(SECOND) is None
        claims.close()

    def test_the_first_claim_counts(self) -> None:
        claims = self.open()
        claims.hold(FIRST, "one")
        claims.hold(FIRST, "one")
        claims.hold(FIRST, "two")
        claims.hold(SECOND, "two")
        assert (claims.holder(FIRST), claims.holder(SECOND)) == ("one", "two")
        claims.close()

    def test_a_claim_is_there_before_anything_is_done_on_its_strength(self) -> None:
        """Whoever held it ended without a word right afterwards."""
        claims = self.open()
        claims.hold(FIRST, "one")
        if self.durable:
            again = self.open()
            assert again.holder(FIRST) == "one"
            again.hold(SECOND, "two")
            assert again.holder(SECOND) == "two"
            again.close()
        claims.close()

    def test_what_a_crawler_has_and_no_more_is_handed_on(self) -> None:
        claims = self.open()
        claims.hold(FIRST, "one")
        claims.hold(SECOND, "two")
        claims.hand_on([FIRST, SECOND, THIRD], "one", "three")
        claims.hand_on([FIRST], "nobody", "one")
        assert (claims.holder(FIRST), claims.holder(SECOND)) == ("three", "two")
        assert claims.holder(THIRD) is None
        if self.durable:
            again = self.open()
            assert again.holder(FIRST) == "three"
            again.close()
        claims.close()
