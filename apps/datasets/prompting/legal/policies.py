"""Policies: how a row's question is put together, and how its answer is judged."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

Row = Mapping[str, Any]
Mode = Literal["rubric", "reference", "mcq"]

DEFAULT = "default_v1"
PRBENCH = "prbench_v1"
APEX = "apexv1_extended_v1"
LEXAM_OPEN = "lexam_oq_v1"
LEXAM_MCQ = "lexam_mcq_v1"
INCLUDEBASE = "includebase_default_v1"
LAR_ECHR = "lar_echr_mcq_v1"

POLICIES = (DEFAULT, PRBENCH, APEX, LEXAM_OPEN, LEXAM_MCQ, INCLUDEBASE, LAR_ECHR)
MODES: Mapping[str, Mode] = {"rubric_qa": "rubric", "reference_qa": "reference", "mcq": "mcq"}


class Judging(NamedTuple):
    """By what an answer is judged: the policy in force, and what it is held against."""

    policy: str
    mode: Mode


def judging_of(payload: Mapping[str, Any]) -> Judging:
    """For the payload of a record: the policy in force and the mode of its task type."""
    row = payload["row"]
    return Judging(policy_of(row), MODES[row["task_type"]])


def policy_of(row: Row) -> str:
    """The policy in force: the one that the row names, else the default one."""
    named = _named(row)
    return named if isinstance(named, str) and named in POLICIES else DEFAULT


def names_unknown_policy(row: Row) -> bool:
    named = _named(row)
    return named not in (None, "") and not (isinstance(named, str) and named in POLICIES)


def _named(row: Row) -> Any:
    named = (row.get("metadata") or {}).get("policy_id")
    return named.strip() if isinstance(named, str) else named
