"""Which Urls belong to the crawl: rules in an order, each of which can say why."""

from shoal.scope.candidate import Candidate, Rule
from shoal.scope.patterns import Patterns
from shoal.scope.rule_scope import IN_SCOPE, RULES, RuleScope, build_scope

__all__ = ["IN_SCOPE", "RULES", "Candidate", "Patterns", "Rule", "RuleScope", "build_scope"]
