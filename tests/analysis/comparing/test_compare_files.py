"""The files of a comparison: pairs as CSV, everything as JSON, for whom."""

import re
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts.models import User
from apps.runs.models import Run
from tests.runs.pages import judged

from .pages import Answered, after, asked, before, ended, opened, version

__all__ = ["after", "asked", "before", "ended", "judged", "opened", "version"]


def test_pairs_come_as_csv(asked: Answered, before: Run, after: Run) -> None:
    answer = asked(before, after, name="compare-csv")

    lines = b"".join(answer).decode().splitlines()
    assert len(lines) == 101
    assert lines[0].startswith("baseline,candidate,record_id")


def test_a_file_is_named_after_both_runs(
    asked: Answered, before: Run, after: Run, ended: Callable[..., Run]
) -> None:
    hostile = ended()
    hostile.name = '../a "b"\r\nñ/' + "x" * 180  # as no door takes it today
    hostile.save(update_fields=["name"])
    nameless = ended(name="试验")

    def name(*runs: Run) -> str:
        header = asked(*runs, name="compare-json")["Content-Disposition"]
        [found] = re.findall(r'^attachment; filename="([\w.-]+)"$', header)
        return str(found)

    assert name(before, after) == (
        f"v15-prompt-{after.pk[-6:]}-against-v14-prompt-{before.pk[-6:]}.json"
    )
    assert name(before, after, nameless).startswith(
        f"v15-prompt-{after.pk[-6:]}-and-1-more-against"
    )
    assert name(before, nameless).startswith(f"run-{nameless.pk[-6:]}-against-v14-prompt-")
    assert name(before, hostile).startswith("a-b-n")
    assert len(name(hostile, before)) < 200


@pytest.mark.parametrize(
    ("name", "part"), [("compare-json", b'"comparisons"'), ("compare-agentv", b'"matched"')]
)
def test_everything_comes_as_json(
    asked: Answered, before: Run, after: Run, name: str, part: bytes
) -> None:
    answer = asked(before, after, name=name)

    assert part in b"".join(answer)


def test_reviewers_read_but_take_no_files(
    client: Client, bob: User, before: Run, after: Run
) -> None:
    client.force_login(bob)
    query = {"run": [before.pk, after.pk]}

    page = client.get(reverse("analysis:compare", args=["demo"]), query, follow=True)
    file = client.get(reverse("analysis:compare-csv", args=["demo"]), query)

    assert page.status_code == 200
    assert b"compare.csv" not in page.content
    assert b"Exports are for leads and admins" in page.content
    assert file.status_code == 403
