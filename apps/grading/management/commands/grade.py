"""`evalhub grade --rule FILE --subject FILE`: what rules say of an answer; nothing is stored."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from django.core.management.base import BaseCommand, CommandError, CommandParser
from pydantic import ValidationError

from apps.accounts.commands import REFUSED
from apps.grading import documents
from apps.grading.reading import SubjectError, read_subject
from apps.grading.reading.files import read_answers, read_subjects
from apps.grading.reading.rules import RulesToTry, rules_to_try
from apps.grading.reading.texts import SpecError, read_value
from apps.grading.spec import judge
from apps.grading.trying import answers_from, questions_in_order, told

MOST_BYTES = 100_000_000
EXPECTED = (SpecError, SubjectError, CommandError)


class Command(BaseCommand):
    help = (
        "Apply a rule, a list of rules or a contract to a subject, or to each of a JSON array of "
        "them. Nothing is stored and nobody is asked: a judge's replies come from --answers."
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--rule", required=True, metavar="FILE", help="YAML or JSON; - reads standard input"
        )
        parser.add_argument(
            "--subject", required=True, metavar="FILE", help="JSON or JSON Lines; - as above"
        )
        parser.add_argument(
            "--answers",
            metavar="FILE",
            help="a judge's replies: JSON by call, or a list in the order of the questions",
        )
        parser.add_argument(
            "--questions", action="store_true", help="also tell what a judge would be asked"
        )
        parser.add_argument("--json", action="store_true", dest="as_json", help="print JSON")

    def handle(self, *, as_json: bool, **given: Any) -> None:
        try:
            answers = self._graded(**given)
        except EXPECTED as error:
            self._refuse(str(error), as_json=as_json)
        if as_json:
            self.stdout.write(json.dumps(answers, indent=2))
            return
        for line in _lines(answers if isinstance(answers, list) else [answers]):
            self.stdout.write(line.encode(errors="replace").decode())

    def _graded(
        self, *, rule: str, subject: str, answers: str | None, questions: bool, **_: Any
    ) -> Any:
        rules = _rules(_text_of(rule))
        replies = read_answers(_text_of(answers), name=answers) if answers else None
        found = read_subjects(_text_of(subject), name=subject)
        if not isinstance(found, list):
            return self._one(rules, found, replies, questions)
        return [self._one(rules, each, replies, questions) for each in found]

    def _one(self, rules: RulesToTry, document: Any, replies: Any, questions: bool) -> Any:
        read = read_subject(document)
        for key in read.unknown:
            self.stderr.write(f"The key {key[:60]!r} is not known here; it is left out.")
        in_force = rules.on(read.own)
        asked = questions_in_order(in_force, read.subject)
        answer = told(judge(in_force, read.subject, answers_from(replies, asked)))
        if rules.alone:
            first = answer["scores"][0]
            answer |= {key: first[key] for key in ("value", "verdict", "assertions")}
        if questions:
            answer["questions"] = [
                {"rule": rule.name, **question.model_dump()} for rule, question in asked
            ]
        return answer

    def _refuse(self, why: str, *, as_json: bool) -> NoReturn:
        if not as_json:
            raise CommandError(why, returncode=REFUSED)
        self.stdout.write(json.dumps({"error": why}, indent=2))
        sys.exit(REFUSED)


def _rules(text: str) -> RulesToTry:
    document = read_value(text)
    try:
        return rules_to_try(document)
    except ValidationError as error:
        raise SpecError(*documents.explain(error, document)) from None


def _text_of(file: str) -> str:
    try:
        if file == "-":
            return sys.stdin.read()
        path = Path(file)
        if path.is_file() and path.stat().st_size > MOST_BYTES:
            raise CommandError(f"{file} has more than {MOST_BYTES:,} bytes.", returncode=REFUSED)
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise CommandError(f"{file} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise CommandError(f"{file} is not text in UTF-8.") from None


def _lines(answers: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for answer in answers:
        reason = f": {answer['reason']}" if answer["reason"] else ""
        yield f"{answer['outcome']}  {_number(answer['score'])}{reason}"
        for score in answer["scores"]:
            why = f"  {score['reason']}" if score["reason"] else ""
            yield f"  {score['rule']:20}  {score['verdict']:5}  {_number(score['value'])}{why}"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3g}"
