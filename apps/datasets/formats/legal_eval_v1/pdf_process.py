"""Run by `pdf`, never imported: for each length on stdin, the text of the PDF handed over."""

import json
import logging
import os
import resource
import sys
from io import BytesIO
from typing import Any

CPU_SECONDS = 120


def main(descriptor: int, memory: int, most: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    logging.disable(logging.CRITICAL)
    replies = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    import pypdf  # noqa: F401 - under the limits, and before the clock runs

    _say(replies, {"ready": True})
    for line in sys.stdin:
        _say(replies, _reply(os.pread(descriptor, int(line), 0), most))


def _reply(content: bytes, most: int) -> dict[str, Any]:
    try:
        return {"text": _text(content, most)}
    except MemoryError:
        return {"error": "the PDF takes too much memory."}
    except RecursionError:
        return {"error": "the PDF is nested too deep."}
    except Exception as error:
        told = " ".join(str(error).split())[:200] or type(error).__name__
        return {"error": f"the PDF cannot be read ({told})."}


def _text(content: bytes, most: int) -> str:
    """The text of its pages, an empty line between; past `most` characters no further page."""
    from pypdf import PdfReader

    pages: list[str] = []
    size = 0
    for page in PdfReader(BytesIO(content)).pages:
        text = _plain(page.extract_text() or "").strip()
        if text:
            pages.append(text)
            size += len(text)
        if size > most:
            break
    return "\n\n".join(pages)[: most + 1]


def _plain(text: str) -> str:
    return text.replace("\0", "").encode("utf-8", "replace").decode()


def _say(descriptor: int, reply: dict[str, Any]) -> None:
    spelled = json.dumps(reply).encode() + b"\n"
    while spelled:
        spelled = spelled[os.write(descriptor, spelled) :]


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]))
