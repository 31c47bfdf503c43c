"""What is said about one case while it is read."""

from dataclasses import dataclass, field
from typing import Any

from apps.datasets.formats.building import Problem

MOST_WARNINGS = 20


class TooLong(ValueError):
    """A text would grow past what a record may hold."""


@dataclass(slots=True)
class Notes:
    """`prefix` names the file of a case that stands beside the main one."""

    prefix: str = ""
    problems: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)

    def wrong(self, code: str, message: str, path: str, value: Any = "", hint: str = "") -> None:
        self.problems.append(Problem(code, message, self.prefix + path, value, hint))

    def told(self, code: str, message: str, path: str, hint: str = "") -> None:
        """A warning, once; the first 20 of a case are kept."""
        warning = Problem(code, message, self.prefix + path, "", hint)
        if warning not in self.warnings and len(self.warnings) < MOST_WARNINGS:
            self.warnings.append(warning)

    def wrong_type(self, path: str, wanted: str, value: Any, hint: str = "") -> None:
        message = f"Field '{path}' must be {wanted}, got {type_name(value)}"
        self.wrong("invalid_field_type", message, path, value, hint)


def type_name(value: Any) -> str:
    """As JSON calls it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    names = {str: "string", int: "number", float: "number", list: "array", dict: "object"}
    return names.get(type(value), "value")
