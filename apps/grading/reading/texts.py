"""JSON and YAML texts of contracts, read without trust: only what JSON can say comes out."""

import json
import re
from collections.abc import Hashable, Iterator, Sequence
from math import isfinite
from typing import Any, NoReturn

import yaml

MAX_CHARACTERS = 500_000
MAX_DEPTH = 60
_TOO_DEEP = f"The contract is nested deeper than {MAX_DEPTH} levels."
_TORN = "A text holds half a character, an unpaired surrogate: write the whole one."
_SURROGATE = re.compile("[\ud800-\udfff]")
_LONG_NUMBER = re.compile(r"[-+0-9][0-9_:.a-fxA-F]{1000,}")
_TAG = "tag:yaml.org,2002:"
_AS_TEXT = tuple(_TAG + kind for kind in ("str", "timestamp", "value"))
"""What is a text in JSON; YAML also knows dates, and a meaning of the sign =."""


class SpecError(Exception):
    """A text or object that is no grading contract, with a sentence for each problem."""

    def __init__(self, *problems: str) -> None:
        super().__init__(" ".join(problems))
        self.problems = problems


class _NotJsonError(SpecError):
    """The text is no JSON, and may be YAML."""


class _NotYamlError(SpecError):
    """The text breaks the grammar of YAML itself."""


def read_document(text: str) -> dict[str, Any]:
    """The object in a JSON or YAML text; aliases, duplicate keys and deep nesting are refused."""
    document = read_value(text)
    if not isinstance(document, dict):
        raise SpecError("A contract is an object with the key rules; this is something else.")
    return document


def read_value(text: str) -> Any:
    """What a JSON or YAML text holds, as careful as `read_document`: a value that JSON has."""
    if len(text) > MAX_CHARACTERS:
        raise SpecError(f"The contract has more than {MAX_CHARACTERS:,} characters.")
    if not text.lstrip().startswith("{"):
        return _checked(_read_yaml(text))
    try:
        return _checked(_read_json(text))
    except _NotJsonError as error:
        return _checked(_read_flow(text, error))


def _read_json(text: str) -> Any:
    try:
        return json.loads(
            text,
            object_pairs_hook=_without_duplicates,
            parse_constant=_refused,
            parse_float=_finite,
        )
    except RecursionError as error:
        raise SpecError(_TOO_DEEP) from error
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise _NotJsonError(f"This is not valid JSON: {error.msg} ({where}).") from error
    except ValueError as error:  # a number with thousands of digits
        raise SpecError(f"This is not valid JSON: {error}.") from error


def _read_flow(text: str, error: SpecError) -> Any:
    """`{type: regex, …}` is YAML; what is neither is told as the JSON that it looks like."""
    try:
        return _read_yaml(text)
    except _NotYamlError:
        raise error from None


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    _check_keys([key for key, _ in pairs])
    return dict(pairs)


def _check_keys(keys: Sequence[Hashable]) -> None:
    seen: set[Hashable] = set()
    for key in keys:
        if key in seen:
            raise SpecError(f"The key {str(key)[:60]!r} stands twice in one object.")
        seen.add(key)


def _checked(value: Any) -> Any:
    """The value, where it is not too deep and all its texts can be written into a file."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        if any(map(_is_torn, level)):
            raise SpecError(_TORN)
        level = [item for each in level for item in _inside(each)]
        if not level:
            return value
    raise SpecError(_TOO_DEEP)


def _inside(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from value
        yield from value.values()
    elif isinstance(value, list):
        yield from value


def _is_torn(value: Any) -> bool:
    return isinstance(value, str) and _SURROGATE.search(value) is not None


def _refused(constant: str) -> NoReturn:
    raise SpecError(f"{constant} is not a number that JSON has.")


def _finite(digits: str) -> float:
    number = float(digits)
    return number if isfinite(number) else _refused(digits[:60])


class _Loader(yaml.SafeLoader):
    """SafeLoader that gives only values of JSON, and refuses duplicate keys."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        if isinstance(node, yaml.MappingNode):
            _check_keys([_key(key) for key, _ in node.value])
        return super().construct_mapping(node, deep=deep)


def _key(node: yaml.Node) -> str:
    if isinstance(node, yaml.ScalarNode) and node.tag in _AS_TEXT:
        return str(node.value)
    said = f"{node.value[:60]} is" if isinstance(node, yaml.ScalarNode) else "lists and objects are"
    raise _refusal(node, f"A key must be a text, in quotes where YAML reads it else: {said} none")


def _scalar(loader: yaml.SafeLoader, node: yaml.Node) -> Any:
    """A number, a truth, null; PyYAML fails in many ways where a tag says what the text is not."""
    said = node.value[:60] if isinstance(node, yaml.ScalarNode) else "This"
    try:
        value = yaml.SafeLoader.yaml_constructors[node.tag](loader, node)
    except (ValueError, LookupError):
        raise _refusal(node, f"{said} is not what its tag {_tag(node)} says") from None
    if isinstance(value, float) and not isfinite(value):
        raise _refusal(node, f"{said} is not a number that JSON has")
    return value


def _unknown(loader: yaml.SafeLoader, node: yaml.Node) -> NoReturn:
    raise _refusal(node, f"{_tag(node)} is not known here: a contract holds what JSON can say")


def _refusal(node: yaml.Node, why: str) -> SpecError:
    return SpecError(f"{why}{_place(node.start_mark)}.")


def _tag(node: yaml.Node) -> str:
    return str(node.tag[:60]).replace(_TAG, "!!")


def _place(mark: yaml.Mark | None) -> str:
    return f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""


_Loader.yaml_constructors = {
    None: _unknown,
    **dict.fromkeys(_AS_TEXT, yaml.SafeLoader.construct_yaml_str),
    **{_TAG + kind: _scalar for kind in ("null", "bool", "int", "float")},
    _TAG + "seq": yaml.SafeLoader.construct_yaml_seq,
    _TAG + "map": yaml.SafeLoader.construct_yaml_map,
}


def _read_yaml(text: str) -> Any:
    try:
        _check_events(yaml.parse(text, Loader=yaml.SafeLoader))
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - a SafeLoader
    except yaml.MarkedYAMLError as error:
        place = _place(error.problem_mark)
        raise _NotYamlError(f"This is not valid YAML: {error.problem}{place}.") from error
    except yaml.YAMLError as error:
        raise _NotYamlError(f"This is not valid YAML: {error}.") from error


def _check_events(events: Iterator[yaml.Event]) -> None:
    """Refuse, before anything is built, what grows when it is: aliases, depth, endless numbers."""
    depth = 0
    for event in events:
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise SpecError(_TOO_DEEP)
        if isinstance(event, yaml.AliasEvent):
            raise SpecError("Aliases (*name) are not allowed; write the value out.")
        if isinstance(event, yaml.ScalarEvent) and _LONG_NUMBER.fullmatch(event.value):
            raise SpecError("A number has more than 1,000 digits.")
