"""Two reviewers who settle the same review at the same moment."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection

from apps.accounts.models import User, Workspace
from apps.labeling.models import ReviewChange
from apps.labeling.settling import reviewing
from tests.labeling.reviewable import NOW, a_campaign, answered, ask, fresh

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        connection.vendor == "sqlite",
        reason="SQLite in memory locks whole tables instead of waiting",
    ),
]


def test_one_of_them_settles_it_and_the_others_are_told(workspace: Workspace) -> None:
    people = [User.objects.create_user(f"reviewer-{number}") for number in range(4)]
    review = fresh(ask(a_campaign(workspace, *people)))
    for person in people:
        answered(review, person)
    start = Barrier(len(people))

    def settle(person: User) -> str:
        try:
            start.wait(timeout=10)
            reviewing.settle(fresh(review), reviewing.Verdict(label="true"), by=person, now=NOW)
            return "settled"
        except reviewing.Overtaken as error:
            return str(error.messages[0])
        finally:
            connection.close()

    with ThreadPoolExecutor(len(people)) as threads:
        told = sorted(threads.map(settle, people), reverse=True)

    assert told[0] == "settled"
    assert all("settled this meanwhile as “Yes”" in sentence for sentence in told[1:])
    assert ReviewChange.objects.filter(what=reviewing.SETTLED).count() == 1
