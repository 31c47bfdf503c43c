"""What is wrong with a setting, as one sentence with its name, its value and where it came from."""

from collections.abc import Callable, Iterator
from difflib import get_close_matches

from pydantic import BaseModel, SecretStr, ValidationError
from pydantic_core import ErrorDetails

MASK = "********"


def sentences(
    error: ValidationError, model: type[BaseModel], source_of: Callable[[tuple[str, ...]], str]
) -> str:
    """One line per bad value."""
    names = dict(_names(model))
    return "\n".join(
        _sentence(details, names, source_of) for details in error.errors(include_url=False)
    )


def _sentence(
    details: ErrorDetails, names: dict[str, bool], source_of: Callable[[tuple[str, ...]], str]
) -> str:
    path = tuple(str(part) for part in details["loc"])[:2]
    source = source_of(path)
    if details["type"] == "extra_forbidden":
        return _unknown(".".join(path), list(names), source)
    value = _shown(details["input"], names.get(".".join(path), False))
    reason = details["msg"].removeprefix("Value error, ").removeprefix("Input ")
    reason = reason if reason.startswith("it ") else f"it {reason}"
    return f"EVALHUB_{'_'.join(path).upper()} is {value} ({source}): {reason}."


def _shown(value: object, secret: bool) -> str:
    if value is None:
        return "missing"
    return MASK if secret else repr(str(value))


def _unknown(name: str, names: list[str], source: str) -> str:
    near = get_close_matches(name, names, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"the keys are {', '.join(names)}."
    return f"{name!r} ({source}) is not a setting of EvalHub; {hint}"


def _names(model: type[BaseModel], above: str = "") -> Iterator[tuple[str, bool]]:
    """The dotted name of every setting, and whether it is a secret."""
    for name, field in model.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from _names(kind, f"{above}{name}.")
        else:
            yield f"{above}{name}", SecretStr.__name__ in str(kind)
