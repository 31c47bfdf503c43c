"""Is a set of scenarios an evaluation dataset yet? Nine questions about its records. Pure."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from apps.contract import Contract

Payload = Mapping[str, Any]
Row = Mapping[str, Any]
Verdict = Literal["yes", "partly", "no", "not asked"]
"""`not asked`: no record is of the sort that the question is about."""

NAMED = 5
TEXT_RULES = frozenset(("contains_substring",))
TEXT_OUTCOMES = frozenset(("required_output_substrings",))
SANDBOX_KEYS = frozenset(
    (
        "sandbox_profile_contract",
        "workspace_entries_reviewed",
        "permissions_profile",
        "network_secrets_posture",
        "snapshot_policy",
    )
)
SANDBOX_FIELDS = ("sandbox_profile_contract", "workspace_manifest_ref", "snapshot_policy")
SANDBOX_RULE = "sandbox_profile_review"


class Answer(Contract):
    """To one question: `met` of `asked` records say yes; `missing` are the first that do not."""

    question: str
    verdict: Verdict
    met: int
    asked: int
    missing: tuple[str, ...]
    advice: str
    """What to do; empty where there is nothing left to do."""


class Item(NamedTuple):
    """A scenario as the questions see it, be it an item of a file or a session of an export."""

    name: str
    row: Row
    rules: tuple[Row, ...]
    outcomes: Row
    labels: tuple[str, ...]
    verdicts: tuple[Row, ...]
    turns: int


class Question(NamedTuple):
    text: str
    is_met: Callable[[Item], bool]
    advice: str
    is_asked: Callable[[Item], bool] = lambda item: True
    one_is_enough: bool = False


@dataclass
class _Tally:
    asked: int = 0
    met: int = 0
    missing: list[str] = field(default_factory=list)


def answers(payloads: Iterable[Payload]) -> list[Answer]:
    """The nine questions, answered over scenarios and sessions; other records are passed over."""
    tallies = [_Tally() for _ in QUESTIONS]
    for payload in payloads:
        if payload.get("kind") in ("scenario", "session"):
            _count(_item(payload), tallies)
    return [_answer(*pair) for pair in zip(QUESTIONS, tallies, strict=True)]


def _count(item: Item, tallies: list[_Tally]) -> None:
    for question, tally in zip(QUESTIONS, tallies, strict=True):
        if not question.is_asked(item):
            continue
        tally.asked += 1
        if question.is_met(item):
            tally.met += 1
        elif len(tally.missing) < NAMED:
            tally.missing.append(item.name)


def _answer(question: Question, tally: _Tally) -> Answer:
    verdict = _verdict(question, tally)
    done = verdict in ("yes", "not asked")
    return Answer(
        question=question.text,
        verdict=verdict,
        met=tally.met,
        asked=tally.asked,
        missing=() if done else tuple(tally.missing),
        advice="" if done else question.advice,
    )


def _verdict(question: Question, tally: _Tally) -> Verdict:
    if not tally.asked:
        return "not asked"
    if tally.met == tally.asked or (tally.met and question.one_is_enough):
        return "yes"
    return "partly" if tally.met else "no"


# -- what a record is -----------------------------------------------------------------------


def _item(payload: Payload) -> Item:
    row: Row = payload["row"]
    spec: Row = (row.get("eval") or {}) if payload["kind"] == "session" else row
    outputs = spec.get("verifier_outputs") or ()
    turns = row.get("runs") if payload["kind"] == "session" else row.get("user_inputs")
    return Item(
        name=str(payload["record_id"]),
        row=spec,
        rules=tuple(spec.get("grading_rules") or ()),
        outcomes=spec.get("expected_outcomes") or {},
        labels=tuple(spec.get("labels") or ()),
        verdicts=(outputs,) if isinstance(outputs, dict) else tuple(outputs),
        turns=len(turns or ()),
    )


# -- the questions --------------------------------------------------------------------------


def _has_id(item: Item) -> bool:
    return bool(item.row.get("scenario_id") or item.row.get("scenario"))


def _labels_apart(item: Item) -> bool:
    return bool(item.labels and item.outcomes)


def _has_rules(item: Item) -> bool:
    return bool(item.rules)


def _looks_at_behaviour(item: Item) -> bool:
    by_rules = any(rule.get("type") not in TEXT_RULES for rule in item.rules)
    return by_rules or bool(item.outcomes.keys() - TEXT_OUTCOMES)


def _separates_scores(item: Item) -> bool:
    needed = ("process_score", "outcome_score", "failure_attribution")
    return any(all(name in verdict for name in needed) for verdict in item.verdicts)


def _names_verifier(item: Item) -> bool:
    needed = ("verifier_id", "verifier_contract_version")
    return any(all(said.get(name) for name in needed) for said in (*item.verdicts, item.row))


def _is_sandboxed(item: Item) -> bool:
    told = any(item.row.get(name) for name in SANDBOX_FIELDS)
    labelled = any("sandbox" in label for label in item.labels)
    expected = "sandbox_profile_reviewed" in item.outcomes
    return told or labelled or expected or bool(_sandbox_rules(item))


def _reviews_sandbox(item: Item) -> bool:
    return any(
        isinstance(rule.get("expected"), dict) and rule["expected"].keys() >= SANDBOX_KEYS
        for rule in _sandbox_rules(item)
    )


def _sandbox_rules(item: Item) -> list[Row]:
    return [rule for rule in item.rules if rule.get("type") == SANDBOX_RULE]


def _has_several_runs(item: Item) -> bool:
    return item.turns > 1 or item.outcomes.get("required_run_count", 0) > 1


def _is_versioned_and_owned(item: Item) -> bool:
    return bool(item.row.get("dataset_version") and item.row.get("scenario_owner"))


QUESTIONS = (
    Question(
        "Does every scenario have a stable scenario_id?",
        _has_id,
        "Give each scenario an id that stays when its wording changes.",
    ),
    Question(
        "Are labels separate from expected outcomes?",
        _labels_apart,
        "Say the class of the scenario in labels and the desired result in expected_outcomes.",
    ),
    Question(
        "Are there grading rules, not just reviewer prose?",
        _has_rules,
        "Turn what reviewers look for into grading_rules with type, expected and blocking.",
    ),
    Question(
        "Can behaviour be evaluated, not only text?",
        _looks_at_behaviour,
        "Add a rule or an expected outcome about status, tools, approvals, policy or memory.",
    ),
    Question(
        "Does the verifier output separate process_score, outcome_score and failure_attribution?",
        _separates_scores,
        "Let the verifier write all three into verifier_outputs.",
    ),
    Question(
        "Is it known which verifier and which version of its contract graded?",
        _names_verifier,
        "Write verifier_id and verifier_contract_version into verifier_outputs.",
    ),
    Question(
        "Is there a rule for sandbox-backed paths that checks profile contract, workspace entries, "
        "permissions, and snapshot and resume evidence?",
        _reviews_sandbox,
        f"Add a {SANDBOX_RULE} rule whose expected names {', '.join(sorted(SANDBOX_KEYS))}.",
        is_asked=_is_sandboxed,
    ),
    Question(
        "Are sessions of several runs supported?",
        _has_several_runs,
        "Add a scenario with several user_inputs and a required_run_count.",
        one_is_enough=True,
    ),
    Question(
        "Are the dataset's version and its owner known?",
        _is_versioned_and_owned,
        "Write dataset_version and scenario_owner into each scenario.",
    ),
)
