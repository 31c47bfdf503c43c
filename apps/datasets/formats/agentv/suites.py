"""What holds for all cases of a file: a suite's own fields, or those of a sidecar."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any

from apps.artifacts.canonical import canonical
from apps.datasets.contracts import Header, Rejected
from apps.datasets.formats.agentv.assertions import KEYS as GRADERS
from apps.datasets.formats.agentv.attachments import patterns_of
from apps.datasets.formats.agentv.eras import CASE_LISTS
from apps.datasets.formats.agentv.notes import Notes, TooLong
from apps.datasets.formats.agentv.variables import with_variables
from apps.datasets.formats.building import clean
from apps.datasets.formats.yaml_text import NotYaml, load_yaml
from apps.datasets.uploading.bundles import Bundle

TARGET = "default"
EVALUATOR = "llm_judge"
DEFAULTS = f"Using defaults: target={TARGET}, evaluator={EVALUATOR}"
ENDINGS = (".yaml", ".yml")
CONFIG = ".agentv/config.yaml"
MOST_BYTES = 256 * 1024
MOST_GRADERS = 200
LONGEST_NAME = 128
NAMES = ("name", "dataset", "skill_name")


@dataclass(frozen=True)
class Suite:
    """`said` are the fields as they stand, without cases; `fields` with variables put in."""

    stem: str
    said: dict[str, Any] = field(default_factory=dict)
    fields: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @cached_property
    def name(self) -> str:
        return (self._stated_name or self.stem).strip()[:LONGEST_NAME].strip()

    @cached_property
    def _stated_name(self) -> str:
        named = (self.fields.get(key) for key in NAMES)
        return next((name for name in named if isinstance(name, str) and name.strip()), "")

    @cached_property
    def execution(self) -> dict[str, Any]:
        stated = self.fields.get("execution")
        return stated if isinstance(stated, dict) else targets_of(self.fields)

    @property
    def evaluator(self) -> Any:
        return self.fields.get("evaluator") or EVALUATOR

    @property
    def header(self) -> Header:
        name = clean(self.name).strip()
        said = self.said if self._stated_name else {**self.said, "name": self.name}
        return Header(dataset_id=name or self.stem, metadata={"suite": said})


def targets_of(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The execution that `target`, `targets` or `providers` of a suite or case mean."""
    for key in ("target", "targets", "providers"):
        stated = fields.get(key)
        names = [_target(each) for each in (stated if isinstance(stated, list) else [stated])]
        found = [name for name in names if name]
        if found:
            return {"target": found[0], **({"targets": found} if len(found) > 1 else {})}
    return {}


def target_of(execution: Mapping[str, Any]) -> str:
    """Whom an execution asks, by the name that a run maps to a target."""
    stated = _target(execution.get("target"))
    return stated or str(targets_of(execution).get("target", TARGET))


def suite_of(stem: str, said: Mapping[str, Any], bundle: Bundle, *also: str) -> Suite:
    """The suite that these fields make; raises Rejected when they are too much."""
    own = {key: value for key, value in said.items() if key not in CASE_LISTS}
    try:
        size = len(canonical(own))
    except (ValueError, RecursionError) as error:
        raise Rejected(f"The suite's own fields cannot be kept: {error}.") from None
    if size > MOST_BYTES:
        raise Rejected(f"The suite's own fields are larger than {MOST_BYTES:,} bytes.")
    _require_few_graders(own)
    notes = Notes()
    try:
        fields = with_variables(own, bundle.variables, notes)
    except TooLong:
        raise Rejected("The suite's own fields are too large with their variables.") from None
    told = (f"{each.message} {each.hint}" for each in notes.warnings)
    return Suite(stem.strip() or "dataset", own, fields, (*also, *told))


def _require_few_graders(fields: Mapping[str, Any]) -> None:
    default = fields.get("default_test", fields.get("defaultTest"))
    holders = [
        fields,
        *(each for each in (fields.get("execution"), default) if isinstance(each, dict)),
    ]
    for holder in holders:
        for key in GRADERS:
            if isinstance(holder.get(key), list) and len(holder[key]) > MOST_GRADERS:
                raise Rejected(f"The suite has more than {MOST_GRADERS} graders in {key}.")


def beside(bundle: Bundle) -> Suite:
    """The suite that a sidecar describes: `<base>.yaml` beside the lines, or the defaults."""
    stem = PurePosixPath(bundle.name).stem or "dataset"
    folder = PurePosixPath(bundle.name).parent
    wanted = [str(folder / f"{stem}{ending}") for ending in ENDINGS]
    path = next((path for path in wanted if path in bundle.files), None)
    if path is None:
        missing = f"Sidecar metadata file not found: {wanted[0]}. {DEFAULTS}."
        return suite_of(stem, {}, bundle, missing)
    try:
        said = load_yaml(bundle.text(path))
    except NotYaml as error:
        raise Rejected(f"{path}: Line {error.line}: Invalid YAML - {error.message}") from None
    if not isinstance(said, dict):
        return suite_of(stem, {}, bundle, f"{path} has no fields. {DEFAULTS}.")
    return suite_of(stem, said, bundle)


def guidelines(suite: Suite, bundle: Bundle) -> tuple[str, ...]:
    """The patterns of files that are instructions."""
    if "guideline_patterns" in suite.fields:
        return patterns_of(suite.fields["guideline_patterns"])
    path = bundle.find(CONFIG)
    try:
        config = load_yaml(bundle.text(path)) if path else None
    except (NotYaml, Rejected):
        config = None
    return patterns_of(config.get("guideline_patterns") if isinstance(config, dict) else None)


def _target(value: Any) -> str:
    if isinstance(value, dict):
        value = next((value[key] for key in ("name", "label", "id") if value.get(key)), "")
    return value if isinstance(value, str) else ""
