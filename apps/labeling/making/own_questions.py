"""Questions of one's own as people write them down, one a line. Pure.

helpful: Is it helpful? [yes/no]
tone: What is the tone? [one: friendly; neutral; rude]
topics: What is it about? [several: price; delivery]
depth: How deep does it go? [1-5]
why: What would you change? [text]
"""

import re
from collections.abc import Iterator

from apps.labeling.plans import Asked, Option

SHAPES = "[yes/no], [one: a; b], [several: a; b], [1-5] or [text]"
MOST = 20
_LINE = re.compile(r"(?P<name>[a-z][a-z0-9_]*)\s*:\s*(?P<title>.+?)\s*\[(?P<shape>[^\]]+)\]")
_SCALE = re.compile(r"1\s*-\s*(?P<last>[2-9]|10)")
_CHOICE = re.compile(r"(?P<kind>one|several)\s*:\s*(?P<options>.+)")
_LONGEST_VALUE = 80


def read(text: str) -> tuple[Asked, ...]:
    """ValueError names the line that cannot be read, and what one looks like."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) > MOST:
        raise ValueError(f"These are {len(lines)} questions; {MOST} at most.")
    return tuple(_asked(number, line) for number, line in enumerate(lines, 1))


def _asked(number: int, line: str) -> Asked:
    found = _LINE.fullmatch(line)
    if found is None:
        raise ValueError(f"Line {number}: write “name: Question? [yes/no]”; kinds are {SHAPES}.")
    name, title, shape = found["name"], found["title"], found["shape"].strip().lower()
    if shape == "yes/no":
        return Asked(name=name, title=title)
    if shape == "text":
        return Asked(name=name, title=title, kind="text", required=False)
    if scale := _SCALE.fullmatch(shape):
        numbers = [str(each) for each in range(1, int(scale["last"]) + 1)]
        options = tuple(Option(value=each, title=each) for each in numbers)
        return Asked(name=name, title=title, kind="rating", options=options, level="ordinal")
    if choice := _CHOICE.fullmatch(found["shape"].strip()):
        kind = "choice" if choice["kind"] == "one" else "several"
        chosen = tuple(_options(choice["options"]))
        return Asked.model_validate({"name": name, "title": title, "kind": kind, "options": chosen})
    raise ValueError(f"Line {number}: “[{found['shape']}]” is no kind of answer: {SHAPES}.")


def _options(text: str) -> Iterator[Option]:
    for title in (each.strip() for each in text.split(";")):
        if title:
            yield Option(value=title[:_LONGEST_VALUE], title=title[:200])
