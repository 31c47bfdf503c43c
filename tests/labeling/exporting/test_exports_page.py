"""The page and the API of exports: made, followed, taken along, verified."""

import io
import zipfile
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts.models import User, Workspace
from apps.artifacts import store
from apps.jobs.models import JobState
from apps.labeling.exporting.requesting import start_export
from apps.labeling.models import Campaign, Export
from tests.labeling.exported import content, exported
from tests.labeling.labelled import a_campaign, say
from tests.runs.conftest import again, work_on

HTMX = {"HX-Request": "true"}


@pytest.fixture
def campaign(workspace: Workspace) -> Campaign:
    campaign = a_campaign(workspace)
    say(campaign.questions.get(), "bob", ["true", "false"])
    return campaign


@pytest.fixture
def as_alice(client: Client, alice: User) -> Client:
    client.force_login(alice)
    return client


def address(campaign: Campaign, page: str = "exports", /, **more: Any) -> str:
    more = {"slug": "demo", "campaign_id": campaign.pk, **more}
    return reverse(f"labeling:{page}", kwargs=more)


def of(export: Export, page: str, /, **more: Any) -> str:
    return address(export.campaign, f"export-{page}", export_id=export.pk, **more)


def test_a_campaign_without_exports_says_what_there_would_be(
    as_alice: Client, campaign: Campaign
) -> None:
    shown = as_alice.get(address(campaign)).content.decode()

    assert "Nothing was exported yet" in shown
    assert 'name="include_discarded"' in shown
    assert "hx-trigger" not in shown.partition('id="exports"')[2]


def test_an_export_is_asked_for_and_followed_until_its_files_are_there(
    as_alice: Client, campaign: Campaign, alice: User
) -> None:
    as_alice.post(address(campaign), {"form": "tasks", "include_discarded": "on"})
    export = Export.objects.get()
    waiting = as_alice.get(address(campaign)).content.decode()
    work_on(export)

    shown = as_alice.get(address(campaign), headers=HTMX).content.decode()

    assert (export.form, export.include_discarded, export.created_by) == ("tasks", True, alice)
    assert 'hx-trigger="every 2s"' in waiting
    assert "No worker is up" in waiting
    assert "<html" not in shown
    assert "hx-trigger" not in shown
    for name in ("task_grounding.csv", "annotation_export.meta.json", "run_manifest.json"):
        assert name in shown
    assert "2 rows" in shown


def test_a_form_that_there_is_not_makes_nothing(as_alice: Client, campaign: Campaign) -> None:
    shown = as_alice.post(address(campaign), {"form": "prose"}).content.decode()

    assert "Choose one of the forms." in shown
    assert not Export.objects.exists()


def test_a_file_comes_as_it_was_sealed(as_alice: Client, campaign: Campaign) -> None:
    export = exported(campaign, "labels")

    got = as_alice.get(of(export, "file", name="annotations.csv"))

    assert b"".join(got.streaming_content) == content(export, "annotations.csv")  # type: ignore[attr-defined]
    assert got["Content-Type"] == "text/csv"
    assert f"{export.pk}-annotations.csv" in got["Content-Disposition"]
    assert as_alice.get(of(export, "file", name="other.csv")).status_code == 404


def test_the_zip_has_every_file_and_their_sums(as_alice: Client, campaign: Campaign) -> None:
    export = exported(campaign, "labels")

    got = as_alice.get(of(export, "zip"))

    raw = b"".join(got.streaming_content)  # type: ignore[attr-defined]
    inside = zipfile.ZipFile(io.BytesIO(raw))
    assert {"annotations.csv", "labels.csv", "run_manifest.json", "SHA256SUMS"} <= set(
        inside.namelist()
    )
    assert inside.read("labels.csv") == content(export, "labels.csv")


def test_verifying_says_whether_the_bytes_are_those_that_were_sealed(
    as_alice: Client, campaign: Campaign
) -> None:
    export = exported(campaign, "labels")
    assert export.bundle is not None

    true = as_alice.post(of(export, "verify")).content.decode()
    file = store.path(export.bundle.artifacts.get(name="labels.csv").sha256)
    file.chmod(0o600)
    file.write_bytes(b"other")
    false = as_alice.post(of(export, "verify"), headers=HTMX).content.decode()

    assert "nothing is missing or changed" in true
    assert "labels.csv: changed" in false


def test_an_open_export_is_cancelled_and_has_no_files(as_alice: Client, campaign: Campaign) -> None:
    export = start_export(campaign, form="labels", by=None)

    as_alice.post(of(export, "cancel"))

    assert again(export).state == JobState.CANCELLED
    assert as_alice.get(of(export, "zip")).status_code == 404
    assert as_alice.get(of(export, "file", name="labels.csv")).status_code == 404
    assert "no files yet" in as_alice.post(of(export, "verify")).content.decode()


def test_why_an_export_failed_is_on_the_page(as_alice: Client, campaign: Campaign) -> None:
    export = start_export(campaign, form="labels", by=None)
    Export.objects.filter(pk=export.pk).update(state="failed", error="p1 has no label.")

    shown = as_alice.get(address(campaign)).content.decode()

    assert "p1 has no label." in shown


@pytest.mark.parametrize("door", ["zip", "file", "verify", "cancel"])
def test_an_export_of_another_campaign_is_not_found_here(
    as_alice: Client, campaign: Campaign, workspace: Workspace, door: str
) -> None:
    other = a_campaign(workspace, name="Other", version=campaign.run.dataset_version)
    more = {"name": "labels.csv"} if door == "file" else {}
    foreign = address(other, f"export-{door}", export_id=exported(campaign, "labels").pk, **more)

    got = as_alice.get(foreign) if door in ("zip", "file") else as_alice.post(foreign)

    assert got.status_code == 404


def test_a_reviewer_may_not_take_labels_along(
    client: Client, bob: User, campaign: Campaign
) -> None:
    export = exported(campaign, "labels")
    client.force_login(bob)

    assert client.get(address(campaign)).status_code == 403
    assert client.post(address(campaign), {"form": "labels"}).status_code == 403
    assert client.get(of(export, "zip")).status_code == 403


def test_the_page_asks_as_much_for_one_export_as_for_many(
    as_alice: Client, campaign: Campaign, django_assert_max_num_queries: Any
) -> None:
    for _ in range(4):
        exported(campaign, "labels")

    with django_assert_max_num_queries(14):
        as_alice.get(address(campaign))


def test_the_api_makes_an_export_tells_of_it_and_gives_its_files(
    as_alice: Client, campaign: Campaign
) -> None:
    root = f"/api/v1/campaigns/{campaign.pk}/exports"
    made = as_alice.post(root, {"form": "lines"}, content_type="application/json")
    export_id = made.json()["id"]
    before = as_alice.get(f"{root}/{export_id}").json()
    work_on(Export.objects.get())

    after = as_alice.get(f"{root}/{export_id}").json()
    listed = as_alice.get(root).json()["results"]
    file = as_alice.get(f"{root}/{export_id}/files/labels.jsonl")

    assert (made.status_code, before["state"], before["files"]) == (202, "pending", [])
    assert (after["state"], after["created_by"], after["form"]) == ("done", "alice", "lines")
    assert [each["name"] for each in after["files"]] == ["labels.jsonl", "run_manifest.json"]
    assert after["manifest_sha256"] == after["files"][-1]["sha256"]
    assert [each["id"] for each in listed] == [export_id]
    raw = b"".join(file.streaming_content)  # type: ignore[attr-defined]
    assert raw == content(Export.objects.get(), "labels.jsonl")
    assert as_alice.get(f"{root}/{export_id}/files/none").status_code == 404


def test_the_api_refuses_a_form_that_there_is_not(as_alice: Client, campaign: Campaign) -> None:
    root = f"/api/v1/campaigns/{campaign.pk}/exports"

    got = as_alice.post(root, {"form": "prose"}, content_type="application/json")

    assert got.status_code == 400
    assert not Export.objects.exists()
