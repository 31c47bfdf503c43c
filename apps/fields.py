"""Model fields that every chapter uses."""

from typing import TYPE_CHECKING, Any

from django.db import models
from ulid import ULID

if TYPE_CHECKING:
    TextColumn = models.CharField[str, str]
else:
    TextColumn = models.CharField


class PublicIdField(TextColumn):
    """A primary key that people and the API name: a prefix and a ULID, `run_01J8Q4ER9Z…`."""

    def __init__(self, prefix: str, **kwargs: Any) -> None:
        self.prefix = prefix
        super().__init__(**{"primary_key": True, "max_length": 40, "editable": False, **kwargs})

    def has_default(self) -> bool:
        return True

    def get_default(self) -> str:
        return f"{self.prefix}_{ULID()}"

    def deconstruct(self) -> Any:
        name, path, _args, kwargs = super().deconstruct()
        return name, path, [self.prefix], kwargs
