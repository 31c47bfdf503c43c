"""Going through all records of a version once, to say something about the whole."""

import orjson

from . import readiness
from .models import DatasetVersion

STREAMED = 500


def readiness_of(version: DatasetVersion) -> list[readiness.Answer]:
    payloads = version.records.order_by("ordinal").values_list("payload", flat=True)
    return readiness.answers(map(orjson.loads, payloads.iterator(chunk_size=STREAMED)))
