"""Settings on their way to the controls of a form and back."""

from typing import Any

from apps.grading.documents import dump
from apps.grading.reading.texts import SpecError, read_value

from .settings import Setting

UNSET = object()
"""Nothing was filled in: the default counts."""


def shown_as(setting: Setting, value: Any) -> Setting:
    """The setting with a control that can hold the value: as YAML where its own cannot."""
    if setting.kind == "choice" and value is not None and value not in setting.choices:
        return as_free(setting)
    try:
        back = read(setting, written(setting, value))
    except (ValueError, TypeError, AttributeError):
        back = UNSET
    if setting.kind == "yaml" or (back == value and type(back) is type(value)):
        return setting
    return as_free(setting)


def as_free(setting: Setting) -> Setting:
    """The setting as YAML, which can hold anything."""
    return setting.model_copy(update={"kind": "yaml"})


def written(setting: Setting, value: Any) -> Any:
    """What the control holds: a text, for `flag` a truth, for `choices` a list."""
    match setting.kind:
        case "flag":
            return value
        case "choices":
            return list(value)
        case "texts":
            return "\n".join(value or ())
        case "yaml":
            return "" if value is None else as_yaml(value)
        case _:
            return "" if value is None else str(value)


def read(setting: Setting, raw: Any) -> Any:
    """The value in a control, or UNSET; ValueError with a sentence where there is none."""
    match setting.kind:
        case "flag":
            return bool(raw)
        case "choices":
            return list(raw)
        case "texts":
            return [line for line in _lines(raw) if line]
        case "number" | "whole" if raw.strip():
            return _number(raw.strip(), whole=setting.kind == "whole")
        case "yaml" if raw.strip():
            return _yaml(raw)
        case "text" | "words" if raw or not setting.nullable:
            return _lines_ended(raw)
        case "choice" if raw:
            return raw
        case _:
            return None if setting.nullable else UNSET


def as_yaml(value: Any) -> str:
    """YAML as a text area shows it, without the end mark that a bare value gets."""
    return dump(value).removesuffix("\n...\n").rstrip("\n")


def _number(raw: str, *, whole: bool) -> float:
    try:
        return int(raw) if whole or raw.lstrip("+-").isdecimal() else float(raw)
    except ValueError:
        kind = "a whole number" if whole else "a number"
        raise ValueError(f"should be {kind}.") from None


def _yaml(raw: str) -> Any:
    try:
        return read_value(raw)
    except SpecError as error:
        raise ValueError(error.problems[0]) from None


def _lines(raw: str) -> list[str]:
    return _lines_ended(raw).split("\n")


def _lines_ended(raw: str) -> str:
    """Browsers end lines with CRLF, whatever was there."""
    return raw.replace("\r\n", "\n")
