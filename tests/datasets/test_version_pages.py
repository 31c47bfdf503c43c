"""Pages around a version: what changed, exports, records of every kind, variables."""

from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from apps.accounts.models import AuditEvent, User, Workspace
from apps.datasets import variables
from apps.datasets.comparing.versions import Comparison
from apps.datasets.contracts import Options
from apps.datasets.models import DatasetVersion, Variable
from tests.datasets.bundles import address, kept, legal, lines, table
from tests.datasets.documents import a_version, document, record

from .pages import HOSTILE, text_of

PAIRS = table("id,query,response,context", '1,Lamp?,Yes.,"[""Within 60 days.""]"')


@pytest.fixture(autouse=True)
def signed_in(client: Client, alice: User) -> None:
    client.force_login(alice)


def two_versions(workspace: Workspace) -> tuple[DatasetVersion, DatasetVersion]:
    old = a_version(workspace)
    changed = record(1, input={"prompt": f"Question {HOSTILE}"})
    return old, a_version(workspace, document(record(0), changed, record(3), dataset_version="2"))


# -- what changed ------------------------------------------------------------------------------


def test_two_versions_stand_side_by_side(client: Client, workspace: Workspace) -> None:
    old, new = two_versions(workspace)

    page = client.get(f"{address('compare', old.dataset_id)}?from={old.pk}&to={new.pk}")
    removed = client.get(f"{address('compare', old.dataset_id)}?kind=removed")

    assert page.context["counts"] == Comparison(added=1, removed=1, changed=1, same=1)
    assert [shown.change.record_id for shown in page.context["changes"]] == ["q_0001"]
    assert HOSTILE in text_of(page)
    assert HOSTILE.encode() not in page.content
    assert [shown.change.record_id for shown in removed.context["changes"]] == ["q_0002"]


def test_changes_come_page_by_page(client: Client, workspace: Workspace) -> None:
    old = a_version(workspace, document(*[record(n) for n in range(25)]))
    new = document(*[record(n, tags=["new"]) for n in range(25)], dataset_version="2")
    a_version(workspace, new)
    compare = address("compare", old.dataset_id)

    first = client.get(compare)
    second = client.get(f"{compare}?after={first.context['next']}")

    assert len(first.context["changes"]) == 20
    assert len(second.context["changes"]) == 5
    assert second.context["next"] is None


def test_one_version_alone_has_nothing_to_compare(client: Client, workspace: Workspace) -> None:
    version = a_version(workspace)

    assert "There is nothing to compare" in text_of(
        client.get(address("compare", version.dataset_id))
    )


def test_versions_of_another_workspace_are_not_found(
    client: Client, workspace: Workspace, charlie: User
) -> None:
    foreign = a_version(Workspace.objects.get(slug="elsewhere"))
    version = a_version(workspace)

    answer = client.get(f"{address('compare', version.dataset_id)}?from={foreign.pk}")

    assert answer.status_code == 404


def test_what_is_personal_is_redacted_beside_each_other_too(
    client: Client, workspace: Workspace
) -> None:
    workspace.redacts_personal_data = True
    workspace.save()
    told = record(0, input={"prompt": "Write to alice.smith@example.com today"})
    version = a_version(workspace, document(told))
    a_version(workspace, document(record(0), dataset_version="2"))

    page = client.get(address("compare", version.dataset_id))

    assert b"alice.smith" not in page.content
    assert b"[REDACTED:" in page.content


# -- exports -----------------------------------------------------------------------------------


def test_the_menu_offers_what_fits_and_a_download_follows(
    client: Client, workspace: Workspace
) -> None:
    version = kept(workspace, "pairs.csv", PAIRS).version
    assert version is not None

    page = client.get(address("version", version.pk))
    offered = [format_id for format_id, _title in page.context["exports"]]
    answer: Any = client.get(f"{address('version-download', version.pk)}?format=contract_v1")

    assert offered[0] == "pairs"
    assert "contract_v1" in offered
    assert b"Lamp?" in b"".join(answer.streaming_content)


@pytest.mark.parametrize(("format_id", "status"), [("pairs", 409), ("nothing", 400)])
def test_what_does_not_fit_is_a_page_with_a_sentence(
    client: Client, workspace: Workspace, format_id: str, status: int
) -> None:
    version = a_version(workspace)

    answer = client.get(f"{address('version-download', version.pk)}?format={format_id}")

    assert answer.status_code == status
    assert "Nothing was written" in text_of(answer)


# -- versions and records ----------------------------------------------------------------------


def test_a_version_says_how_it_came(client: Client, workspace: Workspace, alice: User) -> None:
    content = lines(legal(1), legal(2, prompt=""))
    options = Options(valid_only=True, label="spring")
    version = kept(
        workspace, "a.jsonl", content, alice, beside={"x/a.txt": [b"text"]}, options=options
    ).version
    assert version is not None

    text = text_of(client.get(address("version", version.pk)))

    for shown in ("spring", "Legal Eval v1", "Alice owns it", "x/a.txt", "4 bytes"):
        assert shown in text
    assert "Through the API; the valid records only" in text


@pytest.mark.parametrize(
    ("name", "content", "shown"),
    [
        ("a.jsonl", lines(legal(1, prompt=HOSTILE, context=HOSTILE)), "Reference answer"),
        ("a.csv", table("id,query,response,source", f"1,q,{HOSTILE.replace(chr(34), '')},s"), "q"),
    ],
)
def test_records_of_every_kind_are_shown_and_only_text(
    client: Client, workspace: Workspace, name: str, content: bytes, shown: str
) -> None:
    version = kept(workspace, name, content).version
    assert version is not None

    page = client.get(address("record", version.pk, 0))

    assert shown in text_of(page)
    assert b"<script>alert" not in page.content
    assert "Show the row as JSON" in text_of(page)


# -- what is no dataset ------------------------------------------------------------------------


def test_annotations_say_what_became_of_them_and_where(
    client: Client, workspace: Workspace, alice: User
) -> None:
    version = kept(workspace, "pairs.csv", PAIRS, alice).version
    assert version is not None
    labels = table(
        "schema_version,id,task_type,label,annotator_id,annotated_at",
        "1.0,1,relevance,true,ann,2026-01-02T10:00:00Z",
    )

    upload = kept(
        workspace,
        "labels.csv",
        labels,
        alice,
        options=Options(format="annotations", on=version.pk),
    )
    page = client.get(address("report", upload.pk))

    assert upload.outcome is not None
    assert upload.outcome["status"] == 201, upload.outcome
    assert upload.outcome["told"] in text_of(page)
    assert upload.outcome["address"] in page.content.decode()
    assert "Start a run with this version" not in text_of(page)


# -- variables ---------------------------------------------------------------------------------


def test_members_see_variables_and_admins_change_them(
    client: Client, workspace: Workspace, ada: User
) -> None:
    seen = client.get(address("variables"))
    refused = client.post(address("variables"), {"name": "REGION", "value": "eu"})
    client.force_login(ada)
    client.post(address("variables"), {"name": "REGION", "value": "eu"})
    made = Variable.objects.get()
    client.post(address("variable-change", made.pk), {"value": "us"})
    changed = text_of(client.get(address("variables")))
    client.post(address("variable-delete", made.pk))

    assert "No variables yet" in text_of(seen)
    assert refused.status_code == 403
    assert "${{ REGION }}" in changed
    assert not Variable.objects.exists()
    verbs = AuditEvent.objects.filter(object_type="datasets.variable").order_by("pk")
    assert list(verbs.values_list("verb", flat=True)) == [
        "added a variable",
        "changed a variable",
        "deleted a variable",
    ]


@pytest.mark.parametrize("name", ["", "1ST", "A-B", "A B", "é", "A" * 81, "REGION"])
def test_a_name_that_cannot_be_is_refused(
    client: Client, workspace: Workspace, ada: User, name: str
) -> None:
    variables.add(workspace=workspace, name="REGION", value="eu", by=ada)
    client.force_login(ada)

    answer = client.post(address("variables"), {"name": name, "value": "x"})

    assert answer.status_code == 400
    assert Variable.objects.count() == 1


def test_variables_of_another_workspace_cannot_be_touched(
    client: Client, workspace: Workspace, ada: User, charlie: User
) -> None:
    elsewhere = Workspace.objects.get(slug="elsewhere")
    foreign = variables.add(workspace=elsewhere, name="REGION", value="eu", by=charlie)
    client.force_login(ada)

    answer = client.post(address("variable-delete", foreign.pk))

    assert answer.status_code == 404
    assert Variable.objects.filter(pk=foreign.pk).exists()


# -- queries -----------------------------------------------------------------------------------


@pytest.mark.parametrize("page", ["compare", "refused", "mapping", "preview", "variables"])
def test_no_page_takes_more_than_sixteen_queries(
    client: Client,
    workspace: Workspace,
    page: str,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    old, _new = two_versions(workspace)
    other = table("number,question,reply", "1,Lamp?,Yes.")
    refused = kept(workspace, "a.jsonl", lines(legal(1), legal(2, prompt="")))
    mapping = kept(workspace, "a.csv", other, options=Options(format="pairs"))
    preview = kept(workspace, "a.csv", PAIRS, options=Options(preview=5))
    pages = {
        "compare": address("compare", old.dataset_id),
        "refused": address("report", refused.pk),
        "mapping": address("upload-mapping", mapping.pk),
        "preview": address("report", preview.pk),
        "variables": address("variables"),
    }

    with django_assert_max_num_queries(16):
        answer = client.get(pages[page])

    assert answer.status_code == 200
