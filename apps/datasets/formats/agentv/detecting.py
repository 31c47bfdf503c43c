"""Whether a file is one of this format: by its name and its beginning."""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from apps.datasets.formats.agentv.eras import RESULT_IDS
from apps.datasets.formats.csv_text import columns_of
from apps.datasets.formats.lines import NotJson, loads

LINES = (".jsonl", ".ndjson")
STRONG = ("expected_outcome", "input_messages", "expected_messages", "assert", "assertions")
GOALS = (*STRONG, "criteria", "outcome", "expected_output", "evaluators", "rubrics")
OTHERS = ("scenario_id", "query", "record_id", "user_inputs", "task_family", "family")
LIST = re.compile(rb"^(?:evalcases|eval_cases|cases|tests)[ \t]*:", re.MULTILINE)
ITEM = re.compile(rb"^-[ \t]+(?:id|assert|vars|criteria|input)[ \t]*:", re.MULTILINE)
GOAL = re.compile(rb"^[ \t]+(?:assert|vars|criteria|input|expected_output)[ \t]*:", re.MULTILINE)
SCENARIO = re.compile(rb"^[ \t-]*scenario_id[ \t]*:", re.MULTILINE)
MARK = re.compile(rb'"(?:input_messages|expected_outcome|expected_messages)"[ \t]*:')
RESULT_MARK = re.compile(rb'"(?:eval_id|test_id|evalId|testId)"[ \t]*:')
TABLE = re.compile(r"__expected\d*|__provider_?[oO]utput|vars\..+")
TABLE_GOALS = frozenset(("criteria", "expected_output", "expected_outcome"))


def detected(name: str, head: bytes) -> bool:
    ending = PurePosixPath(name.lower()).suffix
    text = head.removeprefix(b"\xef\xbb\xbf")
    if ending in LINES:
        return _is_line(_first(text))
    if ending in (".yaml", ".yml"):
        listed = LIST.search(text) or (ITEM.search(text) and GOAL.search(text))
        return bool(listed) and not SCENARIO.search(text)
    if ending == ".csv":
        return _is_table(columns_of(text))
    return ending == ".json" and b'"evals"' in text and b'"prompt"' in text


def is_result(row: Mapping[str, Any]) -> bool:
    """Whether a row says how a case went, rather than what it asks."""
    return any(isinstance(row.get(key), str) for key in RESULT_IDS) and "score" in row


def is_case(row: Mapping[str, Any]) -> bool:
    if any(key in row for key in OTHERS):
        return False
    asks = any(key in row for key in ("input", "input_messages", "turns"))
    of_vars = isinstance(row.get("vars"), dict)
    return any(key in row for key in STRONG) or of_vars or (asks and any(k in row for k in GOALS))


def _first(text: bytes) -> bytes:
    return text.lstrip().split(b"\n", 1)[0]


def _is_line(line: bytes) -> bool:
    """By its keys, or by their look where the line is longer than what was seen, or broken."""
    try:
        row = loads(line)
    except (NotJson, RecursionError):
        return bool(MARK.search(line) or (RESULT_MARK.search(line) and b'"score"' in line))
    return isinstance(row, dict) and (is_result(row) or is_case(row))


def _is_table(columns: tuple[str, ...]) -> bool:
    if any(TABLE.fullmatch(name) for name in columns):
        return True
    return "input" in columns and not TABLE_GOALS.isdisjoint(columns)
