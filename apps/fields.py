"""Fields of models and forms that every chapter uses."""

from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import ProhibitNullCharactersValidator
from django.db import models
from ulid import ULID

from .naming import unfit_name

if TYPE_CHECKING:
    TextColumn = models.CharField[str, str]
else:
    TextColumn = models.CharField


def check_name(name: str) -> None:
    """Raise ValidationError for what nothing can be called: `naming.unfit_name` says why."""
    if problem := unfit_name(name):
        raise ValidationError(problem)


class NameInput(forms.CharField):
    """Where people write what a thing is called."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        others = [v for v in self.validators if not isinstance(v, ProhibitNullCharactersValidator)]
        self.validators = [*others, check_name]


class NameField(TextColumn):
    """What a thing is called; for migrations it is any other text."""

    default_validators = [check_name]

    def formfield(self, **kwargs: Any) -> Any:
        return super().formfield(**{"form_class": NameInput, **kwargs})

    def deconstruct(self) -> Any:
        name, _path, args, kwargs = super().deconstruct()
        return name, "django.db.models.CharField", args, kwargs


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
