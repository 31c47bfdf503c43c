"""Pages of datasets as people get them."""

import re
from html import unescape
from typing import Any

from django.http import HttpResponse

HOSTILE = '<script>alert("x")</script>'


def text_of(answer: HttpResponse) -> str:
    """What people read: tags away, white space folded."""
    content = answer.content.decode()
    main = content[content.index("<main") :] if "<main" in content else content
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", main)).split())


def streamed(answer: Any) -> str:
    return b"".join(answer.streaming_content).decode()
