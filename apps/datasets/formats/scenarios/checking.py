"""Is a value what its field takes? Each check adds what is wrong, with the path of the field."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from apps.datasets.formats.building import Problem

Problems = list[Problem]
Check = Callable[[Any, str, Problems], None]
Fields = Mapping[str, Check]

NOT_TEXT = "must be a text that is not empty"


def a_text(value: Any, path: str, problems: Problems) -> None:
    if not isinstance(value, str):
        _wrong_type(value, path, "must be a text", problems)
    elif not value.strip():
        problems.append(Problem("invalid_field_value", f"{path} must not be empty.", path, value))


def any_text(value: Any, path: str, problems: Problems) -> None:
    if not isinstance(value, str):
        _wrong_type(value, path, "must be a text", problems)


def a_truth(value: Any, path: str, problems: Problems) -> None:
    if not isinstance(value, bool):
        _wrong_type(value, path, "must be true or false", problems)


def a_count(value: Any, path: str, problems: Problems) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        _wrong_type(value, path, "must be a whole number", problems)
    elif value < 0:
        sentence = f"{path} must be at least 0."
        problems.append(Problem("value_out_of_range", sentence, path, value))


def a_share(value: Any, path: str, problems: Problems) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        _wrong_type(value, path, "must be a number", problems)
    elif not 0 <= value <= 1:
        sentence = f"{path} must be from 0 to 1."
        problems.append(Problem("value_out_of_range", sentence, path, value))


def an_object(value: Any, path: str, problems: Problems) -> None:
    if not isinstance(value, dict):
        _wrong_type(value, path, "must be an object", problems)


def anything(value: Any, path: str, problems: Problems) -> None:
    """A field that takes every value."""


def texts(value: Any, path: str, problems: Problems) -> None:
    if not isinstance(value, list):
        _wrong_type(value, path, "must be a list of texts", problems)
        return
    for index, item in enumerate(value):
        a_text(item, f"{path}[{index}]", problems)


def some_texts(value: Any, path: str, problems: Problems) -> None:
    texts(value, path, problems)
    if value == []:
        problems.append(Problem("invalid_field_value", f"{path} must not be empty.", path))


def counts(value: Any, path: str, problems: Problems) -> None:
    an_object(value, path, problems)
    if isinstance(value, dict):
        for key, count in value.items():
            a_count(count, f"{path}.{key}", problems)


def one_of(*checks: Check, words: str) -> Check:
    """A field that takes values of several sorts; `words` names them."""

    def check(value: Any, path: str, problems: Problems) -> None:
        for each in checks:
            found: Problems = []
            each(value, path, found)
            if not found:
                return
        _wrong_type(value, path, f"must be {words}", problems)

    return check


def check_fields(row: Mapping[str, Any], fields: Fields, path: str, problems: Problems) -> None:
    for key, value in row.items():
        if key in fields:
            fields[key](value, f"{path}{key}", problems)


def require(row: Mapping[str, Any], names: Iterable[str], path: str, problems: Problems) -> None:
    for name in names:
        if name not in row:
            place = f"{path}{name}"
            problems.append(Problem("missing_required_field", f"{place} is required.", place))


def _wrong_type(value: Any, path: str, words: str, problems: Problems) -> None:
    problems.append(Problem("invalid_field_type", f"{path} {words}.", path, value))
