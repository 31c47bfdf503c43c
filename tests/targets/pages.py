"""Targets, and their pages as people get them."""

from typing import Any

from django.test import Client

from apps.accounts.models import Workspace
from apps.targets import services
from apps.targets.models import Target

from .asking import spec

LIST = "/w/demo/targets/"
NEW = "/w/demo/targets/new/"
SECRET = "sk-test-4f9c2e71d0a84b7f"
MOST_QUERIES = 12


def made(workspace: Workspace, kind: str = "scripted", name: str = "model", **set_: Any) -> Target:
    return services.create_target(workspace=workspace, name=name, spec=spec(kind, **set_), by=None)


def page(client: Client, address: str) -> str:
    answer = client.get(address)

    assert answer.status_code == 200
    return answer.content.decode()
