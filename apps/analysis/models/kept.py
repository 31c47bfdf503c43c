"""Rows that are written once: what was said stays as it was said."""

from __future__ import annotations

from typing import Any, NoReturn, TypeVar

from django.db import models

Row = TypeVar("Row", bound=models.Model)

SAID = "What gates said is never changed: say something new beside it."


class NeverChanged:
    """Of a queryset: rows are added, and neither changed nor deleted."""

    def update(self, **columns: Any) -> NoReturn:
        raise TypeError(SAID)

    def delete(self) -> NoReturn:
        raise TypeError(SAID)


class KeptQuerySet(NeverChanged, models.QuerySet[Row]):
    pass


class StandingQuerySet(KeptQuerySet[Row]):
    """Rows of which the last one said stands: `is_current` alone ever changes."""

    def stand_down(self) -> int:
        """What stands gives way to what is said next; how many did."""
        return models.QuerySet.update(self.filter(is_current=True), is_current=False)


class Kept(models.Model):
    class Meta:
        abstract = True

    def save(self, **options: Any) -> None:
        if not self._state.adding:
            raise TypeError(SAID)
        super().save(**{**options, "force_insert": True})

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError(SAID)
