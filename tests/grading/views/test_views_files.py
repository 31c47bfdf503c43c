"""Contracts over HTTP as texts: compared, exported, imported."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from apps.accounts.models import Workspace
from apps.grading import services
from apps.grading.documents import write_yaml
from apps.grading.models import GradingContract
from apps.grading.rules import ExactMatch
from apps.grading.spec import ContractSpec
from apps.grading.starters import starter_spec

from .pages import LIST, lock, made, page, save


def test_the_diff_shows_what_a_version_changed(as_alice: Client, contract: GradingContract) -> None:
    lock(contract)
    changed = write_yaml(starter_spec("exact")).replace("ignore_case: true", "ignore_case: false")
    save(as_alice, contract, changed)

    latest = page(as_alice, f"{LIST}{contract.pk}/diff/")
    first = page(as_alice, f"{LIST}{contract.pk}/diff/?version=1")

    assert "<del>-   ignore_case: true</del>" in latest
    assert "<ins>+   ignore_case: false</ins>" in latest
    assert "This is the first version" in first


def test_any_two_versions_are_compared_rule_by_rule(
    as_alice: Client, contract: GradingContract
) -> None:
    for threshold in (0.9, 0.5):
        lock(contract)
        spec = ContractSpec(rules=(ExactMatch(name="exact", threshold=threshold),))
        services.save_version(contract=contract, spec=spec, by=None, now=timezone.now())

    chosen = page(as_alice, f"{LIST}{contract.pk}/diff/?from=1&version=3")
    back = page(as_alice, f"{LIST}{contract.pk}/diff/?from=3&version=2")

    assert "Compared with version 1." in chosen
    assert "now: </span>0.5</ins>" in chosen
    assert "latency" in chosen
    assert "Removed" in chosen
    assert "before: </span>0.5</del>" in back
    assert "now: </span>0.9</ins>" in back


def test_the_page_says_whose_rules_count(as_alice: Client, contract: GradingContract) -> None:
    shown = page(as_alice, f"{LIST}{contract.pk}/")

    assert "the record&#x27;s counts before the dataset&#x27;s" in shown
    assert "An answer passes when no blocking rule is below its threshold." in shown


def test_an_export_is_imported_as_the_same_contract(
    as_alice: Client, contract: GradingContract
) -> None:
    exported = as_alice.get(f"{LIST}{contract.pk}/export.yaml")
    file = SimpleUploadedFile("quality.yaml", b"\xef\xbb\xbf" + exported.content)

    answer = as_alice.post(f"{LIST}import/", {"file": file}, follow=True)

    assert exported["Content-Disposition"] == 'attachment; filename="quality@1.yaml"'
    assert exported["Content-Type"].startswith("application/yaml")
    assert "quality@1 is here." in answer.content.decode()
    assert contract.versions.count() == 1


def test_a_hostile_name_makes_a_harmless_file_name(as_alice: Client, workspace: Workspace) -> None:
    contract = made(workspace, 'a"; filename=evil.exe ../é')

    answer = as_alice.get(f"{LIST}{contract.pk}/export.yaml")

    assert answer["Content-Disposition"].startswith("attachment; filename*=utf-8''a%22")


def test_json_is_imported_under_a_name(as_alice: Client, workspace: Workspace) -> None:
    text = '{"rules": [{"type": "exact_match", "name": "exact"}]}'

    nameless = as_alice.post(f"{LIST}import/", {"text": text})
    named = as_alice.post(f"{LIST}import/", {"text": text, "name": "mine"}, follow=True)

    assert "Give the contract a name." in nameless.content.decode()
    assert "mine@1 is here." in named.content.decode()
    assert workspace.contracts.get().name == "mine"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"\xff\xfe\x00", "This file is not text in UTF-8."),
        (b"x" * 2_000_001, "at most 500,000 characters"),
        (b"", "The submitted file is empty."),
    ],
)
def test_a_file_that_cannot_be_read_gets_a_sentence(
    as_alice: Client, content: bytes, sentence: str
) -> None:
    file = SimpleUploadedFile("contract.yaml", content)

    answer = as_alice.post(f"{LIST}import/", {"file": file})

    assert answer.status_code == 200
    assert sentence in answer.content.decode()


def test_the_page_to_import_begins_without_an_error(as_alice: Client) -> None:
    shown = page(as_alice, f"{LIST}import/")

    assert "field-errors" not in shown
    assert "Choose a file or paste" not in shown


def test_nothing_to_import_is_said(as_alice: Client) -> None:
    answer = as_alice.post(f"{LIST}import/", {})

    assert "Choose a file or paste the text of a contract." in answer.content.decode()
