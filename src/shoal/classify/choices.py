"""What one can choose when a model is trained, apart from the code that does it, which takes a
second to load."""

from __future__ import annotations

from enum import StrEnum


class MethodName(StrEnum):
    MARGINS = "margins"
    NAIVE_BAYES = "naive-bayes"
    NAIVE_BAYES_BINARY = "naive-bayes-binary"
    LEWIS = "lewis"
    ROCCHIO = "rocchio"


DEFAULT_METHOD = MethodName.MARGINS


class Selection(StrEnum):
    """Stepwise selection of terms, see ``stepwise``."""

    NONE = "none"
    FORWARD = "forward"
    BACKWARD = "backward"
