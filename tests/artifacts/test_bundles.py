"""Bundles: written once, sealed once."""

import json
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from apps.accounts.models import User
from apps.artifacts import bundles, store
from apps.artifacts.canonical import sha256_hex
from apps.artifacts.models import Artifact, Blob, Bundle, Tier

from .conftest import NOW, stored_files, waiting_files


def _write(bundle: Bundle, content: bytes = b"{}\n", name: str = "predictions.jsonl") -> Artifact:
    return bundles.write_artifact(bundle, name, [content], tier=Tier.RAW, rows=1)


def _manifest(bundle: Bundle) -> dict[str, object]:
    assert bundle.manifest_sha256
    found = json.loads(b"".join(store.read(bundle.manifest_sha256)))
    assert isinstance(found, dict)
    return found


def test_an_artifact_knows_its_hash_size_rows_and_type(bundle: Bundle) -> None:
    artifact = bundles.write_artifact(
        bundle, "predictions.jsonl", [b"{}", b"\n"], tier="raw", rows=1, redactions={"email": 2}
    )

    assert artifact.sha256 == artifact.blob_id == sha256_hex(b"{}\n")
    assert (artifact.size, artifact.rows, artifact.redactions) == (3, 1, {"email": 2})
    assert (artifact.tier, artifact.media_type) == (Tier.RAW, "application/x-ndjson")


def test_rows_and_redactions_may_be_counted_while_the_file_is_written(bundle: Bundle) -> None:
    counts: Counter[str] = Counter()

    def chunks() -> Iterator[bytes]:
        for _ in range(3):
            counts["email"] += 1
            yield b"{}\n"

    artifact = bundles.write_artifact(
        bundle, "rows.jsonl", chunks(), tier="raw", rows=lambda: counts["email"], redactions=counts
    )

    assert (artifact.rows, artifact.redactions) == (3, {"email": 3})


def test_writing_the_same_bytes_again_changes_nothing(bundle: Bundle) -> None:
    first = _write(bundle)

    second = _write(bundle)

    assert second.pk == first.pk
    assert Artifact.objects.count() == Blob.objects.count() == 1


def test_other_bytes_for_the_same_name_are_refused_and_not_kept(bundle: Bundle) -> None:
    first = _write(bundle)

    with pytest.raises(ValidationError, match=r"predictions\.jsonl .* written once"):
        _write(bundle, b"other\n")

    assert [file.name for file in stored_files()] == [first.sha256]
    assert waiting_files() == []


def test_an_open_bundle_may_be_superseded_on_request(bundle: Bundle) -> None:
    first = _write(bundle)

    second = bundles.write_artifact(bundle, first.name, [b"other\n"], tier=Tier.RAW, supersede=True)

    assert second.pk == first.pk
    assert bundle.artifacts.get().sha256 == sha256_hex(b"other\n")


@pytest.mark.parametrize("name", ["predictions.jsonl", "new.jsonl"])
def test_a_sealed_bundle_takes_nothing_more(bundle: Bundle, name: str) -> None:
    _write(bundle)
    bundles.seal(bundle, {"run_id": "run_1"}, NOW)

    with pytest.raises(ValidationError, match="is sealed"):
        bundles.write_artifact(bundle, name, [b"other\n"], tier=Tier.RAW, supersede=True)


def test_the_same_bytes_into_a_sealed_bundle_change_nothing(bundle: Bundle) -> None:
    first = _write(bundle)
    bundles.seal(bundle, {}, NOW)

    assert _write(bundle).pk == first.pk


@pytest.mark.parametrize("name", ["../x", ".hidden", "a/b", "", "x" * 101, "run_manifest.json"])
def test_a_name_that_is_no_plain_file_name_is_refused(bundle: Bundle, name: str) -> None:
    with pytest.raises(ValueError, match="cannot be the name"):
        _write(bundle, name=name)


def test_the_manifest_lists_every_artifact_and_the_redactions_in_all(bundle: Bundle) -> None:
    one = bundles.write_artifact(bundle, "a.json", [b"1"], tier="raw", redactions={"email": 2})
    bundles.write_artifact(
        bundle, "b.json", [b"2"], tier="summary", redactions={"email": 1, "phone": 4}
    )

    sealed = bundles.seal(bundle, {"run_id": "run_1"}, NOW)

    manifest = _manifest(sealed)
    assert manifest["run_id"] == "run_1"
    assert manifest["redactions"] == {"email": 3, "phone": 4}
    listed = manifest["artifacts"]
    assert isinstance(listed, list)
    assert [entry["name"] for entry in listed] == ["a.json", "b.json"]
    assert listed[0] == {
        "name": "a.json",
        "sha256": one.sha256,
        "size": 1,
        "rows": None,
        "tier": "raw",
        "redactions": {"email": 2},
    }


def test_the_manifest_is_an_artifact_with_the_hash_that_seals_the_bundle(bundle: Bundle) -> None:
    _write(bundle)

    sealed = bundles.seal(bundle, {}, NOW)

    manifest = sealed.artifacts.get(name="run_manifest.json")
    assert manifest.sha256 == sealed.manifest_sha256
    assert manifest.tier == Tier.SUMMARY
    assert sealed.sealed_at == NOW


def test_sealing_starts_both_retention_times(bundle: Bundle) -> None:
    sealed = bundles.seal(bundle, {}, NOW)

    assert sealed.raw_until == NOW + timedelta(days=30)
    assert sealed.summary_until == NOW + timedelta(days=180)


def test_sealing_again_with_the_same_manifest_changes_nothing(bundle: Bundle) -> None:
    _write(bundle)
    first = bundles.seal(bundle, {"run_id": "run_1"}, NOW)

    second = bundles.seal(bundle, {"run_id": "run_1"}, NOW + timedelta(hours=1))

    assert second.sealed_at == first.sealed_at == NOW
    assert second.manifest_sha256 == first.manifest_sha256


def test_sealing_again_with_another_manifest_is_refused(bundle: Bundle) -> None:
    bundles.seal(bundle, {"run_id": "run_1"}, NOW)

    with pytest.raises(ValidationError, match="another manifest"):
        bundles.seal(bundle, {"run_id": "run_2"}, NOW)


@pytest.mark.parametrize("key", ["artifacts", "redactions"])
def test_a_manifest_may_not_say_what_sealing_says(bundle: Bundle, key: str) -> None:
    with pytest.raises(ValueError, match=key):
        bundles.seal(bundle, {key: []}, NOW)


def test_a_manifest_with_nan_is_refused_and_the_bundle_stays_open(bundle: Bundle) -> None:
    with pytest.raises(ValueError, match="JSON"):
        bundles.seal(bundle, {"score": float("nan")}, NOW)

    bundle.refresh_from_db()
    assert not bundle.sealed


def test_the_database_refuses_a_seal_without_a_manifest(bundle: Bundle) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        Bundle.objects.filter(pk=bundle.pk).update(sealed_at=NOW)


def test_members_see_their_bundles_and_a_stranger_none(
    bundle: Bundle, bob: User, charlie: User
) -> None:
    artifact = _write(bundle)

    assert list(Bundle.objects.visible_to(bob)) == [bundle]
    assert list(Artifact.objects.visible_to(bob)) == [artifact]
    assert not Bundle.objects.visible_to(charlie).exists()
    assert not Artifact.objects.visible_to(charlie).exists()
