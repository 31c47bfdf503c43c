"""A gate's policy as a form: the details, with rows of metrics and slices, as one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, TypeVar

from django import forms
from django.forms.boundfield import BoundField
from django.http import QueryDict

from apps.analysis.gates.policies.spec import (
    LONGEST_NAME,
    MOST_METRICS,
    MOST_SLICES,
    PolicyError,
    PolicySpec,
    read_policy,
)

from .gate_parts import DetailsForm, Offers
from .gate_rows import MetricRow, SliceRow

MORE_ROWS = 2
ABOVE_THE_ROWS = ("name", "dataset", "description")

Part = TypeVar("Part", bound=forms.Form)
Row = TypeVar("Row", MetricRow, SliceRow)


@dataclass(frozen=True)
class InRow:
    """A field as the errors at the top name it, by its row; beside it stands its own label."""

    label: str
    auto_id: str
    errors: Sequence[Any]
    is_hidden: bool = False


class PolicyForms:
    """The details with their rows as one form; `spec` is there once it is valid."""

    def __init__(
        self,
        offers: Offers,
        data: Mapping[str, Any] | None = None,
        *,
        spec: PolicySpec | None = None,
        initial: Mapping[str, Any] | None = None,
    ) -> None:
        known = {**(DetailsForm.known(spec, offers) if spec else {}), **(initial or {})}
        metrics = [MetricRow.known(check) for check in spec.metrics] if spec else []
        slices = [SliceRow.known(check) for check in spec.slices] if spec else []
        self._data = data
        self._offers = offers
        self.details = self._form(DetailsForm, "", known)
        self.metrics = self._rows(MetricRow, "metric", MOST_METRICS, [*metrics, {}])
        self.slices = self._rows(SliceRow, "slice", MOST_SLICES, slices or [{}])
        self.spec: PolicySpec | None = None

    @property
    def asks_for_more(self) -> bool:
        """Somebody wants more rows, or to see what a dataset has to offer: what they wrote stays,
        and nothing is checked yet."""
        return self._data is not None and self._data.get("more") in ("metric", "slice", "dataset")

    @property
    def rows(self) -> list[MetricRow | SliceRow]:
        return [*self.metrics, *self.slices]

    def is_valid(self) -> bool:
        parts = [self.details.is_valid(), *(row.is_valid() for row in self.rows)]
        if not all(parts):
            return False
        try:
            self.spec = read_policy(
                {
                    **self.details.spec,
                    "metrics": [row.spec for row in self.metrics if row.is_used],
                    "slices": [row.spec for row in self.slices if row.is_used],
                }
            )
        except PolicyError as error:
            self.details.add_error(None, list(error.problems))
        return self.spec is not None

    # what c-errors asks of a form

    @property
    def errors(self) -> bool:
        return bool(self.details.errors) or any(row.errors for row in self.rows)

    def non_field_errors(self) -> list[str]:
        return [str(each) for each in self.details.non_field_errors()]

    def __iter__(self) -> Iterator[BoundField | InRow]:
        """In the order of the page: the rows stand between the first details and the others."""
        yield from (field for field in self.details if field.name in ABOVE_THE_ROWS)
        for title, rows in (("Metric", self.metrics), ("Slices", self.slices)):
            for number, row in enumerate(rows, 1):
                yield from _titled(row, f"{title} {number}")
        yield from (field for field in self.details if field.name not in ABOVE_THE_ROWS)

    def _rows(
        self, kind: type[Row], name: str, most: int, known: Sequence[Mapping[str, Any]]
    ) -> list[Row]:
        """As many as the form was sent with, and more where asked for; else the known ones."""
        if self._data is None:
            return [self._form(kind, f"{name}-{at}", each) for at, each in enumerate(known[:most])]
        more = MORE_ROWS if self._data.get("more") == name else 0
        count = min(_number(self._data.get(f"{name}-rows")) + more, most)
        return [self._form(kind, f"{name}-{at}", {}) for at in range(count)]

    def _form(self, kind: type[Part], prefix: str, known: Mapping[str, Any]) -> Part:
        named: dict[str, Any] = {"offers": self._offers, "prefix": prefix or None}
        if self._data is None:
            return kind(initial=dict(known), **named)
        sent = kind(self._data, **named)
        return kind(initial=_written_in(sent), **named) if self.asks_for_more else sent


@dataclass(frozen=True)
class Written:
    """What somebody wrote that no longer may be on offer, once they choose another dataset."""

    metrics: Sequence[str] = ()
    rules: Sequence[str] = ()
    families: Sequence[str] = ()


def written_in(data: QueryDict) -> Written:
    """Unchecked, each as short as a name may be."""

    def named(pattern: str) -> list[str]:
        lists = (data.getlist(key) for key in data if fnmatchcase(key, pattern))
        found = (text for texts in lists for text in texts)
        return [text for text in found if text and len(text) <= LONGEST_NAME and "\0" not in text]

    return Written(
        metrics=named("metric-*-metric"),
        rules=named("blocking_rules"),
        families=named("slice-*-families"),
    )


def _written_in(form: forms.Form) -> dict[str, Any]:
    """What somebody wrote so far, unchecked."""
    return {
        name: field.widget.value_from_datadict(form.data, form.files, form.add_prefix(name))
        for name, field in form.fields.items()
    }


def _titled(row: forms.Form, title: str) -> Iterator[InRow]:
    for field in row:
        if field.errors:
            label = title if field.name == "metric" else f"{title}, {str(field.label).lower()}"
            yield InRow(label, field.auto_id, field.errors)


def _number(text: object) -> int:
    written = str(text or "")
    return int(written) if written.isdecimal() and written.isascii() and len(written) < 4 else 0
