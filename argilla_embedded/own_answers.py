"""Whoever labels sees their own answers only; stock routes show a workspace everybody's."""

from typing import Annotated, TypeVar

from argilla_server.api.handlers.v1.datasets.datasets import (
    get_dataset_progress,
    get_dataset_users_progress,
)
from argilla_server.api.handlers.v1.datasets.records import _filter_record_metadata_for_user
from argilla_server.api.handlers.v1.records import get_record
from argilla_server.api.schemas.v1.datasets import DatasetProgress, UsersProgress
from argilla_server.api.schemas.v1.records import Record as RecordSchema
from argilla_server.models import Record, User
from argilla_server.security import auth
from fastapi import APIRouter, Depends, Security
from sqlalchemy.orm.attributes import set_committed_value

router = APIRouter()
"""What stands before the routes of the same address, and asks them."""

Person = Annotated[User, Security(auth.get_current_user)]
Progress = TypeVar("Progress", UsersProgress, DatasetProgress)


@router.get("/records/{record_id}", response_model=RecordSchema)
async def own_record(record: Annotated[Record, Depends(get_record)], person: Person) -> Record:
    """With the metadata that annotators may see, as in a search."""
    if person.is_owner:
        return record
    own = [each for each in record.responses if each.user_id == person.id]
    await record.dataset.awaitable_attrs.metadata_properties
    metadata = await _filter_record_metadata_for_user(record, person)
    set_committed_value(record, "responses", own)  # only what is shown: nothing is deleted
    set_committed_value(record, "metadata_", metadata)
    return record


@router.get("/datasets/{dataset_id}/users/progress", response_model=UsersProgress)
async def own_progress(
    progress: Annotated[UsersProgress, Depends(get_dataset_users_progress)], person: Person
) -> UsersProgress:
    return _of(person, progress)


@router.get(
    "/datasets/{dataset_id}/progress",
    response_model=DatasetProgress,
    response_model_exclude_unset=True,
)
async def progress_of_all(
    progress: Annotated[DatasetProgress, Depends(get_dataset_progress)], person: Person
) -> DatasetProgress:
    """The sums are of everybody; who they are is not told."""
    return _of(person, progress)


def _of(person: User, progress: Progress) -> Progress:
    if person.is_owner:
        return progress
    own = [each for each in progress.users if each.username == person.username]
    return progress.model_copy(update={"users": own})
