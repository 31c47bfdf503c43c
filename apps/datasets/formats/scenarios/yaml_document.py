"""The items of a YAML file."""

from collections.abc import Iterator, Mapping
from typing import Any

from apps.datasets.contracts import Rejected
from apps.datasets.formats.building import Place
from apps.datasets.formats.yaml_text import Lines, NotYaml, load_yaml_with_lines
from apps.datasets.uploading.limits import MAX_RECORDS

from .items import HOLDERS, Found, Holder, Item, item_of


def in_yaml(text: bytes) -> Found:
    try:
        value, lines = load_yaml_with_lines(text.decode())
    except NotYaml as error:
        raise Rejected(f"Invalid YAML in line {error.line}: {error.message}.") from None
    holder = _holder_of(value)
    items = value[holder] if holder else value
    if not isinstance(items, list):
        items = [items]
    if len(items) > MAX_RECORDS:
        raise Rejected(f"The file has more than {MAX_RECORDS:,} records.")
    path: tuple[str | int, ...] = (holder,) if holder else ()
    many = bool(holder) or isinstance(value, list)
    around = {**value, holder: []} if holder else {}
    found = _yaml_items(items, lines, path, len(text), many)
    return Found(holder, around, found, _version_of(items))


def _holder_of(value: Any) -> Holder:
    if not isinstance(value, dict | list):
        raise Rejected("The file has no scenarios: a scenario is a mapping with scenario_id.")
    if isinstance(value, dict):
        return next((key for key in HOLDERS if isinstance(value.get(key), list)), "")
    return ""


def _yaml_items(
    items: list[Any], lines: Lines, path: tuple[str | int, ...], size: int, many: bool
) -> Iterator[Item]:
    for index, value in enumerate(items):
        line = lines.of(*path, index) if many else lines.of()
        yield item_of(Place(index, 0, size, line), value, "")


def _version_of(items: list[Any]) -> str:
    named = {str(each.get("dataset_version")) for each in items if isinstance(each, Mapping)}
    return named.pop() if len(named) == 1 and named != {"None"} else ""
