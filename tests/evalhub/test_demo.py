"""The example data: sound documents, seeded once, and runs that show what the pages can show."""

import io
import json
import stat
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest
from django.apps import apps
from django.conf import LazySettings
from django.core.management import CommandError, call_command

from apps.accounts.models import AuditEvent, User, Workspace
from apps.analysis.calibration.lines import lines_of
from apps.analysis.gates.deciding import decide
from apps.analysis.models import GateDecision
from apps.analysis.trends.offering import found_for
from apps.analysis.trends.series import series_of
from apps.analysis.trends.wanted import TrendWanted
from apps.datasets.models import Dataset, Upload
from apps.datasets.uploading import uploads
from apps.datasets.uploading.reading import Reading, read_file
from apps.grading.checks import check_thresholds
from apps.grading.spec import ContractSpec
from apps.jobs import services as jobs
from apps.labeling.desk import desks
from apps.labeling.models import Annotation, Campaign, Review
from apps.runs.models import ResultStatus, Run, RunState
from apps.runs.queries.figures import figures_of
from apps.targets import services as targets
from apps.targets.models import Target
from evalhub.demo import deciding, labelling, parties, people, seeding
from evalhub.desk import Argilla
from tests.labeling.fake_desk import FakeDesk
from tests.runs.conftest import again, drain

QUICK = {"latency_ms": 0, "max_attempts": 2}


@pytest.fixture(autouse=True)
def own_data_dir(settings: LazySettings, tmp_path: Path) -> Path:
    settings.DATA_DIR = tmp_path
    settings.FILES_DIR = tmp_path / "files"
    settings.ARGILLA = Argilla(mode="hosted")
    return tmp_path


def _seed() -> str:
    said = io.StringIO()
    call_command("demo", stdout=said)
    return said.getvalue()


def _fill(own_data_dir: Path) -> None:
    """All but the releases, which are run at once and take some seconds."""
    seeding.seed(people.workspace_with_people(own_data_dir))


def _rows() -> dict[str, int]:
    """How many rows every table has."""
    return {model._meta.label: model._default_manager.count() for model in apps.get_models()}


def _read(name: str) -> Reading:
    path = seeding.DATASETS[name]
    return read_file(path, name=path.name)


def test_the_example_document_is_without_an_error() -> None:
    reading = _read("support-desk")

    assert reading.counts["accepted"] == 240
    assert reading.counts["issues"] == 0
    assert reading.warnings == []


def test_the_other_document_shows_every_kind_of_error() -> None:
    reading = _read("returns-questions")

    assert reading.counts["accepted"] == 8
    assert reading.counts["rejected"] >= 12
    assert set(reading.counts["codes"]) == {
        "missing_required_field",
        "invalid_field_type",
        "value_out_of_range",
        "string_too_long",
        "invalid_enum_value",
        "duplicate_record_id",
        "record_too_large",
        "invalid_encoding",
        "unsupported_field",
    }


def test_every_wrong_answer_belongs_to_a_record_and_is_wrong() -> None:
    wrong = json.loads((seeding.HERE / "mistakes.json").read_text(encoding="utf-8"))
    records = json.loads(seeding.DATASETS["support-desk"].read_text(encoding="utf-8"))["records"]

    right = {record["record_id"]: record["reference"]["answer"] for record in records}

    assert all(right[record_id] != answer for record_id, answer in wrong.items())


@pytest.mark.django_db(transaction=True)
def test_a_second_seeding_changes_nothing() -> None:
    first_said, first_rows = _seed(), _rows()

    second_said, second_rows = _seed(), _rows()

    assert second_said == first_said
    assert second_rows == first_rows
    assert first_rows["runs.Run"] == 11
    assert first_rows["targets.Target"] == 8
    assert first_rows["grading.GradingContract"] == 4
    assert first_rows["datasets.DatasetVersion"] == 7
    assert first_rows["labeling.Campaign"] == 3


@pytest.mark.django_db
def test_a_seeding_that_was_cut_short_is_completed(own_data_dir: Path) -> None:
    workspace = people.workspace_with_people(own_data_dir)
    seeding.add_parts(workspace)

    _fill(own_data_dir)

    assert Upload.objects.count() == 12
    assert Run.objects.count() == 7


@pytest.mark.django_db
def test_an_upload_that_an_earlier_start_was_killed_amid_is_finished(
    own_data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(_upload: Upload, _told: object) -> NoReturn:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(uploads, "validate_now", killed)
        with pytest.raises(KeyboardInterrupt):
            _fill(own_data_dir)
    begun = Upload.objects.get()

    _fill(own_data_dir)

    assert Upload.objects.get(pk=begun.pk).version is not None
    assert Run.objects.count() == 7


@pytest.mark.django_db(transaction=True)
def test_a_gate_that_an_earlier_start_was_killed_amid_says_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def killed(run: Run, *, change_id: str, **kept: Any) -> GateDecision:
        if change_id == "1.2":
            raise KeyboardInterrupt
        return decide(run, change_id=change_id, **kept)

    with monkeypatch.context() as patched:
        patched.setattr(deciding, "decide", killed)
        with pytest.raises(KeyboardInterrupt):
            _seed()

    _seed()

    decisions = GateDecision.objects.order_by("pk").values_list("change_id", flat=True)
    assert list(decisions) == ["1.1", "1.2", "1.3"]


@pytest.mark.django_db(transaction=True)
def test_releases_that_an_earlier_start_was_killed_amid_are_made_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    start = seeding.start

    def killed(workspace: Workspace, wanted: seeding.Start) -> Run:
        if wanted.release == "1.2":
            raise KeyboardInterrupt
        return start(workspace, wanted)

    with monkeypatch.context() as patched:
        patched.setattr(seeding, "start", killed)
        with pytest.raises(KeyboardInterrupt):
            _seed()

    _seed()

    assistant = Target.objects.get(name=parties.RELEASED)
    edits = AuditEvent.objects.filter(verb="edited", object_id=assistant.pk).order_by("pk")
    assert [each.changes["version"] for each in edits] == [[1, 2], [2, 3], [3, 4]]
    assert assistant.versions.count() == len(parties.RELEASES)
    decisions = GateDecision.objects.order_by("pk").values_list("change_id", flat=True)
    assert list(decisions) == ["1.1", "1.2", "1.3"]


@pytest.mark.django_db
def test_an_example_from_before_there_were_labels_gets_them(own_data_dir: Path) -> None:
    workspace = people.workspace_with_people(own_data_dir)
    seeding.add_parts(workspace)
    for wanted in seeding.runs():
        seeding.start(workspace, wanted)

    _fill(own_data_dir)

    assert Upload.objects.filter(name__in=labelling.ABOUT_ANSWERS.values()).count() == 2
    assert Campaign.objects.filter(name=labelling.CAMPAIGN).count() == 1


@pytest.mark.django_db
def test_labels_and_campaign_that_were_cut_short_are_completed(own_data_dir: Path) -> None:
    workspace = people.workspace_with_people(own_data_dir)
    labelling.add_labels(workspace)

    labelling.seed(workspace)

    assert Upload.objects.count() == 3
    assert Annotation.objects.count() == 192
    assert set(Campaign.objects.values_list("kind", "state")) == {
        ("import", "closed"),
        ("desk", "preparing"),
    }


@pytest.mark.django_db
def test_where_nobody_can_label_there_are_labels_but_no_campaign(
    own_data_dir: Path, settings: LazySettings
) -> None:
    settings.ARGILLA = Argilla(mode="off")

    labelling.seed(people.workspace_with_people(own_data_dir))

    assert Campaign.objects.get().kind == "import"
    assert Annotation.objects.count() == 192


@pytest.mark.django_db(transaction=True)
def test_the_labels_of_the_example_have_figures_and_leave_something_to_decide(
    own_data_dir: Path,
) -> None:
    workspace = people.workspace_with_people(own_data_dir)
    labelling.seed(workspace)

    imported, asked = Campaign.objects.order_by("pk")

    with desks.use(FakeDesk()):
        _work_until(lambda: bool(lines_of(imported)) and again(asked).asks)

    asked = again(asked)
    [judge] = [line.numbers for line in lines_of(imported) if line.is_calibrated]
    assert (asked.state, asked.items.count()) == (Campaign.State.OPEN, 20)
    assert {"agreement", "people", "consensus"} <= set(
        imported.reports.values_list("kind", flat=True)
    )
    assert judge.raw.point
    assert judge.corrected.point
    assert judge.raw.point > judge.corrected.point
    assert set(Review.objects.values_list("reason", "item__campaign")) == {
        ("tie", imported.pk),
        ("judge", imported.pk),
    }


@pytest.mark.django_db(transaction=True)
def test_a_gate_has_said_each_of_its_answers() -> None:
    _seed()

    decisions = GateDecision.objects.order_by("pk").values_list("change_id", "answer")

    assert list(decisions) == [
        ("1.1", "inconclusive"),
        ("1.2", "pass"),
        ("1.3", "fail"),
    ]


@pytest.mark.django_db(transaction=True)
def test_the_releases_are_versions_of_one_target_and_have_a_trend() -> None:
    _seed()

    assistant = Target.objects.get(name=parties.RELEASED)
    alice = User.objects.get(username="alice")
    desk = Dataset.objects.get(name=seeding.DESK)
    wanted = TrendWanted(dataset=desk.pk, target=assistant.pk, metric="pass_rate")
    found = found_for(alice, assistant.workspace, wanted)
    series = series_of(found, metric="pass_rate", slice_="")
    assert [point.run.name for point in series.points] == [
        f"Support desk, assistant {release}" for release in parties.RELEASES
    ]
    assert [point.target.number for point in series.points] == [1, 2, 3, 4]
    assert series.parts == ()
    assert series.trend.slope.point is not None


@pytest.mark.django_db
def test_the_printed_passwords_are_those_of_the_people() -> None:
    said = _seed()

    for line in said.splitlines()[1:]:
        name, password = line.split()[:2]
        assert User.objects.get(username=name).check_password(password)
    assert len(said.splitlines()) == 4


@pytest.mark.django_db
def test_roles_are_as_told_and_only_ada_administers(own_data_dir: Path) -> None:
    _fill(own_data_dir)

    roles = dict(Workspace.objects.get().memberships.values_list("user__username", "role"))

    assert roles == {"ada": "admin", "alice": "lead", "bob": "reviewer"}
    assert list(User.objects.filter(is_staff=True).values_list("username", flat=True)) == ["ada"]


@pytest.mark.django_db
def test_passwords_are_kept_for_the_owner_of_the_directory_alone(own_data_dir: Path) -> None:
    _fill(own_data_dir)

    mode = (own_data_dir / "demo-sign-ins.json").stat().st_mode

    assert stat.S_IMODE(mode) == 0o600


@pytest.mark.django_db
def test_two_directories_have_different_passwords(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "other").mkdir()

    one = people._new_passwords(tmp_path / "one")
    other = people._new_passwords(tmp_path / "other")

    assert not set(one.values()) & set(other.values())


@pytest.mark.django_db
def test_among_real_people_it_is_refused(charlie: User) -> None:
    before = _rows()

    with pytest.raises(CommandError, match="There are people here already"):
        _seed()

    assert _rows() == before


@pytest.mark.django_db
def test_the_slow_run_takes_about_twenty_minutes(own_data_dir: Path) -> None:
    _fill(own_data_dir)
    run = Run.objects.latest("pk")

    minutes = run.planned / parties.CALLS_A_MINUTE

    assert minutes == 20
    assert run.targets.get(role="target").target_version.target.name == parties.SLOW_ASSISTANT


@pytest.mark.django_db(transaction=True)
def test_the_judged_run_ends_with_planned_failures_and_telling_checks(own_data_dir: Path) -> None:
    workspace = people.workspace_with_people(own_data_dir)
    seeding.add_parts(workspace)
    _hurry(parties.ASSISTANT, parties.JUDGE)

    wanted = seeding.Start(parties.ASSISTANT, parties.JUDGED, "quick")

    run = drain(seeding.start(workspace, wanted), seconds=90)

    causes = Counter(run.results.values_list("status", "cause"))
    spec = ContractSpec.model_validate_json(run.contract_version.spec)  # type: ignore[union-attr]
    checks = check_thresholds(spec.thresholds, figures_of(run).metrics)
    assert run.state == RunState.COMPLETED_WITH_FAILURES
    assert causes[ResultStatus.COMPLETED, ""] > 220
    assert causes[ResultStatus.EVALUATION_ERROR, "service_unavailable"] > 0
    assert causes[ResultStatus.EVALUATION_ERROR, "refused"] > 0
    assert run.attempts.filter(error_code="rate_limited").exists()
    assert run.scores.filter(method="judge", value__isnull=False).exists()
    assert len({check.verdict for check in checks}) > 1


@pytest.mark.django_db(transaction=True)
def test_the_legal_example_is_judged_by_task_type_and_the_cases_by_their_own_rules(
    own_data_dir: Path,
) -> None:
    workspace = people.workspace_with_people(own_data_dir)
    seeding.add_parts(workspace)
    _hurry(parties.EXAMPLES_ASSISTANT, parties.JUDGE)
    legal, cases = (each for each in seeding.runs() if each.dataset != seeding.DESK)

    by_task = drain(seeding.start(workspace, legal), seconds=60)
    by_data = drain(seeding.start(workspace, cases), seconds=60)

    assert by_task.scores.filter(rule="multiple_choice", value=1).count() == 1
    assert by_task.scores.filter(method="judge", value__isnull=False).count() == 2
    assert set(by_task.scores.values_list("source", flat=True)) == {"contract"}
    assert set(by_data.scores.values_list("source", flat=True)) == {"record"}
    assert by_data.results.filter(verdict__in=["passed", "failed"]).count() == 3


@pytest.mark.django_db(transaction=True)
def test_some_of_ten_questions_are_answered_right_in_some_of_three_tries(
    own_data_dir: Path,
) -> None:
    workspace = people.workspace_with_people(own_data_dir)
    seeding.add_parts(workspace)
    _hurry(parties.WAVERING_ASSISTANT)
    wanted = next(each for each in seeding.runs() if each.trials > 1)

    run = drain(seeding.start(workspace, wanted), seconds=60)

    passed = Counter(run.results.filter(verdict="passed").values_list("ordinal", flat=True))
    assert run.results.count() == 30
    assert any(0 < count < 3 for count in passed.values())


def _work_until(done: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds

    def ended() -> bool:
        assert time.monotonic() < deadline, f"not within {seconds} seconds"
        return done()

    jobs.work_here(ended)


def _hurry(*names: str) -> None:
    """Take the waits out of scripted targets."""
    for target in Target.objects.filter(name__in=names):
        spec = target.current.parsed.model_copy(update=QUICK)
        targets.edit_target(target=target, spec=spec, by=None)
