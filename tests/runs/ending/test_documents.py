"""The eight artifacts: every field of the contract's section 4, sealed, hashed and redacted."""

from pathlib import Path

import pytest
from django.core.exceptions import ValidationError
from django.db.models import Max

from apps.artifacts import bundles, exports, store
from apps.artifacts.canonical import canonical, sha256_hex
from apps.artifacts.models import Artifact
from apps.artifacts.verification import verify_folder
from apps.runs.models import Run
from tests.runs.conftest import (
    JUDGE,
    MakeContract,
    MakeTarget,
    MakeVersion,
    Start,
    artifact,
    drain,
    record,
    sums,
)

NAMES = {
    "run_manifest.json",
    "input_dataset.json",
    "record_validation.jsonl",
    "predictions.jsonl",
    "attempt_logs.jsonl",
    "metrics_summary.json",
    "metrics_by_slice.json",
    "failures.jsonl",
}
PERSON = "Write to Ada at ada.lovelace@example.org"
FLAKY = [{"code": "refused", "share": 0.3}, {"code": "timeout", "share": 0.2, "attempts": 1}]


@pytest.fixture
def run(
    start: Start, make_version: MakeVersion, make_target: MakeTarget, make_contract: MakeContract
) -> Run:
    """Twelve records, one rejected, one with personal data; some fail, some twice; judged."""
    records = sums(11)
    records[2]["input"] = {"prompt": 7}
    records.append(record("q_person", PERSON, answer=PERSON, metadata={"task_type": "qa"}))
    return drain(
        start(
            version=make_version(records=records),
            target=make_target(planned_errors=FLAKY, price_input=1.0, price_output=2.0, seed=4),
            contract=make_contract({"type": "exact_match", "name": "exact"}, JUDGE),
            judge=make_target("solomon", plays="judge"),
            name="nightly",
        )
    )


def test_there_are_eight_artifacts_and_the_manifest_lists_the_other_seven(run: Run) -> None:
    assert run.bundle is not None
    kept = run.bundle.artifacts

    assert set(kept.values_list("name", flat=True)) == NAMES
    listed = {each["name"]: each for each in artifact(run, "run_manifest.json")["artifacts"]}
    assert set(listed) == NAMES - {"run_manifest.json"}
    for each in kept.exclude(name="run_manifest.json"):
        assert listed[each.name]["sha256"] == each.sha256
        assert listed[each.name]["size"] == each.size
        assert sha256_hex(b"".join(store.read(each.sha256))) == each.sha256


def test_the_bundle_is_sealed_by_the_hash_of_its_manifest(run: Run) -> None:
    bundle = run.bundle
    assert bundle is not None

    assert bundle.sealed
    assert bundle.manifest_sha256 == bundle.artifacts.get(name="run_manifest.json").sha256


def test_the_manifest_says_what_ran_with_what_and_when(run: Run) -> None:
    manifest = artifact(run, "run_manifest.json")

    assert manifest["run_id"] == run.pk
    assert manifest["status"] == run.state == "completed_with_failures"
    assert manifest["schema_version"] == "1.0"
    assert (manifest["dataset_id"], manifest["dataset_version"]) == ("sums", "1")
    assert [state["state"] for state in manifest["states"]] == list(
        run.state_changes.values_list("state", flat=True)
    )
    assert all(state["at"].endswith("Z") for state in manifest["states"])
    for name in ("created_at", "started_at", "completed_at"):
        assert manifest[name].endswith("Z")
    assert manifest["plan"] == run.plan
    assert manifest["plan_sha256"] == run.plan_sha256 == sha256_hex(canonical(run.plan))


def test_the_manifest_names_models_settings_and_evaluators(run: Run) -> None:
    manifest = artifact(run, "run_manifest.json")

    models = {each["role"]: each for each in manifest["models"]}
    assert models["target"]["scripted"] is True
    assert models["target"]["settings"]["seed"] == 4
    assert models["judge"]["name"] == "solomon"
    evaluator = manifest["evaluator"]
    assert evaluator["contract_version"] == 1
    assert run.contract_version is not None
    assert evaluator["spec_sha256"] == run.contract_version.spec_sha256
    assert any(verifier.startswith("criteria_judge@1:") for verifier in evaluator["verifiers"])


def test_the_input_has_every_accepted_record_with_its_hash(run: Run) -> None:
    document = artifact(run, "input_dataset.json")

    hashes = dict(run.dataset_version.records.values_list("record_id", "sha256"))
    assert (document["dataset_id"], document["schema_version"]) == ("sums", "1.0")
    assert {row["record_id"]: row["record_sha256"] for row in document["records"]} == hashes


def test_validation_has_every_record_in_its_order(run: Run) -> None:
    rows = artifact(run, "record_validation.jsonl")

    assert [row["index"] for row in rows] == [*range(12)]
    (rejected,) = [row for row in rows if row["status"] != "accepted"]
    assert rejected["status"] == "invalid_record"
    assert rejected["errors"][0]["code"] == "invalid_field_type"
    assert rejected["errors"][0]["path"] == "records[2].input.prompt"


def test_predictions_have_answers_scores_tokens_latencies_and_moments(run: Run) -> None:
    rows = artifact(run, "predictions.jsonl")

    assert len(rows) == run.valid_records == 11
    answered = [row for row in rows if row["status"] == "completed"]
    assert len(answered) == run.results.filter(status="completed").count()
    for row in answered:
        assert row["model_response"]
        assert {score["rule"] for score in row["evaluator_scores"]} == {"exact", "judge"}
        assert row["total_tokens"] == row["input_tokens"] + row["output_tokens"]
        assert row["latency_ms"] is not None
        assert row["first_attempt_at"] <= row["last_attempt_at"]
        assert row["record_sha256"]


def test_attempts_are_all_there_with_moment_error_and_latency(run: Run) -> None:
    rows = artifact(run, "attempt_logs.jsonl")

    assert len(rows) == run.attempts.count()
    assert {row["purpose"] for row in rows} == {"target", "judge"}
    assert {"refused", "timeout", ""} == {row["error_code"] for row in rows}
    for row in rows:
        assert row["started_at"].endswith("Z")
        assert row["latency_ms"] is not None
        assert row["request_sha256"]
    retried = [row["number"] for row in rows if row["error_code"] == "timeout"]
    assert set(retried) == {1}


def test_failures_are_the_rejected_and_the_failed_with_a_label(run: Run) -> None:
    rows = artifact(run, "failures.jsonl")

    failed = run.results.exclude(status="completed").count()
    assert len(rows) == failed + 1
    (invalid,) = [row for row in rows if row["status"] == "invalid_record"]
    assert (invalid["index"], invalid["cause"]) == (2, "invalid_field_type")
    assert [row["index"] for row in rows] == sorted(row["index"] for row in rows)
    assert all(row["label"] for row in rows)


def test_the_metrics_hold_counts_rates_distributions_percentiles_and_sums(run: Run) -> None:
    summary = artifact(run, "metrics_summary.json")

    assert summary["total_records"] == 12
    assert summary["valid_records"] == 11
    assert (
        summary["evaluated_records"] + summary["failed_records"] + summary["skipped_records"] == 11
    )
    metrics = summary["metrics"]
    for name in ("pass_rate", "latency_p50", "latency_p95", "total_tokens_sum", "cost_sum"):
        assert metrics[name]["n"] > 0, name
        assert metrics[name]["point"] is not None, name
    assert metrics["pass_rate"]["low"] <= metrics["pass_rate"]["point"] <= 1
    assert metrics["score_mean"]["distribution"]


def test_the_slices_name_tags_and_task_types(run: Run) -> None:
    slices = artifact(run, "metrics_by_slice.json")["slices"]

    sizes = {
        (each["family"], each["value"]): each["metrics"]["failure_rate"]["n"] for each in slices
    }
    assert sizes["tag", "even"] + sizes["tag", "odd"] == 10
    assert sizes["task_type", "qa"] == 1


def test_personal_data_is_redacted_and_counted(run: Run) -> None:
    text = b"".join(
        b"".join(store.read(each.sha256)) for each in Artifact.objects.filter(bundle=run.bundle)
    ).decode()
    manifest = artifact(run, "run_manifest.json")

    assert "ada.lovelace" not in text
    assert "[REDACTED:" in text
    assert manifest["redactions"]["email"] >= 1
    per_file = [each["redactions"].get("email", 0) for each in manifest["artifacts"]]
    assert manifest["redactions"]["email"] == sum(per_file)


def test_verifying_finds_everything_as_it_was(run: Run) -> None:
    assert run.bundle is not None

    report = bundles.verify(run.bundle)

    assert report.ok
    assert report.records_checked == 11


def test_an_exported_folder_verifies_offline_and_shows_what_was_changed(
    run: Run, tmp_path: Path
) -> None:
    assert run.bundle is not None
    folder = tmp_path / "export"
    exports.export(run.bundle, folder)
    assert verify_folder(folder).ok

    predictions = folder / "predictions.jsonl"
    predictions.chmod(0o600)
    predictions.write_text(predictions.read_text().replace("passed", "failed", 1))

    report = verify_folder(folder)
    assert not report.ok
    assert [each.name for each in report.artifacts if each.state == "changed"] == [
        "predictions.jsonl"
    ]


def test_a_sealed_bundle_takes_no_further_word(run: Run) -> None:
    assert run.bundle is not None
    before = run.bundle.artifacts.aggregate(last=Max("pk"))

    with pytest.raises(ValidationError, match="sealed"):
        bundles.write_artifact(run.bundle, "late.txt", [b"one more thing"], tier="raw")

    assert run.bundle.artifacts.aggregate(last=Max("pk")) == before
