"""What is wrong with a spec, by field, in sentences that quote no input."""

from collections import defaultdict

from pydantic import ValidationError

_OF_PYDANTIC = "Value error, "


def complaints(error: ValidationError) -> dict[str, list[str]]:
    """Sentences by the field they are about; '' stands for the spec as a whole."""
    found: dict[str, list[str]] = defaultdict(list)
    for each in error.errors(include_url=False, include_input=False):
        place = each["loc"][1:]  # the first step is the kind
        field = str(place[0]) if place else ""
        inside = "".join(f" {step}:" for step in place[1:])
        found[field].append(f"{inside} {_sentence(each['type'], each['msg'])}".strip())
    return dict(found)


def _sentence(kind: str, message: str) -> str:
    if kind == "extra_forbidden":
        return "This kind of target has no such setting."
    if kind == "missing":
        return "This is needed."
    text = message.removeprefix(_OF_PYDANTIC)
    return text[:1].upper() + text[1:].rstrip(".") + "."
