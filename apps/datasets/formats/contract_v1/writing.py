"""Writing a contract_v1 document, and the template that people start from."""

from collections.abc import Iterable, Iterator

import orjson

from apps.datasets.contracts import Header
from apps.datasets.formats.contract_v1.converting import fitted, fitted_header

TEMPLATE = b"""{
  "dataset_id": "support_questions",
  "dataset_version": "2026-01",
  "schema_version": "1.0",
  "created_at": "2026-01-15T10:05:12Z",
  "metadata": {
    "owner": "Alice",
    "task_type": "qa",
    "source": "questions of the first week of January"
  },
  "records": [
    {
      "record_id": "refund-after-30-days",
      "input": {
        "prompt": "Can I return a lamp that I bought 30 days ago? Answer in one sentence."
      },
      "reference": {
        "answer": "Yes: an unused lamp can be returned within 60 days with its receipt."
      },
      "tags": ["returns", "policy"],
      "expected": {
        "max_latency_ms": 4000,
        "required_criteria": ["accuracy", "clarity"]
      },
      "metadata": {"language": "en", "difficulty": "easy"}
    },
    {
      "record_id": "parcel-lost-in-transit",
      "input": {
        "prompt": "My parcel has not moved for nine days. What happens next?"
      },
      "reference": {
        "answer": "After seven days without a scan we search for it and send it again."
      },
      "tags": ["delivery"],
      "metadata": {"language": "en", "difficulty": "hard"}
    },
    {
      "record_id": "opening-hours",
      "input": {
        "prompt": "When is the shop in Bath open on Sundays?"
      }
    }
  ]
}
"""


def write(header: Header, payloads: Iterable[bytes]) -> Iterator[bytes]:
    """The document in pieces: compact JSON with one record, the bytes of a payload, a line."""
    fields = fitted_header(header).model_dump(exclude_none=True, exclude_defaults=True)
    yield orjson.dumps(fields)[:-1] + b',"records":[\n'
    for count, payload in enumerate(payloads):
        yield (b",\n" if count else b"") + fitted(payload)
    yield b"\n]}\n"
