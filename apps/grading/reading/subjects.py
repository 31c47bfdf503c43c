"""One subject from the document that somebody wrote of it."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from apps.contract import Contract
from apps.grading.combining import OwnRules
from apps.grading.complaints import path, sentence_of, told
from apps.grading.dialects.scenarios import of_outcomes
from apps.grading.subjects import Subject, Turn

from . import parts
from .messages import are_messages, content, last_words, parted, tool_calls, turns
from .values import SubjectError, first_of, listed, mapping, number, said, text, texts, whole

RECORD_ID = ("record_id", "id", "test_id", "eval_id", "example_id", "scenario_id")
PROMPT = ("prompt", "question", "query", "instructions", "user_input", "user_inputs")
MESSAGES = ("messages", "input_messages", "input")
RESPONSE = (
    "response",
    "output",
    "answer",
    "candidate_answer",
    "output_text",
    "response_text",
    "actual_output",
    "completion",
)
TURNS = ("turns", "output_messages")
REFERENCE = (
    "reference_answers",
    "reference_answer",
    "reference",
    "references",
    "expected_output",
    "expected_response",
    "expected_answer",
    "expected_messages",
)
CRITERIA = ("criteria", "expected_outcome", "outcome")
CORRECT = ("correct_choice_ids", "correct_choice_id", "correct_choices", "correct")
RUBRIC = ("rubric", "rubrics")
CONTEXT = ("context", "contexts", "retrieved_context")
CHUNKS = ("chunks", "retrieved_chunks", "documents", "retrieved")
RELEVANT = ("relevant_chunk_ids", "relevant_ids")
SESSION = ("session", "runs", "session_runs")
TRACE = ("trace", "events")
VERIFIERS = ("verifier_outputs", "verifier_output")
OWN_VERIFIER = ("process_score", "outcome_score", "failure_attribution", "verifier_evidence_refs")
LATENCY = ("latency_ms", "duration_ms")
COST = ("cost", "cost_usd")
USAGE = ("token_usage", "usage")
TOKENS = {
    "input_tokens": ("input_tokens", "prompt_tokens", "input"),
    "output_tokens": ("output_tokens", "completion_tokens", "output"),
    "cached_tokens": ("cached_tokens", "cached"),
}
ASSERTIONS = ("assertions", "assert", "evaluators")
GRADING_RULES = ("grading_rules",)
OUTCOMES = ("expected_outcomes",)
ALSO_KNOWN = (
    "expected_turns",
    "choices",
    "tool_calls",
    "policy",
    "labels",
    "tags",
    "record",
    "trial",
    "session_id",
    "verifier_id",
    "verifier_contract_version",
    "expected",
    "metadata",
    "kind",
    "dataset",
    "task_type",
    "schema_version",
    "task_success",
    "risk_class",
)
KNOWN = frozenset(
    name
    for names in (
        *(RECORD_ID, PROMPT, MESSAGES, RESPONSE, TURNS, REFERENCE, CRITERIA, CORRECT, RUBRIC),
        *(CONTEXT, CHUNKS, RELEVANT, SESSION, TRACE, VERIFIERS, OWN_VERIFIER, LATENCY, COST),
        *(USAGE, ("input_tokens", "prompt_tokens"), ("output_tokens", "completion_tokens")),
        *(("cached_tokens",), ASSERTIONS, GRADING_RULES, OUTCOMES, parts.OF_A_RUN, ALSO_KNOWN),
    )
    for name in names
)


class ReadSubject(Contract):
    """A subject, the rules that it brings itself, and the keys that nobody knows."""

    subject: Subject
    own: OwnRules
    unknown: tuple[str, ...]


def read_subject(document: Any) -> ReadSubject:
    """The subject in a document; SubjectError says which value cannot be."""
    given = mapping(document, "A subject")
    try:
        return ReadSubject(
            subject=_subject(given),
            own=_own(given),
            unknown=tuple(str(key) for key in given if key not in KNOWN),
        )
    except ValidationError as error:  # half a character, for one
        first = error.errors(include_url=False)[0]
        where = path(first["loc"]).removeprefix(".")
        raise SubjectError(told(where, sentence_of(first))) from None


def _subject(given: Mapping[str, Any]) -> Subject:
    said_of = {**_conversation(given), **_known_of_it(given), **_took(given)}
    said_of["session"] = _session(given, said_of)
    return Subject(**said_of)


def _conversation(given: Mapping[str, Any]) -> dict[str, Any]:
    """What was asked and answered: prompt, messages, response and turns."""
    name, words = first_of(given, *RESPONSE)
    place, written = first_of(given, *MESSAGES)
    answered = words is not None or any(given.get(key) for key in TURNS)
    if place == "input" and not are_messages(written):
        written = None
    asked, done = parted(turns(written, place), answered=answered)
    done += _done(given, name, words)
    said_words = "" if are_messages(words) else _words(words, name)
    prompt = _prompt(given, asked)
    return {
        "prompt": prompt,
        "messages": tuple(asked) or ((Turn(role="user", content=prompt),) if prompt else ()),
        "response": said_words if words is not None and said_words else last_words(done),
        "turns": tuple(done),
    }


def _done(given: Mapping[str, Any], name: str, words: Any) -> list[Turn]:
    """What the system did, as far as it stands outside of the messages that were asked."""
    done = list(turns(words, name)) if are_messages(words) else []
    place, written = first_of(given, *TURNS)
    done += turns(written, place)
    traced, steps = first_of(given, *TRACE)
    steps = steps.get("messages") if isinstance(steps, Mapping) else steps
    if are_messages(steps):
        done += turns(steps, traced)
    calls = tool_calls(given.get("tool_calls"), "tool_calls") or parts.called(steps, traced)
    if calls and not any(turn.tool_calls for turn in done):
        done.append(Turn(role="assistant", tool_calls=calls))
    return done


def _words(value: Any, place: str) -> str:
    if isinstance(value, Mapping) and "role" in value and "content" in value:
        return content(value["content"], f"{place}.content")
    return text(value, place)


def _prompt(given: Mapping[str, Any], asked: list[Turn]) -> str:
    place, words = first_of(given, *PROMPT)
    if isinstance(words, list):
        return "\n".join(texts(words, place))
    if words is not None:
        return text(words, place)
    if isinstance(given.get("input"), str):
        return str(given["input"])
    spoken = [turn.content for turn in asked if turn.role == "user"]
    return spoken[-1] if spoken else ""


def _known_of_it(given: Mapping[str, Any]) -> dict[str, Any]:
    """What is known beside the answer: references, choices, rubric, context, evidence."""
    place, passages = first_of(given, *CHUNKS)
    context, written = first_of(given, *CONTEXT)
    retrieved = parts.chunks(passages, place)
    if isinstance(written, list) and not retrieved:
        retrieved = parts.chunks(written, context)
    together = "\n\n".join(chunk.text for chunk in retrieved)
    return {
        "record_id": text(first_of(given, *RECORD_ID)[1], "record_id"),
        **_expected(given),
        "criteria": text(first_of(given, *CRITERIA)[1], "criteria"),
        "choices": parts.choices(given.get("choices"), "choices"),
        "correct_choice_ids": texts(first_of(given, *CORRECT)[1], "correct_choice_ids"),
        "rubric": parts.rubric(first_of(given, *RUBRIC)[1], "rubric"),
        "context": together if not isinstance(written, str) else written,
        "chunks": retrieved,
        "relevant_chunk_ids": texts(first_of(given, *RELEVANT)[1], "relevant_chunk_ids"),
        "policy": text(given.get("policy"), "policy"),
        "labels": texts(first_of(given, "labels", "tags")[1], "labels"),
        "trace": _events(given),
        "verifier_outputs": _verifiers(given),
        "record": dict(mapping(given.get("record") or given, "record")),
    }


def _expected(given: Mapping[str, Any]) -> dict[str, Any]:
    place, words = first_of(given, *REFERENCE)
    known = turns(given.get("expected_turns"), "expected_turns")
    if are_messages(words):
        known = known or turns(words, place)
        words = [known[-1].content] if known and known[-1].content else []
    return {"reference_answers": texts(words, place), "expected_turns": known}


def _events(given: Mapping[str, Any]) -> Any:
    place, steps = first_of(given, *TRACE)
    if isinstance(steps, Mapping):
        place, steps = f"{place}.events", steps.get("events")
    if are_messages(steps) or parts.called(steps, place):
        return ()
    return parts.events(steps, place)


def _verifiers(given: Mapping[str, Any]) -> Any:
    place, written = first_of(given, *VERIFIERS)
    if written is None and any(given.get(key) is not None for key in OWN_VERIFIER):
        written = given
    return parts.verifier_outputs(written, place)


def _took(given: Mapping[str, Any]) -> dict[str, Any]:
    """What the answer took; tokens from the usage where they do not stand by themselves."""
    place, written = first_of(given, *USAGE)
    usage = mapping(written, place) if written is not None else {}
    counted = {}
    for name, names in TOKENS.items():
        where, count = first_of(given, *names[:2] if name != "cached_tokens" else names[:1])
        if count is None:
            where, count = first_of(usage, *names)
        counted[name] = whole(count, where)
    return {
        **counted,
        "latency_ms": whole(first_of(given, *LATENCY)[1], "latency_ms"),
        "cost": number(first_of(given, *COST)[1], "cost"),
        "trial": whole(given.get("trial"), "trial") or 0,
    }


def _session(given: Mapping[str, Any], said_of: Mapping[str, Any]) -> Any:
    """Its runs; an answer that says how its run ended is a session of that one."""
    place, written = first_of(given, *SESSION)
    if written is not None:
        return parts.runs(written, place)
    if not any(given.get(key) for key in parts.OF_A_RUN):
        return ()
    alone = {key: value for key, value in given.items() if key in parts.OF_A_RUN}
    answer = {"user_input": said_of["prompt"], "output_text": said_of["response"]}
    return (parts.run({**alone, **answer}, "subject"),)


def _own(given: Mapping[str, Any]) -> OwnRules:
    """Rules that stand with the subject: assertions, grading rules, expected outcomes."""
    _, asserted = first_of(given, *ASSERTIONS)
    outcomes = given.get("expected_outcomes")
    rules = [
        *listed(asserted),
        *listed(given.get("grading_rules")),
        *(of_outcomes(outcomes) if isinstance(outcomes, Mapping) else ()),
    ]
    if wrong := [rule for rule in rules if not isinstance(rule, Mapping)]:
        raise SubjectError(f"A rule of a subject is an object with a type, not {said(wrong[0])}.")
    return OwnRules(rules=tuple(dict(rule) for rule in rules))
