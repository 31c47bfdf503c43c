"""What a manifest says, field by field."""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from .checked import Checked, Fault
from .files import digest_of, file_of

VERSION = 1
FIELDS = ("version", "issuer", "subject", "measured_at", "artifacts", "signals")
SHA256 = re.compile(r"[0-9a-f]{64}")


def check_fields(said: Mapping[str, Any], checked: Checked) -> None:
    for name in FIELDS:
        if name not in said:
            checked.fault("missing_field", name, f"{name} is required.")
    version = said.get("version", VERSION)
    if type(version) is not int or version != VERSION:
        checked.fault("unsupported_version", "version", f"version must be {VERSION}.")
    checked.issuer = _text(said, "issuer", "", checked)
    checked.subject = _text(said, "subject", "", checked)
    if "measured_at" in said:
        _check_moment(said["measured_at"], checked)


def _check_moment(value: Any, checked: Checked) -> None:
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        sentence = "measured_at must be a time with its zone, such as 2026-01-15T10:05:12Z."
        checked.fault("invalid_measured_at", "measured_at", sentence)
        return
    checked.measured_at = moment


def check_artifacts(artifacts: Any, root: Path, checked: Checked) -> set[str]:
    ids: set[str] = set()
    for location, artifact in _entries(artifacts, "artifacts", checked):
        name = _text(artifact, "id", f"{location}.", checked, needed=True)
        if name in ids:
            sentence = f"The artifact {name} is listed twice."
            checked.fault("duplicate_artifact_id", f"{location}.id", sentence)
        if name:
            ids.add(name)
        _check_file(artifact, root, location, checked)
    return ids


def _check_file(artifact: Mapping[str, Any], root: Path, location: str, checked: Checked) -> None:
    path = _text(artifact, "path", f"{location}.", checked, needed=True)
    sha256 = _text(artifact, "sha256", f"{location}.", checked, needed=True)
    if sha256 and not SHA256.fullmatch(sha256):
        sentence = "sha256 must be 64 hexadecimal digits in lower case."
        checked.fault("invalid_sha256", f"{location}.sha256", sentence)
        sha256 = ""
    if not path:
        return
    try:
        found = digest_of(file_of(path, root, f"{location}.path"), f"{location}.path")
    except Fault as fault:
        checked.diagnostics.append(fault.diagnostic)
        return
    if sha256 and found != sha256:
        sentence = f"{path[:200]} has the sha256 {found}, not {sha256}."
        checked.fault("sha256_mismatch", f"{location}.sha256", sentence)


def check_signals(signals: Any, ids: set[str], checked: Checked) -> None:
    if not isinstance(signals, dict):
        checked.fault("invalid_field", "signals", "signals must be a mapping.")
        return
    for name, signal in signals.items():
        location = f"signals.{name[:100]}"
        if not isinstance(signal, dict):
            checked.fault("invalid_field", location, f"{location} must be a mapping.")
            continue
        if "value" not in signal:
            checked.fault("missing_field", f"{location}.value", f"{location}.value is required.")
        elif isinstance(signal["value"], dict | list):
            sentence = f"{location}.value must be a single value."
            checked.fault("invalid_field", f"{location}.value", sentence)
        else:
            checked.signals[name] = signal["value"]
        _check_references(signal, ids, location, checked)


def _check_references(
    signal: Mapping[str, Any], ids: set[str], location: str, checked: Checked
) -> None:
    place, references = f"{location}.artifact_refs", signal.get("artifact_refs")
    if references is None:
        checked.fault("missing_field", place, f"{place} is required.")
    elif not isinstance(references, list) or not all(isinstance(each, str) for each in references):
        checked.fault("invalid_field", place, f"{place} must be a list of artifact ids.")
    elif not references:
        checked.fault("missing_required_artifact", place, f"{location} names no artifact.")
    else:
        for reference in references:
            if reference not in ids:
                sentence = f"There is no artifact {reference[:100]}."
                checked.fault("unknown_artifact_ref", place, sentence)


def _entries(
    value: Any, location: str, checked: Checked
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if not isinstance(value, list):
        checked.fault("invalid_field", location, f"{location} must be a list.")
        return
    for index, entry in enumerate(value):
        place = f"{location}[{index}]"
        if isinstance(entry, dict):
            yield place, entry
        else:
            checked.fault("invalid_field", place, f"{place} must be a mapping.")


def _text(
    row: Mapping[str, Any], name: str, at: str, checked: Checked, *, needed: bool = False
) -> str:
    """The text of a field; empty, and a fault, where it is none."""
    place = f"{at}{name}"
    if name not in row:
        if needed:
            checked.fault("missing_field", place, f"{place} is required.")
        return ""
    value = row[name]
    if not isinstance(value, str) or not value.strip():
        checked.fault("invalid_field", place, f"{place} must be a text that is not empty.")
        return ""
    return value
