"""From cases as they stand to records, each decided on by itself."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from apps.datasets.contracts import AcceptedRecord, Rejected, RejectedRecord
from apps.datasets.formats.agentv import assertions, cases, eras, prompts
from apps.datasets.formats.agentv.attachments import Attachments
from apps.datasets.formats.agentv.cases import Case
from apps.datasets.formats.agentv.content import Files
from apps.datasets.formats.agentv.eras import Era
from apps.datasets.formats.agentv.ids import Ids
from apps.datasets.formats.agentv.notes import Notes, TooLong
from apps.datasets.formats.agentv.prompts import Prompt
from apps.datasets.formats.agentv.resolving import facets, resolved
from apps.datasets.formats.agentv.sources import Found
from apps.datasets.formats.agentv.suites import Suite, guidelines
from apps.datasets.formats.agentv.variables import with_variables
from apps.datasets.formats.building import Place, accept, reject
from apps.datasets.uploading.bundles import Bundle
from apps.datasets.uploading.limits import MAX_RECORD_BYTES, MAX_RECORDS

Record = AcceptedRecord | RejectedRecord

MOST_BYTES = 200 * 1024 * 1024
TOO_LONG = "The case is larger than a record may be with its variables and files put in."
TOO_DEEP = "The case is nested too deep."


class Judge:
    """Decides on the cases of one document, of which `count` were seen, by `eras`."""

    def __init__(self, bundle: Bundle, suite: Suite) -> None:
        self._bundle = bundle
        self._suite = suite
        self._attachments = Attachments(bundle, guidelines(suite, bundle))
        self._prompts = prompts.prompts_of(suite.fields)
        self._shared = assertions.shared(suite.fields, Files(self._attachments, Notes(), ""))
        self._ids = Ids()
        self._size = 0
        self.count = 0
        self.eras: Counter[Era] = Counter()

    def records(self, found: Iterable[Found]) -> Iterator[Record]:
        for each in found:
            for prompt in self._prompts or (None,):
                yield self._bounded(self._judged(each, prompt))
                self.count += 1

    def _bounded(self, record: Record) -> Record:
        """Counts; raises Rejected past what one document may grow to with its files in place."""
        self._size += _size_of(record)
        if self._size > MOST_BYTES:
            message = f"The cases are larger than {MOST_BYTES // 2**20} MB with their files."
            raise Rejected(message, code="payload_too_large", status=413)
        if self.count == MAX_RECORDS:
            raise Rejected(f"There are more than {MAX_RECORDS:,} records.")
        return record

    def _judged(self, found: Found, prompt: Prompt | None) -> Record:
        place = replace(found.place, index=self.count)
        if found.problem is not None:
            return reject(place, None, [_in_file(found)])
        notes = Notes(f"{found.file}: " if found.file else "")
        try:
            return self._record(place, found, prompt, notes)
        except TooLong:
            notes.wrong("record_too_large", TOO_LONG, "")
        except RecursionError:
            notes.wrong("invalid_value", TOO_DEEP, "")
        return reject(place, _stated_id(found.value), notes.problems)

    def _record(self, place: Place, found: Found, prompt: Prompt | None, notes: Notes) -> Record:
        row = with_variables(found.value, self._bundle.variables, notes)
        case = cases.case_of(row, self._suite.fields, notes)
        used = prompt if case.era is eras.FIFTH else None
        files = Files(self._attachments, notes, found.file)
        added = resolved(case, used, self._suite, self._shared, files)
        self.eras[case.era] += 1
        if notes.problems:
            return reject(place, _stated_id(found.value), notes.problems)
        return self._accepted(place, found, case, added, notes)

    def _accepted(
        self, place: Place, found: Found, case: Case, added: dict[str, Any], notes: Notes
    ) -> Record:
        wanted = _wanted_id(case, added)
        record_id = self._ids.free(wanted)
        if record_id != wanted:
            message = f"The id {wanted[:200]} is there more than once: this one is {record_id}."
            notes.told("duplicate_id", message, "id")
        record = accept(
            place,
            record_id=record_id,
            kind="case",
            row=found.value,
            resolved=added,
            head=added["question"] or case.criteria or case.id,
            facets=facets(case, added),
            group=case.conversation,
            warnings=notes.warnings,
        )
        if isinstance(record, AcceptedRecord):
            self._ids.take(wanted, record_id)
        return record


def _wanted_id(case: Case, added: Mapping[str, Any]) -> str:
    """The case's own id, with the prompt's label where there are several prompts."""
    return f"{case.id}@{added['prompt']['label']}" if "prompt" in added else case.id


def _size_of(record: Record) -> int:
    """What a record took; one that was too large took at least what one may be."""
    if isinstance(record, AcceptedRecord):
        return len(record.payload)
    too_large = any(issue.code == "record_too_large" for issue in record.issues)
    return MAX_RECORD_BYTES if too_large else 0


def _in_file(found: Found) -> Any:
    problem = found.problem
    if problem is None or not found.file:
        return problem
    return replace(problem, path=f"{found.file}: {problem.path}".removesuffix(": "))


def _stated_id(row: Any) -> str | None:
    stated = row.get("id") if isinstance(row, dict) else None
    return stated if isinstance(stated, str) else None
