"""What the documents of these formats say is still true."""

import re
from pathlib import Path

import orjson
import pytest

from apps.datasets.contracts import Rejected
from apps.datasets.formats.scenarios.scenario import FIELDS, RULES
from apps.datasets.formats.trace.events import CATALOG
from apps.traces.evidence import UNREADABLE
from tests.datasets.formats.test_trace_reading import SENTENCES
from tests.datasets.scenario_files import SCENARIOS, TRACE, as_lines, kept, messages, read

DOCS = Path(__file__).parents[3] / "docs" / "formats"
JSON = re.compile(r"^```json\n(.*?)^```", re.MULTILINE | re.DOTALL)
ABOUT_SCENARIOS = (DOCS / "scenarios.md").read_text()
ABOUT_TRACES = (DOCS / "trace.md").read_text()


@pytest.mark.parametrize(("text", "dialect"), [(ABOUT_SCENARIOS, SCENARIOS), (ABOUT_TRACES, TRACE)])
def test_the_example_of_the_document_is_accepted(text: str, dialect: object) -> None:
    example = orjson.loads(JSON.findall(text)[0])

    assert len(kept(as_lines(example), dialect=dialect)) == 1


def test_every_field_and_every_rule_is_told() -> None:
    untold = [name for name in [*FIELDS, *RULES] if f"`{name}`" not in ABOUT_SCENARIOS]

    assert untold == []


def test_every_event_and_every_fault_is_told() -> None:
    untold = [name for name in [*CATALOG, *UNREADABLE] if f"`{name}`" not in ABOUT_TRACES]

    assert untold == []


@pytest.mark.parametrize("line", [line for line, _ in SENTENCES], ids=str)
def test_every_sentence_about_an_event_is_told(line: object) -> None:
    sentence = messages(as_lines(line), dialect=TRACE)[0]

    assert sentence.split(":")[0] in ABOUT_TRACES


def test_a_file_of_more_lines_than_the_document_says_is_refused() -> None:
    with pytest.raises(Rejected, match="250,000"):
        read(TRACE, b'{"event_type": "span", "trace_id": "t"}\n' * 250_001)

    assert "250,000" in ABOUT_TRACES
