"""How properties are tested here."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# A contract's properties run once for each class that inherits them, which is what "differing
# executors" warns of; each is a test of its own here. Deadlines say more about the machine than
# about the code, and "make test" has its own limit.
settings.register_profile(
    "shoal",
    deadline=None,
    suppress_health_check=[HealthCheck.differing_executors, HealthCheck.too_slow],
    print_blob=True,
)
settings.load_profile("shoal")
