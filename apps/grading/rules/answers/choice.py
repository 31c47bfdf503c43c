"""Multiple choice: the option that the answer names."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

from apps.grading.contracts import Check, Score, Subject
from apps.grading.rules.answers.structure import read_json
from apps.grading.rules.base import Example, Rule, WhenMissing, when_missing
from apps.grading.rules.words import kept

VERIFIER = "exact_match_v1"
MAX_REASONING = 2_000
MAX_ID = 200
MAX_EXPECTED = 50
_NOT_PARSED = "Failed to parse JSON candidate answer."
_NO_JSON = "Parse error: candidate output was not valid JSON."
_NO_OBJECT = "Parse error: candidate output was not a JSON object."


class MultipleChoice(Rule):
    """The answer names one of the record's correct options: 1, otherwise 0.

    The answer must be JSON like {"answer": "C", "reasoning": "…"}, alone or with other text
    around the outermost braces; of a list under "answer" the first text counts. An id is read
    without regard to case and up to its first mark: c, C., (C) and C) text are all C, while
    Option C is not. Any one of several correct options is enough. Where two options of a record
    would be the same when read so, like q-1 and q-2, whole ids are compared instead.

    An answer that is no JSON object scores 0 with parse_error: what it was asked for is the
    target's to give. Where no choice can be read at all it is a 0 with `negate` too. A record
    without correct options has nothing to judge by. What is written down is that of the grader
    exact_match_v1 of legal_eval_v1, word for word.
    """

    title = "Multiple choice"
    examples = (
        Example(
            says="A letter with a mark is the option of that letter.",
            subject=Subject(
                response='{"answer": "(b)", "reasoning": "No form is prescribed."}',
                choices=({"id": "A", "text": "Yes"}, {"id": "B", "text": "No"}),
                correct_choice_ids=("B",),
            ),
            value=1.0,
        ),
        Example(
            says="An answer that is no JSON is a 0, not a missing score.",
            subject=Subject(response="I pick B", correct_choice_ids=("B",)),
            value=0.0,
        ),
        Example(
            says="A record that is no multiple-choice question is left to the other rules.",
            subject=Subject(response="Within 30 days.", reference_answers=("30 days",)),
            value=None,
        ),
    )

    type: Literal["multiple_choice"] = "multiple_choice"
    when_missing: WhenMissing = when_missing("skip")

    def grade(self, subject: Subject) -> Score:
        expected = subject.correct_choice_ids
        if not expected:
            return self.cannot_say("The record names no correct choice.")
        reply = read_reply(subject.response)
        known = (*(choice.id for choice in subject.choices), *expected)
        selected = selected_id(reply.answer, known)
        right = selected in expected
        if unread := selected is None:
            right = self.negate  # what is turned round is a 0 then, as without
        chosen = _compared(selected, expected)
        reason = " | ".join(part for part in (reply.reasoning, chosen, reply.fault) if part)
        score = self.scored(
            float(right),
            reason=reason,
            checks=(Check(text=chosen, passed=right),),
            raw={
                "selected": selected and kept(selected, MAX_ID),
                "expected": [kept(each, MAX_ID) for each in expected[:MAX_EXPECTED]],
                "parse_error": bool(reply.fault),
                "verifier": VERIFIER,
            },
        )
        return score.model_copy(update={"reason": reason}) if unread else score


class Choice(NamedTuple):
    """What a reply selects, as it spells it, and why; `fault` where it could not be read."""

    answer: str | None
    reasoning: str
    fault: str = ""


def read_reply(text: str) -> Choice:
    """The first text under "answer" of the reply's JSON; bounded as `read_json` is."""
    try:
        document = _document(text)
    except ValueError:
        return Choice(None, _NOT_PARSED, _NO_JSON)
    if not isinstance(document, dict):
        return Choice(None, _NOT_PARSED, _NO_OBJECT)
    reasoning = document.get("reasoning")
    said = kept(reasoning.strip(), MAX_REASONING) if isinstance(reasoning, str) else ""
    return Choice(_answer(document.get("answer")), said)


def selected_id(answer: str | None, known: Iterable[str]) -> str | None:
    """The id of the choices that the answer names; its own words where it names none."""
    ids = list(dict.fromkeys(known))
    if answer is None or answer in ids:
        return answer
    for reading in (normalised_id, str.upper):
        read = {reading(each): each for each in ids}
        if len(read) == len(ids) and "" not in read:  # read so, the ids are still told apart
            return read.get(reading(answer), answer)
    return answer


def normalised_id(text: str) -> str:
    """From the first letter or digit to the last before another mark, in upper case."""
    start = next((at for at, mark in enumerate(text) if mark.isalnum()), len(text))
    end = next((at for at in range(start, len(text)) if not text[at].isalnum()), len(text))
    return text[start:end].upper()


def _document(text: str) -> Any:
    try:
        return read_json(text.strip())
    except ValueError:
        first, last = text.find("{"), text.rfind("}")
        if first < 0 or last < first:
            raise
        return read_json(text[first : last + 1])


def _answer(value: Any) -> str | None:
    offered = value if isinstance(value, list) else [value]
    said = next((each for each in offered if isinstance(each, str)), "")
    return said.strip() or None


def _compared(selected: str | None, expected: Sequence[str]) -> str:
    chosen = "(none)" if selected is None else kept(selected, MAX_ID)
    wanted = [kept(each, MAX_ID) for each in expected[:MAX_EXPECTED]]
    return f"Selected={chosen}; expected={wanted}"


RULES: tuple[type[Rule], ...] = (MultipleChoice,)
