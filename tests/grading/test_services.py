"""Contracts in the database: drafts are edited, locked versions stay as they are."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError

from apps.accounts.models import AuditEvent, User, Workspace
from apps.grading import queries, services
from apps.grading.models import ContractVersion, GradingContract
from apps.grading.rules import ExactMatch, Regex
from apps.grading.spec import ContractSpec
from apps.grading.starters import starter_spec

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)
FIRST = ContractSpec(rules=(ExactMatch(name="exact"),))
SECOND = ContractSpec(rules=(ExactMatch(name="exact", ignore_case=True),))


@pytest.fixture
def contract(workspace: Workspace, alice: User) -> GradingContract:
    return create(workspace, alice)


def create(workspace: Workspace, by: User, **options: Any) -> GradingContract:
    return services.create_contract(
        **{
            "workspace": workspace,
            "name": "quality",
            "spec": FIRST,
            "by": by,
            "now": NOW,
            **options,
        }
    )


def save(contract: GradingContract, spec: ContractSpec, by: User) -> ContractVersion:
    return services.save_version(contract=contract, spec=spec, by=by, now=LATER)


def test_a_new_contract_has_a_draft(contract: GradingContract, alice: User) -> None:
    version = contract.versions.get()

    assert (version.number, version.locked_at, version.created_by) == (1, None, alice)
    assert (version.parsed, version.spec_sha256) == (FIRST, FIRST.sha256)
    assert (contract.pk[:3], version.pk[:4]) == ("gc_", "gcv_")


def test_saving_edits_the_draft_in_place(contract: GradingContract, alice: User) -> None:
    saved = save(contract, SECOND, alice)

    assert contract.versions.get() == saved
    assert (saved.number, saved.parsed, saved.spec_sha256) == (1, SECOND, SECOND.sha256)
    assert saved.created_at == LATER


def test_saving_after_a_lock_adds_the_next_version_and_keeps_the_locked_one(
    contract: GradingContract, alice: User
) -> None:
    locked = services.lock_version(version=contract.versions.get(), now=NOW)

    saved = save(contract, SECOND, alice)

    locked.refresh_from_db()
    assert (saved.number, saved.parsed, saved.locked_at) == (2, SECOND, None)
    assert (locked.number, locked.parsed, locked.locked_at) == (1, FIRST, NOW)


@pytest.mark.parametrize("lock_first", [True, False])
def test_saving_what_is_there_already_changes_nothing(
    contract: GradingContract, alice: User, lock_first: bool
) -> None:
    version = contract.versions.get()
    if lock_first:
        version = services.lock_version(version=version, now=NOW)

    saved = save(contract, FIRST, alice)

    assert saved == contract.versions.get()
    assert (saved.created_at, saved.locked_at) == (NOW, version.locked_at)


def test_locking_twice_keeps_the_first_moment(contract: GradingContract) -> None:
    version = contract.versions.get()

    services.lock_version(version=version, now=NOW)
    again = services.lock_version(version=version, now=LATER)

    assert again.locked_at == NOW


def test_locking_answers_with_what_was_locked_not_with_what_was_read_before(
    contract: GradingContract, alice: User
) -> None:
    read_before = contract.versions.get()
    save(contract, SECOND, alice)

    locked = services.lock_version(version=read_before, now=LATER)

    assert (read_before.parsed, locked.parsed) == (FIRST, SECOND)


def test_a_locked_version_refuses_to_be_saved(contract: GradingContract) -> None:
    locked = services.lock_version(version=contract.versions.get(), now=NOW)
    locked.spec = SECOND.canonical.decode()

    with pytest.raises(TypeError, match="quality@1 is locked"):
        locked.save()

    locked.refresh_from_db()
    assert locked.parsed == FIRST


def test_the_database_holds_one_draft_per_contract(contract: GradingContract) -> None:
    with pytest.raises(IntegrityError):
        ContractVersion.objects.create(contract=contract, number=2, spec="", spec_sha256="")


def test_a_name_is_taken_once_in_a_workspace_and_free_in_another(
    contract: GradingContract, workspace: Workspace, alice: User
) -> None:
    elsewhere = Workspace.objects.create(slug="other", name="Other")

    with pytest.raises(ValidationError, match="already a contract named 'quality'"):
        create(workspace, alice, name=" quality ")

    assert create(elsewhere, alice).name == contract.name


@pytest.mark.parametrize("name", ["", "  ", "x" * 121, "a\x00b", "a\u202eb"])
def test_a_name_that_nobody_could_read_is_refused(
    workspace: Workspace, alice: User, name: str
) -> None:
    with pytest.raises(ValidationError):
        create(workspace, alice, name=name)

    assert not GradingContract.objects.exists()


def test_an_archived_contract_is_restored_before_it_changes(
    contract: GradingContract, workspace: Workspace, alice: User
) -> None:
    services.archive_contract(contract=contract, by=alice, now=NOW)

    with pytest.raises(ValidationError, match="Restore it before"):
        save(contract, SECOND, alice)
    assert queries.contract_list(workspace) == []
    assert [row.name for row in queries.contract_list(workspace, archived=True)] == ["quality"]

    services.restore_contract(contract=contract, by=alice)

    assert save(contract, SECOND, alice).parsed == SECOND
    assert [row.name for row in queries.contract_list(workspace)] == ["quality"]


def test_archiving_twice_keeps_the_first_moment_and_is_noted_once(
    contract: GradingContract, alice: User
) -> None:
    services.archive_contract(contract=contract, by=alice, now=NOW)
    services.archive_contract(contract=contract, by=alice, now=LATER)

    contract.refresh_from_db()
    assert contract.archived_at == NOW
    assert AuditEvent.objects.filter(verb="contract.archived").count() == 1


def test_every_change_leaves_an_audit_event(contract: GradingContract, alice: User) -> None:
    services.save_version(
        contract=contract, spec=SECOND, by=alice, now=NOW, via="api", request_id="r-1"
    )

    created, saved = AuditEvent.objects.order_by("pk")
    assert (created.verb, created.object_id, created.actor) == (
        "contract.created",
        contract.pk,
        alice,
    )
    assert (saved.verb, saved.via, saved.request_id) == ("contract.saved", "api", "r-1")
    assert saved.changes == {"spec_sha256": [FIRST.sha256, SECOND.sha256]}


def test_strangers_see_no_contract_and_no_version(
    contract: GradingContract, alice: User, bob: User, charlie: User
) -> None:
    for member in (alice, bob):
        assert list(GradingContract.objects.visible_to(member)) == [contract]
        assert ContractVersion.objects.visible_to(member).count() == 1
    assert not GradingContract.objects.visible_to(charlie).exists()
    assert not ContractVersion.objects.visible_to(charlie).exists()


def test_a_problem_in_a_spec_is_a_validation_error_with_sentences() -> None:
    with pytest.raises(ValidationError) as caught:
        services.parse_spec({"rules": [{"type": "regex", "name": "r"}], "rulez": []})

    assert caught.value.messages == [
        "rules[0] (r).pattern: is required.",
        "rulez: is not known here; check the spelling or remove it.",
    ]


def test_an_exported_contract_is_imported_elsewhere_with_the_same_hash(
    contract: GradingContract, alice: User
) -> None:
    elsewhere = Workspace.objects.create(slug="other", name="Other")
    text = queries.export_yaml(contract.versions.get())

    version = services.import_contract(workspace=elsewhere, text=text, by=alice, now=NOW)

    assert (version.contract.workspace, version.contract.name) == (elsewhere, "quality")
    assert version.spec_sha256 == FIRST.sha256


def test_importing_a_known_name_saves_its_next_version(
    contract: GradingContract, workspace: Workspace, alice: User
) -> None:
    services.lock_version(version=contract.versions.get(), now=NOW)
    text = "name: ignored\nrules: [{type: regex, name: r, pattern: a}]"

    version = services.import_contract(
        workspace=workspace, text=text, name="quality", by=alice, now=LATER
    )

    assert (version.contract, version.number) == (contract, 2)
    assert version.parsed == ContractSpec(rules=(Regex(name="r", pattern="a"),))


def test_an_import_replaces_a_draft_only_where_it_is_told_to(
    contract: GradingContract, workspace: Workspace, alice: User
) -> None:
    text = "name: quality\nrules: [{type: regex, name: r, pattern: a}]"
    origin = {"workspace": workspace, "text": text, "by": alice, "now": LATER}

    with pytest.raises(services.DraftStands, match="it would be lost"):
        services.import_contract(**origin)
    version = services.import_contract(**origin, replace_draft=True)
    again = services.import_contract(**origin)

    assert (version.number, version.parsed.rules[0].type) == (1, "regex")
    assert again == version


@pytest.mark.parametrize(
    "text", ["rules: [{type: regex, name: r, pattern: a}]", "name: x\nrules: ["]
)
def test_an_import_without_a_name_or_without_sense_creates_nothing(
    workspace: Workspace, alice: User, text: str
) -> None:
    with pytest.raises(ValidationError):
        services.import_contract(workspace=workspace, text=text, by=alice, now=NOW)

    assert not GradingContract.objects.exists()


def test_the_list_tells_each_contract_by_its_latest_version(
    contract: GradingContract, workspace: Workspace, alice: User, django_assert_num_queries: Any
) -> None:
    services.lock_version(version=contract.versions.get(), now=NOW)
    save(contract, starter_spec("judge"), alice)
    create(workspace, alice, name="another")

    with django_assert_num_queries(2):
        rows = queries.contract_list(workspace)

    assert [(row.name, row.number, row.locked, row.asks_judge) for row in rows] == [
        ("another", 1, False, False),
        ("quality", 2, False, True),
    ]
    assert (rows[1].rules, rows[1].blocking, rows[1].saved_by) == (2, 1, "Alice")


def test_the_detail_shows_the_version_asked_for_beside_all(
    contract: GradingContract, alice: User
) -> None:
    services.lock_version(version=contract.versions.get(), now=NOW)
    save(contract, starter_spec("judge"), alice)

    latest, first = queries.contract_detail(contract), queries.contract_detail(contract, 1)

    assert [row.number for row in latest.versions] == [2, 1]
    assert (latest.shown.number, first.shown.number) == (2, 1)
    assert (first.rules[0].required, first.rules[0].negate) == (False, False)
    assert first.rules[0].settings[:3] == (
        ("When there is nothing to judge by", "unjudged"),
        ("Expected text", "–"),
        ("Ignore case", "no"),
    )
    assert "name: quality" in first.yaml
    with pytest.raises(ContractVersion.DoesNotExist):
        queries.contract_detail(contract, 3)
