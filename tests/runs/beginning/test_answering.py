"""Answers that are there before a run: kept by file and candidate, and checked against records."""

import json
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import Workspace
from apps.datasets.models import DatasetVersion, Upload
from apps.datasets.uploading.uploads import accept_document
from apps.runs.beginning.answering import check_answers, keep_answers
from apps.runs.models import Run
from apps.targets.models import Target
from tests.runs.conftest import MakeTarget, MakeVersion, Start, drain
from tests.runs.pages import recorded, tickets, words_of

__all__ = ["recorded", "tickets"]


def prefilled(candidate: str, *record_ids: str, text: str = "1") -> bytes:
    rows = (
        {"example_id": each, "candidate_name": candidate, "response_text": text}
        for each in record_ids
    )
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def ids(count: int) -> list[str]:
    return [f"q_{number:04}" for number in range(count)]


def test_prefilled_responses_have_to_answer_every_record(make_version: MakeVersion) -> None:
    version = make_version(14)

    with pytest.raises(ValidationError) as told:
        check_answers(prefilled("gpt", "q_0001", "q_0013"), version)

    missing = ", ".join(f"{each}:gpt" for each in ids(14) if each not in ("q_0001", "q_0013"))
    (said,) = told.value.messages
    assert said.startswith("Missing prefilled responses for selected tasks: q_0000:gpt, q_0002:gpt")
    assert said.endswith("q_0010:gpt, … (+2 more)")
    assert missing.startswith(said.partition("tasks: ")[2].partition(", …")[0])


def test_a_pilot_needs_the_answers_of_its_own_records_alone(make_version: MakeVersion) -> None:
    version, raw = make_version(12), prefilled("gpt", *ids(10))

    assert check_answers(raw, version, pilot=True) == 10
    with pytest.raises(ValidationError, match="tasks: q_0010:gpt, q_0011:gpt"):
        check_answers(raw, version)


def test_a_mapping_that_leaves_records_out_names_them_alone(make_version: MakeVersion) -> None:
    with pytest.raises(ValidationError, match=r"tasks: q_0001'\]$"):
        check_answers(b'{"q_0000": "1"}', make_version(2))


def test_our_own_answers_may_leave_records_out(make_version: MakeVersion) -> None:
    raw = b'{"record_id": "q_0001", "response": "1"}'

    assert check_answers(raw, make_version(3)) == 1


def test_a_file_of_another_kind_is_refused_by_its_name(make_version: MakeVersion) -> None:
    with pytest.raises(ValidationError, match=r"ends in \.jsonl or \.json, not in \.csv"):
        check_answers(prefilled("gpt", "q_0000"), make_version(1), name="answers.csv")


def test_several_candidates_are_listed_until_one_is_named(make_version: MakeVersion) -> None:
    version = make_version(1)
    raw = prefilled("gpt", "q_0000") + prefilled("claude", "q_0000")

    with pytest.raises(ValidationError, match="name one: gpt, claude"):
        check_answers(raw, version)
    assert check_answers(raw, version, candidate="claude") == 1


def test_each_candidate_of_a_file_is_kept_as_answers_of_its_own(workspace: Workspace) -> None:
    kept = [
        keep_answers(
            SimpleUploadedFile("a.jsonl", b"{}"),
            workspace=workspace,
            by=None,
            now=timezone.now(),
            candidate=candidate,
        )
        for candidate in ("", "gpt", "claude", "gpt")
    ]

    assert kept[1] == kept[3]
    assert len({each.pk for each in kept}) == 3


def test_a_run_takes_the_answers_of_the_candidate_that_was_named(
    start: Start, make_target: MakeTarget, make_version: MakeVersion, workspace: Workspace
) -> None:
    raw = prefilled("gpt", *ids(3), text="4") + prefilled("claude", *ids(3), text="5")
    answers = keep_answers(
        SimpleUploadedFile("a.jsonl", raw),
        workspace=workspace,
        by=None,
        now=timezone.now(),
        candidate="claude",
    )
    target = make_target(kind="recorded", source="answers")

    run = drain(start(version=make_version(3), target=target, answers=answers))

    assert set(run.results.values_list("response", flat=True)) == {"5"}


def test_answers_at_the_end_of_a_conversation_are_taken_from_the_data(
    start: Start, make_target: MakeTarget, workspace: Workspace
) -> None:
    row: dict[str, Any] = {
        "schema_version": "legal_eval_v1",
        "id": "q1",
        "dataset": "tenancy",
        "task_type": "reference_qa",
        "prompt": "How?",
        "reference_answers": ["In writing."],
        "messages": [
            {"role": "user", "content": "How?"},
            {"role": "assistant", "content": "By letter."},
        ],
    }
    raw = b"".join(
        json.dumps(each).encode() + b"\n"
        for each in (row, {**row, "id": "q2", "messages": row["messages"][:1]})
    )
    upload = accept_document(workspace=workspace, chunks=[raw], filename="legal.jsonl", by=None)
    assert upload.version is not None

    run = drain(start(version=upload.version, target=make_target(kind="recorded", source="data")))

    found = run.results.order_by("ordinal").values_list("response", "status", "cause")
    assert list(found) == [("By letter.", "completed", ""), ("", "evaluation_error", "no_answer")]


def test_the_start_form_asks_for_the_candidate(
    as_alice: Client, tickets: DatasetVersion, recorded: Target, workspace: Workspace
) -> None:
    known = list(tickets.records.values_list("record_id", flat=True))
    raw = prefilled("gpt", *known) + prefilled("claude", *known)

    def post(**more: str) -> Any:
        file = SimpleUploadedFile("a.jsonl", raw)
        fields = {"version": tickets.pk, "target": recorded.pk, "answers": file, **more}
        return as_alice.post(reverse("runs:start", args=[workspace.slug]), fields)

    page = words_of(post().content.decode())
    assert "The answers file has answers of 2 candidates, name one: gpt, claude." in page
    assert not Run.objects.exists()
    assert post(candidate="claude").status_code == 302
    assert Upload.objects.get(purpose="answers").options == {"candidate": "claude"}
