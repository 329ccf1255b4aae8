"""When a claim no longer counts."""

from __future__ import annotations

from shoal.team.keeper import MemoryClaims
from shoal.team.sure_claims import SureClaims
from shoal.url import Url, parse_url

A, B = parse_url("http://a.example/a"), parse_url("http://a.example/b")


def test_a_claim_to_what_its_holder_never_heard_of_goes_to_whoever_asks() -> None:
    known: set[tuple[str, Url]] = set()
    claims = SureClaims(MemoryClaims(), lambda name, url: (name, url) in known)
    claims.hold(A, "one")
    assert claims.holder(A) == "one"
    claims.forget("one")
    assert claims.holder(A) is None
    claims.hold(A, "two")
    assert claims.holder(A) == "two"
    claims.forget("two")
    known.add(("two", A))
    assert claims.holder(A) == "two"


def test_a_claim_is_fresh_until_a_report_of_a_commit_that_came_after_it() -> None:
    claims = SureClaims(MemoryClaims(), lambda _name, _url: False)
    claims.hold(A, "one")
    claims.told("one", committed=False)
    assert claims.holder(A) == "one"
    # This commit may have come before that claim was made ...
    claims.hold(B, "one")
    claims.told("one", committed=True)
    assert claims.holder(A) is None
    assert claims.holder(B) == "one"
    # ... and this one came after it.
    claims.told("one", committed=True)
    assert claims.holder(B) is None
