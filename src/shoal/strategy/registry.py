"""The strategies by name: Shoal's own, and those that installed packages add.

A package adds one by an entry point in the group ``shoal.strategies``: its name is the Strategy's
name, and what it points to is a :class:`~shoal.strategy.recipe.Recipe`. It is imported when it is
asked for, and no sooner.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final

from shoal.errors import UsageError
from shoal.strategy import (
    backlink_count,
    best_first,
    breadth_first,
    context_graph,
    ehrig,
    fish_search,
    hard_focus,
    hmm,
    hmm_content,
    hmm_content_anchor,
    hmm_x_means,
    intelligent,
    learned,
    link_analysis,
    n_best_first,
    opic,
    pagerank_order,
    random_order,
    shark_search,
    sites,
    soft_focus,
    ssrm,
    synset_expansion,
)
from shoal.strategy.recipe import Recipe

GROUP: Final = "shoal.strategies"

BUILT_IN: Final[tuple[Recipe[Any], ...]] = (
    breadth_first.RECIPE,
    random_order.RECIPE,
    backlink_count.RECIPE,
    pagerank_order.RECIPE,
    opic.RECIPE,
    best_first.CONTENT_AND_ANCHOR,
    best_first.CONTENT,
    best_first.ANCHOR,
    n_best_first.RECIPE,
    fish_search.RECIPE,
    shark_search.RECIPE,
    hard_focus.RECIPE,
    soft_focus.RECIPE,
    link_analysis.RECIPE,
    sites.RECIPE,
    ehrig.RECIPE,
    ssrm.RECIPE,
    synset_expansion.RECIPE,
    context_graph.RECIPE,
    hmm.RECIPE,
    hmm_x_means.RECIPE,
    hmm_content.RECIPE,
    hmm_content_anchor.RECIPE,
    intelligent.RECIPE,
    learned.RECIPE,
)


class StrategyError(UsageError):
    """A Strategy that is not there, or an entry point that does not keep to the rules."""


def find(name: str) -> Recipe[Any]:
    """The Recipe of that name. Raises StrategyError, which names the nearest one."""
    for recipe in BUILT_IN:
        if recipe.name == name:
            return recipe
    for point in entry_points(group=GROUP):
        if point.name == name:
            return _load(point)
    close = difflib.get_close_matches(name, names(), n=1, cutoff=0.6)
    hint = f"; did you mean '{close[0]}'?" if close else f"; there are {', '.join(names())}"
    raise StrategyError(f"there is no {name!r}{hint}")


def names() -> Sequence[str]:
    """Shoal's own in the order of the documentation, then those of others."""
    return (
        *(recipe.name for recipe in BUILT_IN),
        *sorted(point.name for point in entry_points(group=GROUP)),
    )


def recipes() -> Sequence[Recipe[Any]]:
    """All of them. Imports the packages that add any."""
    others = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    return (*BUILT_IN, *(_load(point) for point in others))


def _load(point: EntryPoint) -> Recipe[Any]:
    where = f"the entry point {point.name!r} of {point.dist.name if point.dist else 'a package'}"
    if any(recipe.name == point.name for recipe in BUILT_IN):
        raise StrategyError(f"{where} has the name of one of Shoal's own strategies; rename it")
    try:
        recipe = point.load()
    except (ImportError, AttributeError) as error:
        raise StrategyError(f"{where} cannot be imported ({point.value}): {error}") from error
    if not isinstance(recipe, Recipe):
        raise StrategyError(f"{where} points to {recipe!r}; it must be a shoal Recipe")
    if recipe.name != point.name:
        raise StrategyError(f"{where} points to a Recipe that calls itself {recipe.name!r}")
    return recipe
