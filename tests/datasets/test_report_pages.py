"""The report of an upload over HTTP: each error, filtered, downloaded, and told to people."""

import csv
import io
import json

import pytest
from django.test import Client

from apps.accounts.models import User, Workspace
from tests.datasets.bundles import address
from tests.datasets.documents import a_version, accepted, bad_record, document, record

from .pages import HOSTILE, streamed, text_of


@pytest.fixture(autouse=True)
def signed_in(client: Client, alice: User) -> None:
    client.force_login(alice)


def test_the_report_shows_each_error_with_its_value_escaped(
    client: Client, workspace: Workspace
) -> None:
    hostile = record(1, record_id=HOSTILE, expected={"required_criteria": [HOSTILE]})
    upload = accepted(workspace, document(record(0), hostile))

    answer = client.get(address("report", upload.pk))

    assert HOSTILE.encode() not in answer.content
    text = text_of(answer)
    assert "records[1].expected.required_criteria[0] invalid_enum_value" in text
    assert json.dumps(HOSTILE) in text


def test_errors_are_filtered_by_code(client: Client, workspace: Workspace) -> None:
    upload = accepted(workspace, document(record(0), bad_record(1), record(2, extra=1)))
    report = address("report", upload.pk)

    everything = client.get(report)
    filtered = client.get(f"{report}?code=unsupported_field")

    assert "Showing 2 of 2" in text_of(everything)
    assert "Showing 1 of 1" in text_of(filtered)
    assert [issue.code for issue, _ in filtered.context["rows"]] == ["unsupported_field"]


def test_a_long_list_says_how_much_it_shows(client: Client, workspace: Workspace) -> None:
    crowded = record(1, expected={"required_criteria": ["x"] * 150})
    bad = [bad_record(number) for number in range(2, 30)]
    upload = accepted(workspace, document(record(0), crowded, *bad))

    first = client.get(address("report", upload.pk))
    second = client.get(address("report", upload.pk), {"cursor": first.context["page"].older})

    assert "Showing 100 of 128 listed; 178 in all" in text_of(first)
    assert "Showing 28 of 128 listed; 178 in all" in text_of(second)


def test_errors_are_taken_along_safe_for_spreadsheets(client: Client, workspace: Workspace) -> None:
    formula = "=HYPERLINK(1)"
    upload = accepted(workspace, document(record(0), record(1, record_id=formula, extra=1)))

    rows = list(csv.DictReader(io.StringIO(streamed(client.get(address("issues-csv", upload.pk))))))
    lines = streamed(client.get(address("issues-jsonl", upload.pk))).splitlines()

    assert [row["record_id"] for row in rows] == [f"'{formula}"]
    assert [json.loads(line)["record_id"] for line in lines] == [formula]
    assert rows[0]["code"] == "unsupported_field"


def test_downloads_follow_the_filter(client: Client, workspace: Workspace) -> None:
    upload = accepted(workspace, document(record(0), bad_record(1), record(2, extra=1)))
    query = "?code=unsupported_field"

    page = client.get(address("report", upload.pk) + query).content.decode()
    lines = streamed(client.get(address("issues-jsonl", upload.pk) + query)).splitlines()

    assert address("issues-csv", upload.pk) + query in page
    assert len(lines) == 1


def test_a_refused_document_says_what_where_and_what_next(
    client: Client, workspace: Workspace
) -> None:
    upload = accepted(workspace, document(dataset_id="a b", schema_version="2"))

    text = text_of(client.get(address("report", upload.pk)))

    assert "Rejected" in text
    assert "schema_version invalid_enum_value" in text
    assert "Correct the file and upload it again." in text
    assert "Start a run" not in text


def test_a_conflict_names_both_versions(client: Client, workspace: Workspace) -> None:
    standing = a_version(workspace)
    upload = accepted(workspace, document(record(9)))

    answer = client.get(address("report", upload.pk))

    assert address("version", standing.pk) in answer.content.decode()
    assert standing.identity[:12] in text_of(answer)
    assert "another dataset_version" in text_of(answer)


def test_the_same_bytes_again_are_told(client: Client, workspace: Workspace) -> None:
    a_version(workspace)

    text = text_of(client.get(address("report", accepted(workspace).pk)))

    assert "These bytes were here already." in text


def test_warnings_are_shown(client: Client, workspace: Workspace) -> None:
    upload = accepted(workspace, document(record(0, input={"prompt": "cafe\u0301"})))

    assert "not in Unicode NFC: stored normalised" in text_of(
        client.get(address("report", upload.pk))
    )
