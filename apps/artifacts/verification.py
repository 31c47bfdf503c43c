"""Is everything still what the manifest says? Files in, report out; pure."""

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError, computed_field

from apps.contract import Contract

from . import lines

MANIFEST = "run_manifest.json"
INPUT = "input_dataset.json"
SUMS = "SHA256SUMS"
PURGED = "PURGED.json"
RECORD_ERRORS_LISTED = 100

State = Literal["ok", "missing", "changed", "purged", "unlisted", "unproven"]
Locate = Callable[[str], Path | None]


class Listed(Contract):
    """A file as the manifest names it; an empty hash stands for "nobody says"."""

    name: str
    sha256: str
    size: int | None = None


class Check(Contract):
    name: str
    state: State
    expected_sha256: str = ""
    found_sha256: str = ""


class RecordMismatch(Contract):
    artifact: str
    record_id: str | None
    message: str


class Report(Contract):
    """`ok` when nothing is missing or changed; what retention purged is no fault."""

    manifest: Check
    artifacts: tuple[Check, ...] = ()
    records_checked: int = 0
    record_errors: tuple[RecordMismatch, ...] = ()
    record_error_count: int = 0

    @computed_field  # type: ignore[prop-decorator]
    @property
    def ok(self) -> bool:
        states = {check.state for check in (self.manifest, *self.artifacts)}
        return not states & {"missing", "changed"} and self.record_error_count == 0


def verify_folder(folder: Path, *, manifest_sha256: str = "") -> Report:
    """Recompute every hash of an exported folder, with nothing but its files.

    `manifest_sha256` is what EvalHub shows for the bundle; without it the folder's own list is
    believed, and without that the manifest is "unproven".
    """
    report = verify_files(
        lambda name: _inside(folder, name),
        manifest_sha256=manifest_sha256 or _sums(folder).get(MANIFEST, ""),
        purged=_purged(folder),
    )
    known = {MANIFEST, SUMS, PURGED, *(check.name for check in report.artifacts)}
    extra = sorted(file.name for file in folder.iterdir() if file.name not in known)
    unlisted = tuple(Check(name=name, state="unlisted") for name in extra)
    return report.model_copy(update={"artifacts": report.artifacts + unlisted})


def verify_files(
    locate: Locate,
    *,
    manifest_sha256: str,
    purged: frozenset[str] = frozenset(),
    otherwise: tuple[Listed, ...] = (),
) -> Report:
    """Compare files with the manifest's list, or with `otherwise` where the manifest is gone."""
    manifest = _check(Listed(name=MANIFEST, sha256=manifest_sha256), locate, purged)
    listed = _listed(locate(MANIFEST)) if manifest.state in ("ok", "unproven") else otherwise
    if listed is None:
        return Report(manifest=manifest.model_copy(update={"state": "changed"}))
    checks = tuple(_check(entry, locate, purged) for entry in listed)
    intact = [check.name for check in checks if check.state == "ok"]
    count, errors, error_count = _check_records(intact, locate)
    return Report(
        manifest=manifest,
        artifacts=checks,
        records_checked=count,
        record_errors=errors,
        record_error_count=error_count,
    )


def _check(entry: Listed, locate: Locate, purged: frozenset[str]) -> Check:
    file = locate(entry.name)
    if file is None:
        state: State = "purged" if entry.name in purged else "missing"
        return Check(name=entry.name, state=state, expected_sha256=entry.sha256)
    found = _file_sha256(file)
    same = found == entry.sha256 and entry.size in (None, file.stat().st_size)
    unknown = not entry.sha256
    return Check(
        name=entry.name,
        state="unproven" if unknown else "ok" if same else "changed",
        expected_sha256=entry.sha256,
        found_sha256=found,
    )


def _check_records(names: list[str], locate: Locate) -> tuple[int, tuple[RecordMismatch, ...], int]:
    """The records' own hashes in the input, and that every other file means the same records."""
    accepted: dict[str, str] = {}
    count = error_count = 0
    errors: list[RecordMismatch] = []
    for name in sorted(names, key=lambda name: name != INPUT):
        for row in _hashed_rows(name, locate):
            count += name == INPUT
            message = _input_error(row, accepted) if name == INPUT else _other_error(row, accepted)
            if not message:
                continue
            error_count += 1
            if error_count <= RECORD_ERRORS_LISTED:
                record_id = _record_id(row)
                errors.append(RecordMismatch(artifact=name, record_id=record_id, message=message))
    return count, tuple(errors), error_count


def _hashed_rows(name: str, locate: Locate) -> Iterator[lines.Row]:
    file = locate(name)
    if file is not None and (name == INPUT or name.endswith(".jsonl")):
        yield from (row for row in lines.rows(file) if lines.RECORD_SHA256 in row)


def _input_error(row: lines.Row, accepted: dict[str, str]) -> str:
    accepted[str(row.get("record_id"))] = str(row[lines.RECORD_SHA256])
    with suppress(ValueError):  # no canonical form, so no hash
        if lines.payload_sha256(row) == lines.expected_sha256(row):
            return ""
    return "The record's content does not have the hash that it carries."


def _other_error(row: lines.Row, accepted: dict[str, str]) -> str:
    known = accepted.get(str(row.get("record_id")))
    if known is None or known == row[lines.RECORD_SHA256]:
        return ""
    return f"Its {lines.RECORD_SHA256} is not the one in {INPUT}."


def _record_id(row: lines.Row) -> str | None:
    found = row.get("record_id")
    return found if isinstance(found, str) else None


def _listed(manifest: Path | None) -> tuple[Listed, ...] | None:
    """What the manifest names, or None when it cannot be read."""
    document = _json(manifest)
    entries = document.get("artifacts") if isinstance(document, dict) else None
    if not isinstance(entries, list):
        return None
    try:
        return tuple(
            Listed(**{key: entry[key] for key in Listed.model_fields}) for entry in entries
        )
    except (KeyError, TypeError, ValidationError):
        return None


def _purged(folder: Path) -> frozenset[str]:
    document = _json(_inside(folder, PURGED))
    return frozenset(document) if isinstance(document, dict) else frozenset()


def _sums(folder: Path) -> dict[str, str]:
    file = _inside(folder, SUMS)
    if file is None:
        return {}
    pairs = (line.split(maxsplit=1) for line in file.read_text(errors="replace").splitlines())
    return {pair[1]: pair[0] for pair in pairs if len(pair) == 2}


def _json(file: Path | None) -> Any:
    try:
        return json.loads(file.read_bytes()) if file else None
    except (ValueError, RecursionError):
        return None


def _inside(folder: Path, name: str) -> Path | None:
    """The folder's own file of that name; a name that leads elsewhere is none."""
    file = folder / name
    return file if Path(name).name == name and file.is_file() else None


def _file_sha256(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
