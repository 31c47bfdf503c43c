"""The catalog of rules: on pages, in the manual, from the shell; examples are computed."""

import re
from pathlib import Path

import pytest
from django.test import Client

from apps.accounts.models import User, Workspace
from apps.grading.catalog import TITLES, families, rule_page
from apps.grading.manual import manual
from apps.grading.rules import FAMILIES, RULE_OF_TYPE, RULES
from tests.commands import evalhub
from tests.processes import CHECKOUT

MANUAL = CHECKOUT / "docs/rules"
OFFERED = sorted(set(RULE_OF_TYPE) - {"unexecutable"})


def test_every_family_has_a_title_and_every_rule_a_family() -> None:
    named = {module.__name__.rpartition(".")[2] for module in FAMILIES}

    listed = [rule.type for family in families() for rule in family.rules]

    assert named == set(TITLES)
    assert sorted(listed) == OFFERED


def test_the_manual_is_current() -> None:
    written = {path.name: path.read_text(encoding="utf-8") for path in MANUAL.glob("*.md")}

    assert written == manual(), (
        "The rules have changed: write their pages by evalhub contract rules --write docs/rules"
    )


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.title)
def test_every_example_comes_out_as_it_says(rule: type) -> None:
    page = rule_page(rule.model_fields["type"].default)  # type: ignore[attr-defined]

    values = [example.score.value for example in page.examples]

    assert values == [
        example.value if example.value is None else pytest.approx(example.value, abs=0.001)
        for example in rule.examples  # type: ignore[attr-defined]
    ]


@pytest.mark.parametrize("rule_type", OFFERED)
def test_every_rule_says_what_it_does_and_shows_an_example(rule_type: str) -> None:
    page = rule_page(rule_type)

    assert page.summary
    assert page.examples
    assert all(setting.help for setting in (*page.own, *page.common))


def test_rules_are_found_by_any_words() -> None:
    found = [rule.type for family in families("CHARACTER n-gram") for rule in family.rules]

    assert found == ["chrf"]
    assert families("no such words") == ()


def test_the_pages_of_rules_are_for_everybody_in_the_workspace(
    client: Client, bob: User, workspace: Workspace
) -> None:
    client.force_login(bob)

    listed = client.get("/w/demo/contracts/rules/").content.decode()
    pages = {each: client.get(f"/w/demo/contracts/rules/{each}/") for each in RULE_OF_TYPE}

    assert all(f'href="/w/demo/contracts/rules/{each}/"' in listed for each in OFFERED)
    assert {answer.status_code for answer in pages.values()} == {200}
    assert "What comes out" in pages["regex"].content.decode()
    assert client.get("/w/demo/contracts/rules/guess/").status_code == 404


def test_the_rules_are_listed_and_written_from_the_shell(tmp_path: Path) -> None:
    listed = evalhub("contract", "rules")
    facts = evalhub("contract", "rules", "--json").facts
    written = evalhub("contract", "rules", "--write", str(tmp_path / "rules"))

    assert re.search(r"^  exact_match +The answer equals", listed.out, re.MULTILINE)
    assert sorted(rule["type"] for family in facts for rule in family["rules"]) == OFFERED
    assert f"{len(manual())} pages" in written.out
    assert {path.name for path in (tmp_path / "rules").iterdir()} == set(manual())
