"""The run of the answers that came with a dataset."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.utils import timezone

from apps.accounts.models import User, Workspace
from apps.datasets.models import DatasetVersion
from apps.runs.models import ResultStatus, Run, RunState
from apps.runs.queries import counts_of
from apps.runs.recorded.recording import TARGET, recorded_run
from apps.targets.models import Target
from tests.datasets.documents import a_version
from tests.datasets.pairs import a_pair, pairs_csv, pairs_version
from tests.runs.conftest import MakeContract, Start, artifact, drain, points


@pytest.fixture
def version(workspace: Workspace) -> DatasetVersion:
    return pairs_version(workspace)


def recorded(version: DatasetVersion, by: User | None = None) -> Run:
    return recorded_run(version, by=by, now=timezone.now())


def test_each_record_has_its_answer_as_a_result(version: DatasetVersion, alice: User) -> None:
    run = recorded(version, by=alice)

    results = list(run.results.order_by("ordinal"))
    assert [result.response for result in results] == ["Yes, within 60 days."] * 3
    assert {result.status for result in results} == {ResultStatus.COMPLETED}
    assert (run.kind, run.created_by) == (Run.Kind.RECORDED, alice)


def test_it_is_finalised_and_sealed_like_any_run(version: DatasetVersion) -> None:
    run = drain(recorded(version))

    assert run.state == RunState.COMPLETED
    assert run.bundle is not None
    assert run.bundle.manifest_sha256
    assert [row["model_response"] for row in artifact(run, "predictions.jsonl")] == (
        ["Yes, within 60 days."] * 3
    )
    assert artifact(run, "run_manifest.json")["kind"] == "recorded"


def test_asking_again_gives_the_same_run(version: DatasetVersion) -> None:
    first = recorded(version)

    again = recorded(version)

    assert again.pk == first.pk
    assert Run.objects.count() == 1
    assert first.results.count() == 3


def test_two_versions_share_the_target_and_have_a_run_each(
    workspace: Workspace, version: DatasetVersion
) -> None:
    other = pairs_version(workspace, pairs_csv(a_pair(7)), "other.csv")

    runs = {recorded(version).pk, recorded(other).pk}

    assert len(runs) == 2
    assert Target.objects.filter(name=TARGET).count() == 1


def test_a_target_of_that_name_with_other_answers_is_left_alone(
    version: DatasetVersion, make_target: object
) -> None:
    make_target(TARGET)  # type: ignore[operator]

    recorded(version)

    assert Target.objects.get(name=f"{TARGET} 2").kind == "recorded"


def test_a_dataset_without_any_answer_has_no_recorded_run(workspace: Workspace) -> None:
    version = a_version(workspace)

    with pytest.raises(ValidationError, match="came with an answer"):
        recorded(version)

    assert not Run.objects.exists()


@pytest.mark.skipif(
    connection.vendor == "sqlite",
    reason="SQLite in memory locks whole tables instead of waiting",
)
@pytest.mark.django_db(transaction=True)
def test_two_who_ask_at_once_get_the_same_run(workspace: Workspace) -> None:
    version = pairs_version(workspace)

    def ask(_: int) -> str:
        try:
            return recorded(version).pk
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as people:
        found = set(people.map(ask, range(4)))

    assert len(found) == 1
    assert Run.objects.get().results.count() == 3


def test_the_denominators_add_up(version: DatasetVersion) -> None:
    run = drain(recorded(version))

    found = counts_of(run).denominators

    assert (found.total, found.valid, found.evaluated, found.failed) == (3, 3, 3, 0)
    assert found.unjudged == 3
    assert points(run)["evaluated"] == 3


def test_recorded_answers_can_be_judged_by_a_run_of_its_own(
    version: DatasetVersion, start: Start, make_contract: MakeContract
) -> None:
    recorded(version)
    contract = make_contract({"type": "contains", "name": "days", "values": ["60 days"]})

    run = drain(start(version, Target.objects.get(name=TARGET), contract))

    assert points(run)["pass_rate"] == 1.0


def test_secrets_in_answers_are_redacted_as_in_any_run(workspace: Workspace) -> None:
    leaky = a_pair(0, response="Use sk-proj-" + "a1B2" * 10)
    run = recorded(pairs_version(workspace, pairs_csv(leaky)))

    assert "a1B2a1B2" not in run.results.get().response
