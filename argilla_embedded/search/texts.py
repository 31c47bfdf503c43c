"""Searching texts as the stock engines' `simple_query_string` does: whole words, AND by default.

`|` means or, a leading `-` not, quotes a phrase, a trailing `*` the beginning of a word. No
stemming and no ranking.
"""

import re
from typing import Any

from argilla_server.models import Dataset, Record
from argilla_server.search_engine.base import TextQuery
from sqlalchemy import and_, exists, false, literal, not_, or_, select

from .values import leaves_at

PART = re.compile(r'(?P<no>-?)(?:"(?P<phrase>[^"]*)"|(?P<word>[^\s"|()]+))|(?P<either>\|)')
# Scripts that put no space between words, so that a word of them has no edges to look for.
UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uf900-\ufaff]")


def matches(dataset: Dataset, query: TextQuery | str) -> Any:
    """Whether a record has what is asked for, each word in any of the fields that are searched."""
    asked, field = (query, None) if isinstance(query, str) else (query.q, query.field)
    fields = [field] if field else [each.name for each in dataset.fields if not each.is_image]
    ways = [[_has(fields, *part) for part in way] for way in _ways(asked)]
    return or_(false(), *(and_(*way) for way in ways if way))


def _ways(asked: str) -> list[list[tuple[bool, str]]]:
    """Of each alternative the patterns, and whether each must be absent."""
    ways: list[list[tuple[bool, str]]] = [[]]
    for part in PART.finditer(asked):
        if part["either"]:
            ways.append([])
            continue
        pattern = _pattern(part["phrase"] or part["word"] or "")
        if pattern:
            ways[-1].append((bool(part["no"]), pattern))
    return ways


def _pattern(words: str) -> str:
    """A regular expression for the words in a row; empty where there is no word."""
    found = re.findall(r"\w+", words)
    if not found:
        return ""
    start = "" if UNSPACED.match(found[0]) else r"\b"
    end = "" if words.endswith("*") or UNSPACED.search(found[-1][-1]) else r"\b"
    return rf"(?i){start}" + r"\W+".join(map(re.escape, found)) + end


def _has(fields: list[str], absent: bool, pattern: str) -> Any:
    hits = []
    for field in fields:
        leaf = leaves_at(Record.fields, field)
        hit = select(literal(1)).select_from(leaf).where(leaf.c.type == "text")
        hits.append(exists(hit.where(leaf.c.value.regexp_match(pattern)).correlate(Record)))
    return not_(or_(false(), *hits)) if absent else or_(false(), *hits)
