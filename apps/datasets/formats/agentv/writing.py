"""Writing agentv lines, the sidecar that goes with them, and the template."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import orjson
import yaml

from apps.datasets import prompting
from apps.datasets.contracts import Header, Unfit
from apps.datasets.formats.lines import loads
from apps.datasets.formats.yaml_text import NotYaml, load_yaml

OWN = ("case", "result")

TEMPLATE = b"""\
{"id": "return-after-30-days", "criteria": "Says that an unused lamp can be returned within 60 days with its receipt.", "input": [{"role": "system", "content": "You answer for a lamp shop, in one sentence."}, {"role": "user", "content": "Can I return a lamp that I bought 30 days ago?"}], "expected_output": "Yes: an unused lamp can be returned within 60 days with its receipt."}
{"id": "opening-hours", "conversation_id": "visit", "criteria": "Names the hours of the shop in Bath.", "input": "When is the shop in Bath open on Sundays?", "assertions": [{"type": "icontains", "value": "closed on Sundays"}]}
{"id": "parcel-as-json", "criteria": "Decides to search for the parcel, and says so as JSON.", "input": "My parcel has not moved for nine days. Answer with {\\"action\\": \\"search\\"} or {\\"action\\": \\"wait\\"}.", "expected_output": {"action": "search"}, "assertions": [{"type": "is-json"}, "The action is to search"], "metadata": {"topic": "delivery"}}
"""  # noqa: E501


def write(payloads: Iterable[bytes]) -> Iterator[bytes]:
    """One row a line, as it was; what another format said becomes a case, or raises Unfit."""
    before = b""
    for spelled in payloads:
        payload = loads(spelled)
        line = _line(_row(payload))
        another_prompt = (payload.get("resolved") or {}).get("prompt", {}).get("number", 1) > 1
        if not (another_prompt and line == before):
            yield line
        before = line


def sidecar(header: Header) -> str:
    """The YAML that must stand beside the lines (`<base>.yaml`) for them to mean the same."""
    said = header.metadata.get("suite") or {"name": header.dataset_id}
    text = yaml.dump(
        said,
        Dumper=_Dumper,
        allow_unicode=True,
        sort_keys=False,
        width=100,
        default_flow_style=False,
    )
    return str(text)


def _row(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    if prompting.kind_of(payload) in OWN:
        row: Mapping[str, Any] = payload["row"]
        return row
    record_id = str(payload["record_id"])
    reference = prompting.reference_of(payload)
    if not reference:
        raise Unfit(f"{record_id} names no right answer: a case needs one, or criteria.")
    messages = [message.model_dump() for message in prompting.messages(payload)]
    case = {"id": record_id, "input": messages, "expected_output": reference}
    kind = prompting.kind_of(payload)
    return {**case, "metadata": {kind: payload.get("row", payload)}}


def _line(row: Mapping[str, Any]) -> bytes:
    try:
        return orjson.dumps(row) + b"\n"
    except TypeError:  # an integer of more than 64 bits
        return json.dumps(row, ensure_ascii=False).encode() + b"\n"


class _Dumper(yaml.SafeDumper):
    """Writes what our own reader reads as the same: the two disagree on what a bare text is."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=_style(text))


def _style(text: str) -> str | None:
    try:
        plain = load_yaml(text) == text
    except NotYaml:
        plain = False
    return None if plain else '"'


_Dumper.add_representer(str, _text)
