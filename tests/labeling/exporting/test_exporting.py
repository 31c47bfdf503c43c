"""Labels as files: the contract's columns, lines, and how each form is sealed."""

from collections.abc import Sequence

import pytest

from apps.accounts.models import User, Workspace
from apps.artifacts import bundles
from apps.jobs.leases import Lease, LeaseLost, claim
from apps.jobs.models import JobState
from apps.labeling import exporting
from apps.labeling.exporting.requesting import campaign_named, cancel_export, start_export
from apps.labeling.models import Annotation, AnnotationChange, Breach, Campaign, Export, Question
from tests.datasets.pairs import pairs_version
from tests.labeling.exported import content, document, exported, header, names, objects, table
from tests.labeling.exporting.grounded import campaign, ids, question
from tests.labeling.labelled import a_campaign, a_question, discard, items_of, say, settle
from tests.runs.conftest import again, expire, work_on

__all__ = ["campaign", "question"]

CONTRACT = ["id", "task_type", "label", "annotator_id", "annotated_at"]


class Dying(Lease):
    """Of a worker that dies just before it seals."""

    asked = 0

    def require(self) -> None:
        self.asked += 1
        if self.asked > 1:
            raise LeaseLost
        super().require()


def test_the_contracts_file_has_exactly_its_five_columns(question: Question) -> None:
    export = exported(question.campaign, "labels")

    assert header(export, "annotations.csv") == CONTRACT
    assert content(export, "annotations.csv").splitlines()[1] == (
        b"p0,grounding,true,ada,2026-03-02T09:00:00Z"
    )
    assert ids(export, "annotations.csv") == ["p0", "p0", "p1", "p1", "p2", "p2"]


def test_further_columns_follow_the_five_where_something_stands_in_them(
    question: Question,
) -> None:
    Annotation.objects.filter(annotator="ada").update(notes="=1+1")

    export = exported(question.campaign, "labels")

    assert header(export, "labels.csv") == [*CONTRACT, "notes", "schema_version"]
    assert {row["notes"] for row in table(export, "labels.csv")} == {"", "'=1+1"}


def test_discards_come_along_only_where_they_are_asked_for(question: Question) -> None:
    discard(question, "dora", 0, reason="unclear")

    without = exported(question.campaign, "labels")
    with_them = exported(question.campaign, "labels", include_discarded=True)

    assert len(ids(without, "labels.csv")) == 6
    [row] = [row for row in table(with_them, "labels.csv") if row["annotator_id"] == "dora"]
    assert (row["label"], row["discard_reason"]) == ("", "unclear")
    assert len(ids(with_them, "annotations.csv")) == 6
    told = document(with_them, "labels_export.meta.json")
    assert told["not_in_annotations_csv"] == {"discarded": 1}


def test_labels_of_passages_are_folded_to_their_pair_in_the_contracts_file(
    campaign: Campaign,
) -> None:
    asked = a_question(campaign, "retrieval")
    first = items_of(campaign)[0]
    for chunk, label in (("c1", "false"), ("c2", "true")):
        item = campaign.items.create(result=first.result, chunk=chunk)
        Annotation.objects.create(item=item, question=asked, annotator="ada", label=label)

    export = exported(campaign, "labels")

    [row] = table(export, "annotations.csv")
    assert (row["id"], row["task_type"], row["label"]) == ("p0", "retrieval", "true")
    assert [row["chunk_id"] for row in table(export, "labels.csv")] == ["c1", "c2"]


def test_labels_that_the_contract_has_no_words_for_are_counted(campaign: Campaign) -> None:
    say(a_question(campaign, "own", name="tone", kind="choice"), "ada", ["warm"])

    export = exported(campaign, "labels")

    assert table(export, "annotations.csv") == []
    assert [row["label"] for row in table(export, "labels.csv")] == ["warm"]
    told = document(export, "labels_export.meta.json")["not_in_annotations_csv"]
    assert told == {"not one of the contract's tasks": 1}


def test_secrets_and_personal_data_do_not_leave(question: Question) -> None:
    Annotation.objects.update(notes="Ask jo@example.org, key sk-proj-" + "a1B2" * 10)

    export = exported(question.campaign, "lines")

    said = content(export, "labels.jsonl").decode()
    assert "jo@example.org" not in said
    assert "a1B2a1B2" not in said
    assert export.bundle is not None
    assert export.bundle.artifacts.get(name="labels.jsonl").redactions["email"] == 6


def test_lines_tell_what_is_known_around_a_label(question: Question) -> None:
    item = items_of(question.campaign)[2]
    given = Annotation.objects.get(item=item, annotator="bob")
    AnnotationChange.objects.create(annotation=given, label="true")
    settle(question, 2, "true", comment="The passage says so.")
    Breach.objects.create(
        item=item, annotator="bob", task_type="grounding", constraint="c", severity="block",
        message="grounding: a but b",
    )  # fmt: skip
    type(item).objects.filter(pk=item.pk).update(probability=0.25)

    export = exported(question.campaign, "lines")

    last = objects(export, "labels.jsonl")[-1]
    assert (last["id"], last["annotator_id"], last["label"]) == ("p2", "bob", False)
    assert [each["label"] for each in last["history"]] == ["true"]
    assert (last["settlement"]["label"], last["settlement"]["comment"]) == (
        "true",
        "The passage says so.",
    )
    assert (last["breaches"][0]["severity"], last["counts"]) == ("block", False)
    assert (last["probability"], last["slices"]["source"]) == (0.25, ["helpdesk"])


def test_hidden_gold_of_another_run_has_no_slices_of_this_one(
    workspace: Workspace, question: Question
) -> None:
    other = a_campaign(workspace, version=pairs_version(workspace, name="other"), name="other")
    item = question.campaign.items.create(result=items_of(other)[0].result)
    Annotation.objects.create(item=item, question=question, annotator="ada", label="true")

    export = exported(question.campaign, "lines")

    told = {each["item"]: each["slices"] for each in objects(export, "labels.jsonl")}
    assert told.pop(item.pk) == {}
    assert all(each["source"] == ["helpdesk"] for each in told.values())


@pytest.mark.parametrize(
    ("form", "files"),
    [
        ("labels", ["annotations.csv", "labels.csv", "labels_export.meta.json"]),
        ("tasks", ["annotation_export.meta.json", "task_grounding.csv"]),
        ("lines", ["labels.jsonl"]),
        ("training", ["training.csv", "training_export.meta.json"]),
    ],
)
def test_each_form_is_sealed_with_its_manifest_and_verifies(
    question: Question, alice: User, form: str, files: Sequence[str]
) -> None:
    export = exported(question.campaign, form, by=alice)

    assert export.bundle is not None
    assert names(export) == sorted([*files, "run_manifest.json"])
    assert bundles.verify(export.bundle).ok
    told = document(export, "run_manifest.json")
    assert (told["form"], told["created_by"], told["run_id"]) == (
        form,
        "alice",
        question.campaign.run_id,
    )
    assert told["campaign"]["name"] == "Grounding in March"
    assert told["as_of"]  # two clocks: it may read a millisecond before created_at
    assert told["created_at"]


@pytest.mark.parametrize("form", Export.Form.values)
def test_the_same_labels_give_the_same_bytes(question: Question, form: str) -> None:
    first, second = exported(question.campaign, form), exported(question.campaign, form)

    mains = [name for name in names(first) if not name.endswith(".json")]
    assert mains
    assert [content(first, name) for name in mains] == [content(second, name) for name in mains]


def test_who_takes_over_from_a_worker_that_died_begins_anew(question: Question) -> None:
    export = start_export(question.campaign, form="labels", by=None)
    lease = claim(Export, export.pk)
    assert lease is not None
    with pytest.raises(LeaseLost):
        exporting.perform(export, Dying(lease.job, lease.token))
    assert again(export).bundle is not None
    say(question, "dora", ["true"])
    expire(export)

    done = work_on(export)

    assert done.state == JobState.DONE
    assert len(table(done, "labels.csv")) == 7


def test_a_cancelled_export_writes_nothing_more(question: Question) -> None:
    export = start_export(question.campaign, form="labels", by=None)
    lease = claim(Export, export.pk)
    assert lease is not None

    assert cancel_export(export, by=None)
    with pytest.raises(LeaseLost):
        exporting.perform(export, lease)

    assert again(export).state == JobState.CANCELLED
    assert again(export).bundle is None
    assert not cancel_export(export, by=None)


def test_a_campaign_without_labels_gives_files_without_rows(campaign: Campaign) -> None:
    export = exported(campaign, "labels")

    assert table(export, "labels.csv") == []
    assert header(export, "labels.csv") == [*CONTRACT, "schema_version"]


def test_a_campaign_is_found_by_name_by_id_and_by_what_was_imported(
    workspace: Workspace, campaign: Campaign
) -> None:
    imported = Campaign.objects.create(
        workspace=workspace, run=campaign.run, kind="import", name="Imported labels"
    )

    assert campaign_named(workspace, "Grounding in March") == campaign
    assert campaign_named(workspace, campaign.pk) == campaign
    assert campaign_named(workspace, "pairs") == imported


def test_what_was_taken_back_is_in_no_file(question: Question) -> None:
    Annotation.objects.filter(annotator="ada").update(label="")

    export = exported(question.campaign, "labels", include_discarded=True)

    assert {row["annotator_id"] for row in table(export, "labels.csv")} == {"bob"}
