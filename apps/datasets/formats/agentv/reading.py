"""Reading a file: its ending says how, its rows whether they are cases or results."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import PurePosixPath
from typing import Any

from apps.datasets.contracts import Document, Rejected
from apps.datasets.formats.agentv import eras, prompts, results, sources, suites
from apps.datasets.formats.agentv.detecting import is_case, is_result
from apps.datasets.formats.agentv.judging import Judge, Record
from apps.datasets.formats.agentv.sources import Found, Listed
from apps.datasets.formats.agentv.suites import Suite
from apps.datasets.formats.base import Progress
from apps.datasets.formats.decoding import require_utf8
from apps.datasets.formats.yaml_text import Lines
from apps.datasets.uploading.bundles import Bundle

RESULT_NAMES = ("index.jsonl", "-results.jsonl", ".baseline.jsonl")
NO_CASES = "The file has no cases: it must have a list called tests (once evalcases or cases)."
EMPTY = "The file has no cases."
SCENARIOS = "The suite's scenarios are not read: write their tests out as tests."
LOOKED_AT = 20


def read(bundle: Bundle, progress: Progress | None) -> Document:
    ending = PurePosixPath(bundle.name.lower()).suffix
    readers: dict[str, Callable[[Bundle, Progress | None], Document]] = {
        ".jsonl": _read_lines,
        ".ndjson": _read_lines,
        ".yaml": _read_yaml,
        ".yml": _read_yaml,
        ".csv": _read_table,
        ".json": _read_json,
    }
    if ending not in readers:
        raise sources.unsupported(ending)
    return readers[ending](bundle, progress)


def _read_lines(bundle: Bundle, progress: Progress | None) -> Document:
    found = sources.of_lines(bundle.raw, "", progress)
    if _are_results(bundle):
        return results.document(PurePosixPath(bundle.name).stem, found)
    suite = suites.beside(bundle)
    return _document(bundle, suite, _renamed(found, bundle.mapping), [])


def _read_table(bundle: Bundle, progress: Progress | None) -> Document:
    found = sources.of_table(bundle.raw, "", progress, bundle.mapping)
    return _document(bundle, suites.beside(bundle), found, [])


def _read_yaml(bundle: Bundle, progress: Progress | None) -> Document:
    raw = bytes(bundle.raw)
    value, lines = sources.read_yaml(raw[require_utf8(raw) :].decode())
    return _read_suite(bundle, value, lines, progress)


def _read_json(bundle: Bundle, progress: Progress | None) -> Document:
    require_utf8(bundle.raw)
    value = sources.read_json(bundle.raw, bundle.name)
    if not isinstance(value, dict) or not isinstance(value.get("evals"), list):
        raise sources.unsupported(".json")
    return _read_suite(bundle, value, Lines(), progress)


def _read_suite(bundle: Bundle, value: Any, lines: Lines, progress: Progress | None) -> Document:
    at, listed = sources.case_list(value)
    said = value if isinstance(value, dict) else {}
    suite = suites.suite_of(bundle.stem, said, bundle)
    warnings = [SCENARIOS] if "scenarios" in said else []
    if listed is None:
        raise Rejected(" ".join([NO_CASES, *warnings]))
    found = Listed(bundle, warnings).cases(listed, lines, *at)
    document = _document(bundle, suite, found, warnings)
    if progress:
        progress(len(bundle.raw), len(bundle.raw))
    return document


def _document(
    bundle: Bundle, suite: Suite, found: Iterable[Found], warnings: list[str]
) -> Document:
    warnings[:0] = [*suite.warnings, *prompts.left_out(suite.fields)]
    records = _told(Judge(bundle, suite), found, warnings)
    return Document(suite.header, records, warnings)


def _told(judge: Judge, found: Iterable[Found], warnings: list[str]) -> Iterator[Record]:
    """The records, then in front of the warnings which era they are of."""
    yield from judge.records(found)
    if not judge.count:
        raise Rejected(" ".join([EMPTY, *warnings]))
    warnings[:0] = eras.told(judge.eras)


def _are_results(bundle: Bundle) -> bool:
    """By the keys of the first rows, and by the usual names where those are no cases either."""
    rows = (each.value for each in islice(sources.of_lines(bundle.raw, "", None), LOOKED_AT))
    first: Mapping[str, Any] = next((row for row in rows if row is not None), {})
    if is_result(first):
        return True
    return bundle.name.lower().endswith(RESULT_NAMES) and not is_case(first)


def _renamed(found: Iterable[Found], mapping: Mapping[str, str]) -> Iterator[Found]:
    for each in found:
        row = each.value
        if mapping and isinstance(row, dict):
            taken = set(mapping.values())
            kept = {key: value for key, value in row.items() if key not in taken}
            row = kept | {name: row[key] for name, key in mapping.items() if key in row}
        yield each._replace(value=row)
