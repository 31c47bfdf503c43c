"""What a command tells of an answer: counts, the first errors and where to look for the rest."""

import time
from collections.abc import Callable, Iterator
from typing import Any, TextIO

SHOWN = 10
CLIP = 160
STORING = "\r\x1b[KStoring…"


def lines(answer: dict[str, Any]) -> Iterator[str]:
    """The body of an answer as sentences for a terminal."""
    if "error" in answer:
        yield from _refused(answer["error"])
    else:
        summary = answer["summary"]
        yield (
            f"{summary['accepted_records']:,} of {summary['total_records']:,} records accepted, "
            f"{summary['rejected_records']:,} rejected."
        )
    yield from _listed(answer.get("record_errors", []))
    if answer.get("warnings"):
        yield "Warnings:"
        yield from _listed(answer["warnings"])


def _listed(issues: list[dict[str, Any]]) -> Iterator[str]:
    for issue in issues[:SHOWN]:
        line = f"line {issue['line']}" if issue.get("line") else ""
        where = ", ".join(filter(None, (line, printable(issue["path"]))))
        code = f"{issue['code']}: " if issue["severity"] == "error" else ""
        yield f"  {where}{': ' if where else ''}{code}{printable(issue['message'])}"
        if issue.get("hint"):
            yield f"    {printable(issue['hint'])}"
    if len(issues) > SHOWN:
        yield f"  … and {len(issues) - SHOWN:,} more: --json lists them."


def progress_on(stream: TextIO) -> Callable[[int, int, int], None] | None:
    """Draws how far it is and how fast on a terminal; None where nobody looks."""
    if not stream.isatty():
        return None
    started = time.monotonic()

    def draw(done: int, total: int, records: int) -> None:
        seconds = max(0.1, time.monotonic() - started)
        share, rate = (done / total if total else 1.0), records / seconds
        pace = f"{records:,} records, {rate:,.0f} a second, {_left(done, total, seconds)}"
        stream.write(f"\r\x1b[KReading {share:4.0%}: {pace}" if done < total else STORING)
        stream.flush()

    return draw


def _left(done: int, total: int, seconds: float) -> str:
    return f"{seconds * (total - done) / done:,.0f} s left" if done else "just begun"


def end_progress(stream: TextIO) -> None:
    if stream.isatty():
        stream.write("\r\x1b[K")
        stream.flush()


def printable(text: str) -> str:
    """A text from a file that cannot move the cursor or fill the terminal."""
    safe = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
    return safe if len(safe) <= CLIP else safe[: CLIP - 1] + "…"


def _refused(error: dict[str, Any]) -> Iterator[str]:
    yield f"Rejected ({error['code']}): {printable(error['message'])}"
    for name, value in error["details"].items():
        if name != "errors":
            yield f"  {name}: {printable(str(value))}"
