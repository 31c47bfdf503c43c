"""Personal data: found by shape, believed by checksum or rule."""

import ipaddress
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import phonenumbers
import re2
from stdnum import iban, luhn
from stdnum.us import ssn

from .detector import Detector, matching, stands_alone

REGIONS = ("US", "GB")  # whose numbers are known without a country code, when written in groups

_IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp")  # logo@2x.png
_PHONE = re2.compile(r"[+(]?\d(?:[ ().\-/\x{a0}\x{2010}-\x{2013}]{0,3}\d){6,}")
_IBAN_START = re2.compile(r"\b[A-Z]{2}\d{2} ?[A-Z0-9]{4}")
_IBAN = re2.compile(r"[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b")
_IBAN_LONGEST = 42
_CARD_RUN = re2.compile(r"\d(?:[ -]?\d){12,}")
_IPV6 = re2.compile(r"[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}")
_GLOBAL = ipaddress.IPv6Network("2000::/3")
_DIGITS = re2.compile(r"\d+")
_CARD_LENGTHS = {"3": (14, 15, 16), "4": (13, 16, 19), "5": (16,), "2": (16,), "6": (16, 19)}
_CARD_STARTS = re2.compile(
    r"4|5[1-5]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)|3[47]|3(?:0[0-5]|[68])|35(?:2[89]|[3-8])"
    r"|6011|6[45]|62"
)


def _is_email(match: Any) -> bool:
    return not match.group(0).lower().endswith(_IMAGE_SUFFIXES)


def _phones(text: str) -> Iterator[tuple[int, int]]:
    for match in _PHONE.finditer(text):
        yield from _phones_in(text, match.start(), match.end())


def _phones_in(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    written = text[start:end]
    if "+" not in written and (written.isdigit() or sum(map(str.isdigit, written)) < 9):
        return  # an id, a date, a price
    first = max(0, start - 2)  # with what comes before and after: a currency sign, a letter
    window = text[first : end + 2]
    for region, leniency in _ways(written):
        matches = list(phonenumbers.PhoneNumberMatcher(window, region, leniency=leniency))
        if matches:
            yield from ((first + found.start, first + found.end) for found in matches)
            return


def _ways(written: str) -> list[tuple[str | None, int]]:
    if "+" in written:
        return [(None, phonenumbers.Leniency.VALID)]
    return [(region, phonenumbers.Leniency.EXACT_GROUPING) for region in REGIONS]


def _ibans(text: str) -> Iterator[tuple[int, int]]:
    for match in _IBAN_START.finditer(text):
        start = match.start()
        found = _IBAN.match(text[start : start + _IBAN_LONGEST])
        written = found.group(0) if found else ""
        while written and not iban.is_valid(written, check_country=False):
            written = written.rpartition(" ")[0]  # what follows may be a word
        if written:
            yield start, start + len(written)


def _cards(text: str) -> Iterator[tuple[int, int]]:
    """Card numbers written whole or in groups, whatever digits follow them."""
    for run in _CARD_RUN.finditer(text):
        groups = [group.span() for group in _DIGITS.finditer(run.group(0))]
        end = 0
        for first, (start, _) in enumerate(groups):
            if start < end:
                continue
            end = _card_end(run, groups[first : first + 5]) or end
            if end > start:
                yield run.start() + start, run.start() + end


def _card_end(run: Any, groups: list[tuple[int, int]]) -> int | None:
    """Where a card number that starts with the first group ends, within the run."""
    written, start = run.group(0), groups[0][0]
    if start == 0 and not stands_alone(run, not_after=".,_+"):
        return None
    for count in range(len(groups), 0, -1):
        sizes = [end - begin for begin, end in groups[:count]]
        end = groups[count - 1][1]
        in_groups = sizes[0] == 4 and min(sizes[1:-1], default=4) >= 4
        if (count == 1 or in_groups) and _is_card(written[start:end]):
            return end
    return None


def _is_card(written: str) -> bool:
    digits = "".join(filter(str.isdigit, written))
    lengths = _CARD_LENGTHS.get(digits[0], ())
    return len(digits) in lengths and bool(_CARD_STARTS.match(digits)) and luhn.is_valid(digits)


def _is_ipv4(match: Any) -> bool:
    address, after = match.group(0), match.string[match.end() : match.end() + 2]
    goes_on = after[:1] == "." and after[1:].isdigit()
    if goes_on or not stands_alone(match, not_after=".-_", not_before="-_"):
        return False
    if all(len(part) == 1 for part in address.split(".")):
        return False  # a heading or a version: 1.2.3.4
    with suppress(ValueError):
        return not _is_nobodys(ipaddress.IPv4Address(address))
    return False


def _ipv6s(text: str) -> Iterator[tuple[int, int]]:
    for match in _IPV6.finditer(text):
        written = match.group(0)
        if written.endswith(":") and not written.endswith("::"):
            written = written[:-1]  # punctuation of the sentence
        if stands_alone(match, not_after="_:", not_before="_:") and _is_ipv6(written):
            yield match.start(), match.start() + len(written)


def _is_ipv6(written: str) -> bool:
    with suppress(ValueError):
        address = ipaddress.IPv6Address(written)
        long_enough = len([group for group in written.split(":") if group]) >= 3
        return (long_enough or address in _GLOBAL) and not _is_nobodys(address)
    return False  # std::vector, 10:30:45


def _is_nobodys(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Loopback, 0.0.0.0, multicast and netmasks lead to no one."""
    return (
        address.is_loopback
        or address.is_unspecified
        or address.is_multicast
        or str(address).startswith("255.")
    )


def _is_ssn(match: Any) -> bool:
    return stands_alone(match, not_after="-_", not_before="-_") and ssn.is_valid(match.group(0))


PERSONAL = (
    Detector(
        "email",
        r"@[^\s@]+\.",
        matching(
            r"[\pL\pN_][\pL\pN.!#$%&'*+/=?^_`{|}~-]+@(?:[\pL\pN-]+\.)+\pL\pL+",
            _is_email,
        ),
    ),
    Detector("iban", r"[A-Z]{2}\d{2} ?[A-Z0-9]{4}", _ibans),
    Detector("card", r"\d(?:[ -]?\d){12}", _cards),
    Detector("phone", r"\d(?:[ ().\-/\x{a0}\x{2010}-\x{2013}]{0,3}\d){6}", _phones),
    Detector("ssn", r"\d{3}-\d{2}-\d{4}", matching(r"\d{3}-\d{2}-\d{4}", _is_ssn)),
    Detector(
        "ip_address",
        r"\d\.\d{1,3}\.\d{1,3}\.\d",
        matching(r"\d{1,3}(?:\.\d{1,3}){3}", _is_ipv4),
    ),
    Detector(
        "ip_address",
        r"[0-9A-Fa-f]{0,4}:[0-9A-Fa-f]{0,4}:",
        _ipv6s,
    ),
)
