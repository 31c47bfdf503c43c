"""What a target is sent for a record."""

from typing import Any

import pytest

from apps.datasets.prompting import messages, reference_of
from apps.targets.contracts import Message
from tests.datasets.contract_v1 import record


def test_a_prompt_is_one_message_of_the_user_word_for_word() -> None:
    payload = record(prompt="  Why?\n", reference={"answer": "Because."})

    assert messages(payload) == (Message(role="user", content="  Why?\n"),)


@pytest.mark.parametrize(
    ("fields", "reference"),
    [
        ({}, None),
        ({"reference": {}}, None),
        ({"reference": {"facts": ["a"]}}, None),
        ({"reference": {"answer": ""}}, ""),
        ({"reference": {"answer": "Because."}}, "Because."),
    ],
)
def test_the_reference_is_the_answer_that_the_record_names(
    fields: dict[str, Any], reference: str | None
) -> None:
    assert reference_of(record(**fields)) == reference
