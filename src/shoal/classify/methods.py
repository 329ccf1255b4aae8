"""The methods by name: how each learns, and how its scores are calibrated."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final, NamedTuple

from shoal.classify.calibrate import Calibrate, Learn, one_slope, own_slopes
from shoal.classify.choices import MethodName
from shoal.classify.lewis import Lewis
from shoal.classify.margins import Margins
from shoal.classify.naive_bayes import NaiveBayes
from shoal.classify.rocchio import Rocchio


class Method(NamedTuple):
    learn: Learn
    calibrate: Calibrate


METHODS: Final = MappingProxyType(
    {
        MethodName.MARGINS: Method(Margins().learn, own_slopes),
        MethodName.NAIVE_BAYES: Method(NaiveBayes().learn, one_slope),
        MethodName.NAIVE_BAYES_BINARY: Method(NaiveBayes(binary=True).learn, one_slope),
        MethodName.LEWIS: Method(Lewis().learn, one_slope),
        MethodName.ROCCHIO: Method(Rocchio().learn, one_slope),
    }
)
