"""Rules tried on a subject that is at hand: what they say, and nothing stored. Pure."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .contracts import Answer, Judgment, Question, Score
from .rules import Rule
from .spec import Answers, RuleSet
from .subjects import Subject

Asked = tuple[Rule, Question]


def questions_in_order(rules: RuleSet, subject: Subject) -> tuple[Asked, ...]:
    """Every question to a judge, rule after rule."""
    return tuple((rule, question) for rule in rules.judge_rules for question in rule.ask(subject))


def answers_from(given: Any, asked: Sequence[Asked]) -> Answers:
    """The replies that somebody wrote down, by the rule that asked.

    `given` is a list in the order of the questions; or an object of replies by call, by rule, or
    by "rule call"; or one reply to all of them. A reply is a text or its JSON; a list of two is a
    reply and the one to the question that is asked again. What is not given was not asked.
    """
    found: dict[str, list[Answer]] = {}
    for place, (rule, question) in enumerate(asked):
        texts = _replies(given, place, rule, question, len(asked))
        if texts:
            found.setdefault(rule.name, []).append(_answer(rule, question, texts))
    return {name: tuple(answers) for name, answers in found.items()}


def told(judgment: Judgment) -> dict[str, Any]:
    """A judgment as JSON has it."""
    return {
        "outcome": judgment.outcome,
        "score": judgment.score,
        "process_score": judgment.process_score,
        "outcome_score": judgment.outcome_score,
        "reason": judgment.reason,
        "scores": [told_score(score) for score in judgment.scores],
    }


def told_score(score: Score) -> dict[str, Any]:
    return {
        "rule": score.rule,
        "type": score.type,
        "value": score.value,
        "verdict": score.verdict,
        "passed": None if score.value is None else score.verdict == "pass",
        "reason": score.reason,
        "assertions": [check.model_dump(exclude_defaults=True) for check in score.checks],
        "source": score.source,
        "verifier": score.verifier,
        "method": score.method,
        "judge": score.judge,
        "raw": score.raw,
        "evidence": list(score.evidence),
    }


def _answer(rule: Rule, question: Question, texts: Sequence[str]) -> Answer:
    """The first reply; the second where the first cannot be read."""
    said = texts[0]
    if len(texts) > 1 and rule.complaint(question, said):
        said = texts[1]
    return Answer(call=question.call, text=said)


def _replies(given: Any, place: int, rule: Rule, question: Question, asked: int) -> list[str]:
    if isinstance(given, list):
        return _texts(given[place]) if place < len(given) else []
    if not isinstance(given, Mapping):
        return _texts(given)
    for key in (f"{rule.name} {question.call}", question.call):
        if key in given:
            return _texts(given[key])
    if rule.name in given:
        return _of_rule(given[rule.name], question)
    return _texts(given) if asked == 1 else []  # the reply itself, as an object


def _of_rule(said: Any, question: Question) -> list[str]:
    if isinstance(said, Mapping) and question.call in said:
        return _texts(said[question.call])
    return _texts(said)


def _texts(said: Any) -> list[str]:
    return [text for each in (said if isinstance(said, list) else [said]) for text in _text(each)]


def _text(said: Any) -> Iterator[str]:
    if said is not None:
        yield said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
