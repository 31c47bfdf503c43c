"""Rules to try, from the document that somebody wrote: one rule, a list of them, a contract."""

from collections.abc import Mapping
from typing import Any

from apps.contract import Contract
from apps.grading.combining import NO_RULES, OwnRules, in_force
from apps.grading.dialects import agentv
from apps.grading.spec import ContractSpec, RuleSet

LISTS = ("rules", "assertions", "assert", "evaluators", "grading_rules")
OF_AGENTV = frozenset({"assertions", "assert", "evaluators"})
PASSING_OF_AGENTV = 0.8
"""What agentv asks of the weighted mean where nothing else is said."""


class RulesToTry(Contract):
    """A contract; `alone` where the document was a single rule, `whole` where it was a contract."""

    spec: ContractSpec
    alone: bool
    whole: bool

    def on(self, own: OwnRules) -> RuleSet:
        """The rules for a subject: a contract lets those count that the subject brings itself."""
        return in_force(self.spec, NO_RULES, own) if self.whole else self.spec


def contract_document(document: Any) -> Any:
    """The document with its rules under `rules`, wherever another format keeps them."""
    if not isinstance(document, Mapping) or "rules" in document:
        return document
    place = next((key for key in LISTS if key in document), None)
    if place is None:
        return document
    rest = {key: value for key, value in document.items() if key != place}
    if place in OF_AGENTV:
        return {"passing_score": PASSING_OF_AGENTV, **rest, "rules": _together(document[place])}
    return {**rest, "rules": document[place]}


def rules_to_try(document: Any) -> RulesToTry:
    """The rules in a document; pydantic's ValidationError where they are none."""
    if isinstance(document, Mapping) and "type" in document:
        spec = ContractSpec.model_validate({"rules": [document]})
        return RulesToTry(spec=spec, alone=True, whole=False)
    if isinstance(document, list):
        spec = ContractSpec.model_validate(_of_list(document))
        return RulesToTry(spec=spec, alone=False, whole=False)
    if isinstance(document, Mapping):  # its name is not part of what a contract says
        document = {key: value for key, value in document.items() if key != "name"}
    spec = ContractSpec.model_validate(contract_document(document))
    return RulesToTry(spec=spec, alone=False, whole=True)


def _of_list(rules: list[Any]) -> dict[str, Any]:
    if any(isinstance(each, Mapping) and agentv.knows(each) for each in rules):
        return {"rules": _together(rules), "passing_score": PASSING_OF_AGENTV}
    return {"rules": rules}


def _together(rules: Any) -> Any:
    """In agentv none decides alone: the weighted mean does, unless a rule says otherwise."""
    if not isinstance(rules, list):
        return rules
    return [{"blocking": False, **each} if isinstance(each, Mapping) else each for each in rules]
