"""Uploads from stored bytes to a version or a report."""

from collections.abc import Iterator

import pytest
from django.core.exceptions import ValidationError
from django.db.models.functions import Now

from apps.accounts.models import AuditEvent, User, Workspace
from apps.artifacts import store
from apps.artifacts.canonical import canonical, sha256_hex
from apps.artifacts.models import Blob
from apps.artifacts.store import FileTooLarge
from apps.datasets import queries
from apps.datasets.contracts import Options
from apps.datasets.models import (
    Dataset,
    DatasetVersion,
    FacetMember,
    Record,
    Upload,
    UploadIssue,
)
from apps.datasets.uploading import uploads
from apps.datasets.uploading.reading import MAX_BYTES
from apps.jobs import services as jobs
from apps.jobs.leases import claim
from apps.jobs.models import JobState
from tests.datasets.documents import accepted, bad_record, document, in_blocks, record


def outcome_of(upload: Upload) -> dict[str, object]:
    assert upload.outcome is not None
    return upload.outcome


def test_a_good_document_becomes_a_version_with_records(workspace: Workspace, alice: User) -> None:
    upload = accepted(workspace, document(record(0), record(1)), alice)

    version = upload.version
    assert version is not None
    assert upload.state == JobState.DONE
    assert outcome_of(upload) == {"status": 201, "created": True, "warnings": []}
    assert (version.dataset.name, version.label, version.format) == ("qa", "1", "contract_v1")
    assert (version.total, version.accepted, version.rejected) == (2, 2, 0)
    assert version.created_by == version.dataset.owner == alice
    assert list(version.records.values_list("ordinal", "record_id")) == [
        (0, "q_0000"),
        (1, "q_0001"),
    ]


def test_the_identity_of_a_version_is_the_hash_of_the_file(workspace: Workspace) -> None:
    content = document()

    version = accepted(workspace, content).version

    assert version is not None
    assert version.identity == sha256_hex(content)


def test_a_record_keeps_its_canonical_payload_and_where_it_stood(workspace: Workspace) -> None:
    content = document(record(0), record(1))

    version = accepted(workspace, content).version

    stored = Record.objects.get(version=version, ordinal=1)
    assert stored.payload.encode() == canonical(record(1))
    assert stored.sha256 == sha256_hex(canonical(record(1)))
    assert stored.input_sha256 == sha256_hex(canonical(record(1)["input"]))
    assert stored.head == "Question 1: what is overfitting?"
    raw = content[stored.offset : stored.offset + stored.length]
    assert raw.startswith(b'{"record_id": "q_0001"')
    assert raw.endswith(b"}")


def test_the_digest_of_the_records_can_be_recomputed(workspace: Workspace) -> None:
    version = accepted(workspace).version

    assert version is not None
    assert queries.records_digest(version) == version.records_sha256


def test_slices_are_stored_with_their_members(workspace: Workspace) -> None:
    version = accepted(workspace).version

    assert version is not None
    even = version.facets.get(family="tag", value="even")
    assert even.n == 2
    assert list(even.members.values_list("ordinal", flat=True)) == [0, 2]
    assert version.facets.get(family="length").n == 3


def test_bad_records_are_listed_and_the_good_ones_kept(workspace: Workspace) -> None:
    upload = accepted(workspace, document(record(0), bad_record(1), record(2)))

    assert outcome_of(upload)["status"] == 202
    assert upload.counts == {
        "total": 3,
        "warnings": 0,
        "accepted": 2,
        "rejected": 1,
        "issues": 1,
        "codes": {"invalid_field_type": 1},
    }
    issue = upload.issues.get()
    assert (issue.index, issue.record_id, issue.path) == (1, "q_0001", "records[1].input.prompt")
    assert issue.value == "5"
    assert upload.version is not None
    assert list(upload.version.records.values_list("ordinal", flat=True)) == [0, 2]


def test_when_every_record_is_bad_only_the_report_is_kept(workspace: Workspace) -> None:
    upload = accepted(workspace, document(bad_record(0), bad_record(1)))

    outcome = outcome_of(upload)
    assert (outcome["status"], outcome["message"]) == (400, "All records failed validation")
    assert outcome["details"] == {"rejected_records": 2, "accepted_records": 0}
    assert upload.issues.count() == 2
    assert not Dataset.objects.exists()
    assert not Record.objects.exists()


@pytest.mark.parametrize(
    "content",
    [
        b"not json",
        b"[]",
        document(schema_version="2.0"),
        document(record(0)) + b" trailing",
        document(record(0), record(1))[:-40],
    ],
    ids=["no JSON", "an array", "another schema", "trailing text", "truncated"],
)
def test_a_hard_failure_writes_nothing_but_the_reason(workspace: Workspace, content: bytes) -> None:
    upload = accepted(workspace, content)

    assert outcome_of(upload)["status"] == 400
    assert outcome_of(upload)["message"]
    assert upload.state == JobState.DONE
    assert upload.version is None
    for model in (Dataset, DatasetVersion, Record, FacetMember, UploadIssue):
        assert not model._default_manager.exists()


def test_the_same_bytes_again_are_the_same_version(workspace: Workspace) -> None:
    first = accepted(workspace, document(record(0), bad_record(1)))

    again = accepted(workspace, document(record(0), bad_record(1)))

    assert again.version == first.version
    assert outcome_of(again) == {"status": 202, "created": False, "warnings": []}
    assert again.issues.count() == 1
    assert DatasetVersion.objects.count() == 1
    assert Record.objects.count() == 1
    assert Blob.objects.count() == 1


def test_the_same_bytes_in_another_workspace_are_another_version(
    workspace: Workspace, charlie: User
) -> None:
    here = accepted(workspace)

    elsewhere = accepted(charlie.memberships.get().workspace)

    assert elsewhere.version != here.version
    assert outcome_of(elsewhere)["created"] is True


def test_other_bytes_under_the_same_id_and_version_conflict(workspace: Workspace) -> None:
    standing = accepted(workspace).version
    assert standing is not None
    other = document(record(9))

    upload = accepted(workspace, other)

    outcome = outcome_of(upload)
    assert (outcome["status"], outcome["code"]) == (409, "conflict")
    assert outcome["details"] == {
        "dataset_id": "qa",
        "dataset_version": "1",
        "existing_version_id": standing.pk,
        "existing_sha256": standing.identity,
        "uploaded_sha256": sha256_hex(other),
    }
    assert DatasetVersion.objects.get() == standing
    assert Record.objects.count() == 3


def test_another_version_joins_the_dataset(workspace: Workspace) -> None:
    accepted(workspace)

    accepted(workspace, document(record(9), dataset_version="2"))

    dataset = Dataset.objects.get()
    assert set(dataset.versions.values_list("label", flat=True)) == {"1", "2"}


def test_a_name_given_wins_over_the_dataset_id(workspace: Workspace) -> None:
    version = accepted(workspace, options=Options(dataset_name="Support questions")).version

    assert version is not None
    assert version.dataset.name == "Support questions"
    assert version.header["dataset_id"] == "qa"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("x" * 129, "1 to 128 characters"),
        ("two\nlines", r"The name has U\+000A"),
        ("nul\0", r"The name has U\+0000"),
        ("\u202eturned", r"The name has U\+202E"),
        ("  ", "no space at the ends"),
    ],
)
def test_a_name_that_no_dataset_can_have_is_refused_before_anything_is_kept(
    workspace: Workspace, name: str, told: str
) -> None:
    with pytest.raises(ValidationError, match=told):
        accepted(workspace, options=Options(dataset_name=name))

    assert not Upload.objects.exists()
    assert not Blob.objects.exists()


def test_more_bytes_than_may_be_are_refused_while_they_arrive(workspace: Workspace) -> None:
    taken: list[int] = []

    def endless() -> Iterator[bytes]:
        block = b" " * (1 << 20)
        while True:
            taken.append(1)
            yield block

    with pytest.raises(FileTooLarge):
        uploads.accept_document(
            workspace=workspace,
            chunks=endless(),
            filename="x",
            by=None,
        )

    assert len(taken) == MAX_BYTES // (1 << 20) + 1
    assert not Upload.objects.exists()


def test_uploading_to_an_archived_dataset_says_so(workspace: Workspace, alice: User) -> None:
    version = accepted(workspace).version
    assert version is not None
    uploads.set_archived(version.dataset, True, by=alice)

    upload = accepted(workspace, document(record(9), dataset_version="2"))

    assert outcome_of(upload)["warnings"] == [
        "The dataset is archived: restore it to find it in the list again."
    ]


def test_archiving_and_restoring_are_on_the_record(workspace: Workspace, alice: User) -> None:
    version = accepted(workspace).version
    assert version is not None

    for archived in (True, True, False):
        version.dataset.refresh_from_db()
        uploads.set_archived(version.dataset, archived, by=alice)

    verbs = AuditEvent.objects.filter(object_type="datasets.dataset").order_by("pk")
    assert list(verbs.values_list("verb", flat=True)) == ["archived", "restored"]


def test_an_upload_is_on_the_record_with_its_door(workspace: Workspace, alice: User) -> None:
    accepted(workspace, by=alice, request_id="r-1", via="api")

    event = AuditEvent.objects.get()
    assert (event.actor, event.verb, event.via, event.request_id) == (
        alice,
        "uploaded",
        "api",
        "r-1",
    )


# -- in the background ----------------------------------------------------------------------


def waiting(workspace: Workspace, content: bytes | None = None) -> Upload:
    blob = store.put(in_blocks(content or document()))
    return uploads.start_upload(workspace=workspace, blob=blob, filename="qa.json", by=None)


def test_a_worker_takes_what_the_form_left(workspace: Workspace) -> None:
    upload = waiting(workspace)

    jobs.look_at(Upload, upload.pk)

    upload.refresh_from_db()
    assert upload.phase == "accepted"
    assert upload.version is not None


def test_a_second_delivery_changes_nothing(workspace: Workspace) -> None:
    upload = waiting(workspace)
    jobs.look_at(Upload, upload.pk)
    before = Upload.objects.values().get(pk=upload.pk)

    jobs.look_at(Upload, upload.pk)

    assert Upload.objects.values().get(pk=upload.pk) == before
    assert Record.objects.count() == 3


def test_a_cancelled_upload_writes_nothing(workspace: Workspace, alice: User) -> None:
    upload = waiting(workspace)
    lease = claim(Upload, upload.pk)
    assert lease is not None

    assert uploads.cancel(upload, by=alice)
    jobs.perform(lease)

    upload.refresh_from_db()
    assert upload.phase == "cancelled"
    assert upload.outcome is None
    assert not Dataset.objects.exists()


def test_an_upload_that_has_ended_cannot_be_cancelled(workspace: Workspace, alice: User) -> None:
    upload = accepted(workspace)

    assert not uploads.cancel(upload, by=alice)

    upload.refresh_from_db()
    assert upload.phase == "accepted"


def test_another_worker_finishes_what_a_dead_one_began(workspace: Workspace) -> None:
    upload = waiting(workspace)
    dead = claim(Upload, upload.pk)
    assert dead is not None
    Upload.objects.filter(pk=upload.pk).update(lease_until=Now())

    jobs.recover(Upload)
    jobs.look_at(Upload, upload.pk)
    jobs.perform(dead)

    upload.refresh_from_db()
    assert (upload.phase, upload.deliveries) == ("accepted", 2)
    assert DatasetVersion.objects.count() == 1
    assert Record.objects.count() == 3


def test_a_fault_of_ours_is_tried_again_and_then_told(workspace: Workspace) -> None:
    upload = waiting(workspace)
    Upload.objects.filter(pk=upload.pk).update(deliveries=4)
    store.path(upload.files.get().blob_id).unlink()

    jobs.look_at(Upload, upload.pk)

    upload.refresh_from_db()
    assert upload.state == JobState.FAILED
    assert outcome_of(upload)["status"] == 500
    assert upload.phase == "rejected"
