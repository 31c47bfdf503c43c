"""The pages of grading contracts over HTTP: what each role sees, saves and is told."""

import time
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from apps.accounts.models import AuditEvent, User, Workspace
from apps.grading import queries, services
from apps.grading.documents import write_yaml
from apps.grading.models import ContractVersion, GradingContract
from apps.grading.rules import ExactMatch, Regex
from apps.grading.spec import ContractSpec
from apps.grading.starters import STARTERS, starter_spec
from tests.runs.building import make_contract, queued_run

LIST = "/w/demo/contracts/"
HOSTILE = "<script>alert(1)</script>\"'{{ 7|add:7 }}"
BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{','.join(f'*{before}' for _ in range(9))}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
MOST_QUERIES = 12


@pytest.fixture
def as_alice(client: Client, alice: User) -> Client:
    client.force_login(alice)
    return client


@pytest.fixture
def contract(workspace: Workspace, alice: User) -> GradingContract:
    return made(workspace, by=alice)


def made(
    workspace: Workspace,
    name: str = "quality",
    spec: ContractSpec | None = None,
    by: User | None = None,
) -> GradingContract:
    chosen = spec or starter_spec("exact")
    return services.create_contract(
        workspace=workspace, name=name, spec=chosen, by=by, now=timezone.now()
    )


def lock(contract: GradingContract) -> ContractVersion:
    return services.lock_version(version=queries.latest_version(contract), now=timezone.now())


def page(client: Client, address: str) -> str:
    answer = client.get(address)

    assert answer.status_code == 200
    return answer.content.decode()


def save(client: Client, contract: GradingContract, text: str, **more: Any) -> HttpResponse:
    based_on = queries.latest_version(contract).spec_sha256
    body = {"text": text, "based_on": based_on, "shown": "yaml", **more}
    answer: HttpResponse = client.post(f"{LIST}{contract.pk}/edit/", body, follow=True)
    return answer


def plain(answer: HttpResponse) -> str:
    return answer.content.decode().replace("&#x27;", "'").replace("&quot;", '"')


# -- list ----------------------------------------------------------------------------------


def test_the_list_says_what_each_contract_holds(
    as_alice: Client, workspace: Workspace, contract: GradingContract
) -> None:
    lock(contract)
    made(workspace, "with a judge", starter_spec("judge"))

    shown = page(as_alice, LIST)

    for words in ("quality", "with a judge", "Locked", "Draft", "(1 blocking)", "Never"):
        assert words in shown


def test_a_reviewer_reads_but_is_not_offered_to_change(
    client: Client, bob: User, contract: GradingContract
) -> None:
    client.force_login(bob)

    for address in (LIST, f"{LIST}{contract.pk}/"):
        shown = page(client, address)

        assert "quality" in shown
        assert not any(f"{place}/" in shown for place in ("/new", "/edit", "/archive", "/import"))


def test_without_contracts_the_page_says_what_one_is(as_alice: Client) -> None:
    shown = page(as_alice, LIST)

    assert "No contracts yet" in shown
    assert f'href="{LIST}new/"' in shown


def test_a_long_list_takes_as_few_queries_as_a_short_one(
    as_alice: Client, workspace: Workspace, django_assert_max_num_queries: Any
) -> None:
    for number in range(60):
        made(workspace, f"contract {number:02}")

    with django_assert_max_num_queries(MOST_QUERIES):
        first = as_alice.get(LIST)
    second = page(as_alice, f"{LIST}?cursor={first.context['page'].older}")

    assert "contract 49" in first.content.decode()
    assert "contract 50" not in first.content.decode()
    assert "contract 50" in second


# -- detail --------------------------------------------------------------------------------


def test_each_rule_is_a_card_in_its_order(as_alice: Client, workspace: Workspace) -> None:
    contract = made(workspace, spec=starter_spec("reference"))

    shown = page(as_alice, f"{LIST}{contract.pk}/")

    places = [shown.index(f"{n}. {name}") for n, name in ((1, "token_f1"), (2, "rouge_l"))]
    assert places == sorted(places)
    assert "Blocking" in shown
    assert "Warning" in shown
    assert "Pass rate at least 80 %, by the lower bound of its 95 % interval" in shown


def test_an_older_version_is_shown_as_such(as_alice: Client, contract: GradingContract) -> None:
    lock(contract)
    save(as_alice, contract, write_yaml(starter_spec("judge")))

    shown = page(as_alice, f"{LIST}{contract.pk}/?version=1")

    assert "This is version 1; the latest is 2." in shown
    assert "1. exact" in shown


@pytest.mark.parametrize("version", ["7", "0", "x", "-1", "9" * 5_000, "²"])
@pytest.mark.parametrize("place", ["", "diff/", "export.yaml"])
def test_a_version_that_there_is_not_is_404(
    as_alice: Client, contract: GradingContract, place: str, version: str
) -> None:
    answer = as_alice.get(f"{LIST}{contract.pk}/{place}", {"version": version})

    assert answer.status_code == 404


def test_hostile_names_and_settings_stay_text(as_alice: Client, workspace: Workspace) -> None:
    spec = ContractSpec(description=HOSTILE, rules=(Regex(name="r", pattern=r"<script>\("),))
    contract = made(workspace, HOSTILE, spec)
    lock(contract)
    services.save_version(
        contract=contract, spec=starter_spec("exact"), by=None, now=timezone.now()
    )
    addresses = [LIST, *(f"{LIST}{contract.pk}/{place}" for place in ("?version=1", "diff/"))]

    shown = [page(as_alice, address) for address in [*addresses, f"{LIST}{contract.pk}/edit/"]]

    assert not any("<script>alert" in each or r"<script>\(" in each for each in shown)
    assert all("{{ 7|add:7 }}" in each for each in shown)


def test_many_versions_cost_no_more_queries(
    as_alice: Client, contract: GradingContract, django_assert_max_num_queries: Any
) -> None:
    for number in range(20):
        lock(contract)
        spec = ContractSpec(rules=(Regex(name="r", pattern=f"{number}"),))
        services.save_version(contract=contract, spec=spec, by=None, now=timezone.now())

    with django_assert_max_num_queries(MOST_QUERIES):
        answer = as_alice.get(f"{LIST}{contract.pk}/")

    assert len(answer.context["detail"].versions) == 21


def test_the_runs_that_used_it_are_counted(
    as_alice: Client, workspace: Workspace, alice: User
) -> None:
    run = queued_run(workspace, alice, contract=make_contract(workspace))
    contract = run.contract_version.contract

    answer = as_alice.get(f"{LIST}{contract.pk}/")

    assert (answer.context["detail"].runs, answer.context["detail"].shown.runs) == (1, 1)
    assert "1 run" in answer.content.decode()
    assert "Never" not in page(as_alice, LIST)


# -- new -----------------------------------------------------------------------------------


@pytest.mark.parametrize("starter", STARTERS)
def test_a_contract_starts_from_one_that_is_ready(
    as_alice: Client, alice: User, workspace: Workspace, starter: Any
) -> None:
    answer = as_alice.post(f"{LIST}new/", {"name": "first", "starter": starter}, follow=True)

    contract = workspace.contracts.get()
    assert queries.latest_version(contract).parsed == starter_spec(starter)
    assert "first is ready" in answer.content.decode()
    event = AuditEvent.objects.get(object_id=contract.pk)
    assert (event.actor, event.verb, event.via) == (alice, "contract.created", "page")


def test_a_name_that_is_taken_is_refused_at_its_field(
    as_alice: Client, contract: GradingContract
) -> None:
    shown = plain(as_alice.post(f"{LIST}new/", {"name": "quality", "starter": "exact"}))

    assert "There is already a contract named 'quality' here." in shown
    assert '<a href="#id_name">Name</a>' in shown


# -- edit ----------------------------------------------------------------------------------


def test_a_draft_is_edited_in_place(as_alice: Client, contract: GradingContract) -> None:
    before = page(as_alice, f"{LIST}{contract.pk}/edit/")
    answer = save(as_alice, contract, write_yaml(starter_spec("judge")))

    assert "Version 1 is a draft." in before
    assert contract.versions.get().parsed == starter_spec("judge")
    assert "quality@1 is saved." in answer.content.decode()


def test_saving_a_locked_version_makes_the_next(
    as_alice: Client, contract: GradingContract
) -> None:
    locked = lock(contract)
    before = page(as_alice, f"{LIST}{contract.pk}/edit/")

    answer = save(as_alice, contract, write_yaml(starter_spec("judge")))

    assert "Version 1 is locked: a run used it." in before
    assert "Saving changes makes version 2, a draft." in before
    assert "quality@2 is saved." in answer.content.decode()
    assert contract.versions.get(number=1).spec_sha256 == locked.spec_sha256


def test_the_text_that_the_editor_shows_saves_to_the_same(
    as_alice: Client, contract: GradingContract
) -> None:
    desk = as_alice.get(f"{LIST}{contract.pk}/edit/").context["desk"]

    answer = save(as_alice, contract, desk.text.replace("\n", "\r\n"))

    assert "Nothing changed: quality@1 already says this." in answer.content.decode()


def test_an_export_can_be_pasted_into_the_editor(
    as_alice: Client, contract: GradingContract
) -> None:
    same = write_yaml(starter_spec("judge"), name="quality")
    other = write_yaml(starter_spec("judge"), name="another")

    refused, accepted = save(as_alice, contract, other), save(as_alice, contract, same)

    assert "This is the text of the contract “another”" in refused.content.decode()
    assert "quality@1 is saved." in accepted.content.decode()


def test_errors_are_listed_by_path_and_the_text_stays(
    as_alice: Client, contract: GradingContract
) -> None:
    text = "rules:\n- {type: exact_match, name: a, threshold: 3}\n- {type: guess, name: b}\n"

    answer = save(as_alice, contract, text)

    shown = plain(answer)
    assert "rules[0] (a).threshold: should be less than or equal to 1" in shown
    assert "rules[1] (b): there is no rule type 'guess'" in shown
    assert '<a href="#id_text">' in shown
    assert "threshold: 3}" in shown
    assert contract.versions.get().parsed == starter_spec("exact")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (BOMB, "Aliases (*name) are not allowed"),
        ("[" * 100_000, "nested deeper than 60 levels"),
        ('{"a":' * 50_000, "nested deeper than 60 levels"),
        ("rules: " + "9" * 5_000, "more than 1,000 digits"),
        ("x" * 500_001, "more than 500,000 characters"),
        ("!!python/object/apply:os.system [id]", "os.system is not known here"),
        ("rules: [", "This is not valid YAML"),
        ("just text", "something else"),
    ],
    ids=["bomb", "deep", "deep JSON", "digits", "long", "tag", "broken", "text"],
)
def test_a_hostile_text_gets_a_sentence(
    as_alice: Client, contract: GradingContract, text: str, sentence: str
) -> None:
    started = time.monotonic()

    answers = [
        save(as_alice, contract, text),
        as_alice.post(f"{LIST}import/", {"name": "x", "text": text}),
    ]

    assert time.monotonic() - started < 5
    assert all(answer.status_code == 200 and sentence in plain(answer) for answer in answers)
    assert contract.versions.get().parsed == starter_spec("exact")


def test_what_somebody_else_saved_meanwhile_is_not_overwritten_unseen(
    as_alice: Client, contract: GradingContract
) -> None:
    opened = queries.latest_version(contract).spec_sha256
    save(as_alice, contract, write_yaml(starter_spec("judge")))
    mine = write_yaml(starter_spec("reference"))

    first = save(as_alice, contract, mine, based_on=opened)
    kept = contract.versions.get().parsed
    again = save(as_alice, contract, mine)

    assert "Somebody saved this contract while you were editing" in first.content.decode()
    assert kept == starter_spec("judge")
    assert f'name="based_on" value="{kept.sha256}"' in first.content.decode()
    assert "quality@1 is saved." in again.content.decode()


def test_an_archived_contract_is_not_edited(as_alice: Client, contract: GradingContract) -> None:
    as_alice.post(f"{LIST}{contract.pk}/archive/")

    answer = save(as_alice, contract, write_yaml(starter_spec("judge")))

    assert "Restore it before you change it" in answer.content.decode()


# -- diff, export, import ------------------------------------------------------------------


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


# -- archive -------------------------------------------------------------------------------


def test_a_contract_is_archived_and_restored(as_alice: Client, contract: GradingContract) -> None:
    archived = as_alice.post(f"{LIST}{contract.pk}/archive/", follow=True).content.decode()
    lists = [page(as_alice, LIST), page(as_alice, f"{LIST}?archived=1")]
    restored = as_alice.post(f"{LIST}{contract.pk}/restore/", follow=True).content.decode()

    assert "quality is archived" in archived
    assert ["quality" in shown for shown in lists] == [False, True]
    assert "quality is back" in restored
