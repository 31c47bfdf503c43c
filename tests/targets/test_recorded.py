import pytest

from apps.targets.adapters import AnswersError, read_answers

from .asking import question, reply_to, spec


def test_the_answer_is_the_text_at_the_field() -> None:
    record = {"metadata": {"responses": [{"text": "first"}, {"text": "second"}]}}
    target = spec("recorded", field="metadata.responses[1].text")

    reply = reply_to(target, question("x", record=record))

    assert reply.text == "second"
    assert reply.latency_ms is None
    assert reply.usage.total_tokens is None
    assert reply.cost is None


@pytest.mark.parametrize(
    "record", [{}, {"reference": {"answer": 5}}, {"reference": {"answer": ""}}]
)
def test_a_record_without_a_text_there_has_no_answer(record: dict[str, object]) -> None:
    reply = reply_to(spec("recorded"), question("x", record=record))

    assert reply.error_code == "no_answer"
    assert reply.detail == "Record q_1 has no text in reference.answer."


def test_an_answers_file_is_looked_up_by_record() -> None:
    target = spec("recorded", source="answers")

    found = reply_to(target, question("x"), answers={"q_1": "from the file"})
    missing = reply_to(target, question("x"), answers={})

    assert found.text == "from the file"
    assert missing.error_code == "no_answer"


def test_answers_are_read_line_by_line() -> None:
    raw = (
        b'\xef\xbb\xbf{"record_id": "a", "response": "1"}\r\n\n{"record_id": "b", "response": ""}\n'
    )

    assert read_answers(raw) == {"a": "1", "b": ""}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"nonsense", "Line 2: write a JSON object"),
        (b'["a", "b"]', "Line 2: write a JSON object"),
        (b'{"record_id": "b"}', "Line 2: write a JSON object"),
        (b'{"record_id": 5, "response": "x"}', "Line 2: record_id and response must be strings"),
        (b'{"record_id": "a", "response": "x"}', "Line 2: record a has an answer already"),
    ],
)
def test_a_line_that_is_no_answer_is_named(line: bytes, words: str) -> None:
    with pytest.raises(AnswersError, match=words):
        read_answers(b'{"record_id": "a", "response": "1"}\n' + line)
