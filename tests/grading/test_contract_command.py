"""`evalhub contract …`: imported from files and starters, listed, exported, checked."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from apps.accounts.models import AuditEvent, Workspace
from apps.grading import queries, services
from apps.grading.documents import write_yaml
from apps.grading.reading.texts import MAX_CHARACTERS
from apps.grading.starters import STARTERS, starter_spec
from tests.commands import evalhub, evalhub_in

pytestmark = pytest.mark.usefixtures("workspace")


def contract(*arguments: str) -> str:
    out = StringIO()
    call_command("contract", *arguments, stdout=out)
    return out.getvalue()


def refused(*arguments: str) -> str:
    with pytest.raises(CommandError) as error:
        contract(*arguments)
    return str(error.value)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "quality.yaml"
    path.write_text(write_yaml(starter_spec("exact"), name="quality"), encoding="utf-8")
    return path


def test_a_file_is_imported_under_its_own_name(file: Path, workspace: Workspace) -> None:
    said = contract("import", str(file))

    added = workspace.contracts.get()
    assert (added.name, queries.latest_version(added).parsed) == ("quality", starter_spec("exact"))
    assert said.startswith("quality@1 is here: gcv_")
    assert AuditEvent.objects.get(object_id=added.pk).via == "command"


def test_a_name_given_wins_over_the_files(file: Path, workspace: Workspace) -> None:
    contract("import", str(file), "--name", "mine")

    assert workspace.contracts.get().name == "mine"


@pytest.mark.parametrize("starter", STARTERS)
def test_a_starter_is_imported_without_a_file(workspace: Workspace, starter: Any) -> None:
    contract("import", "--starter", starter)

    added = workspace.contracts.get()
    assert (added.name, queries.latest_version(added).parsed) == (starter, starter_spec(starter))


def test_importing_again_saves_the_next_version_of_a_locked_one(
    file: Path, workspace: Workspace
) -> None:
    contract("import", str(file))
    version = queries.latest_version(workspace.contracts.get())
    services.lock_version(version=version, now=timezone.now())

    same = contract("import", str(file))
    file.write_text(write_yaml(starter_spec("judge"), name="quality"), encoding="utf-8")
    other = json.loads(contract("import", str(file), "--json"))

    assert same.startswith("quality@1")
    assert (other["version"], other["locked"]) == (2, False)


def test_what_is_exported_is_imported_as_the_same(file: Path, tmp_path: Path) -> None:
    contract("import", str(file))

    text = contract("export", "quality")
    facts = json.loads(contract("export", "quality", "--number", "1", "--json"))

    assert text == file.read_text(encoding="utf-8")
    assert facts["spec_sha256"] == starter_spec("exact").sha256


def test_the_list_names_versions_states_and_rules(file: Path) -> None:
    contract("import", str(file))

    line, facts = contract("list"), json.loads(contract("list", "--json"))

    assert line.split() == ["quality@1", "draft", "exact,", "latency"]
    assert [(fact["name"], fact["version"]) for fact in facts] == [("quality", 1)]


def test_every_problem_of_a_file_is_told(tmp_path: Path) -> None:
    path = tmp_path / "wrong.yaml"
    path.write_text("name: x\nrules: [{name: a}, {type: guess, name: b}]", encoding="utf-8")

    said = refused("import", str(path)).splitlines()

    assert said[0].startswith("rules[0] (a): type is required")
    assert said[1].startswith("rules[1] (b): there is no rule type 'guess'")


def test_what_json_cannot_say_is_told_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "binary.yaml"
    path.write_text(
        "name: x\nrules:\n- {type: exact_match, expected: !!binary aGk=}", encoding="utf-8"
    )

    for action in ("check", "import"):
        assert refused(action, str(path)) == (
            "!!binary is not known here: a contract holds what JSON can say (line 3, column 33)."
        )


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("{a: 1}", "name: must be a text; put it in quotes if it is a number."),
        ("[a]", "name: must be a text"),
        ("7", "name: must be a text"),
        ("n" * 121, "A name has at most 120 characters."),
    ],
)
def test_a_name_that_is_none_is_refused(tmp_path: Path, name: str, sentence: str) -> None:
    path = tmp_path / "named.yaml"
    path.write_text(f"name: {name}\nrules: [{{type: exact_match}}]", encoding="utf-8")

    assert refused("check", str(path)).startswith(sentence)
    assert refused("import", str(path)).startswith(sentence)


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    binary, long = tmp_path / "binary", tmp_path / "long"
    binary.write_bytes(b"\xff\xfe\x00")
    long.write_text("x" * (MAX_CHARACTERS + 1), encoding="utf-8")

    assert "cannot be read: No such file" in refused("import", str(tmp_path / "nothing.yaml"))
    assert "cannot be read: Is a directory" in refused("import", str(tmp_path))
    assert refused("import", str(binary)) == f"{binary} is not text in UTF-8."
    assert "more than 500,000 characters" in refused("import", str(long))


def test_a_file_or_a_starter_and_not_both(file: Path) -> None:
    assert "one of the two" in refused("import")
    assert "one of the two" in refused("import", str(file), "--starter", "exact")


def test_what_there_is_not_is_told(file: Path) -> None:
    contract("import", str(file))

    assert "There is no contract “other”" in refused("export", "other")
    assert refused("export", "quality", "--number", "9") == "quality has no version 9."


# -- check ----------------------------------------------------------------------------------------


def test_a_contract_is_told_in_words_and_not_kept(file: Path, workspace: Workspace) -> None:
    told = evalhub("contract", "check", str(file))

    assert told.status == 0
    assert "1. exact: Exact match. Blocking: an answer below the threshold fails" in told.out
    assert "An answer passes when no blocking rule is below its threshold." in told.out
    assert "the record's counts before the dataset's" in told.out
    assert not workspace.contracts.exists()


def test_a_check_as_json_has_the_whole_contract(file: Path) -> None:
    facts = evalhub("contract", "check", str(file), "--json").facts

    assert (facts["valid"], facts["name"], facts["problems"]) == (True, "quality", [])
    assert facts["spec_sha256"] == starter_spec("exact").sha256


def test_every_problem_has_its_place_and_exit_2(tmp_path: Path) -> None:
    path = tmp_path / "wrong.yaml"
    path.write_text(
        "rules: [{type: regex, name: a}, {type: guess, name: b}]\ncolour: red", encoding="utf-8"
    )

    plain, told = (
        evalhub("contract", "check", str(path)),
        evalhub("contract", "check", str(path), "--json"),
    )

    assert plain.status == told.status == 2
    assert len(plain.err.splitlines()) == 3
    assert "rules[0] (a).pattern: is required." in plain.err
    assert (told.facts["valid"], len(told.facts["problems"])) == (False, 3)


def test_a_check_needs_no_database(file: Path, tmp_path: Path) -> None:
    told = evalhub_in(tmp_path / "new", "contract", "check", str(file), "--json")

    assert (told.status, told.facts["valid"]) == (0, True)
    assert not list((tmp_path / "new").glob("*.sqlite3*"))


def test_assertions_of_agentv_are_imported_as_rules(tmp_path: Path, workspace: Workspace) -> None:
    path = tmp_path / "suite.yaml"
    path.write_text(
        "name: suite\nassertions:\n- {type: icontains, value: refund}\n", encoding="utf-8"
    )

    evalhub("contract", "import", str(path))

    spec = queries.latest_version(workspace.contracts.get()).parsed
    assert (spec.rules[0].type, spec.passing_score) == ("contains", 0.8)


@pytest.mark.parametrize("starter", STARTERS)
def test_an_export_leaves_defaults_out_and_reads_back_as_the_same(
    starter: Any, tmp_path: Path, workspace: Workspace
) -> None:
    evalhub("contract", "import", "--starter", starter)
    path = tmp_path / "out" / "contract.yaml"

    told = evalhub("contract", "export", starter, str(path))
    again = evalhub("contract", "check", str(path), "--json").facts

    assert told.out == f"{starter}@1 is written to {path}.\n"
    assert again["spec_sha256"] == starter_spec(starter).sha256
    assert "negate" not in path.read_text(encoding="utf-8")
    assert "data_rules: combine" in path.read_text(encoding="utf-8")
