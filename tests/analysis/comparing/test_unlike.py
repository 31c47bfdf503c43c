"""In what runs differ beside their answers, each in a sentence."""

from itertools import combinations
from typing import Any

from django.utils import timezone

from apps.accounts.models import Workspace
from apps.analysis.comparing import Unlike, unlike
from apps.artifacts.models import Artifact
from apps.grading.models import ContractVersion
from apps.grading.services import create_contract
from apps.grading.spec import ContractSpec
from apps.runs.models import Run, Score
from apps.targets.services import edit_target
from apps.targets.specs import OpenAIChatSpec, ScriptedSpec
from tests.datasets.pairs import pairs_version
from tests.runs import building

from .building import a_run, two_runs


def found(baseline: Run, candidate: Run) -> dict[str, Unlike]:
    return {each.what: each for each in unlike(baseline, candidate)}


def test_runs_that_differ_in_nothing_have_no_warning(workspace: Workspace) -> None:
    assert unlike(*two_runs(workspace, "+-", "-+")) == []


def test_another_version_of_the_dataset_counts_what_changed(workspace: Workspace) -> None:
    old, new = building.make_version(workspace, 3), building.make_version(workspace, 4)
    new.records.filter(ordinal=1).update(sha256="f" * 64)

    told = found(a_run(workspace, "+++", old), a_run(workspace, "++++", new))["dataset version"]

    assert (told.baseline, told.candidate) == ("tickets 1.1.0", "tickets 1.2.0")
    assert "1 of the records with the same id changed" in told.says
    assert told.is_warning


def test_another_dataset_is_said_to_be_one(workspace: Workspace) -> None:
    other = building.make_version(workspace, 2, name="letters")

    told = found(a_run(workspace, "++"), a_run(workspace, "++", other))

    assert "different datasets" in told["dataset version"].says


def test_groups_that_differ_are_a_warning(workspace: Workspace) -> None:
    old, new, moved = (building.make_version(workspace, 3) for _ in range(3))
    new.records.filter(ordinal__lt=2).update(group="one document")
    moved.records.filter(ordinal__gt=0).update(group="one document")
    runs = [a_run(workspace, "+++", version) for version in (old, new, moved)]

    told = found(runs[0], runs[1])["groups"]

    assert (told.baseline, told.candidate) == ("no groups", "2 records in 1 group")
    assert "group their records differently" in told.says
    assert told.is_warning
    assert "groups" in found(runs[1], runs[2])
    assert "groups" not in found(runs[1], a_run(workspace, "+++", new))


def test_the_same_groups_in_another_version_are_no_warning(workspace: Workspace) -> None:
    versions = [building.make_version(workspace, size) for size in (3, 4)]
    for each in versions:
        each.records.filter(ordinal__lt=2).update(group="one document")

    told = found(*(a_run(workspace, "+++", version) for version in versions))

    assert "groups" not in told


def test_another_contract_is_a_warning(workspace: Workspace) -> None:
    first = a_run(workspace, "++")
    second = a_run(
        workspace, "++", first.dataset_version, contract=building.demanding_contract(workspace)
    )

    told = found(first, second)["grading contract"]

    assert (told.baseline, told.candidate) == ("quality@1", "demanding@1")


def judged_contract(workspace: Workspace) -> ContractVersion:
    spec = ContractSpec.model_validate(
        {"rules": [{"type": "criteria_judge", "name": "kind", "default_criteria": ["overall"]}]}
    )
    made = create_contract(
        workspace=workspace, name="judged", spec=spec, by=None, now=timezone.now()
    )
    return made.versions.get()


def test_another_version_of_the_judge_is_a_warning(workspace: Workspace) -> None:
    contract = judged_contract(workspace)
    judge = building.make_target(workspace, "judge", ScriptedSpec(plays="judge"))
    first = a_run(workspace, "++", contract=contract, judges={"": judge.current})
    edit_target(target=judge, spec=ScriptedSpec(plays="judge", concurrency=2), by=None)
    judge.refresh_from_db()
    second = a_run(
        workspace, "++", first.dataset_version, contract=contract, judges={"": judge.current}
    )

    told = found(first, second)["judges"]

    assert (told.baseline, told.candidate) == ("judge v1", "judge v2")
    assert "judge v1 in the baseline and judge v2 in the candidate" in told.says


def test_a_judge_that_no_rule_asks_gave_no_score(workspace: Workspace) -> None:
    first, second = two_runs(workspace, "+-", "-+")
    building.with_judge(first, "strict judge")

    assert unlike(first, second) == []


def test_a_judge_that_rules_of_the_data_asked_gave_scores(workspace: Workspace) -> None:
    first, second = two_runs(workspace, "+-", "-+")
    for run in (first, second):
        run.plan["settings"]["data_rules"] = True
        run.save(update_fields=["plan"])
    building.with_judge(first, "strict judge")
    judged = {"rule": "kind", "method": "judge", "verdict": "pass", "value": 1.0}
    Score.objects.create(run=first, result=first.results.all()[0], source="record", **judged)

    told = found(first, second)["judges"]

    assert (told.baseline, told.candidate) == ("strict judge v1", "no judge")


def test_more_trials_and_pilots_are_told(workspace: Workspace) -> None:
    first = a_run(workspace, "+" * 12)
    second = a_run(workspace, "+" * 20, first.dataset_version, trials=2, pilot=True)

    told = found(first, second)

    assert (told["trials"].baseline, told["trials"].candidate) == ("1", "2")
    assert (told["records asked"].baseline, told["records asked"].candidate) == ("12", "10")


def test_other_targets_are_a_fact_after_the_warnings(workspace: Workspace) -> None:
    first = a_run(workspace, "++")
    target = building.make_target(workspace, "rival")
    second = a_run(workspace, "+!", first.dataset_version, target=target)

    told = unlike(first, second)

    assert [(each.what, each.is_warning) for each in told] == [
        ("how the runs ended", True),
        ("target", False),
    ]
    assert (told[1].baseline, told[1].candidate) == ("assistant v1", "rival v1")


def test_settings_of_sampling_are_a_warning_and_prompts_a_fact(workspace: Workspace) -> None:
    old: dict[str, Any] = {"base_url": "https://models.example.org/v1", "model": "m-1"}
    new = {**old, "model": "m-2", "temperature": 0.7, "seed": 4, "currency": "EUR"}
    targets = [
        building.make_target(workspace, name, OpenAIChatSpec(**spec))
        for name, spec in (("old", old), ("new", new))
    ]
    first = a_run(workspace, "++", target=targets[0])
    second = a_run(workspace, "++", first.dataset_version, target=targets[1])

    told = found(first, second)

    assert told["settings"].says == "The targets were asked with another temperature and seed."
    assert told["currency"].candidate == "EUR"
    assert told["target"].says == (
        "old v1 answered in the baseline, new v1 in the candidate: they differ in model."
    )
    assert "0.7" not in str(told)


def test_how_the_runs_ended_is_told_with_what_is_missing(workspace: Workspace) -> None:
    told = found(*two_runs(workspace, "++--", "+!//"))["how the runs ended"]

    assert told.baseline == "completed"
    assert told.candidate == "cancelled, 1 of 4 records failed, 2 of 4 records were not asked"
    assert told.says == (
        "Not every record has an answer: in the candidate 1 of 4 records failed and 2 of 4 "
        "records were not asked. What failed or was not asked is neither win nor loss."
    )


def test_of_several_trials_the_tries_without_an_answer_are_counted(workspace: Workspace) -> None:
    first = a_run(workspace, "+!+!", building.make_version(workspace, 2), trials=2)
    second = a_run(workspace, "++", first.dataset_version)

    says = found(first, second)["how the runs ended"].says

    assert "in the baseline 2 of 4 tries failed." in says


def test_a_regrade_of_the_baseline_has_the_same_answers(workspace: Workspace) -> None:
    first, second = two_runs(workspace, "+-", "-+")
    Run.objects.filter(pk=second.pk).update(kind=Run.Kind.REGRADE, parent=first)
    second.refresh_from_db()

    assert "only the grading differs" in found(first, second)["answers"].says


def test_a_regrade_of_a_regrade_has_the_same_answers(workspace: Workspace) -> None:
    first, second = two_runs(workspace, "+-", "-+")
    third = a_run(workspace, "++", first.dataset_version)
    for child, parent in ((second, first), (third, second)):
        Run.objects.filter(pk=child.pk).update(kind=Run.Kind.REGRADE, parent=parent)
    runs = [Run.objects.get(pk=each.pk) for each in (first, second, third)]

    for pair in combinations(runs, 2):
        assert "only the grading differs" in found(*pair)["answers"].says


def test_what_was_taken_over_and_what_was_recorded_is_told(workspace: Workspace) -> None:
    first, second = two_runs(workspace, "+-", "-+")
    Run.objects.filter(pk=second.pk).update(kind=Run.Kind.RETRY, parent=first)
    second.refresh_from_db()
    recorded = a_run(workspace, "+++", pairs_version(workspace))
    Run.objects.filter(pk=recorded.pk).update(kind=Run.Kind.RECORDED)
    recorded.refresh_from_db()

    assert "took over answers" in found(first, second)["answers"].says
    assert "recorded elsewhere" in found(first, recorded)["answers"].says


def test_redactions_in_one_run_alone_are_told(workspace: Workspace) -> None:
    first = building.kept_run(workspace)
    second = building.kept_run(workspace, version=first.dataset_version)
    kept = Artifact.objects.filter(bundle=second.bundle, name="predictions.jsonl")
    kept.update(redactions={"email": 2, "api_key": 1})

    told = found(first, second)["redactions"]

    assert (told.baseline, told.candidate) == ("0", "3")
