"""Answers that are not there any more: taken back by who gave them, or lost. Pure."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import NamedTuple

from apps.labeling.desk.protocol import There

from .contracts import Lost

FEW = 5
"""As many as people may have taken back between two looks, be they the newest of all."""


class Missing(NamedTuple):
    """An answer that stood, by the ids that Argilla has for its record and its person."""

    external_id: str
    person_id: str
    given_at: datetime


class Known(NamedTuple):
    """The newest answer that was known, and the newest when everything was last read."""

    through: datetime | None
    whole_through: datetime | None


class Verdict(NamedTuple):
    """`taken_back`: the places of those whose people and records are there as they were.

    `restored`: answers up to this moment may have been lost with the database.
    """

    taken_back: Collection[int]
    lost: Lost
    restored: datetime | None


def judge(
    missing: Collection[Missing],
    there: There,
    read: Collection[datetime],
    known: Known,
    restored: datetime | None,
) -> Verdict:
    """`read`: when the answers that are there were given."""
    why = {place: _taken_away(each, there) for place, each in enumerate(missing)}
    rest = {place: each for place, each in enumerate(missing) if not why[place]}
    newer = {place: each for place, each in rest.items() if not _before(each.given_at, restored)}
    if _is_older(newer, there, read, known):
        restored, newer = max(each.given_at for each in newer.values()), {}
    counts = Lost(
        person=sum(each == "person" for each in why.values()),
        record=sum(each == "record" for each in why.values()),
        database=len(rest) - len(newer),
    )
    return Verdict(newer.keys(), counts, restored)


def _taken_away(missing: Missing, there: There) -> str:
    """Who or what was made anew since has not had the answer either."""
    person, record = there.people.get(missing.person_id), there.records.get(missing.external_id)
    if person is None or person > missing.given_at:
        return "person"
    return "record" if record is None or record > missing.given_at else ""


def _before(moment: datetime, restored: datetime | None) -> bool:
    return restored is not None and moment <= restored


def _is_older(
    missing: Mapping[int, Missing], there: There, read: Collection[datetime], known: Known
) -> bool:
    """Whether the database is of a time before any of them: all that was known since is missing.

    One or a few may have been taken back as well, which the dataset would know of. An answer that
    came after everything was last read may be of people who went on in the older database.
    """
    if not missing or known.through is None:
        return False
    oldest = min(each.given_at for each in missing.values())
    whole, newest = known.whole_through, known.through
    until = whole if whole and oldest < whole else newest
    if any(oldest < moment <= until for moment in read):
        return False
    return len(missing) > FEW or there.used_at < newest
