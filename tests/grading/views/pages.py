"""Contracts, and their pages as people get them."""

from typing import Any

from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from apps.accounts.models import User, Workspace
from apps.grading import queries, services
from apps.grading.models import ContractVersion, GradingContract
from apps.grading.spec import ContractSpec
from apps.grading.starters import starter_spec

LIST = "/w/demo/contracts/"


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
