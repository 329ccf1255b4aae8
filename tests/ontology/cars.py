"""The topic map of Figure 6.1, drawn again by hand, and its weights: Table 6.1."""

from __future__ import annotations

CARS = """/* Figure 6.1 of the thesis on an ontology-focused crawler for Heritrix */
[superclass-subclass @"http://www.topicmaps.org/xtm/1.0/core.xtm#superclass-subclass"]
[superclass @"http://www.topicmaps.org/xtm/1.0/core.xtm#superclass"]
[subclass @"http://www.topicmaps.org/xtm/1.0/core.xtm#subclass"]
[japanese-car = "Japanese car"]
[toyoda = "Kiichiro Toyoda"]
[tmm = "TMM Inc."]
[toyota = "Toyota"]
[avensis = "Avensis"]
[corolla = "Corolla"]
[verso = "Corolla Verso"]
superclass-subclass(japanese-car : superclass, toyota : subclass)
superclass-subclass(toyota : superclass, avensis : subclass)
superclass-subclass(toyota : superclass, corolla : subclass)
superclass-subclass(corolla : superclass, verso : subclass)
produces(tmm : producer, toyota : product)
founded(toyoda : founder, tmm : company)
"""

TABLE_6_1 = {
    "Japanese car": (0.8, 0.1),
    "Kiichiro Toyoda": (0.1, 0.5),
    "TMM Inc.": (0.5, 1.0),
    "Toyota": (1.0, 0.8),
    "Avensis": (0.8, 0.1),
    "Corolla": (0.8, 1.0),
    "Corolla Verso": (0.1, 0.8),
}
"""With Toyota in focus, and with TMM Inc. and Corolla."""
