"""Secrets: what they look like, and what looks like them but is none."""

import base64
import binascii
import math
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import re2

from .detector import Detector, encodable, matching

_START = r"(?:^|[^A-Za-z0-9]|\\[nrt])"  # also after the \n of a text that is JSON itself

_KEYS = (
    r"sk-[A-Za-z0-9_-]{20,}",
    r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b",
    r"gh[pousr]_[A-Za-z0-9]{36,}",
    r"github_pat_[A-Za-z0-9_]{22,}",
    r"glpat-[A-Za-z0-9_-]{20,}",
    r"xox[abeoprs]-[A-Za-z0-9-]{10,}",
    r"xapp-[0-9]-[A-Za-z0-9-]{10,}",
    r"hooks\.slack\.com/services/[A-Za-z0-9/]{20,}",
    r"AIza[A-Za-z0-9_-]{35}",
    r"ya29\.[A-Za-z0-9_-]{20,}",
    r"GOCSPX-[A-Za-z0-9_-]{20,}",
    r"[sr]k_(?:live|test)_[A-Za-z0-9]{10,}",
    r"whsec_[A-Za-z0-9+/=]{20,}",
    r"hf_[A-Za-z0-9]{30,}",
    r"gsk_[A-Za-z0-9]{40,}",
    r"npm_[A-Za-z0-9]{36}",
    r"pypi-[A-Za-z0-9_-]{50,}",
    r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",
)
_KEY_TRIGGER = (
    r"[sr]k[-_]|AKIA|ASIA|ABIA|ACCA|gh[pousr]_|github_pat_|glpat-|xox[abeoprs]-|xapp-"
    r"|hooks\.slack\.com|AIza|ya29\.|GOCSPX-|whsec_|hf_|gsk_|npm_|pypi-|SG\."
)
_NAMES = (
    r"(?i:api[_ -]?key|access[_-]?key|secret[_-]?key|account[_-]?key|private[_-]?key"
    r"|signing[_-]?key|encryption[_-]?key|x-amz-signature|credentials?|secret|token"
    r"|passwd|password|passphrase|pwd)"
)
_PASSWORDS = ("pass", "pwd")
_ALNUM_RUN = re2.compile(r"[A-Za-z0-9]{12,}")
_PLACEHOLDER = re2.compile(
    r"(?i)^(?:x+|\*+|\.+|-+|your.*|<.*|\$.*|%.*|\{.*|none|null|true|false|.*://.*)$"
)
_KEY_NAME = re2.compile(rf"[A-Za-z0-9_. -]*{_NAMES}")
_ASSIGNMENT = re2.compile(
    rf"({_NAMES})"
    r"""(["'\\]{0,3})"""
    r"(\s{0,3}(?::=|=>|=|:)\s{0,3}|\s+is:?\s+)"
    r"""["'\\]{0,3}"""
    r"""([^\s"'\\,;&<>(){}\[\]|=:][^\s"'\\,;&<>(){}\[\]|]{5,})"""
)
_BEGIN = re2.compile(r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----")
_KEY_BODY = re2.compile(
    r"(?:(?:\s|\\[nr])*(?:Proc-Type|DEK-Info|Version|Comment): [^\n\\]*)*"
    r"(?:(?:\s|\\[nr])*[A-Za-z0-9+/=]{16,})+"
)


def entropy(text: str) -> float:
    """Shannon's, in bits a character."""
    shares = [count / len(text) for count in Counter(text).values()]
    return -sum(share * math.log2(share) for share in shares)


def is_keyed_secret(key: str, value: str) -> bool:
    """`{"password": "…"}`: the key says what the value is."""
    if not _names_secret(key) or any(map(str.isspace, value)):
        return False
    return _is_secret(key, encodable(value), True)


@lru_cache(maxsize=4096)
def _names_secret(key: str) -> bool:
    return len(key) <= 100 and key.isascii() and _KEY_NAME.fullmatch(key) is not None


def _is_secret(name: str, value: str, assigned: bool) -> bool:
    """`assigned` when syntax says so (`=`, quotes); prose has to be more convincing."""
    if _PLACEHOLDER.match(value):
        return False
    if any(part in name.lower() for part in _PASSWORDS):
        return len(value) >= 6 and (_is_mixed(value) or (assigned and _classes(value) > 1))
    return len(value) >= 12 and _is_mixed(value) and entropy(value) >= 3


def _is_mixed(value: str) -> bool:
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def _classes(value: str) -> int:
    kinds = (str.islower, str.isupper, str.isdigit, lambda char: not char.isalnum())
    return sum(any(map(kind, value)) for kind in kinds)


def _is_random_key(match: Any) -> bool:
    """`sk-` also starts words; a key has a stretch of letters and digits."""
    key = match.group(1)
    return not key.startswith("sk-") or any(map(_is_mixed, _ALNUM_RUN.findall(key)))


def _is_authorization(match: Any) -> bool:
    value = match.group(2)
    if match.group(1).lower() == "basic":
        return _is_basic(value)
    return _is_mixed(value) and entropy(value) >= 3


def _is_basic(value: str) -> bool:
    try:
        return b":" in base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return False


def _private_keys(text: str) -> Iterator[tuple[int, int]]:
    """To the end line; without one, as far as the key's characters go."""
    begins = list(_BEGIN.finditer(text))
    starts = [begin.start() for begin in begins]
    for begin, limit in zip(begins, [*starts[1:], len(text)], strict=False):
        end = text.find("-----END ", begin.end(), limit)
        closing = text.find("-----", end + 9, limit) if end >= 0 else -1
        if closing >= 0:
            yield begin.start(), closing + 5
        elif body := _KEY_BODY.match(text[begin.end() : limit]):
            yield begin.start(), begin.end() + body.end()


def _assignments(passwords: bool) -> Any:
    def find(text: str) -> Iterator[tuple[int, int]]:
        for match in _ASSIGNMENT.finditer(text):
            name, quote, separator, value = match.groups()
            value = value.rstrip(".!?")
            of_this_kind = any(part in name.lower() for part in _PASSWORDS) == passwords
            assigned = "=" in separator or bool(quote)
            if of_this_kind and _is_secret(name, value, assigned):
                yield match.start(4), match.start(4) + len(value)

    return find


_SEPARATED = r"""["'\\]{0,3}(?:\s{0,3}(?::|=)|\s+is)"""

SECRETS = (
    Detector("private_key", r"PRIVATE KEY", _private_keys),
    Detector("api_key", _KEY_TRIGGER, matching(f"{_START}({'|'.join(_KEYS)})", _is_random_key)),
    Detector(
        "jwt",
        r"eyJ[A-Za-z0-9_-]+\.",
        matching(
            _START + r"(eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*"
            r"(?:\.[A-Za-z0-9_-]+){0,2})"
        ),
    ),
    Detector(
        "authorization",
        r"(?i:bearer|basic|token) +[A-Za-z0-9._~+/-]{16}",
        matching(r"(?i:\b(bearer|basic|token)) +([A-Za-z0-9._~+/-]{16,}=*)", _is_authorization),
    ),
    Detector(
        "password",
        r"://[^\s/]*@",
        matching(
            r"""[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@"'<>]*:([^\s/"'<>]+)@""",
            lambda match: not _PLACEHOLDER.match(match.group(1)),
        ),
    ),
    Detector("password", rf"(?i:passwd|password|passphrase|pwd){_SEPARATED}", _assignments(True)),
    Detector(
        "secret", rf"(?i:key|signature|credentials?|secret|token){_SEPARATED}", _assignments(False)
    ),
)
