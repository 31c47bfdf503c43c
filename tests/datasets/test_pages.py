"""Pages of datasets over HTTP: the list, a version, its records, and what none of them shows."""

import re
from html import unescape

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from apps.accounts.models import User, Workspace
from apps.datasets.contracts import Options
from apps.datasets.exporting import writing as exporting
from apps.datasets.sight import Sight
from tests.datasets.bundles import address
from tests.datasets.documents import a_version, accepted, bad_record, document, record

from .pages import HOSTILE, streamed, text_of

MOST_QUERIES = 13


@pytest.fixture(autouse=True)
def signed_in(client: Client, alice: User) -> None:
    client.force_login(alice)


# -- the list -------------------------------------------------------------------------------


def test_an_empty_list_teaches_the_next_step(client: Client, workspace: Workspace) -> None:
    text = text_of(client.get(address("list")))

    assert "No datasets yet" in text
    assert "Download a template" in text


def test_a_reviewer_is_offered_nothing_to_upload(client: Client, bob: User) -> None:
    client.force_login(bob)

    content = client.get(address("list")).content.decode()

    assert address("upload") not in content


def test_the_list_shows_counts_and_the_newest_on_top(client: Client, workspace: Workspace) -> None:
    a_version(workspace, document(dataset_id="old"))
    a_version(workspace, document(dataset_id="new"))
    a_version(workspace, document(record(1), dataset_id="old", dataset_version="2"))

    text = text_of(client.get(address("list")))

    assert text.index("old 2 1 2") < text.index("new 1 3 1")


def test_the_list_is_searched_and_shows_the_archived_apart(
    client: Client, workspace: Workspace
) -> None:
    a_version(workspace, document(dataset_id="support"))
    gone = a_version(workspace, document(dataset_id="sales")).dataset
    client.post(address("archive", gone.pk))

    assert "support" in text_of(client.get(f"{address('list')}?q=UPP"))
    listed = client.get(address("list")).context["page"].items
    archived = client.get(f"{address('list')}?archived=yes").context["page"].items
    assert [dataset.name for dataset in listed] == ["support"]
    assert [dataset.name for dataset in archived] == ["sales"]
    assert "No dataset found" in text_of(client.get(f"{address('list')}?q=nothing"))


def test_the_list_pages_by_key_and_htmx_gets_the_fragment(
    client: Client, workspace: Workspace
) -> None:
    for number in range(52):
        a_version(workspace, document(record(0), dataset_id=f"set-{number}"))

    first = client.get(address("list"), headers={"HX-Request": "true"})
    older = first.context["page"].older
    second = client.get(address("list"), {"cursor": older})

    assert first.content.decode().strip().startswith('<div id="datasets"')
    assert [row.name for row in second.context["page"].items] == ["set-1", "set-0"]


# -- versions and records -------------------------------------------------------------------


def test_a_dataset_lists_its_versions(client: Client, workspace: Workspace) -> None:
    first = a_version(workspace)
    a_version(workspace, document(record(0), bad_record(1), dataset_version="2"))

    text = text_of(client.get(address("detail", first.dataset_id)))

    assert text.index("2 1 1 contract_v1") < text.index("1 3 0 contract_v1")


def test_archiving_and_restoring_answer_with_the_dataset(
    client: Client, workspace: Workspace
) -> None:
    dataset = a_version(workspace).dataset

    archived = client.post(address("archive", dataset.pk), follow=True)
    restored = client.post(address("restore", dataset.pk), follow=True)

    assert "qa is archived: find it under Archived." in text_of(archived)
    assert "qa is back in the list." in text_of(restored)
    dataset.refresh_from_db()
    assert dataset.archived_at is None


def test_records_are_filtered_by_slices_and_text(client: Client, workspace: Workspace) -> None:
    version = address("version", a_version(workspace).pk)

    def found(query: str) -> list[int]:
        rows = client.get(version + query).context["rows"]
        return [row["record"].ordinal for row in rows]

    assert found("") == [0, 1, 2]
    assert found("?facet=tag%3Deven") == [0, 2]
    assert found("?facet=tag%3Deven&q=q_0002") == [2]
    assert "No record found" in text_of(client.get(f"{version}?q=zzz"))


def test_slices_with_odd_names_still_filter(client: Client, workspace: Workspace) -> None:
    odd = record(0, tags=['a&b="c"'], metadata={"k=v": "x=y"})
    version = a_version(workspace, document(odd, record(1)))

    page = client.get(address("version", version.pk))
    links = re.findall(r'class="chip" href="([^"]+)"', page.content.decode())

    for link in map(unescape, links):
        rows = client.get(link).context["rows"]
        assert rows, link
    assert sum("k%3Dv%3Dx%3Dy" in link for link in links) == 1


def test_a_record_is_a_page_and_a_fragment_with_neighbours(
    client: Client, workspace: Workspace
) -> None:
    version = a_version(workspace, document(*[record(number) for number in range(5)]))
    query = "?facet=tag%3Deven"

    page = client.get(address("record", version.pk, 2) + query)
    fragment = client.get(address("record", version.pk, 2), headers={"HX-Request": "true"})

    assert page.context["previous"] == address("record", version.pk, 0) + query
    assert page.context["next"] == address("record", version.pk, 4) + query
    assert fragment.content.decode().strip().startswith("<article")
    assert "Overfitting is when…" in text_of(page)
    assert client.get(address("record", version.pk, 99)).status_code == 404
    assert client.get(address("record", version.pk, 10**30)).status_code == 404


def test_a_record_shows_everything_that_it_holds(client: Client, workspace: Workspace) -> None:
    rich = record(
        0,
        input={"prompt": HOSTILE, "context": ["first"]},
        reference={"answer": "yes", "sources": ["book"]},
        expected={"max_latency_ms": 2000, "required_criteria": ["accuracy"]},
        metadata={"language": "en"},
    )
    version = a_version(workspace, document(rich))

    answer = client.get(address("record", version.pk, 0))

    text = text_of(answer)
    for shown in (HOSTILE, '"context"', '"sources"', "2.00 s", "accuracy", '"language": "en"'):
        assert shown in text
    assert HOSTILE.encode() not in answer.content


def test_a_version_is_downloaded_as_a_document_that_is_accepted_again(
    client: Client, workspace: Workspace
) -> None:
    version = a_version(workspace, document(record(0), bad_record(1), record(2)))

    answer = client.get(address("version-download", version.pk))
    content = streamed(answer).encode()
    again = accepted(workspace, content, options=Options(dataset_name="again")).version

    assert answer["Content-Type"] == "application/json"
    assert again is not None
    assert again.records_sha256 == version.records_sha256


def test_a_workspace_that_redacts_shows_no_personal_data(
    client: Client, workspace: Workspace
) -> None:
    workspace.redacts_personal_data = True
    workspace.save()
    told = record(0, input={"prompt": "Write to alice.smith@example.com today"})
    upload = accepted(workspace, document(told, record(1, tags=["alice.smith@example.com", 5])))
    version = upload.version
    assert version is not None

    pages = [
        client.get(address("report", upload.pk)),
        client.get(address("version", version.pk)),
        client.get(address("record", version.pk, 0)),
    ]
    document_of = b"".join(exporting.export(version, "contract_v1", Sight(workspace)).pieces)

    for page in pages:
        assert b"alice.smith" not in page.content
    assert b"alice.smith" not in document_of
    assert b"[REDACTED:" in document_of


def test_hostile_names_are_only_text(client: Client, workspace: Workspace) -> None:
    hostile = record(0, record_id=HOSTILE, tags=[HOSTILE], input={"prompt": HOSTILE})
    content = document(hostile, dataset_version=HOSTILE, metadata={"owner": HOSTILE})
    upload = accepted(workspace, content, options=Options(dataset_name=HOSTILE))
    version = upload.version
    assert version is not None

    for page in (
        address("list"),
        address("detail", version.dataset_id),
        address("version", version.pk),
        address("record", version.pk, 0),
        address("report", upload.pk),
    ):
        answer = client.get(page)
        assert HOSTILE in text_of(answer), page
        assert HOSTILE.encode() not in answer.content, page


@pytest.mark.parametrize("page", ["list", "detail", "version", "filtered", "record", "report"])
def test_no_page_takes_more_than_thirteen_queries(
    client: Client,
    workspace: Workspace,
    page: str,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    records = [record(number, metadata={"n": number}) for number in range(120)]
    upload = accepted(workspace, document(*records, bad_record(500)))
    version = upload.version
    assert version is not None
    pages = {
        "list": address("list"),
        "detail": address("detail", version.dataset_id),
        "version": address("version", version.pk),
        "filtered": address("version", version.pk) + "?facet=tag%3Dml&facet=tag%3Dodd&q=q_",
        "record": address("record", version.pk, 7),
        "report": address("report", upload.pk),
    }

    with django_assert_max_num_queries(MOST_QUERIES):
        answer = client.get(pages[page])

    assert answer.status_code == 200
