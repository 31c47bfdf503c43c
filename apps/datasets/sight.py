"""What people see of a dataset: all of it, unless the workspace redacts personal data."""

from typing import Any

import orjson

from apps.accounts.models import Workspace
from apps.artifacts.canonical import canonical
from apps.artifacts.redaction import Redactor


class Sight:
    """Texts and JSON as this workspace lets its members see them."""

    def __init__(self, workspace: Workspace) -> None:
        self._redactor = Redactor(personal=True) if workspace.redacts_personal_data else None

    @property
    def is_redacted(self) -> bool:
        return self._redactor is not None

    def text(self, text: str) -> str:
        return self._redactor.text(text) if self._redactor else text

    def value(self, value: Any) -> Any:
        return self._redactor.value(value) if self._redactor else value

    def payload(self, payload: str) -> bytes:
        """A record's canonical JSON, canonical again where something was taken out."""
        if self._redactor is None:
            return payload.encode()
        return canonical(self._redactor.value(orjson.loads(payload)))
