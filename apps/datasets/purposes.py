"""What becomes of files that are no datasets: the chapter that owns it says so in `ready()`."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from apps.accounts.permissions import Permission

from .models import DatasetVersion, Upload
from .sight import Sight
from .uploading.reading import Reading


class Received(NamedTuple):
    """What a file became: a sentence, where to look at it, and the version that it is about."""

    told: str
    address: str = ""
    version: DatasetVersion | None = None


Receiver = Callable[[Upload, Reading], Received]
"""Writes what was read, in the transaction that ends the upload; may raise Rejected.

It asks `refuse_if_unfit` itself, after turning down what only it knows to be wrong.
"""

Exporter = Callable[[DatasetVersion, Sight], Iterator[bytes]]
"""What is known about a version's answers, as a file in pieces."""

_RECEIVERS: dict[str, Receiver] = {}
_EXPORTERS: dict[str, Exporter] = {}
_NEEDED: dict[str, Permission] = {}


def receive(purpose: str, receiver: Receiver) -> None:
    _RECEIVERS[purpose] = receiver


def export(
    format_id: str, exporter: Exporter, *, needed: Permission = Permission.VIEW_DATASETS
) -> None:
    """`needed` is what a member must be allowed to take it along."""
    _EXPORTERS[format_id] = exporter
    _NEEDED[format_id] = needed


def receiver(purpose: str) -> Receiver:
    return _RECEIVERS[purpose]


def needed_for(format_id: str) -> Permission:
    return _NEEDED.get(format_id, Permission.VIEW_DATASETS)


def exporter(format_id: str) -> Exporter | None:
    return _EXPORTERS.get(format_id)
