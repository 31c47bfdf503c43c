"""What people read of an answer: the conversation, what was said and done, what it stands on. Pure.

Model output is plain text here; no field that shows it is rendered as Markdown.
"""

import re
from collections.abc import Iterable, Iterator

import orjson

from apps.grading.subjects import Subject, ToolCall, Turn
from apps.labeling.plans import Language

from .base import Field, Text

MOST_CRITERIA = 50
LONGEST_CALL = 2_000
LONGEST_ID = 200
_MORE = Text("({} further criteria are not asked for.)", "({} weitere werden nicht erfragt.)")
_BULLET = re.compile(r"\s*(?:[-*•]|\d{1,3}[.)])\s+")

_TITLES = {
    "query": Text("Query", "Anfrage"),
    "response": Text("Response", "Antwort"),
    "context": Text("Context", "Kontext"),
    "chunk": Text("Retrieved passage", "Gefundener Abschnitt"),
    "reference": Text("Reference answer", "Referenzantwort"),
    "criteria": Text("Criteria", "Kriterien"),
}
NAMES = frozenset(_TITLES)


def field(name: str, language: Language, *, required: bool = True) -> Field:
    return Field(name=name, title=_TITLES[name].of(language), required=required)


def query(subject: Subject) -> str:
    """What was asked: one message as it stands, a conversation with who says what."""
    turns = subject.messages or (Turn(role="user", content=subject.prompt),)
    return turns[0].content if len(turns) == 1 else "\n\n".join(_turn(turn) for turn in turns)


def response(subject: Subject) -> str:
    """What the system said, with the tools that it called; of a session each run in its turn."""
    if len(subject.session) > 1:
        return "\n\n".join(_session(subject))
    return _parts([*_calls(subject.tool_calls), subject.response])


def context(subject: Subject) -> str:
    """All that the answer was to rest on, each passage by its id where there are several."""
    passages = [f"[{chunk.id}]\n{chunk.text}" for chunk in subject.chunks if chunk.text.strip()]
    return subject.context or "\n\n".join(passages) or _given(subject)


def units(subject: Subject) -> tuple[str, ...]:
    """The ids of the chunks, as long as they are kept."""
    return tuple(dict.fromkeys(each.id[:LONGEST_ID] for each in subject.chunks))


def chunk(subject: Subject, unit: str) -> str:
    return next((each.text for each in subject.chunks if each.id[:LONGEST_ID] == unit), "")


def criteria(subject: Subject) -> tuple[str, ...]:
    """What the record says a good answer is like; an item of a list each."""
    titled = (_parts([item.title, item.description], " – ") for item in subject.rubric)
    return tuple(text for text in titled if text) or tuple(_listed(subject.criteria))


def checklist(subject: Subject, language: Language) -> str:
    """The criteria with their numbers: the first 50, and how many more there are."""
    found = criteria(subject)
    lines = [f"{number}. {text}" for number, text in enumerate(found[:MOST_CRITERIA], 1)]
    if more := len(found) - len(lines):
        lines.append(_MORE.of(language).format(more))
    return "\n\n".join(lines)


def filled(**texts: str) -> dict[str, str]:
    """The texts without the empty ones, which a field that is not required leaves out."""
    return {name: text for name, text in texts.items() if text.strip()}


def _turn(turn: Turn) -> str:
    return f"{turn.role.capitalize()}: {_parts([turn.content, *_calls(turn.tool_calls)])}"


def _session(subject: Subject) -> Iterator[str]:
    for run in subject.session:
        if run.user_input:
            yield f"User: {run.user_input}"
        yield f"Assistant: {_parts([*_calls(run.tool_calls), run.output_text])}"


def _calls(calls: Iterable[ToolCall]) -> list[str]:
    return [f"→ {call.name}({_clipped(call.arguments)}){_result(call)}" for call in calls]


def _result(call: ToolCall) -> str:
    return "" if call.result is None else f"\n← {_clipped(call.result)}"


def _clipped(value: object) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return text if len(text) <= LONGEST_CALL else f"{text[:LONGEST_CALL]} …"


def _given(subject: Subject) -> str:
    """The context beside a prompt of the dataset contract."""
    asked = subject.record.get("input")
    found = asked.get("context") if isinstance(asked, dict) else None
    return found if isinstance(found, str) else ""


def _listed(text: str) -> Iterator[str]:
    """The items of a list, where every line is one; else the text as a whole."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > 1 and all(_BULLET.match(line) for line in lines):
        yield from (_BULLET.sub("", line, count=1).strip() for line in lines)
    elif lines:
        yield text.strip()


def _parts(texts: Iterable[str], between: str = "\n") -> str:
    return between.join(text for text in texts if text.strip())
