"""The manual of the rules: a page in Markdown for each type, and an index. Pure."""

from collections.abc import Iterator, Sequence

from .catalog import RulePage, SettingEntry, ShownExample, families, rule_page
from .contracts import Score

INDEX = "README.md"
_MADE = "<!-- Made by `evalhub contract rules --write docs/rules`: change the class, not this. -->"
_METHODS = {"code": "computed", "judge": "asks a judge"}


def manual() -> dict[str, str]:
    """Every page by the name of its file."""
    listed = [rule.type for family in families() for rule in family.rules]
    return {INDEX: _index(), **{f"{name}.md": _page(rule_page(name)) for name in listed}}


def _index() -> str:
    lines = [
        "# The rules of grading contracts",
        _MADE,
        "Each rule gives an answer a value from 0 to 1, or none with the reason. These are all of "
        "them, by what they look at.",
    ]
    for family in families():
        lines.append(f"## {family.title}")
        rows = [
            (f"[`{rule.type}`]({rule.type}.md)", rule.title, _METHODS[rule.method], rule.summary)
            for rule in family.rules
        ]
        lines.append(_table(("Type", "Title", "How", "What it does"), rows))
    return "\n\n".join(lines) + "\n"


def _page(page: RulePage) -> str:
    parts = [
        f"# {page.title}: `{page.type}`",
        _MADE,
        f"[{page.family}]({INDEX}) · {_METHODS[page.method]} · looks at the {page.aspect}",
        page.description,
        "## Settings",
        _settings(page.own) if page.own else "It has none of its own.",
        "## What every rule has",
        _settings(page.common),
        "## Examples" if page.examples else "",
        *(part for example in page.examples for part in _example(example)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _settings(settings: Sequence[SettingEntry]) -> str:
    rows = [
        (f"`{each.name}`", each.kind, each.default or "must be given", each.help)
        for each in settings
    ]
    return _table(("Setting", "Kind", "Default", "What it does"), rows)


def _example(example: ShownExample) -> Iterator[str]:
    yield f"### {example.says}"
    yield f"```yaml\n{example.settings}\n```"
    yield f"The answer, and what is known of it:\n\n```yaml\n{example.subject}\n```"
    for call, reply in example.replies:
        yield f"The judge says to `{call}`:\n\n```text\n{reply}\n```"
    yield _score(example.score)


def _score(score: Score) -> str:
    value = "no value" if score.value is None else f"{score.value:.4g}"
    reason = f": {_one_line(score.reason)}" if score.reason else ""
    line = f"Gives **{value}**, {score.verdict}{reason}"
    checks = [
        f"- {'yes' if check.passed else 'no'}: {_one_line(check.text)}" for check in score.checks
    ]
    return "\n\n".join([line, "\n".join(checks)]) if checks else line


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(_cell(each) for each in line)} |" for line in lines)


def _cell(text: str) -> str:
    return _one_line(text).replace("|", "\\|")


def _one_line(text: str) -> str:
    return " ".join(text.split())
